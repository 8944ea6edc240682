internal import AlertCore
public import Pictures
public import PluginKit

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
            if more > 0 { lines.append("  and \(more) more: 'alertbot why' lists each") }
            parts.append(section("Cannot judge yet", lines))
        }
        let silent = elements("silent_apps")
        if !silent.isEmpty {
            var lines = silent.prefix(StatusText.unknownMax).map { "  \($0.word("app")) (source \($0.word("source")))" }
            if silent.count > lines.count { lines.append("  and \(silent.count - lines.count) more") }
            parts.append(section("No figures any more", lines))
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
            parts.append([paint.yellow("The config on disk has errors and is not in use: \(trouble.tamed)")])
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
        var line = "  \(source.word("name")): \(source.word("state"))"
        if let next = source["next_poll"]?.string { line += ", next poll \(clock.ahead(next))" }
        if source["every"] == .null {
            // It is looked at from time to time whether anybody still pushes, so when it was polled says nothing.
            let last = source["last_changed"]?.string.map { "last data at \(clock.at($0))" }
            line += ", receives pushes, \(last ?? "no data yet")"
        }
        if !reasons.isEmpty { line += " (\(reasons))" }
        if let holder = source["waits_for"]?.string {
            line += ", when \(holder.tamed) may ask again: both share one account"
        }
        let since = source["no_answer_since"]?.string.map { "no usable answer \(clock.lasting(since: $0))" }
        let failure = [since, source["failure"]?["sentence"]?.string?.tamed].compactMap(\.self)
        let warnings = (source["warnings"]?.array ?? []).compactMap { $0.string }
        return [line] + (failure.isEmpty ? [] : [paint.red("    " + failure.joined(separator: ": "))])
            + warnings.map { paint.yellow("    \($0.tamed)") }
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
        if let paused = channel["paused_until"]?.string { line += ", paused until \(clock.at(paused))" }
        let error = channel["last_error"]?.string.map { paint.red("    last error: \($0.tamed)") }
        let missing = channel["missing_charts"].flatMap { missing -> String? in
            guard let why = missing["why"]?.string else { return nil }
            return "    \(missing.count("count").counted("message")) without a chart, the last: \(why.tamed)"
        }
        return [line] + [error, missing].compactMap(\.self)
    }
}

/// An incident in a few lines, indented by two.
public struct IncidentText {
    private let incident: JSON
    private let paint: Paint
    private let clock: Clockface

    public init(_ incident: JSON, _ paint: Paint, _ clock: Clockface) {
        self.incident = incident
        self.paint = paint
        self.clock = clock
    }

    /// Incidents in the order in which people want them: open ones before those that are over, the worst first, and of those
    /// the newest.
    public static func all(_ incidents: [JSON], _ paint: Paint, _ clock: Clockface) -> [String] {
        func rank(_ incident: JSON) -> (Int, Int) {
            let severity = incident["severity"]?.string.flatMap(Severity.init)
            return (
                incident["until"]?.string == nil ? 0 : 1,
                severity.flatMap { Severity.allCases.reversed().firstIndex(of: $0) } ?? 0
            )
        }
        return incidents.sorted { left, right in
            let (mine, other) = (rank(left), rank(right))
            return mine == other ? left.word("since") > right.word("since") : mine < other
        }.map { IncidentText($0, paint, clock).text }
    }

    public var text: String {
        let release = incident["release"]?.string.map { " \($0.tamed)" } ?? ""
        let since = incident.word("since")
        let state =
            incident["until"]?.string.map { until in
                let length = clock.length(from: since, to: until).map { " after \($0)" }
                return "\(incident.word("state")) at \(clock.at(until))" + (length ?? ", began at \(clock.at(since))")
            } ?? "\(incident.word("state")) \(clock.lasting(since: since))"
        // Its name leads to its own page.
        let page = links.first { $0.url.hasSuffix(pageEnd) }?.url
        let name = paint.link(incident.word("id"), to: page)
        var lines = [
            "  \(name) \(severity) \(incident.word("app"))\(release): \(state) (\(incident.word("rule")))"
        ]
        if let sentence = incident["evidence"]?["sentence"]?.string { lines.append(paint.dim("    \(sentence.tamed)")) }
        if let acknowledged = incident["acknowledged"], acknowledged != .null {
            let all = ([acknowledged] + (acknowledged["also"]?.array ?? [])).map { one in
                let person = one["by"]?.string?.tamed ?? "somebody"
                return "by \(person) at \(clock.at(one.word("at")))"
            }
            lines.append(paint.dim("    acknowledged \(all.joined(separator: ", "))"))
        }
        for (name, standing) in incident["channels"]?.object?.members.map({ ($0.name, $0.value) }) ?? [] {
            guard let held = standing["held"], held != .null else { continue }
            let until = held["until"]?.string.map { " until \(clock.at($0))" } ?? ""
            lines.append(paint.dim("    \(name.tamed): held\(until) (\(held.word("reason")))"))
        }
        let others = links.filter { $0.url != page }
        if paint.hasLinks, !others.isEmpty {
            lines.append("    " + others.map { paint.link($0.title.tamed, to: $0.url) }.joined(separator: ", "))
        }
        return lines.joined(separator: "\n")
    }

    private var severity: String {
        let word = incident.word("severity")
        return switch Severity(rawValue: word) {
        case .critical: paint.red(word)
        case .warning: paint.yellow(word)
        case .info, nil: word
        }
    }

    private var links: [(title: String, url: String)] {
        (incident["links"]?.array ?? []).compactMap { link in
            link["url"]?.string.map { (link["title"]?.string ?? $0, $0) }
        }
    }

    /// What the address of its own page ends with.
    private var pageEnd: String { "/incidents/\(incident.word("id"))" }
}

/// A mute in a line.
public struct MuteText {
    private let mute: JSON
    private let paint: Paint
    private let clock: Clockface

    public init(_ mute: JSON, _ paint: Paint, _ clock: Clockface) {
        self.mute = mute
        self.paint = paint
        self.clock = clock
    }

    public var text: String {
        let until = mute["until"]?.string.map { "until \(clock.at($0))" } ?? "permanently"
        let from = mute["from"]?.string.map { "from \(clock.at($0)) " } ?? ""
        let by = mute["by"]?.string.map { ", by \($0)" } ?? ""
        let reason = mute["reason"]?.string.map { ": \($0)" } ?? ""
        let origin = mute["origin"]?.string == "config" ? " (in the config)" : ""
        let what = (try? Match(JSONReader(mute["match"] ?? .null)))?.sentence ?? "?"
        let passes = mute["except"]?.string.flatMap(Severity.init).map { " (\($0.passing))" } ?? ""
        return paint.bold(mute["id"]?.string ?? "?")
            + "\(origin) \(what)\(passes), \(from)\(until)\(by)\(reason)".tamed
    }
}

/// What the bot has said, as people read it in a terminal.
public struct HistoryText {
    private let entries: [JSON]
    private let isOnlyDead: Bool
    private let paint: Paint
    private let clock: Clockface

    /// - Parameters:
    ///   - history: as `StatusReport` has it.
    ///   - isOnlyDead: whether only failed deliveries were asked for.
    ///   - zone: the bot's.
    public init(_ history: JSON, isOnlyDead: Bool, _ paint: Paint, in zone: Zone) {
        clock = Clockface(zone)
        entries = history.array ?? []
        self.isOnlyDead = isOnlyDead
        self.paint = paint
    }

    public var text: String {
        if entries.isEmpty { return isOnlyDead ? "No failed deliveries." : "Nothing has been sent yet." }
        return entries.map(entry).joined(separator: "\n")
    }

    private func entry(_ entry: JSON) -> String {
        func member(_ name: String) -> String { entry[name]?.string ?? "?" }
        let outcome = member("outcome")
        let painted = outcome == "dead" ? paint.red("failed") : outcome
        let title = paint.bold("\(clock.at(member("at"))) \(member("channel")) \(member("kind"))")
        var lines = ["\(title) \(painted)  \(paint.dim(member("id")))"]
        lines += (entry["text"]?.string ?? "").split(separator: "\n").map { "  \($0)" }
        if let why = entry["why"]?.string { lines.append(paint.red("  \(why.tamed)")) }
        return lines.joined(separator: "\n")
    }
}

extension JSON {
    /// A member that is a text, safe to print.
    fileprivate func word(_ name: String) -> String { self[name]?.string?.tamed ?? "?" }

    /// A member that counts something; 0 for what is none.
    fileprivate func count(_ name: String) -> Int { self[name]?.number.flatMap { Int(exactly: $0) } ?? 0 }
}
