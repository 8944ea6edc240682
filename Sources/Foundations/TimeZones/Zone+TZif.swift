import AlertModel

extension Zone {
    /// Reads a compiled time zone as RFC 9636 describes it, whose versions 2 to 4 and whose old version 1 are
    /// understood.
    ///
    /// Any bytes may be given: what is not a time zone is refused, never guessed at. Throws `ZoneError.nameMalformed`,
    /// `.countsLeapSeconds` or `.malformed`.
    public init(name: String, tzif bytes: [UInt8]) throws(ZoneError) {
        guard Zone.isName(name) else { throw .nameMalformed(name) }
        var reader = TZifReader(bytes)
        do {
            self = try reader.zone(name: name)
        } catch {
            switch error {
            case .leapSeconds: throw .countsLeapSeconds(name: name)
            case .damage(let problem): throw .malformed(name: name, problem: problem)
            }
        }
    }

    /// The longest name in the database has 32 letters.
    static let nameBytesMax = 100

    /// Whether a text can be a zone's name: parts of ASCII letters, digits, `_`, `+` and `-`, separated by single
    /// slashes. Without dots and outer slashes, no name leads out of the database's folder.
    static func isName(_ name: String) -> Bool {
        guard name.utf8.count <= nameBytesMax else { return false }
        return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0.isASCIILetterOrDigit || "_+-".utf8.contains($0) }
        }
    }
}

/// Reads a TZif file from its beginning: a header and a block of data with 32-bit times, then, since version 2, both
/// again with 64-bit times and a footer. The first block of a newer file is for old programs and may be empty.
private struct TZifReader {
    enum Fault: Error {
        case leapSeconds
        case damage(String)
    }

    /// How many of each thing a block holds.
    struct Header {
        let version: UInt8
        let utMarks: Int
        let standardMarks: Int
        let leapSeconds: Int
        let changes: Int
        let clocks: Int
        let abbreviationBytes: Int

        static let bytesCount = 44

        func blockBytes(timeBytes: Int) -> Int {
            changes * (timeBytes + 1) + clocks * 6 + abbreviationBytes + leapSeconds * (timeBytes + 4) + standardMarks
                + utMarks
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    mutating func zone(name: String) throws(Fault) -> Zone {
        let header = try readHeader()
        guard header.version > 0 else { return try readBlock(header, timeBytes: 4, name: name, hasFooter: false) }
        _ = try take(header.blockBytes(timeBytes: 4), "the 32-bit data")
        return try readBlock(try readHeader(), timeBytes: 8, name: name, hasFooter: true)
    }

    private mutating func take(_ count: Int, _ what: String) throws(Fault) -> ArraySlice<UInt8> {
        guard count <= rest.count else {
            throw .damage("it ends inside \(what), at byte \(rest.endIndex)")
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func readHeader() throws(Fault) -> Header {
        let start = rest.startIndex
        let bytes = try take(Header.bytesCount, "a header")
        guard bytes.prefix(4).elementsEqual("TZif".utf8) else {
            throw .damage("it has no TZif header at byte \(start)")
        }
        // Versions are NUL, then digits; later ones promise to stay readable.
        let version = bytes[start + 4]
        guard version == 0 || (UInt8(ascii: "2")...UInt8(ascii: "9")).contains(version) else {
            throw .damage("its version at byte \(start + 4) is \(version), neither 0 nor a digit from 2 on")
        }
        let counts = (0..<6).map { bytes.dropFirst(20 + $0 * 4).prefix(4).bigEndianUnsigned }
        return Header(
            version: version, utMarks: counts[0], standardMarks: counts[1], leapSeconds: counts[2], changes: counts[3],
            clocks: counts[4], abbreviationBytes: counts[5])
    }

    private mutating func readBlock(
        _ header: Header,
        timeBytes: Int,
        name: String,
        hasFooter: Bool
    ) throws(Fault) -> Zone {
        guard header.leapSeconds == 0 else { throw .leapSeconds }
        let changes = try readChanges(header.changes, timeBytes: timeBytes)
        let indices = Array(try take(header.changes, "the kinds of changes"))
        guard let highest = UInt8(exactly: header.clocks - 1) else {
            throw .damage("it has \(header.clocks) kinds of local time instead of 1 to 256")
        }
        guard indices.allSatisfy({ $0 <= highest }) else {
            throw .damage("a change leads to a kind of local time beyond the \(header.clocks) there are")
        }
        let clocks = try readClocks(header)
        // Which times the compiler's input gave in which way matters to programs that make up rules of their own.
        _ = try take(header.standardMarks + header.utMarks, "the standard and UT marks")
        return Zone(
            name: name, changes: changes, clockIndices: [0] + indices, clocks: clocks,
            rule: hasFooter ? try readFooter() : nil)
    }

    private mutating func readChanges(_ count: Int, timeBytes: Int) throws(Fault) -> [Int] {
        let bytes = try take(count * timeBytes, "the times of changes")
        // Some compilers begin the list at the big bang. Nobody asks about times that far away, and bringing them
        // nearer keeps sums with offsets from overflowing.
        let farthest = 1 << 59
        var changes: [Int] = []
        changes.reserveCapacity(count)
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: timeBytes) {
            let time = bytes[start..<start + timeBytes].bigEndianSigned.clamped(to: -farthest...farthest)
            if let previous = changes.last, previous >= time {
                throw .damage("the change at byte \(start) does not come after the one before it")
            }
            changes.append(time)
        }
        return changes
    }

    private mutating func readClocks(_ header: Header) throws(Fault) -> [LocalClock] {
        let records = try take(header.clocks * 6, "the kinds of local time")
        let names = try take(header.abbreviationBytes, "the abbreviations")
        var clocks: [LocalClock] = []
        for start in stride(from: records.startIndex, to: records.endIndex, by: 6) {
            let offset = records[start..<start + 4].bigEndianSigned
            guard abs(offset) < LocalClock.offsetMax else {
                throw .damage("the offset at byte \(start) is \(offset) s, more than a day away from UTC")
            }
            let name = names.dropFirst(Int(records[start + 5])).prefix { $0 != 0 }
            guard name.endIndex < names.endIndex, LocalClock.isAbbreviation(name) else {
                throw .damage("the kind of local time at byte \(start) has no proper abbreviation")
            }
            clocks.append(LocalClock(offset: offset, abbreviation: String(decoding: name, as: UTF8.self)))
        }
        return clocks
    }

    /// A `TZ` string between two line feeds; nothing between them says that the last clock stays.
    private mutating func readFooter() throws(Fault) -> YearlyRule? {
        let feed = UInt8(ascii: "\n")
        guard rest.count >= 2, rest.first == feed, rest.last == feed else {
            throw .damage("it does not end with a rule between two line feeds after byte \(rest.startIndex)")
        }
        let rule = rest.dropFirst().dropLast()
        guard !rule.isEmpty else { return nil }
        do {
            return try YearlyRule(tz: rule)
        } catch {
            throw .damage("its rule at byte \(rule.startIndex + error.position) lacks \(error.expected)")
        }
    }
}

extension ArraySlice<UInt8> {
    /// Up to four bytes, the highest first.
    fileprivate var bigEndianUnsigned: Int { reduce(0) { $0 << 8 | Int($1) } }

    /// Four or eight bytes in two's complement, the highest first.
    fileprivate var bigEndianSigned: Int {
        guard let first else { return 0 }
        return dropFirst().reduce(Int(Int8(bitPattern: first))) { $0 << 8 | Int($1) }
    }
}
