import BotHarness
import Testing

/// What gates say, as a preview shows it: held until when, dropped, said afterwards. Times are in Madrid, an hour
/// ahead.
@Suite struct DryRunGateTests {
    private func preview(
        _ gate: String, _ figures: String..., now: String? = nil
    ) async throws -> [String] {
        let config = Shop.config.replacing("channels:", with: "  gate: \(gate)\nchannels:")
        let scratch = try Shop.scratch(config, figures: figures.joined())
        let clock = now.map { ["--now", $0] } ?? []
        let finished = try await run(
            BotBinary.path, ["dry-run", "--observations", "figures.jsonl", "--format", "json"] + clock,
            folder: scratch.folder)
        #expect(finished.status == 0, "\(finished.errors)")
        let decisions = try finished.json["notifications"].elements
        for decision in decisions where decision["decision"].string != "send" {
            #expect(decision["request"] == .null)
        }
        for (name, word) in [("sent", "send"), ("held", "hold"), ("dropped", "drop")] {
            let count = decisions.count { $0["decision"].string == word }
            #expect(try finished.json["summary"][name].number == Double(count))
        }
        return try finished.notifications
    }

    private let nights = #"{plugin: quiet_hours, between: "22:00-07:00"}"#

    @Test func `at night a message is held until morning`() async throws {
        let decisions = try await preview(nights, Shop.line("shop-ios", crashed: 500))
        #expect(
            decisions == ["2026-11-20T23:00:00Z shop-ios opened ops hold quiet_hours:gate until 2026-11-21T06:00:00Z"])
    }

    @Test func `and said in the morning when the trouble is still there`() async throws {
        let decisions = try await preview(
            nights, Shop.line("shop-ios", crashed: 500),
            Shop.line("shop-ios", crashed: 510, seen: "2026-11-21T05:30:00Z"),
            now: "2026-11-21T06:00:00Z")
        #expect(
            decisions == [
                "2026-11-20T23:00:00Z shop-ios opened ops hold quiet_hours:gate until 2026-11-21T06:00:00Z",
                "2026-11-21T06:00:00Z shop-ios opened ops send first",
            ])
    }

    @Test func `what came and went at night is a line of one summary`() async throws {
        let decisions = try await preview(
            nights, Shop.line("shop-ios", crashed: 500), Shop.line("shop-android", crashed: 500),
            Shop.line("shop-ios", crashed: 0, seen: "2026-11-21T02:00:00Z"),
            Shop.line("shop-android", crashed: 0, seen: "2026-11-21T03:00:00Z"), now: "2026-11-21T06:00:00Z")
        let morning = decisions.filter { $0.hasPrefix("2026-11-21T06:00:00Z") }
        #expect(morning == ["2026-11-21T06:00:00Z - digest ops send quiet_hours:gate"], "\(decisions)")
        #expect(!decisions.contains { $0.contains(" resolved ops send") })
    }

    @Test func `the severity of except passes, and escalation to it is reported at once`() async throws {
        let gate = #"{plugin: quiet_hours, between: "22:00-07:00", except: critical}"#
        let decisions = try await preview(
            gate, Shop.line("shop-ios", crashed: 95, seen: "2026-11-20T22:00:00Z"),
            Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T23:00:00Z"))
        #expect(
            decisions == [
                "2026-11-20T22:00:00Z shop-ios opened ops hold quiet_hours:gate until 2026-11-21T06:00:00Z",
                "2026-11-20T23:00:00Z shop-ios opened ops send first",
            ])
    }

    @Test func `quiet hours that drop say it never, and nothing of its end`() async throws {
        let gate = #"{plugin: quiet_hours, between: "22:00-07:00", then: drop}"#
        let decisions = try await preview(
            gate, Shop.line("shop-ios", crashed: 500), Shop.line("shop-ios", crashed: 0, seen: "2026-11-21T08:00:00Z"),
            now: "2026-11-21T09:00:00Z")
        #expect(decisions.first == "2026-11-20T23:00:00Z shop-ios opened ops drop quiet_hours:gate")
        #expect(!decisions.contains { $0.contains(" send ") }, "\(decisions)")
        #expect(decisions.contains { $0.contains("resolved ops drop unannounced") }, "\(decisions)")
    }

    @Test func `what a mute covers is held to its end; what ended under it is dropped`() async throws {
        let gate = "{plugin: mute, match: {app: shop-*}, until: 2026-11-21 09:00, reason: freeze}"
        let held = "hold muted:gate until 2026-11-21T08:00:00Z"
        let decisions = try await preview(
            gate, Shop.line("shop-ios", crashed: 500), Shop.line("shop-web", crashed: 500),
            Shop.line("shop-web", crashed: 0, seen: "2026-11-21T04:00:00Z"),
            Shop.line("shop-ios", crashed: 500, seen: "2026-11-21T07:30:00Z"), now: "2026-11-21T08:00:00Z")
        #expect(decisions.contains("2026-11-20T23:00:00Z shop-ios opened ops \(held)"), "\(decisions)")
        #expect(decisions.contains("2026-11-20T23:00:00Z shop-web opened ops \(held)"))
        #expect(decisions.contains("2026-11-21T04:00:00Z shop-web opened ops drop muted:gate"))
        #expect(decisions.last == "2026-11-21T08:00:00Z shop-ios opened ops send first")
        #expect(!decisions.contains { $0.contains("shop-web") && $0.contains(" send ") })
    }

    @Test func `what was announced before the night has its end held, not forgotten`() async throws {
        let decisions = try await preview(
            nights, Shop.line("shop-ios", crashed: 500, seen: "2026-11-20T20:00:00Z"),
            Shop.line("shop-ios", crashed: 0, seen: "2026-11-20T23:00:00Z"), now: "2026-11-21T06:00:00Z")
        #expect(
            decisions == [
                "2026-11-20T20:00:00Z shop-ios opened ops send first",
                "2026-11-20T23:00:00Z shop-ios resolved ops hold quiet_hours:gate until 2026-11-21T06:00:00Z",
                "2026-11-21T06:00:00Z shop-ios resolved ops send resolved",
            ])
    }

    @Test func `a mute that ends in the night hands over to the night`() async throws {
        let config = "{plugin: mute, until: 2026-11-21 03:00}\n  nights: \(nights)"
        let decisions = try await preview(config, Shop.line("shop-ios", crashed: 500))
        #expect(
            decisions == ["2026-11-20T23:00:00Z shop-ios opened ops hold muted:gate until 2026-11-21T06:00:00Z"])
    }
}
