import AlertModel
import Chance
import Testing
import TimeZones

@Suite struct `Zone files` {
    @Test func `version 1 has 32-bit times and no rule`() throws {
        let file = TZif(
            version: 0, changes: [(-1_000_000, 1)], clocks: [(0, 0), (-5400, 4)],
            abbreviations: Array("AAA\0BBB\0".utf8))
        let zone = try Zone(name: "Test/One", tzif: file.bytes)
        #expect(zone.offset(at: Moment(milliseconds: -1_000_000_001)) == 0)
        #expect(zone.offset(at: Moment(milliseconds: -1_000_000_000)) == -5400)
        #expect(zone.abbreviation(at: .latest) == "BBB")
    }

    @Test func `abbreviations may share their letters`() throws {
        let file = TZif(changes: [(0, 1)], clocks: [(0, 0), (60, 2)], abbreviations: Array("ABCDE\0".utf8))
        let zone = try Zone(name: "Test/Shared", tzif: file.bytes)
        #expect(zone.abbreviation(at: .latest) == "CDE")
    }

    @Test func `changes before the big bang and after the last year are harmless`() throws {
        let file = TZif(changes: [(.min, 0), (0, 1), (.max, 0)], clocks: [(0, 0), (60, 0)])
        let zone = try Zone(name: "Test/Far", tzif: file.bytes)
        #expect(zone.offset(at: .earliest) == 0)
        #expect(zone.offset(at: .latest) == 60)
    }

    @Test(arguments: [
        (TZif(magic: "TZxx"), "it has no TZif header at byte 0"),
        (TZif(version: 1), "its version at byte 4 is 1"),
        (TZif(version: UInt8(ascii: "a")), "its version at byte 4 is 97"),
        (TZif(changes: [(5, 0), (5, 0)]), "the change at byte 96 does not come after the one before it"),
        (TZif(changes: [(5, 1)]), "a change leads to a kind of local time beyond the 1 there are"),
        (TZif(clocks: []), "it has 0 kinds of local time instead of 1 to 256"),
        (TZif(clocks: Array(repeating: (0, 0), count: 257)), "it has 257 kinds of local time instead of 1 to 256"),
        (TZif(clocks: [(93_600, 0)]), "the offset at byte 88 is 93600 s"),
        (TZif(clocks: [(-0x8000_0000, 0)]), "the offset at byte 88 is -2147483648 s"),
        (TZif(clocks: [(0, 4)]), "has no proper abbreviation"),
        (TZif(abbreviations: Array("AAA".utf8)), "has no proper abbreviation"),
        (TZif(abbreviations: Array("A\u{1B}A\0".utf8)), "has no proper abbreviation"),
        (TZif(abbreviations: [UInt8](repeating: 0x41, count: 31) + [0]), "has no proper abbreviation"),
        (TZif(footer: ""), "it does not end with a rule between two line feeds"),
        (TZif(footer: "\n"), "it does not end with a rule between two line feeds"),
        (TZif(footer: "\nUTC0"), "it does not end with a rule between two line feeds"),
    ])
    func `damage is refused with its place`(file: TZif, problem: String) {
        let error = #expect(throws: ZoneError.self) { try Zone(name: "Test/Damaged", tzif: file.bytes) }
        #expect(error?.description.contains("the file of the time zone 'Test/Damaged' is damaged") == true)
        #expect(error?.description.contains(problem) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("right/Europe/Madrid", "write Europe/Madrid"), ("Test/Leap", "apt-get install --reinstall tzdata"),
    ])
    func `files that count leap seconds are refused`(name: String, advice: String) {
        let error = #expect(throws: ZoneError.countsLeapSeconds(name: name)) {
            try Zone(name: name, tzif: TZif(leapSeconds: 27).bytes)
        }
        #expect(error?.description.contains(advice) == true)
    }

    @Test func `a cut file is refused wherever it is cut`() throws {
        for entry in ZoneTable.entries.prefix(10) {
            for count in 0..<entry.bytes.count {
                #expect(throws: ZoneError.self, "\(entry.name) cut at \(count)") {
                    try Zone(name: entry.name, tzif: Array(entry.bytes.prefix(count)))
                }
            }
        }
    }

    @Test func `counts that promise more than there is are refused`() {
        for position in stride(from: 64, to: 88, by: 4) {
            var bytes = TZif().bytes
            bytes.replaceSubrange(position..<position + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
            #expect(throws: ZoneError.self) { try Zone(name: "Test/Counts", tzif: bytes) }
        }
    }

    @Test(arguments: (1...20) as ClosedRange<UInt64>)
    func `whatever a file holds, reading and asking never traps`(seed: UInt64) throws {
        print("hostile zone files: seed \(seed)")
        var random = SeededRandom(seed: seed)
        var understood = 0
        for entry in ZoneTable.entries {
            for _ in 0..<10 {
                let bytes = damaged(entry.bytes, using: &random)
                guard let zone = try? Zone(name: entry.name, tzif: bytes) else { continue }
                understood += 1
                let window = DailyWindow(zone: zone, hours: try DailyHours(grammar: "22:00-07:00"))
                for _ in 0..<5 {
                    let moment = Moment(
                        milliseconds: .random(in: -3_000_000_000_000...6_000_000_000_000, using: &random))
                    #expect(abs(zone.offset(at: moment)) < 26 * 3600)
                    let civil = zone.civil(moment)
                    #expect(zone.moment(beginning: civil) <= zone.moment(ending: civil))
                    if let found = window.window(containing: moment) {
                        #expect(found.from <= moment && moment < found.to)
                    }
                    if let next = window.next(after: moment) { #expect(next.from >= moment) }
                }
            }
        }
        #expect(understood > 50, "nearly every damaged file was refused, so that hardly any was asked")
    }

    /// The bytes with a few of them replaced, some taken out, or some of them there twice.
    private func damaged(_ original: [UInt8], using random: inout SeededRandom) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...8, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 2: bytes[start] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            case 3: bytes[start] = Array("0123456789,.:/<>+-JM\n".utf8).randomElement(using: &random) ?? 0
            default: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
        return bytes
    }
}
