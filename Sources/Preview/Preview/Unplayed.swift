internal import PluginKit

/// Why figures were left out of a preview: a rule that says nothing may have been shown nothing.
public struct Unplayed: Hashable, Sendable {
    /// The first reasons, each once.
    private var sentences: [String] = []
    /// How many observations were left out for yet others.
    private var moreCount = 0

    /// Nobody reads more of one kind, and a source that goes on like that has one a poll.
    private static let sentencesMax = 10

    mutating func take(_ sentence: String) {
        guard !sentences.contains(sentence) else { return }
        if sentences.count < Unplayed.sentencesMax {
            sentences.append(sentence)
        } else {
            moreCount += 1
        }
    }

    /// What people should know of it, a warning each.
    public var remarks: [String] {
        guard moreCount > 0 else { return sentences }
        let verb = moreCount == 1 ? "was" : "were"
        return sentences + ["and \(moreCount.counted("more observation")) \(verb) left out"]
    }
}
