import BotHarness
import Testing

/// A config that can alert nobody looks like one that has nothing to say: these commands tell them apart.
@Suite struct UnjudgedTests {
    /// A figure that is far below the limit, without a word of how many users it is of.
    private func bare(_ app: String = "shop-ios", seen: String = "2026-11-20T23:00:00Z") -> String {
        #"{"source":"figures","app":"\#(app)","from":"2026-11-20T22:00:00Z","to":"\#(seen)","seen":"\#(seen)","#
            + #""metrics":{"crash_free_users":0.9}}"# + "\n"
    }

    private let reason = "without the number of users; only 'confidence: off'"

    @Test(arguments: ["dry-run", "backtest", "check"])
    func `a rule that needs counts and gets rates says so`(command: String) async throws {
        let scratch = try Shop.scratch(figures: bare())
        let told = try await scratch.alertbot(command, "--observations", "figures.jsonl")
        #expect(told.status == 0, "\(told.errors)")
        #expect(told.output.contains("\nWhat the rules could judge\n  floor: could not judge anything:\n"))
        #expect(told.output.contains("\n    shop-ios from figures: the source gives crash-free users \(reason)"))

        let answer = try await scratch.alertbot(command, "--observations", "figures.jsonl", "--format", "json")
        let rule = try answer.json["rules"][0]
        #expect(rule[command == "check" ? "name" : "rule"].string == "floor")
        #expect(rule["judged"].number == 0)
        #expect(rule["firing"].number == 0)
        #expect(rule["unknown"].elements.count == 1)
        let unknown = rule["unknown"][0]
        #expect(unknown.names == ["app", "environment", "reason", "release", "source"])
        #expect(unknown["source"].string == "figures")
        #expect(unknown["app"].string == "shop-ios")
        #expect(unknown["reason"].string?.contains(reason) == true)
    }

    @Test func `a check warns of a rule that could judge nothing, with its place`() async throws {
        let scratch = try Shop.scratch(figures: bare())
        let check = try await scratch.alertbot("check", "--observations", "figures.jsonl")
        #expect(
            check.errors.hasPrefix(
                "config.yaml:9:3: warning: rule 'floor' could not judge anything: shop-ios from figures: the source gives"
            ),
            "\(check.errors)")
        #expect(check.errors.contains("\n      floor:\n      ^\n"))
        let problems = try await scratch.alertbot("check", "--observations", "figures.jsonl", "--format", "json")
            .json["problems"]
        #expect(problems.elements.map { $0["severity"].string } == ["warning"])
        let recorded = try Shop.scratch()
        try recorded.makeFolder("state/observations")
        try recorded.write("state/observations/2026-11-20-1.jsonl", bare())
        #expect(try await recorded.alertbot("check").errors == check.errors)
    }

    @Test func `without observations a check says nothing of what is judged`() async throws {
        let check = try await Shop.scratch().alertbot("check", "--format", "json")
        let rule = try check.json["rules"][0]
        #expect(rule.names == ["firing", "judged", "name", "slowest_detection", "unknown", "usual_detection"])
        #expect(rule["judged"] == .null && rule["firing"] == .null && rule["unknown"] == .null)
    }

    @Test func `what is judged and what is not is counted apart`() async throws {
        let lines = bare("old") + Shop.line("shop-ios", crashed: 500) + Shop.line("shop-web", crashed: 0)
        let scratch = try Shop.scratch(figures: lines)
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl")
        #expect(
            preview.output.contains(
                "\n  floor: judged 2, 1 firing; could not judge 1:\n    old from figures: the source gives"),
            "\(preview.output)")
    }

    @Test func `a poll that brings nothing leaves the rules without anything to judge, and says why`() async throws {
        let preview = try await Shop.scratch().alertbot("dry-run", "--format", "json")
        let rule = try preview.json["rules"][0]
        #expect(rule["judged"].number == 0)
        #expect(rule["unknown"][0]["app"] == .null)
        #expect(rule["unknown"][0]["reason"].string == "the source answered, but there was nothing in the span")
        let other = Shop.config.replacing("sources:\n", with: "sources:\n  absent: {plugin: file, path: ./no/file}\n")
        let scratch = try Shop.scratch(other, figures: Figures().line("shop-ios", crashed: 0, of: 10_000))
        let polled = try await scratch.alertbot("dry-run")
        #expect(polled.output.contains("floor: judged 1, none firing; could not judge 1:"), "\(polled.output)")
        #expect(polled.output.contains("\n    source absent: the last poll failed: "))
    }

    @Test func `a rule that compares releases says where there are none`() async throws {
        let config = Shop.config.replacing("rules:\n", with: "rules:\n  rollout: {plugin: release}\n")
        let preview = try await Shop.scratch(config, figures: Shop.line("shop-ios", crashed: 0)).alertbot(
            "dry-run", "--observations", "figures.jsonl")
        let words = "shop-ios from figures: there are no figures of any release"
        #expect(preview.output.contains(words), "\(preview.output)")
    }

    @Test(arguments: ["dry-run", "backtest", "check"])
    func `a rule that waits for apps to fall silent has judged those that have not`(command: String) async throws {
        let rule = "rules:\n  silent: {plugin: stale, after: 3h, match: {app: \"shop-*\"}}\n"
        let story =
            Shop.line("shop-ios", crashed: 0, seen: "2026-11-20T20:00:00Z")
            + Shop.line("shop-ios", crashed: 0, seen: "2026-11-20T23:00:00Z")
        let scratch = try Shop.scratch(Shop.config.replacing("rules:\n", with: rule), figures: story)
        let told = try await scratch.alertbot(command, "--observations", "figures.jsonl")
        #expect(told.status == 0, "\(told.errors)")
        #expect(told.output.contains("\n  silent: judged 1, none firing\n"), "\(told.output)")
        #expect(!told.errors.contains("could not judge"), "\(told.errors)")
    }

    @Test func `what a backtest could judge once counts as judged`() async throws {
        let story =
            Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T20:00:00Z")
            + Shop.line("shop-ios", crashed: 1, of: 3, seen: "2026-11-20T23:00:00Z")
        let scratch = try Shop.scratch(figures: story)
        let backtest = try await scratch.alertbot("backtest", "--observations", "figures.jsonl", "--format", "json")
        let rule = try backtest.json["rules"][0]
        #expect(rule["judged"].number == 1)
        #expect(rule["firing"].number == 1)
        #expect(rule["unknown"].elements.isEmpty)
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "json")
        #expect(try preview.json["rules"][0]["judged"].number == 0, "now there are too few users")
    }

    @Test(arguments: ["dry-run", "backtest", "check"])
    func `an incident that no route takes is counted`(command: String) async throws {
        let routes = "\nroutes:\n  - {match: {app: \"bank-*\"}, to: ops}\n"
        let story =
            Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T20:00:00Z")
            + Shop.line("shop-ios", crashed: 0, seen: "2026-11-20T22:00:00Z")
        let scratch = try Shop.scratch(
            Shop.config.replacing("name: shop-alerts", with: "name: shop-alerts\n  report_to: ops") + routes,
            figures: story)
        let told = try await scratch.alertbot(command, "--observations", "figures.jsonl")
        #expect(told.output.contains("1 incident that no route takes"), "\(told.output)")
        let json = try await scratch.alertbot(command, "--observations", "figures.jsonl", "--format", "json").json
        #expect((command == "check" ? json["history"] : json)["unrouted"].number == 1)
    }

    @Test func `that a source is configured to give rates without counts is reported before any poll`() async throws {
        let source = """
            figures:
                plugin: http_json
                url: http://stats.example.com/
                each: $[*]
                map: {app: $.app, crash_free_users: $.rate}
            """
        let config = Shop.config.replacing("figures: {plugin: file, path: ./figures.jsonl}", with: source)
        let check = try await Shop.scratch(config).alertbot("check")
        #expect(check.status == 0)
        #expect(
            check.errors.contains(
                ": warning: rule 'floor' can never judge anything: source 'figures' gives 'crash_free_users' without 'users'"
            ),
            "\(check.errors)")
        let counted = config.replacing("$.rate}", with: "$.rate, users: $.users}")
        #expect(try await Shop.scratch(counted).alertbot("check").errors == "")
        let bare = config.replacing("window: 1h", with: "window: 1h\n    confidence: off\n    min_volume: 0")
        #expect(try await Shop.scratch(bare).alertbot("check").errors == "")
    }

    @Test(arguments: [
        (", window: 1d", "", "", true), (", window: 1d", "", "\n    span: 1d", false), ("", "", "", false),
        (", window: 1d", ", from: $.from, to: $.to", "", false),
    ])
    func `a window that averages nothing is warned of`(
        window: String, spans: String, span: String, isTold: Bool
    ) async throws {
        let config = """
            version: 1
            sources:
              figures:
                plugin: http_json
                url: http://stats.example.com/
                each: $[*]\(span)
                map: {app: $.app, latency: $.ms\(spans)}
            rules:
              slow: {plugin: threshold, metric: latency, warning: "> 900"\(window)}
            channels:
              ops: {plugin: console}
            """
        let check = try await Shop.scratch(config).alertbot("check")
        #expect(check.status == 0, "\(check.errors)")
        let told =
            "'window' does not average 'latency': source 'figures' measures shorter spans, and the newest is judged"
        #expect(check.errors.contains(told) == isTold, "\(check.errors)")
    }

    @Test func `a drop needs counts and can be a warning or critical, and check knows`() async throws {
        func check(_ map: String, _ routes: String = "") async throws -> String {
            let config = """
                version: 1
                sources:
                  figures: {plugin: http_json, url: "http://stats.example.com/", each: "$[*]", map: {app: $.app, \(map)}}
                rules:
                  fall: {plugin: drop}
                channels:
                  ops: {plugin: webhook, url: "https://hooks.example.com/bot"}
                \(routes)
                """
            let check = try await Shop.scratch(config).alertbot("check")
            #expect(check.status == 0, "\(check.errors)")
            return check.errors
        }
        #expect(
            try await check("crash_free_users: $.rate").contains(
                "rule 'fall' can never judge anything: source 'figures' gives 'crash_free_users' without 'users', the "
                    + "number that it is a share of; have the source give 'users', too\n"))
        #expect(try await check("crash_free_users: $.rate, users: $.users") == "")
        func routes(_ severities: String) -> String {
            "routes:\n  - {match: {app: alertbot}, to: ops}\n  - {match: {severity: \(severities)}, to: ops}"
        }
        let counted = "users: $.users, crashed_users: $.crashed"
        #expect(
            try await check(counted, routes("info")).contains(
                "rule 'fall' can never notify anybody: no route takes its incidents (severity warning or critical)"))
        #expect(try await check(counted, routes("critical")) == "")
        #expect(try await check(counted, routes("[warning, critical]")) == "")
        #expect(
            try await check(counted, routes("warning")).contains(
                "rule 'fall': no route takes its critical incidents; add a route that does"))
    }

    // MARK: reviews

    @Test func `a config can be checked where its secrets are not`() async throws {
        let channel = "ops: {plugin: slack, webhook: \"${env:SLACK_WEBHOOK}\"}"
        let config = Shop.config.replacing(
            "ops: {plugin: webhook, url: \"https://hooks.example.com/bot\"}", with: channel)
        let scratch = try Shop.scratch(config, figures: Shop.line("shop-ios", crashed: 500))
        #expect(try await scratch.alertbot("check").status == 1)
        let check = try await scratch.alertbot("check", "--without-secrets", "--observations", "figures.jsonl")
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.errors == "")
        #expect(check.output.contains("config.yaml: 1 source, 1 rule, 1 channel\n"))
        #expect(check.output.contains("floor: judged 1, 1 firing"))
        let told = try await scratch.alertbot(
            "check", "--without-secrets", "--format", "json", environment: ["SLACK_WEBHOOK": "s3cr3t-hook"])
        #expect(try told.json.names == ["gates", "history", "oncall", "problems", "rules"])
        #expect(!told.output.contains("s3cr3t") && !told.errors.contains("s3cr3t"))
    }

    @Test func `an address that is a secret is no part of a config, and the warning does not repeat it`() async throws {
        let channel = "ops: {plugin: slack, webhook: \"https://hooks.slack.com/services/T0/B0/s3cr3t\"}"
        let config = Shop.config.replacing(
            "ops: {plugin: webhook, url: \"https://hooks.example.com/bot\"}", with: channel)
        let scratch = try Shop.scratch(config)
        for arguments in [["check"], ["check", "--without-secrets"], ["check", "--format", "json"]] {
            let check = try await run(BotBinary.path, arguments, folder: scratch.folder)
            #expect(check.status == 0)
            #expect((check.errors + check.output).contains("the secret in 'webhook' is written in the file itself"))
            #expect(!(check.errors + check.output).contains("s3cr3t"), "\(check.errors)")
        }
        #expect(try await scratch.alertbot("dry-run").errors.contains("warning") == false, "warnings are for check")
    }
}
