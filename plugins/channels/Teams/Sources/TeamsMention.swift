internal import PluginKit

/// Somebody in the team's directory: by the name for logging in, or the object's id, and as people read it.
struct TeamsMention: Hashable, Sendable {
    let id: String
    let name: String

    static let forms = "ana@example.com, or Ana López <ana@example.com>, with an address or an object id"

    /// What people's names are made of: nothing that a card reads as markup.
    private static let nameMax = 40
    private static let idMax = 100
    /// What all calls of one message may take of a card.
    static let bytesMax = 4_000

    /// Nil for what names nobody.
    init?(_ written: String) {
        var (id, name) = (written.trimmed, "")
        if id.hasSuffix(">"), let open = id.firstIndex(of: "<") {
            name = String(id[..<open]).trimmed
            id = String(id[id.index(after: open)...].dropLast()).trimmed
            guard !name.isEmpty else { return nil }
        }
        guard TeamsMention.isAddress(id) || TeamsMention.isObject(id), id.utf8.count <= TeamsMention.idMax else {
            return nil
        }
        // An object id says nothing to people.
        if name.isEmpty, TeamsMention.isObject(id) { return nil }
        if name.isEmpty {
            // Cards read '_' as the beginning of italics.
            name = id.split(separator: "@")[0].split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
        }
        guard (1...TeamsMention.nameMax).contains(name.count),
            name.allSatisfy({ $0.isLetter || $0.isNumber || " .'-".contains($0) })
        else { return nil }
        self.id = id
        self.name = name
    }

    /// As the config would write it in full.
    var text: String { "\(name) <\(id)>" }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { $0.isASCIILetterOrDigit || "._%+-".utf8.contains($0) }
            }
    }

    /// `8f0c1d5e-…`, as the directory names whoever is in it.
    private static func isObject(_ text: String) -> Bool {
        let lengths = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        return lengths == [8, 4, 4, 4, 12] && text.allSatisfy { $0 == "-" || $0.isHexDigit }
    }

    // MARK: In a card

    private var mark: String { "<at>\(name)</at>" }

    /// The line that calls them. Mentions are read in text blocks alone, so the names are all that stands in it.
    static func line(_ people: [TeamsMention]) -> JSON {
        [
            "type": "TextBlock", "text": .string(people.map(\.mark).joined(separator: " ")), "wrap": true,
        ]
    }

    /// Whom the marks mean: without it, nobody is called.
    static func entities(_ people: [TeamsMention]) -> JSON {
        .array(
            people.map {
                [
                    "type": "mention", "text": .string($0.mark),
                    "mentioned": ["id": .string($0.id), "name": .string($0.name)],
                ]
            })
    }

    /// What they take of a card, with everything beyond ASCII escaped.
    static func size(of people: [TeamsMention]) -> Int {
        guard !people.isEmpty else { return 0 }
        return (line(people).text + entities(people).text).unicodeScalars.reduce(20) { size, scalar in
            size + (scalar.isASCII ? 1 : 6 * UTF16.width(scalar))
        }
    }
}
