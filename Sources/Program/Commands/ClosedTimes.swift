internal import PluginKit

/// When a gate is closed, in few words: days on which it closes and opens at the same time are one line.
struct ClosedTimes {
    private let zone: Zone
    private let now: Moment
    /// Spans that begin and end at the same times of the day, on days that follow one another.
    private var runs: [[TimeSpan]] = []

    /// - Parameters:
    ///   - spans: in order, as they are from now on.
    init(_ spans: [TimeSpan], in zone: Zone, now: Moment) {
        self.zone = zone
        self.now = now
        for span in spans {
            if let last = runs.last?.last, follows(span, last) {
                runs[runs.count - 1].append(span)
            } else {
                runs.append([span])
            }
        }
    }

    var lines: [String] { runs.compactMap(line) }

    /// Whether it is the same a day later. Where the clock is changed a line of its own says what becomes of the night.
    private func follows(_ span: TimeSpan, _ last: TimeSpan) -> Bool {
        guard span.to < .latest else { return false }
        return shifted(last.from) == zone.civil(span.from) && shifted(last.to) == zone.civil(span.to)
            && hours(last) == hours(span)
    }

    private func shifted(_ moment: Moment) -> CivilTime {
        let civil = zone.civil(moment)
        return CivilTime(day: civil.day + 1, secondOfDay: civil.secondOfDay)
    }

    private func line(_ run: [TimeSpan]) -> String? {
        guard let first = run.first, let last = run.last else { return nil }
        guard first.to < .latest else { return "always" }
        guard run.count > 1 else {
            // What is closed from now on was closed before, and nobody wants to know what time it is.
            if first.from == now { return "until \(ClosedTimes.wall(first.to, zone))" }
            return "\(ClosedTimes.wall(first.from, zone)) – \(ClosedTimes.wall(first.to, zone))"
        }
        let (from, to) = (ClosedTimes.date(zone.civil(first.from)), ClosedTimes.date(zone.civil(last.from)))
        return "\(from) – \(to), daily \(hours(first))"
    }

    private func hours(_ span: TimeSpan) -> String {
        "\(zone.civil(span.from).clockText) – \(zone.civil(span.to).clockText) "
            + zone.abbreviation(at: span.to)
    }

    /// A moment with its day, its time and the clock that it is by: `Mon 2026-11-23 22:00 CET`.
    static func wall(_ moment: Moment, _ zone: Zone) -> String {
        let civil = zone.civil(moment)
        return "\(date(civil)) \(civil.clockText) \(zone.abbreviation(at: moment))"
    }

    private static func date(_ civil: CivilTime) -> String {
        let weekday = civil.weekday.shortName
        return "\(weekday.prefix(1).uppercased())\(weekday.dropFirst()) \(civil.dateText)"
    }
}
