import BudgetGate
import Chance
import PluginKit
import PluginTesting
import Synchronization
import Testing

/// A budget that a storm uses up.
@Suite struct `A budget in a storm` {
    private let now = Moment(milliseconds: 1_800_000_000_000)

    /// A past that counts how often it is asked about apps.
    private final class CountingView: GateView {
        private let past: RehearsedView
        private let count = Mutex(0)

        init(_ past: RehearsedView) { self.past = past }

        var questions: Int { count.withLock { $0 } }

        func told(_ channel: String) -> [Telling] { past.told(channel) }
        func gathered(_ gathering: Gathering, for channel: String) -> Moment? { past.gatheredSince }
        func swings(of incident: Incident) -> [Moment] { [] }
        func swingsTold(of incident: Incident, in channel: String) -> SwingsTold? { nil }
        func explaining(_ match: Match, at now: Moment) -> [Incident] { [] }
        var appCount: Int { past.appCount }
        func hasFigures(ofApp app: String) -> Bool {
            count.withLock { $0 += 1 }
            return past.hasFigures(ofApp: app)
        }
    }

    private func notification(_ app: String) -> Notification {
        let incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: app), labels: [:], severity: .warning, since: now,
            evidence: Evidence(sentence: ""))
        return Notification(incident: incident, kind: .opened, severity: .warning, channel: "team")
    }

    @Test func `it asks about each app that was told of once`() throws {
        let gate = try BudgetGate.written(["at_most": "400 per 1h"])
        var past = RehearsedView()
        past.tellings = (0..<400).map { Telling(number: $0 + 1, at: now - .minutes(10), apps: ["app-\($0)"]) }
        past.apps = Set((0..<1000).map { "app-\($0)" })
        let view = CountingView(past)
        #expect(gate.closure(for: notification("app-7"), at: now, given: view)?.until == now + .minutes(50))
        #expect(view.questions <= 401)
    }

    /// When there is room, counted anew for each message that has left the window.
    private func opening(_ rate: Rate, for app: String, _ told: [Telling], _ apps: Set<String>) -> Moment? {
        let half = rate.count / 2
        guard told.count >= rate.count - half else { return nil }
        let others = apps.subtracting([app]).count
        var opening: Moment?
        for gone in stride(from: told.count, through: 0, by: -1) {
            let hadSome = Set(told[gone...].flatMap(\.apps))
            let hadNone = others - hadSome.count { $0 != app && apps.contains($0) }
            let kept = hadSome.contains(app) ? min(half, max(0, hadNone)) : 0
            guard told.count - gone < rate.count - kept else { continue }
            if gone == 0 { return nil }
            opening = told[gone - 1].at + rate.per
        }
        return opening
    }

    @Test func `there is room when a count of everything says so`() throws {
        var random = SeededRandom(printedFor: "room in a budget")
        let names = (0..<12).map { "app-\($0)" }
        for _ in 0..<500 {
            let count = 1 + random.below(8)
            let gate = try BudgetGate.written(["at_most": "\(count) per 1h"])
            var past = RehearsedView()
            past.apps = Set(names.filter { _ in random.happens(0.6) })
            let ages = (0..<random.below(14)).map { _ in Int64(random.below(60)) }.sorted(by: >)
            past.tellings = ages.enumerated().map { number, age in
                let apps = Set((0..<1 + random.below(3)).map { _ in random.pick(names) ?? "app-1" }).sorted()
                return Telling(number: number + 1, at: now - .minutes(age), apps: apps)
            }
            let app = random.pick(names) ?? "app-1"
            #expect(
                gate.closure(for: notification(app), at: now, given: past)?.until
                    == opening(Rate(count, per: .hours(1)), for: app, past.tellings, past.apps))
        }
    }
}
