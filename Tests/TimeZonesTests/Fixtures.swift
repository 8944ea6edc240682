import AlertModel
import Glibc
import Testing

@testable import TimeZones

/// `zone_table.txt`, as `make_zone_table.py` describes it.
struct ZoneTable: Sendable {
    struct Change: Sendable {
        let moment: Moment
        let before: Int
        let after: Int
        let abbreviation: String
    }

    struct Entry: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        var changes: [Change] = []

        var testDescription: String { name }
        func zone() throws -> Zone { try Zone(name: name, tzif: bytes) }
    }

    static let entries: [Entry] = {
        var entries: [Entry] = []
        for line in text(of: "zone_table.txt").split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ").map(String.init)
            if words[0] == "zone" {
                entries.append(Entry(name: words[1], bytes: bytes(hex: words[2])))
            } else if let second = Int64(words[0]), let before = Int(words[1]), let after = Int(words[2]) {
                let change = Change(
                    moment: Moment(milliseconds: second * 1000), before: before, after: after, abbreviation: words[3])
                entries[entries.count - 1].changes.append(change)
            }
        }
        return entries
    }()

    /// One of the table's zones.
    static func zone(_ name: String) throws -> Zone {
        try #require(entries.first { $0.name == name }, "the table has no \(name)").zone()
    }

    static func bytes(hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    /// A file beside this one; empty when it is not there.
    static func text(of name: String) -> String {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        guard let file = fopen("/\(folder)/\(name)", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// A compiled time zone in the making, right or wrong.
struct TZif {
    var magic = "TZif"
    var version = UInt8(ascii: "2")
    var changes: [(second: Int, clock: UInt8)] = []
    var clocks: [(offset: Int, abbreviation: UInt8)] = [(0, 0)]
    var abbreviations: [UInt8] = Array("AAA\0".utf8)
    var leapSeconds = 0
    var footer = "\n\n"

    var bytes: [UInt8] {
        guard version > 0 else { return header(empty: false) + block(timeBytes: 4) }
        return header(empty: true) + header(empty: false) + block(timeBytes: 8) + Array(footer.utf8)
    }

    /// The zone that a rule alone describes.
    static func zone(rule: String) throws(ZoneError) -> Zone {
        try Zone(name: "Test/Rule", tzif: TZif(footer: "\n\(rule)\n").bytes)
    }

    private func header(empty: Bool) -> [UInt8] {
        let counts = empty ? [] : [0, 0, leapSeconds, changes.count, clocks.count, abbreviations.count]
        return Array(magic.utf8) + [version] + [UInt8](repeating: 0, count: 15)
            + (0..<6).flatMap { TZif.bigEndian(counts.isEmpty ? 0 : counts[$0], count: 4) }
    }

    private func block(timeBytes: Int) -> [UInt8] {
        changes.flatMap { TZif.bigEndian($0.second, count: timeBytes) } + changes.map(\.clock)
            + clocks.flatMap { TZif.bigEndian($0.offset, count: 4) + [0, $0.abbreviation] } + abbreviations
            + [UInt8](repeating: 0, count: leapSeconds * (timeBytes + 4))
    }

    private static func bigEndian(_ value: Int, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}

/// An instant from RFC 3339, where `T00:00Z` may lack its seconds.
func instant(_ text: String) throws -> Moment {
    let whole = text.hasSuffix("Z") && text.utf8.count == 17 ? text.dropLast() + ":00Z" : text[...]
    return try #require(Moment(rfc3339: String(whole)), "\(text) is no instant")
}

/// A wall time such as `2025-03-30 02:30`.
func wall(_ text: String) throws -> CivilTime {
    guard case .local(let civil) = try WrittenInstant(grammar: text) else {
        throw GrammarError(expected: "a wall time without an offset instead of \(text)")
    }
    return civil
}
