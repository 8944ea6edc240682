import PluginKit

@testable import GoogleChatChannel

/// What is wrong with a payload by Google Chat's rules, as far as they are written down.
@Sendable func googleChatFlaws(_ payload: JSON) -> [String] {
    var flaws: [String] = []
    if payload.bytes.count > GoogleChatLimits.messageMax { flaws.append("\(payload.bytes.count) bytes") }
    let text = payload["text"]?.string ?? ""
    if text.isEmpty || text.utf8.count > 4096 { flaws.append("text has \(text.utf8.count) bytes") }
    flaws += textFlaws(text)
    for card in payload["cardsV2"]?.array ?? [] {
        let sections = card["card"]?["sections"]?.array ?? []
        if sections.isEmpty || card["cardId"]?.string == nil { flaws.append("half a card") }
        for section in sections {
            let widgets = section["widgets"]?.array ?? []
            if widgets.isEmpty { flaws.append("a section without widgets") }
            flaws += widgets.flatMap(widgetFlaws)
        }
    }
    return flaws
}

private func widgetFlaws(_ widget: JSON) -> [String] {
    if let paragraph = widget["textParagraph"] { return htmlFlaws(paragraph["text"]?.string ?? "<") }
    if let field = widget["decoratedText"] {
        return htmlFlaws(field["text"]?.string ?? "<") + callFlaws(field["topLabel"]?.string ?? "<users")
    }
    let buttons = widget["buttonList"]?["buttons"]?.array ?? []
    return (buttons.isEmpty ? ["a widget of no known kind"] : [])
        + buttons.flatMap { button -> [String] in
            let url = button["onClick"]?["openLink"]?["url"]?.string ?? ""
            let isEmpty = button["text"]?.string?.isEmpty ?? true
            return isEmpty || !url.lowercased().hasPrefix("http") ? ["a button that leads nowhere"] : []
        }
}

/// The tags are those that the payload writes, and everything else is escaped.
private func htmlFlaws(_ html: String) -> [String] {
    let ours = /<\/?b>|<br>|<a href="https?:\/\/[^"<>\s]*">|<\/a>|<font color="#[0-9a-f]{6}">|<\/font>/
        .ignoresCase().matchingSemantics(.unicodeScalar)
    let rest = html.replacing(ours, with: " ")
    let loose = rest.replacing(/&(amp|lt|gt|quot|#39);/.matchingSemantics(.unicodeScalar), with: " ")
    let marks = loose.unicodeScalars.filter { "<>&\"'".unicodeScalars.contains($0) }
    return (marks.isEmpty ? [] : ["'\(String(String.UnicodeScalarView(marks)))' is not escaped in '\(html)'"])
        + (rest.contains("://") ? ["a link is in '\(html)'"] : [])
}

/// A message's own text: links are the bot's alone, and stand by themselves.
private func textFlaws(_ text: String) -> [String] {
    let ours = /(?:^| )https?:\/\/[!-~]*(?=$|[ \n])/.ignoresCase().matchingSemantics(.unicodeScalar)
        .anchorsMatchLineEndings()
    let rest = text.replacing(ours, with: " ")
    let live = /\.\p{Alphabetic}|:\/\//.matchingSemantics(.unicodeScalar)
    return callFlaws(rest) + (rest.firstMatch(of: live).map { ["'\($0.output)' is in '\(text)'"] } ?? [])
}

private func callFlaws(_ text: String) -> [String] {
    text.firstMatch(of: /<[a-z!@]|```/.ignoresCase().matchingSemantics(.unicodeScalar))
        .map { ["'\($0.output)' is in '\(text)'"] } ?? []
}
