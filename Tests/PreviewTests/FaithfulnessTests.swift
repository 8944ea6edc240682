internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Preview
internal import Testing

/// The core as the running bot drives it (polls, attempts, restarts) and a preview of what it saw must say the same,
/// to the byte.
@Suite struct FaithfulnessTests {
    /// What makes up a world; a new gate needs one more line in `gates`.
    private struct World {
        let plan: Plan
        let length: Duration
        /// When the bot is killed and started anew.
        let restarts: [Moment]
        let seed: UInt64

        init(seed: UInt64) {
            var random = SeededRandom(seed: seed)
            self.seed = seed
            let sources = ["ios", "web"].prefix(Int.random(in: 1...2, using: &random)).map {
                SourcePlan(name: $0, jitter: random.happens(0.5) ? 0.1 : 0)
            }
            let detectors = (0..<Int.random(in: 1...3, using: &random)).map { index in
                let hold = Duration.minutes(random.pick([0, 0, 5, 12]) ?? 0)
                return DetectorPlan(
                    name: "look-\(index)", detector: ScriptedDetector(for: hold, lookback: .minutes(30)),
                    repeat: random.happens(0.3) ? nil : .hours(Int64.random(in: 1...4, using: &random)))
            }
            let channels = ["team", "ops", "boss"].prefix(Int.random(in: 1...3, using: &random)).map {
                ChannelPlan(name: $0)
            }
            plan = Plan.rehearsed(
                sources: Array(sources), detectors: detectors, gates: World.gates(&random), channels: Array(channels),
                routes: random.happens(0.3)
                    ? [Route(match: .on(["severity": "critical"]), to: channels.map(\.name)), Route(to: ["team"])] : [])
            length = .hours(Int64.random(in: 4...9, using: &random))
            restarts = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                .rehearsalStart + .seconds(Int64.random(in: 600...(4 * 3600), using: &random))
            }.sorted()
        }

        private static func gates(_ random: inout SeededRandom) -> [GatePlan] {
            func span() -> (String, String) {
                let begin = Int.random(in: 12...16, using: &random)
                return ("2026-11-20 \(begin):20", "2026-11-20 \(begin + Int.random(in: 1...4, using: &random)):05")
            }
            func except() -> Severity? { random.happens(0.5) ? .critical : nil }
            var gates: [GatePlan] = []
            if random.happens(0.6) {
                let (from, until) = span()
                gates.append(.mute("vacation", from: from, until: until, except: except(), match: .on(["app": "shop"])))
            }
            if random.happens(0.6) {
                let (from, until) = span()
                gates.append(.quiet("nights", from: from, until: until, except: except(), drops: random.happens(0.3)))
            }
            return gates
        }

        /// What a source would see now: looks that last, late and incomplete figures, failures.
        func report(of source: String, at now: Moment) -> PollReport {
            var random = SeededRandom(seed: seed ^ UInt64(truncatingIfNeeded: now.milliseconds) ^ UInt64(source.count))
            if random.happens(0.06) {
                // What a recording keeps of a failure is its reason.
                return PollReport(.failed(PollFailure(.timeout, "the poll failed: timeout")))
            }
            let observations = ["shop", "bank", "game"].flatMap { app -> [Observation] in
                guard random.happens(0.9) else { return [] }
                let subject = Subject(source: source, app: app)
                var observation = Observation.look(look(app, now, &random), of: subject, at: now)
                guard random.happens(0.15) else { return [observation] }
                // Late: of a span that ended before, perhaps in the same answer as the newest.
                let newest = observation
                observation.span = TimeSpan(
                    lasting: .minutes(5), until: now - .minutes(Int64.random(in: 1...20, using: &random)))
                observation.isComplete = random.happens(0.5)
                return random.happens(0.5) ? [observation] : [observation, newest]
            }
            return observations.isEmpty
                ? PollReport(.failed(PollFailure(.timeout, "the poll failed: timeout")))
                : PollReport(.values(observations))
        }

        private static let lasting: [Look] = [
            .fine, .fine, .fine, .near, .warning, .critical, .recovering, .unknown,
        ]

        /// Looks change every half hour or so, and flicker a little.
        private func look(_ app: String, _ now: Moment, _ random: inout SeededRandom) -> Look {
            let part = UInt64(truncatingIfNeeded: now.milliseconds / 1_700_000)
            var slow = SeededRandom(seed: seed &* 31 &+ part &+ UInt64(app.utf8.first ?? 0))
            let lasting = slow.pick(World.lasting) ?? .fine
            return random.happens(0.1) ? random.pick(Look.allCases) ?? .fine : lasting
        }
    }

    /// Everything that people could notice of a decision.
    private func told(_ decisions: [DecisionRecord]) -> [String] {
        var held: [String: String] = [:]
        return decisions.compactMap { record in
            // A bot that starts while figures are stale looks at everything anew, and may hold once more what it holds.
            let place = "\(record.channel) \(record.incident ?? "-")"
            let hold = "\(record.kind) \(record.severity) \(record.decision) \(record.reason)"
            if case .hold = record.decision, held[place] == hold { return nil }
            held[place] = hold
            return
                "\(record.at) \(record.channel) \(record.kind.rawValue) \(record.severity) \(record.decision) "
                + "\(record.reason) \(record.incident ?? "-") \(record.delivery ?? "-") \(record.message.json.text)"
        }
    }

    @Test(arguments: 1...200)
    func `a preview says what the bot says`(seed: UInt64) {
        let world = World(seed: seed)
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

        var preview = Preview(plan: world.plan, state: State(), start: .rehearsalStart)
        for batch in recording.inBatches { preview.feed(batch.lines, at: batch.seen) }
        preview.advance(to: end)

        #expect(bot.objections.isEmpty, "seed \(seed)")
        #expect(firstDifference(told(bot.decisions), told(preview.decisions)) == nil, "seed \(seed)")
    }

    /// Two long lists side by side would hide where they part.
    private func firstDifference(_ live: [String], _ previewed: [String]) -> String? {
        for index in 0..<max(live.count, previewed.count) {
            let (left, right) = (
                index < live.count ? live[index] : "-", index < previewed.count ? previewed[index] : "-"
            )
            if left != right { return "decision \(index):\nlive    \(left)\npreview \(right)" }
        }
        return nil
    }

    /// A file in between changes nothing.
    @Test(arguments: 1...20)
    func `a preview of a file says what a preview of its lines says`(seed: UInt64) {
        let world = World(seed: seed)
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
        let decisions = direct.finish(now: .rehearsalStart).decisions
        #expect(
            firstDifference(told(decisions), told(played.finish(now: .rehearsalStart).decisions)) == nil, "seed \(seed)"
        )
    }

    private func lines(of report: PollReport, _ source: String, _ now: Moment) -> [ObservationLine] {
        switch report.outcome {
        case .values(let observations): observations.map(ObservationLine.observed)
        case .failed(let failure): [.failed(source: source, reason: failure.reason.rawValue, seen: now)]
        default: []
        }
    }

    @Test func `the worlds are full of what matters`() {
        var reasons: Set<String> = []
        var kinds: Set<Notification.Kind> = []
        for seed in UInt64(1)...60 {
            let world = World(seed: seed)
            var preview = Preview(plan: world.plan, state: State(), start: .rehearsalStart)
            for minute in stride(from: Int64(0), to: 600, by: 5) {
                let now = Moment.rehearsalStart + .minutes(minute)
                preview.feed(lines(of: world.report(of: "ios", at: now), "ios", now), at: now)
            }
            reasons.formUnion(preview.decisions.map(\.reason.description))
            kinds.formUnion(preview.decisions.map(\.kind))
        }
        #expect(
            reasons.isSuperset(of: [
                "first", "escalated", "repeat", "resolved", "muted:vacation", "quiet_hours:nights", "unannounced",
            ]))
        #expect(kinds.isSuperset(of: [.opened, .escalated, .reminder, .resolved, .digest]))
    }
}
