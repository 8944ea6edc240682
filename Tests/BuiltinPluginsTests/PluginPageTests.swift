import BotConfig
import BuiltinPlugins
import Foundation
import PluginKit
import Testing
import TimeZones

/// The pages of all plugins: their folders' READMEs.
enum PluginPages {
    static let paths: [String] = ["sources", "detectors", "gates", "channels"].flatMap { kind in
        let folder = root.appending(path: "plugins/\(kind)").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { "plugins/\(kind)/\($0)/README.md" }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(of plugin: String) throws -> String {
        for path in paths {
            let text = try RulePage.read(path)
            if text.lowercased().hasPrefix("# \(plugin)\n") { return text }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}

private let surroundings = ConfigSurroundings(
    variable: { _ in nil }, file: { _ throws(ConfigSurroundings.Missing) in [] }, credentialsFolder: "/",
    zones: ZoneDatabase(), withholdsSecrets: true)

@Suite struct `Pages of plugins` {
    @Test(arguments: PluginPages.paths)
    func `every one agrees with its plugin`(path: String) throws {
        let page = try #require(PluginPage(try RulePage.read(path), catalog: .builtin))
        #expect(page.problems(catalog: .builtin, surroundings: surroundings).map(\.message) == [])
    }

    @Test func `there is one for every plugin`() {
        #expect(PluginPages.paths.count == PluginCatalog.builtin.descriptions.count)
    }

    @Test(arguments: PluginCatalog.builtin.descriptions)
    func `the example of a manifest can be pasted`(_ plugin: PluginDescription) {
        let found = Config.problems(
            inFragment: Array(plugin.example.utf8), catalog: .builtin, surroundings: surroundings)
        #expect(found.map(\.message) == [], "\(plugin.example)")
    }

    @Test(arguments: PluginCatalog.builtin.descriptions)
    func `where a credential comes from is said as on the page`(_ plugin: PluginDescription) throws {
        let manifest = plugin.manifest
        let needsSecret = manifest.options.contains { $0.isRequired && $0.isSecret }
        #expect(
            !needsSecret || !manifest.access.isEmpty, "\(manifest.name) does not say where its credential comes from")
        let page = try PluginPages.text(of: manifest.name).split(separator: "\n").map { line in
            // Of a list of steps the numbers do not belong to the sentences.
            line.trimmingPrefix(#/\s*\d+\. /#).trimmingCharacters(in: .whitespaces)
        }.joined(separator: " ").replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.output.1 }
            .replacing(#/<(https?:[^>]*)>/#) { $0.output.1 }.filter { !"*`".contains($0) }
        for sentence in manifest.access.replacing(". ", with: ".\n").split(separator: "\n") {
            let words = sentence.hasSuffix(".") ? sentence.dropLast() : sentence
            #expect(page.contains(words), "\(manifest.name): '\(words)' is not on its page")
        }
    }

    @Test(arguments: PluginCatalog.builtin.descriptions.filter { $0.kind == .source && $0.manifest.isConnected })
    func `a source that asks a service says what a poll costs and how late it is`(_ plugin: PluginDescription) throws {
        let page = try PluginPages.text(of: plugin.manifest.name)
        #expect(page.contains("\n**How many requests is a poll?** "))
        #expect(page.contains("\n**How late is it?** ") || page.contains("\n**How late are the figures?** "))
    }

    private static let whole = """
        # flapping

        ```yaml
        rules:
          wobble:
            plugin: flapping
            changes: 4
        ```

        ```
        ─╮╭─
         ╰╯
        ```

        | option | default | what it does |
        | --- | --- | --- |
        | `changes` | `4` | |
        | `within` | `1h` | |
        | `calm` | `30m`, or so | |
        | `except` | nothing passes | |

        ## Measured

        Of 12 messages one was left.
        """

    @Test(arguments: [
        ("plugin: flapping", "plugin: flaping", [(6, "error"), (1, "error")]),
        ("plugin: flapping", "plugin: repeat\n    every: 1h", [(8, "error"), (1, "error")]),
        ("changes: 4", "chnages: 4", [(7, "error")]), ("changes: 4", "changes: many", [(7, "error")]),
        ("`calm`", "calm", [(1, "error")]), ("`4`", "`5`", [(17, "error")]), ("`4`", "4", [(17, "error")]),
        ("`1h`", "", [(18, "error")]), ("`30m`", "`30min`", [(19, "error")]),
        ("nothing passes", "`critical`", [(20, "error")]), ("```\n─", "```text\n─", [(1, "warning")]),
        ("12 messages one", "some messages one", [(1, "warning")]), ("## Measured", "## Found", [(1, "warning")]),
        ("```yaml\nrules:\n", "```yaml\n", []),
    ])
    func `what is wrong with one is reported with its place`(
        part: String, other: String, expected: [(line: Int, level: String)]
    ) throws {
        let text = Self.whole.replacing(part, with: other)
        #expect(text != Self.whole)
        let page = try #require(PluginPage(text, catalog: .builtin))
        let found = page.problems(catalog: .builtin, surroundings: surroundings)
        let places = found.map { "\($0.position.line) \($0.level.rawValue)" }.sorted()
        #expect(places == expected.map { "\($0.line) \($0.level)" }.sorted(), "\(found.map(\.message))")
    }

    @Test func `a page about something else is no page of a plugin`() {
        #expect(PluginPage("# alertbot\n", catalog: .builtin) == nil)
        #expect(PluginPage("", catalog: .builtin) == nil)
    }
}
