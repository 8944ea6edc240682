public import AlertModel

/// What a path found in a value.
public enum Selection: Sendable {
    /// At least one, in the order of the document.
    case nodes([JSONReader])
    case nothing(Absence)

    /// Why nothing was found. The three differ: a dashboard without apps yet says `[]`, one that has not measured says
    /// null, and one that renamed a member says nothing at all. A filter that lets nothing pass leaves what is empty.
    public enum Absence: Hashable, Sendable { case missing, null, empty }
}

/// How many values the paths of one answer may still look at, select and compare.
public struct SelectionBudget: Sendable {
    private var visits = SelectionBudget.visitsMax
    private var patternSteps = SelectionBudget.patternStepsMax

    /// Stability answers hold some thousand values; `..` inside `..` over a large answer could look at billions.
    public static let visitsMax = 1_000_000
    /// Most values one step of a path selects: more apps times releases than any dashboard lists.
    public static let nodesMax = 10_000
    /// Of trying patterns on texts: enough for five thousand titles of a hundred characters, and ten places in the pattern
    /// that each may be at.
    public static let patternStepsMax = 5_000_000

    public init() {}

    /// Whether nothing more can be selected of the answer.
    public var isSpent: Bool { visits < 0 || patternSteps < 0 }

    mutating func visit(_ count: Int, for path: JSONPath) throws(JSONMismatch) {
        visits -= count
        guard visits >= 0 else {
            throw JSONMismatch(
                path: path.text, expected: "a path that visits less of the answer",
                found: "more than \(SelectionBudget.visitsMax) values to visit")
        }
    }

    mutating func fits(
        _ pattern: Pattern, _ text: String, isWhole: Bool, for path: JSONPath
    ) throws(JSONMismatch) -> Bool {
        guard let fits = pattern.fits(text, isWhole: isWhole, steps: &patternSteps) else {
            throw tooManySteps(path)
        }
        return fits
    }

    /// Reads a pattern that the document holds, which takes steps, too.
    mutating func pattern(_ text: String, for path: JSONPath) throws(JSONMismatch) -> Pattern? {
        patternSteps -= SelectionBudget.patternCost + text.utf8.count
        guard patternSteps >= 0 else { throw tooManySteps(path) }
        guard text.utf8.count <= SelectionBudget.patternBytesMax, let pattern = try? Pattern(text) else { return nil }
        patternSteps -= pattern.instructions.count
        return pattern
    }

    /// Of patterns that stand in answers.
    private static let patternBytesMax = 1000
    private static let patternCost = 100

    private func tooManySteps(_ path: JSONPath) -> JSONMismatch {
        JSONMismatch(
            path: path.text, expected: "patterns that take less work",
            found: "more than \(SelectionBudget.patternStepsMax) steps of match and search")
    }
}

extension JSONPath {
    /// Selects from a value, which is the path's `$`.
    public func select(
        from root: JSONReader, within budget: inout SelectionBudget
    ) throws(JSONMismatch) -> Selection {
        var search = Search(path: self, root: root, budget: budget)
        defer { budget = search.budget }
        let nodes = try search.follow(segments, from: root)
        return nodes.isEmpty ? .nothing(search.absence ?? .missing) : .nodes(nodes)
    }
}

/// One path at work on one value.
struct Search {
    let path: JSONPath
    let root: JSONReader
    var budget: SelectionBudget
    /// Why the last segment gave nothing: a missing member outweighs null, null an empty array.
    private(set) var absence: Selection.Absence?

    init(path: JSONPath, root: JSONReader, budget: SelectionBudget) {
        self.path = path
        self.root = root
        self.budget = budget
    }

    /// What segments select, one after the other.
    mutating func follow(
        _ segments: [JSONPath.Segment], from start: JSONReader
    ) throws(JSONMismatch) -> [JSONReader] {
        var nodes = [start]
        for segment in segments {
            var found: [JSONReader] = []
            var absence: Selection.Absence?
            for node in nodes {
                switch segment {
                case .children(let selectors):
                    let before = found.count
                    for selector in selectors { try choose(selector, of: node, &found) }
                    if found.count == before { Search.note(node, selectors, &absence) }
                case .descendants(let selectors):
                    try chooseBelow(selectors, of: node, &found)
                    absence = .missing
                }
            }
            nodes = found
            guard !nodes.isEmpty else {
                self.absence = absence ?? .missing
                return []
            }
        }
        return nodes
    }

    private static func note(
        _ node: JSONReader, _ selectors: [JSONPath.Selector], _ absence: inout Selection.Absence?
    ) {
        switch node.value {
        case .null: if absence != .missing { absence = .null }
        case .array([]): absence = absence ?? .empty
        case .array where selectors.allSatisfy(\.isFilter), .object where selectors.allSatisfy(\.isFilter):
            absence = absence ?? .empty
        default: absence = .missing
        }
    }

    /// The value itself first, then what is below it. The depth is bounded by that of the JSON reader.
    private mutating func chooseBelow(
        _ selectors: [JSONPath.Selector], of node: JSONReader, _ found: inout [JSONReader]
    ) throws(JSONMismatch) {
        for selector in selectors { try choose(selector, of: node, &found) }
        for child in try children(of: node) { try chooseBelow(selectors, of: child, &found) }
    }

    private mutating func choose(
        _ selector: JSONPath.Selector, of node: JSONReader, _ found: inout [JSONReader]
    ) throws(JSONMismatch) {
        switch (selector, node.value) {
        case (.name(let name), .object):
            if let member = try member(name, of: node) { try keep(member, &found) }
        case (.wildcard, .object), (.wildcard, .array):
            for child in try children(of: node) { try keep(child, &found) }
        case (.index(let index), .array(let elements)):
            guard let place = JSONPath.place(index, count: elements.count) else { return }
            try budget.visit(1, for: path)
            if let element = node.element(place) { try keep(element, &found) }
        case (.slice(let start, let end, let step), .array(let elements)):
            for place in JSONPath.places(start: start, end: end, step: step, count: elements.count) {
                try budget.visit(1, for: path)
                if let element = node.element(place) { try keep(element, &found) }
            }
        case (.filter(let condition), .object), (.filter(let condition), .array):
            for child in try children(of: node) where try holds(condition, of: child) { try keep(child, &found) }
        default: break
        }
    }

    private func keep(_ node: JSONReader, _ found: inout [JSONReader]) throws(JSONMismatch) {
        guard found.count < SelectionBudget.nodesMax else {
            throw JSONMismatch(
                path: path.text, expected: "at most \(SelectionBudget.nodesMax) values", found: "more of them")
        }
        found.append(node)
    }

    /// The one value that a singular query finds.
    mutating func single(_ query: Query, of current: JSONReader) throws(JSONMismatch) -> JSON? {
        var node = query.isRelative ? current : root
        for segment in query.segments {
            guard case .children(let selectors) = segment, let selector = selectors.first else { return nil }
            try budget.visit(1, for: path)
            switch (selector, node.value) {
            case (.name(let name), .object):
                guard let member = try member(name, of: node) else { return nil }
                node = member
            case (.index(let index), .array(let elements)):
                guard let place = JSONPath.place(index, count: elements.count), let element = node.element(place)
                else { return nil }
                node = element
            default: return nil
            }
        }
        return node.value
    }

    mutating func nodes(_ query: Query, of current: JSONReader) throws(JSONMismatch) -> [JSONReader] {
        try follow(query.segments, from: query.isRelative ? current : root)
    }

    /// The last member of that name. Names are the same when their characters are: one with an accent as a character of
    /// its own is another.
    private mutating func member(_ name: String, of node: JSONReader) throws(JSONMismatch) -> JSONReader? {
        guard case .object(let object) = node.value else { return nil }
        // Names are looked at one after the other.
        try budget.visit(1 + object.members.count / 16, for: path)
        return node.member(spelled: name)
    }

    /// The elements of an array or the members of an object; of a repeated name the last member counts.
    private mutating func children(of node: JSONReader) throws(JSONMismatch) -> [JSONReader] {
        switch node.value {
        case .array(let elements):
            try budget.visit(elements.count, for: path)
            return try node.elements()
        case .object(let object):
            try budget.visit(object.members.count, for: path)
            var seen: Set<Spelling> = []
            return try node.members().reversed().filter { seen.insert(Spelling($0.name)).inserted }.reversed()
                .map(\.value)
        default: return []
        }
    }
}

/// A name by its characters: `String` takes those for the same that only look the same.
struct Spelling: Hashable {
    let name: String

    init(_ name: String) { self.name = name }

    static func == (left: Spelling, right: Spelling) -> Bool { left.name.utf8.elementsEqual(right.name.utf8) }

    func hash(into hasher: inout Hasher) { for byte in name.utf8 { hasher.combine(byte) } }
}

extension JSONPath {
    /// The index from 0 that an index means; nil where there is none.
    static func place(_ index: Int, count: Int) -> Int? {
        let place = index < 0 ? count + index : index
        return (0..<count).contains(place) ? place : nil
    }

    /// The indexes that a slice selects (RFC 9535, section 2.3.4), in its order; a step of 0 selects none.
    static func places(start: Int?, end: Int?, step: Int, count: Int) -> [Int] {
        func bounded(_ index: Int, _ range: ClosedRange<Int>) -> Int {
            min(max(index < 0 ? count + index : index, range.lowerBound), range.upperBound)
        }
        if step > 0 {
            let lower = bounded(start ?? 0, 0...count)
            let upper = bounded(end ?? count, 0...count)
            return Array(stride(from: lower, to: upper, by: step))
        }
        guard step < 0 else { return [] }
        let upper = bounded(start ?? count - 1, -1...(count - 1))
        let lower = end.map { bounded($0, -1...(count - 1)) } ?? -1
        return Array(stride(from: upper, to: lower, by: step))
    }
}
