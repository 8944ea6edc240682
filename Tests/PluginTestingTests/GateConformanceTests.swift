import PluginKit
import PluginTesting
import Synchronization
import Testing

/// A gate that makes the mistake it is told to make; without one, it holds everything at night.
private struct Sloppy: CalendarGate {
    enum Mistake: String, CaseIterable, Sendable {
        case none, badName, ignoresOption, idle, endless, waitsForNobody, past, opensEarly, staysClosed,
            forgetsSummerTime
        case wrongName, wrongPlugin, strangeReason, gathersForOthers, gathersMutely
        case counts, random, leaks, mumbles, reminds, escalatesNowhere, escalatesNever
        case emptySchedule, longSchedule, endlessSchedule, randomSchedule, movedSchedule, jumbledSchedule
    }

    @TaskLocal static var mistake = Mistake.none

    static let hours = Setting(
        "hours", .hours, default: DailyHours.night, unset: "22:00-07:00", "When it is closed.")
    static var manifest: PluginManifest {
        PluginManifest(name: mistake == .badName ? "Sloppy" : "sloppy", summary: "Sloppy.", options: [hours])
    }

    private final class Box: Sendable { let count = Mutex(0) }

    private let mistake = Sloppy.mistake
    private let box = Box()
    private let chance = Int64.random(in: 1...1_000_000)
    private let zone: Zone
    private let name: String
    private let window: DailyWindow

    init(options: Options, context: RuleContext) throws(ProblemList) {
        zone = context.zone
        name = context.name
        let hours = mistake == .ignoresOption ? .night : options[Self.hours]
        window = DailyWindow(zone: context.zone, hours: hours)
    }

    var waitsFor: Match? { mistake == .waitsForNobody ? Match([]) : nil }
    var gathers: Phrase? { mistake == .gathersForOthers ? "Many at once." : nil }

    private var reason: Reason {
        switch mistake {
        case .wrongName: .quietHours("nights")
        case .wrongPlugin: .gate(plugin: "other", name: name)
        case .strangeReason: .first
        default: .gate(plugin: "sloppy", name: name)
        }
    }

    func closure(for notification: Notification, at now: Moment) -> Closure? {
        let count = Int64(
            box.count.withLock { count in
                count += 1
                return count
            })
        guard mistake != .idle, let end = window.quietUntil(now) else { return nil }
        var (until, fate) = (end, Closure.Fate.holdAndSummarize)
        switch mistake {
        case .endless, .waitsForNobody: until = .latest
        case .past: until = now
        case .opensEarly: until = end + .hours(1)
        case .staysClosed: until = now + .minutes(1)
        case .forgetsSummerTime:
            // As if the clock showed at the end what it shows now.
            let local = now.milliseconds + Int64(zone.offset(at: now)) * 1000
            let sinceMidnight = local - local / 86_400_000 * 86_400_000
            let morning: Int64 = 7 * 3_600_000
            until = now + .milliseconds(morning - sinceMidnight + (sinceMidnight < morning ? 0 : 86_400_000))
        case .gathersForOthers: fate = .gather(Gathering(gate: "other", style: .digest))
        case .gathersMutely: fate = .gather(Gathering(gate: name, style: .digest))
        case .counts: until = end + .milliseconds(count)
        case .random: until = end + .milliseconds(chance)
        default: break
        }
        return Closure(until: until, fate: fate, reason: reason)
    }

    func remark(on notification: Notification, at now: Moment, given view: any GateView) -> Remark? {
        mistake == .leaks ? Remark("App", notification.incident.subject.app, reason: reason) : nil
    }

    func account(of notification: Notification, at now: Moment, given view: any GateView) -> String? {
        mistake == .mumbles ? "" : nil
    }

    func reminding(of incident: Incident, in channel: String) -> Reminding? {
        mistake == .reminds ? .after(.zero) : nil
    }

    func escalation(of incident: Incident) -> Escalation? {
        switch mistake {
        case .escalatesNowhere: Escalation(to: [], from: incident.since)
        case .escalatesNever: Escalation(to: ["ops"], from: .latest)
        default: nil
        }
    }

    func schedule(from now: Moment, count: Int) -> [TimeSpan] {
        var spans: [TimeSpan] = []
        var moment = now
        while spans.count < (mistake == .longSchedule ? 7 : count) {
            guard moment < .latest, let span = window.window(containing: moment) ?? window.next(after: moment) else {
                break
            }
            // What is closed all day and every day never opens.
            moment = window.quietUntil(max(span.from, moment)) == .latest ? .latest : span.to
            spans += TimeSpan(from: span.from, to: moment).map { [$0] } ?? []
        }
        let slip = Duration.milliseconds(box.count.withLock { Int64($0) })
        switch mistake {
        case .emptySchedule: return []
        case .endlessSchedule: return spans.isEmpty ? [TimeSpan(lasting: .hours(1), until: now)] : spans
        case .movedSchedule: return spans.map { TimeSpan(lasting: $0.length, until: $0.to + .hours(2)) }
        case .jumbledSchedule: return spans.reversed()
        case .randomSchedule:
            box.count.withLock { $0 += 1 }
            return spans.map { TimeSpan(lasting: $0.length - slip, until: $0.to) }
        default: return spans
        }
    }
}

extension DailyHours {
    fileprivate static let night: DailyHours = {
        do {
            return try DailyHours(grammar: "22:00-07:00")
        } catch {
            preconditionFailure("22:00-07:00 are hours")
        }
    }()
}

/// One that is closed while something fires, and one that falls over a name.
private struct Waiting: Gate {
    static let manifest = PluginManifest(name: "waiting", summary: "Waiting.", options: [])
    @TaskLocal static var isBrittle = false
    let waitsFor: Match? = Match([Match.Condition(property: "app", patterns: [Glob("backend")])])
    init(options: Options, context: RuleContext) throws(ProblemList) {}

    func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure? {
        if Self.isBrittle { precondition(notification.incident.subject.app.utf8.count < 1000, "so long a name") }
        guard let waitsFor, !view.explaining(waitsFor, at: now).isEmpty else { return nil }
        return Closure(until: .latest, fate: .holdAndForget, reason: .gate(plugin: "waiting", name: "rule"))
    }
}

@Suite struct `Conformance of gates` {
    @Test(arguments: Sloppy.Mistake.allCases) private func `every mistake is found, and nothing else`(
        _ mistake: Sloppy.Mistake
    ) {
        let violations = Sloppy.$mistake.withValue(mistake) { GateConformance(Sloppy.self).violations() }
        let words =
            switch mistake {
            case .none: ""
            case .badName: "the manifest's name 'Sloppy' is not of small letters"
            case .ignoresOption: "'hours' is declared and never read"
            case .idle: "it does nothing about any notification"
            case .endless: "it holds without an end, and `waitsFor` names nothing"
            case .waitsForNobody: "it stays closed though nothing fires that it waits for"
            case .past: "which is over"
            case .opensEarly: "but is open before"
            case .staysClosed: "and then until"
            case .forgetsSummerTime: "in Europe/Madrid: asked at"
            case .wrongName, .strangeReason: "does not name the rule"
            case .wrongPlugin: "names 'other' and not 'sloppy'"
            case .gathersForOthers: "it gathers in the name of 'other'"
            case .gathersMutely: "it gathers, but `gathers` does not say why"
            case .counts: "asked twice about one notification at one time"
            case .random: "another gate with the same options decides other things"
            case .leaks: "what it remarks has control characters"
            case .mumbles: "its account is empty"
            case .reminds: "so without a pause"
            case .escalatesNowhere: "it escalates to no channel"
            case .escalatesNever: "it escalates, but never"
            case .emptySchedule: "which its schedule does not have"
            case .longSchedule: "asked for 5 spans, its schedule has 7"
            case .endlessSchedule: "asked for no spans, its schedule has some"
            case .randomSchedule: "its schedule is another when asked again"
            case .movedSchedule: "its schedule has it closed from"
            case .jumbledSchedule: "are not one after the other"
            }
        #expect(violations.isEmpty == words.isEmpty, "\(violations.prefix(3))")
        #expect(violations.contains { $0.contains(words) } || words.isEmpty, "\(violations.prefix(3))")
    }

    /// One that keeps time by the day alone is fine where the clock never changes.
    @Test func `summer time is tried`() {
        let violations = Sloppy.$mistake.withValue(.forgetsSummerTime) { GateConformance(Sloppy.self).violations() }
        #expect(!violations.contains { $0.hasPrefix("in UTC") || $0.hasPrefix("asked") })
    }

    @Test func `what waits for an incident needs no end of its own`() {
        var backend = Incident(
            rule: "floor", subject: Subject(source: "web", app: "backend"), labels: [:], severity: .critical,
            since: GateConformance.now, evidence: Evidence(sentence: ""))
        backend.state = .firing
        var view = RehearsedView()
        view.firing = [backend]
        #expect(GateConformance(Waiting.self, given: view).violations() == [])
    }

    @Test func `what falls over a name does so in the suite`() async {
        await #expect(processExitsWith: .failure) {
            _ = Waiting.$isBrittle.withValue(true) { GateConformance(Waiting.self).violations() }
        }
    }
}
