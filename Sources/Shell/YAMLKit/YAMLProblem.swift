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

    /// The key of which it says that its colon is missing; it does not name it, for it may be a secret.
    public let key: String?

    /// The same with the name of that key, for whoever knows that it is one.
    public var named: YAMLProblem {
        guard let key else { return self }
        return YAMLProblem(
            mark, "\(quoted(key)) has no ':' after it", advice: "write \(quoted(key + ": …"))", depthOfLoss: depthOfLoss
        )
    }

    init(_ mark: Mark, keyWithoutColon key: String?, advice: String? = nil) {
        self.init(mark, "a ':' is missing after this key", advice: advice, key: key)
    }

    init(_ mark: Mark, _ message: String, advice: String? = nil, depthOfLoss: Int? = 0, key: String? = nil) {
        self.mark = mark
        self.message = message
        self.advice = advice
        self.depthOfLoss = depthOfLoss
        self.key = key
    }
}

/// A problem after which reading cannot go on.
struct Halt: Error {
    let problem: YAMLProblem

    init(_ mark: Mark, _ message: String, advice: String? = nil) {
        self.init(YAMLProblem(mark, message, advice: advice))
    }

    init(_ problem: YAMLProblem) {
        self.problem = problem
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
