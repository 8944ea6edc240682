internal import PluginKit
internal import SystemPorts

/// What is wrong with an answer: a phrase that can follow the option's name.
struct AnswerFlaw: Error {
    let sentence: String
    init(_ sentence: String) { self.sentence = sentence }
}

/// What people type for an option, read by the grammar of its kind.
enum Answer {
    /// How a map is typed.
    private static let form = "'name: value', or several as '{name: value, name: value}' or on lines of their own"

    /// - Parameter text: not empty; lists with commas, maps with commas or with an entry a line.
    static func value(of text: String, _ option: OptionSpec) throws(AnswerFlaw) -> DraftValue {
        switch option.kind {
        case .list(let kind, _):
            var parts: [String] = []
            // Brackets are how a config writes it, and what somebody who copies an example types.
            for part in text.trimming("[", "]").split(separator: ",") {
                let part = String(part).trimmed
                if part.isEmpty { continue }
                try check(part, kind)
                parts.append(part)
            }
            guard !parts.isEmpty else { throw AnswerFlaw("names nothing") }
            return .list(parts)
        case .map(let kind):
            var entries: [DraftValue.DraftEntry] = []
            let isInBraces = text.hasPrefix("{") && text.hasSuffix("}")
            for part in Answer.parts(of: text.trimming("{", "}")) {
                guard let colon = part.firstIndex(where: { ":=".contains($0) }) else {
                    throw AnswerFlaw("has '\(String(part).quotable)', expected \(form)")
                }
                var (name, value) = (String(part[..<colon]).trimmed, String(part[part.index(after: colon)...]).trimmed)
                // As in a config, a value with a comma or a secret in it may have quotes around it there.
                if isInBraces { (name, value) = (name.unquoted, value.unquoted) }
                guard !name.isEmpty, !value.isEmpty else {
                    throw AnswerFlaw("has an entry without a name or a value, expected \(form)")
                }
                try check(value, kind)
                guard !entries.contains(where: { $0.name == name }) else {
                    throw AnswerFlaw("has '\(name.tamed)' twice")
                }
                entries.append(DraftValue.DraftEntry(name: name, value: value))
            }
            guard !entries.isEmpty else { throw AnswerFlaw("names nothing, expected \(form)") }
            return .map(entries)
        default:
            try check(text, option.kind)
            return .text(text)
        }
    }

    /// The entries of a map: one a line, or with commas between them where each begins with a name, as in
    /// `app: $.name, users: sum($.a, $.b)`.
    private static func parts(of text: Substring) -> [Substring] {
        text.split(separator: "\n").flatMap { line -> [Substring] in
            // What a value has of the other sign begins no entry: `Cache-Control: no-cache, max-age=0`.
            let sign = line.first { ":=".contains($0) }
            var (parts, rest, depth) = ([Substring](), line, 0)
            var quote: Character?
            for index in line.indices {
                let character = line[index]
                if let open = quote {
                    if character == open { quote = nil }
                } else if character == "\"" || character == "'" {
                    quote = character
                } else if "([{".contains(character) {
                    depth += 1
                } else if ")]}".contains(character) {
                    depth -= 1
                } else if character == ",", depth == 0, beginsEntry(line[line.index(after: index)...], sign) {
                    parts.append(line[rest.startIndex..<index])
                    rest = line[line.index(after: index)...]
                }
            }
            return (parts + [rest]).filter { !$0.allSatisfy(\.isWhitespace) }
        }
    }

    private static func beginsEntry(_ text: Substring, _ sign: Character?) -> Bool {
        let entry = text.drop(while: \.isWhitespace)
        let name = entry.prefix { $0.isLetter || $0.isNumber || "_-.\"'".contains($0) }
        let value = entry.dropFirst(name.count)
        // Of an address in a value `https` is no name.
        return entry.isEmpty || !name.isEmpty && value.first == sign && value.dropFirst().first != "/"
    }

    /// Whether a single value is one of its kind. What it refers to is only known when the config is read.
    static func check(_ text: String, _ kind: OptionKind) throws(AnswerFlaw) {
        if text.contains("${") { return }
        if case .orOff(let inner) = kind {
            if text != "off" { try check(text, inner) }
            return
        }
        do throws(GrammarError) {
            _ = try kind.value(GuardedText(text))
        } catch {
            let found = (error.found ?? text).quotable
            throw AnswerFlaw("is '\(found)', expected \(error.expected)\(error.hint)")
        }
    }

    /// What is to stand in the config for a secret that is named rather than typed; nil for one that is typed.
    ///
    /// - Parameters:
    ///   - home: the user's home, which `~` stands for.
    ///   - folder: the config's folder, where relative paths start.
    static func secret(_ text: String, home: String?, folder: String) throws(AnswerFlaw) -> String? {
        if text.contains("${") { return text }
        guard ["/", "./", "../", "~/"].contains(where: text.hasPrefix) else { return nil }
        let path = text.hasPrefix("~/") ? (home ?? "~") + text.dropFirst(1) : text
        guard WholeFile.isThere(path.hasPrefix("/") ? path : folder + "/" + path) else {
            throw AnswerFlaw("is not the path of a file; for a secret that looks like a path, write ${env:NAME}")
        }
        return "${file:\(path)}"
    }
}

extension DraftValue {
    /// A reference to a file with the secret.
    static func secret(in file: String) -> DraftValue { .text("${file:\(file)}") }
}

extension String {
    /// Without quotes around it.
    fileprivate var unquoted: String {
        for quote in ["\"", "'"] as [Character] where count > 1 && first == quote && last == quote {
            return String(trimming(quote, quote))
        }
        return self
    }

    /// Without these two around it.
    fileprivate func trimming(_ first: Character, _ last: Character) -> Substring {
        hasPrefix(String(first)) && hasSuffix(String(last)) ? dropFirst().dropLast() : self[...]
    }
}
