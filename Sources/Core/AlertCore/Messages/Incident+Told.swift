internal import PluginKit

extension Incident {
    /// What a message of that kind is about: what fired, the worst since, where something begins; how things are, where
    /// they go on.
    func evidence(for kind: Notification.Kind) -> Evidence {
        switch kind {
        case .opened, .digest, .test: worstFigure(byItsLimit: true)
        // Of several conditions that which made it worse need not be the one that is the farthest beyond its limit.
        case .escalated:
            state == .firing && worst.metric != evidence.metric
                ? evidence : worstFigure(byItsLimit: true, orAsItIs: true)
        // A figure that was corrected is worth saying; one that has not changed would look as if it were.
        case .revised: worstFigure(byItsLimit: isOpen, orAsItIs: true)
        case .reminder, .resolved, .closed, .acknowledged: evidence
        }
    }

    /// Of what a message of that kind tells the figure: a reminder of the worst, too, as long as there is another now, which
    /// stands by itself.
    func figureEvidence(for kind: Notification.Kind) -> Evidence {
        guard kind == .reminder, evidence.figure != nil, worst.isWorse(than: evidence) else {
            return evidence(for: kind)
        }
        return worstFigure(byItsLimit: true, orAsItIs: true)
    }

    /// Whose reason such a message gives: that of the figure which it tells. By a limit it is the reason for how things are
    /// now, as it speaks of the last hour.
    func reasonEvidence(for kind: Notification.Kind) -> Evidence {
        let told = figureEvidence(for: kind)
        return told.reference == nil ? evidence(for: kind) : told
    }

    /// Since when figures show it, by a rule that looks back as far as it goes, where it was noticed a good while later.
    var begun: Moment? {
        // What recovers by now reaches back into the time before the fall.
        let told = worst.isByUsual ? worst : evidence
        guard told.isByUsual, let begin = told.span?.from, since - begin >= Incident.noticedAfterMin else { return nil }
        return begin
    }

    /// Who looks for what was changed then must not look a quarter of an hour too late.
    private static let noticedAfterMin = Duration.minutes(15)

    /// Whether it is about a source of the bot that gives no answers.
    var isOfSilentSource: Bool {
        guard subject.app == Subject.botApp, let trouble = Trouble(rawValue: rule) else { return false }
        return trouble == .sourceFailing || trouble == .sourceStopped
    }

    /// Whether a source of the bot gave no answers, and does again.
    var isSourceBack: Bool {
        guard isOfSilentSource else { return false }
        switch worst.phrase?.id {
        case .troubleFailing, .troubleFailingWait, .troubleStopped: return true
        default: return false
        }
    }

    /// Whether it is that a release looks fine: once that is over, nobody wants to read it.
    var isGoodNews: Bool { worst.phrase?.id == .releaseFine || evidence.phrase?.id == .releaseFineOver }

    /// Whether it is over and not all of it is well: its end has no tick.
    var isInDoubt: Bool { endsUnresolved || evidence.phrase?.id == .reasonStill }

    /// Whether it is over, and has not gone for all that is known: it is not well, nobody has seen its end, or it was only given
    /// another limit.
    var hasStayed: Bool { isInDoubt || state == .closed || isOverByAnotherLimit }

    /// Whether the worst of it is within the limit by which it is over, and that is another one: nothing got better.
    var isOverByAnotherLimit: Bool {
        guard state == .resolved, evidence.reference == nil, evidence.metric == worst.metric,
            let limit = evidence.limit, limit != worst.limit, let figure = worst.figure
        else { return false }
        return !limit.holds(figure.value)
    }

    /// Whether the config has no place for it any more.
    var isClosedByConfig: Bool {
        guard state == .closed else { return false }
        return switch evidence.phrase?.id {
        case .closedName, .closedTemplate, .closedRule, .closedSource, .closedUnmatched, .closedChanged: true
        default: false
        }
    }

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
    /// - Parameters:
    ///   - byItsLimit: whether it is told with the limit of how bad the incident is: it may have been beyond a stricter one
    ///     for a while, and a warning that names the limit of a critical alert misleads.
    ///   - orAsItIs: whether it is what made the incident as bad as it is that counts, and not what was worse by its figure
    ///     while it was milder.
    private func worstFigure(byItsLimit: Bool, orAsItIs: Bool = false) -> Evidence {
        // Each look makes a copy, and a message is asked for it several times.
        var told = worst
        guard told.figure != nil else { return isOpen ? evidence : told }
        guard byItsLimit, state == .firing, !isAtItsWorst else { return told }
        let now = evidence
        guard now.metric == told.metric, now.reference == nil, told.reference == nil, let limit = now.limit else {
            return told
        }
        if let before = told.limit, limit.isStricter(than: before) {
            // What was worse by its figure, at night and of few, need not be what made it as bad as it is.
            guard !orAsItIs, let figure = told.figure, limit.holds(figure.value) else { return now }
            // Whoever hears of it now has not heard how bad it was; why it is as bad as it is, the newest figure shows.
            var shown = now
            (shown.figure, shown.span) = (figure, told.span)
            return shown
        }
        told.limit = limit
        return told
    }
}

extension Evidence {
    /// Whether its figure is compared with what is usual, over all the time that it has been otherwise.
    var isByUsual: Bool { if case .usual? = reference { true } else { false } }
}

extension Comparison {
    /// Whether what is beyond it is worse than what is beyond the other one.
    fileprivate func isStricter(than other: Comparison) -> Bool {
        relation.isBelow == other.relation.isBelow && (relation.isBelow ? limit < other.limit : limit > other.limit)
    }
}
