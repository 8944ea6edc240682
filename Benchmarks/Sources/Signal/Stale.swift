internal import AlertCore
internal import AlertModel
internal import Glibc
internal import Measuring
internal import Preview

/// What `stale` tells of sources whose figures come late, and at times not at all.
///
/// Asked every five minutes, a source answers with its newest five minutes, usually four to ten minutes old. Two polls
/// in a hundred fail. Every three days on average its pipeline hangs for a while, 25 minutes on average and at most
/// three hours, and catches up: that is nothing to wake anybody for. Every twenty days it stands still for 4 to 24
/// hours: a true one.
struct StaleTrial {
    static let afters = ["10m", "15m", "30m", "1h", "2h", "4h"]

    private let sourceMonths: Double
    private var falseAlarms: [String: Int] = [:]
    private var delays: [String: [Double]] = [:]
    private var stalls = 0
    private var hangs = 0

    init(sources: Int, days: Int, seed: UInt64) {
        sourceMonths = Double(sources * days) / 30
        for number in 0..<sources {
            var chance = Chance(seed: seed &* 15_485_863 &+ UInt64(number))
            play(days: days, &chance)
        }
    }

    /// Pauses of the pipeline, in minutes since the world began.
    private static func pauses(
        minutes: Double, every days: Double, _ chance: inout Chance, lasting: (inout Chance) -> Double
    ) -> [ClosedRange<Double>] {
        var pauses: [ClosedRange<Double>] = []
        var begin = 0.0
        while true {
            begin += 24 * 60 - log(1 - chance.unit()) * (days - 1) * 24 * 60
            guard begin < minutes else { return pauses }
            let end = begin + lasting(&chance)
            pauses.append(begin...end)
            begin = end
        }
    }

    private mutating func play(days: Int, _ chance: inout Chance) {
        let minutes = Double(days) * 1440
        let stalls = StaleTrial.pauses(minutes: minutes, every: 20, &chance) { 240 + 1200 * $0.unit() }
        // What hangs while all stands still is part of that.
        let hangs = StaleTrial.pauses(minutes: minutes, every: 3, &chance) { min(180, -25 * log(1 - $0.unit())) }
            .filter { hang in !stalls.contains { $0.overlaps(hang.lowerBound - 60...hang.upperBound + 60) } }
        self.stalls += stalls.count
        self.hangs += hangs.count
        let rules = StaleTrial.afters.map { "old-\($0): {plugin: stale, after: \($0)}" }.joined(separator: "\n")
        var preview = playback(rules: rules)
        let pauses = stalls + hangs
        for step in 1..<(days * 288) {
            let minute = Double(step) * 5
            let now = worldBegin + .seconds(Int64(minute * 60))
            guard chance.unit() >= 0.02 else {
                preview.feed(
                    ObservationReader.Batch(
                        seen: now, lines: [.failed(source: "world", reason: "timeout", seen: now)]))
                continue
            }
            // The newest whole five minutes that the pipeline has let through.
            let reached = pauses.first { $0.contains(minute) }?.lowerBound ?? minute
            let newest = ((reached - 4 - chance.unit()) / 5).rounded(.down) * 5
            let end = worldBegin + .seconds(Int64(newest * 60))
            let observation = Observation(
                subject: Subject(source: "world", app: "app"), span: TimeSpan(lasting: .minutes(5), until: end),
                seen: now,
                metrics: [.users: 1000, .crashedUsers: 1])
            preview.feed(ObservationReader.Batch(seen: now, lines: [.observed(observation)]))
        }
        for decision in preview.finish(now: worldBegin).decisions where decision.kind == .opened {
            guard let rule = decision.message.incidents.first?.rule, rule.hasPrefix("old-") else { continue }
            let minute = (decision.at - worldBegin).inSeconds / 60
            // The last look before the end of a stall may still be on its way when it ends.
            if let stall = stalls.first(where: { $0.lowerBound...($0.upperBound + 5) ~= minute }) {
                delays[rule, default: []].append(minute - stall.lowerBound)
            } else {
                falseAlarms[rule, default: 0] += 1
            }
        }
    }

    func write() {
        print("\n## Stale sources\n")
        print(
            "\(fixed(sourceMonths, 0)) source-months; \(hangs) short hangs, \(stalls) true stalls of 4 to 24 hours.\n")
        let table = Table(
            "stale", ["after", "false alarms a source-month", "stalls reported", "minutes until reported"])
        for after in StaleTrial.afters {
            let delays = delays["old-\(after)"] ?? []
            table.add(
                [
                    after, fixed(Double(falseAlarms["old-\(after)"] ?? 0) / sourceMonths, 2),
                    "\(delays.count) of \(stalls)", spread(delays),
                ])
        }
    }
}
