internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Commands
internal import PluginKit
internal import SystemPorts

struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "Shows plugins and their options, and checks a plugin's folder.",
        subcommands: [PluginsListCommand.self, PluginsDescribeCommand.self, PluginsCheckCommand.self])
}

struct PluginsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists every plugin: its kind, its name, what it does.")

    @OptionGroup var output: OutputOptions

    func run() throws {
        let plugins = PluginCatalog.builtin.descriptions
        switch output.format {
        case .json:
            try machine.terminal.line((["plugins": .array(plugins.map(\.summaryJSON))] as JSON).prettyText)
        case .text: try machine.terminal.line(PluginText(output.paint).list(plugins))
        }
    }
}

struct PluginsDescribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe", abstract: "Shows one plugin: its options, their defaults, an example to paste.")

    @OptionGroup var output: OutputOptions
    @Argument(help: "The plugin's name, such as threshold.", completion: Names.ofPlugins) var name: String

    func run() throws {
        let all = PluginCatalog.builtin.descriptions
        guard let plugin = all.first(where: { $0.manifest.name == name }) else {
            throw Failure(noSuch: "plugin", name, known: all.map(\.manifest.name))
        }
        switch output.format {
        case .json: try machine.terminal.line(plugin.json.prettyText)
        case .text: try machine.terminal.line(PluginText(output.paint).description(of: plugin))
        }
    }
}

struct PluginsCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a plugin's folder against the plugin: its page, the examples on it, its options, its tests.",
        discussion: """
            The folder is one of the source tree, such as plugins/detectors/Threshold, and the plugin one that this \
            alertbot has. Every example on its page must be one that the config reader accepts. Exits with status 1 when \
            there is an error.
            """)

    @OptionGroup var output: OutputOptions
    @Argument(help: "The plugin's folder.", completion: .directory) var path: String

    func run() throws {
        let folder = try PluginFolder(path, catalog: .builtin)
        switch output.format {
        case .json: try machine.terminal.line(folder.json.prettyText)
        case .text: try folder.print(output.paint, on: machine.terminal)
        }
        if !folder.isFine { throw Failure(.no) }
    }
}
