internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import PluginKit
internal import SystemPorts

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Prints the JSON Schema of config.yaml, for editors.",
        discussion: """
            Save it to a file, and name that file in the config's first line: '# yaml-language-server: $schema=FILE'. \
            Then the editor knows every key, its grammar and its default. It prints JSON whatever --format says.
            """)

    @OptionGroup var output: OutputOptions

    func run() throws { try machine.terminal.line(ConfigSchema(.builtin).json.prettyText) }
}
