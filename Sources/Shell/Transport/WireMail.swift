internal import AlertModel

/// A mail with its secrets revealed, checked, and ready for the wire.
///
/// It never leaves this module, and nothing prints it.
struct WireMail: Sendable {
    let url: String
    let origin: Origin
    let usesTLS: Bool
    let login: (user: String, password: String)?
    let from: String
    let recipients: [String]
    let message: [UInt8]
    let connection: Connection

    init(_ mail: Mail) throws(TransportError) {
        url = mail.server.url
        origin = try Origin(of: url)
        usesTLS = mail.server.security != .none
        login = mail.server.login.map { ($0.user.reveal(), $0.password.reveal()) }
        from = mail.from.address
        recipients = mail.to.map(\.address)
        message = mail.wireMessage()
        connection = mail.connection
        guard !recipients.isEmpty else {
            throw TransportError.unsent(.badAddress, "the mail is for nobody; name somebody")
        }
        guard usesTLS || login == nil || mail.server.allowsPlain || origin.isLoopback else {
            throw TransportError.unsent(
                .refusedScheme,
                "\(origin.hostAndPort) would be sent the password without encryption; "
                    + "use TLS, or set `insecure: true` if it has none")
        }
    }

    var peer: String { origin.hostAndPort }
}

/// What a transport is asked to do.
enum Errand: Sendable {
    case request(WireRequest)
    case mail(WireMail)

    /// Whom it leads to, for messages.
    var peer: String {
        switch self {
        case .request(let request): request.peer
        case .mail(let mail): mail.peer
        }
    }

    /// Whether proxies of the environment must be left out.
    var isLocal: Bool {
        switch self {
        case .request(let request): request.isLocal
        case .mail(let mail): mail.origin.isLoopback
        }
    }

    var connection: Connection {
        switch self {
        case .request(let request): request.connection
        case .mail(let mail): mail.connection
        }
    }

    /// Whether few words are expected back, for which libcurl needs little memory: whoever is sent something says no more.
    var hasShortAnswer: Bool {
        switch self {
        case .request(let request): request.body != nil
        case .mail: false
        }
    }

    /// What the other side should speak.
    var language: String {
        switch self {
        case .request: "HTTP"
        case .mail: "SMTP"
        }
    }
}
