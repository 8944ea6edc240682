import PluginKit

@testable import DiscordChannel

/// What Discord takes beside `DiscordLimits`: the shares of a message stay far below it.
private let fieldNameMax = 256
private let fieldsMax = 25
private let footerMax = 2048

/// What is wrong with a payload by Discord's rules, as far as they are written down.
@Sendable func discordFlaws(_ payload: JSON) -> [String] {
    var flaws: [String] = []
    func check(_ name: String, _ text: String?, _ limit: Int) {
        let count = text?.utf16.count ?? 0
        if !(1...limit).contains(count) { flaws.append("\(name) has \(count) characters") }
    }
    let content = payload["content"]?.string ?? ""
    check("the content", content, DiscordLimits.contentMax)
    flaws += markupFlaws(content)
    if payload["allowed_mentions"] != ["parse": []] { flaws.append("mentions are allowed") }

    var total = 0
    let embeds = payload["embeds"]?.array ?? []
    if embeds.isEmpty != (payload["flags"] == 4) {
        flaws.append("previews of links do not go by whether there are embeds")
    }
    for embed in embeds {
        if !(0...0xFFFFFF).contains(embed["color"]?.number ?? -1) { flaws.append("no colour") }
        let fields = embed["fields"]?.array ?? []
        if fields.count > fieldsMax { flaws.append("\(fields.count) fields") }
        for field in fields {
            check("a field's name", field["name"]?.string, fieldNameMax)
            check("a field's value", field["value"]?.string, DiscordLimits.fieldValueMax)
        }
        if let text = embed["description"] { check("the description", text.string, DiscordLimits.descriptionMax) }
        if let footer = embed["footer"] { check("the footer", footer["text"]?.string, footerMax) }
        let marked = [embed["description"]] + fields.flatMap { [$0["name"], $0["value"]] }
        let texts = marked + [embed["footer"]?["text"]]
        total += texts.reduce(0) { $0 + ($1?.string?.utf16.count ?? 0) }
        flaws += marked.flatMap { markupFlaws($0?.string ?? "") }
    }
    if total > DiscordLimits.embedsMax { flaws.append("\(total) characters in all embeds") }
    return flaws
}

/// What is left of a text without what the payload writes itself must mean nothing to Discord.
private func markupFlaws(_ text: String) -> [String] {
    let ours =
        /\\[\\*_~`|\[\]<]|`[^`\n]*`|\[(?:\\.|[^\[\]\\])*\]\(https?:\/\/[^()\s]*\)|<https?:\/\/[^<>\s]*>|\*\*/

        .ignoresCase().matchingSemantics(.unicodeScalar)
    let rest = text.replacing(ours, with: " ")
    var flaws: [String] = []
    for mark in rest.unicodeScalars where "*_~`|[]<".unicodeScalars.contains(mark) {
        flaws.append("'\(mark)' is not escaped in '\(text)'")
    }
    for words in ["://", "@everyone", "@here", "discord.gg/", "discord.com/invite/"]
    where rest.lowercased().contains(words) {
        flaws.append("'\(words)' is in '\(text)'")
    }
    for line in text.split(separator: "\n") where "#>-+".contains(line.first ?? " ") {
        flaws.append("a line begins with a mark: '\(line)'")
    }
    return flaws
}
