/// A place in the text: line and column, both from 1.
///
/// Columns count Unicode scalars, as libyaml does: `é` is one column however many bytes it takes.
public struct Mark: Hashable, Comparable, Sendable {
    /// The file that the text is of, where whoever reads several said so.
    public let file: String?
    public let line: Int
    public let column: Int

    public init(file: String? = nil, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    public static func < (left: Mark, right: Mark) -> Bool {
        (left.file ?? "", left.line, left.column) < (right.file ?? "", right.line, right.column)
    }

    func of(_ file: String) -> Mark { Mark(file: file, line: line, column: column) }
}

/// A value in the document and the place where it starts.
///
/// An aliased value (`*name`) carries the mark of the alias, since that is the use a reader questions first; whatever
/// is inside it keeps the mark where it was written, since that is what has to change. Entries that came through a
/// merge key keep the marks where they were written too. With an anchor or a tag in front, the mark is that of the
/// anchor or tag.
public struct Node: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        case scalar(String, ScalarStyle)
        case sequence([Node])
        /// Entries in the order written, keys unique; merged ones stand where the merge key stood.
        case mapping([Entry])
    }

    /// How a scalar was written, which tells `"5"` from `5`.
    public enum ScalarStyle: Equatable, Sendable {
        /// Bare, so it may mean a number, a switch or nothing; also any scalar tagged `!!int`, `!!float`, `!!bool`
        /// or `!!null`.
        case plain
        /// In quotes or as a block (`|`, `>`), so it is a string; also any scalar tagged `!!str`.
        case quoted
    }

    public let kind: Kind
    public let mark: Mark
    /// The line on which a scalar ends, quote and all; of anything else, that on which it starts.
    public let lastLine: Int

    public init(kind: Kind, mark: Mark, lastLine: Int? = nil) {
        self.kind = kind
        self.mark = mark
        self.lastLine = lastLine ?? mark.line
    }

    /// The same with the file named in every mark.
    func of(_ file: String) -> Node {
        switch kind {
        case .scalar: Node(kind: kind, mark: mark.of(file), lastLine: lastLine)
        case .sequence(let nodes): Node(kind: .sequence(nodes.map { $0.of(file) }), mark: mark.of(file))
        case .mapping(let entries):
            Node(
                kind: .mapping(
                    entries.map { Entry(key: $0.key, keyMark: $0.keyMark.of(file), value: $0.value.of(file)) }),
                mark: mark.of(file))
        }
    }

    /// Whether the value is a plain `~`, a plain `null` (or `Null`, `NULL`), or was left out.
    public var isNull: Bool {
        switch kind {
        case .scalar("", .plain), .scalar("~", .plain): true
        case .scalar("null", .plain), .scalar("Null", .plain), .scalar("NULL", .plain): true
        default: false
        }
    }
}

/// A key of a mapping with its value.
public struct Entry: Equatable, Sendable {
    public let key: String
    public let keyMark: Mark
    public let value: Node

    public init(key: String, keyMark: Mark, value: Node) {
        self.key = key
        self.keyMark = keyMark
        self.value = value
    }
}
