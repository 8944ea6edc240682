/// What Slack takes. Where the unit is undocumented, texts are counted in UTF-16 units after escaping: no other way of
/// counting gives more for the same text, bytes aside.
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

/// How much of each part is shown, so that one huge part leaves room for the others. The fixed parts together stay
/// below 8,000, which leaves at least 1,000 of `SlackLimits.blocksTextMax` to the lists of issues and lines.
enum SlackShares {
    static let factsMax = 2 * SlackLimits.fieldsMax
    static let factLabelMax = 50
    static let factValueMax = 190
    static let reasonMax = 700
    static let sparklineMax = 100
    static let linkTitleMax = 75
    static let linkURLMax = 1000
    static let linksTextMax = 1500
    static let footerMax = 300
    static let issueTitleMax = 300
    static let issueDetailMax = 120
    static let lineMax = 500
}
