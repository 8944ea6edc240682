internal import PluginKit

extension Incident {
    /// What a message of that kind is about: what fired, the worst since, where something begins; how things are, where
    /// they go on.
    func evidence(for kind: Notification.Kind) -> Evidence {
        switch kind {
        case .opened, .escalated, .digest, .test: return worst.figure == nil ? evidence : worstByItsLimit
        case .revised where !isOpen: return worst.figure == nil ? evidence : worst
        case .reminder, .revised, .resolved, .closed, .acknowledged: return evidence
        }
    }

    /// The worst figure, with the limit of how bad the incident is: it may have been beyond a stricter one for a while,
    /// and a warning that names the limit of a critical alert misleads.
    private var worstByItsLimit: Evidence {
        guard state == .firing, evidence.metric == worst.metric, evidence.reference == nil, worst.reference == nil,
            let limit = evidence.limit, limit != worst.limit
        else { return worst }
        var told = worst
        told.limit = limit
        return told
    }
}
