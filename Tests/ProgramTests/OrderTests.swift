import BotHarness
import Testing

/// The commands that tell the bot something, on a bot that runs and on the journal of one that does not.
@Suite struct OrderTests {
    private func folder() throws -> Scratch {
        let config = Shop.config.replacing(
            #"ops: {plugin: webhook, url: "https://hooks.example.com/bot"}"#, with: "ops: {plugin: console}")
        return try Shop.scratch(config, figures: Figures().line("shop-ios", crashed: 500, of: 10_000))
    }

    @Test func `a mute set before the start holds what the bot would have said`() async throws {
        let scratch = try folder()
        let mute = try await scratch.alertbot(
            "mute", "--app", "shop-*", "--for", "2h", "--reason", "hotfix", "--by", "ada", "--format", "json")
        #expect(mute.status == 0, "\(mute.all)")
        let id = try #require(try mute.json["details"]["id"].string)

        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        let held = try await eventually("the bot held it") {
            let incidents = try await scratch.alertbot("incidents", "--format", "json").json["incidents"]
            return incidents[0]["channels"]["ops"]["held"]["reason"].string
        }
        #expect(held == "muted:\(id)")
        let mutes = try await scratch.alertbot("mutes")
        #expect(mutes.output.hasPrefix("\(id) app shop-*, from "))
        #expect(mutes.output.hasSuffix(", by ada: hotfix\n"))
        #expect(!bot.standardOutput.contains("shop-ios"))

        let unmute = try await scratch.alertbot("unmute", id)
        #expect(unmute.output == "the mute of app shop-* has ended\n")
        _ = try await eventually("it was said") { bot.standardOutput.contains("shop-ios") ? true : nil }

        let incident = try #require(
            try await scratch.alertbot("incidents", "--format", "json").json["incidents"][0]["id"].string)
        let ack = try await scratch.alertbot("ack", String(incident.prefix(5)), "--by", "ada")
        #expect(ack.status == 0, "\(ack.all)")
        let status = try await scratch.alertbot("status")
        #expect(status.output.contains("    acknowledged by ada at "))
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
        // What was told survives the bot.
        let after = try await scratch.alertbot("incidents", "--format", "json").json["incidents"]
        #expect(after[0]["acknowledged"]["by"].string == "ada")
        #expect(try await scratch.alertbot("mutes").output == "Nothing is muted.\n")
    }

    @Test func `a bot that runs is told what to do though its config has errors by now`() async throws {
        let scratch = try folder()
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        _ = try await eventually("it was said") { bot.standardOutput.contains("shop-ios") ? true : nil }
        let incident = try #require(
            try await scratch.alertbot("incidents", "--format", "json").json["incidents"][0]["id"].string)
        try scratch.write("config.yaml", Shop.config.replacing("hooks.example.com", with: "${env:NOT_SET}"))

        let asking =
            "alertbot: warning: config.yaml has 1 error; asking the running bot anyway: run 'alertbot check'\n"
        let reading = asking.replacing("asking the running bot", with: "reading the journal")
        let table: [(words: [String], says: String, warns: String)] = [
            (["mute", "--app", "x", "--for", "1m"], "muted app x until ", asking),
            (["mute", "--app", "y", "--until", "2099-01-01 09:00"], "muted app y until ", asking),
            (["mutes"], "app x, from ", asking), (["unmute", "--all"], "2 mutes have ended", asking),
            (["ack", incident], "acknowledged", asking), (["status"], "shop-alerts  running", asking),
            (["incidents"], "critical shop-ios", asking), (["history"], "ops opened delivered", reading),
            (["journal", "verify"], ": sound", reading), (["journal", "show"], "shop-ios", reading),
            (["why", "--app", "shop-ios"], "shop-ios", asking), (["why", "--app", "shop-os"], "did you mean", asking),
            (["why", "--format", "json"], "\"why\": [", asking),
        ]
        for row in table {
            let run = try await BotHarness.run(BotBinary.path, row.words, folder: scratch.folder)
            #expect(run.status == 0, "\(row.words): \(run.all)")
            #expect(run.output.contains(row.says), "\(row.words): \(run.all)")
            #expect(run.errors == row.warns, "\(row.words)")
        }
        let retry = try await scratch.alertbot("retry", "none")
        #expect(retry.errors.contains("there is no delivery 'none'"), "\(retry.all)")
        let other = try await scratch.alertbot("why", "--rule", "none")
        #expect(other.status == 1)
        #expect(other.errors.contains("there is no rule 'none' that judges figures; known: "), "\(other.all)")

        // With nobody to ask the whole config is needed, and where the state is must be readable in any case.
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
        for words in [
            ["mute", "--all", "--for", "1m"], ["mutes"], ["unmute", "--all"], ["ack", incident], ["status"], ["why"],
        ] {
            let run = try await BotHarness.run(BotBinary.path, words, folder: scratch.folder)
            #expect(run.status == 1, "\(words): \(run.all)")
            #expect(run.errors.hasSuffix("alertbot: config.yaml has an error\n"), "\(run.all)")
        }
        try scratch.write("config.yaml", "bot: {state: \n")
        let verify = try await scratch.alertbot("journal", "verify")
        #expect(verify.status == 1)
        #expect(verify.errors.hasSuffix("alertbot: config.yaml has an error\n"), "\(verify.all)")
    }

    @Test func `a name or a reason without a word is none`() async throws {
        let scratch = try folder()
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        _ = try await eventually("it was said") { bot.standardOutput.contains("shop-ios") ? true : nil }
        let incident = try #require(
            try await scratch.alertbot("incidents", "--format", "json").json["incidents"][0]["id"].string)
        let acknowledged = try await scratch.alertbot(
            "ack", incident, "--by", "  ", environment: ["USER": "ada"])
        #expect(acknowledged.status == 0, "\(acknowledged.all)")
        let open = try await scratch.alertbot("incidents", "--format", "json").json["incidents"]
        #expect(open[0]["acknowledged"]["by"].string == "ada")
        let muted = try await scratch.alertbot(
            "mute", "--app", "x", "--for", "2h", "--by", "", "--reason", " ", environment: ["USER": "ada"])
        #expect(muted.status == 0, "\(muted.all)")
        let mute = try await scratch.alertbot("mutes", "--format", "json").json["mutes"][0]
        #expect(mute["by"].string == "ada")
        #expect(mute["reason"].string == nil)
        #expect(try await scratch.alertbot("mutes").output.hasSuffix(", by ada\n"))
    }

    @Test func `what cannot be meant is wrong usage, what cannot be is a no`() async throws {
        let scratch = try folder()
        let table: [(words: [String], status: Int32, says: String)] = [
            (["mute", "--app", "a"], 2, "say for how long: --for, such as --for 2h, or --until"),
            (
                ["mute", "--app", "a", "--for", "2h", "--until", "2099-01-01"], 2,
                "--for and --until cannot be combined"
            ),
            (["unmute", "--all", "x"], 2, "a mute's id and --all cannot be combined; keep one"),
            (["mute", "--for", "2h"], 2, "name what to mute, such as --app shop-ios, or --all"),
            (["mute", "--all", "--for", "2"], 2, "--for is '2', expected a duration such as 30s, 5m, 2h or 1d"),
            (["mute", "--source", "figure", "--for", "2h"], 2, "did you mean figures?"),
            (["mute", "--label", "x", "--for", "2h"], 2, "expected name=value"),
            (["mute", "--severity", "bad", "--for", "2h"], 2, "expected info, warning or critical"),
            (["mute", "--severity", "critcal", "--for", "2h"], 2, "warning or critical; did you mean critical?"),
            (["mute", "--app", "", "--for", "2h"], 2, "--app is empty, expected what to mute, such as --app shop-ios"),
            (["mute", "--app", "a", "--source", " ", "--for", "2h"], 2, "--source is empty"),
            (["mute", "--label", "team=", "--for", "2h"], 2, "expected name=value"),
            (["mute", "--all", "--until", "2001-01-01"], 1, "would already be over"),
            (["unmute"], 2, "name a mute: an id from 'alertbot mutes', or --all"),
            (["unmute", "none"], 1, "there is no mute 'none'; none is set"),
            (["ack", "none"], 1, "there is no open incident 'none'; none is open"),
            (["retry", "none"], 1, "there is no delivery 'none'; 'alertbot history --dead' lists failed deliveries"),
        ]
        for row in table {
            let run = try await BotHarness.run(BotBinary.path, row.words, folder: scratch.folder)
            #expect(run.status == row.status, "\(row.words): \(run.all)")
            #expect(run.errors.contains(row.says), "\(row.words): \(run.all)")
            #expect(run.output.isEmpty)
        }
    }
}

/// What a running bot says of itself when all is not well.
@Suite struct RunningTests {
    @Test func `the status names what waits, what fails and what is muted`() async throws {
        let config = Shop.config.replacing("https://hooks.example.com/bot", with: "http://127.0.0.1:9/x")
        let scratch = try Shop.scratch(config, figures: Figures().line("shop-ios", crashed: 500, of: 10_000))
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        try await bot.says("channel ops: delivery ")
        #expect(try await scratch.alertbot("mute", "--app", "other", "--for", "2h", "--by", "ada").status == 0)
        let text = try await scratch.alertbot("status").output
        #expect(text.contains(/\ \ ops: 1 waiting for .*, since [0-9:]+, [0-9]+ failures? in a row/), "\(text)")
        #expect(text.contains(try Regex("\nMutes\n  [0-9a-z]+ app other, from .* until .*, by ada\n")), "\(text)")
    }

    @Test func `a mute says who has set it, whatever the shell knows of them`() async throws {
        let scratch = try Shop.scratch()
        let system = try await run("id", ["-un"]).output.dropLast()
        let table: [(environment: [String: String], name: String)] = [
            (["USER": "ada", "LOGNAME": "grace"], "ada"), (["LOGNAME": "grace"], "grace"), (["USER": ""], "\(system)"),
        ]
        for row in table {
            let set = try await scratch.alertbot("mute", "--all", "--for", "2h", environment: row.environment)
            #expect(set.status == 0, "\(set.all)")
            let mutes = try await scratch.alertbot("mutes", "--format", "json").json["mutes"].elements
            #expect(mutes.last?["by"].string == row.name, "\(mutes)")
        }
    }

    @Test func `what is read at the start only is named when it changes`() async throws {
        let scratch = try Shop.scratch()
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        try scratch.write(
            "config.yaml",
            Shop.config.replacing(
                "listen: off", with: "listen: 127.0.0.1:0\n  state: ./elsewhere\n  shutdown_grace: 5s"))
        bot.send(1)
        try await bot.says("the config was reloaded")
        try await bot.says(
            "warning: what changed in bot.state, bot.listen, bot.shutdown_grace needs a restart of the bot")
        // Back to what it runs with: nothing is left to say.
        try scratch.write("config.yaml", Shop.config.replacing("99.5%", with: "99.4%"))
        bot.send(1)
        _ = try await eventually("it was loaded twice") {
            bot.standardError.ranges(of: "the config was reloaded").count == 2 ? true : nil
        }
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
        #expect(bot.standardError.ranges(of: "needs a restart").count == 1, "\(bot.standardError)")
    }
}

/// The answer to "why", as the command gives it.
@Suite struct WhyTests {
    @Test func `it names what there is when it is asked about something else`() async throws {
        let scratch = try Shop.scratch()
        let empty = try await scratch.alertbot("why")
        #expect(empty.status == 0)
        #expect(empty.output.hasPrefix("No figures have arrived yet"))
        let rule = try await scratch.alertbot("why", "--rule", "flor")
        #expect(rule.status == 2)
        #expect(rule.errors.hasSuffix("known: floor; did you mean floor?\n"))
        let json = try await scratch.alertbot("why", "--format", "json").json
        #expect(json["why"].elements.isEmpty)
        #expect(json["now"].string != nil)
    }
}
