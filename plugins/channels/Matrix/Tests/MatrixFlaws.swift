import PluginKit

@testable import MatrixChannel

/// What is wrong with an event's content by the rules of Matrix.
@Sendable func matrixFlaws(_ content: JSON) -> [String] {
    var flaws: [String] = []
    if content["msgtype"] != "m.text" { flaws.append("msgtype is \(content["msgtype"]?.text ?? "missing")") }
    if content["body"]?.string?.isEmpty ?? true { flaws.append("no body") }
    if content["m.mentions"] != .object(JSONObject()) { flaws.append("mentions are not ruled out") }
    if content.hasFraction { flaws.append("a number that is not whole") }
    // In an address a name calls nobody: events say whom they mention.
    let words = content.text.replacing(
        /https?:\/\/[^"<>\s\\]*/.ignoresCase().matchingSemantics(.unicodeScalar), with: "")
    for mention in ["@room", "@everyone", "@channel"] where words.contains(mention) {
        flaws.append("'\(mention)' is in it")
    }
    guard let html = content["formatted_body"] else { return flaws }
    if content["format"] != "org.matrix.custom.html" { flaws.append("HTML without its format") }
    return flaws + htmlFlaws(html.string ?? "")
}

extension JSON {
    fileprivate var hasFraction: Bool {
        switch self {
        case .double: true
        case .array(let elements): elements.contains { $0.hasFraction }
        case .object(let object): object.members.contains { $0.value.hasFraction }
        default: false
        }
    }
}

/// Tags and attributes outside of what is used, tags that are not closed in order, and text that is not escaped.
private func htmlFlaws(_ html: String) -> [String] {
    let allowed: Set<String> = [
        "<p>", "</p>", "<strong>", "</strong>", "<b>", "</b>", "<ul>", "</ul>", "<li>", "</li>", "<code>", "</code>",
        "<br />", "</a>",
    ]
    var flaws: [String] = []
    var open: [Substring] = []
    for match in html.matches(of: /<(\/?)([a-z]+)[^<>]*?(\/?)>/.matchingSemantics(.unicodeScalar)) {
        let (tag, closes, name, isEmpty) = match.output
        let isKnown =
            allowed.contains(String(tag))
            || tag.wholeMatch(of: /<a href="https?:\/\/[^"<>]*">/.ignoresCase().matchingSemantics(.unicodeScalar))
                != nil
        if !isKnown { flaws.append("the tag \(tag)") }
        if !isEmpty.isEmpty { continue }
        if closes.isEmpty {
            open.append(name)
        } else if open.popLast() != name {
            flaws.append("\(tag) closes something else")
        }
    }
    if !open.isEmpty { flaws.append("\(open) stay open") }
    // Code points and no characters: an accent behind an entity makes no difference to a client.
    let text = html.replacing(/<[^<>]*>/.matchingSemantics(.unicodeScalar), with: "")
    if text.unicodeScalars.contains(where: { "<>\"".unicodeScalars.contains($0) }) {
        flaws.append("text that is not escaped")
    }
    if text.unicodeScalars.contains("://".unicodeScalars) { flaws.append("a link that is not ours") }
    let entities = /&(amp|lt|gt|quot|#39);/.matchingSemantics(.unicodeScalar)
    if text.replacing(entities, with: "").unicodeScalars.contains("&") { flaws.append("an '&' that is not escaped") }
    return flaws
}
