import AlertCore
import BotConfig
import PluginKit
import Testing

@Suite struct `Rotations in the config` {
    private func config(_ rotation: String, routes: String = "[]", mention: String = "[\"<!here>\"]") -> String {
        """
        bot: {timezone: Europe/Madrid}
        oncall:
          mobile: \(rotation)
        sources:
          ios: {plugin: feed, url: https://feed.example}
        channels:
          team: {plugin: caller, mention: {critical: \(mention)}}
          ana-dm: {plugin: page}
        routes: \(routes)
        """
    }

    /// A channel that calls people by `@name`.
    private struct CallingChannel: Channel {
        static let manifest = PluginManifest(name: "caller", summary: "Calls people.", options: [Mentions.setting])

        let mentions: Mentions
        let pace = Pace.unlimited
        let isIdempotent = true

        init(options: Options, context: ChannelContext) throws(ProblemList) {
            mentions = try Mentions(options, forms: "@NAME") { $0.hasPrefix("@") || $0 == "<!here>" ? $0 : nil }
        }

        func post(_ posting: Posting) -> ChannelAction {
            .print(mentions.called(by: posting.message, at: posting.at).joined(separator: " "))
        }
        func picture(of posting: Posting) -> ChatPicture { ChatPicture(posting.message) }
        func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
    }

    private func load(_ yaml: String) -> ConfigResult {
        let plugins = FakeWorld.catalog
        let catalog = PluginCatalog(
            sources: plugins.sources, detectors: plugins.detectors, gates: plugins.gates,
            channels: plugins.channels + [CallingChannel.self])
        return Config.load(
            Array(yaml.utf8), folder: "/etc/bot", catalog: catalog, surroundings: FakeWorld.surroundings())
    }

    private let people = """
        [{name: ana, mention: ["@ana", "U1"], channel: ana-dm}, {name: bo, mention: "@bo"}]
        """

    @Test func `everything said of a rotation counts`() throws {
        let result = load(
            config(
                """
                {timezone: America/New_York, starts: 2026-11-02 09:00, every: 1d, people: \(people),
                   overrides: [{from: 2026-12-24, until: 2026-12-26, person: bo}]}
                """, mention: "[oncall:mobile]"))
        #expect(result.problems == [])
        let rotation = try #require(result.config?.plan.rotations.first)
        func person(_ now: String) throws -> String { rotation.person(on: try #require(Moment(rfc3339: now))).name }
        #expect(try person("2026-11-02T14:00:00Z") == "ana")
        #expect(try person("2026-11-03T13:59:59Z") == "ana")
        #expect(try person("2026-11-03T14:00:00Z") == "bo")
        #expect(try person("2026-12-24T15:00:00Z") == "bo")
        #expect(try person("2026-12-26T04:59:59Z") == "bo")
    }

    @Test func `a channel calls who is on call when the message leaves`() throws {
        let result = load(
            config("{starts: 2026-11-02 09:00, people: \(people)}", mention: "[oncall:mobile, \"@ana\"]"))
        #expect(result.problems == [])
        let channel = try #require(result.config?.channels["team"])
        func called(_ at: String, _ kind: Notification.Kind = .opened) throws -> String {
            let message = Message(kind: kind, severity: .critical, at: Moment(milliseconds: 0), headline: "x")
            let posting = Posting(id: "d", message: message, at: try #require(Moment(rfc3339: at)))
            guard case .print(let text) = channel.post(posting) else { return "?" }
            return text
        }
        // Ana is named besides, and called once.
        #expect(try called("2026-11-02T08:00:00Z") == "@ana")
        #expect(try called("2026-11-09T07:59:59Z", .escalated) == "@ana")
        #expect(try called("2026-11-09T08:00:00Z") == "@bo @ana")
        #expect(try called("2026-11-09T08:00:00Z", .reminder) == "")
    }

    @Test func `a route leads to the rotation`() throws {
        let everybody = "[{name: ana, channel: ana-dm}, {name: bo, channel: team}]"
        let result = load(
            config("{starts: 2026-11-02 09:00, people: \(everybody)}", routes: "[{to: [oncall:mobile, team]}]"))
        #expect(result.problems == [])
        let route = try #require(result.config?.plan.routes.first)
        #expect(route.to == ["team"])
        #expect(route.onCall.map(\.name) == ["mobile"])
    }

    @Test(arguments: [
        Mistake(
            "nothing", "{}",
            "3:3: rotation 'mobile' needs 'starts': the first handover, such as 2026-11-02 09:00: later ones are at the same time of day",
            "3:3: rotation 'mobile' needs 'people': who takes turns, in this order"),
        Mistake(
            "nobody", "{starts: 2026-11-02, people: []}",
            "3:40: 'people' is an empty list (it is needed: who takes turns, in this order)"),
        Mistake(
            "no name", "{starts: 2026-11-02, people: [{mention: x}]}", "3:41: 'people' needs 'name': the person's name"
        ),
        Mistake(
            "a name alone", "{starts: 2026-11-02, people: [ana]}",
            "3:41: 'people' must be a mapping such as {name: …}, not a single value"),
        Mistake(
            "twice", "{starts: 2026-11-02, people: [{name: ana}, {name: ana}]}",
            "3:61: 'ana' is in 'people' twice (each person has one turn in a round; overrides give more)"),
        Mistake(
            "a time alone", "{starts: 09:00, people: [{name: ana}]}",
            "3:20: 'starts' is '09:00', expected an instant such as 2026-12-24, 2026-12-24 09:00 or 2026-12-24 09:00+01:00"
        ),
        Mistake(
            "minutes", "{starts: 2026-11-02, every: 30m, people: [{name: ana}]}",
            "3:39: 'every' is 30m, expected from 1h to 366d"),
        Mistake(
            "a key", "{starts: 2026-11-02, overides: [], people: [{name: ana}]}",
            "3:32: unknown key 'overides' in rotation 'mobile' -> overrides"),
        Mistake(
            "a zone", "{timezone: Europe/Madird, starts: 2026-11-02, people: [{name: ana}]}",
            "3:22: there is no time zone 'Europe/Madird', expected a name such as Europe/Madrid -> Europe/Madrid"),
        Mistake(
            "a stranger",
            "{starts: 2026-11-02, people: [{name: ana}], overrides: [{from: 2026-12-24, until: 2026-12-26, person: anna}]}",
            "3:113: nobody in this rotation is called 'anna'; known: ana -> ana"),
        Mistake(
            "backwards",
            "{starts: 2026-11-02, people: [{name: ana}], overrides: [{from: 2026-12-24, until: 2026-12-24, person: ana}]}",
            "3:93: 'until' is not after 'from', so it never begins"),
        Mistake(
            "a channel", "{starts: 2026-11-02, people: [{name: ana, channel: ana}]}",
            "3:62: there is no channel 'ana'; known: ana-dm, team"),
    ])
    func `every mistake is reported`(mistake: Mistake) {
        #expect(load(config(mistake.yaml)).problems.map(\.line) == mistake.problems)
    }

    @Test(arguments: [
        ("[]", "[oncall:mobil]", "7:47: there is no rotation 'mobil'; known: mobile -> oncall:mobile"),
        (
            "[]", "[oncall:mobile]",
            "7:47: 'cai' of the rotation 'mobile' cannot be mentioned here (give them a 'mention' under 'oncall': @NAME)"
        ),
        ("[{to: [oncall:web]}]", "[]", "9:16: there is no rotation 'web'; known: mobile"),
        ("[{to: [mobile]}]", "[\"@x\"]", "9:16: there is no channel 'mobile'; known: ana-dm, team -> oncall:mobile"),
        (
            "[{to: [oncall:mobile]}]", "[\"@x\"]",
            "9:16: the rotation 'mobile' leads nowhere while cai is on call (give each of its people a 'channel' under 'oncall')"
        ),
    ])
    func `so is everybody who cannot be reached`(_ routes: String, _ mention: String, _ expected: String) {
        let rotation = "{starts: 2026-11-02, people: [{name: ana, mention: \"@ana\", channel: ana-dm}, {name: cai}]}"
        let problems = load(config(rotation, routes: routes, mention: mention)).problems.map(\.line)
        #expect(problems.contains(expected), "\(problems)")
    }

    @Test(arguments: [
        ("[]", "[\"@x\"]", true), ("[]", "[oncall:mobile]", false), ("[{to: [oncall:mobile]}]", "[\"@x\"]", false),
    ])
    func `one that nothing names calls nobody, which is said`(_ routes: String, _ mention: String, _ isTold: Bool) {
        let rotation = "{starts: 2026-11-02, people: [{name: ana, mention: \"@ana\", channel: ana-dm}]}"
        let problems = load(config(rotation, routes: routes, mention: mention)).problems
        let words =
            "3:3: rotation 'mobile' calls nobody: no channel's 'mention' and no route names it (write oncall:mobile "
            + "there, or remove it)"
        #expect(problems.contains { $0.line == words && $0.level == .warning } == isTold, "\(problems)")
    }

    @Test(arguments: ["mobile", "oncall:mobile"])
    func `where it cannot stand, no rotation is suggested`(_ name: String) {
        let rotation = "{starts: 2026-11-02, people: [{name: ana, channel: \(name)}]}"
        #expect(
            load(config(rotation)).problems.map(\.line) == [
                "3:62: there is no channel '\(name)'; known: ana-dm, team (a rotation can stand in a route's 'to' and in a "
                    + "channel's 'mention' alone; name a channel here)"
            ])
    }

    @Test func `what is wrong with a rotation is not told of those that name it`() {
        let result = load(
            config(
                "{starts: soon, people: [{name: ana}]}", routes: "[{to: [oncall:mobile]}]", mention: "[oncall:mobile]"))
        #expect(
            result.problems.map(\.message) == [
                "'starts' is 'soon', expected an instant such as 2026-12-24, 2026-12-24 09:00 or 2026-12-24 09:00+01:00"
            ])
    }
}
