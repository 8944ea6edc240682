internal import PluginKit

/// What a path found in a value.
enum Selection {
    /// At least one, in the order of the document.
    case nodes([JSONReader])
    case nothing(Absence)

    /// Why nothing was found. The three differ: a dashboard without apps yet says `[]`, one that has not measured says
    /// null, and one that renamed a member says nothing at all.
    enum Absence: Hashable { case missing, null, empty }
}

/// How many values the paths of one answer may still look at and select.
struct SelectionBudget {
    private var visits = SelectionBudget.visitsMax

    /// Stability answers hold some thousand values; `..` inside `..` over a large answer could look at billions.
    static let visitsMax = 1_000_000
    /// Most values one step of a path selects: more apps times releases than any dashboard lists.
    static let nodesMax = 10_000

    /// Whether nothing more can be selected of the answer.
    var isSpent: Bool { visits < 0 }

    mutating func visit(_ count: Int, for path: JSONPath) throws(JSONMismatch) {
        visits -= count
        guard visits >= 0 else { throw SelectionBudget.tooMuch(path, "a path that visits less of the answer") }
    }

    static func tooMuch(_ path: JSONPath, _ expected: String) -> JSONMismatch {
        JSONMismatch(path: path.text, expected: expected, found: "more than \(visitsMax) values to visit")
    }
}

extension JSONPath {
    /// Selects from a value, which is the path's `$`.
    func select(from root: JSONReader, within budget: inout SelectionBudget) throws(JSONMismatch) -> Selection {
        var nodes = [root]
        for segment in segments {
            var step = Step(path: self)
            for node in nodes {
                switch segment {
                case .children(let selectors): try step.choose(selectors, of: node, within: &budget)
                case .descendants(let selectors):
                    try step.chooseBelow(selectors, of: node, within: &budget)
                    step.absence = .missing
                }
            }
            guard !step.found.isEmpty else { return .nothing(step.absence ?? .missing) }
            nodes = step.found
        }
        return .nodes(nodes)
    }
}

/// One segment of a path at work.
private struct Step {
    let path: JSONPath
    var found: [JSONReader] = []
    /// Why values gave nothing: a missing member outweighs null, null an empty array.
    var absence: Selection.Absence?

    mutating func choose(
        _ selectors: [JSONPath.Selector], of node: JSONReader, within budget: inout SelectionBudget
    ) throws(JSONMismatch) {
        let before = found.count
        for selector in selectors { try choose(selector, of: node, within: &budget) }
        guard found.count == before else { return }
        switch node.value {
        case .null where absence != .missing: absence = .null
        case .array([]) where absence == nil: absence = .empty
        case .null, .array([]): break
        default: absence = .missing
        }
    }

    /// The value itself first, then what is below it. The depth is bounded by that of the JSON reader.
    mutating func chooseBelow(
        _ selectors: [JSONPath.Selector], of node: JSONReader, within budget: inout SelectionBudget
    ) throws(JSONMismatch) {
        for selector in selectors { try choose(selector, of: node, within: &budget) }
        for child in try children(of: node, within: &budget) { try chooseBelow(selectors, of: child, within: &budget) }
    }

    private mutating func choose(
        _ selector: JSONPath.Selector, of node: JSONReader, within budget: inout SelectionBudget
    ) throws(JSONMismatch) {
        switch (selector, node.value) {
        case (.name(let name), .object(let object)):
            try budget.visit(1, for: path)
            if object[name] != nil { try keep(node.member(name)) }
        case (.wildcard, .object), (.wildcard, .array):
            for child in try children(of: node, within: &budget) { try keep(child) }
        case (.index(let index), .array(let elements)):
            let place = index < 0 ? elements.count + index : index
            guard elements.indices.contains(place) else { return }
            try keep(children(of: node, within: &budget)[place])
        case (.slice(let start, let end, let step), .array(let elements)):
            let places = JSONPath.places(start: start, end: end, step: step, count: elements.count)
            guard !places.isEmpty else { return }
            let children = try children(of: node, within: &budget)
            for place in places { try keep(children[place]) }
        default: break
        }
    }

    private mutating func keep(_ node: JSONReader) throws(JSONMismatch) {
        guard found.count < SelectionBudget.nodesMax else {
            throw JSONMismatch(
                path: path.text, expected: "at most \(SelectionBudget.nodesMax) values", found: "more of them")
        }
        found.append(node)
    }

    /// The elements of an array or the members of an object; of a repeated name the last member counts.
    private func children(
        of node: JSONReader, within budget: inout SelectionBudget
    ) throws(JSONMismatch) -> [JSONReader] {
        switch node.value {
        case .array(let elements):
            try budget.visit(elements.count, for: path)
            return try node.elements()
        case .object(let object):
            try budget.visit(object.members.count, for: path)
            var seen: Set<String> = []
            return try node.members().reversed().filter { seen.insert($0.name).inserted }.reversed().map(\.value)
        default: return []
        }
    }
}

extension JSONPath {
    /// The indexes that a slice selects (RFC 9535, section 2.3.4), in its order; a step of 0 selects none.
    static func places(start: Int?, end: Int?, step: Int, count: Int) -> [Int] {
        func bounded(_ index: Int, _ range: ClosedRange<Int>) -> Int {
            (index < 0 ? count + index : index).clamped(to: range)
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
