internal import Foundation

/// A page of the documentation, as its Markdown is written.
public struct Page: Sendable, CustomStringConvertible {
    /// From the repository's root.
    public let path: String
    public let text: String
    /// What the page is made of, top-down.
    public let parts: [Part]

    public enum Part: Sendable {
        case block(Block)
        /// `<!-- test: … -->`: what the tests do here and readers need not see.
        case stage(String, line: Int)
        case prose(Substring, line: Int)
    }

    /// What stands between fences.
    public struct Block: Sendable {
        /// The first word behind the fence.
        public let language: String
        /// The second: the file that the block is.
        public let file: String?
        /// The line of the fence, from 1.
        public let line: Int
        /// Without the indentation of the fence.
        public let text: String
    }

    public var description: String { path }

    public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    public init(_ path: String) throws {
        let url = URL(filePath: Page.root).appending(path: path)
        self.init(path: path, text: try String(contentsOf: url, encoding: .utf8))
    }

    public init(path: String, text: String) {
        self.path = path
        self.text = text
        parts = Page.parts(of: text)
    }

    /// Every page that people read: at the root, below docs/, and of plugins.
    public static let all: [Page] = {
        let files = FileManager.default
        let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
        let below = ["docs", "plugins"].flatMap { folder in
            (files.subpaths(atPath: "\(root)/\(folder)") ?? []).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        return (top + below.sorted()).compactMap { try? Page($0) }
    }()

    public var blocks: [Block] {
        parts.compactMap { if case .block(let block) = $0 { block } else { nil } }
    }

    /// The files that the page shows, by their names.
    public var files: [String: String] {
        Dictionary(blocks.compactMap { block in block.file.map { ($0, block.text) } }, uniquingKeysWith: { $1 })
    }

    /// What stands between backticks in the text, with its line.
    public var codeSpans: [(text: String, line: Int)] {
        prose.flatMap { line, number in
            line.matches(of: /`([^`]+)`/).map { (String($0.1), number) }
        }
    }

    /// Where links and pictures lead to, with their lines.
    public var links: [(target: String, line: Int)] {
        prose.flatMap { line, number in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map { (String($0.1), number) }
        }
    }

    /// What links to headings name them by.
    public var anchors: Set<String> {
        Set(
            prose.compactMap { line, _ in line.firstMatch(of: /^#{1,6} +(.+)$/)?.1 }.map { title in
                title.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                    .replacing(" ", with: "-")
            })
    }

    private var prose: [(Substring, Int)] {
        parts.compactMap { if case .prose(let line, let number) = $0 { (line, number) } else { nil } }
    }

    private static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().makeIterator()
        while let (index, line) = lines.next() {
            if let fence = line.firstMatch(of: /^( *)(`{3,})([^`\s]*) *([^`\s]*)$/) {
                var inside: [Substring] = []
                let indent = fence.1.count
                while let (_, line) = lines.next(), line.drop(while: { $0 == " " }) != fence.2 {
                    let space = min(indent, line.prefix { $0 == " " }.count)
                    inside.append(line.dropFirst(space))
                }
                parts.append(
                    .block(
                        Block(
                            language: String(fence.3), file: fence.4.isEmpty ? nil : String(fence.4), line: index + 1,
                            text: inside.map { $0 + "\n" }.joined())))
            } else if line.hasPrefix("<!-- test:") {
                var comment = String(line.dropFirst("<!-- test:".count))
                while !comment.contains("-->"), let (_, line) = lines.next() { comment += "\n" + line }
                let words = comment.prefix(upTo: comment.firstRange(of: "-->")?.lowerBound ?? comment.endIndex)
                parts.append(
                    .stage(String(words).trimmingCharacters(in: .whitespacesAndNewlines), line: index + 1))
            } else {
                parts.append(.prose(line, line: index + 1))
            }
        }
        return parts
    }
}
