internal import PluginKit

/// What stands in the address, the headers or the body for something that is known only when they are sent: `{from}`,
/// `{to:date}`, `{cursor}`.
struct Placeholder: Hashable {
    enum Name: String, CaseIterable { case from, to, cursor, offset, page }

    /// How a moment is written.
    enum Format: String, CaseIterable {
        case rfc3339, seconds, milliseconds, date
        /// The day of the last moment before: for services that count the last day in.
        case lastDate = "last_date"
    }

    let name: Name
    let format: Format

    /// The whole words in the order in which they stand, and what is wrong with those that nearly are some.
    static func all(in text: String) -> (found: [Placeholder], flaws: [Flaw]) {
        var result: (found: [Placeholder], flaws: [Flaw]) = ([], [])
        _ = replaced(in: text) { word in
            switch read(word) {
            case .success(let placeholder): result.found.append(placeholder)
            case .failure(let flaw): result.flaws.append(flaw)
            case nil: break
            }
            return nil
        }
        return result
    }

    struct Flaw: Error, Hashable {
        let message: String
        let suggestion: String?
    }

    /// Nil for what has nothing to do with placeholders: braces are common in JSON and in queries.
    private static func read(_ word: Substring) -> Result<Placeholder, Flaw>? {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = Name(rawValue: parts[0]) else {
            guard parts[0].utf8.count > 2, let near = parts[0].nearest(in: Name.allCases.map(\.rawValue)) else {
                return nil
            }
            return .failure(Flaw(message: "'{\(word)}' is not a placeholder", suggestion: "{\(near)}"))
        }
        guard parts.count == 2 else { return .success(Placeholder(name: name, format: .rfc3339)) }
        let formats = name.isMoment ? Format.allCases.map(\.rawValue) : []
        guard let format = Format(rawValue: parts[1]), !formats.isEmpty else {
            let expected = formats.isEmpty ? "'{\(name.rawValue)}'" : formats.listed
            return .failure(
                Flaw(
                    message: "'{\(word)}' is not a placeholder, expected \(expected) ",
                    suggestion: parts[1].nearest(in: formats).map { "{\(name.rawValue):\($0)}" }))
        }
        return .success(Placeholder(name: name, format: format))
    }

    /// The text with every word in braces changed, where there is something to change it to.
    fileprivate static func replaced(in text: String, _ change: (Substring) -> String?) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[open...]
            let word = rest.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
            if word.endIndex < rest.endIndex, rest[word.endIndex] == "}", !word.isEmpty, let new = change(word) {
                result += new
                rest = rest[rest.index(after: word.endIndex)...]
            } else {
                result += "{"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }
}

extension Placeholder.Name {
    var isMoment: Bool { self == .from || self == .to }
}

/// What placeholders stand for in one request.
struct Filling {
    var span: TimeSpan?
    var cursor = ""
    var number = 0

    /// The text with its placeholders filled in.
    ///
    /// - Parameter encode: how a value is written where the text goes.
    func fill(_ text: GuardedText, _ encode: (String) -> String) -> GuardedText {
        text.mapped { piece in
            Placeholder.replaced(in: piece) { word in
                guard let placeholder = Placeholder.all(in: "{\(word)}").found.first else { return nil }
                return value(of: placeholder).map(encode)
            }
        }
    }

    private func value(of placeholder: Placeholder) -> String? {
        switch placeholder.name {
        case .from: span.map { Filling.written($0.from, placeholder.format) }
        case .to: span.map { Filling.written($0.to, placeholder.format) }
        case .cursor: cursor
        case .offset, .page: String(number)
        }
    }

    private static func written(_ moment: Moment, _ format: Placeholder.Format) -> String {
        switch format {
        case .rfc3339: moment.description
        case .seconds: String(Recall.floor(moment, to: .seconds(1)).milliseconds / 1000)
        case .milliseconds: String(moment.milliseconds)
        case .date: String(moment.description.prefix(10))
        case .lastDate: String((moment - .milliseconds(1)).description.prefix(10))
        }
    }
}
