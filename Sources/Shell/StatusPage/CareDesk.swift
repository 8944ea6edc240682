public import AlertModel
internal import Markup

/// Who does what the links in messages are for, after somebody has confirmed it on the page.
public protocol BotCare: Sendable {
    /// An open incident as it is now; nil when no such incident is open.
    func view(ofIncident id: String) async -> CareView?

    /// Mutes it, and what is like it, from now on for so long.
    func mute(incident id: String, for length: Duration, by name: String?) async -> CareAnswer
    /// Ends a mute.
    func unmute(_ mute: String) async -> CareAnswer
    /// Says who takes care of it.
    func acknowledge(incident id: String, by name: String?) async -> CareAnswer
}

/// What a page shows of an incident before anybody decides.
public struct CareView: Sendable {
    /// What a message would say of it now.
    public let message: Message
    /// What a mute of it covers, in a few words.
    public let coverage: String

    public init(message: Message, coverage: String) {
        self.message = message
        self.coverage = coverage
    }
}

/// What came of it.
public struct CareAnswer: Sendable {
    /// For people.
    public let sentence: String
    /// The mute that was set, by which it can be ended.
    public let mute: String?

    public init(_ sentence: String, mute: String? = nil) {
        self.sentence = sentence
        self.mute = mute
    }
}

/// The pages behind the links of messages: one mutes, one acknowledges.
///
/// Chats fetch every link that is posted, so reading a page changes nothing: it asks, and only its own form is
/// obeyed. Another site can neither send that form (its `Origin` is not ours), nor show the page in a frame, nor guess
/// the token.
struct CareDesk: Sendable {
    let care: any BotCare
    /// The hosts whose pages may send a form, in lower case and without ports.
    let hosts: Set<String>
    /// The header, in lower case, in which a proxy with a login names who asks; nil: people name themselves.
    let userHeader: String?
    /// What whoever is not on this machine has to know to change anything; nil where only a proxy can vouch for people.
    let password: Secret?
    /// Known to pages of this run alone.
    let token: String

    /// What a link is for.
    enum Errand: String, CaseIterable {
        case mute = "/mute"
        case acknowledge = "/ack"

        /// What a form is sent to, from the page that shows it.
        fileprivate var action: String { String(rawValue.dropFirst()) }
    }

    /// What a mute may last; links in messages ask for some of them.
    private static let lengths: [(word: String, length: Duration)] = [
        ("2h", .hours(2)), ("8h", .hours(8)), ("2d", .days(2)), ("7d", .days(7)),
    ]
    private static let formType = "application/x-www-form-urlencoded"
    /// Longer than any name that people go by in a chat.
    private static let nameMax = 80

    init(care: any BotCare, publicHost: String, userHeader: String?, password: Secret?) {
        self.care = care
        hosts = [publicHost.lowercased(), "localhost", "127.0.0.1", "[::1]"]
        self.userHeader = userHeader?.lowercased()
        self.password = password
        token = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    func answer(_ errand: Errand, _ request: Request, _ page: Page) async -> Response {
        switch request.method {
        case "GET", "HEAD": return await ask(errand, request, page)
        case "POST": return await obey(errand, request, page)
        default:
            var response = Response.sentence(.methodNotAllowed, "This is confirmed with POST.")
            response.headers = [Response.Header(name: "Allow", value: "GET, HEAD, POST")]
            return response
        }
    }

    // MARK: Asking

    private func ask(_ errand: Errand, _ request: Request, _ page: Page) async -> Response {
        guard let id = CareDesk.id(request.parameter("incident")) else { return CareDesk.misunderstood(errand) }
        let wished = request.parameter("for") ?? CareDesk.lengths[0].word
        guard errand == .acknowledge || CareDesk.length(wished) != nil else { return CareDesk.misunderstood(errand) }
        guard let view = await care.view(ofIncident: id) else {
            return .form(page.notice("It is over", "This incident is no longer open, or never existed."))
        }
        let user = user(of: request)
        if needsPassword(request), password == nil { return CareDesk.closed }
        let key = passwordField(for: request)
        let name: HTML =
            user.map { "<p>You are \($0).</p>" }
                ?? """
                <p><label>Your name <input name="by" maxlength="\(String(CareDesk.nameMax))" autocomplete="name"></label></p>
                """
        let hidden = Page.hidden([("incident", id), ("token", token)])
        let form: HTML
        switch errand {
        case .acknowledge:
            form = """
                <p>Everyone who was notified of it is notified that you are on it, and nobody is reminded unless it gets worse.</p>
                \(Page.form(errand.action, "\(hidden)\(name)\(key)<button type=\"submit\">I am on it</button>"))
                """
        case .mute:
            // What the link asked for comes first.
            let others = CareDesk.lengths.map(\.word).filter { $0 != wished }
            let buttons = ([wished] + others).map { word -> HTML in
                #"<button type="submit" name="for" value="\#(word)">\#(CareDesk.length(word)?.short ?? word)</button>"#
            }
            form = """
                <p>Mute \(view.coverage)? What is still wrong when the mute ends is sent then.</p>
                \(Page.form(errand.action, "\(hidden)\(name)\(key)<p class=\"choices\">\(buttons)</p>"))
                """
        }
        return .form(page.care(view.message, form))
    }

    // MARK: Obeying

    private func obey(_ errand: Errand, _ request: Request, _ page: Page) async -> Response {
        guard isOurs(request) else {
            return .sentence(.forbidden, "Only the page's own form is accepted: open the link of the message again.")
        }
        let form = Request.fields(String(decoding: request.body, as: UTF8.self))
        func value(_ name: String) -> String? { form.first { $0.name == name }?.value }
        guard value("token") == token else {
            return .sentence(
                .forbidden, "The bot has restarted since this page was shown: open the link of the message again.")
        }
        if let refusal = refusal(of: request, key: value("key")?.formDecoded) { return refusal }
        if errand == .mute, let mute = value("undo") {
            guard let mute = CareDesk.id(mute) else { return CareDesk.misunderstood(errand) }
            return .form(page.notice("Mute", await care.unmute(mute).sentence))
        }
        guard let id = CareDesk.id(value("incident")) else { return CareDesk.misunderstood(errand) }
        let name = user(of: request) ?? CareDesk.name(value("by")?.formDecoded)
        switch errand {
        case .acknowledge:
            return .form(page.notice("Acknowledge", await care.acknowledge(incident: id, by: name).sentence))
        case .mute:
            guard let length = value("for").flatMap(CareDesk.length) else { return CareDesk.misunderstood(errand) }
            let answer = await care.mute(incident: id, for: length, by: name)
            let undo = answer.mute.map { mute in
                Page.form(
                    errand.action,
                    "\(Page.hidden([("undo", mute), ("token", token)]))\(passwordField(for: request))<button type=\"submit\">Undo</button>"
                )
            }
            return .form(page.notice("Mute", answer.sentence, undo))
        }
    }

    /// Whether a page of ours sent it: every browser of today names the origin of what is posted.
    private func isOurs(_ request: Request) -> Bool {
        let origins = request.headers("origin")
        guard origins.count == 1, let origin = WebAddress(origins[0]), hosts.contains(origin.host) else { return false }
        let type = request.headers("content-type").first?.prefix { $0 != ";" }.lowercased() ?? ""
        return type == CareDesk.formType && request.headers("sec-fetch-site").allSatisfy { $0 == "same-origin" }
    }

    /// Why it may not change anything; nil where it may: it comes from this machine, a proxy vouches for whoever sends it,
    /// or it has the bot's token.
    private func refusal(of request: Request, key: String?) -> Response? {
        guard needsPassword(request) else { return nil }
        guard let password else { return CareDesk.closed }
        let bearer = request.headers("authorization").first.flatMap { header in
            header.lowercased().hasPrefix("bearer ") ? String(header.dropFirst("bearer ".count)) : nil
        }
        let isRight = [key, bearer].contains { $0.map { password.isSame(as: $0) } ?? false }
        return isRight ? nil : .sentence(.forbidden, "This is not the bot's token: go back and try again.")
    }

    private func needsPassword(_ request: Request) -> Bool { !request.isLocal && user(of: request) == nil }

    private func passwordField(for request: Request) -> HTML? {
        needsPassword(request)
            ? """
            <p><label>The bot's token <input name="key" type="password" autocomplete="current-password" required></label></p>
            """ : nil
    }

    private static let closed = Response.sentence(
        .forbidden,
        "Changes from another machine need 'bot.token' in the config, or a proxy that says who asks ('bot.user_header')."
    )

    /// Whom the proxy in front names.
    private func user(of request: Request) -> String? {
        userHeader.flatMap { CareDesk.name(request.headers($0).first) }
    }

    // MARK: Reading

    private static func name(_ written: String?) -> String? {
        guard let name = written?.tamed.trimmed.clipped(to: nameMax), !name.isEmpty else {
            return nil
        }
        return name
    }

    /// The id of an incident or a mute.
    private static func id(_ written: String?) -> String? {
        guard let id = written, (1...40).contains(id.utf8.count),
            id.utf8.allSatisfy({
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
            })
        else { return nil }
        return id
    }

    private static func length(_ word: String) -> Duration? { lengths.first { $0.word == word }?.length }

    private static func misunderstood(_ errand: Errand) -> Response {
        let words = lengths.map(\.word)
        let example =
            errand == .mute
            ? "/mute?incident=ID&for=2h, with one of \(words.joined(separator: ", "))" : "/ack?incident=ID"
        return .sentence(.badRequest, "Such a link looks like \(example).")
    }
}

extension String {
    /// A value of a form as it was typed: a plus sign is a space, and what is percent-encoded is a byte.
    fileprivate var formDecoded: String {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"),
                let code = UInt8(rest.prefix(2).map { String(UnicodeScalar($0)) }.joined(), radix: 16),
                rest.count >= 2
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Page {
    static func hidden(_ fields: [(name: String, value: String)]) -> HTML {
        "\(fields.map { field -> HTML in #"<input type="hidden" name="\#(field.name)" value="\#(field.value)">"# })"
    }

    static func form(_ action: String, _ content: HTML) -> HTML {
        #"<form method="post" action="\#(action)">\#(content)</form>"#
    }

    /// An incident as it is now, and what can be done about it.
    func care(_ message: Message, _ form: HTML) -> HTML {
        frame("<div class=\"message \(Page.tone(message))\"><article>\(Page.summary(message))</article></div>\(form)")
    }

    /// A short page of its own.
    func notice(_ title: String, _ words: String, _ more: HTML? = nil) -> HTML {
        frame("<h1>\(title)</h1><p>\(words)</p>\(more)")
    }

    private func frame(_ content: HTML) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(botName)</title>
        <link rel="icon" href="icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="style.css">
        </head>
        <body>
        <main class="notice">
        \(content)
        <p><a href="./">All messages</a></p>
        </main>
        </body>
        </html>

        """
    }
}
