internal import AlertModel
internal import CCurl

/// One mail on its way to its server.
///
/// libcurl says of a refusal only its number, so what is said on both sides is listened to: which reply belongs to which
/// recipient, and in which words the server refuses.
final class MailTransfer: Transfer {
    private let mail: WireMail

    private var recipients: UnsafeMutablePointer<curl_slist>?
    /// What the next reply answers.
    private var step = MailReply.Step.greeting
    /// Whether libcurl takes its leave: what is answered to that says nothing of the mail.
    private var isLeaving = false
    /// Of how many recipients the server was told.
    private var recipientsCount = 0
    private var refusals: [MailAnswer.Refusal] = []
    private var reply: MailReply?
    /// The lines of a reply that is not over yet.
    private var lines: [String] = []

    /// A reply has some lines; a server that says more is not listened to.
    private static let linesMax = 20
    private static let lineBytesMax = 1000
    /// How long a server that has the mail is given to say goodbye, in seconds: nothing depends on it any more.
    private static let goodbyeMax = 2

    init(_ job: Job, _ mail: WireMail, on easy: UnsafeMutableRawPointer) {
        self.mail = mail
        super.init(job, on: easy)
    }

    deinit { curl_slist_free_all(recipients) }

    override var body: [UInt8]? { mail.message }

    /// The dot that ends a mail goes out when libcurl has all that comes before it.
    override var mayHaveArrived: Bool { step == .message && givenCount == mail.message.count }

    override func setUp() -> Bool {
        guard super.setUp() else { return false }
        let context = Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_URL, mail.url)
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        // STARTTLS is a must: a server that offers none is told nothing.
        set(CURLOPT_USE_SSL, mail.usesTLS ? Int(CURLUSESSL_ALL.rawValue) : Int(CURLUSESSL_NONE.rawValue))
        // A proxy for HTTP can but tunnel.
        set(CURLOPT_HTTPPROXYTUNNEL, 1)
        // Mails are rare, and a server that hangs up meanwhile would cost one a try.
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_FORBID_REUSE, 1)
        if let login = mail.login {
            set(CURLOPT_USERNAME, login.user)
            set(CURLOPT_PASSWORD, login.password)
        }
        set(CURLOPT_MAIL_FROM, mail.from)
        for recipient in mail.recipients {
            guard let longer = curl_slist_append(recipients, recipient) else { return false }
            recipients = longer
        }
        need(ccurl_set_list(easy, CURLOPT_MAIL_RCPT, recipients))
        // One who is refused shall not cost the others their mail.
        need(ccurl_allow_refused_recipients(easy))
        set(CURLOPT_UPLOAD, 1)
        need(ccurl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(mail.message.count)))
        need(giveBody())
        need(ccurl_set_debug_callback(easy, listen))
        need(ccurl_set_context(easy, CURLOPT_DEBUGDATA, context))
        set(CURLOPT_VERBOSE, 1)
        return isFine
    }

    // MARK: What is said

    fileprivate func heard(_ kind: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        switch kind {
        case CURLINFO_HEADER_OUT: command(bytes)
        case CURLINFO_HEADER_IN: replyLine(String(decoding: bytes.prefix(MailTransfer.lineBytesMax), as: UTF8.self))
        default: break
        }
    }

    private func command(_ bytes: UnsafeRawBufferPointer) {
        isSending = true
        // Words of a login are base64, and so none of these.
        func begins(_ word: String) -> Bool { bytes.starts(with: word.utf8) }
        if begins("AUTH ") {
            step = .login
        } else if begins("MAIL FROM:") {
            step = .sender
        } else if begins("RCPT TO:") {
            step = .recipient
            recipientsCount += 1
        } else if begins("DATA\r\n") {
            step = .message
        } else if begins("QUIT") {
            isLeaving = true
        }
    }

    private func replyLine(_ line: String) {
        let line = line.trimmed
        guard !isLeaving, let code = Int(line.prefix(3)), line.count >= 3 else { return }
        if lines.count < MailTransfer.linesMax { lines.append(String(line.dropFirst(4)).trimmed) }
        guard line.dropFirst(3).first != "-" else { return }
        let reply = MailReply(step, code, lines.joined(separator: " ").tamed.clipped(to: 200))
        lines = []
        self.reply = reply
        if step == .recipient, !(200...299 ~= code), mail.recipients.indices.contains(recipientsCount - 1) {
            refusals.append(MailAnswer.Refusal(mail.recipients[recipientsCount - 1], reply))
        }
        if step == .message, code >= 400 || givenCount == mail.message.count {
            _ = ccurl_set_long(easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, MailTransfer.goodbyeMax)
        }
    }

    // MARK: The outcome

    override func result(_ code: CURLcode) -> Result<Answer, TransportError> {
        // The result comes first: a server that offers no TLS has answered everything else with success.
        switch code {
        case CURLE_OK:
            guard let reply, reply.step == .message else { return .failure(error(of: CURLE_WEIRD_SERVER_REPLY)) }
            return .success(.mail(MailAnswer(reply, refusals: refusals)))
        case CURLE_USE_SSL_FAILED:
            return .failure(
                .unsent(
                    .tls,
                    "\(mail.peer) offers no STARTTLS, so nothing was sent; check the server and its port, or what "
                        + "'security' says"))
        case CURLE_LOGIN_DENIED:
            // Without a reply nothing was asked: of the logins that the server offers none takes a password.
            let reply = reply.flatMap { $0.step == .login ? $0 : nil } ?? MailReply(.login, 0, "")
            return .success(.mail(MailAnswer(reply, refusals: refusals)))
        case CURLE_WEIRD_SERVER_REPLY, CURLE_REMOTE_ACCESS_DENIED, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_GOT_NOTHING:
            // A server that refuses says so before it hangs up; a refusal of one recipient says nothing of what came after.
            guard let reply, reply.code >= 400, reply.step == step,
                step != .recipient || refusals.count == mail.recipients.count
            else { return .failure(error(of: code)) }
            return .success(.mail(MailAnswer(reply, refusals: refusals)))
        default: return .failure(error(of: code))
        }
    }
}

private let listen: curl_debug_callback = { _, kind, bytes, size, context in
    guard let context else { preconditionFailure("every callback is set together with its context") }
    Unmanaged<MailTransfer>.fromOpaque(context).takeUnretainedValue()
        .heard(kind, UnsafeRawBufferPointer(start: bytes, count: size))
    return 0
}
