import PluginKit

@testable import RocketChatChannel

/// What is wrong with a payload by Rocket.Chat's rules, as far as they are written down.
@Sendable func rocketChatFlaws(_ payload: JSON) -> [String] {
    var flaws: [String] = []
    let text = payload["text"]?.string ?? ""
    if !(1...5000).contains(text.utf16.count) { flaws.append("text has \(text.utf16.count) characters") }
    flaws += textFlaws(text)
    for attachment in payload["attachments"]?.array ?? [] {
        if attachment["color"]?.string?.wholeMatch(of: /#[0-9A-F]{6}/) == nil { flaws.append("no colour") }
        let fields = attachment["fields"]?.array ?? []
        let marked = [attachment["text"]] + fields.flatMap { [$0["title"], $0["value"]] }
        flaws += marked.flatMap { markupFlaws($0?.string ?? "") }
        // What it takes over all has no limit that is written down; what we set ourselves is kept to.
        let total = marked.reduce(0) { $0 + ($1?.string?.utf16.count ?? 0) }
        if total > RocketChatLimits.attachmentMax { flaws.append("the attachment has \(total) characters") }
    }
    return flaws
}

/// A message's own text: links are the bot's alone, and stand by themselves.
private func textFlaws(_ text: String) -> [String] {
    let ours = /(?:^| )https?:\/\/[!-~]*(?=$|[ \n])/.ignoresCase().matchingSemantics(.unicodeScalar)
        .anchorsMatchLineEndings()
    let rest = text.replacing(ours, with: " ")
    let live = /\.\p{Alphabetic}|\]\(|\|\||\$\$|\\[\[(]|\+[0-9]/.matchingSemantics(.unicodeScalar)
    return callFlaws(rest) + (rest.firstMatch(of: live).map { ["'\($0.output)' is in '\(text)'"] } ?? [])
        + lineFlaws(text)
}

/// What is left of an attachment's text without what the payload writes itself must mean nothing to Rocket.Chat.
private func markupFlaws(_ text: String) -> [String] {
    let ours =
        /\\[\\`*_\[\]~]|`[^`\n]*`|\[(?:\\.|[^\[\]\\])*\]\(https?:\/\/[^()\s]*\)|\*\*/
        .ignoresCase().matchingSemantics(.unicodeScalar)
    let rest = text.replacing(ours, with: " ")
    var flaws = callFlaws(rest) + lineFlaws(text)
    for mark in rest.unicodeScalars where "*_`[]~".unicodeScalars.contains(mark) {
        flaws.append("'\(mark)' is not escaped in '\(text)'")
    }
    return flaws
}

private func lineFlaws(_ text: String) -> [String] {
    text.split(separator: "\n").filter { "#>-+=".contains($0.first ?? " ") }.map {
        "a line begins with a mark: '\($0)'"
    }
}

/// Nothing calls anybody, or leads anywhere.
private func callFlaws(_ text: String) -> [String] {
    let live = /@[a-z0-9]|<[a-z!@]|#[a-z]|:\/|www/.ignoresCase().matchingSemantics(.unicodeScalar)
    return text.firstMatch(of: live).map { ["'\($0.output)' is in '\(text)'"] } ?? []
}
