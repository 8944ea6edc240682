// Headers that people write, and secrets that travel in one: what the transport would refuse is told before the first
// request.

extension Options {
    /// What is wrong with headers that the config adds to a request.
    ///
    /// - Parameter isOwn: whether the plugin sets the header of that name, in lower case, itself.
    public func flaws(
        inHeaders setting: Setting<[NamedValue<GuardedText>]>, whereOwn isOwn: (String) -> Bool = { _ in false }
    ) -> [Problem] {
        var problems: [Problem] = []
        var seen: Set<String> = []
        for header in self[setting] {
            let (name, shown) = (header.name.lowercased(), header.name.tamed.clipped(to: 60))
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
            } else if !header.value.isHeaderValue {
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
        guard !text.isHeaderValue else { return nil }
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

extension String {
    /// RFC 9110, section 5.6.2.
    fileprivate var isHeaderName: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension GuardedText {
    /// Whether it stays within one line.
    fileprivate var isHeaderValue: Bool { reveal().utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
}
