/// A source that is not asked but told: somebody sends it what was seen, at the address on which the bot listens.
///
/// What it makes of a push is taken in as if a poll had brought it. It is polled as well, but only when nobody has pushed
/// anything for as long as it may go without; `poll` then says that its figures are stale.
public protocol PushedSource: Source {
    /// How often it takes a push.
    var pushRate: Rate { get }

    /// Whether whoever sends this may, as far as it can be told from the headers alone: then a longer body is worth
    /// reading.
    func isAuthentic(_ headers: PushHeaders) -> Bool

    /// Whether whoever sends this may.
    func isAuthentic(_ push: Push) -> Bool

    /// What a push says; of one that is refused nothing is taken in.
    func read(_ push: Push) throws(PushMistake) -> PollReport
}

extension PushedSource {
    public func isAuthentic(_ push: Push) -> Bool { isAuthentic(push.headers) }
}

/// The headers of a push.
public struct PushHeaders: Hashable, Sendable {
    private let values: [String: String]

    /// Of a header that comes twice, nobody knows which is meant: it is left out.
    public init(_ headers: [(name: String, value: String)]) {
        let byName = Dictionary(grouping: headers) { $0.name.lowercased() }
        values = byName.compactMapValues { $0.count == 1 ? $0[0].value : nil }
    }

    public subscript(_ name: String) -> String? { values[name.lowercased()] }

    /// The token of `Authorization: Bearer TOKEN`.
    public var bearer: String? { self["authorization"]?.bearerToken }
}

/// What somebody sends to a source.
public struct Push: Sendable {
    /// The source's name in the config.
    public let source: String
    public let headers: PushHeaders
    public let body: [UInt8]
    public let now: Moment

    public init(source: String, headers: PushHeaders, body: [UInt8], now: Moment) {
        self.source = source
        self.headers = headers
        self.body = body
        self.now = now
    }

    /// The most bytes of a body that are read: some thousand lines of figures.
    public static let bodyBytesMax = 4 << 20
    /// The same where its headers do not show who sends it: events with their stack traces stay below.
    public static let strangeBodyBytesMax = 256 << 10
    /// The most lines of a body.
    public static let linesMax = 10_000
}

/// What is wrong with a push.
public struct PushMistake: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1; nil where it is about the whole.
    public let line: Int?
    /// What was found and what was expected.
    public let sentence: String

    public init(line: Int? = nil, _ sentence: String) {
        self.line = line
        self.sentence = sentence
    }

    public var description: String { (line.map { "line \($0): " } ?? "") + sentence }
}
