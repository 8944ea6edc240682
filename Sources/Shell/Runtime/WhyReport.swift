public import AlertCore
public import PluginKit

/// Why something is told or not: for `why`, as JSON and in words.
public struct WhyReport: Sendable {
    private(set) var explanations: [Explanation]
    private let judgements: Judgements
    private let state: State
    private let plan: Plan
    private let now: Moment
    private let outbox: OutboxIndex
    /// Makes words lead to an address, where people can follow it; nil where they cannot.
    public var link: (@Sendable (_ words: String, _ address: String) -> String)?
    /// Whether the text begins with what fires, is pending or held, and has one line for each thing that is fine: for whoever
    /// asks about everything. What programs read keeps the order of the config.
    public var isOverview = false

    /// How many judgements a running bot explains at most, whoever asks: more than anybody reads, and little beside what it
    /// knows.
    public static let answeredMax = 500

    /// - Parameters:
    ///   - app: an app or a glob; nil for all.
    ///   - rule: a rule or a glob; nil for all.
    ///   - most: how many judgements are explained; what is fine is left out first, and counted.
    public init(
        _ state: State, _ plan: Plan, at now: Moment, app: String? = nil, rule: String? = nil, most: Int = .max
    ) {
        let (app, rule) = (app.map(Glob.init), rule.map(Glob.init))
        self.init(state, plan, at: now, most: most) { name, subject in
            (rule?.fits(name) ?? true) && (app?.fits(subject.app) ?? true)
        }
    }

    /// Why one incident is told or not.
    public init(_ state: State, _ plan: Plan, at now: Moment, of incident: Incident) {
        self.init(state, plan, at: now) { name, subject in name == incident.rule && subject == incident.subject }
        explanations.removeAll { explanation in
            explanation.incident?.id != incident.id && !explanation.over.contains { $0.id == incident.id }
        }
    }

    /// - Parameters:
    ///   - most: how many judgements are explained.
    ///   - isAsked: whether somebody wants to know of this rule and this subject.
    public init(
        _ state: State, _ plan: Plan, at now: Moment, most: Int = .max,
        where isAsked: (_ rule: String, _ subject: Subject) -> Bool
    ) {
        let core = Core(plan: plan)
        let (explained, judgements) = core.explain(state, at: now, most: most, isAsked)
        explanations = explained + core.explainTroubles(state, at: now, isAsked)
        self.judgements = judgements
        self.state = state
        self.plan = plan
        self.now = now
        outbox = OutboxIndex(state)
    }

    public var isEmpty: Bool { explanations.isEmpty }

    /// How many judgements are not explained.
    public var leftOut: Int { judgements.leftOut }

    public var json: JSON {
        [
            "now": JSON(now), "why": .array(explanations.map(entry)),
            "why_left_out": judgements.leftOutByVerdict,
        ]
    }

    /// The paragraphs as one text, which says how many are missing.
    public var text: String {
        let told = isOverview ? overview : paragraphs
        guard leftOut > 0 else { return told.joined(separator: "\n\n") }
        let ok = judgements.leftOut(.silent) + judgements.leftOut(.fine)
        let note =
            "\(leftOut.counted("more judgement")) left out (\(judgements.leftOut(.firing)) firing, "
            + "\(judgements.leftOut(.unknown)) unknown, \(ok) ok): name an app with --app or a rule with --rule"
        return (told + [note]).joined(separator: "\n\n")
    }

    private func entry(_ explanation: Explanation) -> JSON {
        let verdict = explanation.judgement.verdict
        let source = state.schedule.sources[explanation.subject.source]
        return [
            "rule": .string(explanation.rule), "source": .string(explanation.subject.source),
            "app": .string(explanation.subject.app), "release": JSON(explanation.subject.release),
            "environment": JSON(explanation.subject.environment), "key": JSON(explanation.key),
            "verdict": .string(verdict.name), "severity": JSON(verdict.severity?.rawValue),
            "evidence": ShownEvidence(explanation.judgement.evidence).json,
            "incident": explanation.incident.map { incident in
                [
                    "id": .string(incident.id), "state": .string(incident.state.rawValue),
                    "since": JSON(incident.since),
                    "severity": .string(incident.severity.rawValue), "uncertain": .bool(incident.isUncertain),
                    "acknowledged": incident.acknowledgement?.json ?? .null, "fires_at": JSON(explanation.firesAt),
                ]
            } ?? .null,
            "channels": .array(explanation.ways.map { way($0, explanation) }),
            "routes": .array(
                explanation.routes.map {
                    ["severity": .string($0.severity.rawValue), "channels": .array($0.channels.map(JSON.string))]
                }),
            "escalations": .array(
                explanation.escalations.map {
                    [
                        "channel": .string($0.channel), "at": JSON($0.from),
                        "closed_by": JSON($0.closure?.reason.description), "closed_until": JSON($0.opening),
                    ]
                }),
            "over": .array(explanation.over.map(over)),
            "next_poll": JSON(plan.source(explanation.subject.source).flatMap(state.schedule.nextPoll(of:))),
            "poll_reasons": .array((source?.reasons ?? []).map { .string($0.rawValue) }),
        ]
    }

    private func over(_ incident: Incident) -> JSON {
        [
            "id": .string(incident.id), "since": JSON(incident.since), "until": JSON(incident.until),
            "held": .array(
                incident.standings.sorted { $0.key < $1.key }.compactMap { channel, standing in
                    standing.hold.map { hold in
                        [
                            "channel": .string(channel), "announced": JSON(standing.announced?.rawValue),
                            "closed_by": .string(hold.reason.description), "closed_until": JSON(hold.until.ifKnown),
                        ]
                    }
                }),
        ]
    }

    private func way(_ way: Explanation.Way, _ explanation: Explanation) -> JSON {
        [
            "channel": .string(way.channel), "announced": JSON(way.standing?.announced?.rawValue),
            "last_said": JSON(way.standing?.saidLast), "closed_by": JSON(way.closure?.reason.description),
            "closed_until": JSON(way.closure.flatMap(\.until.ifKnown)),
            "gates": .array(
                way.gates.map { gate in
                    [
                        "gate": .string(gate.name), "closed": .bool(gate.closedUntil != nil),
                        "until": JSON(gate.closedUntil.flatMap { $0 < .latest ? $0 : nil }),
                        "account": JSON(gate.account),
                    ]
                }),
            "held": .bool(way.standing?.hold != nil), "dropped": way.standing?.dropping ?? .null,
            "next_reminder": JSON(reminder(way)), "no_reminder": JSON(noReminder(way)),
            "failed": JSON(
                (failed(way, explanation.incident) ?? lacking(way, explanation.incident))?.sentence),
        ]
    }

    /// Each explanation as a paragraph: who, what the rule thinks and why, what each channel knows, what comes next.
    public var paragraphs: [String] { explanations.map(paragraph) }

    func paragraph(_ explanation: Explanation) -> String {
        let subject = explanation.subject
        var lines = [name(of: explanation), "  \(state(explanation))"]
        let sentence = explanation.judgement.evidence.sentence
        if !sentence.isEmpty { lines.append("  because: \(sentence.tamed)") }
        if explanation.ways.isEmpty, explanation.incident != nil || !explanation.isTrouble, explanation.isJudged {
            let routes = explanation.routes.map {
                "\($0.severity.rawValue) goes to \($0.channels.joined(separator: ", "))"
            }
            lines.append(
                routes.isEmpty
                    ? "  no route leads to a channel, so nobody is notified"
                    : "  by the routes, \(routes.joined(separator: "; ")); nobody is notified of other severities")
        }
        lines += explanation.ways.map { "  \($0.channel): \(words($0, explanation))" }
        lines += explanation.escalations.map { "  \($0.channel): \(words($0))" }
        lines += explanation.over.flatMap(ends)
        if let link, let incident = explanation.incident {
            let links = state.links(about: incident, plan).map { link($0.title.tamed, $0.url) }
            if !links.isEmpty { lines.append("  links: \(links.joined(separator: ", "))") }
        }
        if let source = state.schedule.sources[subject.source] {
            if let since = source.silentSince, !explanation.isTrouble {
                let why = source.failure.map { ": \($0.sentence.tamed)" } ?? ": its figures are older than allowed"
                lines.append(
                    isPushed(subject.source) && source.lastChanged == nil
                        ? "  nothing has been pushed to \(subject.source) yet"
                        : "  \(subject.source) has given no usable answer since \(clock(since))\(why)")
            }
            let reasons = source.reasons.map(\.rawValue).joined(separator: ", ")
            if let stopped = source.stopped {
                lines.append("  \(subject.source) is no longer polled: \(stopped.tamed)")
            } else if isPushed(subject.source) {
                lines.append("  \(subject.source) is not polled: it receives pushes")
            } else if let asked = plan.source(subject.source), let due = state.schedule.nextPoll(of: asked) {
                let wait = state.schedule.holder(of: asked).map { SourceWords.waits(for: $0.name) } ?? ""
                lines.append(
                    "  next poll of \(subject.source): \(clock(due))" + (reasons.isEmpty ? "" : " (\(reasons))") + wait)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// What it is about, and for which rule.
    func name(of explanation: Explanation) -> String {
        let subject = explanation.subject
        let release = subject.release.map { " \($0.tamed.clipped(to: 80))" } ?? ""
        let environment = subject.environment.map { " (\($0.tamed.clipped(to: 40)))" } ?? ""
        return "\(subject.app.tamed)\(release)\(environment) from \(subject.source): rule \(explanation.rule)"
            + (explanation.key.map { ", issue \($0.tamed)" } ?? "")
    }

    private func name(of incident: Incident) -> String {
        guard let link, let address = plan.address(ofPage: incident.id) else { return incident.id }
        return link(incident.id, address)
    }

    private func state(_ explanation: Explanation) -> String {
        guard explanation.isJudged else { return "over; no incident is open" }
        let judged =
            switch explanation.judgement.verdict {
            case .firing(let severity) where explanation.isTrouble:
                "a problem with the bot itself (\(severity.rawValue))"
            case .firing(let severity): "fires (\(severity.rawValue))"
            case .unknown: "cannot judge yet"
            case .ok: "fine"
            }
        // What figures say that nobody has confirmed since is not how things are.
        let since = explanation.noNewsSince.map { "no news since \(clock($0)); by the last figures: " } ?? ""
        let thinks = since + judged
        guard let incident = explanation.incident else {
            guard case .firing = explanation.judgement.verdict else { return "\(thinks); no incident" }
            // A rule that is new, or was changed, judges what comes from now on.
            let isStopped = state.schedule.sources[explanation.subject.source]?.stopped != nil
            return "\(thinks); no incident" + (isStopped ? "" : " yet: it is judged with the next figures")
        }
        var text = "\(thinks); incident \(name(of: incident)) \(incident.state.rawValue) since \(clock(incident.since))"
        if let firesAt = explanation.firesAt, firesAt > now { text += ", fires at \(clock(firesAt)) if it lasts" }
        if let end = incident.endsFrom {
            let when = end > now ? "at \(clock(end)) if it stays well" : "with the next good poll"
            text += ", resolved \(when) (it has come and gone before)"
        }
        if incident.isUncertain { text += ", waiting for reliable figures" }
        if let acknowledgement = incident.acknowledgement {
            text += ", acknowledged by \(acknowledgement.names)"
        }
        return text
    }

    private func words(_ way: Explanation.Way, _ explanation: Explanation) -> String {
        var parts: [String] = []
        if let announced = way.standing?.announced {
            parts += notified(announced, way, explanation.incident)
            if let worse = way.standing?.undelivered, let failed = failed(way, explanation.incident) {
                parts += undelivered("the escalation to \(worse.rawValue) was not delivered", failed)
            }
            if way.standing?.dropped != nil { parts.append("what followed was dropped\(dropped(way))") }
        } else if let severity = way.standing?.dropped, way.standing?.hold == nil {
            parts.append(
                "not sent: dropped\(dropped(way)), and "
                    + (severity == .critical ? "nothing more is sent about it" : "sent only if it gets worse"))
        } else if let failed = failed(way, explanation.incident) {
            parts += undelivered("not delivered", failed)
        } else if explanation.incident?.state == .firing {
            parts.append("not sent yet")
        } else {
            parts.append("nothing to send")
        }
        if let closure = way.closure {
            let until = closure.until.ifKnown.map { " until \(clock($0))" } ?? ""
            let account = way.gates.first { closure.isOf($0.name) }?.account.map { " (\($0))" } ?? ""
            let passing = way.passing.map { ", unless \($0.rawValue)" } ?? ""
            parts.append(
                closure.fate == .drop
                    ? "new ones are dropped by \(closure.reason)\(passing)"
                    : "\(whatIsHeld(way, explanation.incident)) by \(closure.reason)\(account)\(until)"
                        + others(way, closure) + passing)
        }
        let passed = way.gates.filter { $0.closedUntil == nil }
        if !passed.isEmpty {
            parts.append(
                "passes " + passed.map { $0.name + ($0.account.map { " (\($0))" } ?? "") }.joined(separator: ", "))
        }
        if let reminder = reminder(way) { parts.append("next reminder \(clock(reminder))") }
        if let words = noReminder(way) { parts.append(words) }
        if let queued = queued(way.channel, explanation) { parts.append(queued) }
        return parts.joined(separator: "; ")
    }

    /// What the channel was told, and whether it knows.
    private func notified(_ announced: Severity, _ way: Explanation.Way, _ incident: Incident?) -> [String] {
        if isOpening(way, incident) { return ["being notified (\(announced.rawValue))"] }
        guard let standing = way.standing, let incident, let lacking = lacking(way, incident) else {
            let last = way.standing.flatMap { $0.undelivered == nil && $0.dropped == nil ? $0.lastSaid : nil }
            return ["notified (\(announced.rawValue))" + (last.map { ", last at \(clock($0))" } ?? "")]
        }
        let how =
            (lacking.mayHaveArrived ? "may not have arrived" : "was not delivered")
            + " (\(clock(lacking.at))): \(lacking.sentence)"
        let knows = outbox.hasHeard(Standing.Key(channel: way.channel, incident: incident.id), of: standing)
        return
            (knows
            ? ["notified (\(announced.rawValue))", "the last message \(how)"]
            : ["sent (\(announced.rawValue)), but it \(how)"]) + ["'alertbot retry \(lacking.id)' sends it again"]
    }

    private func undelivered(_ what: String, _ failed: OutboxIndex.Failed) -> [String] {
        [
            "\(what) (\(clock(failed.at))): \(failed.sentence)",
            "the channel is retried every hour with one incident it missed",
        ]
    }

    private func words(_ step: Explanation.Step) -> String {
        let unless = "unless somebody acknowledges it"
        guard let closure = step.closure else { return "will be notified at \(clock(step.from)) \(unless)" }
        guard closure.fate != .drop else {
            return "due \(clock(step.from)) \(unless), then dropped by \(closure.reason)"
        }
        let until = step.opening.map { " until \(clock($0))" } ?? ""
        return "due \(clock(step.from)) \(unless), then held by \(closure.reason)\(until)"
    }

    /// Until when others hold it that are closed behind the first.
    private func others(_ way: Explanation.Way, _ first: Closure) -> String {
        let behind = way.behind.map(\.description).joined(separator: ", ")
        guard let opening = way.opening else {
            return behind.isEmpty ? first.until.ifKnown.map { _ in ", and again" } ?? "" : ", then by \(behind)"
        }
        guard clock(opening) != clock(first.until) else { return "" }
        return behind.isEmpty ? ", and again until \(clock(opening))" : ", then by \(behind) until \(clock(opening))"
    }

    /// What dropped something of it last, and when.
    private func dropped(_ way: Explanation.Way) -> String {
        let reason = way.standing?.droppedBy.map { " by \($0)" } ?? " by a gate"
        return reason + (way.standing?.lastSaid.map { " at \(clock($0))" } ?? "")
    }

    /// What a closed gate does to what the channel hears next. It does not concern what was sent already.
    private func whatIsHeld(_ way: Explanation.Way, _ incident: Incident?) -> String {
        guard let incident, incident.state != .pending else { return "would be held" }
        let isToldAlready = way.standing?.hold == nil && way.standing?.announced != nil
        return isToldAlready ? "what follows is held" : "held"
    }

    /// When the channel is reminded next, as far as the gates that are closed now are known.
    private func reminder(_ way: Explanation.Way) -> Moment? {
        guard let due = way.reminder, let closure = way.closure else { return way.reminder }
        // Reminders count from what is held, once that is said; one that a gate drops never comes.
        guard way.standing?.hold == nil, let opening = way.opening, due >= opening || closure.fate != .drop else {
            return nil
        }
        return max(due, opening)
    }

    /// Why the channel is not reminded, where neither the figures nor the passing of time alone change that.
    private func noReminder(_ way: Explanation.Way) -> String? {
        switch way.unreminded {
        case nil: return nil
        case .offDuty: return "not on call now"
        case .unrouted: return "no route leads there any more"
        case .never(let gate, let isToldAtTurns):
            let reminders = (way.standing?.reminders ?? 0) > 0 ? "no more reminders" : "no reminders"
            return reminders + (isToldAtTurns ? " before the next handover" : "") + (gate.map { " (\($0))" } ?? "")
        }
    }

    /// What channels still have to hear of an incident that is over.
    private func ends(_ incident: Incident) -> [String] {
        let until = incident.until.map { ", no longer open since \(clock($0))" } ?? ", no longer open"
        return ["  incident \(name(of: incident))\(until):"]
            + incident.standings.sorted { $0.key < $1.key }.compactMap { channel, standing in
                guard let hold = standing.hold else { return nil }
                let what =
                    standing.announced == nil
                    ? hold.summarizes ? "a line of a summary is" : "nothing more is sent unless it comes back;"
                    : "the message that it has ended is"
                let opening = hold.until.ifKnown.map { " until \(clock($0))" } ?? ""
                return "    \(channel): \(what) held by \(hold.reason)\(opening)"
            }
    }

    /// What of the incident waits in the channel's outbox.
    private func waiting(_ channel: String, _ incident: Incident?) -> [Delivery] {
        incident.flatMap { outbox.waiting[Standing.Key(channel: channel, incident: $0.id)] } ?? []
    }

    /// When and why that by which the channel should have heard of the incident was given up.
    private func failed(_ way: Explanation.Way, _ incident: Incident?) -> OutboxIndex.Failed? {
        guard let id = incident?.id, way.standing?.undelivered != nil else { return nil }
        return outbox.failed[Standing.Key(channel: way.channel, incident: id)]
    }

    /// What was given up of what the channel was told of the incident since it certainly got something.
    private func lacking(_ way: Explanation.Way, _ incident: Incident?) -> OutboxIndex.Failed? {
        guard let incident, let standing = way.standing, standing.announced != nil, standing.undelivered == nil,
            !isOpening(way, incident)
        else { return nil }
        return outbox.lacking(Standing.Key(channel: way.channel, incident: incident.id))
    }

    /// Whether that by which the channel first hears of the incident has not arrived yet.
    private func isOpening(_ way: Explanation.Way, _ incident: Incident?) -> Bool {
        waiting(way.channel, incident).contains { delivery in
            // A digest tells also of what the channel knows.
            delivery.kind == .opened || delivery.kind == .digest && way.standing?.firstSaid == delivery.queued
        }
    }

    /// How much of the incident waits for the channel, and why; without one, of those that are over.
    private func queued(_ channel: String, _ explanation: Explanation) -> String? {
        let story = OutboxIndex.Story(
            channel: channel, rule: explanation.rule, subject: explanation.subject, key: explanation.key)
        let count =
            explanation.incident != nil ? waiting(channel, explanation.incident).count : outbox.counts[story] ?? 0
        guard count > 0 else { return nil }
        guard let record = state.outbox.channels[channel] else { return "\(count) on the way" }
        // One of some seconds would read as one until now.
        let pause =
            record.pausedUntil.flatMap {
                $0 - now >= .minutes(1) ? "; the channel is paused until \(clock($0))" : nil
            } ?? ""
        guard record.failures > 0 else { return "\(count) on the way\(pause)" }
        let error = record.lastError.map { ", the last: \($0.tamed)" } ?? ""
        return "\(count) on the way, \(record.failures.counted("failed attempt")) in a row\(error)\(pause)"
    }

    private func isPushed(_ source: String) -> Bool {
        plan.source(source)?.isPushed ?? false
    }

    private func clock(_ moment: Moment) -> String { plan.zone.words(moment, readAt: now) }
}

extension Closure {
    /// Whether the gate of that name is the one that is closed.
    fileprivate func isOf(_ gate: String) -> Bool {
        switch reason {
        case .gate(_, let name), .quietHours(let name), .muted(let name): name == gate
        default: false
        }
    }
}

extension Explanation {
    /// Whether it is about the bot itself, whom no rule judges.
    fileprivate var isTrouble: Bool { Trouble(rawValue: rule) != nil }
}

extension Judgement.Verdict {
    /// `ok`, `firing` or `unknown`.
    var name: String {
        switch self {
        case .ok: "ok"
        case .firing: "firing"
        case .unknown: "unknown"
        }
    }

    fileprivate var severity: Severity? {
        if case .firing(let severity) = self { severity } else { nil }
    }
}
