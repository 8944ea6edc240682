internal import PluginKit

extension Incident {
    /// What a message of that kind is about: what fired, the worst since, where something begins; how things are, where
    /// they go on.
    func evidence(for kind: Notification.Kind) -> Evidence {
        switch kind {
        case .opened, .digest, .test: worstFigure(byItsLimit: true)
        // Of several conditions that which made it worse need not be the one that is the farthest beyond its limit.
        case .escalated: state == .firing && worst.metric != evidence.metric ? evidence : worstFigure(byItsLimit: true)
        // A figure that was corrected is worth saying; one that has not changed would look as if it were.
        case .revised: worstFigure(byItsLimit: isOpen)
        case .reminder, .resolved, .closed, .acknowledged: evidence
        }
    }

    /// Of what a message of that kind tells the figure: a reminder of the worst, too, as long as there is another now, which
    /// stands by itself.
    func figureEvidence(for kind: Notification.Kind) -> Evidence {
        guard kind == .reminder, evidence.figure != nil, worst.isWorse(than: evidence) else {
            return evidence(for: kind)
        }
        return worstFigure(byItsLimit: true)
    }

    /// Whether it is that a release looks fine: once that is over, nobody wants to read it.
    var isGoodNews: Bool { worst.phrase?.id == .releaseFine || evidence.phrase?.id == .releaseFineOver }

    /// Whether it is over and not all of it is well: its end has no tick.
    var isInDoubt: Bool { endsUnresolved || evidence.phrase?.id == .reasonStill }

    /// Whether its rule has nothing more to say of it though nobody knows that it is better: what is known by now may crash
    /// as before.
    var endsUnresolved: Bool {
        switch evidence.phrase?.id {
        case .issueOverKnown, .issueOverForgotten, .issueOverIgnored, .issueOverBack, .releaseFineOver,
            .releaseReplaced, .reasonStayed:
            true
        default: false
        }
    }

    /// Whether it is that something was resolved and is back: it is not new, whatever its source says of when it began.
    var isReturn: Bool {
        switch worst.phrase?.id ?? evidence.phrase?.id {
        case .issueBack, .issueBackHit, .issueManyBack: true
        default: false
        }
    }

    /// Whether that figure is also the newest: only of such a one is it said that it is so now.
    func isNewest(_ told: Evidence) -> Bool {
        evidence.metric == told.metric && evidence.figure?.value == told.figure?.value
    }

    /// The worst figure; where there was none, how things are, or were while it went on.
    ///
    /// - Parameter byItsLimit: whether it is told with the limit of how bad the incident is: it may have been beyond a
    ///   stricter one for a while, and a warning that names the limit of a critical alert misleads.
    private func worstFigure(byItsLimit: Bool) -> Evidence {
        // Each look makes a copy, and a message is asked for it several times.
        var told = worst
        guard told.figure != nil else { return isOpen ? evidence : told }
        guard byItsLimit, state == .firing, !isAtItsWorst else { return told }
        let now = evidence
        guard now.metric == told.metric, now.reference == nil, told.reference == nil, let limit = now.limit else {
            return told
        }
        // What was worse by its figure, at night and of few, need not be what made it as bad as it is.
        if let before = told.limit, limit.isStricter(than: before) { return now }
        told.limit = limit
        return told
    }
}

extension Comparison {
    /// Whether what is beyond it is worse than what is beyond the other one.
    fileprivate func isStricter(than other: Comparison) -> Bool {
        relation.isBelow == other.relation.isBelow && (relation.isBelow ? limit < other.limit : limit > other.limit)
    }
}
