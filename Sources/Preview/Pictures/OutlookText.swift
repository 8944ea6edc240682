internal import Markup
internal import PluginKit
public import Preview

/// What rules could judge and what they could not, for people.
public enum OutlookText {
    public static let title = "What the rules could judge"

    /// Reasons shown of one rule; the rest is counted. `--format json` has them all.
    static let reasonsMax = 5

    /// A line for each rule and, indented, one for each thing that it could not judge.
    public static func lines(_ outlooks: [RuleOutlook]) -> [String] {
        outlooks.flatMap { outlook -> [String] in
            var lines = ["\(outlook.rule): \(headline(outlook))"]
            lines += outlook.unknown.prefix(reasonsMax).map { "  \($0.name): \($0.reason.tamed)" }
            let rest = outlook.unknown.count - reasonsMax
            if rest > 0 { lines.append("  … and \(rest) more") }
            return lines
        }
    }

    private static func headline(_ outlook: RuleOutlook) -> String {
        let missing = outlook.unknown.count
        guard outlook.judged > 0 else {
            return missing == 0 ? "judged nothing, since nothing matches it" : "could not judge anything:"
        }
        let firing = outlook.firing == 0 ? "none firing" : "\(outlook.firing) firing"
        return "judged \(outlook.judged), \(firing)" + (missing == 0 ? "" : "; could not judge \(missing):")
    }

    static func section(_ outlooks: [RuleOutlook]) -> HTML? {
        guard !outlooks.isEmpty else { return nil }
        let table = PageFrame.table(
            title, head: ["rule", "judged", "firing", "could not judge"],
            rows: outlooks.map { outlook in
                var reasons = outlook.unknown.prefix(reasonsMax).map { "\($0.name): \($0.reason.tamed)" }
                let rest = outlook.unknown.count - reasonsMax
                if rest > 0 { reasons.append("… and \(rest) more") }
                return [
                    "\(outlook.rule)", "\(outlook.judged)", "\(outlook.firing)",
                    "\(reasons.isEmpty ? "–" : reasons.joined(separator: "; "))",
                ]
            }, isWordy: true)
        return "<section><h2>\(title)</h2>\(table)</section>"
    }
}
