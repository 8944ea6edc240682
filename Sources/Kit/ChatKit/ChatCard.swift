public import PluginKit

/// A message as a card: a headline, and beside a bar of one colour what is said, the facts, and lists. Everything in it is
/// harmless and cut to what the chat takes, and nothing is escaped yet: that is up to whoever writes the JSON.
public struct ChatCard: Sendable {
    /// A line of text, in pieces that look one way.
    public typealias Row = [ChatPicture.Run]

    /// How much of a message a chat shows, in the chat's own unit.
    public struct Room: Sendable {
        let shares: MessageShares
        let card: Int
        let text: Int
        let list: Int

        /// - Parameters:
        ///   - shares: the most of each part.
        ///   - card: the most of text, facts, lists and footer together.
        ///   - text: the most of what stands above the facts.
        ///   - list: the most of each list below them.
        public init(shares: MessageShares, card: Int, text: Int, list: Int) {
            self.shares = shares
            self.card = card
            self.text = text
            self.list = list
        }
    }

    /// Rows under a title.
    public struct List: Sendable {
        public let title: String
        public let rows: [Row]
    }

    public let color: ChatPicture.Color
    public let headline: String
    /// What stands above the facts.
    public let text: [Row]
    public let facts: [Message.Field]
    /// The issues and the last day: what there is of them.
    public let lists: [List]
    public private(set) var links: [Message.Link]
    /// How many there was no room for.
    private let linksLeftOut: Int
    public let footer: String
    /// The first rows of the text: that it may have been said before.
    private let notice: [Row]
    /// The language of its captions.
    public let words: Words

    /// - Parameters:
    ///   - length: what a row takes as the chat writes it.
    public init(_ posting: Posting, in room: Room, dialect: ChatDialect, length: (Row) -> Int) {
        let message = posting.message.cut(to: room.shares, by: dialect.cut)
        let words = message.words
        self.words = words
        color = .of(message)
        headline = message.headline
        facts = message.fields
        footer = message.footer

        notice = posting.possiblyRepeated ? [[Run(message.repeatNotice)]] : []
        let reason = message.reason.isEmpty ? [] : [[Run("\(words[.captionWhy]):", .bold), Run(" \(message.reason)")]]
        // The sparkline stands between back-ticks in most chats, and would end at the next one.
        let sparkline = message.sparkline.map { List(words[.captionLastDay], [[Run($0.filter { $0 != "`" }, .code)]]) }
        // An address that is too long for the chat is left out as well; one that leads nowhere is none.
        let all = posting.message.links.count { $0.url.webAddress(bytesMax: .max) != nil }
        links = message.links.map { link in
            Message.Link(link.title.isEmpty ? words[.linkUntitled] : link.title, link.url, isOwn: link.isOwn)
        }.fitting { length($0.row(words, besides: all - $0.count)) + ChatCard.lineEnd <= room.list }
        linksLeftOut = all - links.count
        let linkList = links.list(words, besides: linksLeftOut)

        func size(of rows: [Row]) -> Int { rows.reduce(0) { $0 + length($1) + ChatCard.lineEnd } }
        func size(of list: List?) -> Int { list.map { length([Run($0.title, .bold)]) + size(of: $0.rows) } ?? 0 }
        var rest =
            room.card - size(of: notice + reason) - size(of: sparkline) - size(of: linkList)
            - length([Run(footer)])
        for fact in facts { rest -= size(of: [[Run(fact.label, .bold)], [Run(fact.value)]]) }

        // What can be long gets what the rest leaves; the issues first, because they say where to look.
        var issues = List(words[.captionIssues], [])
        rest -= size(of: issues)
        let issueRows = message.issues.lazy.map(ChatCard.row)
        issues = List(issues.title, fittingRows(issueRows, besides: 0, in: min(rest, room.list), words, length))
        rest -= size(of: issues.rows)
        let lineRows = message.body.map { [Run($0)] } + message.lines.map { [Run("• \($0)")] }
        let lineRoom = min(rest, room.text - size(of: notice + reason))
        let lines = fittingRows(lineRows, besides: message.linesBesides, in: lineRoom, words, length)
        text = notice + lines + reason
        lists = [issues, sparkline].compactMap(\.self).filter { !$0.rows.isEmpty }
    }
}

extension ChatCard {
    /// The lists with the links as the last of them, in one row: for chats without buttons.
    public var listsWithLinks: [List] { lists + [links.list(words, besides: linksLeftOut)].compactMap(\.self) }

    /// Takes out the links that get a button, as many as the chat has; those without one stay in the lists.
    public mutating func takeButtons(_ count: Int) -> [Message.Link] {
        let buttons = links.fitting { $0.count <= count }
        links.removeAll(where: buttons.contains)
        return buttons
    }

    private typealias Run = ChatPicture.Run

    /// What parts a row from the one before it: a line end, escaped in JSON.
    fileprivate static let lineEnd = 2
    /// What "… and 1,234,567 more" takes at most, in a language of few letters.
    fileprivate static let restRowMax = 40

    private static func row(_ issue: Message.IssueLine) -> Row {
        let detail = issue.detail.isEmpty ? [] : [Run(" — \(issue.detail)")]
        return [Run("• "), Run(issue.title, link: issue.url)] + detail
    }
}

/// As many rows as there is room for, and how many are left out.
///
/// - Parameter besides: what the last row stands for besides itself.
private func fittingRows(
    _ all: some Collection<ChatCard.Row>, besides: Int, in room: Int, _ words: Words,
    _ length: (ChatCard.Row) -> Int
) -> [ChatCard.Row] {
    func restRow(_ count: Int) -> ChatCard.Row { [ChatPicture.Run(words(.captionMore, count: count))] }
    let restMax = max(ChatCard.restRowMax, length(restRow(all.count + besides)) + ChatCard.lineEnd)
    var room = room
    var rows: [ChatCard.Row] = []
    for (index, row) in all.enumerated() {
        let size = length(row) + ChatCard.lineEnd
        // The last one needs no room for a row behind it.
        guard size + (index + 1 < all.count ? restMax : 0) <= room else {
            return room >= restMax ? rows + [restRow(all.count - index + besides)] : rows
        }
        room -= size
        rows.append(row)
    }
    return rows
}

extension [Message.Link] {
    /// - Parameter leftOut: how many there are for which there is no room.
    fileprivate func row(_ words: Words, besides leftOut: Int) -> ChatCard.Row {
        let runs =
            map { ChatPicture.Run($0.title, link: $0.url) }
            + (leftOut > 0 ? [ChatPicture.Run(words(.captionMore, count: leftOut))] : [])
        return ChatCard.Row(runs.map { [$0] }.joined(separator: [ChatPicture.Run("  ·  ")]))
    }

    fileprivate func list(_ words: Words, besides leftOut: Int) -> ChatCard.List? {
        isEmpty && leftOut == 0 ? nil : ChatCard.List(words[.captionLinks], [row(words, besides: leftOut)])
    }
}

extension ChatCard.List {
    fileprivate init(_ title: String, _ rows: [ChatCard.Row]) {
        self.title = title
        self.rows = rows
    }
}

// MARK: As plain text

extension ChatCard {
    /// The card as lines of text, for when its rich form was refused; where they are too long, the middle is left out.
    ///
    /// - Parameters:
    ///   - limit: the most that they may take together.
    ///   - hasHeadline: whether the headline is among them, which other chats show in a place of its own.
    ///   - write: a row without markup.
    public func plainText(
        to limit: Int, dialect: ChatDialect, hasHeadline: Bool = true, write: (Row) -> String = { $0.plain() }
    ) -> String {
        var rows = (hasHeadline ? [[Run(headline)]] : []) + notice
        rows += facts.map { [Run("\($0.label): \($0.value)")] } + text.dropFirst(notice.count)
        for list in listsWithLinks { rows += [[Run("\(list.title):")]] + list.rows }
        if !footer.isEmpty { rows.append([Run(footer)]) }
        let lines = rows.map { row in write(row.map { Run($0.text, link: $0.link) }) }
        return lines.joined(separator: "\n").linesCutInTheMiddle(to: limit) { dialect.length($0) }
    }
}

extension [ChatPicture.Run] {
    /// The row without markup: an address stands behind the words that lead to it.
    ///
    /// - Parameter words: how the chat reads the words; an address is left as it is.
    public func plain(_ words: (String) -> String = { $0 }) -> String {
        map { words($0.text) + ($0.link.map { " \($0)" } ?? "") }.joined()
    }
}

extension String {
    /// The text with whole lines in its middle left out where it takes more than the limit: half an address leads nowhere.
    ///
    /// - Parameter length: what a line takes, without its end.
    public func linesCutInTheMiddle(to limit: Int, length: (String) -> Int) -> String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let lengths = lines.map { length($0) + ChatCard.lineEnd }
        guard lengths.reduce(0, +) > limit else { return self }
        let mark = "…"
        let markedLimit = limit - length(mark) - ChatCard.lineEnd
        var room = markedLimit
        let tailRoom = room / 2
        let head = lengths.prefix { size in
            room -= size
            return room >= tailRoom
        }.count
        room = markedLimit - lengths[..<head].reduce(0, +)
        let tail = lengths[head...].reversed().prefix { size in
            room -= size
            return room >= 0
        }.count
        let kept: [String] = lines[..<head] + [mark] + lines.suffix(tail)
        return kept.joined(separator: "\n")
    }
}
