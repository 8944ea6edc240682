public import PluginKit

// What a match can fit, as far as its patterns alone tell.

extension Match {
    /// The severities that it fits.
    public var severities: Set<Severity> {
        let all = Severity.allCases
        guard let condition = self["severity"] else { return Set(all) }
        return Set(all.filter { severity in condition.patterns.contains { $0.fits(severity.rawValue) } })
    }

    /// Whether it names the bot itself and no app.
    public var isAboutBot: Bool { self["app"]?.isAboutBot ?? false }

    /// The same without conditions that everything fits.
    public var narrowed: Match {
        Match(
            conditions.filter { condition in
                let isAny = condition.patterns.contains { $0.pattern == "*" }
                let isAnySeverity =
                    condition.property == "severity"
                    && Severity.allCases.allSatisfy { severity in
                        condition.patterns.contains { $0.fits(severity.rawValue) }
                    }
                return !isAny && !isAnySeverity
            })
    }

    /// Whether everything that this match fits, the other one fits for certain.
    public func isWithin(_ other: Match) -> Bool {
        other.conditions.allSatisfy { wanted in
            guard let mine = self[wanted.property] else { return false }
            return mine.patterns.allSatisfy { pattern in
                wanted.patterns.contains {
                    $0 == pattern || $0.pattern == "*" || pattern.isExact && $0.fits(pattern.pattern)
                }
            }
        }
    }
}

extension Match.Condition {
    var isAboutBot: Bool { patterns.allSatisfy { $0.isExact && $0.pattern == Subject.botApp } }
}
