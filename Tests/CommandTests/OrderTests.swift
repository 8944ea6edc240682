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
        #expect(unmute.output == "the mute of app shop-* is over\n")
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

    @Test func `what can not be meant is wrong usage, what can not be is a no`() async throws {
        let scratch = try folder()
        let table: [(words: [String], status: Int32, says: String)] = [
            (["mute", "--app", "a"], 2, "say how long: either --for, such as --for 2h, or --until"),
            (["mute", "--for", "2h"], 2, "say what to mute, such as --app shop-ios, or --all"),
            (["mute", "--all", "--for", "2"], 2, "--for is '2', expected a duration such as 30s, 5m, 2h or 1d"),
            (["mute", "--source", "figure", "--for", "2h"], 2, "did you mean figures?"),
            (["mute", "--label", "x", "--for", "2h"], 2, "expected name=value"),
            (["mute", "--severity", "bad", "--for", "2h"], 2, "expected info, warning or critical"),
            (["mute", "--all", "--until", "2001-01-01"], 1, "has ended already"),
            (["unmute"], 2, "say which: an id of 'alertbot mutes', or --all"),
            (["unmute", "none"], 1, "there is no mute 'none'; none is set"),
            (["ack", "none"], 1, "there is no open incident 'none'; none is open"),
            (["retry", "none"], 1, "there is no delivery 'none'; 'alertbot history --dead' lists the dead letters"),
        ]
        for row in table {
            let run = try await BotHarness.run(BotBinary.path, row.words, folder: scratch.folder)
            #expect(run.status == row.status, "\(row.words): \(run.all)")
            #expect(run.errors.contains(row.says), "\(row.words): \(run.all)")
            #expect(run.output.isEmpty)
        }
    }
}

/// The answer to "why", as the command gives it.
@Suite struct WhyTests {
    @Test func `it names what there is when it is asked about something else`() async throws {
        let scratch = try Shop.scratch()
        let empty = try await scratch.alertbot("why")
        #expect(empty.status == 0)
        #expect(empty.output.hasPrefix("No figures have come yet"))
        let rule = try await scratch.alertbot("why", "--rule", "flor")
        #expect(rule.status == 2)
        #expect(rule.errors.hasSuffix("there are: floor; did you mean floor?\n"))
        let json = try await scratch.alertbot("why", "--format", "json").json
        #expect(json["why"].elements.isEmpty)
        #expect(json["now"].string != nil)
    }
}
