import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

@Suite struct BreaksTests {
    /// Its figures are believed for an hour.
    private let source = SourcePlan(name: "ios", slowest: .minutes(50), timeout: .minutes(2))

    private func at(_ minute: Int64) -> Moment { Moment.rehearsalStart + .minutes(minute) }

    private func answer(_ breaks: inout Breaks, at minutes: [Int64]) {
        var last: Moment?
        for minute in minutes {
            breaks.noteAnswer(after: last, of: source, at: at(minute))
            last = at(minute)
        }
    }

    @Test(
        arguments: [
            // Of one that answers often enough there are none.
            ([0, 60, 120], []),
            ([0, 61], [0...61]),
            ([0, 61, 100, 300], [0...61, 100...300]),
            // After an hour with answers what was before says nothing any more.
            ([0, 61, 100, 121], [0...61]),
            ([0, 61, 100, 122], []),
            // One that always answers after more than an hour has no breaks.
            ([0, 61, 122, 183, 244], []),
            ([0, 61, 184], [0...61, 61...184]),
        ] as [([Int64], [ClosedRange<Int64>])])
    func `a stretch without answers is a break where it is far longer than the one before`(
        answers: [Int64], expected: [ClosedRange<Int64>]
    ) {
        var breaks = Breaks()
        answer(&breaks, at: answers)
        #expect(breaks.minutes == expected)
    }

    @Test(
        arguments: [
            (.anything, 61, [0...61]),
            (.anything, 60, []),
            (.nothing, 61, []),
        ] as [(Unread, Int64, [ClosedRange<Int64>])])
    func `what was open for long is a break, from the answer before on`(
        unread: Unread, closed: Int64, expected: [ClosedRange<Int64>]
    ) {
        var breaks = Breaks()
        breaks.noteOpen(unread, since: at(0), of: source, at: at(30))
        breaks.noteOpen(unread, since: at(30), of: source, at: at(40))
        breaks.noteOpen(.nothing, since: at(40), of: source, at: at(closed))
        #expect(breaks.minutes == expected)
    }

    @Test func `what went wrong in two ways at the same time is one break`() {
        var breaks = Breaks()
        breaks.note(from: at(0), to: at(20))
        breaks.note(from: at(10), to: at(30))
        #expect(breaks.minutes == [0...30])
        breaks.note(from: at(40), to: at(50))
        #expect(breaks.minutes == [0...30, 40...50])
        #expect(breaks.lasted(since: at(20)) == .minutes(20))
        breaks.note(from: at(-10), to: at(60))
        #expect(breaks.minutes == [-10...60])
    }

    @Test func `the newest are kept, move with the clock, and are read back as they were`() throws {
        var breaks = Breaks()
        for hour in 0..<20 { breaks.note(from: at(Int64(hour) * 60), to: at(Int64(hour) * 60 + 30)) }
        #expect(breaks.spans.count == Breaks.countMax)
        #expect(breaks.spans.last?.from == at(1140))
        answer(&breaks, at: [1200, 1300])
        breaks.noteOpen(.anything, since: at(1300), of: source, at: at(1310))
        breaks.move(by: .minutes(5))
        #expect(breaks.spans.last?.from == at(1205))
        var record = SourceRecord()
        record.breaks = breaks
        #expect(try SourceRecord(JSONReader(record.json)) == record)
    }
}

extension Breaks {
    /// In minutes.
    fileprivate var minutes: [ClosedRange<Int64>] {
        let start = Moment.rehearsalStart
        return spans.map { span in
            (span.from - start).wholeMilliseconds / 60_000...(span.to - start).wholeMilliseconds / 60_000
        }
    }
}
