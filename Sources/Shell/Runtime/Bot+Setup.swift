public import AlertCore
public import PluginKit

extension Bot {
    /// What a config gives the bot.
    public struct Setup: Sendable {
        public var plan: Plan
        public var sources: [String: any Source]
        /// How those are made anew whose secrets may be replaced while the bot runs.
        public var renewals: [String: SourceRenewal]
        public var channels: [String: any Channel]
        public var heartbeat: GuardedText?
        /// Where that may be.
        public var policy: AddressPolicy
        public var secrets: [Secret]
        /// What is done to a message as it leaves.
        public var seal: Courier.Seal?

        public init(
            plan: Plan, sources: [String: any Source], renewals: [String: SourceRenewal] = [:],
            channels: [String: any Channel], heartbeat: GuardedText?, policy: AddressPolicy = .open,
            secrets: [Secret], seal: Courier.Seal? = nil
        ) {
            self.plan = plan
            self.sources = sources
            self.renewals = renewals
            self.channels = channels
            self.heartbeat = heartbeat
            self.policy = policy
            self.secrets = secrets
            self.seal = seal
        }
    }
}

// MARK: - How often

extension Bot {
    /// How often a journal that cannot be written is tried again.
    static let journalRetryInterval = Duration.seconds(5)
    /// Facts of which nobody outside knows share a sync within a second: a power cut costs at most the last second of
    /// polls, and a bot with thousands of sources leaves the disk in peace.
    static let syncInterval = Duration.seconds(1)
    /// A wall clock that moved by more than this against the machine's was set by somebody; less is the slow adjusting
    /// that time services do, at most 0.5 ms a second, and would be a note in the log at every check.
    public static let clockStepMin = Duration.seconds(2)
    /// How often the power supply is checked.
    static let powerInterval = Duration.minutes(1)
}

extension [String: any Channel] {
    /// Those whose messages never leave the bot.
    public func inboxes(at now: Moment) -> Set<String> {
        let message = Message(kind: .opened, severity: .info, at: now, headline: "")
        let sample = Posting(id: "sample", message: message, at: now)
        return Set(filter { if case .keep = $0.value.post(sample) { true } else { false } }.keys)
    }
}

extension Input {
    /// What a source said, asked or not.
    var poll: (source: String, report: PollReport)? {
        switch self {
        case .polled(let source, let report, _), .pushed(let source, let report, _): (source, report)
        default: nil
        }
    }
}
