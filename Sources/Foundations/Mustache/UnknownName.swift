// A name that no value has is written as nothing, so a mistyped one would be noticed when it is missed. Held against a
// sample that has every value there can be, it is found before.

extension Template {
    /// A name that the sample cannot serve.
    public struct Misfit: Hashable, Sendable {
        public let name: Name
        public let kind: Kind

        public enum Kind: Hashable, Sendable {
            /// There is none; known are those that could stand there.
            case unknown(known: [String])
            /// It is a list or has members, and cannot be written as text.
            case isNoText
            /// It is asked of a list, of which only the elements have it.
            case isOfElements(list: String)
        }
    }

    /// What the template asks for and the sample does not have.
    ///
    /// - Parameters:
    ///   - sample: every value there can be, lists with an element.
    ///   - open: names of the outermost values whose members may have any name.
    public func misfits(in sample: Value, open: Set<String>) -> [Misfit] {
        names.compactMap { name in
            var stack = [sample]
            for section in name.sections {
                guard !section.isOpen(in: open) else {
                    stack.append(.text(""))
                    continue
                }
                // Of a section that is not known, its own tag says so.
                guard let value = section.found(in: stack) else { return nil }
                stack.append(value.element)
            }
            guard !name.path.isEmpty, !name.path.isOpen(in: open) else {
                return name.path.isEmpty && name.use == .text && stack.last?.isText == false
                    ? Misfit(name: name, kind: .isNoText) : nil
            }
            guard let value = name.path.found(in: stack) else {
                if let list = name.path.listOnTheWay(in: stack) {
                    return Misfit(name: name, kind: .isOfElements(list: list))
                }
                return Misfit(name: name, kind: .unknown(known: name.path.known(in: stack)))
            }
            return name.use == .text && !value.isText ? Misfit(name: name, kind: .isNoText) : nil
        }
    }
}

extension [String] {
    fileprivate func isOpen(in open: Set<String>) -> Bool { first.map(open.contains) ?? false && count > 1 }

    /// The first part of the path that is a list, where more follows.
    fileprivate func listOnTheWay(in stack: [Value]) -> String? {
        for length in 1..<Swift.max(1, count) {
            let front = Array(prefix(length))
            if case .list = front.found(in: stack) { return front.joined(separator: ".") }
        }
        return nil
    }

    /// The names that could stand there, with what stands before the last dot.
    fileprivate func known(in stack: [Value]) -> [String] {
        var names: Set<String> = []
        for case .members(let members) in stack {
            for (name, value) in members {
                names.insert(name)
                if case .members(let inner) = value { names.formUnion(inner.keys.map { "\(name).\($0)" }) }
            }
        }
        return names.sorted()
    }
}

extension Value {
    /// What a section of it is written with.
    fileprivate var element: Value {
        if case .list(let values) = self, let first = values.first { first } else { self }
    }

    fileprivate var isText: Bool {
        switch self {
        case .text, .flag: true
        case .list(let values): values.allSatisfy(\.isText)
        case .members: false
        }
    }
}
