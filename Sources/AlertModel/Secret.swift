/// A text that nobody may see: every way of printing or encoding it gives `***`.
///
/// Only `reveal()` gives the value, and only the transport and the reader of the config call it, so a search for that
/// word finds every place where a secret leaves its shell.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    public init(_ value: String) { self.value = value }

    public func reveal() -> String { value }

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
        pieces.map { piece in
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

    /// The text as one piece of a URL.
    public var percentEncoded: GuardedText { mapped(\.percentEncoded) }

    /// A URL of which only scheme, host and port may be seen: for addresses that are a credential by themselves.
    public var showingOnlyOrigin: GuardedText {
        let whole = reveal()
        guard let scheme = whole.range(of: "://"), scheme.upperBound < whole.endIndex else {
            return GuardedText(Secret(whole))
        }
        let afterScheme = whole[scheme.upperBound...]
        let authorityEnd = afterScheme.firstIndex { "/?#".contains($0) } ?? whole.endIndex
        let authority = afterScheme[..<authorityEnd]
        // Whoever writes a password into an address wants it sent, not shown.
        if let at = authority.lastIndex(of: "@") {
            return GuardedText(pieces: [
                .plain(String(whole[..<scheme.upperBound])), .secret(Secret(String(authority[...at]))),
                .plain(String(authority[authority.index(after: at)...])),
                .secret(Secret(String(whole[authorityEnd...]))),
            ])
        }
        guard authorityEnd < whole.endIndex else { return GuardedText(whole) }
        let pathStart = whole[authorityEnd] == "/" ? whole.index(after: authorityEnd) : authorityEnd
        return GuardedText(pieces: [
            .plain(String(whole[..<pathStart])), .secret(Secret(String(whole[pathStart...]))),
        ])
    }
}

extension String {
    /// The first range of `needle`; here because the standard library has none without Foundation.
    func range(of needle: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) {
                return start..<index(start, offsetBy: needle.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
