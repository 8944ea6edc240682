import BotConfig
import BuiltinPlugins
import PluginKit
import Testing
import TimeZones

/// What follows from a mistake that has been told is not told, too.
@Suite struct `Mistakes in options of plugins` {
    @Test(arguments: [
        ("app: \"${env:APPX}\", map: {users: $.u}", "the environment variable APPX is not set"),
        ("map: {users: $.u, app: [$.a]}", "'map.app' must be a single value, not a list"),
        (
            "map: {users: $.u, app: $.a}, max_age: 1h, measured: {path: $.t}",
            "'measured' must be a single value, not a mapping"
        ),
    ])
    func `are told once`(options: String, message: String) {
        let result = Config.load(
            Array(
                """
                sources: {ios: {plugin: http_json, url: "https://h.example.com", \(options)}}
                channels: {team: {plugin: console}}
                """.utf8), folder: "/", catalog: .builtin,
            surroundings: ConfigSurroundings(
                variable: { _ in nil },
                file: { _ throws(ConfigSurroundings.Missing) in
                    throw ConfigSurroundings.Missing("there is no such file")
                },
                credentialsFolder: nil, zones: ZoneDatabase()))
        #expect(result.problems.filter { $0.level == .error }.map(\.message) == [message])
    }

    @Test func `suggest nothing where a secret would be a part of it`() throws {
        let result = Config.load(
            Array(
                """
                sources: {ios: {plugin: http_json, url: "https://h.example.com", map: {users: $.u, app: $.a}}}
                rules: {floor: {plugin: threshold, metric: crash_free_users, warning: "${env:LIM}"}}
                channels: {team: {plugin: console}}
                """.utf8), folder: "/", catalog: .builtin,
            surroundings: ConfigSurroundings(
                variable: { _ in "< 99.5" },
                file: { _ throws(ConfigSurroundings.Missing) in
                    throw ConfigSurroundings.Missing("there is no such file")
                },
                credentialsFolder: nil, zones: ZoneDatabase()))
        let problem = try #require(result.problems.first { $0.message.contains("'***' has no unit") })
        #expect(problem.suggestion == nil)
    }
}
