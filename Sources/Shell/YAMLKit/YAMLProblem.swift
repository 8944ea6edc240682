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

    /// The key that it is about, whether it names it or not; nil where it is about none.
    public let key: KeyFlaw?

    /// The same with the name of that key, for whoever knows that it is one, or without it, for whoever does not.
    public func naming(_ isKnown: Bool) -> YAMLProblem {
        key.map { YAMLProblem(mark, $0, isNamed: isKnown, depthOfLoss: depthOfLoss) } ?? self
    }

    init(_ mark: Mark, _ key: KeyFlaw, isNamed: Bool, depthOfLoss: Int? = 0) {
        let said = isNamed ? key.named : key.unnamed
        self.init(mark, said.message, advice: said.advice, depthOfLoss: depthOfLoss, key: key)
    }

    init(_ mark: Mark, _ message: String, advice: String? = nil, depthOfLoss: Int? = 0, key: KeyFlaw? = nil) {
        self.mark = mark
        self.message = message
        self.advice = advice
        self.depthOfLoss = depthOfLoss
        self.key = key
    }
}

/// What is wrong with a key, which is a part of a secret where it only looks like one: so it is said in two ways.
public struct KeyFlaw: Hashable, Sendable {
    /// A phrase without a position, and what to do.
    public struct Sentence: Hashable, Sendable {
        public let message: String
        public let advice: String?
    }

    public let key: String
    public let named: Sentence
    public let unnamed: Sentence

    /// - Parameter advice: what to do where the key is not named.
    init(withoutColon key: String, advice: String?) {
        self.key = key
        named = Sentence(message: "\(quoted(key)) has no ':' after it", advice: "write \(quoted(key + ": …"))")
        unnamed = Sentence(message: "a ':' is missing after this key", advice: advice)
    }

    init(duplicate key: String, firstOnLine line: Int) {
        self.key = key
        let advice = key.adviceOnSpace ?? "keep one"
        unnamed = Sentence(message: "duplicate key, first on line \(line)", advice: advice)
        // The address of a webhook is a secret, and no name has a slash.
        named =
            key.contains("/")
            ? unnamed : Sentence(message: "duplicate key \(quoted(key)), first on line \(line)", advice: advice)
    }

    init(_ slip: MissingSpace) {
        key = String(slip.key)
        named = Sentence(message: slip.message, advice: slip.advice)
        unnamed = Sentence(message: slip.messageWithoutKey, advice: slip.adviceWithoutKey)
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
