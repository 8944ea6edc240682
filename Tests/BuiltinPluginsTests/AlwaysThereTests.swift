import BotConfig
import BuiltinPlugins
import FlappingGate
import PluginKit
import Testing

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
        let result = load(text)
        #expect(result.problems.map(\.message) == [])
        return try #require(result.config).plan.gates.map(\.name)
    }

    @Test func `flapping is recognised without a rule of its own`() throws {
        #expect(try gates("") == ["flapping"])
    }

    @Test func `a rule of the plugin takes the place of the one with its defaults`() throws {
        #expect(try gates("  wobble: {plugin: flapping, changes: 6}") == ["wobble"])
    }
}
