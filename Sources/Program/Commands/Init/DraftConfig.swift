internal import AlertCore
internal import BotConfig
internal import PluginKit
internal import SystemPorts

/// A config that is still to be written.
struct DraftConfig {
    /// Where it goes.
    let path: String
    let timezone: String
    let written: Moment
    var source: DraftThing?
    var channel: DraftThing?
    var rules: [String] = []

    /// Where typed secrets go, from the config's folder.
    static let secretsFolder = "secrets"

    /// Where the service's config lies, and the one folder that its unit lets it write to.
    private static let service = (folder: "/etc/alertbot", state: "/var/lib/alertbot")

    /// Where the bot keeps its state, and what is to be said of that.
    private var state: (folder: String, remark: String) {
        WholeFile.fullPath(folder) == DraftConfig.service.folder
            ? (DraftConfig.service.state, "The service may write nowhere else.") : ("./state", "Relative to this file.")
    }

    /// The config's folder.
    var folder: String { path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "." }

    /// The secrets with files of their own, by their paths.
    var secrets: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for thing in [source, channel].compactMap(\.self) {
            for (name, secret) in thing.secrets { files["\(folder)/\(name)"] = Array((secret + "\n").utf8) }
        }
        return files
    }

    /// The config; a console stands in for a channel that is not known yet.
    var text: String {
        let state = state
        var lines = [
            "# Written by 'alertbot init' on \(String(written.description.prefix(10))). 'alertbot check' finds mistakes in it,",
            "# 'alertbot dry-run' shows what it would send, and 'alertbot plugins describe NAME' has all about a plugin.",
            "version: 1", "", "bot:", "  # The IANA time zone of quiet hours and of times in messages.",
            "  timezone: \(timezone.inYAML)", "  # Where the bot keeps what it must not forget. \(state.remark)",
            "  state: \(state.folder)", "  # The page with figures, incidents and messages; 'off' for none.",
            "  listen: 127.0.0.1:8480", "", "sources:",
        ]
        lines += (source?.lines ?? []).map { "  " + $0 }
        lines += ["", "rules:"] + rules.map { $0.isEmpty ? "" : "  " + $0 }
        lines += [
            "  # Uncomment to be left alone at night: what is still wrong in the morning is sent then.", "  # nights:",
            "  #   plugin: quiet_hours", "  #   between: 22:00-07:00", "  #   except: critical", "", "channels:",
        ]
        lines += (channel?.lines ?? ["console:", "  plugin: console"]).map { "  " + $0 }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The same as if it were there already, with its secrets.
    func file(_ catalog: PluginCatalog, withholdsSecrets: Bool, on machine: Machine) throws(Failure) -> ConfigFile {
        var drafts = secrets
        drafts[path] = Array(text.utf8)
        return try ConfigFile(path, catalog, on: machine, withholdsSecrets: withholdsSecrets, drafts: drafts)
    }
}

/// The first rules of a config, for what its source gives.
enum FirstRules {
    /// - Parameter seen: what a poll has brought; it tells more than a source can promise.
    static func lines(for source: any Source, seen: [Observation]) -> [String] {
        var lines: [String] = []
        if let metric = metric(of: source, seen) {
            lines += [
                "# Fires when \(metric.title) fall below these limits and there are enough figures to be sure.",
                "crash-free-floor:", "  plugin: threshold", "  metric: \(metric.name)", "  warning: \"< 99.5%\"",
                "  critical: \"< 99.0%\"",
            ]
        }
        let issues = seen.flatMap(\.issues)
        if source.givesIssues ?? !issues.isEmpty {
            let hasUsers = issues.contains { $0.users != nil } || issues.isEmpty && source.metrics != []
            lines += [
                "# Fires once for each issue that was never seen before.", "new-issue:", "  plugin: new_issue",
                "  min_users: \(hasUsers ? "10    # At least this many users must be affected." : "0    # The source does not count users.")",
            ]
        }
        if lines.isEmpty {
            lines = [
                "# It is not known yet what this source gives. 'alertbot sources probe' shows it; then write a rule for what is",
                "# worth a message:", "# floor: {plugin: threshold, metric: crash_free_users, critical: \"< 99%\"}",
            ]
        }
        return lines
    }

    /// The crash-free figure that the source has, of users where it counts them.
    private static func metric(of source: any Source, _ seen: [Observation]) -> Metric? {
        let found = Set(seen.flatMap { $0.metrics.entries.map(\.metric) })
        let given = found.isEmpty ? source.metrics : found
        guard let given else { return .crashFreeUsers }
        return [Metric.crashFreeUsers, .crashFreeSessions].first {
            given.contains($0) || $0.canBeComputed(from: given)
        }
    }
}
