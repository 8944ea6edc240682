internal import PluginKit

/// What Slack takes. Where the unit is undocumented, texts are counted in UTF-16 units after escaping: no other way of
/// counting characters gives more.
enum SlackLimits {
    // Slack's documentation of messages, "Truncating content": 4,000 is advised, above 40,000 is cut.
    static let textMax = 4000

    // Block Kit reference, block by block.
    static let headerTextMax = 150
    static let sectionTextMax = 3000
    static let fieldsMax = 10
    /// Of all links together, so that they leave room for the rest.
    static let linksTextMax = 1500

    // Undocumented: the answer `msg_blocks_too_long`. Of the sizes reported, 9,597 characters in all blocks together
    // passed and 11,341 failed.
    static let blocksTextMax = 9000
}

extension MessageShares {
    /// All but issues and lines stay below 8,000 together, which leaves those at least 1,000 of
    /// `SlackLimits.blocksTextMax`. In UTF-16 units after escaping.
    static let slack = MessageShares(
        headlineMax: SlackLimits.headerTextMax, fieldsMax: 2 * SlackLimits.fieldsMax, fieldLabelMax: 50,
        fieldValueMax: 190,
        reasonMax: 700, sparklineMax: 100, linkTitleMax: 75, addressMax: 1000, footerMax: 300, issueTitleMax: 300,
        issueDetailMax: 120, lineMax: 500)
}

extension Message {
    /// The message with every part harmless and cut to its share.
    ///
    /// - Parameter breakingLinks: whether it leaves as mere text, where addresses in titles would become links.
    func cutForSlack(breakingLinks: Bool = false) -> Message {
        var message = self
        // It stands between back-ticks, and ends at the next one.
        message.sparkline?.removeAll { $0 == "`" }
        return message.cut(to: .slack) { $0.cut(to: $1, breakingLinks: breakingLinks) }
    }
}
