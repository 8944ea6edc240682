import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

@Suite struct `Replays` {
    /// Dictionaries have another order in every process; twenty pairs of names have every order in one.
    @Test(arguments: 0..<20)
    func `what is gathered is known since the oldest hold that is left, in whatever order incidents come`(pair: Int)
        throws
    {
        let gathering = Gathering(gate: "calm-down", style: .digest)
        func hold(since minute: Int64) -> Hold {
            let since = Moment.earliest + .minutes(minute)
            return Hold(
                kind: .opened, severity: .warning, reason: .gate(plugin: "budget", name: "calm-down"), since: since,
                until: since, checkAgain: since, summarizes: true, gathering: gathering)
        }
        func incident(_ app: String, since minute: Int64) -> Incident {
            var incident = Incident(
                rule: "look", subject: Subject(source: "ios", app: app), labels: [:], severity: .warning,
                since: Moment.earliest, evidence: Evidence(sentence: ""))
            incident.standings["team"] = Standing(hold: hold(since: minute))
            return incident
        }
        let (shop, game) = (incident("shop-\(pair)", since: 5), incident("game-\(pair)", since: 12))
        let facts = [
            Fact.incidents(.incident(shop)), .incidents(.incident(game)),
            .incidents(.standing(incident: shop.id, channel: "team", Standing(hold: hold(since: 30)))),
        ]
        var state = State()
        try state.replay(facts.map(\.record))
        #expect(GateSight(state).gathered(gathering, for: "team") == Moment.earliest + .minutes(12))
    }

    /// How it ended is skipped by a start, for that it was forgotten overtakes it.
    @Test func `what was under way in a snapshot and was forgotten since is not under way again`() throws {
        let message = Message(kind: .opened, severity: .warning, at: .earliest, headline: "shop is down")
        let delivery = Delivery(
            id: "d1", channel: "team", number: 7, kind: .opened, incident: "i1", message: message, queued: .earliest)
        let later = [
            Fact.outbox(.done(id: "d1", .replaced, at: .earliest)), .outbox(.forgotten(ids: ["d1"])),
            .outbox(.numbering(next: 8)),
        ]
        var state = State()
        try state.replay([Fact.outbox(.delivery(delivery)).inSnapshot] + later.map(\.record))
        #expect(state.outbox.deliveries.isEmpty)
        #expect(state.outbox.history.isEmpty)
    }

    /// That it is tried again is skipped by a start, for how it was moved along with the clock overtakes it.
    @Test func `what had ended in a snapshot, is tried again and was moved by a clock has not ended`() throws {
        let message = Message(kind: .resolved, severity: .warning, at: .earliest, headline: "shop is well")
        let delivery = Delivery(
            id: "d1", channel: "team", number: 7, kind: .resolved, incident: "i1", message: message, queued: .earliest)
        var state = State()
        let dead = Fact.outbox(.ended(EndedDelivery(delivery: delivery, end: .dead("410"), at: .earliest)))
        state.apply(dead)
        var output = Output()
        let again = state.outbox.acceptAgain(delivery, at: .earliest + .minutes(60), &output)
        state.outbox.moveClock(by: .minutes(-10), &output)
        var replayed = State()
        try replayed.replay([dead.inSnapshot] + output.facts.map(\.record))
        #expect(replayed.outbox.deliveries.keys.sorted() == ["d1"])
        #expect(replayed.outbox.history.isEmpty)
        #expect(replayed.outbox.deliveries["d1"]?.queued == again.queued - .minutes(10))
    }
}
