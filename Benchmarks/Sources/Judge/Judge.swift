internal import AlertModel
internal import BotConfig
internal import BuiltinPlugins
internal import DropDetector
internal import Glibc
internal import Measuring
internal import PluginKit
internal import ThresholdDetector

/// What one observation costs to judge: the best of twenty runs, in time of the processor, in nanoseconds.
@main struct Judge {
    static func main() throws {
        let rounds = CommandLine.arguments.contains("--quick") ? 5_000 : 50_000
        let context = RuleContext(name: "bench", zone: .utc, checksPerDay: 1440)
        let floor = try rule(ThresholdDetector.self, context, metric: "crash_free_sessions")
        let users = try rule(ThresholdDetector.self, context, metric: "crash_free_users")
        let drop = try rule(DropDetector.self, context, metric: "crash_free_sessions")

        let table = Table("costs", ["what", "ns"])
        let pooled = series(count: 30 * 288, keeping: .hours(1), crashed: 1)
        report(table, "threshold, sessions pooled from 12 spans", rounds) {
            floor.judge(pooled, at: end).isFiring ? 1 : 0
        }
        report(table, "threshold, users of one span", rounds) { users.judge(pooled, at: end).isFiring ? 1 : 0 }
        report(table, "threshold, users of one span, at a glance", rounds) {
            users.glance(pooled, at: end) == nil ? 1 : 0
        }
        report(table, "of it: pooling", rounds) {
            pooled.measured("crash_free_sessions", over: .hours(1)) == nil ? 1 : 0
        }
        report(table, "of it: percent", rounds) { (0.9912).percent.isEmpty ? 1 : 0 }
        let minutes = series(count: 1440, keeping: .hours(1), crashed: 0.3, span: .minutes(1))
        report(table, "threshold, sessions pooled from 60 spans", rounds) {
            floor.judge(minutes, at: end).isFiring ? 1 : 0
        }
        let bad = series(count: 288, keeping: .hours(1), crashed: 8)
        report(table, "threshold, beyond its limit and firing", rounds / 10) {
            floor.judge(bad, at: end).isFiring ? 1 : 0
        }

        let learned = series(count: 30 * 288, keeping: .hours(1), crashed: 1, learning: drop.needs)
        report(table, "drop, judging", rounds) { drop.judge(learned, at: end).isFiring ? 1 : 0 }
        report(table, "drop, at a glance", rounds) { drop.glance(learned, at: end) == nil ? 1 : 0 }
        var memory = learned.memories(DropMemory.self)[0]
        var step = 0
        report(table, "drop, learning from a span of five minutes", rounds) {
            step += 1
            memory.add(observation(step, crashed: 1, from: end))
            return memory.isReady ? 1 : 0
        }
        var kept = learned
        report(table, "keeping a span of five minutes, and what three plugins remember", rounds) {
            step += 1
            kept.add(observation(step, crashed: 1, from: end), keeping: .hours(1))
            return kept.samples.count
        }
        print("\nstate of drop for one app and rule: \(memory.json.text.utf8.count) bytes as JSON")
    }

    static let start = Moment(milliseconds: 1_795_176_000_000)
    static let end = start + .days(30)

    static func rule<Rule: Detector>(_ type: Rule.Type, _ context: RuleContext, metric: String) throws -> Rule {
        let place = Position(line: 1, column: 1)
        var values = ["metric": Option(.text(GuardedText(metric)), at: place)]
        if type == ThresholdDetector.self {
            values["warning"] = Option(.comparison(try Comparison(grammar: "< 99.5%")), at: place)
        }
        return try Rule(options: Options(name: "bench", position: place, values: values), context: context)
    }

    static func observation(_ step: Int, crashed: Double, from start: Moment, span: Duration = .minutes(5))
        -> Observation
    {
        let to = start + span * (step + 1)
        return Observation(
            subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: span, until: to), seen: to,
            metrics: [
                "users": 500, "crashed_users": (crashed * Double(step % 3)).rounded(), "sessions": 700,
                "crashed_sessions": (crashed * Double(step % 3)).rounded(),
            ])
    }

    static func series(
        count: Int, keeping retention: Duration, crashed: Double, span: Duration = .minutes(5),
        learning needs: MemoryNeeds = []
    ) -> Series {
        var series = Series(remembering: PluginCatalog.builtin.memories)
        series.remember(needs)
        let begin = end - span * count
        for step in 0..<count {
            series.add(
                observation(step, crashed: crashed, from: begin, span: span), keeping: retention)
        }
        return series
    }

    static func report(_ table: Table, _ title: String, _ rounds: Int, _ body: () -> Int) {
        var best = Double.infinity
        var sum = 0
        for _ in 0..<20 {
            let begin = nanoseconds()
            for _ in 0..<rounds { sum &+= body() }
            best = min(best, Double(nanoseconds() - begin) / Double(rounds))
        }
        table.add([title + (sum < 0 ? "!" : ""), grouped(best)])
    }

    static func nanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

extension Judgement {
    var isFiring: Bool {
        if case .firing = verdict { true } else { false }
    }
}
