internal import PluginKit
internal import YAMLKit

// The language of messages, and phrases of a team's own in it: in the config itself, or in a file that it names. What is
// wrong with one is found here.

extension BotSettings {
    static let language = Setting(
        "language", .choice(of: Words.Language.self), default: .english,
        "The language of messages: en (English) or es (Spanish).")
    /// No setting like the others: the name of a file, or phrases in place.
    static let words = "words"
}

extension ConfigLoader {
    private static let wordsBytesMax = 256 << 10

    /// The words of messages.
    mutating func readWords(_ entries: [Entry], _ language: Words.Language) -> Words {
        let builtIn = Words.builtIn(language)
        guard let entry = entries.first(where: { $0.key == BotSettings.words }), !entry.value.isNull else {
            return builtIn
        }
        switch entry.value.kind {
        case .mapping(let own): return builtIn.replacing(readPhrases(own))
        case .scalar:
            guard let file = reader.text(entry.value, BotSettings.words) else { return builtIn }
            return builtIn.replacing(readPhrases(phrases(in: file, at: entry.value.position)))
        case .sequence:
            reader.report(
                entry.value.position, "'words' must be a file's name or a mapping of phrases, not a list",
                advice: "'alertbot words show' has all phrases")
            return builtIn
        }
    }

    /// What a file of phrases has.
    private mutating func phrases(in file: GuardedText, at position: Position) -> [Entry] {
        let path = absolute(file.reveal())
        let name = reader.shownName(of: file, at: path)
        guard
            let bytes = reader.bytes(
                ofFile: path, called: name, BotSettings.words, at: position, most: ConfigLoader.wordsBytesMax,
                advice: "'alertbot words show' has a table to start from")
        else { return [] }
        reader.texts[name] = bytes
        let document = YAML.parse(bytes, of: name)
        reader.reportBroken(document, mayHoldNames: false)
        return document.root.map { reader.entries(of: $0, "a file of words") } ?? []
    }

    private mutating func readPhrases(_ entries: [Entry]) -> [PhraseID: Wording] {
        let known = PhraseID.allCases.map(\.name)
        var own: [PhraseID: Wording] = [:]
        for entry in entries {
            guard let id = PhraseID(name: entry.key) else {
                let near = entry.key.nearest(in: known)
                reader.report(
                    entry.keyMark.position, "there is no phrase '\(entry.key.quotable)'", near,
                    advice: near == nil ? "'alertbot words show' has all of them" : nil)
                continue
            }
            guard let wording = readWording(entry, of: id) else { continue }
            let mistakes = id.mistakes(in: wording)
            for mistake in mistakes {
                reader.report(
                    entry.value.position, "'\(id.name)': \(mistake.message)", mistake.suggestion,
                    advice: mistake.advice)
            }
            if mistakes.isEmpty { own[id] = wording }
        }
        return own
    }

    /// A phrase as it stands there: a text, or two forms of it. There are no secrets in words that people read.
    private mutating func readWording(_ entry: Entry, of id: PhraseID) -> Wording? {
        func text(_ node: Node) -> String? { if case .scalar(let text, _) = node.kind { text } else { nil } }
        if let text = text(entry.value) { return Wording(other: text) }
        guard case .mapping(let forms) = entry.value.kind else {
            reader.report(entry.value.position, "'\(id.name)' must be a text, not \(entry.value.kindName)")
            return nil
        }
        reader.reportUnknown(forms, known: ["one", "other"], in: "'\(id.name)'")
        guard let other = forms.first(where: { $0.key == "other" }).flatMap({ text($0.value) }) else {
            reader.report(
                entry.value.position, "'\(id.name)' has no 'other'",
                advice: "write {one: ..., other: ...}, or one text for both")
            return nil
        }
        return Wording(one: forms.first { $0.key == "one" }.flatMap { text($0.value) }, other: other)
    }
}
