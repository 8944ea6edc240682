import BotConfig
import BuiltinPlugins
import PluginKit
import Testing
import TimeZones
import YAMLKit

@Suite struct `The schema of config.yaml` {
    private static let schema = ConfigSchema(.builtin).json

    private func complaints(_ yaml: String) throws -> [String] {
        let root = try #require(YAML.parse(Array(yaml.utf8)).root)
        return try SchemaCheck(root: Self.schema).complaints(JSON(root))
    }

    private func problems(_ yaml: String) -> [String] {
        let surroundings = ConfigSurroundings(
            variable: { _ in "https://example.com/x" },
            file: { _ throws(ConfigSurroundings.Missing) in Array("x".utf8) }, credentialsFolder: "/",
            zones: ZoneDatabase())
        return Config.load(Array(yaml.utf8), folder: ".", catalog: .builtin, surroundings: surroundings)
            .problems.map(\.message)
    }

    @Test(arguments: ["config.yaml", "docs/samples/config.yaml"])
    func `takes the configs of the project`(path: String) throws {
        #expect(try complaints(RulePage.read(path)) == [])
    }

    @Test func `takes the first config of the README`() throws {
        let page = RulePage.blocks(of: try RulePage.read("README.md")).first { $0.language == "yaml" }
        #expect(try complaints(try #require(page).lines.joined(separator: "\n")) == [])
    }

    @Test(arguments: PluginCatalog.builtin.descriptions)
    func `takes every config on the plugins' pages`(_ plugin: PluginDescription) throws {
        let text = try PluginPages.text(of: plugin.manifest.name)
        let blocks = RulePage.blocks(of: text).filter { $0.language == "yaml" }
        #expect(!blocks.isEmpty)
        for block in blocks where !block.lines.contains(where: { $0.hasPrefix("    map:") }) {
            let section = block.lines.joined(separator: "\n")
            var config = section.hasPrefix("  ") ? plugin.kind.section + ":\n" + section : section
            if !config.contains("sources:") { config += "\nsources: {ios: {plugin: file, path: ios.jsonl}}" }
            if !config.contains("channels:") { config += "\nchannels: {team: {plugin: console}}" }
            #expect(try complaints(config) == [], "\(section)")
        }
    }

    private static let begin = """
        version: 1
        sources: {ios: {plugin: file, path: ios.jsonl}}
        channels: {team: {plugin: console}}

        """

    /// Values of every kind that the config reader takes, in the forms that people write.
    @Test(arguments: [
        "bot: {name: 42, timezone: Europe/Madrid, listen: off, shutdown_grace: 0, report_to: team}",
        "bot: {words: {number.thousands: \"\", number.decimal: \",\"}}", "bot:\npolling:\nrules:\nroutes:",
        "bot: {state: \"./${env:NAME}\", heartbeat: HTTPS://hc.example.com/ping}",
        "polling: {every: 1h30m, throttle: 30s, slowest: 2d, jitter: 0%, concurrency: \"8\", backoff: {factor: 1.5}}",
        "polling: {backoff: {when: failing}}",
        "rules: {r: {plugin: threshold, metric: users, warning: \"> 1e3\", match: {app: [shop-*, 7], team: checkout}}}",
        "rules: {r: {plugin: threshold, metric: anr_rate, warning: \">= 0.47 %\", confidence: off, min_volume: 0}}",
        "rules: {r: {plugin: threshold, metric: crash_free_users, warning: \"<99%\", recover: 0, repeat: off}}",
        "rules: {r: {plugin: drop, by: 0.5 pp, false_alarms: 1 per 90d, repeat: 1h}}",
        "rules: {r: {plugin: quiet_hours, days: \"Mon-FRI, sun\", between: 7:00 - 24:00}}",
        "rules: {r: {plugin: mute, from: 2026-12-24T09:00:00+01:00, until: 2027-01-02 09:00}}",
        "rules: {r: {plugin: mute, until: \"${file:until}\"}}",
        "routes: [{match: {severity: critical}, to: team, continue: true}, {to: [team]}]",
    ])
    func `takes what the reader takes`(text: String) throws {
        let config = Self.begin + text
        // The secret is no instant; that a secret stands there is all that an editor can know.
        if !text.contains("${file") { #expect(problems(config) == []) }
        #expect(try complaints(config) == [])
    }

    /// What an editor can find without knowing what it means.
    @Test(arguments: [
        "bott: {name: x}", "bot: {words: {number.decimal: \"\"}}",
        "bot: {nmae: x}", "polling: {every: 5}", "polling: {every: 5 minutes}",
        "polling: {concurrency: 0}", "polling: {backoff: {when: [failng]}}",
        "rules: {r: {plugin: treshold, metric: users}}", "rules: {r: {metric: users}}",
        "rules: {\"a b\": {plugin: drop}}",
        "rules: {r: {plugin: threshold, metric: users, windw: 1h}}",
        "rules: {r: {plugin: threshold, metric: users, critical: 99%}}",
        "rules: {r: {plugin: threshold, metric: users, repeat: never}}", "rules: {r: {plugin: drop, by: 0.5%}}",
        "rules: {r: {plugin: quiet_hours, between: 22-7}}", "rules: {r: {plugin: quiet_hours, days: monday}}",
        "rules: {r: {plugin: mute}}", "rules: {r: {plugin: mute, until: tomorrow}}",
        "rules: {r: {plugin: budget, at_most: 10/h}}", "rules: {r: {plugin: drop, match: {app: []}}}",
        "routes: [{match: {app: x}}]", "routes: [{to: [team], continue: 1}]", "plugins: [{path: x}]",
    ])
    func `refuses what the reader refuses`(text: String) throws {
        let config = Self.begin + text
        #expect(problems(config) != [], "the reader takes it")
        #expect(try complaints(config) != [])
    }

    @Test(arguments: [
        "channels: {team: {plugin: console}}", "sources: {}\nchannels: {team: {plugin: console}}",
        "version: 2\nsources: {ios: {plugin: file, path: ios.jsonl}}\nchannels: {team: {plugin: console}}",
    ])
    func `refuses a config without sources, or of another version`(text: String) throws {
        #expect(problems(text) != [])
        #expect(try complaints(text) != [])
    }

    @Test func `has every option of every plugin with its help and its default`() throws {
        for plugin in PluginCatalog.builtin.descriptions {
            let word = plugin.kind.section.dropLast()
            let definition = try #require(Self.schema["$defs"]?["\(word).\(plugin.manifest.name)"])
            let names = definition["properties"]?.object?.members.map(\.name) ?? []
            #expect(names.sorted() == (["plugin"] + (plugin.manifest.options + plugin.common).map(\.name)).sorted())
            for option in plugin.manifest.options {
                let description = definition["properties"]?[option.name]?["description"]?.string ?? ""
                #expect(description.hasPrefix(option.help))
                if let text = option.defaultText { #expect(description.hasSuffix(" Default: \(text).")) }
            }
        }
    }
}
