internal import BotConfig
internal import PluginKit
internal import Testing

/// A source whose token travels in a header, and whose key does not.
private struct TokenSource: Source {
    static let manifest = PluginManifest(name: "token", summary: "Asks with a token.", options: [credential, key])
    static let credential = RequiredSetting("token", .text, "The token.").secret.inHeader
    static let key = Setting("key", .text, "A key of many lines.").secret

    init(options: Options, context: SourceContext) throws(ProblemList) {}

    var host: String? { nil }
    var metrics: Set<Metric>? { nil }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

@Suite struct `Secrets that travel in a header` {
    private func problems(_ options: String) -> [String] {
        let catalog = PluginCatalog(sources: [TokenSource.self], detectors: [], gates: [], channels: [PageChannel.self])
        let yaml = "channels: {team: {plugin: page}}\nsources: {ios: {plugin: token, \(options)}}"
        let result = Config.load(
            Array(yaml.utf8), folder: "/etc/bot", catalog: catalog, surroundings: FakeWorld.surroundings())
        return result.problems.map(\.line)
    }

    @Test func `a secret of two lines is reported before the first request`() {
        let found = problems("token: \"${file:two-lines}\"")
        #expect(
            found == [
                "2:39: the secret in 'token' has a line break or a control character in it, so no request can carry it "
                    + "(check what the variable, file or credential holds; one line break at its end is ignored)"
            ])
        #expect(!"\(found)".contains("s3cr3t"))
    }

    @Test(arguments: ["token: \"${file:token}\"", "token: \"${env:TOKEN}\", key: \"${file:two-lines}\""])
    func `one line is fine, and so are many where no header is made of them`(options: String) {
        #expect(problems(options) == [])
    }
}
