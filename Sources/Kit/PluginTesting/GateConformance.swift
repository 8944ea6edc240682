public import PluginKit

/// What every gate must do, whatever it holds: decide the same about the same, open when it said that it would, say in
/// whose name it acts, and live with whatever a config and a notification may hold.
///
///     #expect(GateConformance(GroupGate.self, ["by": "app"]).violations() == [])
public struct GateConformance: Sendable {
    /// A moment for tests.
    public static let now = DetectorConformance.now
    /// The channel that the notifications of the suite go to: what a gate of certain channels must name in its options.
    public static let channel = "team"

    private let kind: any Gate.Type
    private let written: WrittenOptions
    private let now: Moment
    private let view: RehearsedView

    /// - Parameters:
    ///   - options: as a config writes them; they must make the gate.
    ///   - now: when it has something to do.
    ///   - view: the past with which it has something to do; what the view says is of `GateConformance.channel`.
    public init(
        _ kind: (some Gate).Type, _ options: WrittenOptions = [:], at now: Moment = GateConformance.now,
        given view: RehearsedView = RehearsedView()
    ) {
        self.kind = kind
        written = options
        self.now = now
        self.view = view
    }

    /// Everything that is wrong; empty when the gate conforms.
    public func violations() -> [String] {
        let manifest = kind.manifest
        let said = manifest.flaws(reserved: ["plugin", RuleSettings.match.name], kind: "gate")
        var found = said
        do {
            for zone in GateConformance.zones {
                let trials = try trials(in: ZoneDatabase().zone(zone))
                let (gate, twin) = (try trials.made(), try trials.made())
                found += flawsAroundClockChanges(gate).map { "in \(zone): \($0)" }
                guard zone == GateConformance.zones.first else { continue }
                found += flawsOfWords(gate) + flawsOfIdleness(gate) + flawsOfDecisions(gate, twin)
                found += trials.violations { made, words in
                    (flawsOfWords(made) + flawsOfDecisions(made, made, briefly: true)).map { "\(words): \($0)" }
                }
            }
        } catch let list as ProblemList {
            return said + ["the options given make no gate: \(list.problems.map(\.message).joined(separator: "; "))"]
        } catch {
            return said + ["the suite cannot begin: \(error)"]
        }
        return found.once
    }

    private func trials(in zone: Zone) throws -> OptionTrials<any Gate> {
        try OptionTrials(kind.manifest, written.options(of: kind.manifest)) { [kind] options throws(ProblemList) in
            try kind.init(options: options, context: .rehearsed(zone: zone))
        }
    }

    // MARK: Situations

    /// One without summer time, and one each with its change at another hour: by half an hour in the last of them.
    private static let zones = ["UTC", "Europe/Madrid", "America/New_York", "Australia/Lord_Howe"]

    /// When their clocks change in 2026.
    private static let clockChanges = [
        "2026-03-08T07:00:00Z", "2026-03-29T01:00:00Z", "2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z",
        "2026-10-25T01:00:00Z", "2026-11-01T06:00:00Z",
    ].compactMap { Moment(rfc3339: $0) }

    /// From now on for as long as the usual gates are closed.
    private func moments(briefly: Bool) -> [Moment] {
        briefly
            ? [now, now + .hours(12), now + .days(30)] : (0..<52).map { now + .minutes(30) * $0 } + [now + .days(400)]
    }

    /// Notifications of every kind and severity, of incidents of which the channel knows nothing, much, or that
    /// somebody takes care of, with names that nobody expects.
    private func notifications(
        briefly: Bool, severity: Severity = .critical, channel: String = GateConformance.channel
    ) -> [Notification] {
        incidents(briefly: briefly).flatMap { incident in
            Notification.Kind.ofIncidents.flatMap { kind in
                (briefly ? [severity] : Severity.allCases).map { severity in
                    Notification(incident: incident, kind: kind, severity: severity, channel: channel)
                }
            }
        }
    }

    private func incidents(briefly: Bool) -> [Incident] {
        func incident(_ name: String = "shop", severity: Severity = .critical) -> Incident {
            var incident = Incident(
                rule: "floor", subject: Subject(source: "ios", app: name, release: name, environment: name), key: name,
                labels: ["team": name], severity: severity, since: now - .hours(3),
                evidence: Evidence(sentence: "98.31% is below 99%."))
            incident.state = .firing
            return incident
        }
        var told = incident()
        told.standings[GateConformance.channel] = Standing(
            announced: .critical, firstSaid: now - .hours(2), lastSaid: now - .hours(1), reminders: 3)
        var known = told
        known.acknowledgement = Acknowledgement(at: now - .minutes(1), by: HostileText.steering)
        var swamped = told
        swamped.standings[GateConformance.channel]?.reminders = 1_000_000
        return [incident(), told] + (briefly ? [] : [known, swamped, incident(severity: .info)])
            + (briefly ? [HostileText.steering] : HostileText.all).map { incident($0) }
    }

    // MARK: What it says

    private func flawsOfWords(_ gate: any Gate) -> [String] {
        var found: [String] = []
        let accounts = incidents(briefly: false).compactMap { incident in
            let notification = Notification(
                incident: incident, kind: .opened, severity: incident.severity, channel: GateConformance.channel)
            return gate.account(of: notification, at: now, given: view)
        }
        if let flaw = accounts.compactMap({ $0.lineFlaw(charactersMax: GateConformance.wordsMax) }).first {
            found.append("its account \(flaw)")
        }
        if let flaw = gate.gathers?.english.lineFlaw(charactersMax: GateConformance.wordsMax) {
            found.append("its gathers \(flaw)")
        }
        return found
    }

    /// Longer ones nobody reads.
    private static let wordsMax = 300

    private func flaws(of reason: Reason) -> [String] {
        var found: [String] = []
        switch reason {
        case .muted("rule"), .quietHours("rule"), .flapping: break
        case .gate(let plugin, "rule"):
            if plugin != kind.manifest.name {
                found.append("its reason '\(reason)' names '\(plugin)' and not '\(kind.manifest.name)'")
            }
        default: found.append("its reason '\(reason)' does not name the rule, so nobody finds it in the config")
        }
        if Reason(reason.description) != reason { found.append("its reason '\(reason)' is not read as it was written") }
        return found
    }

    private func flawsOfIdleness(_ gate: any Gate) -> [String] {
        let acts = notifications(briefly: false).contains { notification in
            gate.closure(for: notification, at: now, given: view) != nil
                || gate.remark(on: notification, at: now, given: view) != nil
                || gate.reminding(of: notification.incident, in: notification.channel) != nil
                || gate.escalation(of: notification.incident) != nil
        }
        return acts ? [] : ["it does nothing about any notification of the suite"]
    }

    // MARK: What it decides

    private func flawsOfDecisions(_ gate: any Gate, _ twin: any Gate, briefly: Bool = false) -> [String] {
        var found: [String] = []
        let (moments, notifications) = (moments(briefly: briefly), notifications(briefly: briefly))
        let answers = moments.map { moment in notifications.map { Answer(gate, $0, at: moment, given: view) } }
        // The other way round, and by another gate: neither what was asked before nor who is asked may matter.
        for (moment, answers) in zip(moments, answers).reversed() {
            for (notification, answer) in zip(notifications, answers).reversed() {
                if Answer(gate, notification, at: moment, given: view) != answer {
                    found.append("asked twice about one notification at one time, it decides two things")
                }
                if Answer(twin, notification, at: moment, given: view) != answer {
                    found.append("another gate with the same options decides other things")
                }
            }
        }
        for (moment, answers) in zip(moments, answers) {
            for (notification, answer) in zip(notifications, answers) {
                found += flaws(of: answer, gate)
                found += flawsOfEnd(gate, notification, at: moment, given: view)
            }
        }
        if let gate = gate as? any CalendarGate { found += flawsOfSchedule(gate, from: now) }
        return found.once
    }

    /// All that a gate says of a notification.
    private struct Answer: Equatable {
        let closure: Closure?
        let remark: Remark?
        let reminding: Reminding?
        let escalation: Escalation?

        init(_ gate: any Gate, _ notification: Notification, at moment: Moment, given view: RehearsedView) {
            closure = gate.closure(for: notification, at: moment, given: view)
            remark = gate.remark(on: notification, at: moment, given: view)
            reminding = gate.reminding(of: notification.incident, in: notification.channel)
            escalation = gate.escalation(of: notification.incident)
        }

        static func == (left: Answer, right: Answer) -> Bool {
            left.closure == right.closure && left.remark == right.remark && left.reminding == right.reminding
                && left.escalation?.channels == right.escalation?.channels
                && left.escalation?.from == right.escalation?.from
        }
    }

    private func flaws(of answer: Answer, _ gate: any Gate) -> [String] {
        var found: [String] = []
        if let closure = answer.closure {
            found += flaws(of: closure.reason)
            if let gathering = closure.fate.gathering {
                if gathering.gate != "rule" {
                    found.append("it gathers in the name of '\(gathering.gate)', not its own")
                }
                if gate.gathers == nil { found.append("it gathers, but `gathers` does not say why") }
            }
        }
        if let remark = answer.remark {
            found += flaws(of: remark.reason)
            for words in [remark.field.label, remark.field.value] {
                if let flaw = words.lineFlaw(charactersMax: GateConformance.wordsMax) {
                    found.append("what it remarks \(flaw)")
                }
            }
        }
        if case .after(let pause) = answer.reminding, pause <= .zero {
            found.append("it wants people reminded after \(pause), so without a pause")
        }
        if let escalation = answer.escalation {
            if escalation.channels.isEmpty { found.append("it escalates to no channel") }
            if escalation.from >= .latest { found.append("it escalates, but never") }
        }
        return found
    }

    // MARK: When it opens

    /// A closed gate opens: at the moment that it names, or with the incidents that it waits for.
    private func flawsOfEnd(
        _ gate: any Gate, _ notification: Notification, at moment: Moment, given view: RehearsedView
    ) -> [String] {
        guard let closure = gate.closure(for: notification, at: moment, given: view), closure.fate != .drop else {
            return []
        }
        guard closure.until < .latest else {
            // Quiet hours of all day and every day never open, and their schedule says so.
            let calendar = gate as? any CalendarGate
            if calendar?.schedule(from: moment, count: 1).first?.to == .latest { return [] }
            guard gate.waitsFor != nil else { return ["it holds without an end, and `waitsFor` names nothing"] }
            var calm = view
            calm.firing = []
            return gate.closure(for: notification, at: moment, given: calm) == nil
                ? [] : ["it stays closed though nothing fires that it waits for"]
        }
        if closure.until == moment, closure.fate.gathering != nil { return [] }
        guard closure.until > moment else {
            return ["asked at \(moment), it holds until \(closure.until), which is over"]
        }
        let held = Notification(
            incident: notification.incident, kind: notification.kind, severity: notification.severity,
            channel: notification.channel,
            held: Notification.Held(closure.reason, since: moment, style: closure.fate.gathering?.style))
        let eve = closure.until - .milliseconds(1)
        if eve > moment, gate.closure(for: held, at: eve, given: view) == nil {
            return ["asked at \(moment), it holds until \(closure.until), but is open before"]
        }
        // An end so far away is as far as the gate has looked, and no promise.
        if closure.until - moment > .days(365) { return [] }
        if let still = gate.closure(for: held, at: closure.until, given: view) {
            return ["asked at \(moment), it holds until \(closure.until), and then until \(still.until)"]
        }
        return []
    }

    /// What it has in store agrees with what it does.
    private func flawsOfSchedule(_ gate: any CalendarGate, from moment: Moment) -> [String] {
        // What lets everything pass is never closed, whatever its calendar says.
        guard gate.except != .info else { return [] }
        let probe = notifications(
            briefly: true, severity: .info, channel: gate.channels.first ?? GateConformance.channel)
        func isClosed(at moment: Moment) -> Bool { probe.contains { gate.closure(for: $0, at: moment) != nil } }
        var found: [String] = []
        let spans = gate.schedule(from: moment, count: 5)
        if spans.count > 5 { found.append("asked for 5 spans, its schedule has \(spans.count)") }
        if !gate.schedule(from: moment, count: 0).isEmpty { found.append("asked for no spans, its schedule has some") }
        if gate.schedule(from: moment, count: 5) != spans { found.append("its schedule is another when asked again") }
        if !zip(spans, spans.dropFirst()).allSatisfy({ $0.to <= $1.from }) {
            found.append("the spans of its schedule are not one after the other")
        }
        let begins = Set(spans.map(\.from))
        for (place, span) in spans.enumerated() where span.to > moment {
            let begin = max(span.from, moment)
            if !isClosed(at: begin) || !isClosed(at: span.to - .milliseconds(1)) {
                found.append("its schedule has it closed from \(span.from) to \(span.to), but it is open")
            }
            // One may go on where the other ends; of the last nobody asked what comes after it.
            if place < 4, span.to < .latest, !begins.contains(span.to), isClosed(at: span.to) {
                found.append("its schedule has it open at \(span.to), but it is closed")
            }
        }
        for step in 0..<48 {
            let moment = moment + .minutes(30) * step
            guard spans.count < 5 || spans.last.map({ moment < $0.to }) ?? false else { break }
            if isClosed(at: moment), !spans.contains(where: { $0.from <= moment && moment < $0.to }) {
                found.append("it is closed at \(moment), which its schedule does not have")
            }
        }
        return found
    }

    /// Days of 23, 25 and 23½ hours.
    private func flawsAroundClockChanges(_ gate: any Gate) -> [String] {
        let incidents = incidents(briefly: true).prefix(1)
        return GateConformance.clockChanges.flatMap { change -> [String] in
            var found: [String] = []
            for step in -60...60 {
                let moment = change + .minutes(30) * step
                for instant in step == 0 ? [moment - .milliseconds(1), moment, moment + .milliseconds(1)] : [moment] {
                    for incident in incidents {
                        let notification = Notification(
                            incident: incident, kind: .opened, severity: .warning, channel: GateConformance.channel)
                        found += flawsOfEnd(gate, notification, at: instant, given: RehearsedView())
                    }
                }
            }
            if let gate = gate as? any CalendarGate { found += flawsOfSchedule(gate, from: change - .hours(30)) }
            return found.once
        }
    }
}
