/// Something in the text that has to be fixed, and where.
public struct YAMLProblem: Hashable, Sendable {
    public let mark: Mark

    /// What is wrong: one phrase, without a full stop.
    public let message: String

    /// What to do about it, where that is known: a phrase that can follow the message after a semicolon.
    public let advice: String?

    /// In how many mappings and lists that stands, one in another, which is not in the tree because of it: 0 for the rest of
    /// the document; nil where nothing is left out.
    public let depthOfLoss: Int?

    init(_ mark: Mark, _ message: String, advice: String? = nil, depthOfLoss: Int? = 0) {
        self.mark = mark
        self.message = message
        self.advice = advice
        self.depthOfLoss = depthOfLoss
    }
}

/// A problem after which reading cannot go on.
struct Halt: Error {
    let problem: YAMLProblem

    init(_ mark: Mark, _ message: String, advice: String? = nil) {
        problem = YAMLProblem(mark, message, advice: advice)
    }
}

/// Scalars of the text that a message quotes at most; a longer name would push the advice off the screen.
private let quotedScalarsMax = 60

/// Quotes text from the document for a message, shortened, with characters a terminal would obey spelled out.
func quoted(_ text: some StringProtocol) -> String {
    var shown = ""
    for (count, scalar) in text.unicodeScalars.enumerated() {
        if count == quotedScalarsMax {
            shown += "…"
            break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: shown += scalar.escaped(asASCII: true)
        default: shown.unicodeScalars.append(scalar)
        }
    }
    return "'\(shown)'"
}
