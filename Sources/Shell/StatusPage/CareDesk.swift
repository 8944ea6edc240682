public import AlertModel
internal import Markup

/// Who does what the links in messages are for, after somebody has confirmed it on the page.
public protocol BotCare: Sendable {
    /// An open incident as it is now; nil when no such incident is open.
    func view(ofIncident id: String) async -> CareView?
    /// Whether anything is known of an incident, open or not.
    func knows(incident id: String) async -> Bool

    /// Mutes it, and what is like it, from now on for so long. What was muted by this before is muted by this instead: people
    /// who choose again mean the last.
    func mute(incident id: String, for length: Duration, by name: String?) async -> CareAnswer
    /// Ends a mute.
    func unmute(_ mute: String) async -> CareAnswer
    /// Says who takes care of it.
    func acknowledge(incident id: String, by name: String?) async -> CareAnswer

    /// What a mute in force covers, in a few words; nil when there is none of that id.
    func coverage(ofMute id: String) async -> String?

    /// What a delivery that has failed for good says; nil when there is none of that id.
    func headline(ofFailed delivery: String) async -> String?
    /// Tries it once more.
    func retry(_ delivery: String) async -> CareAnswer

    /// What time it is.
    func now() -> Moment
}

/// What a page shows of an incident before anybody decides.
public struct CareView: Sendable {
    /// What a message would say of it now.
    public let message: Message
    /// What a mute of it covers, in a few words.
    public let coverage: String
    /// That it is muted already, until when, and what becomes of that; nil where it is not.
    public let muted: String?

    public init(message: Message, coverage: String, muted: String?) {
        self.message = message
        self.coverage = coverage
        self.muted = muted
    }
}

/// What came of it.
public struct CareAnswer: Sendable {
    /// For people.
    public let sentence: String
    /// Whether what was asked for is done.
    public let isDone: Bool
    /// The mute that was set, by which it can be ended.
    public let mute: String?

    public init(_ sentence: String, isDone: Bool = false, mute: String? = nil) {
        self.sentence = sentence
        self.isDone = isDone
        self.mute = mute
    }
}

/// The pages behind the links of messages: one mutes, one acknowledges.
///
/// Chats fetch every link that is posted, so reading a page changes nothing: it asks, and only its own form is
/// obeyed. Another site can neither send that form (its `Origin` is not ours), nor show the page in a frame, nor guess
/// the token. Where no public address is known, the address that people use is taken for ours, but only from whoever
/// enters the bot's token in the form.
struct CareDesk: Sendable {
    let care: any BotCare
    let gatekeeper: Gatekeeper
    /// Known to pages of this run alone.
    let token: String

    typealias Errand = BotAddress.Errand

    /// What a mute may last; links in messages ask for some of them.
    private static let lengths: [(word: String, length: Duration)] = [
        ("2h", .hours(2)), ("8h", .hours(8)), ("2d", .days(2)), ("7d", .days(7)),
    ]
    private static let formType = "application/x-www-form-urlencoded"

    init(care: any BotCare, _ gatekeeper: Gatekeeper) {
        self.care = care
        self.gatekeeper = gatekeeper
        token = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    func answer(_ errand: Errand, _ request: Request, _ page: Page) async -> Response {
        switch request.method {
        case "GET", "HEAD": return await ask(errand, request, page)
        case "POST": return await obey(errand, request, page)
        default:
            return .sentence(.methodNotAllowed, "This is confirmed with POST.").with("Allow", "GET, HEAD, POST")
        }
    }

    // MARK: Asking

    private func ask(_ errand: Errand, _ request: Request, _ page: Page) async -> Response {
        guard let id = CareDesk.id(request.parameter(errand.subject)) else { return CareDesk.misunderstood(errand) }
        let wished = request.parameter("for") ?? CareDesk.lengths[0].word
        guard errand != .mute || CareDesk.length(wished) != nil else { return CareDesk.misunderstood(errand) }
        guard let about = await about(errand, id) else {
            let story = await story(errand, id)
            return .form(
                page.notice("It is over", story == nil ? errand.absence : "This incident is no longer open.", story))
        }
        let written = LinkSeal.Written { request.parameter($0) }
        let needsKey = gatekeeper.needsPassword(request) && !isSealed(errand, id, written)
        if needsKey, gatekeeper.password == nil { return CareDesk.closed }
        let name: HTML? =
            switch (errand.asksName, gatekeeper.user(of: request)) {
            case (false, _): nil
            case (true, let user?): "<p>You are \(user).</p>"
            case (true, nil):
                """
                <p><label>Your name <input name="by" maxlength="\(String(Gatekeeper.nameMax))" autocomplete="name"></label></p>
                """
            }
        var known = [(errand.subject, id), ("token", token)]
        if let written, !needsKey { known += written.fields }
        let fields: HTML = "\(Page.hidden(known))\(name)\(needsKey ? CareDesk.keyField : nil)"
        func form(_ button: String) -> HTML {
            Page.form(errand.action, "\(fields)<button type=\"submit\">\(button)</button>")
        }
        let question: HTML
        switch errand {
        case .acknowledge:
            question = """
                <p>This notifies everyone who got the alert that you are on it, and stops reminders unless it gets worse.</p>
                \(form("I am on it"))
                """
        case .mute:
            // What the link asked for comes first.
            let others = CareDesk.lengths.map(\.word).filter { $0 != wished }
            let buttons = ([wished] + others).map { word -> HTML in
                #"<button type="submit" name="for" value="\#(word)">\#(CareDesk.length(word)?.short ?? word)</button>"#
            }
            let muted: HTML? = about.muted.map { "<p>\($0)</p>" }
            question = """
                \(muted)<p>Mute \(about.words)? What is still wrong when the mute ends is sent then.</p>
                \(Page.form(errand.action, "\(fields)<p class=\"choices\">\(buttons)</p>"))
                """
        case .unmute:
            question = """
                <p>End the mute of \(about.words)? Alerts about it are sent again from then on.</p>\(form("Unmute"))
                """
        case .retry:
            question = "<p>Send it again? “\(about.words)”</p>\(form("Retry"))"
        }
        return .form(page.care("\(errand.title): \(about.message?.headline ?? about.words)", about.message, question))
    }

    /// What an errand is about: the incident as it is now, and in a few words what would change.
    private func about(_ errand: Errand, _ id: String) async -> (message: Message?, words: String, muted: String?)? {
        switch errand {
        case .acknowledge, .mute: await care.view(ofIncident: id).map { ($0.message, $0.coverage, $0.muted) }
        case .unmute: await care.coverage(ofMute: id).map { (nil, $0, nil) }
        case .retry: await care.headline(ofFailed: id).map { (nil, $0, nil) }
        }
    }

    /// Leads whoever comes when nothing is to be decided any more to what is known of the incident: that may say alone how it
    /// ended, where a mute holds the message back. Nil where the errand is about something else, or nothing is known.
    private func story(_ errand: Errand, _ id: String) async -> HTML? {
        guard errand == .acknowledge || errand == .mute, await care.knows(incident: id) else { return nil }
        return #"<p><a href="incidents/\#(id)">See the incident</a></p>"#
    }

    // MARK: Obeying

    private func obey(_ errand: Errand, _ request: Request, _ page: Page) async -> Response {
        guard isOurs(request) else {
            return .sentence(.forbidden, CareDesk.foreign)
        }
        let form = Request.fields(String(decoding: request.body, as: UTF8.self))
        func value(_ name: String) -> String? { form.first { $0.name == name }?.value }
        guard value("token") == token else {
            return .sentence(
                .forbidden, "The bot has restarted since this page was shown: open the link in the message again.")
        }
        guard let id = CareDesk.id(value(errand.subject)) else { return CareDesk.misunderstood(errand) }
        let isSealed = isSealed(errand, id, LinkSeal.Written(value))
        if !isSealed, let refusal = refusal(of: request, key: value("key")?.formDecoded) { return refusal }
        let name = gatekeeper.user(of: request) ?? Gatekeeper.name(value("by")?.formDecoded)
        switch errand {
        case .acknowledge:
            let answer = await care.acknowledge(incident: id, by: name)
            let story = answer.isDone ? nil : await story(errand, id)
            return .form(page.notice("Acknowledge", answer.sentence, story))
        case .unmute: return .form(page.notice("Mute", await care.unmute(id).sentence))
        case .retry: return .form(page.notice("Retry", await care.retry(id).sentence))
        case .mute:
            guard let length = value("for").flatMap(CareDesk.length) else { return CareDesk.misunderstood(errand) }
            let author = name ?? (isSealed ? "a link in a message" : nil)
            let answer = await care.mute(incident: id, for: length, by: author)
            let story = answer.isDone ? nil : await story(errand, id)
            return .form(page.notice("Mute", answer.sentence, answer.mute.map { undo($0, request) } ?? story))
        }
    }

    /// What ends a mute that has just been set. Whoever set it may: nobody who needed no token for that needs one for this.
    private func undo(_ mute: String, _ request: Request) -> HTML {
        let needsKey = gatekeeper.needsPassword(request)
        let sealed = needsKey ? gatekeeper.seal?.undoing(mute, at: care.now()) : nil
        let fields = Page.hidden([(Errand.unmute.subject, mute), ("token", token)] + (sealed?.fields ?? []))
        let key = needsKey && sealed == nil ? CareDesk.keyField : nil
        return Page.form(Errand.unmute.action, "\(fields)\(key)<button type=\"submit\">Undo</button>")
    }

    /// Whether a page of ours sent it, by a form.
    private func isOurs(_ request: Request) -> Bool {
        request.mediaType == CareDesk.formType
            && (gatekeeper.isOurs(request) || gatekeeper.isSameAddress(request))
    }

    /// Why it may not change anything; nil where it may: it comes from this machine, a proxy vouches for whoever sends it,
    /// or it has the bot's token.
    private func refusal(of request: Request, key: String?) -> Response? {
        guard gatekeeper.needsPassword(request) else { return nil }
        guard gatekeeper.password != nil else { return CareDesk.closed }
        return gatekeeper.isRight(request, key: key)
            ? nil : .sentence(.forbidden, "This is not the bot's token: go back and try again.")
    }

    /// Whether what a message brought vouches for whoever has it.
    private func isSealed(_ errand: Errand, _ id: String, _ written: LinkSeal.Written?) -> Bool {
        guard let seal = gatekeeper.seal, let written else { return false }
        return seal.holds(written, for: errand, id, at: care.now())
    }

    private static let keyField: HTML = """
        <p><label>The bot's token <input name="key" type="password" autocomplete="current-password" required></label></p>
        """

    private static let foreign = """
        Only the page's own form is accepted: open the link in the message again. If that does not help, 'bot.public_url' must be \
        the address by which you opened this page.
        """

    private static let closed = Response.sentence(.forbidden, Gatekeeper.closed)

    // MARK: Reading

    /// The id of an incident, a mute or a delivery.
    static func id(_ written: String?) -> String? {
        guard let id = written, (1...40).contains(id.utf8.count),
            id.utf8.allSatisfy({ byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            })
        else { return nil }
        return id
    }

    private static func length(_ word: String) -> Duration? { lengths.first { $0.word == word }?.length }

    private static func misunderstood(_ errand: Errand) -> Response {
        let lengths = errand == .mute ? "&for=2h, with one of \(lengths.map(\.word).joined(separator: ", "))" : ""
        return .sentence(.badRequest, "Such a link looks like \(errand.rawValue)?\(errand.subject)=ID\(lengths).")
    }
}

extension BotAddress.Errand {
    /// What a form is sent to, from the page that shows it.
    fileprivate var action: String { String(rawValue.dropFirst()) }

    /// What its page is called.
    fileprivate var title: String {
        switch self {
        case .acknowledge: "Acknowledge"
        case .mute: "Mute"
        case .unmute: "Unmute"
        case .retry: "Retry"
        }
    }

    /// What names the thing that it is about.
    fileprivate var subject: String {
        switch self {
        case .mute, .acknowledge: "incident"
        case .unmute: "mute"
        case .retry: "delivery"
        }
    }

    /// Whether others are to read who did it.
    fileprivate var asksName: Bool { self == .mute || self == .acknowledge }

    /// What is said where there is nothing of that id.
    fileprivate var absence: String {
        switch self {
        case .mute, .acknowledge: "This incident is no longer open, or never existed."
        case .unmute: "This mute has ended, or never existed."
        case .retry: "This delivery has not failed, or is no longer in the history."
        }
    }
}

extension Page {
    static func hidden(_ fields: [(name: String, value: String)]) -> HTML {
        "\(fields.map { field -> HTML in #"<input type="hidden" name="\#(field.name)" value="\#(field.value)">"# })"
    }

    static func form(_ action: String, _ content: HTML) -> HTML {
        #"<form method="post" action="\#(action)">\#(content)</form>"#
    }

    /// A question about an incident as it is now, or about something else.
    func care(_ title: String, _ message: Message?, _ question: HTML) -> HTML {
        let shown: HTML? = message.map {
            "<div class=\"message \(Page.tone($0))\"><article>\(summary($0))</article></div>"
        }
        return bare(title, "\(shown)\(question)")
    }

    /// A short page of its own.
    func notice(_ title: String, _ words: String, _ more: HTML? = nil, depth: Depth = .top) -> HTML {
        bare(title, "<h1>\(title)</h1><p>\(words)</p>\(more)", depth)
    }

    private func bare(_ title: String, _ content: HTML, _ depth: Depth = .top) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        \(head(title, depth, isScripted: false))
        <body>
        <main class="notice">
        \(content)
        <p><a href="\(depth.root)./">Overview</a></p>
        </main>
        </body>
        </html>

        """
    }
}
