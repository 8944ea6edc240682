public import AlertCore
public import PluginKit

extension Bot {
    /// What a config gives the bot.
    public struct Setup: Sendable {
        public var plan: Plan
        public var sources: [String: any Source]
        public var channels: [String: any Channel]
        public var heartbeat: GuardedText?
        public var secrets: [Secret]
        /// What is done to a message as it leaves.
        public var seal: Courier.Seal?

        public init(
            plan: Plan, sources: [String: any Source], channels: [String: any Channel], heartbeat: GuardedText?,
            secrets: [Secret], seal: Courier.Seal? = nil
        ) {
            self.plan = plan
            self.sources = sources
            self.channels = channels
            self.heartbeat = heartbeat
            self.secrets = secrets
            self.seal = seal
        }
    }
}

extension [String: any Channel] {
    /// Those whose messages never leave the bot.
    func inboxes(at now: Moment) -> Set<String> {
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
