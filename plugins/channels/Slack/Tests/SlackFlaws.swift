import PluginKit

@testable import SlackChannel

// What Slack takes beside `SlackLimits`, by its Block Kit reference: the shares of a message stay far below it.
private let blocksMax = 50
private let fieldTextMax = 2000
private let contextElementsMax = 10

/// What is wrong with a payload by Slack's rules, as far as they are written down.
@Sendable func slackFlaws(_ payload: JSON) -> [String] {
    var flaws: [String] = []
    let text = payload["text"]?.string ?? ""
    if !(1...SlackLimits.textMax).contains(text.utf16.count) { flaws.append("text has \(text.utf16.count) characters") }
    if text.contains("<") { flaws.append("text is not escaped") }

    let attached = payload["attachments"]?.array ?? []
    for attachment in attached {
        if attachment["color"]?.string?.wholeMatch(of: /#[0-9A-F]{6}/) == nil { flaws.append("no colour") }
        if attachment["fallback"]?.string?.isEmpty ?? true { flaws.append("no fallback") }
    }
    var total = 0
    for list in [payload["blocks"]] + attached.map({ $0["blocks"] }) {
        let blocks = list?.array ?? []
        if list != nil, !(1...blocksMax).contains(blocks.count) { flaws.append("\(blocks.count) blocks") }
        for block in blocks {
            let type = block["type"]?.string ?? "?"
            let fields = block["fields"]?.array ?? []
            let elements = block["elements"]?.array ?? []
            if fields.count > SlackLimits.fieldsMax { flaws.append("\(fields.count) fields") }
            if elements.count > contextElementsMax { flaws.append("\(elements.count) elements") }
            let limit =
                switch type {
                case "header": SlackLimits.headerTextMax
                case "section" where block["fields"] != nil: fieldTextMax
                case "section", "context": SlackLimits.sectionTextMax
                default: 0
                }
            let texts = fields + elements + (block["text"].map { [$0] } ?? [])
            if texts.isEmpty { flaws.append("a \(type) without text") }
            for object in texts {
                let text = object["text"]?.string ?? ""
                total += text.utf16.count
                if !(1...limit).contains(text.utf16.count) { flaws.append("\(type) of \(text.utf16.count) characters") }
                if object["type"] == "mrkdwn" { flaws += markupFlaws(object, text) }
                if type == "header", object["type"] != "plain_text" { flaws.append("a header with markup") }
            }
        }
    }
    if total > SlackLimits.blocksTextMax { flaws.append("\(total) characters in all blocks") }
    // In an address a name calls nobody.
    let all = payload.text.replacing(/https?:\/\/[^"|>\s]*/.ignoresCase().matchingSemantics(.unicodeScalar), with: "")
    for mention in ["<!channel", "<@U", "<#C", "@channel", "@everyone", "@here", "```"] where all.contains(mention) {
        flaws.append("'\(mention)' is in it")
    }
    return flaws
}

private func markupFlaws(_ object: JSON, _ text: String) -> [String] {
    var flaws: [String] = []
    if object["verbatim"] != true { flaws.append("markup that is not verbatim") }
    let links = /<https?:\/\/[^<>|\s]*\|[^<>|]+>/.ignoresCase().matchingSemantics(.unicodeScalar)
    let rest = text.replacing(links, with: "")
    if rest.unicodeScalars.contains(where: { "<>".unicodeScalars.contains($0) }) {
        flaws.append("a bracket that is no link's in '\(rest.clipped(to: 900))'")
    }
    let entities = /&(amp|lt|gt);/.matchingSemantics(.unicodeScalar)
    if rest.replacing(entities, with: "").unicodeScalars.contains("&") { flaws.append("an '&' that is not escaped") }
    if text.split(separator: "\n").contains(where: { $0.hasPrefix("&gt;") }) { flaws.append("a line like a quotation") }
    return flaws
}
