// AlertCore decides everything and does nothing. `Core.step` takes the state, one input and the time, and gives back
// facts for the journal and effects for the shell. It reads no clock, no disk, no network and no source of chance, so a
// year can be played in a second, and a preview runs the very code that runs at night.

public import PluginKit

/// Something that happened.
public enum Input: Sendable {
    /// The bot has started, or has loaded its config anew. What a fresh state finds under way was lost with the run
    /// before; what this run has under way stays so.
    case started
    /// Nothing but time has passed.
    case tick
    case polled(source: String, PollReport, validators: [String: SourceRecord.Validator])
    /// What somebody told a source that is not asked; `id` names the one who waits for the answer.
    case pushed(source: String, PollReport, id: Int)
    /// What came of one poll, from a file: played through the rules without polling anybody. `asked` is when the poll
    /// began; nil for now.
    case observed([ObservationLine], asked: Moment? = nil)
    /// What came of an attempt; `askedToWait` is for how long its service wants to be left alone since an older message was
    /// edited behind it.
    case delivered(id: String, DeliveryOutcome, askedToWait: Duration? = nil)
    /// A message has arrived, and older ones are edited behind it; `delivered` comes once that has ended.
    case arrived(id: String, DeliveryOutcome)
    /// Attempts that the core began and that have not left the machine, because the journal could not be written.
    case unsent(ids: [String])
    /// Whether the host runs on battery or wants to save power.
    case power(isLow: Bool)
    /// The journal cannot be written, and why; nil when it can be again.
    case journal(trouble: String?)
    /// The journal had damage when it was opened, and of what kind.
    case journalDamaged(String)
    /// The config on the disk has had errors for a while, and the bot goes on with another; it ends with `started`.
    case configRefused(String)
    /// Somebody told the bot to do something; `id` names the one who waits for the answer.
    case command(Command, id: Int)
    /// The wall clock was set; everything that is due moves along.
    case clockStepped(by: Duration)
}

/// Something the shell has to do, in this order, after the facts, which are first made as safe as
/// `Output.safety` asks.
public enum Effect: Sendable {
    case poll(PollOrder)
    case send(SendOrder)
    case note(Note)
    case answered(CommandAnswer, id: Int)
    /// What the gates said of a notification; for previews, logs and `why`.
    case decided(DecisionRecord)
}

/// A poll that is due.
public struct PollOrder: Sendable {
    public let source: String
    public let cursor: JSON?
    /// Whether an answer that is as before is to be taken in as if it were new.
    public let isAnew: Bool
    public let validators: [String: SourceRecord.Validator]
    /// Spans that rules want measured, shortest first.
    public let spans: [Duration]
    public let timeout: Duration
    /// How the service is reached.
    public let connection: Connection
}

/// An attempt of a delivery that is due.
public struct SendOrder: Sendable {
    /// A message that opened an incident, as it should read by now.
    public struct Edit: Hashable, Sendable {
        public let incident: String
        /// The channel's id of that message.
        public let opening: String
        public let message: Message

        public init(incident: String, opening: String, message: Message) {
            self.incident = incident
            self.opening = opening
            self.message = message
        }
    }

    public let delivery: Delivery
    /// The channel's id of the message that opened the incident there, or all the incidents, so that what follows can go
    /// into its thread.
    public let thread: String?
    /// Whether that message is about no other incident, and may be brought up to date with this one.
    public let isThreadOwn: Bool
    /// What is to be done behind the message with those that opened what it is about, each in a message of its own.
    public let edits: [Edit]
    /// Whether it may leave though the journal cannot be written: it is about just that.
    public let mayLeaveUnsafe: Bool
}

/// A sentence for the log.
public struct Note: Hashable, Sendable {
    public enum Level: String, Hashable, Sendable { case info, warning, error }
    public let level: Level
    public let text: String
    /// What it is about, by name, for programs that read the log: `source`, `channel`, `incident` and the like. The text
    /// says it, too.
    public let details: [String: String]

    public init(_ level: Level, _ text: String, _ details: [String: String] = [:]) {
        self.level = level
        self.text = text
        self.details = details
    }
}

/// One decision about one notification.
public struct DecisionRecord: Sendable {
    public let at: Moment
    /// Nil for summaries.
    public let incident: String?
    public let kind: Notification.Kind
    public let severity: Severity
    public let channel: String
    public let decision: Decision
    public let reason: Reason
    public let message: Message
    /// The delivery it became, when it is sent.
    public let delivery: String?
}

/// What a rule thought of a subject at one look.
public struct JudgementRecord: Sendable {
    public let rule: String
    public let subject: Subject
    /// What it is about where the subject alone does not say it: the id of an issue.
    public let key: String?
    public let judgement: Judgement
}

/// What came of a step.
public struct Output: Sendable {
    public var facts: [Fact] = []
    public var effects: [Effect] = []
    /// What rules thought, where the core was asked to tell: for drawings.
    public var judgements: [JudgementRecord] = []
    /// How many judgements rules gave.
    public var judged = 0
    /// Why observations were left out, as the log says it: for previews.
    public var leftOut: [String] = []

    /// By when facts must be safe from a power cut.
    public enum Safety: Comparable, Sendable {
        /// With whatever is made safe next: a poll has begun, and its end is a fact, too.
        case someTime
        /// Soon: nobody outside knows of it yet, and the next poll would find it again.
        case soon
        /// Before the effects are performed: something leaves the machine, or somebody is answered.
        case first
    }

    /// By when the facts must be safe; nil when there are none, and nothing waits for earlier ones.
    public var safety: Safety? {
        var begins = false
        for effect in effects {
            switch effect {
            case .send, .answered: return .first
            case .poll: begins = true
            case .note, .decided: break
            }
        }
        guard !facts.isEmpty else { return nil }
        return begins && facts.allSatisfy({ if case .schedule = $0 { true } else { false } }) ? .someTime : .soon
    }

    mutating func note(_ level: Note.Level, _ text: String, _ details: [String: String] = [:]) {
        effects.append(.note(Note(level, text, details)))
    }
}

/// The bot's mind: a plan, and a function from what happened to what to do.
public struct Core: Sendable {
    public var plan: Plan
    /// Whether steps tell every judgement, those that change nothing too.
    public let tellsJudgements: Bool
    /// Whether a clock that is set is a trouble to be told of; in a preview it is what somebody asked for.
    public let reportsClock: Bool

    public init(plan: Plan, tellsJudgements: Bool = false, reportsClock: Bool = true) {
        self.plan = plan
        self.tellsJudgements = tellsJudgements
        self.reportsClock = reportsClock
    }

    /// Takes in one input at wall time `now`.
    public func step(_ state: inout State, _ input: Input, at now: Moment) -> Output {
        step(&state, [input], at: now)
    }

    /// Takes in everything that happened by wall time `now`, and then looks once at what is due.
    public func step(_ state: inout State, _ inputs: [Input], at now: Moment) -> Output {
        // Taking the state out of the caller's hands keeps it unshared, so nothing is copied.
        var turn = Turn(plan: plan, now: now, state: state)
        turn.tellsJudgements = tellsJudgements
        turn.reportsClock = reportsClock
        state = State()
        turn.noticeSleep()
        for input in inputs { turn.take(input) }
        turn.passTime()
        state = turn.state
        return turn.output
    }
}

extension Core {
    /// Does what a command says and nothing else: for a bot that does not run, whose journal is to know of it.
    public func obey(_ command: Command, _ state: inout State, at now: Moment) -> (answer: CommandAnswer, facts: [Fact])
    {
        var turn = Turn(plan: plan, now: now, state: state)
        let answer = turn.obey(command)
        state = turn.state
        return (answer, turn.output.facts)
    }
}
