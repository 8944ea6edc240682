internal import AlertCore
public import Pictures
public import PluginKit
internal import Runtime

/// What the bot sees, tracks and waits for, as people read it in a terminal.
public struct StatusText {
    private let status: JSON
    private let paint: Paint
    private let now: Moment?
    private let clock: Clockface

    /// - Parameters:
    ///   - status: as `StatusReport` has it.
    ///   - zone: the bot's.
    public init(_ status: JSON, _ paint: Paint, in zone: Zone) {
        self.status = status
        self.paint = paint
        now = status["now"]?.string.flatMap { Moment(rfc3339: $0) }
        clock = now.map { Clockface(zone).inNamedZone(at: $0) } ?? Clockface(zone)
    }

    /// What cannot be judged is one glance: of more, what stands below it would be off the screen.
    private static let unknownMax = 20

    public var text: String {
        let isRunning = status["running"] == .bool(true)
        let idle = status["unanswered"] == .bool(true) ? "does not answer" : "not running"
        let title =
            paint.bold(status["bot"]?.string ?? "alertbot") + "  "
            + (isRunning ? paint.green("running") : paint.yellow("\(idle); \(origin)"))
            + (now.map { paint.dim("  \(clock.whole($0))") } ?? "")
        var parts = [[title], section("Sources", elements("sources").flatMap(source))]
        let incidents = IncidentText.all(elements("incidents"), paint, clock)
        parts.append(section("Incidents", incidents.isEmpty ? ["  none"] : incidents))
        let unknown = elements("rules").filter { $0["verdict"] == "unknown" }
        let more =
            max(0, unknown.count - StatusText.unknownMax) + (status["rules_left_out"]?.count("unknown") ?? 0)
        if !unknown.isEmpty || more > 0 {
            let shared = appsOfSeveralSources
            var lines = unknown.prefix(StatusText.unknownMax).map {
                rule($0, namesSource: shared.contains($0.word("app")))
            }
            if more > 0 { lines.append("  " + SourceWords.more(more)) }
            parts.append(section("Cannot judge yet", lines))
        }
        let silent = elements("silent_apps")
        if !silent.isEmpty {
            var lines = silent.prefix(StatusText.unknownMax).map { "  \($0.word("app")) (source \($0.word("source")))" }
            if silent.count > lines.count { lines.append("  and \(silent.count - lines.count) more") }
            parts.append(section("No longer reporting", lines))
        }
        parts.append(section("Channels", elements("channels").flatMap(channel)))
        let onCall = elements("oncall").map { shift in
            "  \(shift.word("rotation")): \(shift.word("person"))"
                + (shift["until"]?.string.map { ", until \(clock.at($0))" } ?? "")
        }
        if !onCall.isEmpty { parts.append(section("On call", onCall)) }
        let mutes = elements("mutes").filter { mute in
            (mute["from"]?.string.flatMap { Moment(rfc3339: $0) } ?? .earliest) <= now ?? .latest
        }
        if !mutes.isEmpty { parts.append(section("Mutes", mutes.map { "  " + MuteText($0, paint, clock).text })) }
        let ended = elements("ended_calendars").map { calendar in
            paint.yellow(
                "The calendar \(calendar.word("calendar")) of rule \(calendar.word("rule")) has no days left: "
                    + "\(calendar.word("why"))")
        }
        if !ended.isEmpty { parts.append(ended) }
        if let trouble = status["recording_trouble"]?.string {
            parts.append([paint.yellow("Observations are not recorded: \(trouble.tamed)")])
        }
        if let trouble = status["config_trouble"]?.string {
            parts.append([paint.yellow("The config on disk is not in use: \(trouble.tamed)")])
        }
        if let trouble = status["journal_trouble"]?.string {
            // Who reads it for a bot that does not run writes nothing.
            let what = isRunning ? "cannot be written" : "is damaged"
            parts.append([paint.red("The journal \(what): \(trouble.tamed)")])
        }
        return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// Where it comes from what is said of a bot that does not run: one that has never polled has told its journal nothing.
    private var origin: String {
        elements("sources").allSatisfy { $0["last_polled"]?.string == nil }
            ? "it has not polled anything yet" : "this is from its journal"
    }

    private func section(_ title: String, _ lines: [String]) -> [String] { [paint.bold(title)] + lines }

    private func elements(_ name: String) -> [JSON] { status[name]?.array ?? [] }

    private func source(_ source: JSON) -> [String] {
        let reasons = (source["reasons"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
        // Programs read `no_data`.
        let state = source.word("state").replacing("_", with: " ")
        var line = "  \(source.word("name")): \(state)"
        if let next = source["next_poll"]?.string { line += ", next poll \(clock.ahead(next))" }
        if source["every"] == .null {
            // It is looked at from time to time whether anybody still pushes, so when it was polled says nothing.
            let last = source["last_changed"]?.string.map { "last data at \(clock.at($0))" }
            line += ", receives pushes, \(last ?? "nothing pushed yet")"
        }
        if !reasons.isEmpty { line += " (\(reasons))" }
        if let holder = source["waits_for"]?.string {
            line += SourceWords.waits(for: holder.tamed)
        }
        let since = source["no_answer_since"]?.string.map { "no usable answer \(clock.lasting(since: $0))" }
        let failure = [since, source["failure"]?["sentence"]?.string?.tamed].compactMap(\.self)
        let warnings = (source["warnings"]?.array ?? []).compactMap { $0.string }
        let refused = source["refused_push"].flatMap { push -> String? in
            guard let at = push["at"]?.string, let why = push["why"]?.string, isRecent(at) else { return nil }
            return "a push was refused at \(clock.at(at)): \(why)"
        }
        let troubles = warnings + [refused].compactMap(\.self)
        return [line] + (failure.isEmpty ? [] : [paint.red("    " + failure.joined(separator: ": "))])
            + troubles.map { paint.yellow("    \($0.tamed)") }
    }

    /// Whether it was within a day: nothing ends a push that was refused, and somebody may have tried only once.
    private func isRecent(_ at: String) -> Bool {
        guard let now, let moment = Moment(rfc3339: at) else { return true }
        return now - moment < .days(1)
    }

    /// The apps that more than one source has figures of.
    private var appsOfSeveralSources: Set<String> {
        let sources = Dictionary(grouping: elements("rules")) { $0.word("app") }
            .mapValues { Set($0.map { $0.word("source") }) }
        return Set(sources.filter { $0.value.count > 1 }.keys)
    }

    private func rule(_ rule: JSON, namesSource: Bool) -> String {
        let release = rule["release"]?.string.map { " \($0.tamed)" } ?? ""
        let source = namesSource ? " from \(rule.word("source"))" : ""
        return "  \(rule.word("app"))\(release)\(source): \(rule.word("rule")): \(rule.word("sentence"))"
    }

    private func channel(_ channel: JSON) -> [String] {
        let queued = channel.count("queued")
        var line = "  \(channel.word("name")): " + (queued == 0 ? "nothing waiting" : "\(queued) waiting")
        if let oldest = channel["oldest"]?.string {
            let since = clock.lasting(since: oldest)
            line += queued == 1 ? " \(since)" : ", the oldest \(since)"
        }
        let failures = channel.count("failures")
        if failures > 0 { line += paint.red(", \(failures.counted("failure")) in a row") }
        let dead = channel.count("dead")
        if dead > 0 { line += paint.red(dead == 1 ? ", 1 failed delivery" : ", \(dead) failed deliveries") }
        if let paused = channel["paused_until"]?.string, clock.isAhead(paused) {
            line += ", paused until \(clock.at(paused))"
        }
        let error = channel["last_error"]?.string.map { paint.red("    last error: \($0.tamed)") }
        let missing = channel["missing_charts"].flatMap { missing -> String? in
            guard let why = missing["why"]?.string else { return nil }
            return "    " + SourceWords.missingCharts(missing.count("count"), why: why.tamed)
        }
        return [line] + [error, missing].compactMap(\.self)
    }
}

extension JSON {
    /// A member that is a text, safe to print.
    func word(_ name: String) -> String { self[name]?.string?.tamed ?? "?" }

    /// A member that counts something; 0 for what is none.
    func count(_ name: String) -> Int { self[name]?.number.flatMap { Int(exactly: $0) } ?? 0 }
}
