internal import AlertCore
internal import BotConfig
internal import BuiltinPlugins
internal import PluginKit
internal import Preview
internal import TimeZones

/// A config as people write it, with these rules: the very core of the bot plays it.
func playback(rules: String) -> Playback { Playback(plan(rules: rules)) }

func plan(rules: String) -> Plan {
    let text = """
        version: 1
        sources:
          world: {plugin: file, path: world.jsonl, every: 5m, throttle: 5m}
        rules:
        \(rules.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
        routes:
          - to: [team]
        channels:
          team: {plugin: console}
          oncall: {plugin: console}
        """
    let surroundings = ConfigSurroundings(
        variable: { _ in nil },
        file: { _ throws(ConfigSurroundings.Missing) in throw ConfigSurroundings.Missing("there are no files") },
        credentialsFolder: nil, zones: ZoneDatabase())
    let result = Config.load(Array(text.utf8), folder: ".", catalog: .builtin, surroundings: surroundings)
    guard let config = result.config else { preconditionFailure("\(result.problems)") }
    return config.plan
}

/// Where the worlds' time begins: a midnight in UTC.
let worldBegin = Moment(milliseconds: 1_790_208_000_000)
