internal import Text

// A mail as it goes over the wire: RFC 5322 and MIME, of nothing but ASCII, every line short and ended by CR and LF.

extension Mail {
    /// The whole mail, headers and body.
    public func wireMessage() -> [UInt8] {
        var headers = [("Date", date.mailDate), ("From", from.header), ("To", Mail.folded(to.map(\.header), by: ","))]
        headers.append(("Subject", Mail.words(subject)))
        headers.append(("Message-ID", Mail.name(id)))
        if let thread {
            headers += [("In-Reply-To", Mail.name(thread)), ("References", Mail.name(thread))]
        }
        // What answers by itself shall not answer this.
        headers += [("Auto-Submitted", "auto-generated"), ("X-Auto-Response-Suppress", "All")]
        if isUrgent { headers += [("Importance", "high"), ("X-Priority", "1")] }
        headers.append(("MIME-Version", "1.0"))
        let textPart = Mail.part("text/plain; charset=utf-8", text)
        var lines: [String]
        if let html {
            headers.append(("Content-Type", "multipart/alternative; boundary=\"\(Mail.boundary)\""))
            lines = headers.map { "\($0): \($1)" } + [""]
            // The best form comes last.
            lines += ["--\(Mail.boundary)"] + textPart
            lines += ["--\(Mail.boundary)"] + Mail.part(html, with: pictures)
            lines.append("--\(Mail.boundary)--")
        } else {
            lines = headers.map { "\($0): \($1)" } + textPart
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// The mail's headers as people may see them, in the words that stand for what is encoded.
    public var shownHeaders: [(name: String, value: String)] {
        var headers = [
            ("From", from.description), ("To", to.map(\.description).joined(separator: ", ")), ("Subject", subject),
            ("Date", date.mailDate), ("Message-ID", "<\(id)>"),
        ]
        if let thread { headers.append(("In-Reply-To", "<\(thread)>")) }
        if isUrgent { headers.append(("Importance", "high")) }
        return headers
    }

    /// The HTML, and beside it the pictures that it shows.
    private static func part(_ html: String, with pictures: [Picture]) -> [String] {
        let page = part("text/html; charset=utf-8", html)
        guard !pictures.isEmpty else { return page }
        let boundary = picturesBoundary
        var lines = [
            "Content-Type: multipart/related; boundary=\"\(boundary)\"; type=\"text/html\"", "", "--\(boundary)",
        ]
        lines += page
        for picture in pictures {
            lines += [
                "--\(boundary)", "Content-Type: \(picture.contentType)", "Content-Transfer-Encoding: base64",
                "Content-ID: \(name(picture.id))", "Content-Disposition: inline; filename=\"\(picture.name)\"", "",
            ]
            let text = Array(Base64.encode(picture.bytes).utf8)
            lines += stride(from: 0, to: text.count, by: base64LineMax).map { start in
                String(decoding: text[start..<min(start + base64LineMax, text.count)], as: UTF8.self)
            }
        }
        return lines + ["--\(boundary)--"]
    }

    /// RFC 2045, section 6.8.
    private static let base64LineMax = 76

    /// No line of quoted-printable holds `=_`, so none can be taken for the end of a part.
    private static let boundary = "=_alertbot"
    /// Of what is inside. RFC 2046, section 5.1: none begins with another, or its lines would end the parts outside.
    private static let picturesBoundary = "=_pictures"

    /// A Message-ID, of nothing that ends it or its line.
    private static func name(_ id: String) -> String {
        "<\(String(String.UnicodeScalarView(id.unicodeScalars.filter { "!"..."~" ~= $0 && $0 != "<" && $0 != ">" })))>"
    }

    /// The header lines of a part, an empty one, and its body.
    private static func part(_ type: String, _ body: String) -> [String] {
        ["Content-Type: \(type)", "Content-Transfer-Encoding: quoted-printable", ""] + quotedPrintable(body)
    }

    /// RFC 2045, section 6.7: lines of at most 76 characters, of which none ends in a space. What begins with a dot or
    /// with `From` means something to some servers, and is written otherwise.
    private static func quotedPrintable(_ text: String) -> [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        func end(softly: Bool) {
            if softly { line.append(UInt8(ascii: "=")) }
            lines.append(String(decoding: line, as: UTF8.self))
            line = []
        }
        for written in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let bytes = Array(written.utf8)
            for (index, byte) in bytes.enumerated() {
                var isPlain = 0x21...0x7E ~= byte && byte != UInt8(ascii: "=")
                if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { isPlain = index + 1 < bytes.count }
                // A line that goes on needs room for the mark of that.
                if line.count + (isPlain ? 1 : 3) > 75 { end(softly: true) }
                if line.isEmpty, ".F".utf8.contains(byte) { isPlain = false }
                line += isPlain ? [byte] : Array("=\(byte.hex)".utf8)
            }
            end(softly: false)
        }
        return lines
    }

    /// RFC 2047: plain words as they are, others in base64, in pieces of whole characters of Unicode.
    fileprivate static func words(_ text: String) -> String {
        let text = text.tamed
        let isPlain = text.utf8.count <= plainWordsMax && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        guard !isPlain || text.contains("=?") else { return text.trimmed }
        var pieces: [[UInt8]] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if let last = pieces.last, last.count + bytes.count <= pieceBytesMax {
                pieces[pieces.count - 1] += bytes
            } else {
                pieces.append(bytes)
            }
        }
        return folded(pieces.map { "=?utf-8?B?\(Base64.encode($0))?=" }, by: "")
    }

    /// What fits on the line behind the header's name.
    private static let plainWordsMax = 60
    /// An encoded word has 75 characters at most, 12 of which say what it is, and the first shares its line with the
    /// header's name.
    private static let pieceBytesMax = 42

    /// One piece a line: a line that begins with a space goes on with the one before.
    private static func folded(_ pieces: [String], by separator: String) -> String {
        pieces.joined(separator: "\(separator)\r\n ")
    }
}

extension MailAddress {
    /// `"On call" <oncall@example.com>`.
    fileprivate var header: String {
        guard !name.isEmpty else { return address }
        let words = Mail.words(name)
        guard words == name else { return "\(words)\r\n <\(address)>" }
        return "\"\(name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\" <\(address)>"
    }
}

extension Moment {
    /// RFC 5322, section 3.3: `Sat, 21 Nov 2026 00:00:00 +0000`.
    var mailDate: String {
        let civil = CivilTime(self)
        let (year, month, day) = civil.date
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = civil.weekday.shortName
        return
            "\(weekday.prefix(1).uppercased())\(weekday.dropFirst()), \(day) \(months[month - 1]) \(year) "
            + "\(civil.clockText):\(civil.second.padded(2)) +0000"
    }
}

extension UInt8 {
    fileprivate var hex: String { (self < 16 ? "0" : "") + String(self, radix: 16, uppercase: true) }
}
