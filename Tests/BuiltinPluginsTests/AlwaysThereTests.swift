import AlertCore
import BuiltinPlugins
import PluginKit
import Testing
import TimeZones

@testable import BotConfig

/// Gates that stand in every config.
@Suite struct `Gates that are always there` {
    private func gates(_ rules: String) throws -> [String] {
        let text = """
            version: 1
            sources:
              demo: {plugin: simulator}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%"}
            \(rules)
            channels:
              team: {plugin: console}
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in nil }, file: { _ throws(ConfigSurroundings.Missing) in [] }, credentialsFolder: nil,
            zones: ZoneDatabase())
        let result = Config.load(
            Array(text.utf8), folder: "/etc/bot", catalog: .builtin, surroundings: surroundings)
        #expect(result.problems.map(\.message) == [])
        return try #require(result.config).plan.gates.map(\.name)
    }

    @Test func `flapping is recognised without a rule of its own`() throws {
        #expect(try gates("") == ["flapping"])
    }

    @Test func `a rule of the plugin takes the place of the one with its defaults`() throws {
        #expect(try gates("  wobble: {plugin: flapping, changes: 6}") == ["wobble"])
    }

    @Test func `a rule that matches some takes its place for those alone`() throws {
        #expect(
            try gates("  wobble: {plugin: flapping, changes: 6, match: {app: shop-ios}}") == ["flapping", "wobble"])
        #expect(
            try gates("  flapping: {plugin: flapping, changes: 6, match: {app: shop-ios}}")
                == ["flapping-default", "flapping"])
        #expect(
            try gates(
                """
                  wobble: {plugin: flapping, changes: 6, match: {app: shop-ios}}
                  sway: {plugin: flapping, changes: 8}
                """) == ["wobble", "sway"])
    }
}
