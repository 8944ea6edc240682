import AlertCore
import AlertTesting
import DependsOnGate
import PluginKit
import PluginTesting
import Synchronization
import Testing

/// Very many who wait for the same.
@Suite struct `A storm behind depends_on` {
    private final class Questions: Sendable {
        private let count = Mutex(0)

        func ask() { count.withLock { $0 += 1 } }
        /// How often the gate was asked since this was called last.
        func take() -> Int {
            count.withLock { count in
                defer { count = 0 }
                return count
            }
        }
    }

    /// The gate, counting how often it is asked.
    private struct CountingGate: Gate {
        static let manifest = DependsOnGate.manifest
        private let gate: DependsOnGate
        private let questions: Questions

        init(_ gate: DependsOnGate, _ questions: Questions) {
            self.gate = gate
            self.questions = questions
        }

        init(options: Options, context: RuleContext) throws(ProblemList) {
            self.init(try DependsOnGate(options: options, context: context), Questions())
        }

        var waitsFor: Match? { gate.waitsFor }
        func isKeptClosed(by incident: Incident, in channel: String, at now: Moment) -> Bool {
            gate.isKeptClosed(by: incident, in: channel, at: now)
        }
        func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure? {
            questions.ask()
            return gate.closure(for: notification, at: now, given: view)
        }
    }

    private static let apps = (0..<40).map { Subject(source: "ios", app: "app-\($0)") }

    @Test func `what opens no gate asks nobody anew, and what opens it asks everybody`() throws {
        let questions = Questions()
        let gate = CountingGate(try DependsOnGate.written(["when": "app=backend-*"], name: "because"), questions)
        var bot = Rehearsal(.rehearsed(gates: [GatePlan(name: "because", gate: gate)]))
        bot.comparesReplay = true
        bot.start()
        let (first, second) = (Subject(source: "ios", app: "backend-1"), Subject(source: "ios", app: "backend-2"))
        bot.see(.critical, of: first)
        bot.advance(by: .seconds(1))
        bot.see(Self.apps.map { ($0, .warning) })
        bot.advance(by: .seconds(1))
        #expect(bot.kindsSent(to: "team") == [.opened], "all others wait")
        #expect(questions.take() >= Self.apps.count)

        bot.see(.critical, of: second)
        bot.advance(by: .seconds(1))
        #expect(questions.take() < 10, "another one that explains them changes nothing for them")
        bot.see(.fine, of: first)
        bot.advance(by: .seconds(1))
        #expect(questions.take() < 10, "the other goes on")
        #expect(bot.kindsSent(to: "team") == [.opened, .opened, .resolved])

        bot.see(.fine, of: second)
        bot.advance(by: .minutes(1))
        #expect(questions.take() >= Self.apps.count)
        let told = Set(bot.sends.flatMap { $0.delivery.message.incidents.map(\.subject) })
        #expect(told == Set(Self.apps + [first, second]))
        #expect(bot.objections == [])
    }
}
