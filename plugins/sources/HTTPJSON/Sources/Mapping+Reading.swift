internal import JSONPath
internal import PluginKit

extension Mapping {
    /// The values a path selects, for paths that name rows; none where their absence means no data.
    func rows(of root: JSONReader, within budget: inout SelectionBudget) throws(JSONMismatch) -> [JSONReader] {
        switch try path.select(from: root, within: &budget) {
        case .nothing(let absence):
            _ = try settle(policy(absence), absence.found, "a value", at: place(below: root), zero: ())
            return []
        case .nodes(let nodes):
            guard nodes.count == 1, nodes[0].value == .null else { return nodes }
            _ = try settle(whenNull, "null", "a value", at: nodes[0].path, zero: ())
            return []
        }
    }

    /// How many values there are that rows are picked from: those that its filters leave out count, too. None where that
    /// cannot be told.
    func itemCount(of root: JSONReader, within budget: inout SelectionBudget) -> Int {
        guard case .nodes(let nodes)? = try? path.unfiltered.select(from: root, within: &budget) else { return 0 }
        return nodes.count == 1 && nodes[0].value == .null ? 0 : nodes.count
    }

    /// The figure, converted; nil when there is no data.
    func number(of row: JSONReader, within budget: inout SelectionBudget) throws(JSONMismatch) -> Double? {
        try read("a number", of: row, within: &budget, zero: 0, number)
    }

    /// A name; nil when there is none. Numbers are taken as written: build 540 is a release too.
    func text(
        of row: JSONReader, bytesMax: Int = Mapping.textBytesMax, within budget: inout SelectionBudget
    ) throws(JSONMismatch) -> String? {
        try read("a text of at most \(bytesMax) bytes", of: row, within: &budget, zero: nil) { value in
            switch value {
            case .string(let text): text.utf8.count <= bytesMax ? text : nil
            case .int, .double: value.text
            default: nil
            }
        }
    }

    /// An instant: RFC 3339, or a number of seconds or milliseconds since 1970.
    func moment(of row: JSONReader, within budget: inout SelectionBudget) throws(JSONMismatch) -> Moment? {
        try read("an instant (RFC 3339, or seconds or milliseconds since 1970)", of: row, within: &budget, zero: nil) {
            value in
            if let number = value.number ?? value.string.flatMap(Mapping.strictNumber) {
                return Moment(unixSeconds: abs(number) < Mapping.secondsMax ? number : number / 1000)
            }
            return value.string.flatMap { Moment(rfc3339: $0) }
        }
    }

    /// Longest text taken over; links are the longest, and browsers themselves stop at some thousand characters.
    static let textBytesMax = 4096
    /// As seconds this is the year 5138, as milliseconds 1973: whoever writes more means milliseconds.
    static let secondsMax = 1e11

    /// The one value that the path names, policies applied; nil when there is no data.
    private func read<Value>(
        _ expected: String, of row: JSONReader, within budget: inout SelectionBudget, zero: Value?,
        _ convert: (JSON) -> Value?
    ) throws(JSONMismatch) -> Value? {
        switch try path.select(from: row, within: &budget) {
        case .nothing(let absence):
            var found = absence.found
            if absence == .missing, case .array = row.value { found += " (\(row.path) is an array: select with [*])" }
            return try settle(policy(absence), found, expected, at: place(below: row), zero: zero)
        case .nodes(let nodes):
            guard nodes.count == 1 else {
                throw JSONMismatch(
                    path: place(below: row), expected: "one value for '\(name)'", found: "\(nodes.count) values")
            }
            let node = nodes[0]
            if let value = convert(node.value) { return value }
            switch node.value {
            case .null: return try settle(whenNull, "null", expected, at: node.path, zero: zero)
            case .array([]): return try settle(whenEmpty, "an empty array", expected, at: node.path, zero: zero)
            default:
                let found = node.mismatch(expected: expected).found
                return try settle(whenOther, found, expected, at: node.path, zero: zero)
            }
        }
    }

    private func settle<Value>(
        _ policy: Policy, _ found: String, _ expected: String, at path: String, zero: Value?
    ) throws(JSONMismatch) -> Value? {
        switch policy {
        case .noData: return nil
        case .zero: return zero
        case .error: throw JSONMismatch(path: path, expected: "\(expected) for '\(name)'", found: found)
        }
    }

    private func policy(_ absence: Selection.Absence) -> Policy {
        switch absence {
        case .missing: whenMissing
        case .null: whenNull
        case .empty: whenEmpty
        }
    }

    /// The path as seen from the answer's root.
    private func place(below row: JSONReader) -> String { row.path + path.text.dropFirst() }

    private func number(_ value: JSON) -> Double? {
        guard var number = value.number ?? value.string.flatMap(writtenNumber) else { return nil }
        for conversion in conversions {
            switch conversion {
            case .percent: number /= 100
            case .invert: number = 1 - number
            case .scale(let factor): number *= factor
            }
        }
        return number
    }

    private func writtenNumber(_ text: String) -> Double? {
        var text = text
        if conversions.contains(.percent), text.hasSuffix("%") { text = String(text.dropLast()).trimmed }
        if acceptsCommas {
            let groups = text.prefix { $0 != "." }.split(separator: ",", omittingEmptySubsequences: false)
            // "1,5" is one and a half to some and would be fifteen to us.
            guard groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
            text.removeAll { $0 == "," }
        }
        return Mapping.strictNumber(text)
    }

    /// A text that is a JSON number and nothing else: "0.0109", but not " 1", "1e", "0x10" or "NaN".
    private static func strictNumber(_ text: String) -> Double? {
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 > 0x20 }) else { return nil }
        return (try? JSON(parsing: text))?.number
    }
}

extension Selection.Absence {
    fileprivate var found: String {
        switch self {
        case .missing: "nothing there"
        case .null: "null along the path"
        case .empty: "an empty array along the path"
        }
    }
}
