internal import PluginKit

/// What a channel sends, whatever the way: a request or a mail.
enum Parcel: Equatable {
    case request(HTTPRequest)
    case mail(Mail)

    /// Nil where nothing leaves the bot.
    init?(_ action: ChannelAction) {
        switch action {
        case .request(let request): self = .request(request)
        case .mail(let mail): self = .mail(mail)
        case .print, .keep: return nil
        }
    }

    /// As it goes over the wire; nil for a request without a body.
    var bytes: [UInt8]? {
        switch self {
        case .request(let request): request.wireBody()?.bytes
        case .mail(let mail): mail.wireMessage()
        }
    }

    /// Where it goes, secrets included.
    var address: String {
        switch self {
        case .request(let request): request.url.reveal()
        case .mail(let mail): ([mail.server.url, mail.from.address] + mail.to.map(\.address)).joined(separator: " ")
        }
    }

    /// Its words as JSON, secrets included; nil where they are none.
    var words: JSON? {
        switch self {
        case .request(let request): request.wireBody().flatMap { try? JSON(parsing: $0.bytes) }
        case .mail(let mail): mail.words
        }
    }
}

extension Mail {
    /// What people read of it.
    var words: JSON {
        var words = JSONObject([("subject", .string(subject)), ("text", .string(text))])
        if let html { words["html"] = .string(html) }
        return .object(words)
    }

    /// What is wrong with it as it goes over the wire, whoever takes it.
    var wireFlaws: [String] {
        var flaws: [String] = []
        let bytes = wireMessage()
        if let byte = bytes.first(where: { $0 >= 0x7F || $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }) {
            flaws.append("the mail holds a byte \(byte)")
        }
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty != true || lines.dropLast().contains(where: { $0.last != 0x0D }) {
            flaws.append("a line of the mail does not end in CR and LF")
        }
        if lines.contains(where: { $0.dropLast().contains(0x0D) }) { flaws.append("the mail holds a CR in a line") }
        // RFC 5322, section 2.1.1: with the line's end a thousand.
        if let longest = lines.map(\.count).max(), longest > 999 {
            flaws.append("a line of the mail has \(longest) bytes")
        }
        let names = lines.prefix { $0.count > 1 }.filter { $0.first != UInt8(ascii: " ") }.map { line in
            String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        }
        let known: Set = [
            "Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "Auto-Submitted",
            "X-Auto-Response-Suppress", "Importance", "X-Priority", "MIME-Version", "Content-Type",
            "Content-Transfer-Encoding",
        ]
        if Set(names).count != names.count || !known.isSuperset(of: names) {
            flaws.append("the mail has other headers than those of a mail: \(names)")
        }
        return flaws
    }
}
