import BotConfig
import BuiltinPlugins
import Foundation
import PluginKit
import Testing
import TimeZones

/// The page of a rule: its folder's README.
struct RulePage: Sendable, CustomTestStringConvertible {
    let folder: String
    let text: String

    var testDescription: String { folder }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static var all: [RulePage] {
        get throws {
            try ["detectors", "gates"].flatMap { kind in
                let rules = root.appending(path: "plugins/\(kind)").path
                return try FileManager.default.contentsOfDirectory(atPath: rules).sorted().map { folder in
                    RulePage(folder: folder, text: try read("plugins/\(kind)/\(folder)/README.md"))
                }
            }
        }
    }

    /// The fenced blocks of a text with what is written behind the fence.
    static func blocks(of text: String) -> [(language: String, lines: [Substring])] {
        var blocks: [(String, [Substring])] = []
        var open: (language: String, lines: [Substring])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let block = open { blocks.append(block) }
                open = open == nil ? (String(line.dropFirst(3)), []) : nil
            } else {
                open?.lines.append(line)
            }
        }
        return blocks
    }

    /// The rules that the page shows, each as the section of a config.
    var configs: [String] {
        RulePage.blocks(of: text).filter { $0.language == "yaml" }.map { block in
            let section = block.lines.joined(separator: "\n")
            return section.hasPrefix("rules:") ? section : "rules:\n" + section
        }
    }

    /// What is below a heading, up to the next one.
    func section(_ title: String) -> String? {
        guard let begin = text.range(of: "\n## \(title)\n") else { return nil }
        let rest = text[begin.upperBound...]
        return String(rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)])
    }
}

@Suite struct `The pages of the rules` {
    private func problems(of text: String) -> [String] {
        let surroundings = ConfigSurroundings(
            // A secret that may stand for a token and for an address.
            variable: { _ in "https://hooks.slack.com/services/T0/B0/x" },
            file: { path throws(ConfigSurroundings.Missing) in
                guard path.hasSuffix(".ics") else { throw ConfigSurroundings.Missing("there are no such files") }
                return Array("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261225\nEND:VEVENT\nEND:VCALENDAR\n".utf8)
            },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(text.utf8), folder: ".", catalog: .builtin, surroundings: surroundings)
        return result.problems.map { "\($0.position.line):\($0.position.column): \($0.message)" }
    }

    @Test(arguments: try RulePage.all)
    func `every config on them is one that the bot takes`(_ page: RulePage) throws {
        #expect(!page.configs.isEmpty)
        for rules in page.configs {
            let config = """
                version: 1
                sources:
                  ios: {plugin: file, path: ios.jsonl}
                channels:
                  team: {plugin: console}
                  oncall: {plugin: console}

                """
            #expect(problems(of: config + rules) == [], "\(rules)")
        }
    }

    @Test(arguments: try RulePage.all)
    func `each begins with a config, has a drawing, and measured figures with what prints them`(
        _ page: RulePage
    ) throws {
        let blocks = RulePage.blocks(of: page.text)
        #expect(blocks.first?.language == "yaml")
        let drawings = blocks.filter { $0.language.isEmpty }.map { $0.lines.joined() }
        #expect(drawings.contains { $0.contains { "─│░".contains($0) } })
        let measured = try #require(page.section("Measured"))
        let isOfBenchmark = measured.contains("scripts/bench signal") && measured.contains("seed 1")
        #expect(isOfBenchmark || measured.contains("among this plugin's tests"))
    }

    @Test func `there is one for every rule, and each names all its options`() throws {
        let pages = try RulePage.all
        let manifests =
            PluginCatalog.builtin.detectors.map { $0.manifest } + PluginCatalog.builtin.gates.map { $0.manifest }
        for manifest in manifests {
            let page = try #require(pages.first { $0.text.hasPrefix("# \(manifest.name)\n") }, "\(manifest.name)")
            for option in manifest.options {
                #expect(page.text.contains("`\(option.name)`"), "\(manifest.name): \(option.name)")
            }
        }
        #expect(pages.count == manifests.count)
    }
}
