internal import AlertModel
internal import Markup

/// Who mutes what a link in a message names, after somebody has confirmed it on the page.
public protocol BotMuting: Sendable {
    /// What a mute of that incident would cover, in a few words; nil when no such incident is open.
    func coverage(ofIncident id: String) async -> String?

    /// Mutes it from now on for so long, and says in a sentence what came of it.
    func mute(incident id: String, for length: Duration) async -> String
}

/// The page behind the mute links of messages.
///
/// Chats fetch every link that is posted, so reading the page changes nothing: it asks, and only its own form is
/// obeyed. Another site can neither send that form (its `Origin` is not ours), nor show the page in a frame, nor guess
/// the token.
struct MuteDesk: Sendable {
    let muting: any BotMuting
    /// The hosts whose pages may send the form, in lower case and without ports.
    let hosts: Set<String>
    /// Known to pages of this run alone.
    let token: String

    static let path = "/mute"
    /// What links may ask for: those in messages do.
    private static let lengths: [String: Duration] = ["2h": .hours(2), "2d": .days(2)]
    private static let formType = "application/x-www-form-urlencoded"

    init(muting: any BotMuting, publicHost: String) {
        self.muting = muting
        hosts = [publicHost.lowercased(), "localhost", "127.0.0.1", "[::1]"]
        token = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    /// What was asked for.
    private struct Wish {
        let incident: String
        let length: Duration
        let word: String

        init?(_ parameter: (String) -> String?) {
            guard let incident = parameter("incident"), (1...40).contains(incident.utf8.count),
                incident.utf8.allSatisfy({
                    UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
                }),
                let word = parameter("for"), let length = MuteDesk.lengths[word]
            else { return nil }
            self.incident = incident
            self.length = length
            self.word = word
        }
    }

    func answer(_ request: Request, _ page: Page) async -> Response {
        switch request.method {
        case "GET", "HEAD": return await ask(request, page)
        case "POST": return await obey(request, page)
        default:
            var response = Response.sentence(.methodNotAllowed, "A mute is confirmed with POST.")
            response.headers = [Response.Header(name: "Allow", value: "GET, HEAD, POST")]
            return response
        }
    }

    private func ask(_ request: Request, _ page: Page) async -> Response {
        guard let wish = Wish(request.parameter) else { return MuteDesk.misunderstood }
        guard let coverage = await muting.coverage(ofIncident: wish.incident) else {
            return .form(page.notice("There is nothing to mute", "This incident is no longer open, or never existed."))
        }
        return .form(
            page.question(
                "Mute \(coverage) for \(wish.length.short)?",
                "What is still wrong then is sent then. 'alertbot unmute' ends it early.",
                button: "Mute for \(wish.length.short)",
                fields: [("incident", wish.incident), ("for", wish.word), ("token", token)]))
    }

    private func obey(_ request: Request, _ page: Page) async -> Response {
        guard isOurs(request) else {
            return .sentence(.forbidden, "Only the page's own form is accepted: open the link of the message again.")
        }
        let form = Request.fields(String(decoding: request.body, as: UTF8.self))
        func value(_ name: String) -> String? { form.first { $0.name == name }?.value }
        guard value("token") == token else {
            return .sentence(
                .forbidden, "The bot has restarted since this page was shown: open the link of the message again.")
        }
        guard let wish = Wish(value) else { return MuteDesk.misunderstood }
        let sentence = await muting.mute(incident: wish.incident, for: wish.length)
        return .form(page.notice("Mute", sentence))
    }

    /// Whether a page of ours sent it: every browser of today names the origin of what is posted.
    private func isOurs(_ request: Request) -> Bool {
        let origins = request.headers("origin")
        guard origins.count == 1, let origin = WebAddress(origins[0]), hosts.contains(origin.host) else { return false }
        let type = request.headers("content-type").first?.prefix { $0 != ";" }.lowercased() ?? ""
        return type == MuteDesk.formType && request.headers("sec-fetch-site").allSatisfy { $0 == "same-origin" }
    }

    private static let misunderstood = Response.sentence(
        .badRequest, "A mute link looks like /mute?incident=ID&for=2h, with 2h or 2d.")
}

extension Page {
    /// A question with one button.
    func question(_ title: String, _ words: String, button: String, fields: [(name: String, value: String)]) -> HTML {
        let hidden = fields.map { field -> HTML in
            #"<input type="hidden" name="\#(field.name)" value="\#(field.value)">"#
        }
        return notice(
            title, words,
            """
            <form method="post" action="mute">\(hidden)<button type="submit">\(button)</button></form>
            """)
    }

    /// A short page of its own.
    func notice(_ title: String, _ words: String, _ more: HTML? = nil) -> HTML {
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
        <h1>\(title)</h1>
        <p>\(words)</p>
        \(more)
        </main>
        </body>
        </html>

        """
    }
}
