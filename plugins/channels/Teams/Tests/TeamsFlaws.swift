import PluginKit

@testable import TeamsChannel

/// What is wrong with a payload by the rules of Teams, as far as they are written down.
@Sendable func teamsFlaws(_ payload: JSON) -> [String] {
    var flaws: [String] = []
    let size = payload.text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 6 * UTF16.width($1)) }
    if size > TeamsLimits.messageMax { flaws.append("\(size) bytes when everything is escaped") }
    let attachments = payload["attachments"]?.array ?? []
    if payload["type"] != "message" || attachments.count != 1 { flaws.append("no message with one attachment") }
    guard let card = attachments.first?["content"] else { return flaws + ["no card"] }
    if attachments.first?["contentType"] != "application/vnd.microsoft.card.adaptive" { flaws.append("no card's type") }
    if card["type"] != "AdaptiveCard" || card["version"] != "1.4" { flaws.append("no card of version 1.4") }
    let body = card["body"]?.array ?? []
    if body.isEmpty { flaws.append("an empty card") }
    let entities = card["msteams"]?["entities"]?.array ?? []
    let lines = body.filter { $0["type"] == "TextBlock" }
    if lines.count != (entities.isEmpty ? 0 : 1) { flaws.append("\(lines.count) lines that call somebody") }
    // A text block is read as Markdown, so it has the names of the config in it and nothing else.
    if lines.contains(where: { $0["text"]?.string != entities.compactMap { $0["text"]?.string }.joined(separator: " ") }
    ) {
        flaws.append("a line that calls others than the entities")
    }
    for element in body where element["type"] != "TextBlock" {
        if element["type"] == "Container" {
            let styles = ["attention", "warning", "good", "accent", "emphasis"]
            if !styles.contains(element["style"]?.string ?? "") { flaws.append("no style") }
            for item in element["items"]?.array ?? [] { flaws += rowFlaws(item) }
        } else {
            flaws += rowFlaws(element)
        }
    }
    let actions = card["actions"]?.array ?? []
    if card["actions"] != nil, !(1...TeamsLimits.actionsMax).contains(actions.count) {
        flaws.append("\(actions.count) actions")
    }
    for action in actions {
        flaws += linkFlaws(action)
        if action["title"]?.string?.isEmpty ?? true { flaws.append("an action without a title") }
    }
    return flaws
}

/// Every text is a text run's: no other is safe from being read as Markdown.
private func rowFlaws(_ row: JSON) -> [String] {
    var flaws = row["type"] == "RichTextBlock" ? [] : ["a \(row["type"]?.string ?? "?")"]
    let runs = row["inlines"]?.array ?? []
    if runs.isEmpty { flaws.append("a row without text") }
    for run in runs {
        let text = run["text"]?.string ?? ""
        if run["type"] != "TextRun" || text.isEmpty { flaws.append("a run without text") }
        for words in ["{{", "${"] where text.contains(words) { flaws.append("'\(words)' is in '\(text)'") }
        if let action = run["selectAction"] { flaws += linkFlaws(action) }
    }
    return flaws
}

private func linkFlaws(_ action: JSON) -> [String] {
    let url = action["url"]?.string ?? ""
    return action["type"] == "Action.OpenUrl" && url.wholeMatch(of: /https?:\/\/[!-~]*/.ignoresCase()) != nil
        ? [] : ["'\(url)' leads nowhere"]
}
