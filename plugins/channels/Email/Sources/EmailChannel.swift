internal import ChatKit
public import PluginKit

// Sends messages as mail: text and HTML, from one address to several, by one server that takes mail for all of them.
// What follows the opening of an incident answers it, so that mail programs show them as one conversation.

/// Sends mail.
public struct EmailChannel: Channel {
    public static let manifest = PluginManifest(
        name: "email",
        summary: "Sends mail, as text and HTML, to one address or several.",
        example: """
            server: smtp.example.com
            username: alerts@example.com
            password: ${env:MAIL_PASSWORD}
            from: Shop alerts <alerts@example.com>
            to: [oncall@example.com, lead@example.com]
            """,
        access: "Use the server that your own mail program sends through (your provider calls it outgoing server or "
            + "SMTP), with an account or an app password made for this.",
        options: [server, security, username, password, from, to, subjectPrefix, Setting.chart, insecure])

    static let server = RequiredSetting(
        "server", .plain,
        "The mail server that accepts mail from you, such as smtp.example.com or smtp.example.com:587."
    ).server
    static let security = Setting(
        "security", .choice(of: MailServer.Security.self), unset: "tls on port 465, else starttls",
        "How the connection is encrypted: starttls and tls require it, none does without.")
    static let username = Setting(
        "username", .text, unset: "no login", "The user name at the mail server."
    ).asked
    static let password = Setting(
        "password", .text, unset: "no login", "The password; keep it in the environment."
    ).secret.asked(with: username)
    static let from = RequiredSetting(
        "from", .plain, "Who sends it: an address, or a name and an address in angle brackets.")
    static let to = RequiredSetting("to", .list(.plain), "Who gets it: one address, or a list of them.")
    static let subjectPrefix = Setting(
        "subject_prefix", .plain, unset: "none",
        "What every subject begins with, such as [alerts], for filters.")
    static let insecure = Setting(
        "insecure", .flag, default: false, "Send the password without encryption to a host that is not loopback.")

    /// Mail services count by the minute or by the day: one a second, after a first burst, is what all of them take.
    public let pace = Pace(perSecond: 1, burst: 10)
    /// Some servers drop a mail whose Message-ID they know; nobody can rely on it.
    public let isIdempotent = false
    public let hasCharts: Bool

    private let mailServer: MailServer
    private let sender: MailAddress
    private let recipients: [MailAddress]
    private let prefix: String?

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        var problems: [Problem] = []
        let sender = MailAddress(try options[Self.from])
        if sender == nil {
            problems.append(
                Self.badAddress(try options[Self.from], "from", at: options.position(of: Self.from)))
        }
        var recipients: [MailAddress] = []
        for (written, position) in zip(try options[Self.to], options.positions(in: Self.to)) {
            if let address = MailAddress(written) {
                if recipients.contains(where: { $0.address == address.address }) {
                    problems.append(Problem(position, "'\(address.address)' is in 'to' twice; remove one"))
                }
                recipients.append(address)
            } else {
                problems.append(Self.badAddress(written, "to", at: position))
            }
        }
        let place = EmailPlace.read(try options[Self.server], options[Self.security])
        if case .failure(let mistake) = place {
            problems.append(
                Problem(options.position(of: Self.server), mistake.complaint, advice: mistake.advice))
        }
        let login = Self.login(options, &problems)
        hasCharts = options[.chart]
        prefix = options[Self.subjectPrefix]?.tamed.trimmed
        if let prefix, prefix.count > Self.prefixMax {
            problems.append(
                Problem(
                    options.position(of: Self.subjectPrefix),
                    "'subject_prefix' has \(prefix.count) characters, expected at most \(Self.prefixMax)"))
        }
        if case .success(let place) = place, login != nil, place.security == .none, !place.isLoopback,
            !options[Self.insecure]
        {
            problems.append(
                Problem(
                    options.position(of: Self.security),
                    "the password would be sent unencrypted to a host that is not loopback",
                    advice: "use security: starttls or tls, or add insecure: true"))
        }
        guard let sender, case .success(let place) = place, problems.isEmpty else { throw ProblemList(problems) }
        self.sender = sender
        self.recipients = recipients
        mailServer = MailServer(
            host: place.host, port: place.port, security: place.security, login: login,
            allowsPlain: options[Self.insecure])
    }

    private static let prefixMax = 40

    private static func badAddress(_ written: String, _ name: String, at position: Position) -> Problem {
        let shown = written.tamed.clipped(to: 80)
        if written == Secret.mask {
            return Problem(
                position, "'\(name)' cannot be a secret, because every mail shows it", advice: "write the address here")
        }
        guard written.unicodeScalars.allSatisfy(\.isASCII) || written.contains("<") else {
            return Problem(
                position,
                "'\(shown)' in '\(name)' is not a mail address that most servers take: it has letters outside ASCII",
                advice: "write the domain in its xn-- form")
        }
        return Problem(
            position, "'\(shown)' in '\(name)' is not a mail address",
            advice: "write oncall@example.com, or \"On call <oncall@example.com>\"")
    }

    private static func login(_ options: Options, _ problems: inout [Problem]) -> MailServer.Login? {
        switch (options[Self.username], options[Self.password]) {
        case (nil, nil): return nil
        case (let user?, let password?):
            // A password is a secret even if somebody wrote it into the file.
            return MailServer.Login(user: user, password: GuardedText(Secret(password.reveal())))
        case (let user, _):
            let (there, missing) = user == nil ? (Self.password, Self.username) : (Self.username, Self.password)
            problems.append(
                Problem(
                    options.position(of: there),
                    "'\(there.name)' is set and '\(missing.name)' is not; a login needs both"))
            return nil
        }
    }

    public func post(_ posting: Posting) -> ChannelAction { .mail(mail(posting)) }

    private func mail(_ posting: Posting) -> Mail {
        let picture = posting.image.map { image in
            Mail.Picture(
                id: "chart.\(posting.id)@\(sender.domain)", bytes: image.bytes, contentType: ChartImage.contentType,
                name: ChartImage.fileName)
        }
        let words = EmailWords(posting, showing: picture?.id)
        var mail = Mail(
            by: mailServer, from: sender, to: recipients,
            subject: prefix.map { "\($0) \(words.subject)" } ?? words.subject,
            // Of the message and not of the attempt, so that every attempt is the same mail.
            date: posting.message.at, id: "\(posting.id)@\(sender.domain)",
            thread: posting.thread.flatMap(Self.messageID),
            isUrgent: posting.message.isUrgent, text: words.text, html: posting.isPlain ? nil : words.html)
        if let picture, !posting.isPlain { mail.pictures = [picture] }
        return mail
    }

    /// A Message-ID of ours looks like an address; a receipt that does not is none.
    private static func messageID(_ receipt: String) -> String? {
        MailAddress(receipt).flatMap { $0.address == receipt ? receipt : nil }
    }

    public func picture(of posting: Posting) -> ChatPicture {
        EmailPicture.of(mail(posting)).showing(hasCharts && !posting.isPlain ? posting.message.chart : nil)
    }

    public func judge(_ result: MailResult, of mail: Mail, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let answer): EmailAnswer.outcome(of: answer, to: mail)
        case .failed(let error): DeliveryOutcome(error)
        }
    }

    /// It makes no requests.
    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}

extension Message {
    /// Whether it should stand out among other mails: only what calls for somebody.
    fileprivate var isUrgent: Bool { (kind == .reminder ? severity : callsFor) == .critical }
}
