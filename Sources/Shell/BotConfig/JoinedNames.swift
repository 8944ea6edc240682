internal import PluginKit
internal import YAMLKit

// Several names that YAML takes for one: it knows a list by its brackets or its dashes, and a comma is a character like
// others.

extension ConfigReader {
    /// Warns of what counts as one name in a list of them, and was probably meant to be several. There may be such names:
    /// whoever means one puts it in quotes in a list.
    mutating func warnOfJoined(_ node: Node, _ name: String, isInList: Bool) {
        guard case .scalar(let text, let style) = node.kind, style == .plain || !isInList, !text.contains("${") else {
            return
        }
        var names = text
        // A dash that stands too deep goes on with the line above.
        if style == .plain, let dash = text.firstRange(of: " - ") {
            let start = line(of: node.mark)
            if start.contains(text[..<dash.lowerBound]), !start.contains(text) {
                names = text.replacing(" - ", with: ",")
            }
        }
        let isTorn = text.count { $0 == "[" } != text.count { $0 == "]" }
        // In front of an address of mail stands a name with whatever signs it has.
        guard isTorn || names.contains(","), !text.contains(/<[^<>]*@[^<>]*>/) else { return }
        let parts = names.filter { !"[]".contains($0) }.split(separator: ",").map { String($0).trimmed }
        let list = parts.filter { !$0.isEmpty }.joined(separator: ", ").clipped(to: 60)
        let found = text.clipped(to: 60)
        report(
            Problem(
                node.position, "'\(name)' takes '\(found)' as one value",
                advice: "write [\(list)], or [\"\(found)\"] if it is one", level: .warning),
            quotesAsides: true)
    }
}
