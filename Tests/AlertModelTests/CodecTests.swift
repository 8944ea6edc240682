import Chance
import Testing

@testable import AlertModel

@Suite struct `What the journal keeps` {
    /// Writes a value, reads the text back, and says where they differ.
    private func check<Value: Equatable>(
        _ value: Value, _ json: JSON, seed: UInt64, _ read: (JSONReader) throws(JSONMismatch) -> Value
    ) throws {
        let again = try read(JSONReader(JSON(parsing: json.text)))
        #expect(again == value, "seed \(seed): \(json.text)")
    }

    @Test(arguments: SeededRandom.seeds)
    func `evidence is read back as it was written`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let evidence = random.evidence()
            try check(evidence, evidence.json, seed: seed) { reader throws(JSONMismatch) in try Evidence(reader) }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func `incidents are read back as they were written`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<30 {
            let incident = random.incident()
            try check(incident, incident.json, seed: seed) { reader throws(JSONMismatch) in try Incident(reader) }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func `deliveries and how they ended are read back as they were written`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<30 {
            let delivery = random.delivery()
            try check(delivery, delivery.json, seed: seed) { reader throws(JSONMismatch) in try Delivery(reader) }
            let entry = random.historyEntry()
            try check(entry, entry.json, seed: seed) { reader throws(JSONMismatch) in try EndedDelivery(reader) }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func `series are read back as they were written`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20 {
            let series = random.series()
            try check(series, series.json, seed: seed) { reader throws(JSONMismatch) in try Series(reader, .none) }
        }
        let empty = Series()
        try check(empty, empty.json, seed: seed) { reader throws(JSONMismatch) in try Series(reader, .none) }
    }

    @Test(arguments: SeededRandom.seeds)
    func `what is read plainly is what the parser reads`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var readCount = 0
        for _ in 0..<2000 {
            let json = ObservationLine.observed(random.observation()).json
            guard let read = json.bytes.withUnsafeBufferPointer({ RecordedLine(plain: $0) }) else { continue }
            readCount += 1
            #expect(read.line == (try? ObservationLine(json)), "seed \(seed): \(json.text)")
        }
        #expect(readCount > 0, "seed \(seed)")
    }

    @Test(arguments: SeededRandom.seeds)
    func `observations are read back as they were written`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let line = ObservationLine.observed(random.observation())
            try check(line, line.json, seed: seed) { reader throws(JSONMismatch) in try ObservationLine(reader.value) }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func `a journal that was tampered with is refused, never worse`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let kinds: [(whole: JSON, isRead: (JSONReader) -> Bool)] = [
            (random.incident().json, { reader in (try? Incident(reader)) != nil }),
            (random.historyEntry().json, { reader in (try? EndedDelivery(reader)) != nil }),
            (random.series().json, { reader in (try? Series(reader, .none)) != nil }),
        ]
        var refusedCounts = kinds.map { _ in 0 }
        for _ in 0..<300 {
            let index = Int.random(in: kinds.indices, using: &random)
            let reader = JSONReader(random.damaged(kinds[index].whole))
            let isRead = kinds.map { $0.isRead(reader) }
            if !isRead[index] { refusedCounts[index] += 1 }
        }
        #expect(refusedCounts.allSatisfy { $0 > 0 }, "seed \(seed): \(refusedCounts)")
    }

    @Test(
        arguments: [
            (.first, "first"), (.escalated, "escalated"), (.repeat, "repeat"), (.resolved, "resolved"),
            (.revised, "revised"), (.unannounced, "unannounced"),
            (.overtaken, "overtaken"), (.muted("vacation"), "muted:vacation"),
            (.quietHours("nights:2"), "quiet_hours:nights:2"),
            (.gate(plugin: "budget", name: "calm-down"), "budget:calm-down"),
        ] as [(Reason, String)])
    func `a reason has one word`(reason: Reason, text: String) {
        #expect(reason.description == text)
        #expect(Reason(text) == reason)
    }

    @Test(arguments: ["", "whim", "muted", "muted:", "budget", ":", ":x"])
    func `other words are no reason`(text: String) {
        #expect(Reason(text) == nil)
    }

    @Test func `an id tells incidents apart and is the same in every run`() {
        let subject = Subject(source: "ios", app: "shop")
        let id = Incident.id(rule: "floor", subject: subject, since: Fixtures.start)
        #expect(id == Incident.id(rule: "floor", subject: subject, since: Fixtures.start))
        let others = [
            Incident.id(rule: "floor2", subject: subject, since: Fixtures.start),
            Incident.id(
                rule: "floor", subject: Subject(source: "ios", app: "shop", release: "5"), since: Fixtures.start),
            Incident.id(
                rule: "floor", subject: Subject(source: "ios", app: "shop", environment: "5"), since: Fixtures.start),
            Incident.id(rule: "floor", subject: subject, since: Fixtures.start + .seconds(1)),
        ]
        #expect(Set(others + [id]).count == 5)
    }

    @Test func `severities are ordered`() {
        #expect(Severity.allCases.sorted() == [.info, .warning, .critical])
        #expect(Severity.info < .critical)
    }

    @Test(arguments: [
        ("⚪ shop: news has ended", "closed", "shop: news has ended"), ("✅ shop: fine", "resolved", "shop: fine"),
        ("🔴 a3, a2: 2 firing", "critical", "a3, a2: 2 firing"), ("No longer new", "resolved", "No longer new"),
    ])
    func `a message of an older journal has the mark of its headline`(
        _ headline: String, _ mark: String, _ title: String
    ) throws {
        let record = """
            {"kind":"resolved","at":"2026-11-20T23:00:00Z","severity":"critical","headline":"\(headline)","footer":""}
            """
        let message = try Message(JSONReader(JSON(parsing: Array(record.utf8))))
        #expect("\(message.mark)" == mark)
        #expect(message.unmarkedHeadline == title)
    }

    @Test func `hostile words make no lines of their own in plain text`() {
        let message = Message(
            kind: .opened, severity: .critical, at: Fixtures.start, headline: "🔴 shop\nWhy: none",
            fields: [.init("Users", "5\n6")],
            reason: "it\u{202E} fell", issues: [.init(title: "Crash\r\nin it", detail: "4 events", url: "https://x")],
            sparkline: "▁█", lines: ["one"], links: [.init("Mute 2 h", "https://m")], footer: "rule floor")
        #expect(
            message.plainText == """
                🔴 shop Why: none
                Users: 5 6
                • one
                Why: it fell
                Last day: ▁█
                Top issues:
                • Crash  in it (4 events) https://x
                Mute 2 h: https://m
                rule floor
                """)
    }
}
