/// People who are on call in turns.
///
/// Turns change at the same time of the zone's wall clock, through every change of it: a handover that falls into a gap
/// is at the first instant after it, one that exists twice at its first. Before the first turn the order is followed
/// backwards, so that somebody is on call at every moment.
///
///     rotation.person(on: now)        // who is called now
///     rotation.nextChange(after: now) // until when
public struct Rotation: Hashable, Sendable {
    /// Somebody who can be called.
    public struct Person: Hashable, Sendable {
        public let name: String
        /// What chats call the person by, as the config has it; each chat uses those that it knows.
        public let mentions: [String]
        /// The channel in which routes to the rotation reach the person; nil for none.
        public let channel: String?

        public init(_ name: String, mentions: [String] = [], channel: String? = nil) {
            self.name = name
            self.mentions = mentions
            self.channel = channel
        }
    }

    /// A time in which somebody stands in, whoever's turn it is.
    public struct Override: Hashable, Sendable {
        public let span: TimeSpan
        /// Among the people.
        public let person: Int

        public init(_ person: Int, in span: TimeSpan) {
            self.person = person
            self.span = span
        }
    }

    /// Somebody's time on call, as far as it was asked for.
    public struct Shift: Hashable, Sendable {
        public let person: Person
        public let span: TimeSpan
    }

    public let name: String
    public let zone: Zone
    /// In the order of their turns; at least one.
    public let people: [Person]
    private let starts: CivilTime
    private let turnSeconds: Int
    /// Of two that overlap, the later one counts.
    private let overrides: [Override]

    /// Nil without people, with turns of less than a second, and with an override of nobody.
    ///
    /// - Parameters:
    ///   - starts: when the first person's turn begins, on the zone's wall.
    ///   - every: how long a turn is, on that wall.
    public init?(
        _ name: String, zone: Zone, starts: CivilTime, every: Duration, people: [Person], overrides: [Override] = []
    ) {
        turnSeconds = Int(every.inSeconds)
        guard !people.isEmpty, turnSeconds > 0, overrides.allSatisfy({ people.indices.contains($0.person) }) else {
            return nil
        }
        self.name = name
        self.zone = zone
        self.starts = starts
        self.people = people
        self.overrides = overrides
    }

    /// What stands in front of a rotation's name where somebody or something else could be named: `oncall:mobile`.
    public static let prefix = "oncall:"

    /// Who is on call.
    public func person(on now: Moment) -> Person { people[index(at: now)] }

    /// When somebody else is on call; nil where nobody ever is.
    public func nextChange(after now: Moment) -> Moment? {
        let person = index(at: now)
        var moment = now
        // Each step leaves a turn or an override behind, and after one round of all of them it is somebody else.
        for _ in 0..<(people.count + 2 * overrides.count + 2) {
            guard let next = nextBoundary(after: moment) else { return nil }
            if index(at: next) != person { return next }
            moment = next
        }
        return nil
    }

    /// Since when somebody with that channel is on call; nil where it is nobody's turn who has it, or always was.
    public func onCallSince(_ now: Moment, channel: String) -> Moment? {
        guard person(on: now).channel == channel else { return nil }
        var moment = now
        // As above, backwards.
        for _ in 0..<(people.count + 2 * overrides.count + 2) {
            guard let begun = lastBoundary(upTo: moment) else { return nil }
            moment = begun - .milliseconds(1)
            if person(on: moment).channel != channel { return begun }
        }
        return nil
    }

    /// Who is on call from one moment to another, one after the other; at most `count`.
    public func shifts(in span: TimeSpan, count: Int) -> [Shift] {
        var shifts: [Shift] = []
        var from = span.from
        while from < span.to, shifts.count < count {
            let end = min(nextChange(after: from) ?? span.to, span.to)
            guard let part = TimeSpan(from: from, to: end) else { break }
            shifts.append(Shift(person: person(on: from), span: part))
            from = end
        }
        return shifts
    }

    private func index(at now: Moment) -> Int {
        if let override = override(at: now) { return override.person }
        let rest = turn(at: now) % people.count
        return rest < 0 ? rest + people.count : rest
    }

    private func override(at now: Moment) -> Override? {
        overrides.last { $0.span.from <= now && now < $0.span.to }
    }

    /// How many turns have begun after the first one; negative before it.
    private func turn(at now: Moment) -> Int {
        let wall = zone.civil(now)
        let passed = (wall.day - starts.day) * 86_400 + wall.secondOfDay - starts.secondOfDay
        var turn = passed >= 0 ? passed / turnSeconds : -((turnSeconds - 1 - passed) / turnSeconds)
        // A wall that shows an hour twice seems to go back behind a handover that has been.
        for _ in 0..<Rotation.turnsSetBackMax {
            guard handover(to: turn + 1) <= now else { break }
            turn += 1
        }
        return turn
    }

    /// Clocks are set back by an hour, once by a day: no more turns than that has hours.
    private static let turnsSetBackMax = 24

    private func handover(to turn: Int) -> Moment {
        zone.moment(beginning: CivilTime(day: starts.day, secondOfDay: starts.secondOfDay + turn * turnSeconds))
    }

    /// When a turn or an override next begins or ends in earnest.
    private func nextBoundary(after now: Moment) -> Moment? {
        var next = overrides.flatMap { [$0.span.from, $0.span.to] }.filter { $0 > now }.min()
        if override(at: now) == nil, people.count > 1 {
            let handover = handover(to: turn(at: now) + 1)
            if handover > now { next = min(handover, next ?? handover) }
        }
        return next
    }

    /// When a turn or an override last began or ended in earnest.
    private func lastBoundary(upTo now: Moment) -> Moment? {
        var last = overrides.flatMap { [$0.span.from, $0.span.to] }.filter { $0 <= now }.max()
        if override(at: now) == nil, people.count > 1 {
            let handover = handover(to: turn(at: now))
            if handover <= now { last = max(handover, last ?? handover) }
        }
        return last
    }
}

/// Somebody whom a chat is to call.
public enum Callee: Hashable, Sendable {
    /// As the chat writes it.
    case written(String)
    /// Whoever is on call when the message leaves.
    case onCall(Rotation)
}
