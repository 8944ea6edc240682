import AlertModel
import Chance
import Testing
import TimeZones

@Suite struct `Zones` {
    @Test(arguments: [(Words.english, "Tue 5 Mar 2024 10:00"), (.spanish, "mar 5 mar 2024 10:00")])
    func `a moment of another year is told with its year`(words: Words, told: String) throws {
        let moment = try #require(Moment(rfc3339: "2024-03-05T10:00:00Z"))
        let short = told.replacing(" 2024", with: "")
        #expect(Zone.utc.wall(moment, in: words, readAt: moment + .days(365)) == told)
        #expect(Zone.utc.wall(moment, in: words, readAt: moment + .days(200)) == short)
        #expect(Zone.utc.wall(moment, in: words) == short)
    }

    @Test(
        arguments: [
            ("Europe/Madrid", 0, 1), ("America/New_York", 0, 1), ("Australia/Sydney", 1, 0), ("Europe/Dublin", -1, 0),
            ("Asia/Kolkata", nil, nil),
        ] as [(String, Int64?, Int64?)])
    func `summer time is known without the zone`(name: String, january: Int64?, july: Int64?) throws {
        let summertime = try ZoneDatabase().zone(name).summertime
        let again = summertime.flatMap { Summertime($0.text) }
        #expect(again == summertime)
        let months = [(1, january), (7, july)]
        for (month, hours) in months {
            let moment = try #require(Moment(rfc3339: "2026-0\(month)-15T12:00:00Z"))
            #expect(again?.hoursAhead(at: moment) == hours)
        }
        #expect(Summertime("CET") == nil && Summertime("") == nil && Summertime("CET-1CEST,M3") == nil)
    }

    @Test func `the table has its zones`() {
        #expect(ZoneTable.entries.count > 60)
        #expect(ZoneTable.entries.map(\.changes.count).reduce(0, +) > 3000)
    }

    @Test(arguments: ZoneTable.entries)
    func `every change comes when another implementation says`(entry: ZoneTable.Entry) throws {
        let zone = try entry.zone()
        for change in entry.changes {
            let context: Comment = "\(change.moment.milliseconds / 1000)"
            #expect(zone.offset(at: change.moment - .milliseconds(1)) == change.before, context)
            #expect(zone.offset(at: change.moment) == change.after, context)
            #expect(zone.abbreviation(at: change.moment) == change.abbreviation, context)
            #expect(zone.civil(change.moment) == CivilTime(change.moment, offset: change.after), context)
        }
        // Between the listed changes there are no others.
        for (change, next) in zip(entry.changes, entry.changes.dropFirst())
        where next.moment - change.moment < .days(3000) {
            for hour in stride(from: Int64(0), to: (next.moment - change.moment).wholeMilliseconds / 3_600_000, by: 97)
            {
                #expect(zone.offset(at: change.moment + .hours(hour)) == change.after)
            }
        }
    }

    @Test(arguments: ZoneTable.entries)
    func `wall times around every change resolve as another implementation says`(entry: ZoneTable.Entry) throws {
        let zone = try entry.zone()
        for change in entry.changes where change.before != change.after {
            let second = Int(change.moment.unixSeconds)
            let low = second + min(change.before, change.after)
            let high = second + max(change.before, change.after)
            for wall in [low - 1800, low - 1, low, low + 1, high - 1, high, high + 1, high + 1800] {
                let civil = CivilTime(day: 0, secondOfDay: wall)
                let early = civil.moment(offset: change.before)
                let late = civil.moment(offset: change.after)
                let expected: Zone.Occurrence =
                    if wall < low {
                        .once(early)
                    } else if wall >= high {
                        .once(late)
                    } else if change.before < change.after {
                        .skipped(firstInstantAfterGap: change.moment)
                    } else {
                        .twice(first: early, last: late)
                    }
                #expect(zone.occurrences(of: civil) == expected, "\(second) \(civil)")
            }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `every instant is among the occurrences of its wall time`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for entry in ZoneTable.entries {
            let zone = try entry.zone()
            for _ in 0..<50 {
                let seconds = Int64.random(in: -62_135_000_000...253_402_000_000, using: &random)
                let moment = Moment(milliseconds: seconds * 1000)
                switch zone.occurrences(of: zone.civil(moment)) {
                case .once(let only): #expect(only == moment, "\(entry.name) \(seconds)")
                case .twice(let first, let last): #expect(first == moment || last == moment, "\(entry.name) \(seconds)")
                case .skipped: Issue.record("\(entry.name) never shows the time of \(seconds)")
                }
            }
        }
    }

    @Test func `a time that does not exist begins and ends when the gap does`() throws {
        let madrid = try ZoneTable.zone("Europe/Madrid")
        let gapEnd = try instant("2025-03-30T01:00Z")
        #expect(try madrid.occurrences(of: wall("2025-03-30 02:30")) == .skipped(firstInstantAfterGap: gapEnd))
        #expect(try madrid.moment(beginning: wall("2025-03-30 02:30")) == gapEnd)
        #expect(try madrid.moment(ending: wall("2025-03-30 02:30")) == gapEnd)
    }

    @Test func `a time that exists twice begins the first time and ends the last`() throws {
        let madrid = try ZoneTable.zone("Europe/Madrid")
        #expect(try madrid.moment(beginning: wall("2025-10-26 02:30")) == instant("2025-10-26T00:30Z"))
        #expect(try madrid.moment(ending: wall("2025-10-26 02:30")) == instant("2025-10-26T01:30Z"))
    }

    @Test(arguments: [
        ("Pacific/Apia", "2011-12-30 12:00", "2011-12-30T10:00Z"),
        ("Pacific/Fakaofo", "2011-12-30 23:59:59", "2011-12-30T11:00Z"),
        ("Pacific/Kwajalein", "1993-08-21 00:00", "1993-08-21T12:00Z"),
    ])
    func `whole days can be skipped`(name: String, skipped: String, gapEnd: String) throws {
        let zone = try ZoneTable.zone(name)
        #expect(try zone.occurrences(of: wall(skipped)) == .skipped(firstInstantAfterGap: instant(gapEnd)))
    }

    @Test func `two changes within a day are both followed`() throws {
        // Forward by an hour at 10:00 UTC, by two more at 10:30, back by three at 12:00.
        let file = TZif(changes: [(36_000, 1), (37_800, 2), (43_200, 0)], clocks: [(0, 0), (3600, 0), (10_800, 0)])
        let zone = try Zone(name: "Test/Double", tzif: file.bytes)
        let expected: [(String, Zone.Occurrence)] = [
            ("1970-01-01 09:59", .once(try instant("1970-01-01T09:59Z"))),
            ("1970-01-01 10:30", .skipped(firstInstantAfterGap: try instant("1970-01-01T10:00Z"))),
            ("1970-01-01 11:10", .once(try instant("1970-01-01T10:10Z"))),
            ("1970-01-01 11:30", .skipped(firstInstantAfterGap: try instant("1970-01-01T10:30Z"))),
            (
                "1970-01-01 13:30",
                .twice(first: try instant("1970-01-01T10:30Z"), last: try instant("1970-01-01T13:30Z"))
            ), ("1970-01-01 15:00", .once(try instant("1970-01-01T15:00Z"))),
        ]
        for (text, occurrence) in expected { #expect(try zone.occurrences(of: wall(text)) == occurrence, "\(text)") }
    }

    @Test func `a time that exists three times begins the first time and ends the last`() throws {
        let file = TZif(changes: [(36_000, 1), (39_600, 2)], clocks: [(7200, 0), (3600, 0), (0, 0)])
        let zone = try Zone(name: "Test/Thrice", tzif: file.bytes)
        #expect(
            try zone.occurrences(of: wall("1970-01-01 11:00"))
                == .twice(first: instant("1970-01-01T09:00Z"), last: instant("1970-01-01T11:00Z")))
    }

    @Test(arguments: ["Asia/Kathmandu", "Europe/Dublin", "Pacific/Kiritimati"])
    func `the ends of time are no trap`(name: String) throws {
        let zone = try ZoneTable.zone(name)
        for milliseconds in [Int64.min, .max, Moment.earliest.milliseconds, Moment.latest.milliseconds] {
            let moment = Moment(milliseconds: milliseconds)
            #expect(abs(zone.offset(at: moment)) <= 14 * 3600)
            #expect((0...10_000).contains(zone.civil(moment).date.year))
        }
        for day in [Int.min / 2, Int.max / 2] {
            let moment = zone.moment(beginning: CivilTime(day: day, secondOfDay: 0))
            #expect(abs(moment.milliseconds) < 300_000_000_000_000)
        }
    }

    @Test func `UTC needs no file and never changes`() throws {
        let moment = try instant("2025-07-01T12:00Z")
        #expect(Zone.utc.name == "UTC")
        #expect(Zone.utc.abbreviation(at: moment) == "UTC")
        #expect(Zone.utc.offset(at: .earliest) == 0)
        #expect(try Zone.utc.occurrences(of: wall("2025-07-01 12:00")) == .once(moment))
    }
}
