// Headers that people write, and secrets that travel in one: what the transport would refuse is told before the first
// request, and a credential is a secret even if somebody wrote it into the file.

extension Options {
    /// What is wrong with headers that the config adds to a request.
    ///
    /// - Parameter isOwn: whether the plugin sets the header of that name, in lower case, itself.
    public func flaws(
        inHeaders setting: Setting<[NamedValue<GuardedText>]>, whereOwn isOwn: (String) -> Bool = { _ in false }
    ) -> [Problem] {
        var problems: [Problem] = []
        var seen: Set<String> = []
        // As they are written: what is guarded for its name came out of no variable, file or credential.
        let written = self[named: setting.name].flatMap { setting.kind.read($0.value) } ?? setting.default
        for header in written {
            let (name, shown) = (header.name.lowercased(), header.name.quotable)
            if !name.isHeaderName {
                problems.append(
                    Problem(
                        header.position, "'\(shown)' is not a header name; expected letters, digits and hyphens"))
            } else if Options.transportNames.contains(name) || isOwn(name) {
                problems.append(Problem(header.position, "the header '\(shown)' is set by alertbot itself; remove it"))
            } else if !seen.insert(name).inserted {
                problems.append(
                    Problem(
                        header.position, "the header '\(shown)' is written twice: upper and lower case are the same",
                        advice: "keep one"))
            } else if !header.value.reveal().isHeaderValue {
                problems.append(
                    Problem(
                        header.position, "the header '\(shown)' has a line break or a control character in its value",
                        advice: header.value.hasSecret ? Options.secretAdvice : nil))
            }
        }
        return problems
    }

    /// What is wrong with a text that travels in a header.
    ///
    /// - Parameter name: what the option is called.
    public static func flaw(inHeaderText text: GuardedText, of name: String, at position: Position) -> Problem? {
        guard !text.reveal().isHeaderValue else { return nil }
        let what = text.hasSecret ? "the secret in '\(name)'" : "'\(name)'"
        return Problem(
            position, "\(what) has a line break or a control character in it, so no request can carry it",
            advice: text.hasSecret ? secretAdvice : nil)
    }

    private static let secretAdvice =
        "check what the variable, file or credential holds; one line break at its end is ignored"

    /// What says where a request ends.
    private static let transportNames: Set = ["content-length", "transfer-encoding"]
}

extension Option {
    /// The option of a setting that holds a secret: what stands in the file itself is as guarded as what comes from elsewhere.
    ///
    /// Of headers only those that carry a credential are: with an `Accept` among them, `application/json` would be masked in
    /// every answer.
    package var guarded: Option {
        switch value {
        case .text(let text):
            return Option(.text(text.hasSecret ? text : GuardedText(Secret(text.reveal()))), at: position)
        case .map(let headers):
            let guarded = headers.map { header -> (name: String, option: Option) in
                guard header.name.namesCredential, case .text(let text) = header.option.value else { return header }
                let value = text.guardingCredential(ofHeader: header.name)
                return (name: header.name, option: Option(.text(value), at: header.option.position))
            }
            return Option(.map(guarded), at: position)
        default: return self
        }
    }
}

extension String {
    /// Whether it is a token rather than a name, such as `shop-android-alerts` or `com.acme.shop2`: some part between its dots
    /// is long, and has a digit or letters of both cases.
    package var isTokenlike: Bool {
        split(separator: ".").contains { part in
            part.utf8.count >= String.tokenBytesMin
                && (part.contains(where: \.isNumber)
                    || part.contains(where: \.isLowercase) && part.contains(where: \.isUppercase))
        }
    }

    /// What is shorter is a word.
    package static let tokenBytesMin = 16
}

extension GuardedText {
    /// The value of a header with its credential guarded: what follows the scheme, such as `Bearer ` (RFC 9110, section
    /// 11.6.2), or all of it. One with braces is filled in for each request, and is none.
    fileprivate func guardingCredential(ofHeader name: String) -> GuardedText {
        let text = reveal()
        guard !hasSecret, !text.contains("{") else { return self }
        guard name.lowercased().hasSuffix("authorization"),
            let scheme = text.prefixMatch(of: /[A-Za-z][A-Za-z0-9-]* +(?=\S)/)?.output
        else { return GuardedText(Secret(text)) }
        return "\(String(scheme))\(Secret(String(text[scheme.endIndex...])))"
    }
}
