public import PluginKit

// Posts messages to one Matrix room through the client-server API of its homeserver.
//
// The send is a PUT to an address that ends in a transaction id: the homeserver answers a repeated id with the event
// it already made. That makes this channel safe to repeat, and it means that an id must never come with other content:
// the homeserver would drop it silently. It does not join rooms, resolve aliases or encrypt.

/// Posts to a Matrix room.
public struct MatrixChannel: Channel {
    public static let manifest = PluginManifest(
        name: "matrix",
        summary: "Posts to a Matrix room.",
        example: """
            homeserver: https://matrix.example.org
            room: "!abc:example.org"
            token: ${env:MATRIX_TOKEN}
            """,
        access: "Make an account for the bot, invite it to the room, and join the room with it once; an "
            + "invitation alone is not enough. The token of an account comes from POST "
            + "/_matrix/client/v3/login, or from the settings of a client that is logged in (in Element: Help & "
            + "About, Access Token).",
        options: [homeserver, room, token, Mentions.setting, Setting.chart, Setting.insecure])

    static let homeserver = RequiredSetting("homeserver", .url, "The address of the homeserver's client API.")
    static let room = RequiredSetting("room", .text, "The room's id, which begins with '!'.")
    static let token = RequiredSetting(
        "token", .text, "The access token of an account that has joined the room; keep it in the environment."
    ).secret.inHeader

    /// Synapse lets a user send one message in five seconds and ten at once, unless its administrator allows more
    /// (`rc_message`). Being refused costs more than waiting.
    public let pace = Pace(perSecond: 0.2, burst: 10)
    public let isIdempotent = true
    public let hasCharts: Bool

    private let homeserver: GuardedText
    private let roomAddress: GuardedText
    private let authorization: GuardedText
    private let mentions: Mentions
    private let allowsPlainHTTP: Bool

    /// Matrix specification, appendix "Identifiers": no id is longer.
    private static let roomIDBytesMax = 255

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        let room = try options[Self.room]
        try MatrixChannel.check(room, at: options.position(of: Self.room))
        // A token is a secret even if somebody wrote it into the file.
        let token = Secret(try options[Self.token].reveal())
        let homeserver = try options[Self.homeserver].droppingLast(anyOf: ["/"])
        self.homeserver = homeserver
        roomAddress = "\(homeserver)/_matrix/client/v3/rooms/\(room.percentEncoded)"
        authorization = "Bearer \(token)"
        hasCharts = options[.chart]
        mentions = try Mentions(options, forms: MatrixMention.forms) { MatrixMention($0)?.text }
        allowsPlainHTTP = options[.insecure]
    }

    /// Ids of newer rooms have no server's name in them, so nothing is asked of what follows the mark.
    private static func check(_ room: GuardedText, at position: Position) throws(ProblemList) {
        let id = room.reveal()
        if id.hasPrefix("#") {
            throw ProblemList(
                position,
                "'\(room)' is a room's alias, which may move to another room; expected the room's id, which begins with "
                    + "'!' (in Element: room settings, Advanced)"
            )
        }
        guard id.hasPrefix("!"), (2...roomIDBytesMax).contains(id.utf8.count) else {
            throw ProblemList(
                position,
                "'\(room.description.quotable)' is not a room id; expected one such as "
                    + "!abcdef:example.org"
            )
        }
    }

    public func post(_ posting: Posting) -> ChannelAction {
        // Both forms of one message go by ids of their own: they are different content.
        return .request(send(content(posting), as: posting.id + (posting.isPlain ? "-plain" : "")))
    }

    /// The opening message says how it stands; its thread has what was said on the way.
    public func update(after posting: Posting) -> HTTPRequest? {
        guard !posting.isPlain, posting.message.kind.changesStanding, let opening = posting.thread else { return nil }
        return send(MatrixContent.edit(of: opening, posting.message), as: "\(posting.id)-edit")
    }

    /// The picture goes up to the homeserver, and then into the thread. It has an id of its own, so a message that is asked
    /// for twice shows one picture.
    public func attach(
        _ image: ChartImage, to posting: Posting, receipt: String?, after answers: [HTTPResponse]
    ) -> ImageStep {
        guard let root = posting.thread ?? receipt else { return .done }
        switch answers.count {
        case 0:
            return .request(
                HTTPRequest(
                    .post, "\(homeserver)/_matrix/media/v3/upload?filename=\(ChartImage.fileName)",
                    headers: [HTTPRequest.Header("Authorization", authorization)],
                    body: .bytes(image.bytes, contentType: ChartImage.contentType), allowsPlainHTTP: allowsPlainHTTP))
        case 1:
            guard let uri = MatrixContent.uploaded(answers[0]) else {
                return .failed("the homeserver took the picture without saying where it is: \(answers[0].excerpt(60))")
            }
            return .request(
                send(MatrixContent.image(image, at: uri, thread: root), as: "\(posting.id)-chart"))
        default: return .done
        }
    }

    /// A bot that cannot encrypt would write in the open where people think that nobody else can read.
    public var inquiry: HTTPRequest? {
        HTTPRequest(
            .get, "\(roomAddress)/state/m.room.encryption",
            headers: [HTTPRequest.Header("Authorization", authorization)], allowsPlainHTTP: allowsPlainHTTP)
    }

    public func refusal(from answer: HTTPResponse) -> String? {
        guard answer.status == 200, let algorithm = (try? JSON(parsing: answer.body))?["algorithm"]?.string else {
            return nil
        }
        return
            "the room is encrypted (\(algorithm.quotable)), and this bot cannot encrypt; name a room without "
            + "encryption"
    }

    private func send(_ content: JSON, as transaction: String) -> HTTPRequest {
        HTTPRequest(
            .put, "\(roomAddress)/send/m.room.message/\(transaction.percentEncoded)",
            headers: [HTTPRequest.Header("Authorization", authorization)], body: .json(content),
            allowsPlainHTTP: allowsPlainHTTP)
    }

    public func picture(of posting: Posting) -> ChatPicture {
        MatrixPicture.of(content(posting)).showing(hasCharts && !posting.isPlain ? posting.message.chart : nil)
    }

    /// The plain form stands alone: a thread whose root is gone is one reason to refuse the rich one. It goes out, too, where
    /// the rich one is more than an event holds.
    private func content(_ posting: Posting) -> JSON {
        let called = mentions.called(by: posting.message, at: posting.at)
        if !posting.isPlain {
            let rich = MatrixContent.rich(posting.message, thread: posting.thread, calling: called)
            if rich.bytes.count <= MatrixLimits.contentMax { return rich }
        }
        return MatrixContent.plain(posting.message, calling: called)
    }

    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let response): MatrixAnswer.outcome(of: response, at: now)
        case .failed(let error): DeliveryOutcome(error)
        }
    }
}

/// Somebody that Matrix can call.
struct MatrixMention {
    /// A user's id, or `@room`.
    let text: String

    static let forms = "a user's id such as @ana:example.org, or @room"
    static let room = "@room"

    /// Matrix specification, "User Identifiers": a name of few characters, a colon and a server; 255 bytes at most.
    init?(_ written: String) {
        if written == Self.room || written == "room" {
            text = Self.room
            return
        }
        let parts = written.split(separator: ":", maxSplits: 1)
        guard written.utf8.count <= 255, written.hasPrefix("@"), parts.count == 2, parts[0].utf8.count > 1,
            written.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"<>\"'&".utf8.contains($0) })
        else { return nil }
        text = written
    }
}
