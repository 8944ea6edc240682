internal import AlertCore
internal import PluginKit

extension ConfigLoader {
    /// Sources of a config in its order, and what can be told of all of them together. With a thousand teams there are as many
    /// rules as sources: each rule looks up those that it names, and what rules have in common is found out once.
    ///
    /// A class, because that is found out when somebody asks for it.
    final class SourceList: RandomAccessCollection {
        private let entries: [SourceEntry]
        private lazy var list: NameList = NameList(entries.map(\.plan.name))
        private var picked: [Match.Condition: SourceList] = [:]
        private var given: [String: Set<String>?] = [:]
        private var lists: [Bool: [String: NameList]] = [:]
        private var measured: [Metric: Bool] = [:]

        private(set) lazy var names: Set<String> = Set(entries.map(\.plan.name))
        /// Whether the options of each are right.
        private(set) lazy var areAllRead: Bool = entries.allSatisfy { $0.source != nil }
        private(set) lazy var givesLabels: Bool = entries.contains { $0.source?.givesLabels != false }
        private(set) lazy var givesIssues: Bool = entries.contains { $0.source?.givesIssues != false }
        /// The metrics that they are known to give, by name.
        private(set) lazy var metricNames: [String] =
            Set(entries.flatMap { $0.source?.metrics ?? [] }.map(\.name)).sorted()
        /// The shortest time between two polls of one of them.
        private(set) lazy var throttle: Duration? = entries.map(\.plan.throttle).min()
        /// Their names as a sentence has them: `'ios' or 'web'`.
        private(set) lazy var quotedNames: String = entries.quotedNames
        /// The same without quotes, of many the first.
        private(set) lazy var shortNames: [String] = entries.map(\.plan.name).sorted().shortened

        init(_ entries: [SourceEntry]) { self.entries = entries }

        var startIndex: Int { entries.startIndex }
        var endIndex: Int { entries.endIndex }
        subscript(position: Int) -> SourceEntry { entries[position] }

        /// Those that a rule or route looks at.
        func seen(by match: Match) -> SourceList {
            guard let condition = match["source"] else { return self }
            if let known = picked[condition] { return known }
            let fitting = SourceList(list.places(of: condition).map { entries[$0] })
            picked[condition] = fitting
            return fitting
        }

        /// Those that any of several rules looks at.
        func seen(byAnyOf matches: [Match]) -> SourceList {
            if matches.count == 1 { return seen(by: matches[0]) }
            let looked = Set(matches.flatMap { match in seen(by: match).map { ObjectIdentifier($0) } })
            return SourceList(entries.filter { looked.contains(ObjectIdentifier($0)) })
        }

        /// What all of them together give for a property; nil where one of them does not tell.
        func configured(_ property: String, for scope: DetectorScope?) -> Set<String>? {
            // A rule that watches a source as such is shown one whose app is the source's own name.
            if scope == .source, property == "app" { return nil }
            if let known = given[property] { return known }
            let values = entries.configured(property)
            given.updateValue(values, forKey: property)
            return values
        }

        /// What people know of what all of them give for a property.
        ///
        /// - Parameter isOfIncidents: whether their own names go without saying, as those of what incidents are about.
        func known(_ property: String, isOfIncidents: Bool) -> NameList {
            if let list = lists[isOfIncidents]?[property] { return list }
            let values = (configured(property, for: nil) ?? []).subtracting(["", Subject.botApp])
            let list = NameList((isOfIncidents ? values.subtracting(names) : values).sorted())
            lists[isOfIncidents, default: [:]][property] = list
            return list
        }

        /// Whether one of them gives a metric, or may.
        func gives(_ metric: Metric) -> Bool {
            if let isGiven = measured[metric] { return isGiven }
            let isGiven = entries.contains { entry in
                guard let given = entry.source?.metrics else { return true }
                return given.contains(metric) || metric.canBeComputed(from: given)
            }
            measured[metric] = isGiven
            return isGiven
        }
    }
}

extension [ConfigLoader.SourceEntry] {
    fileprivate func configured(_ property: String) -> Set<String>? {
        var all: Set<String> = []
        for entry in self {
            if property == Match.owner, entry.source?.givesLabels == false {
                all.insert(entry.plan.owner ?? "")
                continue
            }
            guard let values = entry.source?.configured(property) else { return nil }
            all.formUnion(values)
        }
        return all
    }

    /// Their names as a sentence has them: `'ios' or 'web'`.
    var quotedNames: String { map { "'\($0.plan.name)'" }.sorted().shortened.listed }
}

extension [String] {
    /// For a sentence that is to be read to its end: the first of many, and how many others there are.
    var shortened: [String] { count > 20 ? prefix(20) + ["\(count - 20) others"] : self }
}
