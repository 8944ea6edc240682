import PluginKit

/// What is wrong with a mail by what mail programs make of it: tags that nobody wrote, and links that lead elsewhere.
@Sendable func emailFlaws(_ mail: JSON) -> [String] {
    var flaws: [String] = []
    let (subject, text) = (mail["subject"]?.string ?? "", mail["text"]?.string ?? "")
    if subject.unicodeScalars.count > 400 { flaws.append("a subject of \(subject.count) characters") }
    if text.isEmpty { flaws.append("no text") }
    guard let html = mail["html"]?.string else { return flaws }
    // Gmail hides what follows.
    if html.utf8.count > 102 * 1024 { flaws.append("HTML of \(html.utf8.count) bytes") }
    let known: Set<Substring> = [
        "!DOCTYPE", "html", "head", "meta", "style", "body", "table", "tr", "td", "th", "h1", "h2", "p", "a", "b",
        "code",
    ]
    for (index, piece) in html.split(separator: "<", omittingEmptySubsequences: false).enumerated() where index > 0 {
        guard let end = piece.firstIndex(of: ">") else {
            flaws.append("a tag that does not end: \(piece.prefix(40))")
            continue
        }
        let tag = piece[..<end]
        let name = tag.prefix { $0 != " " }.drop { $0 == "/" }
        if !known.contains(name) { flaws.append("the tag '\(tag.prefix(40))'") }
        // The words of a message reach no further than an address.
        guard tag.hasPrefix("a ") else { continue }
        let address = tag.dropFirst("a href=\"".count).dropLast()
        if !tag.hasPrefix("a href=\"http"), !tag.hasPrefix("a href=\"HTTP") {
            flaws.append("a link to '\(tag.prefix(60))'")
        }
        if address.contains(where: { "\"<> ".contains($0) }) {
            flaws.append("a link that breaks out: \(tag.prefix(60))")
        }
    }
    let tables = html.split(separator: "<table").count
    if tables != html.split(separator: "</table>").count { flaws.append("tables that do not end") }
    return flaws
}
