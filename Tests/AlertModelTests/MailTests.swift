import AlertModel
import Testing

@Suite struct `Mail addresses` {
    @Test(arguments: [
        ("oncall@example.com", "", "oncall@example.com"), (" a.b+c@localhost ", "", "a.b+c@localhost"),
        ("On call <oncall@example.com>", "On call", "oncall@example.com"),
        ("\"Call, on\" <oncall@example.com>", "Call, on", "oncall@example.com"),
        ("Störung <x@xn--strung-bya.example>", "Störung", "x@xn--strung-bya.example"),
    ])
    func `an address may have a name`(written: String, name: String, address: String) throws {
        let read = try #require(MailAddress(written))
        #expect(read.name == name)
        #expect(read.address == address)
    }

    @Test(arguments: [
        "", "oncall", "@example.com", "oncall@", "a b@example.com", "a@b@example.com>", "a..b@example.com",
        ".a@example.com", "a@-example.com", "a@example..com", "a@exa_mple.com", "a@example.com\r\nBcc: b@example.com",
        "ö@example.com", "a@ö.example", "Name\nBcc: <a@example.com>", "<>", "a@example.com, b@example.com",
        "\"a\"@example.com", "a@[127.0.0.1]", "a@" + String(repeating: "x", count: 64) + ".com",
        String(repeating: "x", count: 65) + "@example.com",
    ])
    func `what is none is refused`(written: String) { #expect(MailAddress(written) == nil) }
}

@Suite struct `Mails on the wire` {
    private func mail(
        subject: String = "shop", name: String = "Bot", text: String = "words", html: String? = nil,
        thread: String? = nil
    ) throws -> Mail {
        Mail(
            by: MailServer(host: "mail.example.com", port: 587, security: .starttls),
            from: try #require(MailAddress(name.isEmpty ? "bot@example.com" : "\(name) <bot@example.com>")),
            to: [try #require(MailAddress("a@example.com")), try #require(MailAddress("Ü <b@example.com>"))],
            subject: subject, date: Moment(milliseconds: 1_795_219_200_000), id: "d-1@example.com", thread: thread,
            isUrgent: thread == nil, text: text, html: html)
    }

    private func lines(_ mail: Mail) -> [String] {
        String(decoding: mail.wireMessage(), as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test func `every header has its own grammar`() throws {
        #expect(
            lines(try mail(subject: "🔴 shop", html: "<p>words</p>", thread: "d-0@example.com")) == [
                "Date: Sat, 21 Nov 2026 00:00:00 +0000", "From: \"Bot\" <bot@example.com>", "To: a@example.com,",
                " =?utf-8?B?w5w=?=", " <b@example.com>", "Subject: =?utf-8?B?8J+UtCBzaG9w?=",
                "Message-ID: <d-1@example.com>", "In-Reply-To: <d-0@example.com>", "References: <d-0@example.com>",
                "Auto-Submitted: auto-generated", "X-Auto-Response-Suppress: All", "MIME-Version: 1.0",
                "Content-Type: multipart/alternative; boundary=\"=_alertbot\"", "", "--=_alertbot",
                "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "", "words",
                "--=_alertbot", "Content-Type: text/html; charset=utf-8",
                "Content-Transfer-Encoding: quoted-printable", "", "<p>words</p>", "--=_alertbot--", "",
            ])
    }

    @Test func `no boundary begins with another`() throws {
        var mail = try mail(html: "<p>words</p>")
        mail.pictures = [
            Mail.Picture(id: "chart@example.com", bytes: [1, 2, 3], contentType: "image/png", name: "chart.png")
        ]
        let boundaries = lines(mail).compactMap { line -> String? in
            let parts = line.split(separator: "boundary=\"", maxSplits: 1)
            return parts.count == 2 ? parts[1].split(separator: "\"").first.map(String.init) : nil
        }
        #expect(boundaries.count == 2)
        for (index, boundary) in boundaries.enumerated() {
            for (other, text) in boundaries.enumerated() where other != index { #expect(!text.hasPrefix(boundary)) }
        }
    }

    @Test func `without HTML there are no parts`() throws {
        let lines = lines(try mail())
        #expect(lines.contains("Content-Type: text/plain; charset=utf-8"))
        #expect(lines.contains("Importance: high"))
        #expect(!lines.contains { $0.hasPrefix("--") })
        #expect(lines.suffix(3) == ["", "words", ""])
    }

    @Test(arguments: [
        "a\r\nBcc: x@example.com", "a\nBcc: x@example.com", "=?utf-8?B?QmNjOiB4?=", "a\u{2028}Bcc: x",
        "\u{0}\u{1B}[31m",
        String(repeating: "🔴 shop ", count: 60), String(repeating: "x", count: 1000),
    ])
    func `no subject begins a header or a long line`(subject: String) throws {
        let lines = lines(try mail(subject: subject))
        #expect(lines.allSatisfy { $0.utf8.count <= 78 })
        #expect(!lines.contains { $0.hasPrefix("Bcc") })
        #expect(lines.count { $0.hasPrefix("Subject: ") } == 1)
    }

    @Test func `quoted-printable keeps every byte, in short lines`() throws {
        let text =
            ".dot\n\nFrom here\nspace \ntab\t\n=\n" + String(repeating: "é", count: 80) + "\n"
            + String(repeating: "x", count: 200)
        let lines = lines(try mail(text: text))
        let body = lines.drop { !$0.isEmpty }.dropFirst().dropLast()
        #expect(body.prefix(6) == ["=2Edot", "", "=46rom here", "space=20", "tab=09", "=3D"])
        #expect(body.allSatisfy { $0.utf8.count <= 76 })
        #expect(Self.decoded(Array(body)) == text)
    }

    private static func decoded(_ lines: [String]) -> String {
        var bytes: [UInt8] = []
        for (index, line) in lines.enumerated() {
            let isSoft = line.hasSuffix("=")
            var rest = (isSoft ? line.dropLast() : line[...]).utf8[...]
            while let byte = rest.first {
                if byte == UInt8(ascii: "="), let value = UInt8(String(rest.dropFirst().prefix(2)) ?? "", radix: 16) {
                    bytes.append(value)
                    rest = rest.dropFirst(3)
                } else {
                    bytes.append(byte)
                    rest = rest.dropFirst()
                }
            }
            if !isSoft, index + 1 < lines.count { bytes.append(10) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a password shows nowhere`() throws {
        var mail = try mail()
        mail.server = MailServer(
            host: "mail.example.com", port: 587, security: .starttls,
            login: MailServer.Login(user: "bot", password: GuardedText(Secret("s3cret"))))
        var dumped = ""
        dump(mail, to: &dumped)
        #expect(!"\(mail)\(String(reflecting: mail))\(dumped)".contains("s3cret"))
    }
}
