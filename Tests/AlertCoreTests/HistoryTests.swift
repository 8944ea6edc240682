import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

/// What is remembered of messages that have ended.
@Suite struct `The history` {
    private func facts(_ number: Int, _ end: DeliveryEnd) -> [Fact] {
        let message = Message(kind: .opened, severity: .warning, at: .rehearsalStart, headline: "\(number)")
        let delivery = Delivery(
            id: "d\(number)", channel: "team", number: number, kind: .opened, incident: nil, message: message,
            queued: .rehearsalStart)
        return [
            .outbox(.delivery(delivery)),
            .outbox(.done(id: delivery.id, end, at: .rehearsalStart + .seconds(Int64(number)))),
        ]
    }

    /// The numbers of those that are remembered of so many, of which those with a mark are dead.
    private func remembered(_ story: String, max: Int) throws -> [String] {
        let all = story.enumerated().flatMap { number, mark in
            facts(number, mark == "x" ? .dead("it is gone") : .delivered(receipt: "r\(number)"))
        }
        var state = State(historyMax: max)
        for fact in all { state.apply(fact) }
        for facts in [all, Array(state.facts)] {
            var again = State(historyMax: max)
            try again.replay(facts.map(\.record))
            #expect(again.outbox.history == state.outbox.history)
        }
        return state.outbox.history.map(\.delivery.id)
    }

    @Test func `a dead letter outlives any number of messages that arrived`() throws {
        let kept = try remembered("..x" + String(repeating: ".", count: 40), max: 10)
        #expect(kept.first == "d2")
        #expect((11...12).contains(kept.count))
        #expect(kept.last == "d42")
    }

    @Test func `dead letters are bounded too, and push out no others`() throws {
        let kept = try remembered(".." + String(repeating: "x", count: 40), max: 10)
        #expect(kept.prefix(2) == ["d0", "d1"])
        #expect((12...13).contains(kept.count))
    }

    @Test func `it says whether messages may have left it`() {
        var state = State(historyMax: 2)
        for fact in facts(0, .delivered(receipt: nil)) { state.apply(fact) }
        #expect(!state.outbox.hasForgotten)
        for fact in facts(1, .delivered(receipt: nil)) { state.apply(fact) }
        #expect(state.outbox.hasForgotten)
    }

    @Test func `what is tried again is no dead letter any more`() throws {
        var endings = Endings<String>(keptMax: 1) { $0.hasPrefix("dead") }
        _ = endings.append("dead 1")
        _ = endings.remove { $0 == "dead 1" }
        #expect(endings.append("dead 2") == [])
        #expect(endings.append("dead 3") == ["dead 2"])
        #expect(endings.entries == ["dead 3"])
    }

    @Test func `a message belongs to the thread of what began it as long as that is remembered`() throws {
        var state = State(historyMax: 2)
        let incident = Incident(
            rule: "look", subject: .shop, labels: [:], severity: .warning, since: .rehearsalStart,
            evidence: Evidence(sentence: ""))
        for (number, end) in [DeliveryEnd.delivered(receipt: "first"), .dead("gone"), .dead("gone")].enumerated() {
            let message = Message(
                kind: .opened, severity: .warning, at: .rehearsalStart, headline: "",
                incidents: [IncidentSummary(incident)])
            let delivery = Delivery(
                id: "d\(number)", channel: "team", number: number, kind: .opened, incident: incident.id,
                message: message, queued: .rehearsalStart)
            state.apply(.outbox(.delivery(delivery)))
            state.apply(.outbox(.done(id: delivery.id, end, at: .rehearsalStart)))
        }
        #expect(state.outbox.opening(of: [incident.id], in: "team")?.receipt == "first")
        for number in 3...6 { for fact in facts(number, .delivered(receipt: nil)) { state.apply(fact) } }
        #expect(state.outbox.opening(of: [incident.id], in: "team")?.receipt == nil)
    }

    @Test func `what went into a thread begins none when the opening is forgotten`() throws {
        var state = State(historyMax: 2)
        let incident = Incident(
            rule: "look", subject: .shop, labels: [:], severity: .warning, since: .rehearsalStart,
            evidence: Evidence(sentence: ""))
        func deliver(_ number: Int, in thread: String?) {
            let message = Message(
                kind: .reminder, severity: .warning, at: .rehearsalStart, headline: "",
                incidents: [IncidentSummary(incident)])
            var delivery = Delivery(
                id: "d\(number)", channel: "team", number: number, kind: .reminder, incident: incident.id,
                message: message, queued: .rehearsalStart)
            delivery.progress.thread = thread
            state.apply(.outbox(.delivery(delivery)))
            state.apply(.outbox(.done(id: delivery.id, .delivered(receipt: "r\(number)"), at: .rehearsalStart)))
        }
        for number in 1...3 { deliver(number, in: number == 1 ? nil : "r1") }
        while state.outbox.opening(of: [incident.id], in: "team")?.receipt == "r1" {
            deliver(state.outbox.nextNumber, in: "r1")
            try #require(state.outbox.nextNumber < 10)
        }
        #expect(state.outbox.opening(of: [incident.id], in: "team")?.receipt == nil)
        let next = state.outbox.nextNumber
        deliver(next, in: nil)
        #expect(state.outbox.opening(of: [incident.id], in: "team")?.receipt == "r\(next)")
    }
}
