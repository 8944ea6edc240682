internal import AlertCore
internal import AlertTesting
internal import BotConfig
internal import PluginKit
internal import Testing

/// A source whose plugin knows a page.
private struct PagedSource: Source {
    static let manifest = PluginManifest(name: "paged", summary: "Has a page.", options: [page, token])
    static let page = RequiredSetting("page", .text, "The page it gives.")
    static let token = Setting("token", .text, "The credential.").secret

    let dashboard: String?

    init(options: Options, context: SourceContext) throws(ProblemList) {
        dashboard = try options[Self.page].reveal()
    }

    var host: String? { nil }
    var metrics: Set<Metric>? { nil }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

@Suite struct `Where people look at a source's figures` {
    private func dashboard(_ options: String) throws -> String? { try source(options).dashboard }

    private func source(_ options: String) throws -> SourcePlan {
        let yaml = "sources: {ios: {plugin: paged, \(options)}}\nchannels: {team: {plugin: page}}\n"
        let catalog = PluginCatalog(
            sources: [PagedSource.self], detectors: [], gates: [], channels: [PageChannel.self])
        let result = Config.load(
            Array(yaml.utf8), folder: "/etc/bot", catalog: catalog, surroundings: FakeWorld.surroundings())
        #expect(result.problems.filter { $0.level == .error }.map(\.line) == [])
        return try #require(result.config?.plan.sources.first)
    }

    @Test func `is what its plugin knows, unless the config says something else`() throws {
        let page = #"page: "https://own.example/{app}?r={release}""#
        #expect(try dashboard(page) == "https://own.example/{app}?r={release}")
        #expect(try dashboard(page + ", dashboard: https://g.example/d") == "https://g.example/d")
        #expect(try dashboard(page + ", dashboard: off") == nil)
    }

    @Test func `is a link of messages, of the app that they are about`() throws {
        let source = try source(#"page: "https://own.example/{app}?r={release}&e={environment}""#)
        var bot = Rehearsal(.rehearsed(sources: [source]))
        bot.start()
        bot.see(.critical, of: Subject(source: "ios", app: "my shop", release: "5.2+1"))
        #expect(
            bot.decisions.first?.message.links == [
                Message.Link("Dashboard", "https://own.example/my%20shop?r=5.2%2B1&e=")
            ])
    }

    @Test(arguments: [
        #"page: "https://own.example/{project}""#, "page: ftp://own.example", "page: nowhere",
        #"page: "https://own.example/?k=${env:TOKEN}""#,
        #"page: https://own.example/s3cr3t-from-env, token: "${env:TOKEN}""#,
        #"page: "https://own.example/s3cr3t-from-env/{app}", token: "Bearer ${env:TOKEN}""#,
    ]) func `is nothing where a plugin gives what is no link or tells a secret`(_ options: String) throws {
        #expect(try dashboard(options) == nil)
    }
}
