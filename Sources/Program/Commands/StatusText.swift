internal import AlertCore
public import Pictures
public import PluginKit

/// What the bot sees, tracks and waits for, as people read it in a terminal.
public struct StatusText {
    private let status: JSON
    private let paint: Paint

    /// - Parameter status: as `StatusReport` has it.
    public init(_ status: JSON, _ paint: Paint) {
        self.status = status
        self.paint = paint
    }

    public var text: String {
        let isRunning = status["running"] == .bool(true)
        let title =
            paint.bold(status["bot"]?.string ?? "alertbot") + "  "
            + (isRunning ? paint.green("running") : paint.yellow("not running; this is from its journal"))
        var parts = [[title], section("Sources", elements("sources").flatMap(source))]
        let incidents = elements("incidents").map { IncidentText($0, paint).text }
        parts.append(section("Incidents", incidents.isEmpty ? ["  none"] : incidents))
        let unknown = elements("rules").filter { $0["verdict"] == "unknown" }
        if !unknown.isEmpty { parts.append(section("Cannot judge yet", unknown.map(rule))) }
        parts.append(section("Channels", elements("channels").flatMap(channel)))
        let now = moment(status, "now") ?? .latest
        let mutes = elements("mutes").filter { (moment($0, "from") ?? .earliest) <= now }
        if !mutes.isEmpty { parts.append(section("Mutes", mutes.map { "  " + MuteText($0, paint).text })) }
        if let trouble = status["recording_trouble"]?.string {
            parts.append([paint.yellow("Observations are not recorded: \(trouble.tamed)")])
        }
        if let trouble = status["config_trouble"]?.string {
            parts.append([paint.yellow("The config on disk has errors and is not in use: \(trouble.tamed)")])
        }
        return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private func section(_ title: String, _ lines: [String]) -> [String] { [paint.bold(title)] + lines }

    private func elements(_ name: String) -> [JSON] { status[name]?.array ?? [] }

    private func source(_ source: JSON) -> [String] {
        let reasons = (source["reasons"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
        var line = "  \(source.word("name")): \(source.word("state"))"
        if let next = source["next_poll"]?.string { line += ", next poll \(next)" }
        if !reasons.isEmpty { line += " (\(reasons))" }
        if let holder = source["waits_for"]?.string {
            line += ", when \(holder.tamed) may ask again: both are one account there"
        }
        let since = source["no_answer_since"]?.string.map { "no usable answer since \($0)" }
        let failure = [since, source["failure"]?["sentence"]?.string?.tamed].compactMap(\.self)
        let warnings = (source["warnings"]?.array ?? []).compactMap { $0.string }
        return [line] + (failure.isEmpty ? [] : [paint.red("    " + failure.joined(separator: ": "))])
            + warnings.map { paint.yellow("    \($0.tamed)") }
    }

    private func rule(_ rule: JSON) -> String {
        let release = rule["release"]?.string.map { " \($0.tamed)" } ?? ""
        return "  \(rule.word("app"))\(release): \(rule.word("rule")): \(rule.word("sentence"))"
    }

    private func channel(_ channel: JSON) -> [String] {
        let queued = Int(channel["queued"]?.number ?? 0)
        var line = "  \(channel.word("name")): " + (queued == 0 ? "nothing waiting" : "\(queued) waiting")
        if let oldest = channel["oldest"]?.string {
            line += queued == 1 ? " since \(oldest)" : ", the oldest since \(oldest)"
        }
        let failures = Int(channel["failures"]?.number ?? 0)
        if failures > 0 { line += paint.red(", \(failures.counted("failure")) in a row") }
        let dead = Int(channel["dead"]?.number ?? 0)
        if dead > 0 { line += paint.red(", \(dead.counted("dead letter"))") }
        if let paused = channel["paused_until"]?.string { line += ", paused until \(paused)" }
        let error = channel["last_error"]?.string.map { paint.red("    last error: \($0.tamed)") }
        let missing = channel["missing_charts"].flatMap { missing -> String? in
            guard let count = missing["count"]?.number, let why = missing["why"]?.string else { return nil }
            return "    \(Int(count).counted("message")) without a chart, the last: \(why.tamed)"
        }
        return [line] + [error, missing].compactMap(\.self)
    }

    private func moment(_ json: JSON, _ name: String) -> Moment? { json[name]?.string.flatMap { Moment(rfc3339: $0) } }
}

/// An incident in a few lines, indented by two.
public struct IncidentText {
    private let incident: JSON
    private let paint: Paint

    public init(_ incident: JSON, _ paint: Paint) {
        self.incident = incident
        self.paint = paint
    }

    public var text: String {
        let release = incident["release"]?.string.map { " \($0.tamed)" } ?? ""
        let since = incident.word("since")
        let state =
            incident["until"]?.string.map { "\(incident.word("state")) at \($0.tamed), began at \(since)" }
            ?? "\(incident.word("state")) since \(since)"
        var lines = [
            "  \(incident.word("id")) \(incident.word("severity")) \(incident.word("app"))\(release): "
                + "\(state) (\(incident.word("rule")))"
        ]
        if let sentence = incident["evidence"]?["sentence"]?.string { lines.append(paint.dim("    \(sentence.tamed)")) }
        if let acknowledged = incident["acknowledged"], acknowledged != .null {
            let names = ([acknowledged] + (acknowledged["also"]?.array ?? [])).compactMap { $0["by"]?.string?.tamed }
            let by = names.isEmpty ? "" : " by \(names.joined(separator: ", "))"
            lines.append(paint.dim("    acknowledged\(by) at \(acknowledged.word("at"))"))
        }
        for (name, standing) in incident["channels"]?.object?.members.map({ ($0.name, $0.value) }) ?? [] {
            guard let held = standing["held"], held != .null else { continue }
            let until = held["until"]?.string.map { " until \($0)" } ?? ""
            lines.append(paint.dim("    \(name): held\(until) (\(held.word("reason")))"))
        }
        return lines.joined(separator: "\n")
    }
}

/// A mute in a line.
public struct MuteText {
    private let mute: JSON
    private let paint: Paint

    public init(_ mute: JSON, _ paint: Paint) {
        self.mute = mute
        self.paint = paint
    }

    public var text: String {
        let until = mute["until"]?.string.map { "until \($0)" } ?? "permanently"
        let by = mute["by"]?.string.map { ", by \($0)" } ?? ""
        let reason = mute["reason"]?.string.map { ": \($0)" } ?? ""
        let origin = mute["origin"]?.string == "config" ? " (in the config)" : ""
        let what = (try? Match(JSONReader(mute["match"] ?? .null)))?.sentence ?? "?"
        return paint.bold(mute["id"]?.string ?? "?")
            + "\(origin) \(what), from \(mute["from"]?.string ?? "?") \(until)\(by)\(reason)".tamed
    }
}

/// What the bot has said, as people read it in a terminal.
public struct HistoryText {
    private let entries: [JSON]
    private let isOnlyDead: Bool
    private let paint: Paint

    /// - Parameters:
    ///   - history: as `StatusReport` has it.
    ///   - isOnlyDead: whether only dead letters were asked for.
    public init(_ history: JSON, isOnlyDead: Bool, _ paint: Paint) {
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
        let title = paint.bold("\(member("at")) \(member("channel")) \(member("kind"))")
        var lines = ["\(title) \(painted)  \(paint.dim(member("id")))"]
        lines += (entry["text"]?.string ?? "").split(separator: "\n").map { "  \($0)" }
        if let why = entry["why"]?.string { lines.append(paint.red("  \(why.tamed)")) }
        return lines.joined(separator: "\n")
    }
}

extension JSON {
    /// A member that is a text, safe to print.
    fileprivate func word(_ name: String) -> String { self[name]?.string?.tamed ?? "?" }
}
