public import PluginKit

/// Times as people read them: on the clock of the bot's zone, without the date where they are of the day that it is.
public struct Clockface: Sendable {
    private let zone: Zone
    /// Nil where times of several days stand below each other and each needs its date.
    private let now: Moment?
    private let namesZone: Bool

    /// - Parameters:
    ///   - now: the time that it is; nil to show every time with its date.
    ///   - namesZone: whether every time says its zone, as it must where nothing else does; otherwise those say it at which
    ///     the clock goes by another name than now.
    public init(_ zone: Zone, now: Moment? = nil, namesZone: Bool = true) {
        self.zone = zone
        self.now = now
        self.namesZone = namesZone
    }

    /// The same where the zone has been named.
    func inNamedZone(at now: Moment) -> Clockface { Clockface(zone, now: now, namesZone: false) }

    /// The moment with everything: `Fri 20 Nov 12:00 UTC`.
    func whole(_ moment: Moment) -> String { zone.words(moment) }

    /// A time as the bot's JSON has it; as it stands where it is none.
    func at(_ written: String) -> String {
        guard let moment = Moment(rfc3339: written) else { return written.tamed }
        let wall = now.map { zone.wall(moment, readAt: $0) } ?? zone.wall(moment, in: .english)
        let isToday = now.map { zone.civil($0).day == zone.civil(moment).day } ?? false
        let time = isToday ? wall.split(separator: " ").last.map(String.init) ?? wall : wall
        // In the night in which clocks are set back, what is to come would look as if it were over.
        let isOfOtherName = now.map { zone.changes(from: $0, to: moment) } ?? false
        return namesZone || isOfOtherName ? "\(time) \(zone.abbreviation(at: moment))" : time
    }

    /// `for 3 h, since 09:00`.
    func lasting(since written: String) -> String {
        guard let now, let moment = Moment(rfc3339: written), moment <= now else { return "since \(at(written))" }
        return "for \((now - moment).rough), since \(at(written))"
    }

    /// `in 4 min`, or `now` where it is due.
    func ahead(_ written: String) -> String {
        guard let now, let moment = Moment(rfc3339: written) else { return "at \(at(written))" }
        return moment <= now ? "now" : "in \((moment - now).rough)"
    }

    /// Whether a time is at least a minute from now: before that it reads as the time that it is.
    func isAhead(_ written: String) -> Bool {
        guard let now, let moment = Moment(rfc3339: written) else { return true }
        return moment - now >= .minutes(1)
    }

    /// `40 min`, from one time to another; nil where that is no stretch.
    func length(from: String, to: String) -> String? {
        guard let from = Moment(rfc3339: from), let to = Moment(rfc3339: to), from <= to else { return nil }
        return (to - from).rough
    }
}
