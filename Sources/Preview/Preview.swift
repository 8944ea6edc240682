// Preview plays observations through the very core that runs at night, in virtual time, and lists what it would say. It
// sends nothing and writes nothing: deliveries succeed at once, polls are not made.

public import AlertCore
public import PluginKit
public import Runtime

/// A bot in virtual time.
public struct Preview: Sendable {
    private let core: Core
    private let faults: Faults?
    public private(set) var state: State
    /// Every decision about every notification, in the order they were made.
    public private(set) var decisions: [DecisionRecord] = []
    /// Every incident that was more than pending at some time, as it was last, in the order they began.
    public var incidents: [Incident] {
        seen.values.sorted { ($0.since, $0.id) < ($1.since, $1.id) }
    }
    public private(set) var notes: [Note] = []
    public private(set) var now: Moment

    private var seen: [String: Incident] = [:]

    /// - Parameters:
    ///   - state: a copy of what the bot knows.
    ///   - start: where virtual time begins.
    public init(plan: Plan, state: State, start: Moment, faults: Faults? = nil) {
        core = Core(plan: plan)
        self.state = state
        self.faults = faults
        now = start
        for incident in state.incidents.values { seen[incident.id] = incident }
        step(.started)
    }

    /// Moves time on to the lines' moment and takes them in; they are of one source and were seen at one time.
    public mutating func feed(_ lines: [ObservationLine], at moment: Moment) {
        passTime(until: moment, including: false)
        now = max(now, moment)
        step(.observed(lines))
    }

    /// Takes in what a real poll found out.
    public mutating func take(_ input: Input) { step(input) }

    /// Moves time on, letting happen what is due, that at `moment` included.
    public mutating func advance(to moment: Moment) {
        passTime(until: moment, including: true)
        now = max(now, moment)
    }

    private mutating func passTime(until moment: Moment, including: Bool) {
        while let due = state.nextDue, including ? due <= moment : due < moment {
            now = max(now, due)
            step(.tick)
        }
    }

    private mutating func step(_ input: Input) {
        var inputs = [input]
        while !inputs.isEmpty {
            let output = core.step(&state, inputs.removeFirst(), at: now)
            for case .incident(let incident) in output.facts { seen[incident.id] = incident }
            for effect in output.effects {
                switch effect {
                case .decided(let record): decisions.append(record)
                case .note(let note): notes.append(note)
                case .send(let order): inputs.append(.delivered(id: order.delivery.id, outcome(of: order.delivery)))
                case .poll, .answered: break
                }
            }
        }
    }

    private func outcome(of delivery: Delivery) -> DeliveryOutcome {
        guard let faults, faults.strikes("\(delivery.id)#\(delivery.attempts)", at: now) else {
            return .delivered(receipt: nil)
        }
        return .retry(after: nil, "failed on purpose (--fault-rate)")
    }
}
