internal import ChatKit
internal import PluginKit

// Text of strangers made fit for Matrix: bounded, on one line, and without what could deceive a reader.

extension String {
    /// The text on one line and without links, which are a message's own alone, cut in the middle so that it takes at most `limit` bytes of the event, as HTML or not.
    func cut(to limit: Int) -> String {
        roughlyCut(to: limit).tamed.trimmed.defused.withoutLinks
            .cutInTheMiddle(to: limit, markCost: "…".utf8.count, cost: \.matrixCost)
    }

    /// The text without words that call everybody: a zero-width space breaks them and is not seen.
    ///
    /// Events say that they mention nobody, but older clients look for `@room` in the text all the same, and bridges to
    /// other chats for what means the same there.
    private var defused: String { parted(after: "@", before: ["room", "everyone", "channel", "here"]) }

    /// The text escaped for HTML, inside attributes too.
    var escaped: String {
        var result = ""
        for scalar in unicodeScalars {
            if let entity = scalar.entity { result += entity } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// The most bytes that the text takes in the event, as HTML or not.
    var matrixBytes: Int { unicodeScalars.reduce(0) { $0 + $1.matrixCost } }

    /// How many bytes the text takes inside a JSON string.
    var bytesInJSON: Int { JSON.string(self).bytes.count - "\"\"".utf8.count }
}

extension Unicode.Scalar {
    fileprivate var entity: String? { self == "'" ? "&#39;" : ChatHTML.entity(self) }

    /// The most bytes it takes in the event: escaped for HTML, or for JSON alone.
    fileprivate var matrixCost: Int {
        switch self {
        case "\\", "\n": 2
        default: entity?.utf8.count ?? UTF8.width(self)
        }
    }
}
