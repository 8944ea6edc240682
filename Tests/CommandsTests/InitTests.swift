internal import BotConfig
internal import BotHarness
internal import BuiltinPlugins
internal import Foundation
internal import Glibc
internal import MachineTesting
internal import PluginKit
internal import PluginTesting
internal import SourceFakes
internal import Synchronization
internal import SystemPorts
internal import Testing

@testable internal import Commands

@Suite struct `Writing a first config` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// What came of it: what was said, and why it ended where it did.
    private struct Result {
        let stage: StagedMachine
        let dialogue: ScriptedDialogue
        let failure: Failure?

        var all: String { stage.said + stage.complained }
    }

    /// - Parameter change: what the command line says besides where the config goes.
    private func write(
        _ answers: [String], at now: String = "2026-11-20T12:00:00Z",
        _ change: (inout InitWish) -> Void = { _ in },
        web: @escaping StagedWeb.Answer = StagedWeb.nobody
    ) async throws -> Result {
        let stage = StagedMachine(
            at: now, variables: ["T": SourceFake.secret, "TZ": "Europe/Madrid", "HOME": scratch.folder], answer: web)
        let dialogue = ScriptedDialogue(answers)
        var wish = InitWish(path: scratch.path("config.yaml"))
        change(&wish)
        do {
            try await Init(wish, .builtin, asking: dialogue, on: stage.machine).run()
            return Result(stage: stage, dialogue: dialogue, failure: nil)
        } catch {
            return Result(stage: stage, dialogue: dialogue, failure: error)
        }
    }

    private func written() throws -> String {
        try String(contentsOfFile: scratch.path("config.yaml"), encoding: .utf8)
    }

    /// What is wrong with the config that was written.
    private func problems() throws -> [String] {
        let stage = StagedMachine(variables: ["T": SourceFake.secret])
        let file = try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine)
        return file.problemTexts
    }

    // MARK: - Every plugin

    /// Answers to what is asked for a channel, after its name.
    static let channels: KeyValuePairs<String, [String]> = [
        "slack": ["https://hooks.slack.com/services/T0/B0/x"],
        "matrix": ["https://matrix.example.org", "!abc:example.org", "syt_0123456789"],
        "discord": ["https://discord.com/api/webhooks/1/abc"],
        "teams": ["https://prod-12.westeurope.logic.azure.com:443/workflows/a/triggers/b?sig=c&x=1"],
        "email": [
            "smtp.example.com", "alerts@example.com", "pass word", "Shop <a@example.com>",
            "b@example.com, c@example.com",
        ],
        "telegram": ["123456:ABC-DEF0123456789", "-1001234567890"],
        "mattermost": ["https://chat.example.com/hooks/abc"], "rocketchat": ["https://chat.example.com/hooks/a/b"],
        "google_chat": ["https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t"], "ntfy": ["0123456789abcdef"],
        "pagerduty": ["0123456789abcdef0123456789abcdef"],
        "webhook": ["https://hooks.example.com/alertbot", ""], "inbox": [], "console": [],
    ]

    @Test func `is tried with every plugin`() {
        func names(_ kind: PluginKind) -> Set<String> {
            Set(PluginCatalog.builtin.descriptions.filter { $0.kind == kind }.map(\.manifest.name))
        }
        #expect(Set(TypedSource.all.map(\.plugin)) == names(.source))
        #expect(Set(Self.channels.map(\.key)) == names(.channel))
    }

    @Test func `previews what every rule makes of the poll`() async throws {
        try scratch.write(
            "figures.jsonl",
            #"{"source":"ios","app":"shop","from":"2026-11-20T11:00:00Z","to":"2026-11-20T12:00:00Z","#
                + #""seen":"2026-11-20T12:00:00Z","metrics":{"users":5000,"crashed_users":300},"#
                + #""issues":[{"id":"X","title":"t","events":30,"users":20,"first_seen":"2026-11-20T11:30:00Z","#
                + #""last_seen":"2026-11-20T11:59:00Z","status":"unresolved"}]}"# + "\n")
        let result = try await write(["file", "./figures.jsonl", "console", "n"])
        #expect(result.failure == nil, "\(result.all)")
        #expect(result.stage.said.contains("\n  new-issue: judged 1"), "\(result.stage.said)")
        #expect(!result.stage.said.contains("could not judge"))
    }

    @Test(arguments: [
        ("/etc/alertbot/config.yaml", "/var/lib/alertbot"), ("/etc/alertbot/teams/config.yaml", "./state"),
        ("config.yaml", "./state"),
    ])
    func `keeps the state where the service may write, if the config is the service's`(path: String, state: String) {
        let draft = DraftConfig(path: path, timezone: "UTC", written: .earliest)
        #expect(draft.text.contains("\n  state: \(state)\n"))
    }

    @Test(arguments: TypedSource.all)
    func `asks a source what it needs, polls it and writes what 'check' takes`(_ typed: TypedSource) async throws {
        let fake = typed.fake
        let respond = try fake?.responder()
        for file in try fake?.files() ?? [] { try scratch.write(file.name, file.text) }
        scratch.chmod("key.json", 0o600)
        let result = try await write(
            [typed.plugin] + typed.answers + ["console", "n"], at: fake?.now ?? "2026-11-20T12:00:00Z"
        ) { _ in
        } web: { request throws(TransportError) in
            respond?(request) ?? HTTPResponse(status: 404)
        }
        #expect(result.failure == nil, "\(result.all)")
        #expect(result.dialogue.left == [], "\(result.all)")
        #expect(try problems() == [])
        let isTold = typed.plugin == "push"
        #expect(result.stage.said.contains("Polling") != isTold)
        #expect(result.stage.said.contains("What would be sent now:") != isTold, "\(result.all)")
        let text = try written()
        for secret in result.dialogue.hidden where !secret.contains("${") && !secret.contains("key.json") {
            #expect(!text.contains(secret))
            #expect(!result.all.contains(secret))
            #expect(text.contains("${file:secrets/"))
        }
        let plugin = try #require(PluginCatalog.builtin.sources.first { $0.manifest.name == typed.plugin })
        for option in plugin.manifest.options { #expect(text.contains("\(option.name):"), "\(option.name)") }
    }

    @Test(arguments: Self.channels.map(\.key))
    func `asks a channel what it needs and writes what 'check' takes`(_ name: String) async throws {
        let answers = try #require(Self.channels.first { $0.key == name }?.value)
        // An inbox sends nothing, so there is no test message to decline.
        let result = try await write(["simulator", name] + answers + (name == "inbox" ? [] : ["no"]))
        #expect(result.failure == nil, "\(result.all)")
        #expect(result.dialogue.left == [], "\(result.all)")
        #expect(try problems() == [])
        let text = try written()
        for secret in result.dialogue.hidden where !secret.isEmpty {
            #expect(!text.contains(secret))
            #expect(!result.all.contains(secret))
        }
    }

    @Test func `of two ways to a chat one is enough`() async throws {
        let result = try await write(["simulator", "slack", "", "xoxb-0123456789", "C0123456789", "n"])
        #expect(result.failure == nil, "\(result.all)")
        #expect(result.dialogue.left == [])
        #expect(try problems() == [])
        #expect(try written().contains("\n    channel: C0123456789\n"))
    }

    // MARK: - Secrets and files

    @Test func `a typed secret goes to a file that only its owner can read`() async throws {
        let result = try await write(["simulator", "discord", "https://discord.com/api/webhooks/1/abc", "n"])
        #expect(result.failure == nil, "\(result.all)")
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("secrets/discord-webhook"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: scratch.path("secrets"))
        #expect(folder[.posixPermissions] as? Int == 0o700)
        #expect(result.stage.said.contains("secrets/discord-webhook, which only you can read."))
    }

    @Test func `nothing is written before everything is answered`() async throws {
        let whole = ["push", "s3cret-s3cret", "discord", "https://discord.com/api/webhooks/1/abc", "n"]
        for count in 0..<(whole.count - 1) {
            let result = try await write(Array(whole.prefix(count)))
            #expect(result.failure?.status == .wrongUsage, "\(count): \(result.all)")
            #expect(result.failure?.sentence.contains("there is nobody to ask") == true)
            #expect(scratch.names == [], "after \(count) answers")
        }
    }

    @Test func `what is there is replaced only by whoever wants it`() async throws {
        try scratch.write("config.yaml", "mine\n")
        for answers in [["simulator", "console"], ["n"], []] {
            let result = try await write(answers)
            #expect(result.failure?.status == .no)
            #expect(try written() == "mine\n")
        }
        let named = try await write([]) { ($0.source, $0.channel) = ("simulator", "console") }
        #expect(
            named.failure
                == Failure(
                    .no,
                    "\(scratch.path("config.yaml")) already exists; use --force to replace it, or --config FILE to write another one"
                ))
        #expect(try await write(["y", "simulator", "console", "n"]).failure == nil)
        #expect(try problems() == [])
        try scratch.write("config.yaml", "mine\n")
        scratch.chmod("config.yaml", 0o664)
        let forced = try await write([]) { wish in
            (wish.source, wish.channel, wish.isForced) = ("simulator", "console", true)
        }
        #expect(forced.failure == nil, "\(forced.all)")
        #expect(try problems() == [])
        let rights = try FileManager.default.attributesOfItem(atPath: scratch.path("config.yaml"))
        #expect(rights[.posixPermissions] as? Int == 0o664, "whoever could read it still may")
    }

    @Test func `a secret that is there is not lost either`() async throws {
        try scratch.write("secrets/push-token", "old\n")
        let answers = ["push", "s3cret-s3cret", "console", "n"]
        #expect(try await write(answers).failure?.status == .no)
        #expect(scratch.names == ["secrets", "secrets/push-token"])
        #expect(try await write(answers + ["y"]).failure == nil)
        #expect(try String(contentsOfFile: scratch.path("secrets/push-token"), encoding: .utf8) == "s3cret-s3cret\n")
    }

    @Test
    func `where the config cannot be written nobody is asked first, and where a secret cannot be nothing is written`()
        async throws
    {
        try scratch.makeFolder("config.yaml/x")
        let path = scratch.path("config.yaml")
        let folder = try await write(["y", "push"])
        #expect(
            folder.failure == Failure(.impossible, "\(path) cannot be written: it is a folder; nothing was written"))
        #expect(folder.dialogue.left == ["y", "push"])
        let absent = try await write(["push"]) { $0 = InitWish(path: path + "/none/config.yaml") }
        #expect(
            absent.failure?.sentence
                == "\(path)/none/config.yaml cannot be written: there is no folder \(path)/none; nothing was written")
        try scratch.makeFolder("secrets/push-token")
        let secret = try await write(["push", "s3cret-s3cret", "console", "n", "y"]) {
            $0 = InitWish(path: scratch.path("other.yaml"))
        }
        #expect(secret.failure?.sentence.hasSuffix("it is a folder; nothing was written") == true, "\(secret.all)")
        #expect(scratch.names == ["config.yaml", "config.yaml/x", "secrets", "secrets/push-token"])
    }

    @Test func `a link that leads nowhere is somebody's, and what comes meanwhile is not replaced`() async throws {
        symlink("/nowhere/config.yaml", scratch.path("config.yaml"))
        #expect(try await write(["n"]).failure?.status == .no)
        #expect(WholeFile.target(ofLink: scratch.path("config.yaml")) == "/nowhere/config.yaml")
        unlink(scratch.path("config.yaml"))
        let folder = scratch
        let fake = try #require(SourceFake.polled.first { $0.plugin == "bugsnag" })
        let respond = try fake.responder()
        let late = try await write(["bugsnag", "right-right", "console", "n"], at: fake.now) { _ in
        } web: { request throws(TransportError) in
            try? folder.write("config.yaml", "mine\n")
            return respond(request)
        }
        #expect(
            late.failure?.sentence.contains("somebody else has created it in the meantime; nothing was") == true,
            "\(late.all)")
        #expect(try written() == "mine\n")
        #expect(scratch.names == ["config.yaml"])
    }

    // MARK: - Wrong answers

    @Test func `a token that the service refuses is asked for again, with where to get one`() async throws {
        let fake = try #require(SourceFake.polled.first { $0.plugin == "bugsnag" })
        let respond = try fake.responder()
        let result = try await write(
            ["bugsnag", "wrong-wrong", "again", "right-right", "console", "n"], at: fake.now
        ) { _ in
        } web: { request throws(TransportError) in
            let isRight = request.headers.contains { $0.value.reveal().contains("right-right") }
            return isRight ? respond(request) : HTTPResponse(status: 401, body: Array(#"{"errors":["no"]}"#.utf8))
        }
        #expect(result.failure == nil, "\(result.all)")
        #expect(result.stage.complained.contains("401"))
        #expect(result.stage.complained.contains("Personal auth tokens, generate a token."))
        #expect(try problems() == [])
        let token = try String(contentsOfFile: scratch.path("secrets/bugsnag-token"), encoding: .utf8)
        #expect(token == "right-right\n")
    }

    @Test func `what the command line sets holds in every round, and is asked about where there is a question`()
        async throws
    {
        let fake = try #require(SourceFake.polled.first { $0.plugin == "sentry" })
        let respond = try fake.responder()
        let hosts = Mutex<Set<String>>([])
        let result = try await write(
            ["sentry", "", "wrong-wrong", "again", "", "right-right", "keep", "console", "n"], at: fake.now
        ) { wish in
            wish.settings = ["source.url=https://sentry.shop.example", "source.organization=shop"]
        } web: { request throws(TransportError) in
            hosts.withLock { _ = $0.insert(WebAddress(request.url.reveal())?.host ?? "") }
            let isRight = request.headers.contains { $0.value.reveal().contains("right-right") }
            return isRight ? respond(request) : HTTPResponse(status: 401, body: Array(#"{"detail":"no"}"#.utf8))
        }
        #expect(hosts.withLock { $0 } == ["sentry.shop.example"], "\(result.all)")
        #expect(try written().contains("\n    url: https://sentry.shop.example\n"))
        #expect(try written().contains("\n    organization: shop\n"))
    }

    @Test(arguments: [("stop", Failure?.some(Failure(.impossible, "stopped; nothing was written"))), ("keep", nil)])
    func `a source that cannot be reached can be kept all the same`(_ word: String, _ failure: Failure?) async throws {
        let result = try await write(["rollbar", "wallet", "${env:T}", word, "console", "n"])
        #expect(result.failure == failure, "\(result.all)")
        #expect(result.stage.complained.contains("nobody answers"))
        #expect(FileManager.default.fileExists(atPath: scratch.path("config.yaml")) == (failure == nil))
        #expect(!result.stage.said.contains("What would be sent now"))
    }

    @Test func `an answer that makes no sense is asked for again`() async throws {
        let result = try await write([
            "sentri", "99", "prometheus", "nowhere", "http://localhost:9090", "sessions", "",
            "sessions: a", "sessions: b", "", "sessions: sum(a)", "", "keep", "consle", "console", "n",
        ])
        #expect(result.failure == nil, "\(result.all)")
        let lines = result.stage.complained.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(5) == [
                "there is no source 'sentri'; did you mean sentry?", "there is no source '99'",
                "  'url' is 'nowhere', expected an address such as https://example.com",
                "  'metrics' has 'sessions', expected 'name: value', or several as '{name: value, name: value}' or on lines "
                    + "of their own", "  'metrics' has 'sessions' twice",
            ], "\(lines)")
        #expect(lines.contains("there is no channel 'consle'; did you mean console?"))
        #expect(try problems() == [])
    }

    @Test func `options that do not suit each other are asked for again, and Enter keeps an answer`() async throws {
        let result = try await write([
            "simulator", "teams", "https://acme.webhook.office.com/webhookb2/abc", "again",
            "https://prod-12.westeurope.logic.azure.com:443/workflows/a/triggers/b?sig=c", "n",
        ])
        #expect(result.failure == nil, "\(result.all)")
        #expect(try problems() == [])
        let kept = try await write([
            "y", "simulator", "email", "smtp.example.com", "", "nobody", "b@example.com", "again", "", "",
            "a@example.com",
            "", "n",
        ])
        #expect(kept.failure == nil, "\(kept.all)")
        #expect(try written().contains("\n    server: smtp.example.com\n"))
        #expect(try problems() == [])
    }

    // MARK: - Without questions

    @Test func `with everything on the command line nobody is asked`() async throws {
        let fake = try #require(SourceFake.polled.first { $0.plugin == "prometheus" })
        let respond = try fake.responder()
        let result = try await write([], at: fake.now) { wish in
            (wish.source, wish.channel) = ("prometheus", "slack")
            wish.settings = [
                "source.url=http://localhost:9090", "metrics.sessions=sessions", "source.metrics.crash_events=crashes",
                "app=a", "webhook=${env:T}",
            ]
            wish.isUntried = false
            wish.format = .json
        } web: { request throws(TransportError) in
            respond(request)
        }
        // The webhook is no address of Slack's.
        #expect(result.failure == Failure(.wrongUsage, "nothing was written"))
        #expect(result.stage.complained.contains("'webhook'"), "\(result.all)")
        let untried = try await write([]) { wish in
            (wish.source, wish.channel, wish.isUntried) = ("prometheus", "slack", true)
            wish.settings = ["source.url=http://localhost:9090", "metrics.sessions=s", "app=a", "webhook=${env:UNSET}"]
            wish.format = .json
        }
        #expect(untried.failure == nil, "\(untried.all)")
        let said = try JSON(parsing: untried.stage.said)
        #expect(said["config"]?.string == scratch.path("config.yaml"))
        #expect(said["secrets"] == [])
        #expect(said["source"] == "prometheus")
    }

    @Test(arguments: [
        (["nonsense"], "--set is 'nonsense', expected KEY=VALUE such as source.organization=shop"),
        (
            ["organisation=shop"],
            "neither sentry nor slack has an option 'organisation'; known: channel, chart, environments, group_by, insecure, issues"
        ),
        (["source.channel=x"], "sentry has no option 'channel'"),
        (["token=${env:T}"], "both sentry and slack have 'token'; write source.token or channel.token"),
        (["source.token=plain"], "'token' is a secret, and everybody on this machine can read a command line"),
        (["source.token.x=${env:T}"], "'token.x' takes no entries"),
        (["issues=perhaps"], "'issues' is 'perhaps', expected true or false"),
        (["organization=shop"], "there is nobody to ask what 'token' of sentry is"),
        (["organization=shop", "source.organization=game"], "'organization' is set twice; keep one"),
    ])
    func `what the command line says wrong is said, and nothing is written`(
        _ settings: [String], _ sentence: String
    ) async throws {
        let result = try await write([]) { wish in
            (wish.source, wish.channel, wish.settings) = ("sentry", "slack", settings)
        }
        #expect(result.failure?.status == .wrongUsage)
        #expect(result.failure?.sentence.hasPrefix(sentence) == true, "\(result.failure?.sentence ?? "none")")
        #expect(scratch.names == [])
    }

    @Test func `a list that the command line sets twice has all that is said, and nothing else is set twice`()
        async throws
    {
        let listed = try await write([]) { wish in
            (wish.source, wish.channel, wish.isUntried) = ("sentry", "console", true)
            wish.settings = ["organization=shop", "token=${env:T}", "projects=ios", "source.projects=android, ios"]
        }
        #expect(listed.failure == nil, "\(listed.all)")
        #expect(try written().contains("\n    projects: [ios, android]\n"))
        let mapped = try await write([]) { wish in
            (wish.source, wish.channel, wish.isUntried, wish.isForced) = ("prometheus", "console", true, true)
            wish.settings = ["url=http://localhost:9090", "metrics.sessions=a", "metrics.sessions=b"]
        }
        #expect(mapped.failure == Failure(.wrongUsage, "'metrics.sessions' is set twice; keep one"))
    }

    private static let metrics = PluginCatalog.builtin.sources.first { $0.manifest.name == "prometheus" }?.manifest
        .options.first { $0.name == "metrics" }

    @Test(arguments: [
        "{app: $.name, users: $.users.total}", "app: $.name, users: $.users.total", "app: $.name\nusers: $.users.total",
        "app=$.name,users=$.users.total,", #"{"app": "$.name", users: '$.users.total'}"#,
        "{app: $.name,\n users: $.users.total}",
    ])
    func `a map has commas or line breaks between its entries, and may have a config's braces`(_ text: String) throws {
        let option = try #require(Self.metrics)
        let entries = [("app", "$.name"), ("users", "$.users.total")].map { DraftValue.DraftEntry(name: $0, value: $1) }
        #expect(try Answer.value(of: text, option) == .map(entries))
    }

    @Test(arguments: [
        #"sum by (app, env) (x{a="b", c="d"})"#, "$.a[?(@.b == 'c', d: 1)]", "no-cache, max-age=0",
        "text/html, application/json", "a, https://example.com/b", #""a, b: c""#,
    ])
    func `a comma in a value begins no entry`(_ value: String) throws {
        let option = try #require(Self.metrics)
        let answered = try Answer.value(of: "one: \(value), two: $.b", option)
        let entries = [("one", value), ("two", "$.b")].map { DraftValue.DraftEntry(name: $0, value: $1) }
        #expect(answered == .map(entries))
    }

    @Test(arguments: ["sessions", "sessions: ", "{}"])
    func `what is no map says how one is typed`(_ text: String) throws {
        let option = try #require(Self.metrics)
        let flaw = #expect(throws: AnswerFlaw.self) { try Answer.value(of: text, option) }
        let form = "expected 'name: value', or several as '{name: value, name: value}' or on lines of their own"
        #expect(flaw?.sentence.hasSuffix(form) == true, "\(flaw?.sentence ?? "none")")
    }

    /// A pipe is asked what somebody at a terminal is, with the plugins on the command line and without; but nobody is where
    /// that says all that must be there.
    @Test(arguments: [true, false])
    func `whoever must answer is asked all that belongs to it`(isNamed: Bool) async throws {
        let map = [
            "https://stats.example.com/rows", "$.rows[*]", "app: $.name, users: $.users", "crashed_users: $.crashed",
            "",
        ]
        let hook = ["https://hooks.slack.com/services/T0/B0/x"]
        let answers = isNamed ? map + hook : ["http_json"] + map + ["slack"] + hook
        let result = try await write(answers) { wish in
            if isNamed { (wish.source, wish.channel) = ("http_json", "slack") }
            wish.isUntried = true
        }
        #expect(result.failure == nil, "\(result.all)")
        #expect(result.dialogue.left == [])
        #expect(try problems() == [])
        #expect(try written().contains("\n      crashed_users: $.crashed\n"))
        let silent = try await write([]) { wish in
            (wish.source, wish.channel, wish.isUntried, wish.isForced) = ("http_json", "console", true, true)
            wish.settings = ["source.url=https://stats.example.com/rows", "source.map={app: $.name, users: $.users}"]
        }
        #expect(silent.failure == nil, "\(silent.all)")
        #expect(!silent.stage.said.contains("JSONPath of the rows"))
    }

    @Test func `a test message leaves only where somebody wants it`() async throws {
        let answers = ["simulator", "discord", "https://discord.com/api/webhooks/1/abc"]
        let silent = try await write(answers + ["n"])
        #expect(silent.stage.web.asked == [])
        let sent = try await write(["y"] + answers + ["y", "y"]) { _ in
        } web: { _ throws(TransportError) in
            HTTPResponse(status: 200, body: Array(#"{"id":"1"}"#.utf8))
        }
        #expect(sent.failure == nil, "\(sent.all)")
        #expect(sent.stage.web.asked.count == 1)
        #expect(sent.stage.said.contains("delivered to discord"))
        let refused = try await write(["y"] + answers + ["y", "stop"]) { _ in
        } web: { _ throws(TransportError) in
            HTTPResponse(status: 404, body: Array(#"{"code":10015}"#.utf8))
        }
        #expect(refused.failure == Failure(.impossible, "stopped; nothing was written"), "\(refused.all)")
        #expect(refused.stage.complained.contains("not delivered to discord"))
        #expect(refused.stage.complained.contains("Webhooks, make one, and copy its URL."))
    }
}
