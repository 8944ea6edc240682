import AlertCore
import BotHarness
import MachineTesting
import Pictures
import PluginKit
import SystemPorts
import Testing

@testable import Commands

/// Why something was reported or not, now and in the past.
@Suite struct WhyQuestionTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func why(app: String? = nil, rule: String? = nil, at then: Moment? = nil) throws -> WhyQuestion {
        WhyQuestion(app: app, rule: rule, at: then, try scratch.shop(stage.machine), on: stage.machine)
    }

    @Test func `why answers of the past by what was recorded`() async throws {
        try scratch.record([
            "2026-11-20-1": [
                Shop.line(crashed: 500, at: "2026-11-20T10:00:00Z"), Shop.line(crashed: 0, at: "2026-11-20T11:30:00Z"),
            ]
        ])
        try await why(at: .at("10:30")).answer(as: .json, .none)
        let json = try JSON(parsing: stage.said)
        #expect(json["now"]?.string == "2026-11-20T10:30:00Z")
        #expect(json["why"]?.array?.first?["verdict"]?.string == "firing")
        #expect(
            stage.complained.hasPrefix(
                "alertbot: this replays what was recorded from Fri 20 Nov 11:00 CET to Fri 20 Nov 11:30 CET with "))
        try await why(app: "shp-ios", at: .at("10:30")).answer(as: .text, .none)
        #expect(
            stage.said.hasSuffix(
                "No figures of app 'shp-ios' have arrived; known: shop-ios; did you mean shop-ios?\n"))
        let early = await #expect(throws: Failure.self) { try await why(at: .at("09:30")).answer(as: .text, .none) }
        #expect(
            early?.sentence
                == "the recording begins at Fri 20 Nov 11:00 CET; nothing is known about Fri 20 Nov 10:30 CET")
        let late = await #expect(throws: Failure.self) { try await why(at: .at("13:00")).answer(as: .text, .none) }
        #expect(late?.status == .wrongUsage)
        #expect(late?.sentence.hasPrefix("--at is Fri 20 Nov 14:00 CET, which is in the future") == true)
    }

    @Test func `why of everything begins with what fires, and of one app says all`() async throws {
        try scratch.record([
            "2026-11-20-1": [
                Shop.line("shop-ios", crashed: 0, at: "2026-11-20T10:00:00Z"),
                Shop.line("shop-web", crashed: 500, at: "2026-11-20T10:00:00Z"),
            ]
        ])
        try await why(at: .at("10:10")).answer(as: .text, .none)
        #expect(stage.said.hasPrefix("shop-web from figures: rule floor\n  fires (critical)"), "\(stage.said)")
        #expect(
            stage.said.contains(
                "\n\nFine, and nothing is open or held (--app explains more):\n  shop-ios from figures: rule floor: "),
            "\(stage.said)")
        #expect(!stage.said.contains("  fine; no incident\n"))
        try await why(app: "shop-ios", at: .at("10:10")).answer(as: .text, .none)
        #expect(stage.said.contains("shop-ios from figures: rule floor\n  fine; no incident\n"), "\(stage.said)")
    }

    @Test(arguments: [
        (
            ", match: {app: \"shop-*\"}",
            "shop-ios from figures: rule silent\n  fine; no incident\n  because: its figures are fresh: "
        ),
        (
            "",
            "No rule has anything to say about that now; rules on issues report only those that are new or back, and "
                + "rules on a source, such as stale, only apps that are silent: ask about the source with --app figures.\n"
        ),
    ])
    func `why says of an app that is not silent that its figures are fresh, or where that is said`(
        match: String, words: String
    ) async throws {
        try scratch.record(["2026-11-20-1": [Shop.line(crashed: 0, at: "2026-11-20T10:00:00Z")]])
        let file = try scratch.shop(
            stage.machine, replacing: "rules:\n", with: "rules:\n  silent: {plugin: stale, after: 3h\(match)}\n")
        let question = WhyQuestion(app: "shop-ios", rule: "silent", at: .at("10:10"), file, on: stage.machine)
        try await question.answer(as: .text, .none)
        #expect(stage.said.hasPrefix(words), "\(stage.said)")
    }

    @Test func `why is not misled by what was recorded while the clock was not set`() async throws {
        try scratch.record([
            "1970-01-01-1": [Shop.line(crashed: 0, at: "1970-01-01T01:00:00Z")],
            "2026-11-20-1": [Shop.line(crashed: 500, at: "2026-11-20T10:00:00Z")],
            "2036-11-20-1": [Shop.line(crashed: 0, at: "2036-11-20T10:00:00Z")],
        ])
        try await why(at: .at("10:30")).answer(as: .json, .none)
        let json = try JSON(parsing: stage.said)
        #expect(json["why"]?.array?.first?["verdict"]?.string == "firing")
        #expect(
            stage.complained.hasPrefix(
                "alertbot: warning: 1 file up to 1970-01-01-1.jsonl is left out: what else is recorded in "),
            "\(stage.complained)")
        // What is dated ahead of now is no reason to leave out the rest.
        let run = DryRun(try scratch.shop(stage.machine).config(), from: State(), faults: nil, on: stage.machine)
        let preview = try run.repeatRecorded(at: stage.clock.now())
        #expect(decisions(preview) == ["2026-11-20T12:00:00Z ops opened send"])
    }

    @Test func `why says of the past that not every line of it could be read`() async throws {
        try scratch.record(["2026-11-20-1": [Shop.line(crashed: 500, at: "2026-11-20T10:00:00Z")]])
        let file = scratch.path("state/observations/2026-11-20-1.jsonl")
        try scratch.write(
            "state/observations/2026-11-20-1.jsonl",
            "{\"source\":}\n" + String(decoding: try WholeFile.read(file, bytesMax: 1 << 16), as: UTF8.self))
        let failure = await #expect(throws: Failure.self) {
            try await why(at: .at("10:30")).answer(as: .json, .none)
        }
        #expect(failure == Failure(.no))
        #expect(stage.said.contains("firing"), "what could be read is answered")
        #expect(stage.complained.contains("not every line could be read"))
    }

    @Test func `why of the present reads the journal, and says when there is nothing yet`() async throws {
        try await why().answer(as: .text, .none)
        #expect(
            stage.said
                == "No figures have arrived yet, so there is nothing to judge; 'alertbot status' shows the sources.\n")
        try await why(app: "alertbot").answer(as: .text, .none)
        #expect(stage.said.hasSuffix("\nThe bot has no trouble now.\n"))
        try await why(app: "alertbot", rule: "floor").answer(as: .text, .none)
        #expect(
            stage.said.hasSuffix(
                "\nRule floor does not judge app alertbot, which is the bot itself; leave out --rule to see the bot's "
                    + "troubles.\n"))
        let failure = await #expect(throws: Failure.self) {
            try await why(rule: "flor").answer(as: .text, .none)
        }
        #expect(
            failure
                == Failure(
                    .wrongUsage,
                    "there is no rule 'flor' that judges figures; known: floor; did you mean floor?"))
        let nothing = await #expect(throws: Failure.self) { try await why(at: .at("09:00")).answer(as: .text, .none) }
        #expect(nothing?.sentence.hasPrefix("nothing is recorded in ") == true)
    }
}
