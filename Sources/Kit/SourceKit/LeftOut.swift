public import PluginKit

/// Entries of a service's lists that make no sense: they are named and left out, for one says nothing of the others.
public struct LeftOut: Hashable, Sendable {
    public private(set) var count = 0
    public private(set) var first: JSONMismatch?

    /// Beyond this share of a list it is not what the service promises, and what is left would be a choice that nobody has
    /// made.
    public static let shareMax = 0.5

    public init() {}

    /// What is said of them; nil where there are none.
    ///
    /// - Parameters:
    ///   - one: what an entry is, such as `an issue`.
    ///   - many: the same of several, such as `issues`.
    public func warning(_ one: String, _ many: String) -> String? {
        guard let first else { return nil }
        return count == 1 ? "\(one) is left out: \(first)" : "\(count) \(many) are left out, the first: \(first)"
    }

    /// What `read` gives; nil where it makes no sense, which is left out.
    public mutating func reading<Value>(_ read: () throws(JSONMismatch) -> Value?) -> Value? {
        do throws(JSONMismatch) {
            return try read()
        } catch {
            add(error)
            return nil
        }
    }

    /// Takes in one more.
    public mutating func add(_ mismatch: JSONMismatch) {
        count += 1
        first = first ?? mismatch
    }

    /// Takes in those of another list, or page of it.
    public mutating func add(_ more: LeftOut) {
        count += more.count
        first = first ?? more.first
    }
}

extension JSONReader {
    /// What is read of each entry of a list, but for those that make no sense.
    ///
    /// - Parameter read: nil for an entry that is of no interest.
    /// - Throws: where it is no list, and the first mismatch where more than half of the entries make no sense.
    public func elements<Value>(
        leaving left: inout LeftOut, _ read: (JSONReader) throws(JSONMismatch) -> Value?
    ) throws(JSONMismatch) -> [Value] {
        var values: [Value] = []
        var mismatches: [JSONMismatch] = []
        let elements = try elements()
        for element in elements {
            do throws(JSONMismatch) {
                if let value = try read(element) { values.append(value) }
            } catch {
                mismatches.append(error)
            }
        }
        if let first = mismatches.first, Double(mismatches.count) > Double(elements.count) * LeftOut.shareMax {
            throw first
        }
        for mismatch in mismatches { left.add(mismatch) }
        return values
    }
}
