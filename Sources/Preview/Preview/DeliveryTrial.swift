public import PluginKit

/// What would become of one delivery where things fail on purpose: it is tried, and tried again, in virtual time.
public struct DeliveryTrial: Hashable, Sendable {
    /// When attempts failed.
    public internal(set) var failures: [Moment] = []
    /// How it ended, and when; nil while it waits.
    public internal(set) var end: End?
    /// When it is tried next; nil where it waits for another one, or has ended.
    public internal(set) var next: Moment?

    public struct End: Hashable, Sendable {
        public let how: DeliveryEnd
        public let at: Moment
    }

    /// What happened, for people; nil where the first attempt arrived, as it would without faults.
    public func sentence(in zone: Zone) -> String? {
        let tries = failures.isEmpty ? nil : "\(failures.count.counted("attempt")) failed on purpose"
        let outcome: String?
        switch end?.how {
        case .delivered: outcome = failures.isEmpty ? nil : "delivered at \(end.map { zone.words($0.at) } ?? "")"
        case .replaced: outcome = "replaced by a newer message before it arrived"
        case .dead(let why): outcome = "given up: \(why.tamed)"
        case nil:
            outcome =
                next.map {
                    "\(failures.isEmpty ? "waits for the channel until" : "tried again at") \(zone.words($0))"
                }
                ?? "waits behind another message"
        }
        let parts = [tries, outcome].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    var json: JSON {
        [
            "outcome": .string(end?.how.name ?? "waiting"), "at": JSON(end?.at),
            "failed_attempts": .array(failures.map { JSON($0) }), "next_attempt": JSON(next),
        ]
    }
}
