internal import PluginKit
internal import Synchronization

/// When each channel's service was last asked whether it may be posted to, and did not mind.
public final class Inquiries: Sendable {
    private let asked = Mutex<[String: Duration]>([:])

    /// What may change meanwhile is somebody's doing, and nobody does it every hour.
    private static let lifetime = Duration.seconds(3600)

    public init() {}

    func isDue(_ channel: String, at uptime: Duration) -> Bool {
        asked.withLock { asked in asked[channel].map { uptime - $0 >= Inquiries.lifetime } ?? true }
    }

    func note(_ channel: String, at uptime: Duration) { asked.withLock { $0[channel] = uptime } }
}
