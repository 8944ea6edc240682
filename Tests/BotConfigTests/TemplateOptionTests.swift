import AlertCore
import BotConfig
import PluginKit
import Testing

private func load(_ yaml: String, _ template: String?) -> ConfigResult {
    var surroundings = FakeWorld.surroundings()
    surroundings.file = { path throws(ConfigSurroundings.Missing) in
        guard path == "/etc/bot/team.mustache", let template else {
            throw ConfigSurroundings.Missing("there is no such file")
        }
        return Array(template.utf8)
    }
    let known = FakeWorld.catalog
    let catalog = PluginCatalog(
        sources: known.sources, detectors: known.detectors, gates: known.gates,
        channels: known.channels + [BellChannel.self])
    return Config.load(Array(yaml.utf8), folder: "/etc/bot", catalog: catalog, surroundings: surroundings)
}

private struct BellChannel: Channel {
    static let manifest = PluginManifest(name: "bell", summary: "Wakes people.", options: [])

    init(options: Options, context: ChannelContext) throws(ProblemList) {}

    var pace: Pace { .unlimited }
    var isIdempotent: Bool { false }
    var isPager: Bool { true }
    func post(_ posting: Posting) -> ChannelAction { .keep }
    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}

@Suite struct `Templates in the config` {
    private let config = """
        sources:
          ios: {plugin: feed, url: https://feed.example}
        rules:
          floor: {plugin: limit, metric: crash_free_users, limit: "< 99%", template: ./team.mustache}
        channels:
          team: {plugin: page, template: team.mustache}
        """

    @Test func `channels and rules take one`() throws {
        let result = load(config, "[headline]\n{{title}}")
        #expect(result.problems == [])
        let plan = try #require(result.config).plan
        #expect(plan.channels.first?.template?.name == "/etc/bot/team.mustache")
        #expect(plan.detectors.first?.template == plan.channels.first?.template)
    }

    @Test func `a mark of the byte order is no part of a template`() throws {
        let plain = try #require(load(config, "[headline]\n{{title}}").config).plan.channels.first?.template
        let marked = load(config, "\u{FEFF}[headline]\n{{title}}")
        #expect(marked.problems == [])
        #expect(marked.config?.plan.channels.first?.template == plain)
    }

    @Test func `a mistake is reported in the template, with its line`() {
        let result = load(config, "[headline]\n{{titel}}")
        #expect(result.config == nil)
        #expect(result.problems.map { $0.position.file } == ["/etc/bot/team.mustache"])
        #expect(result.problems.map(\.line) == ["2:1: a message has no 'titel' -> title"])
        #expect(result.texts["/etc/bot/team.mustache"] != nil)
    }

    @Test func `a template that has no words for some message is an error at its option`() {
        let result = load(config, "[headline]\n{{incident.figure}}")
        #expect(
            result.problems.map(\.line) == [
                "4:78: /etc/bot/team.mustache fails when the bot has a problem of its own: its headline is empty",
                "6:34: /etc/bot/team.mustache fails when the bot has a problem of its own: its headline is empty",
            ])
    }

    @Test func `a template that loses what a message is about is warned of once, in the template`() {
        let result = load(config, "[headline]\n{{incident.app}}\n[body]\n{{reason}}")
        #expect(
            result.problems.map(\.line) == [
                "1:1: this leaves out why the bot itself is in trouble (write {{title}} where there is no figure: "
                    + "{{^incident.figure}}{{title}}{{/incident.figure}})",
                "3:1: this leaves out the lines of a digest, which say what it is about (write {{#lines}}, {{.}} and "
                    + "{{/lines}}, each on its own line)",
            ])
        #expect(result.problems.allSatisfy { $0.level == .warning && $0.position.file == "/etc/bot/team.mustache" })
        #expect(result.config != nil)
    }

    @Test func `of a rule's template only what such messages can lose is warned of`() {
        let result = load(
            config.replacing(", template: team.mustache", with: ""), "[headline]\n{{incident.app}}\n[body]\n{{reason}}")
        #expect(result.problems.map(\.position.line) == [3])
    }

    @Test func `of digests that nobody gets no rule's template is warned of, for pagers get none`() {
        let pagers = config.replacing("{plugin: page, template: team.mustache}", with: "{plugin: bell}")
        let template = "[headline]\n{{incident.app}}\n[body]\n{{reason}}"
        #expect(load(pagers, template).problems == [])
        #expect(load(pagers + "\n  chat: {plugin: page}", template).problems.map(\.position.line) == [3])
    }

    @Test func `a template that is not there is an error that says where to get one`() {
        #expect(
            load(config, nil).problems.map(\.line) == [
                "4:78: 'template': /etc/bot/team.mustache cannot be read: there is no such file "
                    + "('alertbot template show' has one to start from)",
                "6:34: 'template': /etc/bot/team.mustache cannot be read: there is no such file "
                    + "('alertbot template show' has one to start from)",
            ])
    }
}

@Suite struct `Links to the page` {
    private let warning = "messages will have links to acknowledge and mute that work only from this machine"

    @Test(arguments: [
        ("listen: 0.0.0.0:8480, public_url: https://a.example", true),
        ("listen: \"[::]:8480\", public_url: https://a.example", true),
        ("public_url: https://a.example", false), ("listen: \"[::1]:8480\", public_url: https://a.example", false),
        ("listen: 0.0.0.0:8480", false),
        ("listen: 0.0.0.0:8480, public_url: https://a.example, user_header: X-User", false),
        ("listen: 0.0.0.0:8480, public_url: https://a.example, token: \"${env:TOKEN}${env:PIN}\"", false),
    ])
    func `that nobody elsewhere can use are warned of`(_ bot: String, _ isWarned: Bool) {
        let result = load("bot: {\(bot)}" + least)
        #expect(result.problems.map(\.message) == (isWarned ? [warning] : []))
        #expect(result.config != nil)
    }

    @Test(arguments: [
        ("public_url: https://a.example", ["1:32: messages will have links to a page that is switched off"]),
        (
            "token: \"${env:TOKEN}${env:PIN}\", user_header: X-User",
            ["1:27: 'token' has no effect without a page", "1:66: 'user_header' has no effect without a page"]
        ), ("name: x", []),
    ])
    func `that is switched off are warned of, and so is all else that only it needs`(_ bot: String, _ told: [String]) {
        let result = load("bot: {listen: off, \(bot)}" + least)
        #expect(result.problems.map(\.line) == told.map { "\($0) (remove it, or set 'listen' to HOST:PORT)" })
        #expect(result.problems.allSatisfy { $0.level == .warning })
        #expect(result.config != nil)
    }
}
