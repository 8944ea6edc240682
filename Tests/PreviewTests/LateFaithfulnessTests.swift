internal import AlertCore
internal import AlertTesting
internal import Chance
internal import PluginKit
internal import Preview
internal import Testing

/// Late figures of long ago mean the same to the running bot, to one that is started anew and to a preview.
@Suite struct LateFaithfulnessTests {
    private static let length = 40

    /// What a source sees: hours that go well or badly for a while, and hours of long ago as they turn out to be.
    private func observations(_ seed: UInt64, at now: Moment) -> [Observation] {
        var random = SeededRandom(seed: seed ^ UInt64(truncatingIfNeeded: now.milliseconds))
        return ["shop", "bank"].flatMap { app -> [Observation] in
            let subject = Subject(source: "ios", app: app)
            var stretch = SeededRandom(
                seed: seed &+ UInt64(truncatingIfNeeded: now.milliseconds / 14_400_000) &+ UInt64(app.utf8.count))
            func hour(_ end: Moment, _ crashed: Int) -> Observation {
                var observation = Observation.figures(
                    ["users": 1000, "crashed_users": Double(crashed)], of: subject, at: end, lasting: .hours(1))
                observation.seen = now
                return observation
            }
            let isBad = stretch.happens(0.5)
            var seen = [hour(now, isBad ? Int.random(in: 12...60, using: &random) : 2)]
            if random.happens(0.3) {
                let late = now - .hours(Int64.random(in: 1...20, using: &random))
                seen.insert(hour(late, Int.random(in: 0...60, using: &random)), at: random.happens(0.5) ? 0 : 1)
            }
            return seen
        }
    }

    @Test func `a preview says of late figures what the bot says`() throws {
        var revised = (open: 0, over: 0)
        for seed in UInt64(1)...40 {
            let plan = Plan.rehearsed(
                sources: [SourcePlan(name: "ios", every: .hours(1), jitter: 0, slowsWhen: [])],
                detectors: [
                    DetectorPlan(name: "floor", detector: BareFloor(lookback: .hours(1)), repeat: .hours(3))
                ],
                gates: seed % 2 == 0 ? [.quiet(from: "2026-11-20 22:00", until: "2026-11-21 06:00")] : [])
            var bot = Rehearsal(plan)
            bot.pollAnswer = { _, _ in nil }
            bot.comparesReplay = seed % 8 == 0
            bot.start()
            var preview = Preview(plan: plan, state: State(), start: .rehearsalStart)
            for step in 0..<LateFaithfulnessTests.length {
                let now = Moment.rehearsalStart + .hours(Int64(step + 1))
                bot.advance(to: now)
                if step % 9 == 4 { bot.crash() }
                let seen = observations(seed, at: now)
                bot.see(seen)
                preview.feed(seen.map(ObservationLine.observed), at: now)
            }
            let end = Moment.rehearsalStart + .hours(Int64(LateFaithfulnessTests.length + 1))
            bot.advance(to: end)
            preview.advance(to: end)
            #expect(bot.objections.isEmpty, "seed \(seed)")
            #expect(firstDifference(told(bot.decisions), told(preview.decisions)) == nil, "seed \(seed)")
            for decision in preview.decisions where decision.kind == .revised && decision.decision == .send {
                let isOver = decision.message.incidents.contains { $0.until != nil }
                if isOver { revised.over += 1 } else { revised.open += 1 }
            }
        }
        // Both happen, or it would show nothing.
        #expect(revised.open > 5 && revised.over > 5, "\(revised)")
    }
}
