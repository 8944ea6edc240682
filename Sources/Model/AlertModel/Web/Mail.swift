/// One mail as a plugin describes it; the transport hands it to a mail server, a preview prints it.
///
/// It has fields and no header lines, so nothing that stands in a title can begin a header of its own: `wireMessage` writes
/// each of them by its grammar.
public struct Mail: Hashable, Sendable {
    public var server: MailServer
    public var from: MailAddress
    public var to: [MailAddress]
    public var subject: String
    public var date: Moment
    /// The mail's Message-ID, without its brackets; the same however often it is sent.
    public var id: String
    /// The Message-ID of the mail that began the conversation, without brackets.
    public var thread: String?
    /// Whether mail programs should show it as important.
    public var isUrgent: Bool
    public var text: String
    /// The same for programs that show HTML.
    public var html: String?
    /// Pictures that stand in the HTML as `cid:` and their id.
    public var pictures: [Picture] = []
    /// How the server is reached, besides its address.
    public var connection: Connection

    /// A file that the HTML shows.
    public struct Picture: Hashable, Sendable {
        /// Of letters, digits, dots and one `@`.
        public let id: String
        public let bytes: [UInt8]
        public let contentType: String
        public let name: String

        public init(id: String, bytes: [UInt8], contentType: String, name: String) {
            self.id = id
            self.bytes = bytes
            self.contentType = contentType
            self.name = name
        }
    }

    public init(
        by server: MailServer, from: MailAddress, to: [MailAddress], subject: String, date: Moment, id: String,
        thread: String? = nil, isUrgent: Bool = false, text: String, html: String? = nil
    ) {
        self.server = server
        self.from = from
        self.to = to
        self.subject = subject
        self.date = date
        self.id = id
        self.thread = thread
        self.isUrgent = isUrgent
        self.text = text
        self.html = html
        connection = .usual
    }
}

/// The server that takes mails, and who says that it may.
public struct MailServer: Hashable, Sendable {
    /// How what is said is kept from others.
    public enum Security: String, Hashable, Sendable, CaseIterable {
        /// Begins in the open and must turn to TLS before anything is said.
        case starttls
        /// TLS from the first byte.
        case tls
        case none

        /// Where servers listen for it.
        public var port: Int {
            switch self {
            case .starttls: 587
            case .tls: 465
            case .none: 25
            }
        }
    }

    /// In brackets where it is an IPv6 address.
    public let host: String
    public let port: Int
    public let security: Security
    public let login: Login?
    /// Whether a login may travel in the open to a host that is not loopback.
    public let allowsPlain: Bool

    /// Who sends, as the server knows them.
    public struct Login: Hashable, Sendable {
        public let user: GuardedText
        public let password: GuardedText

        public init(user: GuardedText, password: GuardedText) {
            self.user = user
            self.password = password
        }
    }

    public init(host: String, port: Int, security: Security, login: Login? = nil, allowsPlain: Bool = false) {
        self.host = host
        self.port = port
        self.security = security
        self.login = login
        self.allowsPlain = allowsPlain
    }

    /// `smtp://mail.example.com:587`.
    public var url: String { "\(security == .tls ? "smtps" : "smtp")://\(host):\(port)" }
}

/// Somebody's address, and perhaps a name.
public struct MailAddress: Hashable, Sendable, CustomStringConvertible {
    /// Empty for none.
    public let name: String
    /// `oncall@example.com`: of ASCII, without comments and quotation marks.
    public let address: String

    /// Reads `oncall@example.com`, or `On call <oncall@example.com>`; nil for what is neither.
    public init?(_ written: String) {
        var name = ""
        var address = written.trimmed
        if address.hasSuffix(">"), let bracket = address.lastIndex(of: "<") {
            name = String(address[..<bracket]).trimmed
            address = String(address[address.index(after: bracket)...].dropLast()).trimmed
            if name.count > 1, name.hasPrefix("\""), name.hasSuffix("\"") { name = String(name.dropFirst().dropLast()) }
        }
        guard MailAddress.isAddress(address), name == name.tamed, name.utf8.count <= MailAddress.nameBytesMax else {
            return nil
        }
        self.name = name
        self.address = address
    }

    public var domain: String {
        String(address[address.index(after: address.lastIndex(of: "@") ?? address.startIndex)...])
    }

    public var description: String { name.isEmpty ? address : "\(name) <\(address)>" }

    /// Longer than any name; a header's line has 998 bytes at most.
    private static let nameBytesMax = 200
    /// RFC 5321, section 4.5.3.1.
    private static let localBytesMax = 64
    private static let domainBytesMax = 253

    private static func isAddress(_ text: String) -> Bool {
        guard let at = text.lastIndex(of: "@") else { return false }
        let (local, domain) = (text[..<at], text[text.index(after: at)...])
        // Both are words with single dots between them; what else mail knows nobody uses to be called.
        func words(_ text: Substring, _ isWord: (Substring) -> Bool) -> Bool {
            text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty && isWord($0) }
        }
        return local.utf8.count <= localBytesMax && domain.utf8.count <= domainBytesMax
            && words(local) { $0.utf8.allSatisfy(\.isAtomByte) }
            && words(domain) { label in
                label.utf8.count <= 63 && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
            }
    }
}

/// What a mail server answered to one step of handing it a mail.
public struct MailReply: Hashable, Sendable {
    /// What a reply answers.
    public enum Step: String, Hashable, Sendable, CaseIterable {
        /// Its first words, and what it can do.
        case greeting
        case login
        /// It was told who sends.
        case sender
        /// It was told for whom.
        case recipient
        /// It was given the mail.
        case message
    }

    public let step: Step
    /// Such as 250; 0 where it gave none.
    public let code: Int
    /// Its words, on one line.
    public let text: String

    public init(_ step: Step, _ code: Int, _ text: String = "") {
        self.step = step
        self.code = code
        self.text = text
    }

    /// Whether trying again may help.
    public var mayPass: Bool { 400...499 ~= code }
}

/// What a mail server made of a mail.
public struct MailAnswer: Hashable, Sendable {
    /// The reply that decided: to the mail itself, where it came so far.
    public let reply: MailReply
    /// Whom the server does not take mail for, in the order of the mail; all of them where it took nothing because of
    /// that.
    public let refusals: [Refusal]

    /// Somebody whom the server takes no mail for, and what it said.
    public struct Refusal: Hashable, Sendable {
        public let address: String
        public let reply: MailReply

        public init(_ address: String, _ reply: MailReply) {
            self.address = address
            self.reply = reply
        }
    }

    public init(_ reply: MailReply, refusals: [Refusal] = []) {
        self.reply = reply
        self.refusals = refusals
    }

    /// Whether the server has the mail, for at least one of those it is for.
    public var isTaken: Bool { reply.step == .message && 200...299 ~= reply.code }
}

/// What came of handing a mail to its server.
public enum MailResult: Hashable, Sendable {
    case answered(MailAnswer)
    case failed(TransportError)
}

extension UInt8 {
    /// RFC 5322, section 3.2.3.
    fileprivate var isAtomByte: Bool { isASCIILetterOrDigit || "!#$%&'*+/=?^_`{|}~-".utf8.contains(self) }
}
