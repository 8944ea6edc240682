// What channel plugins share: text of strangers cut to what a chat takes, and made harmless there. What is harmless,
// and how long a character is, differs from chat to chat; where to cut does not (`String.cutInTheMiddle`).

/// How much of each part of a message a chat shows, so that one huge part leaves room for the others. In the chat's own
/// unit, whatever `MessageShares.Cut` counts in.
public struct MessageShares: Sendable {
    /// Makes a text of strangers harmless, on one line, and at most so long.
    public typealias Cut = (_ text: String, _ limit: Int) -> String

    public let headlineMax: Int
    public let fieldsMax: Int
    public let fieldLabelMax: Int
    public let fieldValueMax: Int
    public let reasonMax: Int
    public let sparklineMax: Int
    public let linkTitleMax: Int
    /// Bytes.
    public let addressMax: Int
    public let footerMax: Int
    public let issueTitleMax: Int
    public let issueDetailMax: Int
    public let lineMax: Int

    public init(
        headlineMax: Int, fieldsMax: Int, fieldLabelMax: Int, fieldValueMax: Int, reasonMax: Int, sparklineMax: Int,
        linkTitleMax: Int, addressMax: Int, footerMax: Int, issueTitleMax: Int, issueDetailMax: Int, lineMax: Int
    ) {
        self.headlineMax = headlineMax
        self.fieldsMax = fieldsMax
        self.fieldLabelMax = fieldLabelMax
        self.fieldValueMax = fieldValueMax
        self.reasonMax = reasonMax
        self.sparklineMax = sparklineMax
        self.linkTitleMax = linkTitleMax
        self.addressMax = addressMax
        self.footerMax = footerMax
        self.issueTitleMax = issueTitleMax
        self.issueDetailMax = issueDetailMax
        self.lineMax = lineMax
    }
}

extension Message {
    /// The message with every part cut to its share; what is empty or leads nowhere is left out, but for the headline,
    /// which is never empty.
    public func cut(to shares: MessageShares, by cut: MessageShares.Cut) -> Message {
        var message = self
        message.headline = cut(headline, shares.headlineMax)
        if message.headline.isEmpty {
            message.headline = "\(mark.rawValue) \(kind.rawValue)"
        }
        message.fields = fields.prefix(shares.fieldsMax).map { field in
            Field(cut(field.label, shares.fieldLabelMax), cut(field.value, shares.fieldValueMax))
        }
        message.fields.removeAll { $0.label.isEmpty && $0.value.isEmpty }
        message.reason = cut(reason, shares.reasonMax)
        message.issues = issues.map { issue in
            let title = cut(issue.title, shares.issueTitleMax)
            return IssueLine(
                title: title.isEmpty ? words[.captionUntitled] : title,
                detail: cut(issue.detail, shares.issueDetailMax),
                url: issue.url?.webAddress(bytesMax: shares.addressMax))
        }
        message.sparkline = sparkline.map { cut($0, shares.sparklineMax) }
        if message.sparkline?.isEmpty ?? false { message.sparkline = nil }
        message.lines = lines.map { cut($0, shares.lineMax) }
        message.body = body.map { cut($0, max(shares.reasonMax, shares.lineMax)) }
        message.links = links.compactMap { link in
            guard let url = link.url.webAddress(bytesMax: shares.addressMax),
                link.atFullLength.url.utf8.count <= shares.addressMax
            else { return nil }
            return Link(cut(link.title, shares.linkTitleMax), url, isOwn: link.isOwn)
        }
        message.footer = cut(footer, shares.footerMax)
        return message
    }
}

extension [Message.Link] {
    /// The links for which there is room, in their order. Where there is none for all, the bot's own go before others:
    /// with them people acknowledge and mute, and its page has the others.
    ///
    /// - Parameter fits: whether there is room for so many of them; each is as long as it is when it leaves.
    public func fitting(_ fits: ([Message.Link]) -> Bool) -> [Message.Link] {
        var chosen: [Int] = []
        for index in indices.filter({ self[$0].isOwn }) + indices.filter({ !self[$0].isOwn }) {
            let more = (chosen + [index]).sorted()
            if fits(more.map { self[$0].atFullLength }) { chosen = more }
        }
        return chosen.map { self[$0] }
    }
}

extension String {
    /// The text with a zero-width space, which nobody sees, wherever one of the words, in letters of any size, follows
    /// the mark: so that `@channel` calls nobody.
    public func parted(after mark: Character, before words: [String]) -> String {
        var result = ""
        var rest = self[...]
        while let index = rest.firstIndex(of: mark) {
            let next = rest.index(after: index)
            result += rest[..<next]
            rest = rest[next...]
            if words.contains(where: { rest.prefix($0.count).lowercased() == $0 }) { result += "\u{200B}" }
        }
        return result + rest
    }

    /// The address with everything percent-encoded that could end it early; nil when it is none that a person should be
    /// led to, or longer than so many bytes.
    public func webAddress(bytesMax: Int) -> String? {
        let start = prefix(8).lowercased()
        guard start.hasPrefix("https://") || start.hasPrefix("http://"), utf8.count <= bytesMax else { return nil }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "<", ">", "\"", "`", "\\", "^", "{", "|", "}": result += String(scalar).percentEncoded
            case "!"..."~": result.unicodeScalars.append(scalar)
            default: result += String(scalar).percentEncoded
            }
        }
        return result.utf8.count <= bytesMax ? result : nil
    }
}
