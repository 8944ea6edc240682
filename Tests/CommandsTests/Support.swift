internal import AlertCore
internal import BotConfig
internal import BotHarness
internal import BuiltinPlugins
internal import Commands
internal import Glibc
internal import MachineTesting
internal import PluginKit
internal import Preview
internal import SystemPorts
internal import Testing

/// A shop whose figures lie in a file, with its state in a folder of its own.
enum Shop {
    static func config(_ scratch: Scratch) -> String {
        """
        version: 1
        bot: {name: shop-alerts, timezone: Europe/Madrid, listen: off, state: \(scratch.path("state"))}
        sources:
          figures: {plugin: file, path: \(scratch.path("figures.jsonl"))}
        rules:
          floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 99%", window: 1h}
          nights: {plugin: quiet_hours, between: 22:00-07:00, except: critical}
        channels:
          ops: {plugin: console}

        """
    }

    /// The figures of one app over the hour that ends then.
    static func line(_ app: String = "shop-ios", crashed: Int, at end: String) -> ObservationLine {
        let end = Moment(rfc3339: end) ?? .earliest
        return .observed(
            Observation(
                subject: Subject(source: "figures", app: app), span: TimeSpan(lasting: .hours(1), until: end),
                seen: end,
                metrics: ["users": 10_000, "crashed_users": Double(crashed)]))
    }
}

extension ObservationLine {
    var text: String { json.text + "\n" }
}

extension Scratch {
    /// The shop's config as a command reads it, with some words changed.
    func shop(
        _ machine: Machine, replacing old: String = "", with new: String = ""
    ) throws -> ConfigFile {
        let text = Shop.config(self)
        try write("config.yaml", old.isEmpty ? text : text.replacing(old, with: new))
        return try ConfigFile(path("config.yaml"), .builtin, on: machine)
    }

    /// Writes files of a recording.
    func record(_ files: KeyValuePairs<String, [ObservationLine]>) throws {
        try makeFolder("state/observations")
        for (name, lines) in files {
            try write("state/observations/\(name).jsonl", lines.map(\.text).joined())
        }
    }
}

extension StagedMachine {
    /// A terminal that takes nothing.
    static func full() throws -> Terminal {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        return Terminal(
            output: descriptor, errors: descriptor, variables: Variables([:]), clock: StagedClock(at: .earliest))
    }
}

/// What a preview has decided: when, for which channel, of what kind and how.
func decisions(_ preview: Preview) -> [String] {
    preview.decisions.map { "\($0.at) \($0.channel) \($0.kind.rawValue) \($0.decision.name)" }
}

extension Moment {
    /// An instant of 20 November 2026.
    static func at(_ time: String) -> Moment { Moment(rfc3339: "2026-11-20T\(time):00Z") ?? .earliest }
}
