import BotHarness
import Testing

@Suite struct CheckTests {
    /// One mistake of each kind that a line can hold; tabs and letters of several bytes stand before some.
    private let mistaken = """
        version: 1
        bot:
          timezone: Europe/Madird
        sources:
          own:
            plugin: fil
            path: ./figures.jsonl
        rules:
          floor:
            plugin: threshold
            metric: crash_free_users
            critical: "< 99.0"
            windw: 1h
        channels:
          ops: {plugin: webhook, headers: {X-Tëam: "äöü"}, url: "http://127.0.0.1:9/x", secret: "${env:NOPE}"}
          ops: {plugin: console}
        routes:
          - to: [opps]

        """

    @Test func `every mistake is reported in one go, with its line and a caret under it`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", mistaken)
        let check = try await scratch.alertbot("check")
        #expect(check.status == 1)
        #expect(check.output == "")
        let places = check.errors.split(separator: "\n").filter { $0.hasPrefix("config.yaml:") }
        let expected: [(place: String, words: [String])] = [
            ("3:13", ["Europe/Madird", "did you mean Europe/Madrid?"]), ("6:13", ["'fil'", "did you mean file?"]),
            ("12:15", ["percentage", "< 99%"]), ("13:5", ["'windw'", "did you mean window?"]),
            ("15:44", ["X-Tëam"]), ("15:89", ["NOPE is not set"]), ("16:3", ["ops"]),
            ("18:10", ["'opps'", "did you mean ops?"]),
        ]
        #expect(places.count == expected.count, "\(check.errors)")
        for (line, wanted) in zip(places, expected) {
            #expect(line.hasPrefix("config.yaml:\(wanted.place): error: "), "\(line)")
            for word in wanted.words { #expect(line.contains(word), "\(line)") }
        }
    }

    @Test func `observations that cannot be read are named in the usual shape`() async throws {
        let scratch = try Shop.scratch()
        let check = try await scratch.alertbot("check", "--observations", "gone.jsonl", "--format", "json")
        #expect(check.status == 3)
        #expect(try check.json["problems"][0]["file"].string == "gone.jsonl")
        #expect(check.errors.contains("gone.jsonl"))
    }

    @Test func `programs learn of a file that cannot be read in the usual shape`() async throws {
        let scratch = try Scratch()
        try scratch.write("huge.yaml", String(repeating: "# much too long\n", count: 1 << 20))
        for (file, why) in [("gone.yaml", "No such file or directory"), ("huge.yaml", "it is larger than 8192 KiB")] {
            let check = try await scratch.alertbot("check", "--config", file, "--format", "json")
            #expect(check.status == 1)
            let problem = try check.json["problems"][0]
            #expect(problem.names == ["column", "file", "line", "message", "severity", "suggestion"])
            #expect(problem["file"].string == file)
            #expect(problem["message"].string?.contains(why) == true, "\(problem)")
            #expect(check.errors.contains(why))
        }
    }

    @Test func `the caret stands under what it means`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", mistaken)
        let lines = try await scratch.alertbot("check").errors.split(separator: "\n").map(String.init)
        let sources = mistaken.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var (carets, masks) = (0, 0)
        for (index, line) in lines.enumerated() where line.hasPrefix("config.yaml:") && line.contains(": error: ") {
            let parts = line.split(separator: ":")
            let (number, column) = try (#require(Int(parts[1])), #require(Int(parts[2])))
            // What nobody reads, and what may be a secret, is not shown, nor what stands behind it.
            let isMasked = lines[index + 1].hasSuffix("***")
            let shown = lines[index + 1].dropFirst(4).dropLast(isMasked ? 3 : 0)
            #expect(isMasked ? sources[number - 1].hasPrefix(shown) : sources[number - 1] == shown)
            #expect(lines[index + 2] == "    " + String(repeating: " ", count: min(column - 1, shown.count)) + "^")
            carets += 1
            masks += isMasked ? 1 : 0
        }
        #expect(carets == 8)
        #expect(masks == 2)
    }

    @Test func `as JSON, problems are objects with all their members`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", mistaken)
        let check = try await scratch.alertbot("check", "--format", "json")
        #expect(check.status == 1)
        let problems = try check.json["problems"].elements
        #expect(problems.count == 8)
        for problem in problems {
            #expect(problem.names == ["column", "file", "line", "message", "severity", "suggestion"])
            #expect(problem["file"].string == "config.yaml")
            #expect(problem["severity"].string == "error")
        }
        #expect(problems.first?["line"].number == 3)
        #expect(problems.first?["column"].number == 13)
        #expect(problems.first?["suggestion"].string == "Europe/Madrid")
    }

    @Test func `a config without mistakes is fine, and says how late and how quiet it is`() async throws {
        let nights = """
              nights: {plugin: quiet_hours, between: "22:00-07:00"}
            channels:
            """
        let scratch = try Shop.scratch(Shop.config.replacing("channels:", with: nights))
        let check = try await scratch.alertbot("check")
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.errors == "")
        #expect(check.output.contains("config.yaml: 1 source, 2 rules, 1 channel\n"))
        // By default: the usual time between polls; the slowest of polls, and the timeout of one.
        #expect(
            check.output.contains(
                "  floor: usually within 5 min, at worst 31 min 40 s, once there is enough evidence\n"))
        #expect(check.output.contains(", daily 22:00 – 07:00 CE"), "\(check.output)")

        let json = try await scratch.alertbot("check", "--format", "json").json
        #expect(json["problems"].elements.isEmpty)
        #expect(json["rules"][0]["slowest_detection"].string != nil)
        #expect(json["gates"][0]["name"].string == "nights")
        #expect(json["gates"][0]["closed"].elements.count >= 13)
    }

    @Test func `what was recorded is played: messages a week, and rules that matched nothing`() async throws {
        let other = """
              android: {plugin: threshold, match: {app: "android-*"}, metric: crash_free_users, warning: "< 99%"}
            channels:
            """
        let scratch = try Shop.scratch(Shop.config.replacing("channels:", with: other))
        #expect(try await scratch.alertbot("check", "--format", "json").json["history"] == .null)
        try scratch.makeFolder("state/observations")
        try scratch.write(
            "state/observations/2026-11-19-1.jsonl",
            Shop.line("shop-ios", crashed: 10, seen: "2026-11-18T20:00:00Z")
                + Shop.line("shop-ios", crashed: 500, seen: "2026-11-19T20:00:00Z"))
        try scratch.write(
            "state/observations/2026-11-20-1.jsonl", Shop.line("shop-ios", crashed: 0, seen: "2026-11-20T20:00:00Z"))
        let before = scratch.contents
        let check = try await scratch.alertbot("check")
        #expect(check.status == 0, "\(check.errors)")
        #expect(
            check.output.contains(
                "\nMessages in the recording  (Wed 2026-11-18 21:00 CET – Fri 2026-11-20 21:00 CET)\n"))
        // Opened, six reminders, and resolved a day later.
        #expect(check.output.contains("  floor: 8 messages, 28 a week\n"), "\(check.output)")
        #expect(check.output.hasSuffix("  note: rule 'android' matched nothing in the recording\n"))
        let history = try await scratch.alertbot("check", "--format", "json").json["history"]
        #expect(history["from"].string == "2026-11-18T20:00:00Z")
        #expect(history["rules"][0]["messages_per_week"].number == 28)
        #expect(history["unmatched_rules"][0].string == "android")
        #expect(scratch.contents == before)
    }

    @Test(arguments: [
        ("", "1:1"), ("sources: [", ""), ("a: &a [*a]", "1:"), ("version: 1\n---\nversion: 1\n", "2:"),
        ("\u{0}", "1:1"),
    ])
    func `what is no config is reported with a place`(text: String, place: String) async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", text)
        let check = try await scratch.alertbot("check")
        #expect(check.status == 1)
        #expect(check.errors.contains("config.yaml:\(place)"), "\(check.errors)")
    }

    @Test func `aliases that grow without bound end soon, with a sentence`() async throws {
        var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...20 {
            bomb += "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", "))]\n"
        }
        let scratch = try Scratch()
        try scratch.write("config.yaml", bomb)
        let check = try await scratch.alertbot("check", within: .seconds(60))
        #expect(check.status == 1)
        #expect(check.errors.contains("500000"), "\(check.errors.prefix(400))")
    }

    @Test func `a config that is not there, a folder or too large is reported by name`() async throws {
        let scratch = try Scratch()
        let absent = try await scratch.alertbot("check", "--config", "nowhere.yaml")
        #expect(absent.status == 1)
        #expect(absent.errors.contains("nowhere.yaml") && absent.errors.contains("No such file"), "\(absent.errors)")
        try scratch.makeFolder("folder.yaml")
        let folder = try await scratch.alertbot("check", "--config", "folder.yaml")
        #expect(folder.status == 1)
        #expect(folder.errors.contains("folder"))
        try scratch.write("large.yaml", String(repeating: "# a comment of thirty characters\n", count: 300_000))
        let large = try await scratch.alertbot("check", "--config", "large.yaml")
        #expect(large.status == 1)
        #expect(large.errors.contains("8192 KiB"), "\(large.errors)")
    }

    @Test func `relative paths start at the config's folder`() async throws {
        let scratch = try Scratch()
        try scratch.makeFolder("conf")
        try scratch.write("conf/bot.yaml", Shop.config.replacing("name: shop-alerts", with: "name: ${file:./name}"))
        try scratch.write("conf/name", "from-beside-the-config\n")
        let status = try await scratch.alertbot("status", "--config", "conf/bot.yaml")
        #expect(status.status == 0, "\(status.errors)")
        let verify = try await scratch.alertbot("journal", "verify", "--config", "conf/bot.yaml")
        #expect(verify.output.contains("conf/state"))
    }
}
