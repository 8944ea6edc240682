import BuiltinPlugins
import ChatKit
import Foundation
import IssueKit
import PluginKit
import SourceKit
import Testing
import TimeZones
import YAMLKit

@testable import BotConfig

/// Every setting there is: of the plugins, of all plugins of a kind, and of the bot.
private let everySetting: [(owner: String, spec: OptionSpec)] =
    PluginCatalog.builtin.descriptions.flatMap { plugin in
        (plugin.manifest.options + plugin.common).map { (plugin.manifest.name, $0) }
    } + (BotSettings.declared + PollingSettings.ofAll).map { ("the bot", $0.spec) }
    + [PollingSettings.factor.spec, PollingSettings.when.spec].map { ("backoff", $0) }

@Suite struct `Defaults of settings` {
    @Test func `are read back, as they are shown, to the very values that hold without them`() throws {
        let surroundings = ConfigSurroundings(
            variable: { _ in nil }, file: { _ throws(ConfigSurroundings.Missing) in [] }, credentialsFolder: nil,
            zones: ZoneDatabase())
        var count = 0
        for (owner, spec) in everySetting {
            guard let text = spec.writtenDefault else { continue }
            let node = try #require(YAML.parse(Array(text.utf8)).root, "\(owner).\(spec.name)")
            var reader = ConfigReader(
                secrets: SecretReading(surroundings: surroundings, folder: "."), surroundings: surroundings,
                catalog: .builtin)
            let option = reader.option(node, spec.name, spec.kind)
            #expect(reader.problems == [], "\(owner).\(spec.name): \(text)")
            #expect(option?.value.bare == spec.defaultValue?.bare, "\(owner).\(spec.name): \(text)")
            count += 1
        }
        // Four kinds of thing, each with many: a test that looks at none proves nothing.
        #expect(count > 80)
    }

    /// A default behind a reading would be a second one beside the declaration's.
    @Test func `stand nowhere but in their declarations`() throws {
        let reading = try Regex(
            // A setting in brackets, whatever is done with the value, and then something that is there before any
            // config.
            #"(\[[A-Z]\w*\.\w+\]|\[\.\w+\]|\boptions\[\w+\]|\.written\([\w.]+\))(\??\.\w+(\([^()]*\))?)*\s*\?\?\s*"#
                + #"(-?[0-9"\[]|true\b|false\b|\.[a-z]|[A-Z]\w*[.(])[^\n]*"#)
        #expect("x = options[Self.count] ?? 3".contains(reading))
        #expect("x = options[.place]?.moment(in: zone)\n    ?? .distant".contains(reading))
        #expect("x = options[span] ?? Duration.zero".contains(reading))
        #expect(!"x = options[Self.span] ?? every".contains(reading))
        for path in try Self.sources() {
            let text = try RulePage.read(path).split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }.joined(separator: "\n")
            for match in text.matches(of: reading) {
                let line = text[match.range]
                guard !Self.known.contains(where: line.contains) else { continue }
                Issue.record("\(path) has a default behind a reading: \(line)")
            }
        }
    }

    /// One that is declared and not listed is unknown to the config reader.
    @Test(arguments: PluginPages.paths)
    func `are of settings that the plugin lists in its manifest`(path: String) throws {
        let plugin = try #require(PluginPage(try RulePage.read(path), catalog: .builtin))
        let manifest = PluginCatalog.builtin.descriptions.first { $0.manifest.name == plugin.name }?.manifest
        let listed = try #require(manifest).options.map(\.name)
        let declaration = try Regex(#"Setting\(\s*"([a-z_]+)""#, as: (Substring, Substring).self)
        let folder = path.replacing("/README.md", with: "/Sources/")
        let declared = try Self.sources().filter { $0.hasPrefix(folder) }.flatMap { path in
            try RulePage.read(path).matches(of: declaration).map { String($0.output.1) }
        }
        // Sections list their own.
        let inside = try #require(manifest).options.flatMap { option -> [String] in
            if case .section(let specs) = option.kind { specs.map(\.name) } else { [] }
        }
        #expect(Set(declared).subtracting(listed + inside) == [])
        // All but those that plugins share.
        let shared =
            (IssueNews.settings + ChatWebhook.settings).map(\.spec)
            + [Mentions.setting.spec, Setting.chart.spec, ServiceAccount.setting.spec]
            + [Setting.except.spec, Setting.holdTime.spec]
        #expect(Set(listed).subtracting(declared).subtracting(shared.map(\.name)) == [])
    }

    /// What is to be done is advice; people are asked "did you mean …?" only of what is near to what they wrote.
    @Test func `no suggestion is the same whatever was written`() throws {
        let fixed = try Regex(#"suggestion: "([^"\\]|\\[^(])*""#)
        #expect(#"suggestion: "use \"it\"""#.contains(fixed))
        #expect(!#"suggestion: "${env:\(name)}""#.contains(fixed))
        for path in try Self.sources() {
            let text = try RulePage.read(path)
            #expect(!text.contains(fixed), "\(path)")
        }
    }

    /// These are none: the beginning of time, which no instant in a config says, and what the queries themselves say.
    private static let known = ["?? .earliest", "?? PromQuery.commonRange(of: queries)"]

    private static func sources() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folders = ["plugins", "Sources/Shell/BotConfig", "Sources/Kit/PluginKit"]
        let paths = folders.flatMap { folder in
            (FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.allObjects as? [String] ?? [])
                .filter { $0.hasSuffix(".swift") && !$0.contains("Tests/") }.map { "\(folder)/\($0)" }
        }
        #expect(paths.count > 80)
        return paths
    }

    /// The guide's tables, `| key | default | meaning |`, by their headings.
    private static let guide: [String: [String: String]] = {
        var sections: [String: [String: String]] = [:]
        var section = ""
        for line in (try? RulePage.read("docs/guide/configuration.md"))?.split(separator: "\n") ?? [] {
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { String($0).trimmed }
            guard cells.count == 5, cells[1].hasPrefix("`") else { continue }
            sections[section, default: [:]][cells[1].replacing("`", with: "")] = cells[2].replacing("`", with: "")
        }
        return sections
    }()

    private func defaults(_ settings: [any SettingDeclaration]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: settings.map { ($0.name, $0.spec.writtenDefault ?? "") })
    }

    @Test func `are those of the guide`() {
        // Phrases are no setting like the others: a file, or a mapping.
        let bot = defaults(BotSettings.declared).merging([BotSettings.words: ""]) { $1 }
        #expect(Self.guide["bot"] == bot)
        var polling = defaults(PollingSettings.ofAll)
        let backoff = [PollingSettings.factor.spec, PollingSettings.when.spec]
        polling["backoff"] =
            "{" + backoff.map { "\($0.name): \($0.writtenDefault ?? "")" }.joined(separator: ", ") + "}"
        #expect(Self.guide["polling"] == polling)
    }
}

extension Option.Value {
    /// The value without the places at which it stands.
    fileprivate var bare: String {
        switch self {
        case .list(let elements): "\(elements.map(\.value.bare))"
        // A set has no order.
        case .days(let days): days.grammar
        default: "\(self)"
        }
    }
}
