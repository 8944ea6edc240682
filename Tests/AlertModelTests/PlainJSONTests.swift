internal import Chance
internal import Testing

@testable import AlertModel

@Suite struct PlainJSONTests {
    private func scan(_ text: String) -> RecordedLine? {
        Array(text.utf8).withUnsafeBufferPointer { RecordedLine(plain: $0) }
    }

    /// What the general reader makes of a line; nil where it refuses it.
    private func oracle(_ text: String) -> RecordedLine? {
        (try? JSON(parsing: text)).flatMap { try? RecordedLine($0) }
    }

    private let plain =
        #"{"source":"ios","app":"shop","release":"5.2.0","environment":"production","from":"2026-11-20T22:00:00Z","#
        + #""to":"2026-11-20T22:05:00Z","seen":"2026-11-20T22:05:30Z","complete":true,"metrics":{"users":1840,"#
        + #""crashed_users":31,"crash_free_sessions":0.9975},"issues":[{"id":"S-1","title":"Boom","events":40,"#
        + #""first_seen":"2026-11-20T21:40:00Z"}],"labels":{"team":"checkout"}}"#

    @Test func `a plain line is read without the general reader, and read the same`() throws {
        let line = try #require(scan(plain))
        #expect(line == oracle(plain))
        let spaced = plain.replacing(",\"", with: " ,\t\"").replacing(":{", with: " : {").replacing("\":", with: "\" :")
        #expect(scan(spaced) == line)
    }

    @Test(arguments: [
        ("shop", "shöp"), ("Boom", "💥 日本"), ("0.9975", "0.99753086419753085"), ("1840", "1840.0000000000000001"),
        ("1840", "12345678901234567890"),
    ])
    func `other letters and many digits are plain`(written: String, instead: String) {
        let text = plain.replacing(written, with: instead)
        let line = scan(text)
        #expect(line != nil)
        #expect(line == oracle(text))
    }

    @Test func `a recorded line is read without the general reader, and read the same`() throws {
        let recorded =
            plain.replacing("T22:05:30Z", with: "T22:05:30.250Z").dropLast()
            + #","asked":"2026-11-20T22:05:30.238Z","arrived":"2026-11-20T22:05:31Z"}"#
        let line = try #require(scan(String(recorded)))
        #expect(line == oracle(String(recorded)))
        #expect(line.asked.description == "2026-11-20T22:05:30.238Z")
        #expect(line.line.seen.description == "2026-11-20T22:05:30.250Z")
        #expect(line.arrived.description == "2026-11-20T22:05:31Z")
    }

    @Test(arguments: [
        ("an escape", #"shop"#, #"sh\u006fp"#), ("an exponent", "1840", "1.84e3"),
        ("a sign", "1840", "-0"),
        ("an offset", "T22:05:30Z", "T23:05:30+01:00"), ("tenths", "T22:05:30Z", "T22:05:30.2Z"),
        ("a member of a later version", "\"complete\":true", "\"later\":1"), ("null", "\"5.2.0\"", "null"),
        ("a member that comes twice", "\"complete\":true", "\"app\":\"other\""),
    ])
    func `what is not plain is left to the general reader`(what: String, written: String, instead: String) {
        let text = plain.replacing(written, with: instead)
        #expect(text != plain)
        #expect(scan(text) == nil, "\(what) was read")
    }

    @Test(arguments: [
        ("no number", "1840", "01840"), ("no date", "2026-11-20T22:05:30Z", "2026-02-30T22:05:30Z"),
        ("no end", "\"to\":\"2026-11-20T22:05:00Z\"", "\"to\":\"2026-11-20T21:05:00Z\""),
        ("nobody", "\"shop\"", "\"\""), ("more crashed than there are", "\"users\":1840", "\"users\":3"),
        ("something behind", "}}", "}}}"), ("half a line", "\"labels\":{\"team\":\"checkout\"}}", ""),
    ])
    func `what is wrong is never read`(what: String, written: String, instead: String) {
        let text = plain.replacing(written, with: instead)
        #expect(text != plain)
        #expect(oracle(text) == nil)
        #expect(scan(text) == nil, "\(what) was read")
    }

    @Test(arguments: 1...20)
    func `whatever is read is what the general reader reads`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let seen = "\"seen\":\"2026-11-20T22:05:30"
        let bytes = Array(plain.replacing(seen + "Z", with: seen + ".250Z").utf8)
        let pool = Array(#"0123456789{}[]":,.-eE \tnull\"aé"#.utf8)
        var readCount = 0
        for round in 0..<2000 {
            var mutated = bytes
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<mutated.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: mutated[place] = pool.randomElement(using: &random) ?? 0
                case 1: mutated.remove(at: place)
                default: mutated.insert(pool.randomElement(using: &random) ?? 0, at: place)
                }
            }
            let scanned = mutated.withUnsafeBufferPointer { RecordedLine(plain: $0) }
            guard let scanned else { continue }
            readCount += 1
            let text = String(decoding: mutated, as: UTF8.self)
            #expect(scanned == oracle(text), "seed \(seed), round \(round): \(text)")
        }
        #expect(readCount > 300, "seed \(seed): only \(readCount) lines were read")
    }

    @Test(arguments: 1...20)
    func `a figure is the number that is nearest to what is written`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let whole = UInt64.random(in: 0...(UInt64(1) << UInt64.random(in: 0...40, using: &random)), using: &random)
            let places = Int.random(in: 1...9, using: &random)
            let digits = String((0..<places).map { _ in "0123456789".randomElement(using: &random) ?? "0" })
            let text = plain.replacing("1840", with: "1000000000000").replacing("0.9975", with: "0.\(digits)")
                .replacing("\"events\":40", with: "\"events\":\(whole).\(digits)")
            #expect(oracle(text) != nil, "seed \(seed): \(text)")
            if let scanned = scan(text) { #expect(scanned == oracle(text), "seed \(seed): \(text)") }
        }
    }

    @Test(arguments: 1...20)
    func `what an observation is after its way through JSON is known without the way`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let observation = Observation.strange(&random)
            let way = try? ObservationLine(ObservationLine.observed(observation).json)
            let known = try? observation.written()
            #expect(way == known.map(ObservationLine.observed), "seed \(seed): \(observation)")
        }
    }
}

extension Observation {
    /// An observation with what no source should give.
    fileprivate static func strange(_ random: inout SeededRandom) -> Observation {
        let values: [Double] = [0, -0.0, 1, 12, 0.5, 1e20, .nan, .infinity, -3, 1e-7]
        let names = ["users", "crashed_users", "crash_free_users", "own"]
        var metrics: Metrics = [:]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: metrics = ["users": 3, "users": 4]
        case 1: metrics = ["users": 100, "crashed_users": values.randomElement(using: &random) ?? 0]
        default:
            for name in names.shuffled(using: &random).prefix(2) {
                metrics[name] = values.randomElement(using: &random)
            }
        }
        let moments = [
            Moment.earliest, Moment(milliseconds: 1_795_000_000_000), Moment(milliseconds: 1_795_000_000_123),
        ]
        let to = moments.randomElement(using: &random) ?? .latest
        return Observation(
            subject: Subject(
                source: random.next() % 9 == 0 ? "" : "ios", app: random.next() % 9 == 0 ? "" : "shop",
                release: random.next() % 3 == 0 ? "" : nil),
            span: TimeSpan(from: Moment(milliseconds: to.milliseconds - 1000), to: to)
                ?? TimeSpan(
                    lasting: .seconds(1), until: .latest),
            seen: moments.randomElement(using: &random) ?? to, metrics: metrics,
            issues: random.next() % 3 == 0
                ? (0..<[1, 2, 101][Int(random.next() % 3)]).map { _ in .strange(&random) } : [],
            labels: random.next() % 4 == 0 ? ["team": "a"] : [:])
    }
}

extension AlertModel.Issue {
    /// An issue with what no source should give.
    fileprivate static func strange(_ random: inout SeededRandom) -> Self {
        let counts: [Double?] = [nil, nil, 0, 3, 0.5, 1e20, 1e16]
        let rare: [Double?] = [-0.0, .nan, .infinity, -1]
        let moments: [Moment?] = [
            nil, .earliest, .latest, Moment(milliseconds: 1_795_000_000_123),
            Moment(milliseconds: Moment.latest.milliseconds + 1),
        ]
        func count() -> Double? {
            (random.next() % 40 == 0 ? rare : counts).randomElement(using: &random) ?? nil
        }
        return Self(
            id: random.next() % 40 == 0 ? "" : "S",
            title: String(repeating: "é", count: [1, 250, 251, 501][Int(random.next() % 4)]),
            events: count(), users: count(), firstSeen: moments.randomElement(using: &random) ?? nil,
            lastSeen: moments.randomElement(using: &random) ?? nil,
            returned: moments.randomElement(using: &random) ?? nil, release: random.next() % 2 == 0 ? "" : nil)
    }
}
