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

        public init(
            plan: Plan, sources: [String: any Source], channels: [String: any Channel], heartbeat: GuardedText?,
            secrets: [Secret]
        ) {
            self.plan = plan
            self.sources = sources
            self.channels = channels
            self.heartbeat = heartbeat
            self.secrets = secrets
        }
    }
}
