internal import PluginKit

/// A request in the form that somebody else's interface wants: JSON whose texts have places for what a message has, and
/// an address that may have some, too.
struct WebhookForm: Sendable {
    private indirect enum Part: Sendable {
        case text(MessageText)
        case list([Part])
        case members([(name: String, value: Part)])
        case fixed(JSON)
    }

    private let body: Part
    private let view: MessageView

    /// - Parameter view: what a message looks like to templates.
    init(_ written: GuardedText, at position: Position, _ view: MessageView) throws(ProblemList) {
        guard !written.hasSecret else {
            throw ProblemList(
                position, "'body' holds a secret, and would be shown in previews", advice: "use 'headers'")
        }
        let json: JSON
        do {
            json = try JSON(parsing: Array(written.reveal().utf8))
        } catch {
            throw ProblemList(position, "'body' is not JSON: \(error)")
        }
        guard case .object = json else {
            throw ProblemList(position, "'body' must be a JSON object: {\"text\": \"{{headline}}\"}")
        }
        body = try WebhookForm.part(json, at: position)
        self.view = view
    }

    private static func part(_ json: JSON, at position: Position) throws(ProblemList) -> Part {
        switch json {
        case .string(let text): return .text(try MessageText(text, at: position, "'body'"))
        case .array(let elements):
            var parts: [Part] = []
            for element in elements { parts.append(try part(element, at: position)) }
            return .list(parts)
        case .object(let object):
            var parts: [(name: String, value: Part)] = []
            for member in object.members { parts.append((member.name, try part(member.value, at: position))) }
            return .members(parts)
        case .null, .bool, .int, .double: return .fixed(json)
        }
    }

    /// The body of a posting.
    func json(_ posting: Posting) -> JSON {
        var message = posting.message
        // That it may be known already stands wherever its title does.
        if posting.possiblyRepeated { message.headline += " " + message.repeatNotice }
        let bytesMax = posting.isPlain ? WebhookForm.plainTextBytesMax : WebhookForm.textBytesMax
        return json(body, view.values(of: message, written: \.defused), textBytesMax: bytesMax)
    }

    private func json(_ part: Part, _ values: MessageView.Values, textBytesMax: Int) -> JSON {
        switch part {
        case .fixed(let json): json
        case .text(let text):
            .string(
                text.text(with: values).cutInTheMiddle(to: textBytesMax, markCost: 3, cost: \.bytesInJSON))
        case .list(let parts): .array(parts.map { json($0, values, textBytesMax: textBytesMax) })
        case .members(let parts):
            .object(JSONObject(parts.map { ($0.name, json($0.value, values, textBytesMax: textBytesMax)) }))
        }
    }

    /// Of one text in the body; whoever takes less says so in its documentation, and the template can be shorter.
    private static let textBytesMax = 15_000
    /// The same after a refusal: titles of alerts are often no longer than this, in Opsgenie 130 characters.
    private static let plainTextBytesMax = 120
}

/// An address that may have places for what a message has; secrets in it stay secret.
struct WebhookAddress: Sendable {
    private let plain: GuardedText
    private let template: MessageText?
    private let secrets: [GuardedText.Piece]
    private let view: MessageView

    /// Stands for a secret while the rest is written; what a message has is percent-encoded and cannot be it.
    private static let standIn: Character = "\u{F8FF}"

    init(_ written: GuardedText, at position: Position, _ view: MessageView) throws(ProblemList) {
        plain = written
        self.view = view
        var secrets: [GuardedText.Piece] = []
        var text = ""
        for piece in written.pieces {
            switch piece {
            case .plain(let plain): text += plain
            case .secret:
                secrets.append(piece)
                text.append(WebhookAddress.standIn)
            }
        }
        self.secrets = secrets
        if WebAddress(text)?.host.contains("{") ?? false {
            throw ProblemList(position, "'url' must name its host without a template")
        }
        template = text.contains("{{") ? try MessageText(text, at: position, "'url'") : nil
    }

    func url(of posting: Posting) -> GuardedText {
        guard let template else { return plain }
        let text = template.text(with: view.values(of: posting.message, written: \.asPiece))
        var pieces: [GuardedText.Piece] = []
        var secrets = secrets[...]
        var words = ""
        for character in text {
            if character == WebhookAddress.standIn, let secret = secrets.popFirst() {
                pieces += [.plain(words), secret]
                words = ""
            } else {
                words.append(character)
            }
        }
        return GuardedText(pieces: pieces + [.plain(words)])
    }
}

extension String {
    /// The text percent-encoded for a piece of a path. One that has a value and is `.` or `..`, which leads elsewhere however
    /// it is encoded, can only be of values that are one of them, so these two never stand alone.
    fileprivate var asPiece: String { self == "." || self == ".." ? "\(self)_" : percentEncoded }
}
