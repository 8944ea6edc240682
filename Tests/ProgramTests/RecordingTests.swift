import BotHarness
import Testing

/// What the commands make of what the bot has recorded.
@Suite struct RecordingTests {
    /// Well at seven in the evening, bad at eight, well again at eleven; a poll that failed between.
    private static let story = [
        "2024-11-20-1.jsonl": Shop.line("shop-ios", crashed: 10, seen: "2024-11-20T19:00:00Z")
            + Shop.line("shop-ios", crashed: 500, seen: "2024-11-20T20:00:00Z"),
        "2024-11-20-2.jsonl": #"{"source":"figures","failed":"timeout","seen":"2024-11-20T21:30:00Z"}"# + "\n"
            + Shop.line("shop-ios", crashed: 0, seen: "2024-11-20T23:00:00Z"),
    ]

    private func recorded(_ files: [String: String] = story) throws -> Scratch {
        let scratch = try Shop.scratch()
        try scratch.makeFolder("state/observations")
        for (name, text) in files { try scratch.write("state/observations/" + name, text) }
        return scratch
    }

    @Test func `a backtest plays what was recorded, its files in order`() async throws {
        let scratch = try recorded()
        let before = scratch.contents
        let backtest = try await scratch.alertbot("backtest", "--format", "json")
        #expect(backtest.status == 0)
        #expect(
            backtest.errors
                == "alertbot: played what was recorded from Wed 20 Nov 2024 20:00 CET to Thu 21 Nov 2024 00:00 CET\n")
        #expect(
            try backtest.notifications == [
                "2024-11-20T20:00:00Z shop-ios opened ops send first",
                "2024-11-20T23:00:00Z shop-ios resolved ops send resolved",
            ])
        #expect(scratch.contents == before)
    }

    @Test func `the last of a recording is played on demand`() async throws {
        let scratch = try recorded()
        let backtest = try await scratch.alertbot(
            "backtest", "--since", "3h30m", "--now", "2024-11-20T23:05:00Z", "--format", "json")
        #expect(
            try backtest.notifications == [
                "2024-11-20T20:00:00Z shop-ios opened ops send first",
                "2024-11-20T23:00:00Z shop-ios resolved ops send resolved",
            ])
        let later = try await scratch.alertbot("backtest", "--since", "2h", "--now", "2024-11-20T23:05:00Z")
        #expect(later.output.contains("Nothing would have been sent."))
        let earlier = try await scratch.alertbot("backtest", "--since", "7d", "--now", "2024-11-20T23:05:00Z")
        #expect(
            earlier.errors == "alertbot: warning: played only what was recorded from Wed 20 Nov 2024 20:00 CET to "
                + "Thu 21 Nov 2024 00:00 CET\n")
        let never = try await scratch.alertbot("backtest", "--since", "1h")
        #expect(never.status == 3)
        #expect(never.errors.contains("nothing from that span is recorded in "))
    }

    @Test func `a line that is still being written is none yet, and a broken one is named by its file`() async throws {
        let files = RecordingTests.story.merging(["2024-11-21-1.jsonl": #"{"source":"figures","app":"shop"#]) { $1 }
        let growing = try await recorded(files).alertbot("backtest")
        #expect(growing.status == 0)
        let broken = try await recorded(files.merging(["2024-11-20-2.jsonl": "{\"source\":\n"]) { $1 })
            .alertbot("backtest")
        #expect(broken.status == 1)
        #expect(broken.errors.contains("/state/observations/2024-11-20-2.jsonl:1:11: error: "), "\(broken.errors)")
    }

    @Test func `why tells how things were at a moment of the past`() async throws {
        let scratch = try recorded()
        func verdict(at moment: String) async throws -> JSONTree {
            let json = try await scratch.alertbot("why", "--at", moment, "--format", "json").json
            #expect(json.names == ["now", "why", "why_left_out"])
            #expect(json["why"].elements.count == 1)
            return json["why"][0]
        }
        #expect(try await verdict(at: "2024-11-20T19:59:59Z")["verdict"].string == "ok")
        let bad = try await verdict(at: "2024-11-20T20:10:00Z")
        #expect(bad["verdict"].string == "firing")
        #expect(bad["incident"]["since"].string == "2024-11-20T20:00:00Z")
        #expect(bad["channels"][0]["last_said"].string == "2024-11-20T20:00:00Z")
        #expect(try await verdict(at: "2024-11-20T23:30:00Z")["incident"] == .null)
        let text = try await scratch.alertbot("why", "--at", "2024-11-20 21:10")
        #expect(text.status == 0)
        #expect(text.output.hasPrefix("shop-ios from figures: rule floor\n  fires (critical)"))
        #expect(
            text.errors
                == "alertbot: this replays what was recorded from Wed 20 Nov 2024 20:00 CET to Wed 20 Nov 2024 21:10 CET with "
                + "the current config; mutes and acknowledgements made by command are not recorded, nor is what became of messages: "
                + "each is taken as delivered\n")
    }

    @Test func `a question that the recording cannot answer is told why`() async throws {
        let scratch = try recorded()
        let early = try await scratch.alertbot("why", "--at", "2024-11-20T18:59:59Z")
        #expect(early.status == 3)
        #expect(
            early.errors == "alertbot: the recording begins at Wed 20 Nov 2024 20:00 CET; nothing is known about "
                + "Wed 20 Nov 2024 19:59 CET\n")
        let years = try await scratch.alertbot("why", "--at", "2020-01-01")
        #expect(years.errors.hasPrefix("alertbot: the recording begins at Wed 20 Nov 2024 20:00 CET"))
        let future = try await scratch.alertbot("why", "--at", "9000-01-01")
        #expect(future.status == 2)
        #expect(future.errors.contains("is in the future; leave it out to ask about now"))
        let none = try Shop.scratch()
        for words in [["why", "--at", "2024-11-20"], ["backtest"], ["dry-run", "--recorded"]] {
            let run = try await BotHarness.run(BotBinary.path, words, folder: none.folder)
            #expect(run.status == 3)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("recorded in "), "\(run.errors)")
        }
        let both = try await scratch.alertbot("backtest", "--since", "1d", "--observations", "figures.jsonl")
        #expect(both.status == 2)
    }

    @Test func `a dry run takes the last recorded figures instead of polling`() async throws {
        let scratch = try recorded()
        let before = scratch.contents
        let well = try await scratch.alertbot("dry-run", "--recorded", "--now", "2024-11-20T23:05:00Z")
        #expect(well.status == 0)
        #expect(well.output.contains("Nothing would be sent."))
        #expect(well.errors == "alertbot: source figures: its figures are from Thu 21 Nov 00:00 CET\n")
        let bad = try await scratch.alertbot(
            "dry-run", "--recorded", "--now", "2024-11-20T20:05:00Z", "--format", "json")
        #expect(try bad.notifications == ["2024-11-20T20:05:00Z shop-ios opened ops send first"])
        #expect(scratch.contents == before)
    }

    @Test func `what a bot has said its recording says again`() async throws {
        let config = Shop.config.replacing(
            #"ops: {plugin: webhook, url: "https://hooks.example.com/bot"}"#, with: "ops: {plugin: console}")
        let scratch = try Shop.scratch(config, figures: Figures().line("shop-ios", crashed: 500, of: 10_000))
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        _ = try await eventually("something was said") { bot.standardOutput.contains("shop-ios") ? true : nil }
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
        let said = try await scratch.alertbot("history", "--format", "json").json["history"][0]
        let played = try await scratch.alertbot("backtest", "--format", "json").json["notifications"][0]
        #expect(played["text"] == said["text"])
        #expect(played["at"] == said["queued"])
        #expect(try await scratch.alertbot("why", "--at", said["queued"].string ?? "").status == 0)
    }
}
