internal import PluginKit
internal import YAMLKit

// Lists without brackets inside braces: of `{days: sat,sun}` the comma ends the value, and `sun` is a key.

extension ConfigReader {
    /// A list that a comma has cut off.
    struct CutList {
        let advice: String
        /// Whether the key can be nothing but one of its values.
        let isCertain: Bool

        /// Values of one list that are read at most: more than there are days, and each costs a look at its line.
        fileprivate static let valuesMax = 32
    }

    /// The list of which an entry is a value, by what stands before it; nil for a key as any other.
    ///
    /// - Parameters:
    ///   - known: the keys that the section has.
    ///   - options: those of them of which values may be lists.
    mutating func cutList(
        _ entries: [Entry], at index: Int, _ known: [String], _ options: [OptionSpec]
    ) -> CutList? {
        // Nearly all configs have no such key, and one without a list before it is asked nothing more.
        guard !options.isEmpty, entries[index].value.isNull else { return nil }
        var (first, end) = (index, index)
        while end < entries.count, end - index < CutList.valuesMax, !known.contains(entries[end].key),
            isCutOff(entries[end])
        {
            end += 1
        }
        while first > 0, end > index, index - first < CutList.valuesMax, !known.contains(entries[first - 1].key),
            isCutOff(entries[first - 1])
        {
            first -= 1
        }
        let cut = entries[first..<end].map(\.key)
        guard first > 0, !cut.isEmpty else { return nil }
        let owner = entries[first - 1]
        guard owner.value.lastLine == entries[index].keyMark.line, case .scalar(let value, .plain) = owner.value.kind,
            !owner.value.isNull,
            let spec = options.first(where: { $0.name == owner.key }), !spec.isSecret, spec.kind.takesSeveral
        else { return nil }
        let rule = "inside { } a comma starts the next key: "
        // Days are known by their names, so that all of it has been read.
        if case .days = spec.kind, ([value] + cut).allSatisfy({ (try? DaySet(grammar: $0)) != nil }) {
            let days = ([value] + cut).joined(separator: ", ")
            return CutList(advice: rule + "write \(spec.name): [\(days)]", isCertain: true)
        }
        return CutList(advice: rule + "write a list as in \(spec.name): [a, b]", isCertain: false)
    }

    /// Whether it has neither a colon nor a value, as only what stands between braces may.
    private mutating func isCutOff(_ entry: Entry) -> Bool {
        guard entry.value.isNull else { return false }
        let line = Substring(line(of: entry.keyMark).unicodeScalars.dropFirst(entry.keyMark.column - 1))
        guard line.hasPrefix(entry.key) else { return false }
        return line.dropFirst(entry.key.count).prefixMatch(of: /[ \t]*(?:[,}]|$)/) != nil
    }
}

extension OptionKind {
    fileprivate var takesSeveral: Bool {
        switch self {
        case .list, .days: true
        case .orOff(let inner): inner.takesSeveral
        default: false
        }
    }
}
