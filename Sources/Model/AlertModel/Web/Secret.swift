/// A text that nobody may see: every way of printing or encoding it gives `***`.
///
/// Only `reveal()` gives the value, so a search for that word finds every place where a secret is used as what it is: where
/// a request is made or signed, where a login is compared, where the config's reader looks at its form.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    public init(_ value: String) { self.value = value }

    public func reveal() -> String { value }

    /// Whether it is that text; how long the answer takes tells nothing of where they differ.
    public func isSame(as text: String) -> Bool {
        let (mine, theirs) = (Array(value.utf8), Array(text.utf8))
        guard mine.count == theirs.count else { return false }
        return zip(mine, theirs).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// A text without the secret that it has taken along, such as the error of a library, however it is spelled there.
    public func masked(in text: String) -> String { SecretMask(self).masked(in: text) }

    public var description: String { Secret.mask }
    public var debugDescription: String { Secret.mask }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// What stands for a secret wherever people or files could see it.
    public static let mask = "***"
}

/// Text in which some pieces are secret, such as a header `Bearer ${env:TOKEN}`.
///
/// Interpolation keeps the pieces apart: `"\(base)/api/\(organization)"` shows what is plain and masks what is not.
public struct GuardedText: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation {
    public enum Piece: Hashable, Sendable {
        case plain(String)
        case secret(Secret)
    }

    public let pieces: [Piece]

    public init(pieces: [Piece]) { self.pieces = pieces }
    public init(_ text: String) { pieces = [.plain(text)] }
    public init(_ secret: Secret) { pieces = [.secret(secret)] }
    public init(stringLiteral value: String) { self.init(value) }
    public init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

    public struct StringInterpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { pieces.append(.plain(literal)) }
        }
        public mutating func appendInterpolation(_ text: GuardedText) { pieces += text.pieces }
        public mutating func appendInterpolation(_ secret: Secret) { pieces.append(.secret(secret)) }
        public mutating func appendInterpolation(_ text: String) { pieces.append(.plain(text)) }
        public mutating func appendInterpolation(_ number: Int) { pieces.append(.plain(String(number))) }
    }

    /// The text with every secret masked, for people and files.
    public var description: String {
        pieces.map { piece in
            switch piece {
            case .plain(let text): text
            case .secret: Secret.mask
            }
        }.joined()
    }

    public var hasSecret: Bool {
        pieces.contains { if case .secret = $0 { true } else { false } }
    }

    /// The whole text, secrets included: for the transport and for checks whose messages do not quote it.
    public func reveal() -> String {
        if pieces.count == 1, case .plain(let text) = pieces[0] { return text }
        return pieces.map { piece in
            switch piece {
            case .plain(let text): text
            case .secret(let secret): secret.reveal()
            }
        }.joined()
    }

    /// The text with every piece changed, secrets staying secret.
    public func mapped(_ change: (String) -> String) -> GuardedText {
        GuardedText(
            pieces: pieces.map { piece in
                switch piece {
                case .plain(let text): .plain(change(text))
                case .secret(let secret): .secret(Secret(change(secret.reveal())))
                }
            })
    }

    /// The text without those endings, however often they follow each other, so that a path can follow an address.
    public func droppingLast(anyOf endings: [String]) -> GuardedText {
        var pieces = pieces
        while let last = pieces.popLast() {
            let shortened = GuardedText(pieces: [last]).mapped { text in
                var text = text[...]
                while let ending = endings.first(where: { text.hasSuffix($0) }) { text.removeLast(ending.count) }
                return String(text)
            }
            if !shortened.reveal().isEmpty { return GuardedText(pieces: pieces + shortened.pieces) }
        }
        return self
    }

    /// The text, which is an address, with more behind its path: before its query, should it have one.
    public func appendingPath(_ path: String) -> GuardedText {
        let whole = reveal()
        let (address, query) = divided(at: whole.utf8.prefix { !"?#".utf8.contains($0) }.count)
        return "\(address.droppingLast(anyOf: ["/"]))\(path)\(query)"
    }

    /// The text as one piece of a URL.
    public var percentEncoded: GuardedText { mapped(\.percentEncoded) }

    /// The address of a server as messages may show it to people, for links to its pages; nil where it holds a secret or
    /// somebody's login, leads to this very machine, goes beyond a path, or is none at all.
    public var linkable: String? {
        let text = description
        guard !hasSecret, !text.contains("@"), let address = WebAddress(text), !address.hasQuery, !address.isLoopback
        else { return nil }
        // Braces are left open for names in templates of links.
        return text.replacing("{", with: "%7B").replacing("}", with: "%7D")
    }

    /// A URL of which only scheme, host and port may be seen: for addresses that are a credential by themselves.
    ///
    /// A secret that holds the whole address shows its origin too; one that stands inside the origin stays hidden, and
    /// so does everything that is no `http` or `https` address.
    public var showingOnlyOrigin: GuardedText {
        let whole = reveal()
        guard let scheme = ["https://", "http://"].first(where: { whole.lowercased().hasPrefix($0) }),
            whole.utf8.count > scheme.utf8.count
        else { return GuardedText(Secret(whole)) }
        let authority = whole.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
        let login = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[...$0].count } ?? 0
        let slash = whole.utf8[authority.endIndex...].first == UInt8(ascii: "/") ? 1 : 0
        var shown = self
        if case .secret(let address) = pieces.first, address.reveal().utf8.count >= scheme.utf8.count {
            shown = GuardedText(pieces: [.plain(address.reveal())] + pieces.dropFirst())
        }
        let (origin, path) = shown.divided(at: scheme.utf8.count + authority.count + slash)
        let (front, rest) = origin.divided(at: scheme.utf8.count)
        // Whoever writes a password into an address wants it sent, not shown.
        let (credentials, host) = rest.divided(at: login)
        return GuardedText(pieces: front.pieces + credentials.hidden.pieces + host.pieces + path.hidden.pieces)
    }

    /// The text as a single secret, or nothing where it is empty.
    private var hidden: GuardedText {
        GuardedText(pieces: pieces.isEmpty ? [] : [.secret(Secret(reveal()))])
    }

    /// The text before and from that many bytes on, every piece staying what it is.
    private func divided(at offset: Int) -> (GuardedText, GuardedText) {
        var (before, after): ([Piece], [Piece]) = ([], [])
        var rest = offset
        for piece in pieces {
            let (text, isSecret) =
                switch piece {
                case .plain(let text): (text, false)
                case .secret(let secret): (secret.reveal(), true)
                }
            let parts = (
                String(decoding: text.utf8.prefix(rest), as: UTF8.self),
                String(decoding: text.utf8.dropFirst(rest), as: UTF8.self)
            )
            if !parts.0.isEmpty { before.append(isSecret ? .secret(Secret(parts.0)) : .plain(parts.0)) }
            if !parts.1.isEmpty { after.append(isSecret ? .secret(Secret(parts.1)) : .plain(parts.1)) }
            rest = max(0, rest - text.utf8.count)
        }
        return (GuardedText(pieces: before), GuardedText(pieces: after))
    }
}
