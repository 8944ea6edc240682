import AlertTesting
import Chance
import PluginKit
import Testing

@testable import Preview

/// What was told of is held against what really happened.
@Suite struct `Detections` {
    private let start = Moment.utc("2026-11-20 12:00")

    @Test(arguments: SeededRandom.seeds)
    func `each true incident is held against all that was told of its app, and the other way round`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var truth: [TrueIncident] = []
            for _ in 0..<random.below(8) {
                let from = moment(&random)
                let span = TimeSpan(from: from, to: from + .minutes(Int64(1 + random.below(4))))
                if let span { truth.append(TrueIncident(app: random.app(), span: span)) }
            }
            var told: [Detection.Told] = []
            for _ in 0..<random.below(8) {
                let since = moment(&random)
                let opening = since + .minutes(Int64(random.below(3)))
                let until = random.happens(0.2) ? nil : since + .minutes(Int64(random.below(6)))
                told.append(Detection.Told(app: random.app(), since: since, until: until, opening: opening))
            }
            let (from, to) = (start + .minutes(2), start + .minutes(16))
            let detection = Detection(truth, told, from: from, to: to)
            let within = truth.filter { $0.span.from <= to && from <= $0.span.to }
            #expect(detection.cases == within.map { Detection.Case(incident: $0, delay: delay(of: $0, told)) })
            #expect(detection.falseAlarms == told.count { isFalse($0, truth) }, "\(told) for \(truth)")
        }
    }

    private func moment(_ random: inout SeededRandom) -> Moment { start + .minutes(Int64(random.below(20))) }

    private func delay(of known: TrueIncident, _ told: [Detection.Told]) -> Duration? {
        let own = told.filter { $0.app == known.app }
        let isStanding = own.contains {
            $0.opening < known.span.from && ($0.until ?? .latest) > known.span.from
        }
        if isStanding { return .zero }
        let first = own.map(\.opening).filter { known.span.from <= $0 && $0 <= known.span.to }.min()
        return first.map { $0 - known.span.from }
    }

    private func isFalse(_ told: Detection.Told, _ truth: [TrueIncident]) -> Bool {
        !truth.contains {
            $0.app == told.app && $0.span.from < (told.until ?? .latest) && told.since < $0.span.to
        }
    }
}

extension SeededRandom {
    fileprivate mutating func app() -> String { happens(0.6) ? "shop" : "bank" }
}
