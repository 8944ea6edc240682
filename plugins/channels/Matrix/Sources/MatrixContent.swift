internal import ChatKit
internal import PluginKit

/// How large an event may be, in bytes as they stand in the JSON.
enum MatrixLimits {
    /// An event with its signatures is at most 65,536 bytes (Matrix specification, "Size limits"); Synapse took a text
    /// of 64,000 and refused 65,000. The rest is for what the homeserver adds.
    static let contentMax = 60_000

    // The shares of the two texts; 4,000 are for names and punctuation. Where many are called, that may be too little, and
    // the plain form goes out.
    static let bodyMax = 20_000
    static let htmlMax = 36_000
    /// Of all links together, inside the HTML.
    static let linksMax = 5000
}

extension MessageShares {
    /// All but issues and lines stay below 21,000 as HTML together, which leaves those at least 15,000 of
    /// `MatrixLimits.htmlMax`. In bytes as they stand in the JSON.
    static let matrix = MessageShares(
        headlineMax: 1500, fieldsMax: 20, fieldLabelMax: 100, fieldValueMax: 400, reasonMax: 1500, sparklineMax: 300,
        linkTitleMax: 200, addressMax: 2000, footerMax: 600, issueTitleMax: 700, issueDetailMax: 200, lineMax: 1000)
}

/// A message as the content of an `m.room.message` event.
enum MatrixContent {
    /// Text, and the same as HTML for clients that show it.
    ///
    /// - Parameters:
    ///   - thread: the event that opened the incident; what follows goes into its thread.
    ///   - called: ids of users, and `@room`.
    static func rich(_ message: Message, thread: String? = nil, calling called: [String] = []) -> JSON {
        .object(JSONObject(texts(message, calling: called) + mentions(called) + relation(to: thread)))
    }

    /// The opening message as it should read by now.
    static func edit(of opening: String, _ message: Message) -> JSON {
        // For clients that know no edits; short, because the whole stands in the same event once more.
        let fallback = "* \(message.cutForMatrix.headline)"
        return .object(
            JSONObject(
                [
                    ("msgtype", "m.text"), ("body", .string(fallback)),
                    ("m.new_content", .object(JSONObject(texts(message, calling: []) + mentions([])))),
                    ("m.relates_to", ["rel_type": "m.replace", "event_id": .string(opening)]),
                ] + mentions([])))
    }

    /// A picture that the homeserver has, in the thread of the message that it is for.
    static func image(_ image: ChartImage, at uri: String, thread: String) -> JSON {
        let words = image.words.cut(to: wordsMax)
        return .object(
            JSONObject(
                [
                    ("msgtype", "m.image"), ("body", .string(words)), ("filename", .string(ChartImage.fileName)),
                    ("url", .string(uri)),
                    (
                        "info",
                        [
                            "mimetype": .string(ChartImage.contentType), "w": .int(Int64(image.width)),
                            "h": .int(Int64(image.height)), "size": .int(Int64(image.bytes.count)),
                        ]
                    ),
                ] + mentions([]) + relation(to: thread)))
    }

    private static let wordsMax = 1000

    /// Where the homeserver says that a picture is: `mxc://server/id`, and nothing that could mean something else.
    static func uploaded(_ answer: HTTPResponse) -> String? {
        guard let uri = (try? JSON(parsing: answer.body))?["content_uri"]?.string, uri.hasPrefix("mxc://"),
            uri.utf8.count <= 255, uri.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"\"<>".utf8.contains($0) })
        else { return nil }
        return uri
    }

    /// Text, and the same as HTML for clients that show it.
    private static func texts(_ message: Message, calling called: [String]) -> [(String, JSON)] {
        let message = message.cutForMatrix
        let html = MatrixHTML.of(message, calling: called)
        return start(message, calling: called) + [
            ("format", "org.matrix.custom.html"), ("formatted_body", .string(html)),
        ]
    }

    /// A message of a thread, and for clients that know no threads a reply to its first message.
    private static func relation(to thread: String?) -> [(String, JSON)] {
        guard let thread else { return [] }
        return [
            (
                "m.relates_to",
                [
                    "rel_type": "m.thread", "event_id": .string(thread), "is_falling_back": true,
                    "m.in_reply_to": ["event_id": .string(thread)],
                ]
            )
        ]
    }

    /// Text alone.
    static func plain(_ message: Message, calling called: [String]) -> JSON {
        .object(JSONObject(start(message.cutForMatrix, calling: called) + mentions(called)))
    }

    /// `m.text`: push rules keep a notice silent, and an alert is there to be noticed.
    private static func start(_ message: Message, calling called: [String]) -> [(String, JSON)] {
        let front = called.isEmpty ? "" : called.joined(separator: " ") + "\n"
        let text = message.plainText
            .linesCutInTheMiddle(to: MatrixLimits.bodyMax - front.utf8.count - called.count) { $0.matrixBytes }
        return [("msgtype", "m.text"), ("body", .string(front + text))]
    }

    /// Who is called. Said outright, that nobody is turns off the older rules that search the text for names and `@room`.
    private static func mentions(_ called: [String]) -> [(String, JSON)] {
        var mentions = JSONObject()
        let users = called.filter { $0 != MatrixMention.room }
        if !users.isEmpty { mentions["user_ids"] = .array(users.map(JSON.string)) }
        if users.count < called.count { mentions["room"] = true }
        return [("m.mentions", .object(mentions))]
    }
}

extension Message {
    /// The message with every part harmless and cut to its share.
    fileprivate var cutForMatrix: Message { cut(to: .matrix) { $0.cut(to: $1) } }
}
