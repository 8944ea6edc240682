internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Glibc
internal import Journal
internal import PluginKit
internal import TimeZones

struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "Shows plugins and their options, and checks a plugin's folder.",
        subcommands: [PluginsListCommand.self, PluginsDescribeCommand.self, PluginsCheckCommand.self])
}

/// The options of commands that read no config.
struct OutputOptions: ParsableArguments {
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Option(name: .long, help: "Colours: auto, always or never.") var color = ColorChoice.auto
}

struct PluginsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Every plugin there is: its kind, its name, what it does.")

    @OptionGroup var output: OutputOptions

    func run() {
        let plugins = PluginCatalog.builtin.descriptions
        guard output.format == .text else {
            Output.line((["plugins": .array(plugins.map(\.summaryJSON))] as JSON).prettyText)
            return
        }
        let paint = Paint(output.color)
        let width = plugins.map(\.manifest.name.count).max() ?? 0
        let groups = PluginKind.allCases.map { kind in
            ([paint.bold(kind.rawValue + "s")]
                + plugins.filter { $0.kind == kind }.map {
                    "  " + $0.manifest.name.filled(to: width) + "  " + $0.manifest.summary
                }).joined(separator: "\n")
        }
        Output.line(groups.joined(separator: "\n\n"))
    }
}

struct PluginsDescribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe", abstract: "One plugin: its options, their defaults, an example to paste.")

    @OptionGroup var output: OutputOptions
    @Argument(help: "The plugin's name, such as threshold.") var name: String

    func run() throws {
        let all = PluginCatalog.builtin.descriptions
        guard let plugin = all.first(where: { $0.manifest.name == name }) else {
            throw Failure(noSuch: "plugin", name.tamed, known: all.map(\.manifest.name))
        }
        guard output.format == .text else {
            Output.line(plugin.json.prettyText)
            return
        }
        let paint = Paint(output.color)
        var parts = ["\(paint.bold(plugin.manifest.name)), a \(plugin.kind.rawValue)\n\(plugin.manifest.summary)"]
        parts.append(
            plugin.manifest.options.isEmpty
                ? "It has no options of its own."
                : paint.bold("Options") + "\n" + lines(plugin.manifest.options, paint))
        if !plugin.common.isEmpty {
            parts.append(
                paint.bold("Options of every \(plugin.kind.rawValue)") + "\n" + lines(plugin.common, paint))
        }
        parts.append(paint.bold("Example") + "\n" + plugin.example.indented)
        Output.line(parts.joined(separator: "\n\n"))
    }

    private func lines(_ options: [OptionSpec], _ paint: Paint) -> String {
        options.map { option in
            let kind = option.kind.words + (option.isRequired ? ", required" : "")
            let rest = option.defaultText.map { "; default: \($0)" } ?? ""
            return "  \(option.name)  \(paint.dim(kind + rest))\n      \(option.help)"
        }.joined(separator: "\n")
    }
}

struct PluginsCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Holds a plugin's folder against the plugin: its page, the examples on it, its options, its tests.",
        discussion: """
            The folder is one of the source tree, such as plugins/detectors/Threshold, and the plugin one that this alertbot has. \
            Every example on its page must be one that the config reader takes. Ends with status 1 when there is an error.
            """)

    @OptionGroup var output: OutputOptions
    @Argument(help: "The plugin's folder.") var path: String

    /// The longest page has 12 KB.
    private static let pageBytesMax = 1 << 20

    func run() throws {
        let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let page = folder + "/README.md"
        guard isFolder(folder) else { throw Failure(.impossible, "\(path.tamed) is not a folder") }
        let (plugin, problems) = try problems(folder, page)
        let isWrong = problems.contains { $0.level == .error }
        switch output.format {
        case .json:
            let report: JSON = [
                "path": .string(folder), "kind": JSON(plugin?.kind.rawValue), "name": JSON(plugin?.name),
                "problems": .array(problems.map { $0.json(file: page) }),
            ]
            Output.line(report.prettyText)
        case .text:
            let lines = (try? text(of: page))?.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
            for problem in problems { Output.error(problem.text(file: page, lines: lines ?? [])) }
            if let plugin, !isWrong {
                Output.line(
                    Paint(output.color).green("✓") + " \(plugin.kind.rawValue) \(plugin.name): its page, "
                        + "the examples on it and its options agree with the plugin")
            }
        }
        if isWrong { throw Failure(.no) }
    }

    private func problems(_ folder: String, _ path: String) throws(Failure) -> (PluginPage?, [Problem]) {
        let top = Position(line: 1, column: 1)
        var problems: [Problem] = []
        for part in ["Sources", "Tests"] where !hasSwift("\(folder)/\(part)") {
            problems.append(Problem(top, "there is no Swift file in \(part) beside it"))
        }
        guard let text = try text(of: path) else {
            return (nil, [Problem(top, "there is no such page; every plugin has one")] + problems)
        }
        guard let page = PluginPage(text, catalog: .builtin) else {
            let names = PluginCatalog.builtin.descriptions.map(\.manifest.name).sorted().joined(separator: ", ")
            return (nil, [Problem(top, "its title is the name of no plugin; known: \(names)")] + problems)
        }
        return (page, page.problems(catalog: .builtin, surroundings: PluginsCheckCommand.surroundings) + problems)
    }

    /// Secrets on a page are only mentioned, so anything of their form will do.
    private static let surroundings = ConfigSurroundings(
        variable: { name in
            name.contains("SECRET") ? "whsec_" + String(repeating: "Y", count: 32) : "https://example.com"
        },
        file: { _ throws(ConfigSurroundings.Missing) in Array("secret".utf8) }, credentialsFolder: "/",
        zones: ZoneDatabase())

    /// The page; nil when there is none.
    private func text(of path: String) throws(Failure) -> String? {
        guard access(path, F_OK) == 0 else { return nil }
        switch wholeFile(path, bytesMax: PluginsCheckCommand.pageBytesMax) {
        case .success(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .failure(let error): throw Failure(.impossible, "\(path.tamed) can not be read: \(error.sentence)")
        }
    }

    private func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private func hasSwift(_ folder: String) -> Bool {
        let names = try? FolderDisk(folder).list()
        return names?.contains { $0.hasSuffix(".swift") } ?? false
    }
}

extension String {
    /// Spaces behind it up to a width.
    fileprivate func filled(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Each line two spaces further to the right.
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }.joined(separator: "\n")
    }
}
