/// Builds the tree from events: nesting, anchors and aliases, tags, bounds.
///
/// Mappings, with their duplicate and merge keys, are in `Composer+Mapping.swift`. Aliases share the storage of what
/// they name, so their cost is in being walked later; hence they are counted at full size when they are used.
struct Composer: ~Copyable {
    /// A node and how many levels of collections it has; a scalar has none.
    struct Composed {
        let node: Node
        let levels: Int
    }

    private enum Anchor {
        /// Its value, which starts at the mark, is still being read.
        case open(Mark)
        case closed(Composed, nodes: Int)
    }

    private var reader: EventReader
    private let limits: YAML.Limits
    private var problems: [YAMLProblem] = []
    private var anchors: [String: Anchor] = [:]
    private var nodes = 0
    /// What stands in the text and not in the tree.
    var leftOut: [Node] = []

    init(reader: consuming EventReader, limits: YAML.Limits) {
        self.reader = reader
        self.limits = limits
    }

    /// Reads all events. To be called once.
    mutating func compose() -> YAML.Document {
        do throws(Halt) {
            let root = try document()
            return YAML.Document(root: root, problems: problems, leftOut: leftOut)
        } catch {
            return YAML.Document(root: nil, problems: problems + [error.problem], leftOut: leftOut)
        }
    }

    private mutating func document() throws(Halt) -> Node? {
        _ = try next()
        let start = try next()
        guard case .documentStart = start.kind else {
            throw Halt(Mark(line: 1, column: 1), "the document is empty")
        }
        let root = try node(try next(), depth: 0).node
        _ = try next()
        let rest = try next()
        if case .documentStart = rest.kind {
            let advice = "remove it, or keep it in a file of its own"
            try report(rest.mark, "a second document starts here", advice: advice, leavingOut: 0)
        }
        if root.kind == .scalar("", .plain) {
            try report(start.mark, "the document is empty", leavingOut: 0)
            return nil
        }
        return root
    }

    /// Adds a problem and goes on.
    ///
    /// - Parameter depth: in how many collections that stands which is left out for it; nil where nothing is.
    mutating func report(_ mark: Mark, _ message: String, advice: String? = nil, leavingOut depth: Int?) throws(Halt) {
        try report(YAMLProblem(mark, message, advice: advice, depthOfLoss: depth))
    }

    /// The same: at most one for each place, for a second is nearly always a consequence of the first.
    mutating func report(_ problem: YAMLProblem) throws(Halt) {
        guard !problems.contains(where: { $0.mark == problem.mark }) else { return }
        guard problems.count < limits.problemsMax else {
            throw Halt(problem.mark, "there are more than \(limits.problemsMax) problems; the rest is not read")
        }
        problems.append(problem)
    }

    mutating func next() throws(Halt) -> Event {
        try reader.next()
    }

    /// Reads the node that `event` opens, inside `depth` collections.
    mutating func node(_ event: Event, depth: Int) throws(Halt) -> Composed {
        let mark = event.mark
        switch event.kind {
        case .alias(let name):
            return try alias(name, at: mark, depth: depth)
        case .scalar(let text, let written, let properties):
            let style = try style(written, tag: properties.tag, at: mark)
            let nodesBefore = try open(properties.anchor, at: mark)
            let node = Node(kind: .scalar(text, style), mark: mark, lastLine: event.lastLine)
            let scalar = Composed(node: node, levels: 0)
            return close(properties.anchor, at: mark, as: scalar, nodesBefore: nodesBefore)
        case .sequenceStart(let properties):
            try checkTag(properties.tag, is: .seq, at: mark)
            let nodesBefore = try open(properties.anchor, at: mark)
            let sequence = try sequence(at: mark, depth: try deeper(than: depth, at: mark))
            return close(properties.anchor, at: mark, as: sequence, nodesBefore: nodesBefore)
        case .mappingStart(let properties):
            try checkTag(properties.tag, is: .map, at: mark)
            let nodesBefore = try open(properties.anchor, at: mark)
            let mapping = try mapping(at: mark, depth: try deeper(than: depth, at: mark))
            return close(properties.anchor, at: mark, as: mapping, nodesBefore: nodesBefore)
        case .documentStart, .documentEnd, .streamStart, .streamEnd, .sequenceEnd, .mappingEnd:
            // libyaml's grammar has a node wherever one is asked for; should it break its word, that is no crash of
            // ours.
            throw Halt(mark, "a value is expected here")
        }
    }

    private mutating func sequence(at mark: Mark, depth: Int) throws(Halt) -> Composed {
        var items: [Node] = []
        var levels = 0
        while true {
            let event = try next()
            if case .sequenceEnd = event.kind { break }
            let item = try node(event, depth: depth)
            items.append(item.node)
            levels = max(levels, item.levels)
        }
        return Composed(node: Node(kind: .sequence(items), mark: mark), levels: levels + 1)
    }

    // MARK: Anchors and bounds

    private mutating func alias(_ name: String, at mark: Mark, depth: Int) throws(Halt) -> Composed {
        let unresolved = Composed(node: Node(kind: .scalar("", .plain), mark: mark), levels: 0)
        switch anchors[name] {
        case nil:
            // What it is called may be a secret that begins with a star.
            let advice =
                "put the value in quotes if it starts with '*'; an anchor is written with '&' before the value, above its first use"
            try report(mark, "no anchor has this name", advice: advice, leavingOut: depth)
            return unresolved
        case .open(let start):
            let place = "line \(start.line), column \(start.column)"
            try report(
                mark, "the alias \(quoted(name)) stands inside the value it names, which starts at \(place)",
                leavingOut: depth)
            return unresolved
        case .closed(let value, let count):
            try add(nodes: count, at: mark)
            if depth + value.levels > limits.depthMax { throw tooDeep(at: mark) }
            return Composed(node: Node(kind: value.node.kind, mark: mark), levels: value.levels)
        }
    }

    /// Counts a node that starts and makes its anchor known. Returns the count of nodes before it.
    private mutating func open(_ anchor: String?, at mark: Mark) throws(Halt) -> Int {
        let nodesBefore = nodes
        try add(nodes: 1, at: mark)
        if let anchor { anchors[anchor] = .open(mark) }
        return nodesBefore
    }

    /// Gives the anchor its value, unless the value itself holds a newer anchor of the same name.
    private mutating func close(
        _ anchor: String?,
        at mark: Mark,
        as composed: Composed,
        nodesBefore: Int
    ) -> Composed {
        if let anchor, case .open(mark)? = anchors[anchor] {
            anchors[anchor] = .closed(composed, nodes: nodes - nodesBefore)
        }
        return composed
    }

    private mutating func add(nodes count: Int, at mark: Mark) throws(Halt) {
        nodes += count
        if nodes > limits.nodesMax {
            let advice = "an alias counts as often as it is used"
            throw Halt(mark, "the document has more than \(limits.nodesMax) values", advice: advice)
        }
    }

    private func deeper(than depth: Int, at mark: Mark) throws(Halt) -> Int {
        if depth >= limits.depthMax { throw tooDeep(at: mark) }
        return depth + 1
    }

    private func tooDeep(at mark: Mark) -> Halt {
        Halt(mark, "values are nested more than \(limits.depthMax) levels deep")
    }

    // MARK: Tags

    /// The tags of the core schema, which say nothing new about a value and so do no harm.
    private enum CoreTag: String {
        case str, int, float, bool, null, seq, map

        static let prefix = "tag:yaml.org,2002:"

        init?(resolved tag: String) {
            guard tag.hasPrefix(Self.prefix) else { return nil }
            self.init(rawValue: String(tag.dropFirst(Self.prefix.count)))
        }
    }

    private mutating func style(
        _ written: Node.ScalarStyle,
        tag: String?,
        at mark: Mark
    ) throws(Halt) -> Node.ScalarStyle {
        guard let tag else { return written }
        switch CoreTag(resolved: tag) {
        case .str: return .quoted
        case .int, .float, .bool, .null: return .plain
        case .seq, .map, nil:
            try refuse(tag: tag, at: mark)
            return written
        }
    }

    private mutating func checkTag(_ tag: String?, is expected: CoreTag, at mark: Mark) throws(Halt) {
        if let tag, CoreTag(resolved: tag) != expected { try refuse(tag: tag, at: mark) }
    }

    private mutating func refuse(tag: String, at mark: Mark) throws(Halt) {
        if let core = CoreTag(resolved: tag) {
            return try report(mark, "the tag '!!\(core)' does not fit this value", advice: "remove it", leavingOut: nil)
        }
        // What it says may be a secret that begins with an exclamation mark.
        let advice = "remove it, or put the value in quotes if it starts with '!'"
        try report(mark, "this value has a tag, and tags are not used here", advice: advice, leavingOut: nil)
    }
}
