internal import PluginKit

/// How large the parts of an event may be, in bytes as they stand in the JSON.
enum MatrixLimits {
    /// An event with its signatures is at most 65,536 bytes (Matrix specification, "Size limits"); Synapse took a text
    /// of 64,000 and refused 65,000. The rest is for what the homeserver adds.
    static let contentMax = 60_000

    // The shares of the two texts; 4,000 are for names and punctuation.
    static let bodyMax = 20_000
    static let htmlMax = 36_000

    // The shares of what makes the HTML, so that one huge part leaves room for the others: together below 21,000,
    // which leaves at least 15,000 to the lists of issues and lines.
    static let headlineMax = 1500
    static let factsMax = 20
    static let factLabelMax = 100
    static let factValueMax = 400
    static let reasonMax = 1500
    static let sparklineMax = 300
    static let linkTitleMax = 200
    static let linkURLMax = 2000
    static let linksMax = 5000
    static let footerMax = 600
    static let issueTitleMax = 700
    static let issueDetailMax = 200
    static let lineMax = 1000

    /// One line of the plain text.
    static let bodyLineMax = 2000
}

/// A message as the content of an `m.room.message` event.
enum MatrixContent {
    /// Text, and the same as HTML for clients that show it.
    static func rich(_ message: Message) -> JSON {
        .object(
            JSONObject(
                start(message) + [
                    ("format", "org.matrix.custom.html"),
                    ("formatted_body", .string(MatrixHTML.of(message, headline: headline(of: message)))),
                ] + end
            )
        )
    }

    /// Text alone.
    static func plain(_ message: Message) -> JSON { .object(JSONObject(start(message) + end)) }

    /// `m.text`: push rules keep a notice silent, and an alert is there to be noticed.
    private static func start(_ message: Message) -> [(String, JSON)] {
        let lines = message.plainText.split(separator: "\n").map { line in
            String(line).fitted(to: MatrixLimits.bodyLineMax, cost: \.wireCost)
        }
        let text = lines.isEmpty ? headline(of: message) : lines.joined(separator: "\n")
        return [
            ("msgtype", "m.text"), ("body", .string(text.fitted(to: MatrixLimits.bodyMax, cost: \.wireCost))),
        ]
    }

    /// Said outright, that nobody is mentioned turns off the older rules that search the text for names and `@room`.
    private static let end: [(String, JSON)] = [("m.mentions", .object(JSONObject()))]

    /// The headline, never empty.
    private static func headline(of message: Message) -> String {
        let headline = message.headline.tamed.trimmed
        guard headline.isEmpty else { return headline }
        return "\(Message.mark(kind: message.kind, severity: message.severity)) \(message.kind.rawValue)"
    }
}

extension String {
    /// What the text adds to a JSON text, in bytes.
    var wireCost: Int {
        // The quotation marks around it are not its own.
        JSON.string(self).bytes.count - 2
    }

    /// The text with its middle cut out where its characters cost more than the limit, never inside a character.
    func fitted(to limit: Int, cost: (String) -> Int) -> String {
        let costs = map { cost(String($0)) }
        guard costs.reduce(0, +) > limit else { return self }
        let head = costs.count(within: limit / 2)
        let tail = costs.reversed().count(within: limit - limit / 2 - "…".utf8.count)
        return prefix(head) + "…" + suffix(tail)
    }
}

extension Sequence<Int> {
    /// How many of the numbers, from the front, stay within the limit together.
    fileprivate func count(within limit: Int) -> Int {
        var left = limit
        let fitting = prefix { number in
            left -= number
            return left >= 0
        }
        return fitting.count
    }
}
