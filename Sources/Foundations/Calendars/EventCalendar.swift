public import AlertModel
public import TimeZones

// Calendars reads iCalendar files (RFC 5545), such as the holidays that every calendar program exports, and tells on which
// days something is in them.
//
// It knows events, single and recurring, and of them nothing but when they are: no titles, no alarms, no tasks. What a rule
// of recurrence says that is not read here is a fault with its place, never a day too many or too few. It opens no file,
// asks no network and does not know what day it is.

/// The events of an iCalendar file.
public struct EventCalendar: Sendable, Hashable {
    /// The file, as places have it.
    public let name: String
    let events: [Event]

    /// A calendar without any event.
    public init(emptyNamed name: String) {
        self.name = name
        events = []
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - name: the file, as places shall have it.
    ///   - zones: where the zones are that events name.
    /// - Throws: all that is wrong with it, in the order of the file; of many faults the first `CalendarFaults.toldMax`.
    public init(_ bytes: [UInt8], name: String, zones: ZoneDatabase) throws(CalendarFaults) {
        var reader = CalendarReader(zones: zones)
        let events = reader.events(bytes)
        guard reader.faults.isEmpty else { throw CalendarFaults(reader.faults) }
        self.name = name
        self.events = events
    }

    /// A larger file is no calendar of holidays: Google's of a country has some 100 kB, and ten years of them a few
    /// hundred.
    public static let bytesMax = 1 << 20
    /// The same of events: 1 MiB holds no more of the shortest that mean something (`BEGIN`, `DTSTART`, `END` and a `UID`).
    public static let eventsMax = 20_000
    /// A calendar with more days than three centuries have is none of holidays, and whoever asks for them waits.
    public static let occurrencesMax = 100_000
    /// The same of days that are looked at and turn out to be none, as with a rule for 30 February: some tenths of a
    /// second, and enough for a thousand holidays until 2100.
    static let triedMax = 5_000_000
    /// Up to where events return that have no end: a bot of today does not run for longer. The first day of 2100.
    static let horizon = CivilTime.dayNumber(year: 2100, month: 1, day: 1)

    /// The days on which something is in the calendar: those of events that last whole days as they are written, those of
    /// other events as a clock of `zone` shows them. An end is excluded, so that what ends at midnight does not count for
    /// the day that begins then.
    public func days(in zone: Zone) throws(CalendarFaults) -> DateSet {
        var moved: [String: [Event.Start]] = [:]
        for event in events { if let id = event.id, let from = event.replaces { moved[id, default: []].append(from) } }
        var room = Expansion()
        var found: [DateRange] = []
        for event in events where !event.isCancelled {
            do throws(CalendarFault) {
                let left = event.replaces == nil ? event.id.flatMap { moved[$0] } ?? [] : []
                found += try event.days(in: zone, without: left, &room)
            } catch {
                throw CalendarFaults([error])
            }
        }
        return DateSet(found)
    }
}

/// What is left of the work that one calendar may make.
struct Expansion {
    private var occurrences = EventCalendar.occurrencesMax
    private var tries = EventCalendar.triedMax

    /// - Parameter line: of the rule.
    mutating func takeOccurrence(_ line: Int) throws(CalendarFault) {
        occurrences -= 1
        guard occurrences > 0 else {
            throw CalendarFault(
                line,
                "with this rule the calendar has more than \(EventCalendar.occurrencesMax) occurrences until 2100",
                advice: "give it an UNTIL")
        }
    }

    mutating func takeTry(_ line: Int) throws(CalendarFault) {
        tries -= 1
        guard tries > 0 else {
            throw CalendarFault(
                line, "the rules of this calendar ask for too many days that never come",
                advice: "give them an UNTIL, or remove those that fit no day")
        }
    }
}
