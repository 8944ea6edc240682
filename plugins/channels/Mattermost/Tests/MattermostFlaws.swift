import PluginKit

@testable import MattermostChannel

/// What is wrong with a payload by Mattermost's rules, as far as they are written down.
@Sendable func mattermostFlaws(_ payload: JSON) -> [String] {
    var flaws: [String] = []
    let text = payload["text"]?.string ?? ""
    if !(1...MattermostLimits.plainTextMax).contains(text.unicodeScalars.count) {
        flaws.append("text has \(text.unicodeScalars.count) characters")
    }
    flaws += markupFlaws(text)
    let size = payload["attachments"]?.text.unicodeScalars.count ?? 0
    // What older servers take of a post's properties.
    if size > 8000 { flaws.append("the attachments have \(size) characters") }
    for attachment in payload["attachments"]?.array ?? [] {
        if attachment["color"]?.string?.wholeMatch(of: /#[0-9A-F]{6}/) == nil { flaws.append("no colour") }
        flaws += markupFlaws(attachment["text"]?.string ?? "")
        for field in attachment["fields"]?.array ?? [] {
            flaws += markupFlaws(field["value"]?.string ?? "") + callFlaws(field["title"]?.string ?? "?")
            if field["value"] == nil || field["short"] == nil { flaws.append("half a field") }
        }
        flaws += callFlaws(attachment["footer"]?.string ?? "") + callFlaws(attachment["fallback"]?.string ?? "@x")
    }
    return flaws
}

/// What is left of a text without what the payload writes itself must mean nothing to Mattermost.
private func markupFlaws(_ text: String) -> [String] {
    let ours =
        /\\[\\`*_\[\]|]|`[^`\n]*`|\[(?:\\.|[^\[\]\\])*\]\(https?:\/\/[^()\s]*\)|<https?:\/\/[^<>\s]*>|\*\*/
        .ignoresCase().matchingSemantics(.unicodeScalar)
    let rest = text.replacing(ours, with: " ")
    var flaws = callFlaws(rest)
    for mark in rest.unicodeScalars where "*_`[]|".unicodeScalars.contains(mark) {
        flaws.append("'\(mark)' is not escaped in '\(text)'")
    }
    for line in text.split(separator: "\n") where "#>-+=".contains(line.first ?? " ") {
        flaws.append("a line begins with a mark: '\(line)'")
    }
    return flaws
}

/// Nothing calls anybody, or leads anywhere.
private func callFlaws(_ text: String) -> [String] {
    let live = /@[a-z0-9]|<[!@]|#[a-z]|~[a-z~]|:\/|www/.ignoresCase().matchingSemantics(.unicodeScalar)
    return text.firstMatch(of: live).map { ["'\($0.output)' is in '\(text)'"] } ?? []
}
