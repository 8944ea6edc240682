import AlertModel
import YAMLKit

/// Holds values against a JSON Schema, as far as the schema of configs goes; a keyword that it does not know is a
/// complaint.
struct SchemaCheck {
    let root: JSON

    /// What is wrong with the value, one line each; empty when it fits.
    func complaints(_ value: JSON) throws -> [String] { try complaints(value, root, "$") }

    private static let remarks: Set = ["$schema", "$defs", "title", "description"]

    private func complaints(_ value: JSON, _ schema: JSON, _ path: String) throws -> [String] {
        if case .bool(let isFine) = schema { return isFine ? [] : ["\(path): nothing may stand here"] }
        guard let keywords = schema.object else { return ["\(path): the schema is \(schema.kindName)"] }
        return try keywords.members.flatMap { keyword -> [String] in
            guard !SchemaCheck.remarks.contains(keyword.name) else { return [] }
            return try complaints(value, keyword.name, keyword.value, keywords, path)
        }
    }

    private func complaints(
        _ value: JSON, _ keyword: String, _ wanted: JSON, _ schema: JSONObject, _ path: String
    ) throws -> [String] {
        let object = value.object
        switch keyword {
        case "$ref":
            guard let name = wanted.string, name.hasPrefix("#/$defs/"),
                let target = root["$defs"]?[String(name.dropFirst(8))]
            else { return ["\(path): \(wanted.text) leads nowhere"] }
            return try complaints(value, target, path)
        case "type":
            let types = wanted.array?.compactMap(\.string) ?? [wanted.string ?? ""]
            return types.contains { SchemaCheck.isOf(value, $0) } ? [] : ["\(path): \(value.text) is not \(types)"]
        case "const": return value == wanted ? [] : ["\(path): \(value.text) is not \(wanted.text)"]
        case "enum":
            return wanted.array?.contains(value) == true ? [] : ["\(path): \(value.text) is none of \(wanted.text)"]
        case "pattern":
            guard let text = value.string, let pattern = wanted.string else { return [] }
            return try text.contains(Regex(pattern)) ? [] : ["\(path): \(value.text) does not match \(pattern)"]
        case "minLength":
            guard let text = value.string, let least = wanted.number else { return [] }
            return Double(text.unicodeScalars.count) >= least ? [] : ["\(path): it is too short"]
        case "minimum":
            guard let number = value.number, let bound = wanted.number else { return [] }
            return number >= bound ? [] : ["\(path): \(number) is too small"]
        case "maximum":
            guard let number = value.number, let bound = wanted.number else { return [] }
            return number <= bound ? [] : ["\(path): \(number) is too large"]
        case "anyOf":
            let found = try (wanted.array ?? []).map { try complaints(value, $0, path) }
            return found.contains([]) ? [] : found.min { $0.count < $1.count } ?? ["\(path): of nothing, nothing fits"]
        case "allOf": return try (wanted.array ?? []).flatMap { try complaints(value, $0, path) }
        case "if":
            guard try complaints(value, wanted, path).isEmpty, let then = schema["then"] else { return [] }
            return try complaints(value, then, path)
        case "then": return []
        case "required":
            guard let object else { return [] }
            return (wanted.array ?? []).compactMap(\.string).filter { object[$0] == nil }.map { "\(path): no '\($0)'" }
        case "minProperties":
            guard let object, let least = wanted.number else { return [] }
            return Double(object.members.count) >= least ? [] : ["\(path): it is empty"]
        case "propertyNames":
            return try (object?.members ?? []).flatMap { try complaints(.string($0.name), wanted, path) }
        case "properties":
            return try (object?.members ?? []).flatMap { member in
                try wanted[member.name].map { try complaints(member.value, $0, "\(path).\(member.name)") } ?? []
            }
        case "additionalProperties":
            let known = Set(schema["properties"]?.object?.members.map(\.name) ?? [])
            return try (object?.members ?? []).filter { !known.contains($0.name) }.flatMap { member in
                try complaints(member.value, wanted, "\(path).\(member.name)")
            }
        case "items":
            return try (value.array ?? []).enumerated().flatMap { try complaints($1, wanted, "\(path)[\($0)]") }
        case "minItems":
            guard let array = value.array, let least = wanted.number else { return [] }
            return Double(array.count) >= least ? [] : ["\(path): it has too few elements"]
        default: return ["\(path): the schema has the unknown keyword \(keyword)"]
        }
    }

    private static func isOf(_ value: JSON, _ type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.bool, "boolean"), (.int, "integer"), (.int, "number"), (.double, "number"),
            (.string, "string"), (.array, "array"), (.object, "object"):
            true
        default: false
        }
    }
}

extension JSON {
    /// A YAML tree as an editor takes it, by YAML's own rules for plain words.
    init(_ node: Node) {
        switch node.kind {
        case .sequence(let nodes): self = .array(nodes.map(JSON.init))
        case .mapping(let entries): self = .object(JSONObject(entries.map { ($0.key, JSON($0.value)) }))
        case .scalar(let text, .quoted): self = .string(text)
        case .scalar(let text, .plain):
            switch text {
            case "", "~", "null", "Null", "NULL": self = .null
            case "true", "True", "TRUE": self = .bool(true)
            case "false", "False", "FALSE": self = .bool(false)
            default:
                if let whole = Int64(text) {
                    self = .int(whole)
                } else if let number = Double(text), text.allSatisfy({ "0123456789+-.eE".contains($0) }) {
                    self = .double(number)
                } else {
                    self = .string(text)
                }
            }
        }
    }
}
