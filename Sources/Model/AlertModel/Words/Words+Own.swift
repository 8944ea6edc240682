// What a team writes in place of a built-in phrase is held against that: a phrase that says less than it must, or asks
// for what is not there, is found when the config is read and not at night.

/// What is wrong with a phrase of a team's own.
public struct WordingMistake: Hashable, Sendable {
    public let message: String
    /// What was probably meant.
    public let suggestion: String?
    public let advice: String?

    init(_ message: String, suggestion: String? = nil, advice: String? = nil) {
        self.message = message
        self.suggestion = suggestion
        self.advice = advice
    }
}

extension PhraseID {
    /// Everything that is wrong with a wording in the place of the built-in one.
    public func mistakes(in own: Wording) -> [WordingMistake] {
        let forms = [own.text, own.one].compactMap(\.self)
        var found: [WordingMistake] = []
        if !mayBeEmpty, forms.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
            found.append(WordingMistake("it is empty"))
        }
        if forms.contains(where: { $0.contains(where: \.isNewline) }) {
            found.append(WordingMistake("it has a line break"))
        }
        if let longest = forms.map(\.count).max(), longest > charactersMax {
            found.append(WordingMistake("it has \(longest) characters, expected at most \(charactersMax)"))
        }
        if let count = listCount, case let own = Words.list(own.text).count, own != count {
            found.append(
                WordingMistake("it has \(own) \(own == 1 ? "word" : "words"), expected \(count) with spaces between"))
        }
        if own.one != nil, !hasCount {
            found.append(WordingMistake("it is about no number of things, so it has one form"))
        }
        return found + mistakesOfPlaces(own)
    }

    private func mistakesOfPlaces(_ own: Wording) -> [WordingMistake] {
        let offered = english.placeholders
        let names = Placeholder.allCases.filter(offered.contains).map(\.rawValue)
        var found: [WordingMistake] = []
        let unknown = own.strangers + own.placeholders.subtracting(offered).map(\.rawValue).sorted()
        for name in unknown {
            let near = name.nearest(in: names)
            found.append(
                WordingMistake(
                    "it has no {\(name.tamed.clipped(to: 40))}", suggestion: near.map { "{\($0)}" },
                    advice: near == nil ? names.isEmpty ? "it has no placeholders" : "it has \(list(names))" : nil))
        }
        if [own.text, own.one].compactMap(\.self).contains(where: \.hasStrayBrace) {
            found.append(WordingMistake("it has an unmatched brace", advice: "placeholders are written {like this}"))
        }
        // What is missing in one of the forms is missing where that form is said; a single thing need not be counted.
        let (many, one) = (own.formsPlaceholders.first ?? [], own.formsPlaceholders.dropFirst().first)
        var missing = required.subtracting(many)
        if let one { missing.formUnion(required.subtracting(one).subtracting([.count])) }
        // What was probably meant by an unknown one is not missing, too.
        if !missing.isEmpty, unknown.isEmpty {
            let names = Placeholder.allCases.filter(missing.contains).map(\.rawValue)
            found.append(WordingMistake("it lacks \(list(names))"))
        }
        return found
    }

    private func list(_ names: [String]) -> String { names.map { "{\($0)}" }.joined(separator: ", ") }

    /// The placeholders that it must have: those of the built-in one.
    private var required: Set<Placeholder> { english.formsPlaceholders.first ?? [] }

    /// Whether it may be a space, or nothing at all: marks of thousands are.
    public var mayBeEmpty: Bool { self == .numberThousands }

    /// Whether it may have a form of its own for exactly one.
    public var hasCount: Bool { english.one != nil || english.placeholders.contains(.count) }

    /// Of lists of names, how many there are.
    private var listCount: Int? {
        switch self {
        case .weekdays: 7
        case .months: 12
        default: nil
        }
    }

    /// Captions stand in places that chats keep short; sentences have an end.
    private var charactersMax: Int {
        switch self {
        case .numberDecimal, .numberThousands: 3
        case .percent, .points, .days, .hours, .minutes, .seconds: 24
        case .captionRepeated, .weekdays, .months: 120
        default:
            ["field.", "caption.", "link.", "metric.", "severity."].contains { name.hasPrefix($0) } ? 40 : 400
        }
    }
}

extension String {
    fileprivate var hasStrayBrace: Bool {
        var isOpen = false
        for character in self {
            switch character {
            case "{" where isOpen, "}" where !isOpen: return true
            case "{": isOpen = true
            case "}": isOpen = false
            default: break
            }
        }
        return isOpen
    }
}

extension Words {
    /// The table as YAML, to start one's own from: every phrase at the place where it would be changed.
    public var yaml: String {
        var lines: [String] = []
        var group = ""
        for id in PhraseID.allCases {
            let own = String(id.name.prefix { $0 != "." })
            if !lines.isEmpty, own != group, id.name.contains(".") || group.contains(".") { lines.append("") }
            group = own
            let wording = wording(id)
            if let one = wording.one {
                lines.append("\(id.name): {one: \(Words.quoted(one)), other: \(Words.quoted(wording.text))}")
            } else {
                lines.append("\(id.name): \(Words.quoted(wording.text))")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Every phrase by its id, for programs.
    public var json: JSON {
        .object(
            JSONObject(
                PhraseID.allCases.map { id in
                    let wording = wording(id)
                    return (
                        id.name,
                        wording.one.map { ["one": .string($0), "other": .string(wording.text)] }
                            ?? .string(wording.text)
                    )
                }))
    }

    /// In double quotes, which YAML and JSON read alike.
    private static func quoted(_ text: String) -> String { JSON.string(text).text }
}
