internal import AlertModel
internal import TimeZones

/// One event of a calendar, perhaps a recurring one.
struct Event: Sendable, Hashable {
    /// What clock the wall times of an event are read on.
    enum Clock: Hashable, Sendable {
        /// The one of whoever reads it.
        case floating
        case of(Zone)
    }

    /// When an event begins.
    enum Start: Hashable, Sendable {
        /// A whole day, counted from 1970-01-01.
        case day(Int)
        case time(CivilTime, Clock)

        /// The day on its own wall.
        var day: Int {
            switch self {
            case .day(let day): day
            case .time(let civil, _): civil.day
            }
        }
    }

    /// How long an event is.
    struct Length: Hashable, Sendable {
        /// Seconds on the wall, however long a clock makes its days.
        var wall = 0
        /// Seconds that pass besides.
        var seconds = 0

        static let day = Length(wall: 86_400)
    }

    let id: String?
    let start: Start
    let length: Length
    let rules: [RecurrenceRule]
    /// Further beginnings, and beginnings that are left out.
    let more: [Start]
    let without: [Start]
    /// Of a recurring event of the same id, the occurrence in whose place this one stands.
    let replaces: Start?
    let isCancelled: Bool

    /// The days on a clock of `zone` on which it is.
    ///
    /// - Parameter left: beginnings that are left out besides.
    func days(in zone: Zone, without left: [Start], _ room: inout Expansion) throws(CalendarFault) -> [DateRange] {
        // A recurring event whose UNTIL comes before its first day has been ended by somebody and is never.
        var starts: [Start] = (rules.isEmpty ? [start] : []) + more
        for rule in rules { starts += try occurrences(of: rule, zone, &room) }
        let missing = Missing(without + left, like: start, zone)
        var found: [DateRange] = []
        var known: Set<Start> = []
        for start in starts where known.insert(start).inserted && !missing.contains(start) {
            found.append(span(start, zone))
        }
        return found
    }

    private func occurrences(
        of rule: RecurrenceRule, _ zone: Zone, _ room: inout Expansion
    ) throws(CalendarFault) -> [Start] {
        switch start {
        case .day(let day):
            // Many a program writes midnight in UTC for the date that is meant.
            return try rule.days(from: day, through: rule.until?.day, &room).map(Start.day)
        case .time(let civil, let clock):
            var last: Int?
            var end: CivilTime?
            switch rule.until {
            case nil: break
            case .day(let day): last = day
            case .time(let until, let other):
                end = other.civil(until, on: clock, zone)
                last = end?.day
            }
            let days = try rule.days(from: civil.day, through: last, &room)
            let times = days.map { CivilTime(day: $0, secondOfDay: civil.secondOfDay) }
            return times.filter { $0 <= end ?? $0 }.map { .time($0, clock) }
        }
    }

    /// The days that one occurrence takes; each takes at least one.
    private func span(_ start: Start, _ zone: Zone) -> DateRange {
        switch start {
        case .day(let day): return DateRange(day...(day + max(length.wall / 86_400, 1) - 1))
        case .time(let civil, let clock):
            let own = clock.zone ?? zone
            let from = own.moment(beginning: civil)
            let last = CivilTime(day: civil.day, secondOfDay: civil.secondOfDay + length.wall)
            // Ends are excluded, so what counts is the second before.
            let end = own.moment(beginning: last) + .seconds(Int64(length.seconds) - 1)
            let first = zone.civil(from).day
            return DateRange(first...max(first, zone.civil(end).day))
        }
    }

    /// Beginnings that are left out.
    private struct Missing {
        private var days: Set<Int> = []
        private var times: Set<CivilTime> = []

        /// - Parameter start: the first beginning, on whose clock the others are.
        init(_ starts: [Start], like start: Start, _ zone: Zone) {
            for missing in starts {
                switch (missing, start) {
                case (.time(let civil, let clock), .time(_, let own)):
                    times.insert(clock.civil(civil, on: own, zone))
                // Programs write either kind for the other: then the whole day is meant.
                case (.time, .day), (.day, _): days.insert(missing.day)
                }
            }
        }

        func contains(_ start: Start) -> Bool {
            if days.contains(start.day) { return true }
            guard case .time(let civil, _) = start else { return false }
            return times.contains(civil)
        }
    }
}

extension Event.Clock {
    /// Nil for that of whoever reads it.
    fileprivate var zone: Zone? { if case .of(let zone) = self { zone } else { nil } }

    /// What another clock shows when this one shows `civil`; `zone` is the one of whoever reads it.
    fileprivate func civil(_ civil: CivilTime, on other: Event.Clock, _ zone: Zone) -> CivilTime {
        guard self != other, let own = self.zone else { return civil }
        return (other.zone ?? zone).civil(own.moment(beginning: civil))
    }
}
