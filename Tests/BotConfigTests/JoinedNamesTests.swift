internal import BotConfig
internal import PluginKit
internal import Testing

/// A source that is told what to watch.
private struct ListedSource: Source {
    static let manifest = PluginManifest(name: "listed", summary: "Gives what is listed.", options: [apps])
    static let apps = Setting("apps", .list(.plain), default: [], "The apps.")

    let apps: [String]

    init(options: Options, context: SourceContext) throws(ProblemList) { apps = options[Self.apps] }

    var host: String? { nil }
    var metrics: Set<Metric>? { nil }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

@Suite struct `A list of names` {
    private func result(_ apps: String) -> ConfigResult {
        let yaml = """
            sources:
              own:
                plugin: listed
                apps: \(apps)
            channels:
              team: {plugin: page}
            """
        let catalog = PluginCatalog(
            sources: [ListedSource.self], detectors: [], gates: [], channels: [PageChannel.self])
        return Config.load(
            Array(yaml.utf8), folder: "/etc/bot", catalog: catalog, surroundings: FakeWorld.surroundings())
    }

    @Test(arguments: [
        ("shop, game", "4:11", "shop, game", "shop, game"),
        ("\"shop, game\"", "4:11", "shop, game", "shop, game"),
        ("shop]", "4:11", "shop]", "shop"),
        ("\n      - shop, game", "5:9", "shop, game", "shop, game"),
        ("\n      - shop\n       - game", "5:9", "shop - game", "shop, game"),
    ])
    func `that reads as one name is warned of`(apps: String, place: String, found: String, list: String) {
        let result = result(apps)
        let told = result.problems
        #expect(result.config != nil)
        #expect(
            told.map(\.line) == [
                "\(place): 'apps' takes '\(found)' as one value (write [\(list)], or [\"\(found)\"] if it is one)"
            ])
        #expect(told.map(\.level) == [.warning])
    }

    @Test(arguments: [
        "[shop, game]", "[\"shop, game\"]", "\n      - shop\n      - game", "\n      - \"shop, game\"", "shop - game",
        "shop[1]", "shop", "\n      - Müller, Ada <ada@example.com>", "Müller, Ada <ada@example.com>",
    ])
    func `that reads as what it says is taken`(apps: String) { #expect(result(apps).problems == []) }

    @Test func `with a mistake in it is not warned of as well`() {
        #expect(result("\"shop, \\0game\"").problems.map(\.message) == ["'apps' contains a NUL character"])
    }
}
