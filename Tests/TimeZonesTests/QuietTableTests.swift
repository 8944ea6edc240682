import AlertModel
import Testing

@testable import TimeZones

/// Quiet hours around every clock change from 2000 to 2037, in every zone that has one, beside another implementation.
@Suite struct QuietTableTests {
    /// One zone of `quiet_table.txt`, as `make_quiet_table.py` describes it.
    struct Entry: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        var changes: [Moment] = []
        var rows: [(hours: String, count: Int, digest: String)] = []

        var testDescription: String { name }
    }

    static let entries: [Entry] = {
        var entries: [Entry] = []
        for line in ZoneTable.text(of: "quiet_table.txt").split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "zone": entries.append(Entry(name: words[1], bytes: ZoneTable.bytes(hex: words[2])))
            case "changes":
                entries[entries.count - 1].changes = words.dropFirst().compactMap { Int64($0) }.map {
                    Moment(milliseconds: $0 * 1000)
                }
            default: entries[entries.count - 1].rows.append((words[0], Int(words[1]) ?? 0, words[2]))
            }
        }
        return entries
    }()

    @Test func `the table has every zone whose clock changes`() {
        #expect(QuietTableTests.entries.count > 90)
        #expect(QuietTableTests.entries.allSatisfy { !$0.changes.isEmpty && $0.rows.count == 3 })
    }

    @Test(arguments: QuietTableTests.entries)
    func `windows begin and end as the other implementation says`(entry: Entry) throws {
        let zone = try Zone(name: entry.name, tzif: entry.bytes)
        for row in entry.rows {
            let window = DailyWindow(zone: zone, hours: try DailyHours(grammar: row.hours))
            let spans = entry.changes.flatMap { around($0, window) }
            #expect(spans.count == row.count, "\(row.hours)")
            #expect(digest(spans) == row.digest, "\(row.hours)")
        }
    }

    /// The windows that begin within two days of a change.
    private func around(_ change: Moment, _ window: DailyWindow) -> [TimeSpan] {
        var spans: [TimeSpan] = []
        var from = change - .days(2)
        while let span = window.next(after: from), span.from <= change + .days(2) {
            spans.append(span)
            from = span.from + .milliseconds(1)
        }
        return spans
    }

    /// 64-bit FNV-1a of a line `BEGIN END` for each, in Unix seconds.
    private func digest(_ spans: [TimeSpan]) -> String {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for span in spans {
            for byte in "\(span.from.unixSeconds) \(span.to.unixSeconds)\n".utf8 {
                value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            }
        }
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
