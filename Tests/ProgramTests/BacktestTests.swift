import BotHarness
import Testing

@Suite struct BacktestTests {
    /// A day: well, bad at nine in the evening by Madrid's clock, well again at midnight, a short relapse.
    private let story = [
        Shop.line("shop-ios", crashed: 10, seen: "2026-11-20T19:00:00Z"),
        Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T20:00:00Z"),
        Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T21:00:00Z"),
        Shop.line("shop-ios", crashed: 0, seen: "2026-11-20T23:00:00Z"),
    ]

    @Test func `a backtest shows the time line and how noisy each rule was`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        let backtest = try await scratch.alertbot("backtest", "--observations", "figures.jsonl")
        #expect(backtest.status == 0)
        #expect(backtest.errors == "")
        #expect(
            backtest.output == """
                Messages  (Fri 2026-11-20 20:00 – Sat 2026-11-21 00:00, Europe/Madrid)

                  Fri 2026-11-20
                    21:00  ops: opened: 🔴 shop-ios: crash-free users 95.00% (alert below 99%) (first)
                  Sat 2026-11-21
                    00:00  ops: resolved: ✅ shop-ios: crash-free users 100.00%, back above 99.5%, after 3 h (resolved)

                Rules

                  rule   messages  at night  held or dropped  incidents  over within 10 min  longest silence
                  floor         2   1 (50%)           0 (0%)          1              0 (0%)              3 h

                What the rules could judge
                  floor: judged 1, 1 firing

                2 sent, 0 held, 0 dropped. This was a preview: nothing was sent.

                """)
    }

    @Test func `the JSON is that of a preview with figures`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        let backtest = try await scratch.alertbot("backtest", "--observations", "figures.jsonl", "--format", "json")
        let json = try backtest.json
        #expect(json.names == ["figures", "incidents", "notifications", "now", "rules", "summary", "unrouted"])
        #expect(json["figures"]["rules"][0]["messages"].number == 2)
        #expect(json["figures"]["rules"][0]["longest_silence"].string == "3h")
        #expect(
            try backtest.notifications == [
                "2026-11-20T20:00:00Z shop-ios opened ops send first",
                "2026-11-20T23:00:00Z shop-ios resolved ops send resolved",
            ])
    }

    @Test func `a page has a drawing for each app, and two beside each other where configs differ`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        try scratch.write("later.yaml", Shop.config.replacing("window: 1h", with: "window: 1h\n    for: 1h"))
        let page = try await scratch.alertbot("backtest", "--observations", "figures.jsonl", "--format", "html")
        #expect(page.status == 0 && page.errors == "")
        #expect(page.output.hasPrefix("<!doctype html>\n") && page.output.hasSuffix("</html>\n"))
        // The span as a whole, and the one incident from near.
        #expect(page.output.matches(of: /<svg\s/).count == 2)
        #expect(page.output.contains("<desc id=\"d0\">"))
        let pair = try await scratch.alertbot(
            "backtest", "--observations", "figures.jsonl", "--format", "html", "--against", "later.yaml",
            "--fail-on-difference")
        #expect(pair.status == 1)
        #expect(pair.output.contains("<div class=\"pair\">"))
        #expect(pair.output.matches(of: /<svg\s/).count == 2)
        #expect(pair.output.contains("<figcaption>later.yaml</figcaption>"))
    }

    @Test func `it begins with a fresh state and leaves nothing behind`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        let before = scratch.contents
        _ = try await scratch.alertbot("backtest", "--observations", "figures.jsonl")
        #expect(scratch.contents == before)
    }

    @Test func `configs of unlike sources are compared up to one end`() async throws {
        let figures =
            Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T10:00:00Z")
            + Shop.line("site", crashed: 0, seen: "2026-11-20T20:00:00Z").replacing("figures", with: "web")
        let web = "  web: {plugin: file, path: ./web.jsonl}\nrules:\n"
        let scratch = try Shop.scratch(figures: figures)
        try scratch.write("more.yaml", Shop.config.replacing("rules:\n", with: web))
        for (one, other) in [("config.yaml", "more.yaml"), ("more.yaml", "config.yaml")] {
            let pair = try await scratch.alertbot(
                "backtest", "--config", one, "--against", other, "--observations", "figures.jsonl",
                "--fail-on-difference")
            #expect(pair.status == 0, "\(pair.output)\(pair.errors)")
            #expect(
                pair.errors.contains("warning: skipped 1 line of source 'web', which config.yaml does not name\n"),
                "\(pair.errors)")
        }
    }

    @Test func `figures that are left out are named once on standard error, and the answer is as ever`() async throws {
        let melted = Shop.line("shop-ios", crashed: 100, of: 400, seen: "2026-11-20T20:00:00Z")
            .replacing("\"seen\":\"2026-11-20T20:00:00Z\"", with: "\"seen\":\"2026-11-20T20:05:00Z\"")
        let figures =
            Shop.line("shop-ios", crashed: 1, of: 1000, seen: "2026-11-20T20:00:00Z") + melted
            + Shop.line("web", crashed: 1, of: 10_000_000_000_000, seen: "2026-11-20T21:00:00Z")
        let scratch = try Shop.scratch(figures: figures)
        let backtest = try await scratch.alertbot(
            "backtest", "--observations", "figures.jsonl", "--against", "config.yaml", "--format", "json")
        #expect(backtest.status == 0)
        #expect(try backtest.notifications == [])
        let warnings = backtest.errors.split(separator: "\n")
        #expect(warnings.count == 2, "\(backtest.errors)")
        #expect(
            warnings.first?.hasPrefix("alertbot: warning: source figures: shop-ios had 1,000 users from ") == true
                && warnings.first?.hasSuffix(", and has 400 now; the earlier figures are kept") == true)
        #expect(
            warnings.last?.hasPrefix("alertbot: warning: source figures: an implausible observation was left out: ")
                == true)
    }

    @Test func `delays are measured by what really happened`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        try scratch.write(
            "true.jsonl", #"{"app":"shop-ios","from":"2026-11-20T19:40:00Z","to":"2026-11-20T22:00:00Z"}"# + "\n")
        let backtest = try await scratch.alertbot(
            "backtest", "--observations", "figures.jsonl", "--incidents", "true.jsonl")
        #expect(
            backtest.output.contains(
                "floor found 1 of 1 incident, after 20 min; 0 false alarms"))
        #expect(backtest.output.contains("  shop-ios from Fri 2026-11-20 20:40: after 20 min"))
    }

    @Test func `another config is compared message by message`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        try scratch.write("other.yaml", Shop.config.replacing("\"< 99%\"", with: "\"< 90%\""))
        let arguments = ["backtest", "--observations", "figures.jsonl", "--against", "other.yaml"]
        let compared = try await run(BotBinary.path, arguments, folder: scratch.folder)
        #expect(compared.status == 0)
        #expect(
            compared.output.contains(
                "    21:00  ! ops: opened: 🟠 shop-ios: crash-free users 95.00% (alert below 99.5%) (first) critical → warning"
            ))
        #expect(compared.output.contains("0 new, 0 gone, 0 moved, 2 with another severity, 0 the same."))
        let strict = try await run(BotBinary.path, arguments + ["--fail-on-difference"], folder: scratch.folder)
        #expect(strict.status == 1)
        let json = try await run(BotBinary.path, arguments + ["--format", "json"], folder: scratch.folder)
        #expect(try json.json["difference"]["summary"]["severity"].number == 2)
        #expect(try json.json["difference"]["changes"][0]["after"]["severity"].string == "warning")
    }

    @Test func `a config does not differ from itself`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        let compared = try await scratch.alertbot(
            "backtest", "--observations", "figures.jsonl", "--against", "config.yaml", "--fail-on-difference")
        #expect(compared.status == 0)
        #expect(compared.output.contains("None: both send the same 2 messages."))
    }

    @Test func `a config to compare with that is wrong is reported like any other`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        try scratch.write("other.yaml", Shop.config.replacing("metric:", with: "metrik:"))
        let compared = try await scratch.alertbot(
            "backtest", "--observations", "figures.jsonl", "--against", "other.yaml")
        #expect(compared.status == 1)
        #expect(compared.output == "")
        #expect(compared.errors.contains("error: unknown key 'metrik'"), "\(compared.errors)")
    }

    @Test func `broken lines are named, the rest is played, and the answer is no`() async throws {
        let scratch = try Shop.scratch(figures: story[0] + "{\"source\":\n" + story[1...].joined())
        let backtest = try await scratch.alertbot("backtest", "--observations", "figures.jsonl")
        #expect(backtest.status == 1)
        #expect(backtest.errors.hasPrefix("figures.jsonl:2:11: error: "))
        #expect(backtest.output.contains("ops: opened:"))
    }

    @Test func `an empty file is reported and shows nothing`() async throws {
        let scratch = try Shop.scratch()
        let backtest = try await scratch.alertbot("backtest", "--observations", "figures.jsonl")
        #expect(backtest.status == 0)
        #expect(backtest.errors.contains("there are no observations to replay"))
        #expect(backtest.output.contains("Nothing would have been sent."))
    }

    @Test func `lines after the end that was asked for are not played, and that is reported`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        let backtest = try await scratch.alertbot(
            "backtest", "--observations", "figures.jsonl", "--now", "2026-11-20T21:30:00Z")
        // With its year where that is not the present one.
        #expect(backtest.errors.contains("warning: 1 line seen after Fri 20 Nov "))
        #expect(backtest.errors.contains(" 22:30 CET is not played"))
        #expect(!backtest.output.contains("resolved:"))
    }

    @Test func `without a source that keeps a history the advice is to play a file`() async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        let backtest = try await scratch.alertbot("backtest", "--since", "30d", "--cache", "kept")
        #expect(backtest.status == 3)
        #expect(backtest.output == "")
        #expect(
            backtest.errors == "alertbot: no source in the config keeps a history that can be fetched; replay recorded "
                + "observations with --observations FILE\n")
        #expect(!scratch.names.contains("kept"))
    }

    private static let prometheus = """
        version: 1
        sources:
          checkout: {plugin: prometheus, url: "http://127.0.0.1:1", metrics: {sessions: "x"}}
        channels: {ops: {plugin: console}}

        """

    @Test func `a cache that cannot be written is reported before anything is asked, with what to do`() async throws {
        let scratch = try Shop.scratch(BacktestTests.prometheus)
        try scratch.write("file", "")
        let backtest = try await scratch.alertbot("backtest", "--since", "1d", "--cache", "file/kept")
        #expect(backtest.status == 3)
        #expect(
            backtest.errors
                == "alertbot: file/kept cannot be written: Not a directory; name another folder with --cache DIR\n")
    }

    @Test func `without a home the folder for fetched history must be named`() async throws {
        let scratch = try Shop.scratch(BacktestTests.prometheus)
        let backtest = try await scratch.alertbot("backtest", "--since", "1d", environment: ["XDG_CACHE_HOME": "here"])
        #expect(backtest.status == 3)
        #expect(backtest.errors.contains("name a folder with --cache DIR"), "\(backtest.errors)")
    }

    private static let endings: [(arguments: [String], status: Int32)] = [
        ([], 3), (["--observations", "gone.jsonl"], 3), (["--observations", "."], 3),
        (["--observations", "figures.jsonl", "--fail-on-difference"], 2),
        (["--observations", "figures.jsonl", "--channel", "nobody"], 2),
        (["--observations", "figures.jsonl", "--incidents", "gone.jsonl"], 3),
        (["--observations", "figures.jsonl", "--against", "gone.yaml"], 1),
        (["--observations", "figures.jsonl", "--since", "30d"], 2), (["--since", "soon"], 2), (["--since", "0d"], 2),
        (["--since", "400d"], 2), (["--observations", "figures.jsonl", "--cache", "kept"], 2),
    ]

    @Test(arguments: endings)
    func `how it ends says what was wrong`(arguments: [String], status: Int32) async throws {
        let scratch = try Shop.scratch(figures: story.joined())
        let backtest = try await run(BotBinary.path, ["backtest"] + arguments, folder: scratch.folder)
        #expect(backtest.status == status)
        #expect(backtest.output == "")
        #expect(backtest.errors != "")
    }
}
