/// YAML text as a tree of nodes that know where they were written.
///
/// libyaml scans and parses; this module turns its events into a `Node` tree, expands aliases and merge keys, and
/// collects every mistake with the line and column to fix. It reads one document of UTF-8 text, within bounds, and
/// gives scalars as text: what is a number, a switch or a duration is for the caller to say. It writes no YAML and
/// knows nothing of what the documents are about.
public enum YAML {
    /// What reading gave: the tree, the problems, or both.
    public struct Document: Sendable {
        /// The root of the tree; nil when the text is empty, unreadable, or breaks off at a syntax error or a bound.
        ///
        /// A tree beside problems is whole, so a caller can go on and report its own findings too. An alias that could
        /// not be resolved is a null at the alias's mark, and only the first of duplicate keys is kept.
        public let root: Node?

        /// What is wrong, in the order found; empty when the document is sound.
        public let problems: [YAMLProblem]

        /// What stands in the text and not in the tree: keys that are none, what a key that stands twice says the second time,
        /// and what is merged in where it is and is said already. It need be no mistake.
        public let leftOut: [Node]
    }

    /// The bounds within which text is read.
    public struct Limits: Sendable {
        /// Bytes of text. A generous configuration is a few dozen KiB, one written by a program for ten thousand sources
        /// a few MiB; 8 MiB stops only a wrong file.
        public var bytesMax = 8 << 20

        /// Levels of mappings and sequences inside each other. People rarely write ten; 64 keeps recursion shallow.
        public var depthMax = 64

        /// Scalars, keys, mappings and sequences, with every alias counted as often as it is used. Ten
        /// thousand sources of 20 keys have 400,000; a document of nested aliases passes it at once.
        public var nodesMax = 500_000

        /// Problems reported before reading stops. Nobody fixes a hundred from one list.
        public var problemsMax = 100

        public init() {}
    }

    /// Reads the one document in `bytes`.
    ///
    ///     let document = YAML.parse(Array("port: 8080".utf8))
    ///
    /// A byte order mark of UTF-8 is skipped and counts for no column. Other encodings, control characters, a second
    /// document and an empty one are problems, never traps.
    ///
    /// - Parameter file: the file to name in every mark, for whoever reads several.
    public static func parse(_ bytes: [UInt8], of file: String, limits: Limits = Limits()) -> Document {
        let document = parse(bytes, limits: limits)
        return Document(
            root: document.root?.of(file),
            problems: document.problems.map {
                YAMLProblem(
                    $0.mark.of(file), $0.message, advice: $0.advice, depthOfLoss: $0.depthOfLoss, key: $0.key)
            },
            leftOut: document.leftOut.map { $0.of(file) })
    }

    /// Reads the one document in `bytes`, of a text that stands for itself.
    public static func parse(_ bytes: [UInt8], limits: Limits = Limits()) -> Document {
        do throws(Halt) {
            let source = try SourceText(bytes, bytesMax: limits.bytesMax)
            var composer = Composer(reader: try EventReader(source), limits: limits)
            return composer.compose()
        } catch {
            return Document(root: nil, problems: [error.problem], leftOut: [])
        }
    }
}
