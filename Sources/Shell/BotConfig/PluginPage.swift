public import PluginKit

/// The page of a plugin, its folder's README.md, held against the plugin itself.
public struct PluginPage: Sendable {
    private let plugin: PluginDescription
    private let lines: [Substring]

    /// - Returns: nil when the page's title is the name of no plugin; then nothing can be said of it.
    public init?(_ text: String, catalog: PluginCatalog) {
        lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        guard let title = lines.first(where: { $0.hasPrefix("# ") })?.dropFirst(2) else { return nil }
        // A proper name keeps its capital.
        let name = title.lowercased()
        guard let plugin = catalog.descriptions.first(where: { $0.manifest.name == name }) else { return nil }
        self.plugin = plugin
    }

    /// The plugin's kind and its name in the config.
    public var kind: PluginKind { plugin.kind }
    public var name: String { plugin.manifest.name }

    private struct Block {
        /// What stands behind the fence: `yaml`, or nothing for a drawing.
        let language: Substring
        /// The line of the fence, from 1.
        let line: Int
        var lines: [Substring] = []
        /// Of the line that is least indented.
        var indent: Int {
            lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        }
    }

    /// All that is wrong with the page, with places in it: examples that the config reader does not take, options that
    /// are not named and defaults that are none are errors; a rule's page without a drawing or without measured figures
    /// is worth a warning.
    ///
    /// - Parameter surroundings: where the examples' secrets come from; anything that looks like a secret will do.
    public func problems(catalog: PluginCatalog, surroundings: ConfigSurroundings) -> [Problem] {
        var problems: [Problem] = []
        let top = Position(line: 1, column: 1)
        let blocks = self.blocks
        let examples = blocks.filter { $0.language == "yaml" && $0.indent < PluginPage.excerptIndent }
        if !examples.contains(where: shows) {
            problems.append(
                Problem(top, "no example shows the plugin", advice: "add a yaml block with plugin: \(name) in it"))
        }
        for block in examples { problems += self.problems(of: block, catalog, surroundings) }
        let text = lines.joined(separator: "\n")
        for option in plugin.manifest.options where !text.contains("`\(option.name)`") {
            problems.append(
                Problem(top, "the option '\(option.name)' is not on the page", advice: "say what `\(option.name)` does")
            )
        }
        problems += defaultProblems
        guard plugin.kind == .detector || plugin.kind == .gate else { return problems }
        if !blocks.contains(where: { $0.language.isEmpty }) {
            problems.append(
                Problem(
                    top, "there is no drawing of what the rule does", advice: "add one in a block without a language",
                    level: .warning))
        }
        if !hasFigures {
            problems.append(
                Problem(top, "there are no measured figures", advice: "add them under '## Measured'", level: .warning))
        }
        return problems
    }

    /// Rows of the tables of options, `| option | default | … |`, whose default is another than the plugin's.
    private var defaultProblems: [Problem] {
        var problems: [Problem] = []
        var isOfOptions = false
        for (index, line) in lines.enumerated() {
            guard line.hasPrefix("|") else {
                isOfOptions = false
                continue
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map {
                String($0).trimmed
            }
            if cells.first == "option" { isOfOptions = cells.count > 3 }
            guard isOfOptions, cells.count > 3 else { continue }
            let names = cells[0].split(separator: ",").map { String($0).trimmed }
            for spec in plugin.manifest.options where names.contains("`\(spec.name)`") {
                guard let flaw = PluginPage.flaw(in: cells[1], asDefaultOf: spec) else { continue }
                problems.append(Problem(Position(line: index + 1, column: 1), flaw))
            }
        }
        return problems
    }

    /// What is wrong with what a page gives as the default of an option.
    private static func flaw(in cell: String, asDefaultOf spec: OptionSpec) -> String? {
        if spec.isRequired {
            return cell == "required" ? nil : "'\(spec.name)' is required, but the page says '\(cell)'"
        }
        guard let written = spec.writtenDefault else {
            return cell.hasPrefix("`") ? "'\(spec.name)' has no default, but the page says \(cell)" : nil
        }
        // Words may follow, or stand for the value where the plugin has words for it, too.
        guard cell.hasPrefix("`\(written)`") || !cell.hasPrefix("`") && spec.defaultText != written else {
            return "the default of '\(spec.name)' is \(written), but the page says '\(cell)'"
        }
        return nil
    }

    /// Lines so far to the right are an excerpt of one thing, which the config reader cannot judge by itself.
    private static let excerptIndent = 4

    private var blocks: [Block] {
        var blocks: [Block] = []
        var open: Block?
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") {
                if let block = open { blocks.append(block) }
                open = open == nil ? Block(language: line.dropFirst(3), line: index + 1) : nil
            } else {
                open?.lines.append(line)
            }
        }
        return blocks
    }

    private func shows(_ block: Block) -> Bool {
        block.lines.contains { line in
            guard let key = line.firstRange(of: "plugin: \(name)") else { return false }
            return line[key.upperBound...].first.map { !$0.isLetter && $0 != "_" } ?? true
        }
    }

    private var hasFigures: Bool {
        guard let begin = lines.firstIndex(of: "## Measured") else { return false }
        let section = lines[(begin + 1)...].prefix { !$0.hasPrefix("## ") }
        return section.contains { $0.contains(where: \.isNumber) }
    }

    private func problems(of block: Block, _ catalog: PluginCatalog, _ surroundings: ConfigSurroundings) -> [Problem] {
        // An indented block goes on with the section of the one before.
        let isSection = block.indent == 0
        let text = (isSection ? [] : [plugin.kind.section + ":"]) + block.lines.map(String.init)
        let found = Config.problems(
            inFragment: Array(text.joined(separator: "\n").utf8), catalog: catalog, surroundings: surroundings)
        return found.map { problem in
            let line = problem.position.line + block.line - (isSection ? 0 : 1)
            return Problem(
                Position(line: line, column: problem.position.column), problem.message,
                suggestion: problem.suggestion, advice: problem.advice, level: problem.level)
        }
    }
}
