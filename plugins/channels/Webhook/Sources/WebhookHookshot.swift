internal import ChatKit
internal import PluginKit

/// A message for a generic webhook of matrix-hookshot, which writes it into a Matrix room.
///
/// The text alone would be read as Markdown, and the whole payload would be dumped into the room without it, so both are
/// given: HTML for people, in which words of strangers stay words, and the text for clients that show none. The bridge
/// keeps the payload in the event besides what it shows, so both count twice.
enum WebhookHookshot {
    private static let textMax = 8_000
    private static let plainTextMax = 2_000
    private static let htmlMax = 18_000
    private static let nameMax = 60
    private static let lineEnd = "<br/>"

    /// Links are made of links alone: clients make some of whatever looks like one.
    private static let dialect = ChatDialect(unit: .bytes, escape: ChatHTML.entity) { $0.defused.withoutLinks }

    private static let room = ChatCard.Room(
        shares: MessageShares(
            headlineMax: 800, fieldsMax: 12, fieldLabelMax: 100, fieldValueMax: 300, reasonMax: 900, sparklineMax: 300,
            linkTitleMax: 100, addressMax: 800, footerMax: 300, issueTitleMax: 500, issueDetailMax: 120, lineMax: 500),
        card: htmlMax, text: 8_000, list: 4_000)

    static func json(_ posting: Posting, bot: String) -> JSON {
        let card = ChatCard(posting, in: room, dialect: dialect) { row in
            dialect.length(ChatHTML.written(row, dialect, hasCode: true))
        }
        let text = card.plainText(to: posting.isPlain ? plainTextMax : textMax, dialect: dialect)
        let html = posting.isPlain ? plain(text) : ChatHTML.lines(card, dialect).joined(separator: lineEnd)
        return [
            "text": .string(uncalling(text)), "html": .string(uncalling(html)),
            "username": .string(dialect.cut(bot, to: nameMax)),
        ]
    }

    /// What the bridge's answers mean. A room may have a function that answers in other words; a page is none of either.
    static func outcome(of response: HTTPResponse, at now: Moment) -> DeliveryOutcome {
        let answer = ChatAnswer(response, of: "The bridge", at: now)
        let said = answer.said(answer.json?["error"]?.string)
        guard response.isSuccess else { return answer.outcome(said) }
        if answer.json?["ok"] == false { return answer.retry(said) }
        return answer.isPage ? answer.strange(insteadOf: "\"ok\": true") : answer.delivered()
    }

    /// In words nobody is called any more; what is left stands in addresses, which mean the same when it is encoded.
    private static func uncalling(_ text: String) -> String {
        text.replacing(/@(room|everyone|channel|here|all)/.ignoresCase().matchingSemantics(.unicodeScalar)) {
            "%40\($0.output.1)"
        }
    }

    /// The same lines with nothing that could be refused.
    private static func plain(_ text: String) -> String {
        text.split(separator: "\n").map { dialect.escaped(String($0)) }.joined(separator: lineEnd)
    }

    /// How the room shows it.
    static func picture(of payload: JSON) -> ChatPicture {
        let lines = (payload["html"]?.string ?? "").split(separator: lineEnd)
        return ChatPicture(.matrix, lines.map { .paragraph(ChatHTML.read(String($0))) })
    }
}
