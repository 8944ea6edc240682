public import PluginKit

/// A link of a `Link` header (RFC 8288).
public struct HeaderLink: Hashable, Sendable {
    /// As it was written, which need not be absolute.
    public let address: String
    /// By their names in lower case.
    public let parameters: [String: String]

    /// What it is to the answer, in lower case: several words are several relations.
    public var relations: Set<String> {
        Set((parameters["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
    }
}

extension HTTPResponse {
    /// The links of all `Link` headers, in their order.
    public var links: [HeaderLink] {
        headers.filter { $0.name.lowercased() == "link" }.flatMap { HeaderLink.links($0.value) }
    }
}

extension HeaderLink {
    fileprivate static func links(_ value: String) -> [HeaderLink] {
        var links: [HeaderLink] = []
        var rest = value[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let address = String(rest[rest.index(after: start)..<end])
            rest = rest[rest.index(after: end)...]
            links.append(HeaderLink(address: address, parameters: parameters(&rest)))
        }
        return links
    }

    /// Reads `; name="value"` up to the comma in front of the next link.
    private static func parameters(_ rest: inout Substring) -> [String: String] {
        var parameters: [String: String] = [:]
        var name = ""
        var value: String?
        var (isQuoted, isClosed) = (false, false)
        func keep() {
            if let value { parameters[name.trimmed.lowercased()] = value.trimmed }
        }
        while let character = rest.popFirst() {
            switch character {
            case "\"":
                isQuoted.toggle()
                isClosed = !isQuoted && value != nil
            // What stands behind the closing quote is no part of the value: GlitchTip sends its header as Python writes a set.
            case _ where isClosed && character != ";" && character != ",": break
            case ";" where !isQuoted:
                keep()
                name = ""
                value = nil
                isClosed = false
            case "," where !isQuoted:
                keep()
                return parameters
            case "=" where !isQuoted && value == nil: value = ""
            default:
                if value == nil { name.append(character) } else { value?.append(character) }
            }
        }
        keep()
        return parameters
    }
}
