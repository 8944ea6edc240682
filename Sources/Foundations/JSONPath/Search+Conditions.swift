internal import AlertModel

// What conditions say of a value: comparisons by RFC 9535, section 2.3.5.2.2.

extension Search {
    mutating func holds(_ condition: Condition, of current: JSONReader) throws(JSONMismatch) -> Bool {
        try budget.visit(1, for: path)
        switch condition {
        case .all(let parts):
            for part in parts where try !holds(part, of: current) { return false }
            return true
        case .any(let parts):
            for part in parts where try holds(part, of: current) { return true }
            return false
        case .not(let inner): return try !holds(inner, of: current)
        case .finds(let query):
            return query.isSingular
                ? try single(query, of: current) != nil : try !nodes(query, of: current).isEmpty
        case .compares(let left, let comparator, let right):
            return try compares(try value(of: left, current), comparator, try value(of: right, current))
        case .fits(let operand, let pattern, let isWhole):
            guard case .string(let text) = try value(of: operand, current),
                let pattern = try self.pattern(pattern, current)
            else { return false }
            return try budget.fits(pattern, text, isWhole: isWhole, for: path)
        }
    }

    private mutating func pattern(
        _ operand: PatternOperand, _ current: JSONReader
    ) throws(JSONMismatch) -> Pattern? {
        switch operand {
        case .fixed(let pattern): return pattern
        case .found(let operand):
            guard case .string(let text) = try value(of: operand, current) else { return nil }
            return try budget.pattern(text, for: path)
        }
    }

    /// What is compared; nil for nothing, which is a value of its own.
    private mutating func value(of operand: Operand, _ current: JSONReader) throws(JSONMismatch) -> JSON? {
        switch operand {
        case .literal(let value): return value
        case .query(let query): return try single(query, of: current)
        case .length(let inner):
            switch try value(of: inner, current) {
            case .string(let text):
                try budget.visit(text.utf8.count / Search.bytesPerVisit, for: path)
                return JSON(text.unicodeScalars.count)
            case .array(let elements): return JSON(elements.count)
            case .object(let object):
                try budget.visit(object.members.count, for: path)
                return JSON(Set(object.members.map { Spelling($0.name) }).count)
            default: return nil
            }
        case .count(let query): return JSON(try nodes(query, of: current).count)
        case .value(let query):
            let found = try nodes(query, of: current)
            return found.count == 1 ? found[0].value : nil
        }
    }

    private mutating func compares(
        _ left: JSON?, _ comparator: Condition.Comparator, _ right: JSON?
    ) throws(JSONMismatch) -> Bool {
        switch comparator {
        case .equal: try isSame(left, right)
        case .notEqual: try !isSame(left, right)
        case .below: isBelow(left, right)
        case .above: isBelow(right, left)
        case .atMost: try isBelow(left, right) ? true : isSame(left, right)
        case .atLeast: try isBelow(right, left) ? true : isSame(left, right)
        }
    }

    /// Numbers have an order, and texts that of their characters.
    private func isBelow(_ left: JSON?, _ right: JSON?) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): return left < right
        case (.string(let left), .string(let right)): return left.utf8.lexicographicallyPrecedes(right.utf8)
        default:
            guard let left = left?.number, let right = right?.number else { return false }
            return left < right
        }
    }

    private mutating func isSame(_ left: JSON?, _ right: JSON?) throws(JSONMismatch) -> Bool {
        try budget.visit(1, for: path)
        switch (left, right) {
        case (nil, nil), (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.int(let left), .int(let right)): return left == right
        case (.string(let left), .string(let right)):
            try budget.visit(min(left.utf8.count, right.utf8.count) / Search.bytesPerVisit, for: path)
            return left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            for (one, other) in zip(left, right) where try !isSame(one, other) { return false }
            return true
        case (.object(let left), .object(let right)):
            try budget.visit(left.members.count + right.members.count, for: path)
            let (mine, theirs) = (Search.byName(left), Search.byName(right))
            guard mine.count == theirs.count else { return false }
            for (name, value) in mine {
                guard let other = theirs[name], try isSame(value, other) else { return false }
            }
            return true
        default:
            guard let left = left?.number, let right = right?.number else { return false }
            return left == right
        }
    }

    private static func byName(_ object: JSONObject) -> [Spelling: JSON] {
        Dictionary(object.members.map { (Spelling($0.name), $0.value) }) { $1 }
    }

    /// Looking at the bytes of a text is quicker than looking at values.
    private static let bytesPerVisit = 64
}
