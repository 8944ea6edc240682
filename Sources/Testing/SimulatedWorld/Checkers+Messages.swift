internal import AlertCore
internal import AlertTesting
internal import BudgetGate
internal import PluginKit
internal import Runtime

/// An end is told to whom the beginning was told, and to nobody else.
struct ResolvedWhereOpened: Checker {
    static let name = "resolved where opened"
    static let promise =
        "A channel hears of an incident's course and end only after its beginning, and of the end of all it heard "
        + "begin."

    private struct Course {
        /// The delivery that told of the beginning.
        var begunBy: String
        var isResolved = false
        /// Its end was given up, so the channel may be told of it once more.
        var hasLostEnd = false
        /// The channel left the config meanwhile, and with it whoever would be told.
        var isExcused = false
    }

    private var courses: [Standing.Key: Course] = [:]
    /// Deliveries that a server took, and those of which the bot could not know.
    private var taken: Set<String> = []
    private var unsure: Set<String> = []
    /// Those whose end was seen: a start that reads of it again, when what arrived is forgotten, knows no better.
    private var seenEnding: Set<String> = []

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        case .accepted(let delivery):
            seenEnding.remove(delivery.id)
            try follow(delivery)
        case .accepts(_, let id, _): taken.insert(id)
        case .lost(_, let id, let isCertain): if !isCertain { unsure.insert(id) }
        case .judged(_, let id, .unknown): unsure.insert(id)
        case .ended(let entry):
            seenEnding.insert(entry.delivery.id)
            end(entry)
        case .opened(let state):
            excuse(world)
            for entry in state.outbox.history.suffix(64) where !seenEnding.contains(entry.delivery.id) {
                if entry.end != .replaced { adopt(entry.delivery, state) }
                end(entry)
            }
            for delivery in state.outbox.inOrder {
                adopt(delivery, state)
                if case .attempting = delivery.progress.phase { unsure.insert(delivery.id) }
            }
        case .reloaded: excuse(world)
        case .drained:
            (taken, unsure) = ([], [])
            for (key, course) in courses.sorted(by: { $0.key.incident < $1.key.incident })
            where world.truth.incidents[key.incident] == nil {
                if !course.isResolved, !course.isExcused {
                    throw Breach("\(key.channel) was told that \(key.incident) opened, and never that it is over")
                }
                // An end that was refused may be sent once more, also when its channel comes back into the config.
                if !course.hasLostEnd { courses[key] = nil }
            }
        default: break
        }
    }

    /// Who never got the beginning has heard nothing that could end; where nobody can know, both are right.
    private mutating func end(_ entry: EndedDelivery) {
        let delivery = entry.delivery
        for summary in delivery.message.incidents {
            let key = Standing.Key(channel: delivery.channel, incident: summary.id)
            let isBeginning = courses[key]?.begunBy == delivery.id
            switch (entry.end, delivery.kind) {
            case (.delivered, _): break
            case (.replaced, .resolved), (.replaced, .closed): courses[key]?.isResolved = false
            case (.dead, .resolved) where !hasArrived(delivery), (.dead, .closed) where !hasArrived(delivery):
                courses[key]?.hasLostEnd = true
            case (.replaced, _) where isBeginning: courses[key] = nil
            case (.dead, _) where isBeginning && !taken.contains(delivery.id):
                if unsure.contains(delivery.id) { courses[key]?.isExcused = true } else { courses[key] = nil }
            default: break
            }
        }
    }

    /// Whether it has, or nobody can know.
    private func hasArrived(_ delivery: Delivery) -> Bool {
        taken.contains(delivery.id) || unsure.contains(delivery.id)
    }

    private mutating func follow(_ delivery: Delivery) throws(Breach) {
        for summary in delivery.message.incidents {
            let key = Standing.Key(channel: delivery.channel, incident: summary.id)
            switch delivery.kind {
            case .opened: courses[key] = Course(begunBy: delivery.id)
            // It tells of beginnings and of ends, or the whole story at once.
            case .digest where summary.until == nil:
                if courses[key] == nil { courses[key] = Course(begunBy: delivery.id) }
            case .digest: courses[key]?.isResolved = true
            case .test: throw Breach("\(key.channel) hears a test message of \(summary.id)")
            case .escalated, .reminder, .revised, .resolved, .closed, .acknowledged:
                guard let course = courses[key] else {
                    throw Breach(
                        "\(key.channel) hears \(delivery.kind.rawValue) of \(summary.id), and never heard it open")
                }
                // Late figures may put right what was said of what is over.
                if course.isResolved, delivery.kind != .revised, !(course.hasLostEnd && delivery.kind.isEnd) {
                    throw Breach("\(key.channel) hears \(delivery.kind.rawValue) of \(summary.id) after its end")
                }
                if delivery.kind.isEnd {
                    courses[key]?.isResolved = true
                    courses[key]?.hasLostEnd = false
                }
            }
        }
    }

    /// What was appended and not synced may have come to pass all the same.
    private mutating func adopt(_ delivery: Delivery, _ state: State) {
        guard delivery.channel != OwnPage.name else { return }
        for summary in delivery.message.incidents {
            let key = Standing.Key(channel: delivery.channel, incident: summary.id)
            let begins = delivery.kind == .opened || delivery.kind == .digest && summary.until == nil
            if begins, courses[key] == nil, state.incidents[summary.id] != nil {
                courses[key] = Course(begunBy: delivery.id)
            }
            if delivery.kind.isEnd || delivery.kind == .digest && summary.until != nil {
                courses[key]?.isResolved = true
            }
        }
    }

    private mutating func excuse(_ world: World) {
        for key in courses.keys where !world.settings.has(key.channel) { courses[key]?.isExcused = true }
    }
}

/// Nothing is said that a mute or quiet hours forbid.
struct GatesObeyed: Checker {
    static let name = "mutes and quiet hours"
    static let promise = "Nothing is accepted for a channel while a mute or quiet hours forbid it."

    /// The worst that was announced: an end counts as serious as what it ends.
    private var worst: [Standing.Key: Severity] = [:]

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        case .accepted(let delivery):
            var severity = delivery.message.severity
            if let incident = delivery.incident {
                let key = Standing.Key(channel: delivery.channel, incident: incident)
                severity = max(severity, worst[key] ?? severity)
                worst[key] = severity
            } else {
                // A summary counts as serious as each thing was when it was held, which the message does not tell.
                severity = .critical
            }
            let app = delivery.message.incidents.count == 1 ? delivery.message.incidents.first?.subject.app : nil
            // What a channel that left the config has missed is kept for it as a failed delivery: nobody is told anything.
            guard world.settings.has(delivery.channel), world.settings.forbids(severity, of: app, at: delivery.queued)
            else { return }
            let isInTurnOfReload = world.reloadedAt == world.time.uptime || world.isJournalLate
            if isInTurnOfReload, !world.settingsBefore.forbids(severity, of: app, at: delivery.queued) { return }
            throw Breach(
                "\(delivery.id), \(delivery.kind.rawValue) and \(severity.rawValue), is accepted for "
                    + "\(delivery.channel) at "
                    + "\(delivery.queued), which a gate forbids")
        case .opened(let state): for incident in state.incidents.all { remember(incident) }
        // A digest announces, too.
        case .incident(let incident): remember(incident)
        case .drained: worst = worst.filter { world.truth.incidents[$0.key.incident] != nil }
        default: break
        }
    }

    private mutating func remember(_ incident: Incident) {
        for (channel, standing) in incident.standings {
            let key = Standing.Key(channel: channel, incident: incident.id)
            if let announced = standing.announced { worst[key] = max(worst[key] ?? announced, announced) }
        }
    }
}

/// No channel gets more than its budget allows.
struct BudgetsKept: Checker {
    static let name = "budgets kept"
    static let promise =
        "In whatever stretch of a budget's length, no more messages are accepted for a channel than it allows."

    private struct Telling {
        /// By the machine's clock and by the wall's: where they differ, somebody has set the one or stopped the other.
        var uptime: Int64
        var wall: Moment

        func older(by slack: Duration) -> Telling {
            Telling(uptime: uptime - slack.wholeMilliseconds, wall: wall - slack)
        }
    }

    private var tellings: [String: [Telling]] = [:]
    /// The wall clock was set, and the bot has had no turn since.
    private var isStepUnnoticed = false
    /// Since when there is a budget, where there was none before.
    private var budgetSince = Int64.min

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        // When the wall clock is set while nobody looks, it cannot be told from time that has passed; and twice, there
        // and back, may be too little to be noticed.
        case .clockStepped:
            isStepUnnoticed = true
            tellings = world.isDead ? [:] : tellings.mapValues { $0.map { $0.older(by: Bot.clockStepMin) } }
        case .died: if isStepUnnoticed { tellings = [:] }
        case .committed, .opened: isStepUnnoticed = false
        case .accepted(let delivery):
            guard let budget = world.settings.budget else { return }
            // A journal that could not be written for a while says it late.
            let age = max(0, (world.time.wall - delivery.queued).wholeMilliseconds)
            let now = Telling(uptime: world.time.uptime - age, wall: delivery.queued)
            guard now.uptime >= budgetSince else { return }
            let length = budget.per.wholeMilliseconds
            let before = (tellings[delivery.channel] ?? []).filter {
                now.uptime - $0.uptime < length && now.wall - $0.wall < budget.per
            }
            tellings[delivery.channel] = before + [now]
            guard before.count >= budget.count, world.reloadedAt != world.time.uptime, !world.isJournalLate else {
                return
            }
            throw Breach(
                "\(delivery.id) is message \(before.count + 1) to \(delivery.channel) within \(budget.per.grammar), "
                    + "of which the budget allows \(budget.count)")
        // What was said while there was no budget is not counted.
        case .reloaded:
            if world.settings.budget == nil { tellings = [:] }
            if world.settingsBefore.budget == nil { budgetSince = world.time.uptime }
        default: break
        }
    }
}

/// What the figures demand is said.
struct FiguresHeard: Checker {
    static let name = "figures heard"
    static let promise =
        "An incident is open exactly while the figures say so, and every channel it concerns was told, or a gate "
        + "says why not."

    private var cues: [Subject: (cue: Cue, seen: Moment)] = [:]
    private var changed: Set<String> = []
    /// When the bot has been away last: then it asks its sources before it calls anybody.
    private var backAt: Int64 = 0
    /// What has changed since then.
    private var waiting: Set<String> = []

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        case .opened, .reloaded: backAt = world.time.uptime
        case .suspended(let length): backAt = world.time.uptime + length
        case .observed(let observation):
            guard let figure = observation.metrics[Cue.metric],
                let cue = Cue.allCases.first(where: { $0.figure == figure })
            else { return }
            cues[observation.subject] = (cue, observation.seen)
        case .incident(let incident): changed.insert(incident.id)
        case .committed:
            defer { (cues, changed) = ([:], []) }
            // A commit that comes late may speak of a config that is gone.
            guard world.reloadedAt != world.time.uptime, !world.isJournalLate else { return }
            for (subject, seen) in cues.sorted(by: { $0.key < $1.key }) {
                try checkIncident(subject, seen.cue, seen.seen, world)
            }
            guard world.time.uptime > backAt + PollingSettings.timeout.default.wholeMilliseconds else {
                return waiting.formUnion(changed)
            }
            for id in changed.union(waiting).sorted() { try checkTold(id, world) }
            waiting = []
        case .died: (cues, changed, waiting) = ([:], [], [])
        default: break
        }
    }

    private func checkIncident(_ subject: Subject, _ cue: Cue, _ seen: Moment, _ world: World) throws(Breach) {
        guard let rule = world.settings.rule, world.settings.source(subject.source) != nil else { return }
        let incident = world.truth.incidents.all.first {
            $0.rule == Settings.ruleName && $0.subject == subject && $0.isOpen
        }
        switch cue {
        case .unknown: break
        case .fine, .near:
            // What opened in the very instant in which it is good again ends with the next answer, and what has come and gone
            // before when it has been well for a while.
            if let incident, !(incident.endsFrom.map { seen < $0 && $0 <= seen + .hours(1) } ?? false),
                incident.state != .recovering || seen - incident.since > rule.holdTime
            {
                throw Breach("\(subject.app) is fine, and incident \(incident.id) is open")
            }
        case .recovering:
            if incident?.state == .pending || incident?.state == .firing {
                throw Breach("\(subject.app) recovers, and incident \(incident?.id ?? "") does not know")
            }
        case .info, .warning, .critical:
            guard let incident else { throw Breach("\(subject.app) is \(cue), and there is no incident") }
            if rule.holdTime == .zero, incident.state != .firing {
                throw Breach("\(subject.app) is \(cue), and incident \(incident.id) is \(incident.state.rawValue)")
            }
        }
    }

    private func checkTold(_ id: String, _ world: World) throws(Breach) {
        guard let incident = world.truth.incidents[id], incident.rule == Settings.ruleName, incident.state == .firing,
            !incident.isUncertain, world.settings.rule != nil
        else { return }
        for channel in world.settings.channels(for: incident.severity).sorted() {
            let standing = incident.standings[channel] ?? Standing()
            if let announced = standing.announced, announced >= incident.severity { continue }
            if let dropped = standing.dropped, dropped >= incident.severity { continue }
            // It was given up; a channel that works again is told then.
            if let undelivered = standing.undelivered, undelivered >= incident.severity { continue }
            guard let hold = standing.hold else {
                throw Breach("\(channel) was not told that incident \(id) is \(incident.severity.rawValue)")
            }
            if case .gate(BudgetGate.manifest.name, _) = hold.reason, world.settings.budget != nil { continue }
            guard world.settings.forbids(hold.severity, of: incident.subject.app, at: world.time.wall) else {
                throw Breach("incident \(id) is held for \(channel) by \(hold.reason), which is open")
            }
        }
    }
}
