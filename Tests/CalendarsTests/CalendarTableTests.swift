import AlertModel
import Calendars
import Glibc
import Testing
import TimeZones

/// Random calendars beside another implementation.
@Suite struct CalendarTableTests {
    /// One line of `calendar_table.txt`, as `make_calendar_table.py` describes it.
    struct Entry: Sendable, CustomTestStringConvertible {
        let zone: String
        let count: Int
        let digest: String
        let calendar: String

        var testDescription: String { calendar }
    }

    static let entries: [Entry] = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        return Entry(zone: words[0], count: Int(words[1]) ?? 0, digest: words[2], calendar: words[3])
    }

    /// Read beside this file, so that a table of one's own can be put there.
    private static var text: String {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        guard let file = fopen("/\(folder)/calendar_table.txt", "r") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `the table has calendars enough`() {
        #expect(CalendarTableTests.entries.count >= 250)
    }

    @Test(arguments: CalendarTableTests.entries)
    func `a calendar has the days that the other implementation finds`(entry: Entry) throws {
        let text = entry.calendar.split(separator: "\\").joined(separator: "\r")
        let lines = text.split(separator: "\r").map { $0.hasPrefix("n") ? $0.dropFirst() : $0 }.joined(
            separator: "\r\n")
        let calendar = try EventCalendar(Array(lines.utf8), name: "random.ics", zones: ZoneDatabase())
        let days = try calendar.days(in: ZoneDatabase().zone(entry.zone))
        let first = CivilTime.dayNumber(year: 2000, month: 1, day: 1)
        let last = CivilTime.dayNumber(year: 2039, month: 12, day: 31)
        let found = (first...last).filter(days.contains)
        #expect(found.count == entry.count)
        #expect(digest(found) == entry.digest)
    }

    /// 64-bit FNV-1a of a line `YYYY-MM-DD` for each.
    private func digest(_ days: [Int]) -> String {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for day in days {
            let date = CivilTime(day: day, secondOfDay: 0).date
            for byte in "\(date.year)-\(date.month.padded(2))-\(date.day.padded(2))\n".utf8 {
                value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            }
        }
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
