/// One message to one channel, from the moment it is accepted to its end.
public struct Delivery: Hashable, Sendable {
    /// The same on every attempt; of letters, digits, `-` and `_`.
    public let id: String
    public let channel: String
    /// Where the delivery stands in the order of everything accepted.
    public var number: Int
    public var kind: Notification.Kind
    /// The incident it is about; nil for a message about several.
    public let incident: String?
    public var message: Message {
        get { sharedMessage.value }
        set { sharedMessage = Shared(newValue) }
    }
    private var sharedMessage: Shared<Message>
    public var queued: Moment
    public var progress: Progress
    /// Of a message about several: how those of them read by themselves whose standing it changes, for the messages that
    /// opened them. Let go of when the delivery has ended.
    public var updates: [Message] = []
    /// Whether it had been given up and is tried once more: a replay that skips how that came about knows that it is not among
    /// those that have ended.
    public var isAgain = false
    /// Of a digest: the incidents that the channel knew and that got worse by it.
    public var escalated: [String] = []
    /// Each takes a request behind the message, which chats count as one more message; Synapse's usual limit lets ten
    /// pass at once.
    public static let updatesMax = 8

    /// What changes of a delivery from attempt to attempt.
    public struct Progress: Hashable, Sendable {
        /// Attempts begun so far.
        public var attempts = 0
        public var phase: Phase
        /// Whether an earlier attempt may have arrived; then newer truth follows the message and does not replace it.
        public var mayHaveArrived = false
        /// Whether the text says that an earlier attempt may have arrived: where the channel does not see that itself.
        public var possiblyRepeated = false
        /// Whether to send the plainest form: the channel refused the rich one.
        public var isPlain = false
        /// The channel's id of the message whose thread it goes into, the same on every attempt; nil for none.
        public var thread: String?

        /// That of a delivery that was accepted and nothing else.
        static func first(_ queued: Moment) -> Progress { Progress(phase: .waiting(notBefore: queued)) }
    }

    /// The incidents it is about: what is said of one of them leaves in order.
    public var incidents: [String] { incident.map { [$0] } ?? summaries.map(\.id) }
    /// The same as the message tells of them.
    public var summaries: [IncidentSummary] { sharedMessage.value.incidents }

    public enum Phase: Hashable, Sendable {
        /// Waiting, not to be tried before the moment given.
        case waiting(notBefore: Moment)
        /// An attempt has begun; its outcome is not known yet.
        case attempting(since: Moment)
    }

    public init(
        id: String, channel: String, number: Int, kind: Notification.Kind, incident: String?, message: Message,
        queued: Moment
    ) {
        self.id = id
        self.channel = channel
        self.number = number
        self.kind = kind
        self.incident = incident
        sharedMessage = Shared(message)
        self.queued = queued
        progress = .first(queued)
    }
}

/// How a delivery ended.
public enum DeliveryEnd: Hashable, Sendable {
    /// The channel took it; `receipt` is its id there, where the channel gives one.
    case delivered(receipt: String?)
    /// Newer truth took its place before it had arrived.
    case replaced
    /// It can never arrive; the sentence says why.
    case dead(String)

    public var name: String {
        switch self {
        case .delivered: "delivered"
        case .replaced: "replaced"
        case .dead: "dead"
        }
    }

    public var isDead: Bool { if case .dead = self { true } else { false } }
}

/// What the channel's answer to an attempt means.
public enum DeliveryOutcome: Hashable, Sendable {
    case delivered(receipt: String?)
    /// Some of those it is for have it, and the others never will; the sentence says who, and why.
    case partly(receipt: String?, String)
    /// It may pass; the wait is what the service asked for, if it did.
    case retry(after: Duration?, String)
    /// Nobody knows whether it arrived.
    case unknown(String)
    /// The body will never be taken in this form.
    case refusedBody(String)
    /// The address or the credential will never take anything.
    case refusedChannel(String)
}

/// A delivery that has ended, as `history` shows it.
public struct EndedDelivery: Hashable, Sendable {
    /// Never changes, and is handed on in the history for a thousand others, when nothing of it is at hand any more: so
    /// its copies share it.
    private let shared: Shared<Content>

    private struct Content: Hashable, Sendable {
        let delivery: Delivery
        let end: DeliveryEnd
        let at: Moment
    }

    public init(delivery: Delivery, end: DeliveryEnd, at: Moment) {
        shared = Shared(Content(delivery: delivery, end: end, at: at))
    }

    public var delivery: Delivery { shared.value.delivery }
    public var end: DeliveryEnd { shared.value.end }
    public var at: Moment { shared.value.at }
}
