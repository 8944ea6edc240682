internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Preview
internal import Runtime
internal import Testing

/// The core as the running bot drives it (polls, attempts, restarts) and a preview of what it saw must say the same,
/// to the byte.
@Suite struct FaithfulnessTests {
    @Test(arguments: 1...200)
    func `a preview says what the bot says`(seed: UInt64) throws {
        let world = try World(seed: seed)
        var recording: [ObservationLine] = []
        var bot = Rehearsal(world.plan)
        bot.pollAnswer = { order, now in
            let report = world.report(of: order.source, at: now)
            recording += lines(of: report, order.source, now)
            return (report, .zero)
        }
        bot.start()
        for restart in world.restarts {
            bot.advance(to: restart)
            bot.crash()
        }
        let end = Moment.rehearsalStart + world.length
        bot.advance(to: end)

        var preview = Preview(plan: world.plan, state: State(memories: world.plan.memories), start: .rehearsalStart)
        for batch in recording.inBatches { preview.feed(batch.lines, at: batch.seen) }
        preview.advance(to: end)

        #expect(bot.objections.isEmpty, "seed \(seed)")
        #expect(
            firstDifference(told(bot.decisions), told(preview.decisions)) == nil,
            "seed \(seed)")
    }

    /// A file in between changes nothing.
    @Test(arguments: 1...20)
    func `a preview of a file says what a preview of its lines says`(seed: UInt64) throws {
        let world = try World(seed: seed)
        let recording = (0..<200).flatMap { index -> [ObservationLine] in
            let now = Moment.rehearsalStart + .minutes(Int64(index))
            return lines(of: world.report(of: "ios", at: now), "ios", now)
        }
        var direct = Playback(world.plan)
        for batch in recording.inBatches { direct.feed(batch) }
        var reader = ObservationReader(name: "recording", sources: ["ios"])
        var played = Playback(world.plan)
        reader.take(recording.map { $0.json.text + "\n" }.joined().utf8)
        reader.finish()
        while let batch = reader.nextBatch() { played.feed(batch) }
        #expect(reader.brokenCount == 0)
        let decisions = [direct.finish(now: .rehearsalStart), played.finish(now: .rehearsalStart)].map {
            told($0.decisions)
        }
        #expect(firstDifference(decisions[0], decisions[1]) == nil, "seed \(seed)")
    }

    private func lines(of report: PollReport, _ source: String, _ now: Moment) -> [ObservationLine] {
        report.lines(of: source, asked: now, arrived: now).map(\.line)
    }

    @Test func `the worlds are full of what matters`() throws {
        var reasons: Set<String> = []
        var kinds: Set<Notification.Kind> = []
        var rules: Set<String> = []
        for seed in UInt64(1)...60 {
            let world = try World(seed: seed)
            var preview = Preview(plan: world.plan, state: State(memories: world.plan.memories), start: .rehearsalStart)
            for minute in stride(from: Int64(0), to: 600, by: 5) {
                let now = Moment.rehearsalStart + .minutes(minute)
                preview.feed(lines(of: world.report(of: "ios", at: now), "ios", now), at: now)
            }
            reasons.formUnion(preview.decisions.map(\.reason.description))
            kinds.formUnion(preview.decisions.map(\.kind))
            rules.formUnion(preview.decisions.flatMap(\.message.incidents).map(\.rule))
        }
        #expect(
            reasons.isSuperset(of: [
                "first", "escalated", "repeat", "resolved", "muted:vacation", "quiet_hours:nights", "unannounced",
                "budget:calm-down",
            ]))
        #expect(rules.contains("partial-answers"))
        #expect(kinds.isSuperset(of: [.opened, .escalated, .reminder, .resolved, .digest]))
    }
}
