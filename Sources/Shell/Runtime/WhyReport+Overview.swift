internal import AlertCore
internal import PluginKit

// The answer to somebody who asks about everything: what concerns people first, and what is fine in as few words as say so.

extension WhyReport {
    /// The paragraphs in the order in which people want them, and at the end one with a line for each thing that is fine.
    var overview: [String] {
        // A single answer is read to its end.
        guard explanations.count > 1 else { return paragraphs }
        let fine = explanations.filter { $0.urgency == .fine }
        let told = explanations.enumerated().filter { $0.element.urgency != .fine }
            .sorted { ($0.element.urgency, $0.offset) < ($1.element.urgency, $1.offset) }
            .map { paragraph($0.element) }
        guard !fine.isEmpty else { return told }
        let title = "Fine, and nothing is open or held (--app explains more):"
        return told + [([title] + fine.map { "  \(line($0))" }).joined(separator: "\n")]
    }

    private func line(_ explanation: Explanation) -> String {
        let sentence = explanation.judgement.evidence.sentence
        return name(of: explanation) + (sentence.isEmpty ? "" : ": \(sentence.tamed)")
    }
}

extension Explanation {
    /// How soon people want to read of it.
    fileprivate enum Urgency: Int, Comparable {
        case critical, firing, pending
        /// Open though it does not fire now, or over and somebody has still to hear of that.
        case unsettled
        case unknown, fine

        static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
    }

    fileprivate var urgency: Urgency {
        if let incident {
            switch incident.state {
            case .pending: return .pending
            case .firing: return incident.severity == .critical ? .critical : .firing
            default: return .unsettled
            }
        }
        switch judgement.verdict {
        case .firing: return .firing
        case .unknown: return over.isEmpty ? .unknown : .unsettled
        case .ok:
            guard over.isEmpty else { return .unsettled }
            return noNewsSince == nil ? .fine : .unknown
        }
    }
}
