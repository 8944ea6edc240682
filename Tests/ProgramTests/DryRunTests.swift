import BotHarness
import Testing

@Suite struct DryRunTests {
    @Test func `the JSON of a preview has the promised shape and nothing else`() async throws {
        let scratch = try Shop.scratch(figures: Shop.line("shop-ios", crashed: 500))
        let preview = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--format", "json", "--now", "2026-11-20T23:05:00Z")
        #expect(preview.status == 0)
        #expect(preview.errors == "")
        let json = try preview.json
        #expect(json.names == ["incidents", "notifications", "now", "rules", "summary", "unrouted"])
        #expect(json["now"].string == "2026-11-20T23:05:00Z")
        #expect(json["summary"] == .object(["sent": .number(1), "held": .number(0), "dropped": .number(0)]))

        let incident = json["incidents"][0]
        #expect(json["incidents"].elements.count == 1)
        #expect(
            incident.names == [
                "app", "environment", "evidence", "id", "release", "rule", "severity", "since", "source", "state",
                "until",
            ])
        #expect(incident["rule"].string == "floor")
        #expect(incident["source"].string == "figures")
        #expect(incident["app"].string == "shop-ios")
        #expect(incident["release"] == .null)
        #expect(incident["severity"].string == "critical")
        #expect(incident["state"].string == "firing")
        #expect(incident["since"].string == "2026-11-20T23:00:00Z")
        #expect(incident["until"] == .null)
        #expect(incident["evidence"]["value"].number == 0.95)

        let notification = json["notifications"][0]
        #expect(json["notifications"].elements.count == 1)
        #expect(
            notification.names == [
                "at", "channel", "decision", "incident", "kind", "reason", "request", "severity", "text", "until",
            ])
        #expect(notification["incident"] == incident["id"])
        #expect(notification["request"].names == ["body", "headers", "method", "url"])
        #expect(notification["request"]["method"].string == "POST")
        let body = notification["request"]["body"]
        #expect(body.names == ["data", "timestamp", "type"])
        #expect(body["type"].string == "incident.opened")
        #expect(body["data"].names == ["bot", "incidents", "kind", "possibly_repeated", "text"])
        #expect(body["data"]["incidents"][0] == incident)
        #expect(body["data"]["text"] == notification["text"])
    }

    @Test func `the text of a preview reads like this`() async throws {
        let earlier = Shop.line("shop-ios", crashed: 10, seen: "2026-11-20T22:00:00Z")
        let scratch = try Shop.scratch(figures: earlier + Shop.line("shop-ios", crashed: 500))
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl")
        let text = preview.output.replacing(/incident [0-9a-z]+/, with: "incident ID")
            .replacing(/at most 9\d\.\d+%/, with: "at most BOUND")
            .replacing(/figures: Sat 21 Nov 00:0\d CET, in [^(]*/, with: "figures: SOON ")
        #expect(
            text == """
                ── ops · for a program ────────────────────────────────────────

                Sat 21 Nov 00:00 CET send (first)
                  ▌ 🔴 shop-ios: crash-free users 95.00% (alert below 99%)
                  ▌ Before → now  99.90% → 95.00%
                  ▌ Users affected  500 of 10,000 (5.00%)
                  ▌ Since  Sat 21 Nov 00:00 CET
                  ▌ Why: Not chance: at most BOUND over the last 1 h, even on a generous count.
                  ▌ Rule floor · incident ID

                What the rules could judge
                  floor: judged 1, 1 firing

                Next polls
                  figures: SOON (every 5m)

                At Sat 21 Nov 00:00 CET: 1 sent, 0 held, 0 dropped. This was a preview: nothing was sent.

                """)
    }

    @Test(
        arguments: [
            ("auto", [:], false), ("always", [:], true), ("always", ["NO_COLOR": "1"], true), ("never", [:], false),
            ("auto", ["NO_COLOR": "1", "TERM": "xterm"], false),
        ] as [(String, [String: String], Bool)])
    func `a file gets no colours unless asked for`(color: String, environment: [String: String], isColored: Bool)
        async throws
    {
        let scratch = try Shop.scratch(figures: Shop.line("shop-ios", crashed: 500))
        let preview = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--color", color, environment: environment)
        #expect(preview.output.contains("\u{1B}[31m▌ \u{1B}[0m") == isColored)
        #expect(preview.output.contains("\u{1B}") == isColored)
    }

    @Test func `that nobody polls what is pushed is said`() async throws {
        let scratch = try Scratch()
        try scratch.write(
            "config.yaml",
            """
            version: 1
            bot: {state: ./state, listen: "127.0.0.1:8480"}
            sources:
              tools: {plugin: push, token: s3cret-s3cret-s3cret}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%"}
            channels:
              ops: {plugin: console}

            """)
        let preview = try await scratch.alertbot("dry-run")
        #expect(preview.status == 0)
        #expect(
            preview.errors
                == "alertbot: source tools: it receives pushes and is not polled; --recorded takes the last figures that reached the bot\n"
        )
        #expect(preview.output.contains("source tools: nothing has been pushed yet"), "\(preview.output)")
    }

    @Test func `that a source has nothing to say is said`() async throws {
        let polled = try await Shop.scratch().alertbot("dry-run")
        #expect(polled.status == 0)
        #expect(
            polled.errors == "alertbot: source figures: no data: it answered, and nothing happened in the span\n")
        let played = try await Shop.scratch().alertbot("dry-run", "--observations", "figures.jsonl")
        #expect(played.status == 0)
        #expect(played.errors == "alertbot: warning: there are no observations to replay\n")
    }

    @Test(arguments: ["dry-run", "backtest"])
    func `a file of sources that the config does not name cannot be replayed`(command: String) async throws {
        let line = Shop.line("shop", crashed: 500).replacing("\"figures\"", with: "\"elsewhere\"")
        let played = try await Shop.scratch(figures: line).alertbot(command, "--observations", "figures.jsonl")
        #expect(played.status == 3)
        #expect(played.output == "")
        #expect(played.errors.contains("alertbot: warning: skipped 1 line of source 'elsewhere'"))
        #expect(
            played.errors.hasSuffix(
                "alertbot: there are no observations to replay: every line of figures.jsonl is of a source that the "
                    + "config does not name\n"), "\(played.errors)")
    }

    @Test(arguments: ["text", "html", "payload", "json"]) func `hostile names and titles are harmless in every format`(
        format: String
    ) async throws {
        let title = #"\u001b]0;owned\u0007\u001b[2J\u202etfel\u009b31m <script>alert(1)</script>"#
        let line = Shop.line("shop", crashed: 500).replacing("\"shop\"", with: "\"\(title)\"")
        let scratch = try Shop.scratch(figures: line)
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", format)
        #expect(preview.status == 0, "\(preview.errors)")
        #expect(preview.output.contains(format == "html" ? "&lt;script&gt;alert(1)" : "<script>alert(1)</script>"))
        if format == "html" { #expect(!preview.output.contains("<script")) }
        let wild = preview.output.unicodeScalars.first {
            $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value) || $0.value == 0x202E
        }
        #expect(wild == nil, "\(String(describing: wild))")
    }

    @Test func `a page has every channel, and nothing but the page is printed`() async throws {
        let config = Shop.config + "  out: {plugin: console}\n  page: {plugin: inbox}\n"
        let scratch = try Shop.scratch(config, figures: Shop.line("shop-ios", crashed: 500))
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "html")
        #expect(preview.status == 0)
        #expect(preview.output.hasPrefix("<!doctype html>\n") && preview.output.hasSuffix("</html>\n"))
        for channel in ["ops", "out", "page"] { #expect(preview.output.contains("<h2>\(channel) <small>")) }
        let narrowed = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--format", "html", "--channel", "out")
        #expect(!narrowed.output.contains("<h2>ops"))
    }

    @Test func `an app that had no figures before shows none`() async throws {
        let scratch = try Shop.scratch(figures: Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T23:00:30Z"))
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl")
        #expect(preview.output.contains("crash-free users 95.00%"))
        #expect(!preview.output.contains("Before → now"), "there was no before: \(preview.output)")
    }

    @Test func `a payload is the exact request, one for each that would be sent`() async throws {
        let scratch = try Shop.scratch(figures: Shop.line("shop-ios", crashed: 500))
        let preview = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--format", "payload")
        #expect(preview.output.hasPrefix("# 2026-11-20T23:00:00Z ops opened\n{"))
        let json = try JSONTree(parsing: preview.output.split(separator: "\n").dropFirst().joined(separator: "\n"))
        #expect(json["url"].string == "https://hooks.example.com/bot")
        #expect(json["body"]["type"].string == "incident.opened")
        #expect(json["headers"]["Content-Type"].string?.hasPrefix("application/json") == true)
    }

    @Test func `lines are played in the order of seen, and a story is told to its end`() async throws {
        let story = [
            Shop.line("shop-ios", crashed: 10, seen: "2026-11-20T20:00:00Z"),
            Shop.line("shop-ios", crashed: 95, seen: "2026-11-20T21:00:00Z"),
            Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T22:00:00Z"),
            Shop.line("shop-ios", crashed: 0, seen: "2026-11-20T23:00:00Z"),
        ]
        let scratch = try Shop.scratch(figures: story.reversed().joined())
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "json")
        #expect(
            try preview.notifications == [
                "2026-11-20T21:00:00Z shop-ios opened ops send first",
                "2026-11-20T22:00:00Z shop-ios escalated ops send escalated",
                "2026-11-20T23:00:00Z shop-ios resolved ops send resolved",
            ])
        #expect(try preview.json["incidents"][0]["state"].string == "resolved")
    }

    @Test func `standard input is a file too, and --now ends the story early`() async throws {
        let story =
            Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T22:00:00Z")
            + Shop.line("shop-ios", crashed: 0, seen: "2026-11-20T23:00:00Z")
        let scratch = try Shop.scratch()
        let preview = try await scratch.alertbot(
            "dry-run", "--observations", "-", "--format", "json", "--now", "2026-11-20 23:30", input: story)
        // 23:30 in Madrid is half past ten in Greenwich.
        #expect(try preview.json["now"].string == "2026-11-20T22:30:00Z")
        #expect(try preview.notifications == ["2026-11-20T22:00:00Z shop-ios opened ops send first"])
    }

    @Test func `time passes on to --now after the last line`() async throws {
        let config = Shop.config.replacing("window: 1h", with: "window: 1h\n    for: 10m")
        let scratch = try Shop.scratch(config, figures: Shop.line("shop-ios", crashed: 500))
        let early = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--format", "json", "--now", "2026-11-20T23:09:59Z")
        #expect(try early.notifications == [])
        #expect(try early.json["incidents"][0]["state"].string == "pending")
        let late = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--format", "json", "--now", "2026-11-20T23:10:00Z")
        #expect(try late.notifications == ["2026-11-20T23:10:00Z shop-ios opened ops send first"])
    }

    @Test func `lines of other sources are skipped with a warning, told once per source`() async throws {
        let other = Shop.line("shop-ios", crashed: 500).replacing("\"figures\"", with: "\"elsewhere\"")
        let scratch = try Shop.scratch(figures: other + other + Shop.line("shop-android", crashed: 500))
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "json")
        #expect(preview.status == 0)
        #expect(preview.errors.contains("skipped 2 lines of source 'elsewhere'"), "\(preview.errors)")
        #expect(try preview.notifications == ["2026-11-20T23:00:00Z shop-android opened ops send first"])
    }

    @Test(arguments: [
        (#"{"source":"figures","app""#, "figures.jsonl:2:26", "expected"),
        (#"{"source":"figures","seen":"2026-11-20T23:00:00Z","app":"a"}"#, "figures.jsonl:2", "from"),
        (#"{"source":"figures","seen":"yesterday","failed":"timeout"}"#, "figures.jsonl:2", "$.seen"),
        ("[]", "figures.jsonl:2", "object"), ("\u{FF}", "figures.jsonl:2", ""),
        (
            #"{"source":"figures","app":"a","from":"2026-11-20T22:00:00Z","to":"2026-11-20T23:00:00Z","#
                + #""seen":"2026-11-20T23:00:00Z","metrics":{"users":5,"crashed_users":9}}"#, "figures.jsonl:2",
            "crashed"
        ),
    ])
    func `a broken line is named, the others are used, and the answer is no`(
        line: String, place: String, word: String
    ) async throws {
        let good = Shop.line("shop-ios", crashed: 500)
        let scratch = try Shop.scratch(figures: good + line + "\n" + Shop.line("shop-android", crashed: 500))
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "json")
        #expect(preview.status == 1)
        #expect(preview.errors.contains(place + ":"), "\(preview.errors)")
        #expect(preview.errors.contains(word), "\(preview.errors)")
        #expect(try preview.notifications.count == 2)
    }

    @Test func `a file that is not there cannot be played`() async throws {
        let scratch = try Shop.scratch()
        let preview = try await scratch.alertbot("dry-run", "--observations", "nowhere.jsonl")
        #expect(preview.status == 3)
        #expect(preview.errors.contains("nowhere.jsonl"))
        #expect(preview.output == "")
    }

    @Test func `one channel alone can be shown`() async throws {
        let config = Shop.config + "  chat: {plugin: console}\n"
        let scratch = try Shop.scratch(config, figures: Shop.line("shop-ios", crashed: 500))
        let both = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "json")
        #expect(try both.json["summary"]["sent"].number == 2)
        let one = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--format", "json", "--channel", "chat")
        #expect(try one.notifications == ["2026-11-20T23:00:00Z shop-ios opened chat send first"])
        #expect(try one.json["notifications"][0]["request"] == .null)
        #expect(try one.json["summary"]["sent"].number == 1)
    }

    @Test func `without a file the sources are polled once`() async throws {
        let scratch = try Shop.scratch(figures: Figures().line("shop-ios", crashed: 500, of: 10_000))
        let preview = try await scratch.alertbot("dry-run", "--format", "json")
        #expect(preview.status == 0)
        #expect(try preview.json["notifications"].elements.map { $0["kind"].string } == ["opened"])
    }

    @Test func `when no source answers there is nothing to judge`() async throws {
        let scratch = try Shop.scratch(figures: "nonsense\n")
        let preview = try await scratch.alertbot("dry-run", "--format", "json")
        #expect(preview.status == 3)
        #expect(preview.output == "")
        #expect(preview.errors.contains("figures.jsonl:1"), "\(preview.errors)")
    }

    @Test func `failures on purpose fall the same way for the same seed`() async throws {
        let scratch = try Shop.scratch(figures: Shop.line("shop-ios", crashed: 500))
        func play(_ seed: String) async throws -> Finished {
            try await scratch.alertbot(
                "dry-run", "--observations", "figures.jsonl", "--format", "json", "--fault-rate", "50%", "--seed", seed)
        }
        let first = try await play("7")
        #expect(first.output == (try await play("7")).output)
        let all = try await scratch.alertbot("dry-run", "--fault-rate", "100%")
        #expect(all.status == 3)
        #expect(all.errors.contains("on purpose"))
    }
}
