import PluginKit

@testable import TelegramChannel

/// What is wrong with a payload by Telegram's rules, as far as they are written down.
@Sendable func telegramFlaws(_ payload: JSON) -> [String] {
    var flaws: [String] = []
    let text = payload["text"]?.string ?? ""
    if !(1...TelegramLimits.textMax).contains(text.utf16.count) {
        flaws.append("text of \(text.utf16.count) characters")
    }
    if payload["link_preview_options"] != ["is_disabled": true] { flaws.append("links are fetched") }
    guard payload["parse_mode"] != nil else { return flaws + liveFlaws(text) }
    let ours = /<\/?(b|i|code)>|<a href="https?:\/\/[^"<>\s]*">|<\/a>/.ignoresCase().matchingSemantics(.unicodeScalar)
    let rest = text.replacing(ours, with: "\n")
    let loose = rest.replacing(/&(amp|lt|gt|quot);/.matchingSemantics(.unicodeScalar), with: " ")
    let marks = loose.unicodeScalars.filter { "<>&\"".unicodeScalars.contains($0) }
    if !marks.isEmpty { flaws.append("'\(String(String.UnicodeScalarView(marks)))' is not escaped in '\(text)'") }
    // Every tag is closed in its order.
    var open: [Substring] = []
    for match in text.matches(of: /<(\/?)([a-z]+)[^<>]*>/) {
        if match.output.1.isEmpty {
            open.append(match.output.2)
        } else if open.popLast() != match.output.2 {
            flaws.append("</\(match.output.2)> closes something else")
        }
    }
    return flaws + (open.isEmpty ? [] : ["\(open) stay open"]) + liveFlaws(rest)
}

/// What Telegram would make a link of.
private func liveFlaws(_ text: String) -> [String] {
    let ours = /(?:^| )https?:\/\/[!-~]*(?=$|[ \n])/.ignoresCase().matchingSemantics(.unicodeScalar)
        .anchorsMatchLineEndings()
    let rest = text.replacing(ours, with: " ")
    let live = /[@#$\/][A-Za-z0-9_]|\.\p{Alphabetic}|:\/\//.matchingSemantics(.unicodeScalar)
    return rest.firstMatch(of: live).map { ["'\($0.output)' is in '\(text)'"] } ?? []
}
