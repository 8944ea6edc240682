import FlappingGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Flapping gate` {
    private let start = Moment(milliseconds: 1_800_000_000_000)

    private func notification(
        _ kind: Notification.Kind = .opened, app: String = "shop", _ severity: Severity = .warning
    ) -> Notification {
        let incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: app), labels: [:], severity: severity, since: start,
            evidence: Evidence(sentence: ""))
        return Notification(incident: incident, kind: kind, severity: severity, channel: "team")
    }

    /// - Parameter told: The minute in which the channel was told of them, and how bad they were.
    private func changes(at minutes: [Int64], told: (minute: Int64, severity: Severity)? = nil) -> RehearsedView {
        var view = RehearsedView()
        view.changes = minutes.map { start + .minutes($0) }
        view.changesTold = told.map { SwingsTold(at: start + .minutes($0.minute), severity: $0.severity) }
        return view
    }

    @Test(
        arguments: [
            // Whoever was not told, be it that a mute held the change that made it flapping, is told with the next.
            (changes: [0, 10, 20, 30, 40], told: nil, .warning, isTold: true),
            (changes: [0, 10, 20, 30, 40], told: (30, .warning), .warning, isTold: false),
            // What is worse than what was told is news.
            (changes: [0, 10, 20, 30, 40], told: (30, .warning), .critical, isTold: true),
            (changes: [0, 10, 20, 30, 40], told: (40, .critical), .critical, isTold: false),
            (changes: [0, 10, 20, 30, 40], told: (40, .critical), .warning, isTold: false),
            // What was told of an earlier stretch counts for that.
            (changes: [0, 10, 20, 30, 70, 71, 72, 73, 74], told: (30, .critical), .warning, isTold: true),
            // A stretch may be longer than what is remembered of it; after a day it is told of anew.
            (changes: [0, 10, 20, 30, 40], told: (-600, .warning), .warning, isTold: false),
            (changes: [0, 10, 20, 30, 40], told: (-1_500, .warning), .warning, isTold: true),
        ] as [(changes: [Int64], told: (minute: Int64, severity: Severity)?, Severity, isTold: Bool)])
    func `it is told once of a stretch, and again when it is worse`(
        changes: [Int64], told: (minute: Int64, severity: Severity)?, severity: Severity, isTold: Bool
    ) throws {
        let gate = try FlappingGate.written([:])
        let (view, now) = (self.changes(at: changes, told: told), start + .minutes(changes.last ?? 0))
        let notification = notification(.opened, severity)
        #expect((gate.closure(for: notification, at: now, given: view) == nil) == isTold)
        #expect((gate.remark(on: notification, at: now, given: view) != nil) == isTold)
    }

    /// Four changes within an hour; calm is half an hour without any. The channel was told of the fourth.
    @Test(
        arguments: [
            (changes: [], now: 0, closedUntil: nil, isTold: false),
            (changes: [0, 10, 20], now: 20, closedUntil: nil, isTold: false),
            (changes: [0, 10, 20, 30], now: 30, closedUntil: nil, isTold: true),
            (changes: [0, 10, 20, 61], now: 61, closedUntil: nil, isTold: false),
            (changes: [0, 10, 20, 30, 40], now: 40, closedUntil: 70, isTold: false),
            (changes: [0, 10, 20, 30, 40], now: 69, closedUntil: 70, isTold: false),
            (changes: [0, 10, 20, 30, 40], now: 70, closedUntil: nil, isTold: false),
            (changes: [0, 10, 20, 30, 59], now: 60, closedUntil: 89, isTold: false),
            // Calm at 60: what comes afterwards begins a count of its own.
            (changes: [0, 10, 20, 30, 60], now: 60, closedUntil: nil, isTold: false),
            (changes: [0, 10, 20, 30, 60, 61, 62, 63], now: 63, closedUntil: nil, isTold: true),
        ] as [(changes: [Int64], now: Int64, closedUntil: Int64?, isTold: Bool)])
    func `changes, and what follows from them`(
        changes: [Int64], now: Int64, closedUntil: Int64?, isTold: Bool
    ) throws {
        let gate = try FlappingGate.written([:])
        let told = changes.count > 4 ? changes[3] : nil
        let (view, now) = (
            self.changes(at: changes, told: isTold ? nil : told.map { ($0, .warning) }), start + .minutes(now)
        )
        let closure = gate.closure(for: notification(), at: now, given: view)
        #expect(closure?.until == closedUntil.map { start + .minutes($0) })
        #expect(closure == nil || closure?.reason == .flapping)
        #expect((gate.remark(on: notification(), at: now, given: view) != nil) == isTold)
    }

    /// The last change is a beginning. Five changes within six hours, of which no four fell into one.
    @Test(
        arguments: [
            (changes: [0], well: nil),
            (changes: [0, 30, 60], well: nil),
            (changes: [0, 30, 60, 90, 120], well: 45),
            (changes: [0, 30, 60, 90, 120, 150, 180], well: 45),
            // The longest that it was well counts, up to an hour.
            (changes: [0, 50, 60, 140, 160], well: 30),
            (changes: [0, 90, 100, 190, 200], well: 15),
            (changes: [0, 60, 120, 180, 240], well: 60),
            // Too long ago to belong to it.
            (changes: [0, 60, 120, 180, 361], well: nil),
            // Fast ones are told otherwise, and what was before they calmed down is another story.
            (changes: [0, 10, 20, 30, 40], well: nil),
            (changes: [0, 10, 20, 30, 70, 100, 130], well: nil),
            (changes: [0, 10, 20, 30, 70, 100, 130, 160, 190], well: 45),
        ] as [(changes: [Int64], well: Int64?)])
    func `what comes and goes slowly must be well for longer than it was`(changes: [Int64], well: Int64?) throws {
        let gate = try FlappingGate.written([:])
        let view = self.changes(at: changes)
        let asked = gate.steadiness(after: view.changes)
        #expect(asked?.wait == well.map { .minutes($0) })
        // Nothing is held for it.
        guard let asked, let last = view.changes.last else { return }
        #expect((5...changes.count).contains(asked.changes))
        #expect(gate.closure(for: notification(.opened), at: last, given: view) == nil)
        #expect(gate.remark(on: notification(.opened), at: last, given: view) == nil)
    }

    @Test(
        arguments: [
            // As fast as the options say, it is flapping once it has changed so often, and not before.
            (["changes": "6", "within": "20m"], changes: [0, 1, 2, 3, 4], isAsked: false),
            (["changes": "10", "within": "3h"], changes: [0, 10, 20, 30, 40], isAsked: false),
            (["changes": "10", "within": "3h"], changes: [0, 30, 60, 90, 120], isAsked: true),
            (["changes": "4", "within": "6h"], changes: [0, 30, 60], isAsked: false),
        ] as [(KeyValuePairs<String, String>, changes: [Int64], isAsked: Bool)])
    func `slow is what the options do not call fast`(
        options: KeyValuePairs<String, String>, changes: [Int64], isAsked: Bool
    ) throws {
        let gate = try FlappingGate.written(options)
        #expect((gate.steadiness(after: self.changes(at: changes).changes) != nil) == isAsked)
    }

    @Test func `what flaps is gathered by itself`() throws {
        let gate = try FlappingGate.written([:])
        let view = changes(at: [0, 1, 2, 3, 4], told: (3, .warning))
        let fates = try ["shop", "bank"].map { app in
            try #require(gate.closure(for: notification(app: app), at: start + .minutes(5), given: view)).fate
        }
        #expect(fates[0] != fates[1])
    }

    @Test func `it says so with a beginning, an end or a line of both, not with a reminder`() throws {
        let gate = try FlappingGate.written([:])
        let view = changes(at: [0, 1, 2, 3])
        let told = Notification.Kind.ofIncidents.filter {
            gate.remark(on: notification($0), at: start + .minutes(3), given: view) != nil
        }
        #expect(told == [.opened, .escalated, .resolved, .digest])
    }
}
