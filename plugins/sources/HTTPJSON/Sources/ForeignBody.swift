internal import PluginKit

extension PollFailure {
    /// An answer that is not JSON, with what it is instead: whoever wrote the address has to know which other thing it
    /// led to.
    static func notJSON(_ response: HTTPResponse, _ error: JSONSyntaxError) -> PollFailure {
        let begins = response.excerpt(60)
        guard let kind = ForeignBody.kind(of: response, error) else {
            return PollFailure(.badAnswer, "the answer is not JSON (\(error)); it begins with \"\(begins)\"")
        }
        return PollFailure(.badAnswer, "the answer is \(kind), expected JSON")
    }
}

/// Bodies that are no JSON.
private enum ForeignBody {
    /// As much of a body as it takes to tell what it is.
    private static let looked = 4096

    static func kind(of response: HTTPResponse, _ error: JSONSyntaxError) -> String? {
        let type = (response.header("Content-Type") ?? "").lowercased()
        if response.body.isEmpty { return "empty" }
        if response.body.starts(with: [0x1F, 0x8B]) { return "compressed (gzip) without a header that says so" }
        let front = String(decoding: response.body.prefix(looked), as: UTF8.self).drop {
            $0.isWhitespace || $0 == "\u{FEFF}"
        }
        let lower = front.lowercased()
        if lower.hasPrefix("<") {
            guard type.contains("html") || lower.contains("<html") || lower.contains("<!doctype html") else {
                return "XML, which begins with \"\(response.excerpt(60))\""
            }
            let title = between("<title>", "</title>", in: front).map {
                ", titled \"\($0.tamed.trimmed.clipped(to: 60))\""
            }
            return "an HTML page\(title ?? "") (is it a page for logging in, or one for people rather than programs?)"
        }
        let lines = front.split(whereSeparator: \.isNewline)
        // A second text behind the first is what is left over.
        if let first = lines.first, lines.count > 1, error.line > 1, (try? JSON(parsing: String(first))) != nil,
            "{[".contains(first.first ?? " ")
        {
            return "several JSON texts, one a line (JSON lines); one of all, such as an array, can be read"
        }
        let isWritten = "{[\"".contains(front.first ?? " ")
        for (mark, name) in [(",", "comma"), (";", "semicolon"), ("\t", "tab")] {
            let counts = lines.prefix(4).map { line in line.count { String($0) == mark } }
            guard type.contains("csv") || !isWritten, let first = counts.first, first > 0 else { continue }
            if type.contains("csv") || counts.count > 1 && counts.dropLast().allSatisfy({ $0 == first }) {
                return "CSV (values between \(name)s; its first line is \"\(String(lines[0]).tamed.clipped(to: 80))\")"
            }
        }
        return nil
    }

    private static func between(_ start: String, _ end: String, in text: Substring) -> String? {
        let parts = text.split(separator: start, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return parts[1].split(separator: end, maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
    }
}
