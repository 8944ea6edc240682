public import PluginKit

extension Plan {
    /// Why a mute that somebody set covers nothing under this config: its rule or its source is not there, as after that got
    /// another name. Nil where it is there, or may be: a pattern can be meant for what comes yet.
    public func whyCoversNothing(_ mute: Mute) -> String? {
        for condition in mute.match.conditions where !condition.patterns.isEmpty {
            let isKnown: (String) -> Bool
            switch condition.property {
            case "rule": isKnown = { detector($0) != nil || Trouble(rawValue: $0) != nil }
            // Of the bot's own troubles the source is what they are about.
            case "source":
                isKnown = {
                    source($0) != nil || channel($0) != nil || detector($0) != nil || Trouble.things.contains($0)
                }
            default: continue
            }
            guard condition.patterns.allSatisfy({ $0.isExact && !isKnown($0.pattern) }) else { continue }
            let names = condition.patterns.map { "'\($0.pattern.quotable)'" }.joined(separator: " or ")
            return "there is no \(condition.property) \(names)"
        }
        return nil
    }
}
