internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import PluginKit

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Prints the JSON Schema of config.yaml, for editors.",
        discussion: """
            Write it into a file, and name that in the config's first line: '# yaml-language-server: $schema=FILE'. Then the \
            editor knows every key, its grammar and its default.
            """)

    // There is only JSON to print; the option is there because every command has it.
    @Option(name: .long, help: "json.") var format = JSONOnly.json

    enum JSONOnly: String, ExpressibleByArgument, CaseIterable, Sendable { case json }

    func run() { Output.line(ConfigSchema(.builtin).json.prettyText) }
}
