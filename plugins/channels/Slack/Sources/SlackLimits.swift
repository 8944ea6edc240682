internal import PluginKit

/// What Slack takes. Where the unit is undocumented, texts are counted in UTF-16 units after escaping: no other way of
/// counting characters gives more.
enum SlackLimits {
    // Slack's documentation of messages, "Truncating content": 4,000 is advised, above 40,000 is cut.
    static let textMax = 4000

    // Block Kit reference, block by block.
    static let blocksMax = 50
    static let headerTextMax = 150
    static let sectionTextMax = 3000
    static let fieldsMax = 10
    static let fieldTextMax = 2000
    static let contextElementsMax = 10

    // Undocumented: the answer `msg_blocks_too_long`. Of the sizes reported, 9,597 characters in all blocks together
    // passed and 11,341 failed.
    static let blocksTextMax = 9000
}

/// How much of each part is shown, so that one huge part leaves room for the others. All but issues and lines stay
/// below 8,000 together, which leaves those at least 1,000 of `SlackLimits.blocksTextMax`.
enum SlackShares {
    static let factsMax = 2 * SlackLimits.fieldsMax
    static let factLabelMax = 50
    static let factValueMax = 190
    static let reasonMax = 700
    static let sparklineMax = 100
    static let linkTitleMax = 75
    static let linksTextMax = 1500
    static let addressMax = 1000
    static let footerMax = 300
    static let issueTitleMax = 300
    static let issueDetailMax = 120
    static let lineMax = 500
}

extension Message {
    /// The message with every part harmless and cut to its share; what is empty or leads nowhere is left out.
    var cutForSlack: Message {
        var message = self
        message.headline = headline.cut(to: SlackLimits.headerTextMax)
        if message.headline.isEmpty {
            // Slack refuses an empty header.
            message.headline = "\(Message.mark(kind: kind, severity: severity)) \(kind.rawValue)"
        }
        message.facts = facts.prefix(SlackShares.factsMax).map { fact in
            Fact(fact.label.cut(to: SlackShares.factLabelMax), fact.value.cut(to: SlackShares.factValueMax))
        }
        message.facts.removeAll { $0.label.isEmpty && $0.value.isEmpty }
        message.reason = reason.cut(to: SlackShares.reasonMax)
        message.issues = issues.map { issue in
            let title = issue.title.cut(to: SlackShares.issueTitleMax)
            return IssueLine(
                title: title.isEmpty ? "(without a title)" : title,
                detail: issue.detail.cut(to: SlackShares.issueDetailMax),
                url: issue.url?.webAddress
            )
        }
        // It stands between back-ticks, and ends at the next one.
        message.sparkline = sparkline.map { String($0.filter { $0 != "`" }).cut(to: SlackShares.sparklineMax) }
        if message.sparkline?.isEmpty ?? false { message.sparkline = nil }
        message.lines = lines.map { $0.cut(to: SlackShares.lineMax) }
        message.links = links.compactMap { link in
            link.url.webAddress.map { Link(link.title.cut(to: SlackShares.linkTitleMax), $0) }
        }
        message.footer = footer.cut(to: SlackShares.footerMax)
        return message
    }
}
