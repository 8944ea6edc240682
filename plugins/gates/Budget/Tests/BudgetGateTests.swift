import BudgetGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Budget` {
    private let now = Moment(milliseconds: 1_800_000_000_000)

    private func notification(
        _ app: String = "shop", _ kind: Notification.Kind = .opened, channel: String = "team"
    ) -> Notification {
        let incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: app), labels: [:], severity: .warning, since: now,
            evidence: Evidence(sentence: ""))
        return Notification(incident: incident, kind: kind, severity: .warning, channel: channel)
    }

    /// A past in which the channel was told of apps so many minutes ago.
    private func told(_ past: [(minutesAgo: Int64, app: String)], apps: Set<String> = ["shop"]) -> RehearsedView {
        var view = RehearsedView()
        view.tellings = past.enumerated().map { index, telling in
            Telling(number: index + 1, at: now - .minutes(telling.minutesAgo), apps: [telling.app])
        }
        view.apps = apps
        return view
    }

    @Test(
        arguments: [
            (past: [], opensIn: nil),
            (past: [40], opensIn: nil),
            (past: [40, 20], opensIn: 20),
            (past: [60, 20], opensIn: nil),
            (past: [59, 20], opensIn: 1),
            // More than the budget, because what may always pass has passed.
            (past: [50, 40, 30, 20], opensIn: 30),
            (past: [0, 0, 0], opensIn: 60),
        ] as [(past: [Int64], opensIn: Int64?)])
    func `two in an hour`(past: [Int64], opensIn: Int64?) throws {
        let gate = try BudgetGate.written(["at_most": "2 per 1h"], name: "calm-down")
        for kind in Notification.Kind.ofIncidents {
            let closure = gate.closure(for: notification("shop", kind), at: now, given: told(past.map { ($0, "shop") }))
            #expect(closure?.until == opensIn.map { now + .minutes($0) })
            guard let closure else { continue }
            #expect(closure.reason.description == "budget:calm-down")
            #expect(closure.fate == .gather(Gathering(gate: "calm-down", style: .digest)))
        }
    }

    @Test func `it says how much is left, of its own channels`() throws {
        let gate = try BudgetGate.written(["channel": "team", "at_most": "4 per 1h"])
        let view = told([70, 60, 40, 10].map { ($0, "shop") })
        func left(in channel: String, _ view: RehearsedView) -> String? {
            gate.account(of: notification(channel: channel), at: now, given: view)
        }
        #expect(left(in: "team", view) == "2 of 4 messages left in 1 h")
        #expect(left(in: "ops", view) == nil)
        // With a second app that had nothing, one is that app's, with a third both.
        let kept = "2 of 4 messages left in 1 h, kept for apps that have had none"
        let past = [70, 60, 40, 10].map { (minutesAgo: Int64($0), app: "shop") }
        func account(_ apps: Set<String>) -> String? { left(in: "team", told(past, apps: apps)) }
        #expect(account(["shop", "bank"]) == "2 of 4 messages left in 1 h")
        #expect(account(["shop", "bank", "tv"]) == kept)
    }

    @Test(
        arguments: [
            (app: "shop", past: ["shop", "shop"], apps: ["shop"], opensIn: nil),
            (app: "shop", past: ["shop", "shop"], apps: ["shop", "bank"], opensIn: nil),
            (app: "shop", past: ["shop", "shop", "shop"], apps: ["shop", "bank"], opensIn: 30),
            (app: "bank", past: ["shop", "shop", "shop"], apps: ["shop", "bank"], opensIn: nil),
            (app: "shop", past: ["shop", "shop", "bank"], apps: ["shop", "bank"], opensIn: nil),
            (app: "shop", past: ["shop", "shop"], apps: ["shop", "bank", "game", "chat"], opensIn: 30),
            (app: "bank", past: ["shop", "shop"], apps: ["shop", "bank", "game", "chat"], opensIn: nil),
            (
                app: "bank", past: ["shop", "bank", "game", "chat"], apps: ["shop", "bank", "game", "chat"], opensIn: 31
            ),
        ] as [(app: String, past: [String], apps: Set<String>, opensIn: Int64?)])
    func `four in an hour, of which up to two are kept for apps that had none`(
        app: String, past: [String], apps: Set<String>, opensIn: Int64?
    ) throws {
        let gate = try BudgetGate.written(["at_most": "4 per 1h"])
        let view = told(past.enumerated().map { (30 - Int64($0), $1) }, apps: apps)
        let closure = gate.closure(for: notification(app), at: now, given: view)
        #expect(closure?.until == opensIn.map { now + .minutes($0) })
    }

    @Test(arguments: 0..<30 as Range<Int64>)
    func `when it opens it is open, and not a millisecond before`(shift: Int64) throws {
        let gate = try BudgetGate.written(["at_most": "5 per 1h"])
        let apps = ["shop", "bank", "game", "chat"]
        // Spread by multiples of primes: every shift is another past.
        let past = (1...9).map { ((Int64($0) * 7 * (shift + 3)) % 71, apps[Int((Int64($0) * (shift + 1)) % 4)]) }
        let view = told(past.sorted { $0.0 > $1.0 }, apps: Set(apps))
        guard let closure = gate.closure(for: notification(), at: now, given: view) else { return }
        #expect(gate.closure(for: notification(), at: closure.until, given: view) == nil)
        #expect(gate.closure(for: notification(), at: closure.until - .milliseconds(1), given: view) != nil)
    }

    @Test func `another channel is none of its business`() throws {
        let gate = try BudgetGate.written(["channel": "ops", "at_most": "1 per 1h"])
        let view = told([(1, "shop")])
        #expect(gate.closure(for: notification(), at: now, given: view) == nil)
        #expect(gate.closure(for: notification(channel: "ops"), at: now, given: view) != nil)
    }

    @Test(arguments: [
        ("2000 per 1h", "'at_most' allows 2000 messages; at most 1000 are counted"),
        ("10 per 31d", "'at_most' looks back 31d; at most 30d"),
    ])
    func `a budget that cannot be kept is a mistake`(rate: String, message: String) {
        let error = #expect(throws: ProblemList.self) { try BudgetGate.written(["at_most": rate]) }
        #expect(error?.problems.map(\.message) == [message])
        #expect(error?.problems.first?.position == Position(line: 2, column: 9))
    }
}
