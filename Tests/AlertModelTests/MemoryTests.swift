import Testing

@testable import AlertModel

/// Adds up one metric, for the rules that ask.
private struct Total: AskedMemory {
    static let name = "total"

    struct Need: Hashable, Sendable, JSONWritable, JSONReadable {
        let metric: String

        init(_ metric: String) { self.metric = metric }
        init(_ reader: JSONReader) throws(JSONMismatch) { self.init(try reader.string()) }
        func put(into json: inout JSONWriter) { json.put(metric) }
    }

    let need: Need
    var sum = 0.0

    init(_ need: Need) { self.need = need }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        need = try Need(reader.member("of"))
        sum = try reader.member("sum").number()
    }

    mutating func add(_ observation: Observation) { sum += observation.metrics[need.metric] ?? 0 }

    func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("of", need)
            json.member("sum", sum)
        }
    }
}

/// Counts the observations of every subject, and how often it was copied to be changed.
private struct Tally: StandingMemory {
    static let name = "tally"

    final class Token: Sendable {}

    var count = 0
    var copies = 0
    private var token = Token()

    init() {}

    init(_ reader: JSONReader) throws(JSONMismatch) { count = try reader.int() }

    mutating func add(_ observation: Observation) {
        count += 1
        if !isKnownUniquelyReferenced(&token) {
            copies += 1
            token = Token()
        }
    }

    func put(into json: inout JSONWriter) { count.put(into: &json) }

    static func == (left: Tally, right: Tally) -> Bool { left.count == right.count }
    func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

@Suite struct `What detectors remember of a subject` {
    private static let kinds = MemoryKinds([MemoryKind(Tally.self), MemoryKind(Total.self), MemoryKind(Tally.self)])
    private let users = MemoryNeed(Total.self, Total.Need("users"))
    private let sessions = MemoryNeed(Total.self, Total.Need("sessions"))

    private func observation(_ minute: Int64, seen: Duration? = nil) throws -> Observation {
        try #require(Fixtures.observation(minute, minute + 1, ["users": 5, "sessions": 7], seen: seen))
    }

    private func series(_ count: Int64 = 0, needs: MemoryNeeds = []) throws -> Series {
        var series = Series(remembering: Self.kinds)
        series.remember(needs)
        for minute in 0..<count { series.add(try observation(minute), keeping: .hours(1)) }
        return series
    }

    private func read(_ series: Series, _ kinds: MemoryKinds = kinds) throws -> Series {
        try Series(JSONReader(JSON(parsing: series.json.bytes)), kinds)
    }

    private func totals(_ series: Series) -> [Double] { series.memories(Total.self).map(\.sum) }

    @Test func `what is asked for is fed from then on, once for all who need the same, and forgotten with the last`()
        throws
    {
        var series = try series(2)
        series.remember([users, MemoryNeed(Total.self, Total.Need("users")), sessions])
        #expect(series.remembers([users, sessions]))
        series.add(try observation(2), keeping: .hours(1))
        #expect(totals(series) == [5, 7])
        series.remember([sessions])
        series.add(try observation(3), keeping: .hours(1))
        #expect(totals(series) == [14])
        #expect(series.memory(Total.self, Total.Need("users")) == nil)
        series.remember([users, sessions])
        #expect(totals(series) == [0, 14])
    }

    @Test
    func
        `what is kept of every subject counts from its first observation, and knows nothing where no program keeps it`()
        throws
    {
        #expect(try series().memory(Tally.self) == Tally())
        #expect(try series(3).memory(Tally.self).count == 3)
        var stranger = Series()
        stranger.add(try observation(0), keeping: .hours(1))
        #expect(stranger.memory(Tally.self).count == 0)
    }

    @Test func `every observation is reported, an older sight of a span too`() throws {
        var series = try series(1, needs: [users])
        series.add(try observation(0, seen: .seconds(61)), keeping: .hours(1))
        #expect(series.samples.count == 1)
        #expect(series.memory(Tally.self).count == 2)
        #expect(totals(series) == [10])
    }

    @Test func `a copy goes its own way, and what nobody shares is changed in place`() throws {
        var series = try series(1, needs: [users])
        let began = series.memory(Tally.self).copies
        for minute in 1..<50 as Range<Int64> { series.add(try observation(minute), keeping: .hours(1)) }
        #expect(series.memory(Tally.self).copies == began)
        let before = series
        series.add(try observation(50), keeping: .hours(1))
        #expect(series.memory(Tally.self).copies == began + 1)
        #expect((before.memory(Tally.self).count, series.memory(Tally.self).count) == (50, 51))
        #expect((totals(before), totals(series)) == ([250], [255]))
    }

    @Test func `a snapshot gives it back, with what was needed`() throws {
        let series = try series(3, needs: [sessions, users])
        let again = try read(series)
        #expect(again == series)
        #expect(again.remembers([sessions, users]))
        #expect(series.json["tally"] == 3)
        #expect(series.json["total"] == [["of": "sessions", "sum": 21], ["of": "users", "sum": 15]])
        #expect(try read(Series(remembering: Self.kinds)) == Series(remembering: Self.kinds))
    }

    @Test func `a kind that is younger than the journal begins anew`() throws {
        let old = try read(series(3), MemoryKinds([MemoryKind(Total.self)]))
        guard case .object(var object) = old.json else { return }
        object["tally"] = nil
        object["total"] = .null
        var now = try Series(JSONReader(.object(object)), Self.kinds)
        #expect(now.memory(Tally.self) == Tally())
        #expect(now.remembers([]))
        now.add(try observation(3), keeping: .hours(1))
        #expect(now.memory(Tally.self).count == 1)
    }

    @Test func `what this program does not know is carried along as it was written, until an observation passes it by`()
        throws
    {
        let series = try series(3, needs: [users])
        var stranger = try read(series, .none)
        #expect(stranger.json["tally"] == 3)
        #expect(stranger != Series())
        // A program that knows it reads it on.
        #expect(try read(stranger) == series)
        stranger.add(try observation(3), keeping: .hours(1))
        #expect(stranger.json["tally"] == nil)
        #expect(stranger.json["total"] == nil)
        let back = try read(stranger)
        #expect(back.memory(Tally.self) == Tally())
        #expect(back.remembers([]))
    }

    @Test func `a memory that could not have been is refused`() throws {
        guard case .object(var object) = try series(1).json else { return }
        object["tally"] = "many"
        #expect(throws: JSONMismatch(path: "$.tally", expected: "a whole number", found: "the string \"many\"")) {
            try Series(JSONReader(.object(object)), Self.kinds)
        }
    }

    @Test func `a series knows when it was first seen, also from a journal that says it in the memory of issues alone`()
        throws
    {
        let series = try series(3)
        #expect(series.firstSeen == Fixtures.start + .seconds(90))
        guard case .object(var object) = series.json else { return }
        object["first_seen"] = nil
        #expect(try Series(JSONReader(.object(object)), Self.kinds).firstSeen == nil)
        object["issue_memory"] = ["began": "2026-11-20T21:00:00Z"]
        #expect(try Series(JSONReader(.object(object)), Self.kinds).firstSeen == Fixtures.start - .hours(1))
    }
}

@Suite struct `What rules need` {
    /// Known as the journals of the first releases know needs.
    private struct Learned: AskedMemory {
        static let name = "learned"
        let need: Total.Need
        init(_ need: Total.Need) { self.need = need }
        init(_ reader: JSONReader) throws(JSONMismatch) { need = try Total.Need(reader) }
        mutating func add(_ observation: Observation) {}
        func put(into json: inout JSONWriter) { need.put(into: &json) }
    }

    @Test func `each need counts once, and those of a kind stand together`() {
        let (a, b) = (MemoryNeed(Total.self, Total.Need("a")), MemoryNeed(Total.self, Total.Need("b")))
        let other = MemoryNeed(Learned.self, Total.Need("a"))
        let needs: MemoryNeeds = [b, other, a, MemoryNeed(Total.self, Total.Need("b"))]
        #expect(needs.list == [other, b, a])
        #expect(a != other)
        #expect(Set([a, b, other, MemoryNeed(Total.self, Total.Need("a"))]).count == 3)
        var together: MemoryNeeds = [a]
        together.formUnion([other, a, b])
        #expect(together.list == [other, a, b])
    }

    @Test func `they are read as they were written, as far as this program knows their kinds`() throws {
        let needs: MemoryNeeds = [
            MemoryNeed(Learned.self, Total.Need("a")), MemoryNeed(Total.self, Total.Need("b")),
        ]
        var bytes: [UInt8] = []
        JSONWriter.text(to: &bytes) { needs.put(into: &$0) }
        #expect(String(decoding: bytes, as: UTF8.self) == #"["a",{"memory":"total","need":"b"}]"#)
        let json = try JSONReader(JSON(parsing: bytes))
        let both = [MemoryKind(Learned.self), MemoryKind(Total.self)]
        #expect(try MemoryNeeds(json, MemoryKinds(both)) == needs)
        #expect(try MemoryNeeds(json, MemoryKinds(both.dropLast())) == [needs.list[0]])
        #expect(try MemoryNeeds(json, .none) == [])
    }
}
