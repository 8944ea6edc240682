public import BotConfig
internal import Glibc
public import Pictures
public import PluginKit
public import SystemPorts

/// A plugin's folder of the source tree, held against the plugin: its page, the examples on it, its options, its tests.
public struct PluginFolder {
    private let folder: String
    private let page: String
    private let lines: [String]
    private let plugin: PluginPage?
    private let problems: [Problem]

    /// The longest page has 12 KB.
    private static let pageBytesMax = 1 << 20

    public init(_ path: String, catalog: PluginCatalog) throws(Failure) {
        folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        page = folder + "/README.md"
        guard PluginFolder.isFolder(folder) else { throw Failure(.impossible, "\(path.tamed) is not a folder") }
        let text = try PluginFolder.text(of: page)
        lines = text?.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init) ?? []
        let missing = ["Sources", "Tests"].filter { [folder] in !PluginFolder.hasSwift("\(folder)/\($0)") }
            .map { Problem(PluginFolder.top, "there is no Swift file in \($0) beside it") }
        plugin = text.flatMap { PluginPage($0, catalog: catalog) }
        if let plugin {
            problems = plugin.problems(catalog: catalog, surroundings: PluginFolder.surroundings) + missing
        } else if text == nil {
            problems = [Problem(PluginFolder.top, "there is no such page; every plugin has one")] + missing
        } else {
            let names = catalog.descriptions.map(\.manifest.name).sorted().joined(separator: ", ")
            problems =
                [Problem(PluginFolder.top, "its title is the name of no plugin; known: \(names)")] + missing
        }
    }

    private static let top = Position(line: 1, column: 1)

    /// Whether there is no error; warnings do not count.
    public var isFine: Bool { !problems.contains { $0.level == .error } }

    public var json: JSON {
        [
            "path": .string(folder), "kind": JSON(plugin?.kind.rawValue), "name": JSON(plugin?.name),
            "problems": .array(problems.map { $0.json(file: page) }),
        ]
    }

    /// For people.
    public func print(_ paint: Paint, on terminal: Terminal) throws(Failure) {
        for problem in problems { terminal.error(problem.text(file: page, lines: lines)) }
        guard let plugin, isFine else { return }
        try terminal.line(
            paint.green("✓") + " \(plugin.kind.rawValue) \(plugin.name): its page, "
                + "the examples on it and its options agree with the plugin")
    }

    /// Secrets on a page are only mentioned.
    private static let surroundings = ConfigSurroundings(
        variable: { _ in nil }, file: { _ throws(ConfigSurroundings.Missing) in [] }, credentialsFolder: "/",
        zones: ZoneDatabase(), withholdsSecrets: true)

    /// The page; nil when there is none.
    private static func text(of path: String) throws(Failure) -> String? {
        guard access(path, F_OK) == 0 else { return nil }
        do throws(FileError) {
            return String(decoding: try WholeFile.read(path, bytesMax: pageBytesMax), as: UTF8.self)
        } catch {
            throw Failure(.impossible, "\(path.tamed) cannot be read: \(error.reason)")
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func hasSwift(_ folder: String) -> Bool {
        FolderNames.visible(in: folder).contains { $0.hasSuffix(".swift") }
    }
}
