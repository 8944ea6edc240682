import BotConfig
import BotHarness
import BuiltinPlugins
import PluginKit
import RuleTests
import Testing
import TimeZones

/// Every block of YAML on every page is read by the bot's own reader.
@Suite struct `Configs on the pages` {
    /// Blocks that are not for the bot, each by its page and its first key, and why.
    private static let notForTheBot = [
        ("docs/guide/metrics.md", "scrape_configs", "Prometheus reads it; scripts/check-deploy has one scrape a bot"),
        ("docs/guide/words.md", "link.acknowledge", "words; the block above names the file, so they are read with it"),
        ("CONTRIBUTING.md", "version", "of a plugin that the page writes; scripts/walk reads it"),
    ]

    private static let sections = ["version", "bot", "polling", "sources", "rules", "channels", "routes", "include"]

    @Test(arguments: Page.all.filter { page in page.blocks.contains { $0.language == "yaml" } })
    func `every one is one that the bot takes`(_ page: Page) throws {
        for block in page.blocks where block.language == "yaml" {
            let yaml = Excerpt(block.text)
            let first = try #require(yaml.keys.first, "\(page.path):\(block.line): there is nothing in it")
            if Self.notForTheBot.contains(where: { $0.0 == page.path && $0.1 == first }) { continue }
            let found: [Problem]
            if yaml.keys.contains("version"), yaml.keys.count > 1 {
                found = whole(block.text, on: page)
            } else if yaml.keys.contains("tests") {
                found = tests(block.text, on: page)
            } else if yaml.isOfSections {
                found = fragment(block.text, on: page)
            } else {
                // A part of the example above it, or one more thing in its section.
                let example = try #require(
                    page.blocks.last {
                        $0.language == "yaml" && $0.line < block.line && Excerpt($0.text).isOfSections
                    }, "\(page.path):\(block.line): there is no example above it")
                let merged =
                    yaml.indent == 2
                    ? "\(Excerpt(example.text).keys.first ?? "rules"):\n\(block.text)" : yaml.merged(into: example.text)
                found = merged.contains("\ntests:") ? tests(merged, on: page) : fragment(merged, on: page)
            }
            #expect(found.map(\.message) == [], "\(page.path):\(block.line)")
        }
    }

    @Test func `what is not for the bot is still there`() {
        for (path, key, _) in Self.notForTheBot {
            let blocks = Page.all.first { $0.path == path }?.blocks ?? []
            #expect(blocks.contains { $0.language == "yaml" && Excerpt($0.text).keys.first == key }, "\(path)")
        }
    }

    private func whole(_ text: String, on page: Page) -> [Problem] {
        Config.load(Array(text.utf8), folder: ".", catalog: .builtin, surroundings: surroundings(of: page)).problems
    }

    /// Where sources stand beside the rules on them, all the rest is added, so that each can be held against the others.
    private func fragment(_ text: String, on page: Page) -> [Problem] {
        let keys = Excerpt(text).keys
        if keys.contains("sources") {
            let channels = "channels: {team: {plugin: inbox}, oncall: {plugin: inbox}, ops: {plugin: inbox}}\n"
            return whole("version: 1\n" + text + (keys.contains("channels") ? "" : channels), on: page)
        }
        return Config.problems(inFragment: Array(text.utf8), catalog: .builtin, surroundings: surroundings(of: page))
    }

    /// Tests of rules, with the config that the page shows.
    private func tests(_ text: String, on page: Page) -> [Problem] {
        let written = Array((page.files["config.yaml"] ?? "").utf8)
        let loaded = Config.load(written, folder: ".", catalog: .builtin, surroundings: surroundings(of: page))
        guard let config = loaded.config else { return loaded.problems }
        // Files beside a test are not shown; each is taken to have a line.
        let line =
            #"{"source":"ios","app":"shop-ios","from":"2026-11-20T12:00:00Z","to":"2026-11-20T12:05:00Z","#
            + #""seen":"2026-11-20T12:05:00Z","metrics":{"users":5000,"crashed_users":90}}"#
        return RuleTestDocument(Array(text.utf8)).tests(for: config) { _ in .success(Array(line.utf8)) }.problems
    }

    /// Files are those that the page shows; secrets need not be there.
    private func surroundings(of page: Page) -> ConfigSurroundings {
        let files = page.files
        return ConfigSurroundings(
            variable: { _ in nil },
            file: { path throws(ConfigSurroundings.Missing) in
                guard let text = files[path.hasPrefix("./") ? String(path.dropFirst(2)) : path] else {
                    throw ConfigSurroundings.Missing("the page shows no file \(path)")
                }
                return Array(text.utf8)
            },
            credentialsFolder: "/", zones: ZoneDatabase(), withholdsSecrets: true)
    }
}

/// A block of YAML, as far as its indentation tells.
private struct Excerpt {
    private let lines: [Substring]
    /// Of its outermost keys.
    let indent: Int
    /// Its outermost keys.
    let keys: [String]

    /// Whether it is a config or tests of one, or a part of them that may stand by itself.
    var isOfSections: Bool { indent == 0 && keys.allSatisfy(Excerpt.sections.contains) }

    private static let sections = [
        "version", "bot", "polling", "network", "sources", "rules", "channels", "routes", "oncall", "include", "tests",
        "config",
    ]

    init(_ text: String) {
        lines = text.split(separator: "\n").filter { line in
            !line.drop { $0 == " " }.hasPrefix("#") && !line.allSatisfy { $0 == " " }
        }
        let indent = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        self.indent = indent
        keys = lines.compactMap { Excerpt.key(of: $0, at: indent) }
    }

    /// A whole example in which these keys stand in place of those that its innermost thing, four spaces deep, has.
    func merged(into example: String) -> String {
        var kept: [Substring] = []
        var isReplaced = false
        for line in example.split(separator: "\n") {
            let depth = line.prefix { $0 == " " }.count
            if depth <= 4 { isReplaced = keys.contains { Excerpt.key(of: line, at: 4) == $0 } }
            if !isReplaced { kept.append(line) }
        }
        return (kept + lines.map { "    " + $0.dropFirst(indent) }).joined(separator: "\n") + "\n"
    }

    private static func key(of line: Substring, at indent: Int) -> String? {
        guard line.prefix(while: { $0 == " " }).count == indent else { return nil }
        return line.dropFirst(indent).firstMatch(of: /^([^\s:'"]+):(?: |$)/).map { String($0.1) }
    }
}
