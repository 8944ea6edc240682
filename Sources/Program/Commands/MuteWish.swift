internal import AlertCore
public import BotConfig
public import PluginKit
public import SystemPorts

/// What somebody wants muted, in the words of the command line.
public struct MuteWish: Sendable {
    /// Properties and their patterns, several of one meaning any of them.
    private let patterns: [(property: String, values: [String])]
    private let labels: [String]
    private let isEverything: Bool

    /// - Parameters:
    ///   - patterns: of each property, in the order in which people read them.
    ///   - labels: as `name=value`.
    ///   - isEverything: whether `--all` was given.
    public init(_ patterns: [(property: String, values: [String])], labels: [String], isEverything: Bool) {
        self.patterns = patterns
        self.labels = labels
        self.isEverything = isEverything
    }

    /// What is wrong with it, whatever the config says; nil when nothing is.
    public var complaint: String? {
        for label in labels where label.split(separator: "=", maxSplits: 1).count < 2 {
            return "--label is '\(label)', expected name=value, such as team=checkout"
        }
        for condition in conditions where condition.patterns.contains(where: { $0.pattern.trimmed.isEmpty }) {
            return "--\(condition.property) is empty, expected what to mute, such as --app shop-ios"
        }
        if isEverything != conditions.isEmpty {
            return isEverything
                ? "--all covers everything; leave out the rest, or leave out --all"
                : "name what to mute, such as --app shop-ios, or --all"
        }
        for severity in values(of: "severity") where Severity(rawValue: severity) == nil {
            return "--severity is '\(severity.tamed)', expected info, warning or critical"
                + severity.guess(in: Severity.allCases.map(\.rawValue))
        }
        return nil
    }

    public var match: Match { Match(conditions) }

    /// Finds names that the config does not have: one that is none covers nothing, which nobody wants.
    ///
    /// - Parameter path: the config's, for people.
    public func check(_ config: Config, _ path: String) throws(Failure) {
        // Of the bot's own troubles the source is what they are about; whether there is one, the bot knows.
        let templates = config.plan.detectors.filter { $0.template != nil }.map(\.name)
        try check(
            "source", config.sources.keys.sorted(), and: Array(config.channels.keys) + Trouble.things + templates, path)
        try check("rule", config.plan.detectors.map(\.name) + Trouble.allCases.map(\.rawValue), path)
    }

    private func check(
        _ property: String, _ known: [String], and others: [String] = [], _ path: String
    ) throws(Failure) {
        for name in values(of: property) where !(known + others).contains(where: { Glob(name).fits($0) }) {
            throw Failure(noSuch: property, name, in: path, known: known)
        }
    }

    /// Those given as a label, too: a label of that name is the property.
    private func values(of property: String) -> [String] {
        conditions.first { $0.property == property }?.patterns.map(\.pattern) ?? []
    }

    private var conditions: [Match.Condition] {
        var all = patterns
        for label in labels {
            let parts = label.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { continue }
            if let known = all.firstIndex(where: { $0.property == parts[0] }) {
                all[known].values.append(parts[1])
            } else {
                all.append((parts[0], [parts[1]]))
            }
        }
        return all.filter { !$0.values.isEmpty }.map {
            Match.Condition(property: $0.property, patterns: $0.values.map(Glob.init))
        }
    }
}
