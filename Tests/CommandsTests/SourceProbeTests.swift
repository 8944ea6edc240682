internal import AlertCore
internal import BotConfig
internal import BotHarness
internal import BuiltinPlugins
internal import Commands
internal import MachineTesting
internal import PluginKit
internal import PluginTesting
internal import SourceFakes
internal import SystemPorts
internal import Testing

@Suite struct SourceProbeTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Probes one source; the failure is nil where the command ends well.
    private func probe(
        _ source: String, called name: String = "shop", as format: TextOrJSON = .text, isRaw: Bool = false,
        _ answer: @escaping StagedWeb.Answer
    ) async throws -> (stage: StagedMachine, failure: Failure?) {
        let stage = StagedMachine(
            variables: [
                "TOKEN": "s3cr3t-token", "QUOTED": "s3c\"r3t\\token/", "PIN": "739154",
                "KEY": SampleServiceAccount.keyFile,
            ], answer: answer)
        let config = try scratch.shop(
            stage.machine, replacing: "figures: {plugin: file, path: \(scratch.path("figures.jsonl"))}", with: source
        ).config()
        do {
            try await SourceProbe(of: name, config, "config.yaml", format, isRaw: isRaw, on: stage.machine).run()
            return (stage, nil)
        } catch {
            return (stage, error)
        }
    }

    private static let figures =
        #"shop: {plugin: http_json, url: "https://s.example/x", headers: {X: "${env:TOKEN}"}, "#
        + #"each: "$.apps[*]", map: {app: $.name, users: $.users, crashed_users: $.crashed, release: "$.release | missing no_data"}}"#

    private static func says(_ body: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    }

    @Test func `what was understood is said in words`() async throws {
        let (stage, failure) = try await probe(Self.figures) { _ throws(TransportError) in
            Self.says(
                #"{"apps": [{"name": "shop-ios", "users": 10000, "crashed": 31}, "#
                    + #"{"name": "shop-ios", "release": "5.2\u001b[31m", "users": 1, "crashed": 0}]}"#)
        }
        #expect(failure == nil)
        let lines = stage.said.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("source shop (http_json): 1 request in ") == true, "\(stage.said)")
        #expect(lines.first?.hasSuffix("; rules need spans of 1 h") == true)
        #expect(
            lines.dropFirst() == [
                "shop-ios",
                "  all releases, Fri 20 Nov 12:55 to 13:00 CET (5 min): 10,000 users, 31 crashed users, crash-free users 99.69%",
                "  5.2[31m, Fri 20 Nov 12:55 to 13:00 CET (5 min): 1 user, 0 crashed users, crash-free users 100.00%",
                "Rules can judge: crash_free_users, crashed_users, users",
            ])
    }

    @Test func `what is too large to be believed is said to be left out, and no rule can judge it`() async throws {
        let answer: StagedWeb.Answer = { _ throws(TransportError) in
            Self.says(#"{"apps": [{"name": "shop-ios", "users": 10000000000000, "crashed": 31}]}"#)
        }
        let said = try await probe(Self.figures, answer).stage.said
        #expect(said.contains("\nRules can judge: nothing"), "\(said)")
        let flaw =
            "an implausible observation is left out: 'users' is 10000000000000.0, expected at most 1000000000000.0"
        #expect(said.contains("warning: \(flaw)"), "\(said)")
        let beside = try await probe(Self.figures, as: .json, answer).stage.complained
        #expect(beside.contains("warning: \(flaw)"), "\(beside)")
    }

    @Test func `figures of long ago are said to be history, and no rule can judge them`() async throws {
        let dated = Self.figures.replacing("users: $.users,", with: "users: $.users, from: $.from, to: $.to,")
        let answer: StagedWeb.Answer = { _ throws(TransportError) in
            Self.says(
                #"{"apps": [{"name": "shop-ios", "users": 5000, "crashed": 300, "#
                    + #""from": "2025-10-24T01:05:25Z", "to": "2025-10-25T01:05:25Z"}]}"#)
        }
        let said = try await probe(dated, answer).stage.said
        #expect(said.contains("\nRules can judge: nothing"), "\(said)")
        #expect(
            said.contains("warning: figures of shop-ios ended more than 92 d before"),
            "\(said)")
    }

    @Test func `an answer is shown without the secrets in it`() async throws {
        let google =
            "play: {plugin: google_play, key: \"${env:KEY}\", apps: [com.acme.wallet], issues: false, events: false}"
        let answer: StagedWeb.Answer = { request throws(TransportError) in
            if request.url.reveal().hasSuffix("/token") {
                return Self.says(#"{"access_token": "ya29.c.TOKEN", "expires_in": 3599, "token_type": "Bearer"}"#)
            }
            return Self.says(
                #"{"name": "x", "nextPageToken": "p7", "api_key": "a1b2", "echo": "Bearer ya29.c.TOKEN", "n": [1]}"#)
        }
        let (stage, failure) = try await probe(google, called: "play", isRaw: true, answer)
        #expect(failure == nil)
        #expect(stage.said.contains("# POST https://oauth2.googleapis.com/token"))
        #expect(stage.said.contains(#""access_token": "***""#))
        #expect(stage.said.contains(#""api_key": "***""#))
        #expect(stage.said.contains(#""echo": "Bearer ***""#))
        #expect(stage.said.contains(#""nextPageToken": "p7""#))
        #expect(stage.said.contains("It answered, and nothing happened in the span."))
        let json = try await probe(google, called: "play", as: .json, isRaw: true, answer).stage
        for text in [stage.said, json.said, json.complained] {
            #expect(!text.contains("ya29"))
            #expect(!text.contains("a1b2"))
            #expect(!text.contains("PRIVATE KEY"))
        }
        #expect(json.said.contains(#""outcome":"no_data","seen":"2026-11-20T12:00:00Z"}"#), "\(json.said)")
        #expect(json.complained.contains("# POST https://oauth2.googleapis.com/token"))
        #expect(json.complained.contains(#""echo": "Bearer ***""#))
    }

    @Test(arguments: TextOrJSON.allCases) func `a secret that JSON has to escape is not shown`(format: TextOrJSON)
        async throws
    {
        let source = Self.figures.replacing(#"X: "${env:TOKEN}""#, with: #"X: "${env:QUOTED}", Y: "${env:PIN}""#)
        let (stage, _) = try await probe(source, as: format, isRaw: true) { _ throws(TransportError) in
            Self.says(
                #"{"apps": [], "echo": "s3c\"r3t\\token\/", "s3c\u0022r3t\\token/": 1, "pin": 739154, "password": "hunter2"}"#
            )
        }
        let told = stage.said + stage.complained
        #expect(!told.contains("r3t") && !told.contains("739154"), "\(told)")
        #expect(!told.contains("hunter2") && told.contains("***"))
    }

    @Test(arguments: [false, true])
    func `a token in the config does not come back in what the source answers`(isRaw: Bool) async throws {
        let source = Self.figures.replacing(#"X: "${env:TOKEN}""#, with: "Authorization: Bearer s3cr3t")
        let (stage, failure) = try await probe(source, isRaw: isRaw) { request throws(TransportError) in
            let headers = request.headers.map { $0.value.reveal() }
            return HTTPResponse(status: 404, body: Array("you sent \(headers)".utf8))
        }
        let told = stage.said + (failure?.sentence ?? "")
        #expect(told.contains(#"["Bearer ***", "application/json"]"#) && !told.contains("s3cr3t"), "\(told)")
    }

    @Test func `what was signed for a token is not shown either, where the token server repeats it`() async throws {
        let google = #"play: {plugin: google_play, key: "${env:KEY}", apps: [com.acme.wallet]}"#
        for format in TextOrJSON.allCases {
            let (stage, failure) = try await probe(google, called: "play", as: format, isRaw: true) {
                request throws(TransportError) in
                Self.says("no: \(String(decoding: request.wireBody()?.bytes ?? [], as: UTF8.self))", status: 403)
            }
            #expect(failure?.status == .impossible)
            let told = stage.said + stage.complained
            #expect(told.contains("assertion=***"), "\(told)")
            #expect(!told.contains("eyJ"))
        }
    }

    @Test func `how long a service wants to be left alone is said of a poll that failed, too`() async throws {
        let busy: StagedWeb.Answer = { _ throws(TransportError) in
            HTTPResponse(status: 429, headers: [("Retry-After", "90")])
        }
        let said = try await probe(Self.figures, busy).stage.said
        #expect(said.contains("It is not polled again before Fri 20 Nov 13:01 CET."), "\(said)")
        let json = try await probe(Self.figures, as: .json, busy).stage
        #expect(try JSON(parsing: json.said)["failed"] == "rate_limited")
        #expect(json.complained.contains("It is not polled again before Fri 20 Nov 13:01 CET."), "\(json.complained)")
    }

    @Test func `a program gets observations, a line each, and everything else is said beside them`() async throws {
        let (stage, failure) = try await probe(Self.figures, as: .json) { _ throws(TransportError) in
            Self.says(
                #"{"apps": [{"name": "shop-ios", "users": 10000, "crashed": 500}, "#
                    + #"{"name": "shop-web", "users": 10000, "crashed": 1}]}"#)
        }
        #expect(failure == nil)
        let lines = try stage.said.split(separator: "\n").map { try ObservationLine(JSON(parsing: String($0))) }
        #expect(lines.map(\.source) == ["shop", "shop"])
        #expect(
            stage.said.hasPrefix(
                #"{"source":"shop","app":"shop-ios","from":"2026-11-20T11:55:00Z","to":"2026-11-20T12:00:00Z","#
                    + #""seen":"2026-11-20T12:00:00Z","complete":true,"metrics":{"#),
            "\(stage.said)")
        #expect(stage.complained.contains("source shop (http_json): 1 request in "), "\(stage.complained)")
        #expect(stage.complained.contains("\n# GET https://s.example/x\n# 200, "), "\(stage.complained)")
        #expect(!stage.complained.contains("crashed"), "the answer itself is shown with --raw alone")
        // A dry run reads them.
        try scratch.write("seen.jsonl", stage.said)
        let config = try scratch.shop(
            stage.machine, replacing: "figures: {plugin: file, path: \(scratch.path("figures.jsonl"))}",
            with: Self.figures
        ).config()
        let run = DryRun(config, from: State(), faults: nil, on: stage.machine)
        let (preview, isWhole) = try run.play(scratch.path("seen.jsonl"), until: nil)
        #expect(isWhole)
        #expect(decisions(preview) == ["2026-11-20T12:00:00Z ops opened send"])
    }

    @Test func `a poll that fails is a failure, and its answer can be looked at`() async throws {
        let refusing: StagedWeb.Answer = { _ throws(TransportError) in
            Self.says("<html>\u{1b}[2J\tno s3cr3t-token</html>\nbye", status: 403)
        }
        let (stage, failure) = try await probe(Self.figures, isRaw: true, refusing)
        #expect(failure?.status == .impossible)
        #expect(failure?.sentence.hasPrefix("source shop: the source answered 403") == true)
        #expect(
            stage.said.contains("# 403, 37 bytes, application/json\n<html>[2J no ***</html>\nbye\n"), "\(stage.said)")
        let json = try await probe(Self.figures, as: .json, refusing)
        #expect(json.failure == failure)
        let read = try JSON(parsing: json.stage.said)
        #expect(read["source"] == "shop")
        #expect(read["failed"] == "forbidden")
        #expect(read["seen"] == "2026-11-20T12:00:00Z")
        #expect(throws: Never.self) { try ObservationLine(read) }
        let silent = try await probe(Self.figures, isRaw: true, StagedWeb.nobody)
        #expect(silent.failure?.status == .impossible)
        #expect(silent.stage.said.contains("# GET https://s.example/x\n# "))
    }

    /// Probes a vendor in good health.
    private func probe(_ fake: SourceFake, as format: TextOrJSON, isRaw: Bool) async throws -> StagedMachine {
        let respond = try fake.responder()
        let stage = StagedMachine(at: fake.now, variables: ["T": SourceFake.secret]) { request throws(TransportError) in
            respond(request)
        }
        for file in try fake.files() { try scratch.write(file.name, file.text) }
        try scratch.write("config.yaml", fake.config("mobile"))
        let config = try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine).config()
        try await SourceProbe(of: "mobile", config, "config.yaml", format, isRaw: isRaw, on: stage.machine).run()
        return stage
    }

    @Test func `each vendor's answers are understood, and said in words`() async throws {
        var said = ""
        for fake in SourceFake.polled {
            said += "# \(fake)\n" + (try await probe(fake, as: .text, isRaw: false).said) + "\n"
        }
        #expect(try snapshotFlaw(of: said, named: "probes.txt") == nil)
    }

    @Test(arguments: SourceFake.polled) func `no vendor's answer brings a secret along`(_ fake: SourceFake) async throws
    {
        for format in TextOrJSON.allCases {
            let stage = try await probe(fake, as: format, isRaw: true)
            let said = stage.said + stage.complained
            for secret in [SourceFake.secret, "ya29.c.EXAMPLE", "PRIVATE KEY"] {
                #expect(!said.contains(secret), "\(said)")
            }
        }
    }

    @Test func `an issue that many polls name is one, as the newest has it`() async throws {
        let line = { (minute: Int, events: Int) in
            #"{"source":"shop","app":"shop","from":"2026-11-20T11:0\#(minute):00Z","to":"2026-11-20T11:0\#(minute + 1):00Z","#
                + #""seen":"2026-11-20T11:0\#(minute + 1):05Z","metrics":{"users":100},"#
                + #""issues":[{"id":"A","title":"Crash","events":\#(events)}]}"# + "\n"
        }
        try scratch.write("polls.jsonl", line(1, 4) + line(2, 9) + line(2, 9))
        let file = "shop: {plugin: file, path: \(scratch.path("polls.jsonl"))}"
        let (stage, failure) = try await probe(file) { _ throws(TransportError) in Self.says("") }
        #expect(failure == nil)
        #expect(stage.said.contains("\n  and 1 earlier span\n  1 issue:\n    Crash (9 events)\n"), "\(stage.said)")
    }

    @Test func `issues, warnings and what is missing are told`() async throws {
        let bugsnag = #"shop: {plugin: bugsnag, token: "${env:TOKEN}"}"#
        let (stage, failure) = try await probe(bugsnag) { request throws(TransportError) in
            let url = request.url.reveal()
            if url.contains("organizations?") { return Self.says(#"[{"id": "1", "slug": "acme"}]"#) }
            if url.contains("/projects?") { return Self.says(#"[{"id": "2", "slug": "wallet"}]"#) }
            if url.contains("/releases") { return Self.says("[]") }
            if url.contains("/errors") {
                let errors = (1...7).map {
                    #"{"id": "\#($0)", "error_class": "E\#($0)", "events": \#($0), "status": "open"}"#
                }
                return Self.says("[\(errors.joined(separator: ","))]")
            }
            let days = (17...19).map {
                #"{"bucket_start": "2026-11-\#($0)T00:00:00Z", "bucket_end": "2026-11-\#($0 + 1)T00:00:00Z", "#
                    + #""total_sessions_count": 100, "unhandled_sessions_count": 1}"#
            }
            return Self.says(
                #"{"release_stage_name": "production", "timeline_points": [\#(days.joined(separator: ","))]}"#)
        }
        #expect(failure == nil)
        #expect(
            stage.said.contains(
                "  all releases, production, Thu 19 Nov 01:00 to Fri 20 Nov 01:00 CET (1 d): 100 sessions"))
        #expect(stage.said.contains("  and 2 earlier spans\n  7 issues:\n    E1 (open, 1 event)\n"))
        #expect(stage.said.contains("\n    and 2 more\n"))
        #expect(
            stage.said.contains(
                "Rules can judge: crash_free_sessions, crashed_sessions, sessions, issues; not in these answers: crash_free_users, "
                    + "crashed_users, users"), "\(stage.said)")
    }

    @Test func `a source that is not there is named, with the nearest`() async throws {
        let failure = try await probe(Self.figures, called: "shp", StagedWeb.nobody).failure
        #expect(
            failure == Failure(.wrongUsage, "there is no source 'shp' in config.yaml; known: shop; did you mean shop?"))
    }
}
