extension HTTPResponse {
    /// The body as JSON. Where it is none, the failure says what it is instead: whoever wrote the address has to know which
    /// other thing it led to.
    public func json() throws(PollFailure) -> JSONReader {
        do throws(JSONSyntaxError) {
            return JSONReader(try JSON(parsing: body))
        } catch {
            guard let kind = ForeignBody.kind(of: self, error) else {
                throw PollFailure(
                    .badAnswer, "the answer is not JSON (\(error)); it begins with \"\(excerpt(60))\"")
            }
            throw PollFailure(.badAnswer, "the answer is \(kind), expected JSON")
        }
    }

    /// What the body says to people: a page by its title, as what stands around that is for browsers.
    var inWords: String {
        let front = ForeignBody.front(of: self)
        guard ForeignBody.isPage(front, of: self), let title = ForeignBody.title(of: front) else { return excerpt() }
        return "an HTML page\(title)"
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
        let front = front(of: response)
        if front.hasPrefix("<") {
            guard isPage(front, of: response) else { return "XML, which begins with \"\(response.excerpt(60))\"" }
            return "an HTML page\(title(of: front) ?? "") "
                + "(is it a page for logging in, or one for people rather than programs?)"
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
            // The last line may be cut off where looking ends.
            let whole = response.body.count > looked ? counts.dropLast() : counts[...]
            if type.contains("csv") || whole.count > 1 && whole.allSatisfy({ $0 == first }) {
                return "CSV (values between \(name)s; its first line is \"\(String(lines[0]).tamed.clipped(to: 80))\")"
            }
        }
        return nil
    }

    /// The body from its first letter on, with the mark of a cut where it goes on: half a secret is known by that.
    static func front(of response: HTTPResponse) -> Substring {
        let cut = response.body.count > looked ? "…" : ""
        return (String(decoding: response.body.prefix(looked), as: UTF8.self) + cut).drop {
            $0.isWhitespace || $0 == "\u{FEFF}"
        }
    }

    static func isPage(_ front: Substring, of response: HTTPResponse) -> Bool {
        guard front.hasPrefix("<") else { return false }
        let lower = front.lowercased()
        return response.header("Content-Type")?.lowercased().contains("html") == true || lower.contains("<html")
            || lower.contains("<!doctype html")
    }

    static func title(of front: Substring) -> String? {
        let title = between("<title>", "</title>", in: front).map(\.tamed.trimmed) ?? ""
        return title.isEmpty ? nil : ", titled \"\(title.clipped(to: 60))\""
    }

    private static func between(_ start: String, _ end: String, in text: Substring) -> String? {
        let parts = text.split(separator: start, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return parts[1].split(separator: end, maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
    }
}
