internal import ChatKit
internal import PluginKit

/// What Telegram takes, in UTF-16 units. It counts without the tags, so counting with them leaves room.
enum TelegramLimits {
    static let textMax = 4096
    /// Leaves room for the headline and for `calledUsual`.
    static let cardMax = 3300
    /// What names in front of the text may take before the card has to give way: some ten names.
    static let calledUsual = 450
    static let plainTextMax = 3900
    static let captionMax = 1024
}

extension ChatCard.Room {
    /// All but issues and lines stay below 2,400 together, which leaves those at least 900, unless many are called.
    ///
    /// - Parameter called: what the names of those take who are called: text with tags in it cannot be cut afterwards.
    static func telegram(besides called: Int) -> ChatCard.Room {
        ChatCard.Room(
            shares: MessageShares(
                headlineMax: 250, fieldsMax: 10, fieldLabelMax: 40, fieldValueMax: 80, reasonMax: 350, sparklineMax: 60,
                linkTitleMax: 40, addressMax: 400, footerMax: 120, issueTitleMax: 160, issueDetailMax: 60, lineMax: 200
            ),
            card: TelegramLimits.cardMax - max(0, called - TelegramLimits.calledUsual), text: 2000, list: 900)
    }
}

/// A message as the JSON of `sendMessage` and `editMessageText`.
enum TelegramPayload {
    /// Telegram makes links of names behind `@`, of commands, of hash tags, of addresses and of hosts.
    static let dialect = ChatDialect(unit: .utf16, escape: ChatHTML.entity) { text in
        text.parted(after: ["@", "/", "#", "$"]).withoutHosts
    }

    /// - Parameter called: those whose names stand in front of the text.
    static func of(_ posting: Posting, in place: TelegramPlace, calling called: [String]) -> JSON {
        var payload = JSONObject([("chat_id", place.chat)])
        if let topic = place.topic { payload["message_thread_id"] = .int(Int64(topic)) }
        write(posting, besides: called.joined(separator: " ").utf16.count, into: &payload)
        // The plain form stands alone.
        if !posting.isPlain, let opening = posting.thread.flatMap({ Int64($0) }) {
            payload["reply_parameters"] = ["message_id": .int(opening), "allow_sending_without_reply": true]
        }
        return .object(payload)
    }

    /// The opening message as it should read by now.
    static func edit(of opening: Int64, _ posting: Posting, in place: TelegramPlace) -> JSON {
        var payload = JSONObject([("chat_id", place.chat), ("message_id", .int(opening))])
        let told = Posting(id: posting.id, message: posting.message, at: posting.at)
        write(told, besides: 0, into: &payload)
        return .object(payload)
    }

    /// The form of `sendPhoto`.
    static func photo(
        _ image: ChartImage, answering message: Int64, in place: TelegramPlace
    ) -> [HTTPRequest.FormPart] {
        var parts = [HTTPRequest.FormPart("chat_id", .text(place.chat.string ?? place.chat.text))]
        if let topic = place.topic { parts.append(HTTPRequest.FormPart("message_thread_id", .text(String(topic)))) }
        // Without a parse mode; names and hosts in it are parted all the same.
        let caption = dialect.cut(image.words, to: TelegramLimits.captionMax)
        return parts + [
            HTTPRequest.FormPart("caption", .text(caption)),
            HTTPRequest.FormPart("disable_notification", .text("true")),
            HTTPRequest.FormPart(
                "reply_parameters",
                .json(["message_id": .int(message), "allow_sending_without_reply": true])),
            HTTPRequest.FormPart(
                "photo", .file(image.bytes, name: ChartImage.fileName, contentType: ChartImage.contentType)),
        ]
    }

    private static func write(_ posting: Posting, besides called: Int, into payload: inout JSONObject) {
        let card = ChatCard(posting, in: .telegram(besides: called), dialect: dialect) { row in
            dialect.length(ChatHTML.written(row, dialect, hasCode: true))
        }
        if posting.isPlain {
            payload["text"] = .string(card.plainText(to: TelegramLimits.plainTextMax, dialect: dialect))
        } else {
            let lines = ChatHTML.lines(card, dialect) { "<i>\($0)</i>" }
            payload["text"] = .string(lines.joined(separator: "\n"))
            payload["parse_mode"] = "HTML"
        }
        // Links lead to dashboards behind a login: a preview would show nothing, and fetching it tells strangers.
        payload["link_preview_options"] = ["is_disabled": true]
    }

}

/// How Telegram shows a payload: read back from its text.
enum TelegramPicture {
    static func of(_ payload: JSON) -> ChatPicture {
        let lines = (payload["text"]?.string ?? "").split(separator: "\n").map(String.init)
        guard payload["parse_mode"] != nil else {
            return ChatPicture(.telegram, lines.map { .paragraph([ChatPicture.Run($0)]) })
        }
        return ChatPicture(
            .telegram, lines.map { $0.hasPrefix("<i>") ? .small(ChatHTML.read($0)) : .paragraph(ChatHTML.read($0)) })
    }
}
