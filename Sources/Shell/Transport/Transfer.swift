internal import AlertModel
internal import CCrypto
internal import CCurl
internal import Glibc

/// One errand under way: an easy handle of libcurl, and what all errands have in common.
///
/// Lives on the loop's thread only. libcurl holds a pointer to it for its callbacks, so it must be taken out of the
/// multi handle before it goes.
class Transfer {
    let job: Job
    let easy: UnsafeMutableRawPointer

    /// Whether a connection was ready and something began to go out on it.
    var isSending = false
    /// How much of the body libcurl has fetched.
    private(set) var givenCount = 0
    /// An address that libcurl found and was kept from.
    private var denied: IPAddress?
    /// Whether libcurl took everything that was set so far.
    private(set) var isFine = true
    /// What libcurl was told of how long all of it may take, in milliseconds.
    private var timeout = 0
    /// Whether it had its last chance after its time was over.
    private var hadLastChance = false
    /// What the system said when it opened no socket; libcurl does not ask.
    private var socketTrouble: Int32?
    /// libcurl's own words for what went wrong.
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// The transfer for a job, ready to go; nil when libcurl lacks an option that it relies on.
    ///
    /// - Parameter easy: A handle that is new, or reset; whoever made the transfer takes it back from it.
    static func of(_ job: Job, on easy: UnsafeMutableRawPointer) -> Transfer? {
        let transfer: Transfer =
            switch job.errand {
            case .request(let request): HTTPTransfer(job, request, on: easy)
            case .mail(let mail): MailTransfer(job, mail, on: easy)
            }
        return transfer.setUp() ? transfer : nil
    }

    init(_ job: Job, on easy: UnsafeMutableRawPointer) {
        self.job = job
        self.easy = easy
        // Nothing is read behind the first zero.
        words.initialize(to: 0)
    }

    deinit { words.deallocate() }

    /// What is to be sent after all that the protocol itself needs.
    var body: [UInt8]? { nil }

    /// Whether the other side may have seen the whole of it.
    var mayHaveArrived: Bool { false }

    /// What became of the transfer, once libcurl is done with it.
    func result(_ code: CURLcode) -> Result<Answer, TransportError> { .failure(error(of: code)) }

    // MARK: Setting up

    /// What libcurl takes by itself (`CURL_MAX_WRITE_SIZE`).
    private static let bufferBytes = 16 << 10
    /// Whoever is sent something answers in a few words, and libcurl takes memory for an answer with each transfer anew:
    /// its 16 KiB come from the heap's top and go back to it, these come from the thread's own cache (glibc keeps
    /// blocks of up to 1,032 bytes there). The least that libcurl takes; a long answer is read in more pieces.
    private static let shortBufferBytes = 1024

    /// Sets what every transfer needs; false when libcurl does not take something of it.
    func setUp() -> Bool {
        // Always said, also where it is what libcurl would take anyway: a handle that still has the buffer of a transfer
        // before refuses it, whatever its length (7.88 keeps that of a transfer that ended before it was connected), and
        // more would be read into it than it holds.
        set(CURLOPT_BUFFERSIZE, job.errand.hasShortAnswer ? Transfer.shortBufferBytes : Transfer.bufferBytes)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Signals belong to the program, not to a library in one of its threads.
        set(CURLOPT_NOSIGNAL, 1)
        // Otherwise giving up a transfer waits for its resolver thread, and all other transfers with it.
        set(CURLOPT_QUICK_EXIT, 1)
        let timeLeft = job.bounds.timeLeft
        set(CURLOPT_CONNECTTIMEOUT_MS, min(job.bounds.connectTimeout, timeLeft).asTimeout)
        timeout = timeLeft.asTimeout
        set(CURLOPT_TIMEOUT_MS, timeout)
        need(ccurl_set_context(easy, CURLOPT_ERRORBUFFER, words))

        let connection = job.errand.connection
        if let file = connection.authorities {
            set(CURLOPT_CAINFO, file)
            // Those of the system would be trusted besides.
            need(ccurl_set_string(easy, CURLOPT_CAPATH, nil))
            // Otherwise libcurl would go by what the file said up to a day ago.
            set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        }
        // A session that is resumed shows no certificate, and is trusted by the files of before.
        if connection.authorities != nil || connection.certificate != nil { set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
        if let file = connection.certificate { set(CURLOPT_SSLCERT, file) }
        if let file = connection.key { set(CURLOPT_SSLKEY, file) }
        switch connection.proxy {
        case .environment: if job.errand.isLocal { set(CURLOPT_PROXY, "") }
        case .none: set(CURLOPT_PROXY, "")
        case .at(let address):
            set(CURLOPT_PROXY, address.reveal())
            // What is said of this one service counts more than what the environment says of all.
            set(CURLOPT_NOPROXY, "")
        }
        need(ccurl_set_opensocket_callback(easy, openSocket))
        need(ccurl_set_context(easy, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque()))
        return isFine
    }

    // MARK: When its time is over

    /// Has libcurl look for an answer before it looks at the clock, once, where the time is over by `now`: whoever sleeps for
    /// longer than was meant, as in a machine that stood still, may find that the answer has been there for long. Gives back
    /// whether that is so.
    func beginLastChance(_ now: ContinuousClock.Instant) -> Bool {
        guard !hadLastChance, job.bounds.deadline <= now else { return false }
        hadLastChance = true
        _ = ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, 0)
        return true
    }

    /// From here on the clock counts again.
    func endLastChance() { _ = ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, timeout) }

    func need(_ code: CURLcode) { if code != CURLE_OK { isFine = false } }
    func set(_ option: CURLoption, _ value: Int) { need(ccurl_set_long(easy, option, value)) }
    func set(_ option: CURLoption, _ value: String) { need(value.withCString { ccurl_set_string(easy, option, $0) }) }

    /// Has libcurl fetch the body piece by piece, so that it is known whether all of it has gone.
    func giveBody() -> CURLcode {
        let code = ccurl_set_bytes_callback(easy, CURLOPT_READFUNCTION, giveBodyBytes)
        return code == CURLE_OK
            ? ccurl_set_context(easy, CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque()) : code
    }

    fileprivate func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body else { return 0 }
        let piece = body[givenCount...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        givenCount += piece.count
        return piece.count
    }

    // MARK: Where it may lead

    /// Whether the policy admits an address, as it is after names were resolved. What is no address is not admitted.
    func mayLead(to address: IPAddress?) -> Bool {
        guard let address else { return job.errand.connection.policy.isOpen }
        guard !job.errand.connection.policy.admits(address) else { return true }
        denied = address
        return false
    }

    /// Opens a socket to an address that the policy admits; nil where there is none.
    fileprivate func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t? {
        guard mayLead(to: IPAddress(socket: address)) else { return nil }
        let target = address.pointee
        let opened = socket(target.family, target.socktype | Int32(SOCK_CLOEXEC.rawValue), target.protocol)
        guard opened >= 0 else {
            socketTrouble = errno
            return nil
        }
        return opened
    }

    // MARK: What went wrong

    func error(of code: CURLcode) -> TransportError {
        let code = CurlCode(code)
        let peer = isAboutProxy(code) ? "the proxy on the way to \(job.errand.peer)" : job.errand.peer
        if let denied, !isSending {
            return TransportError.unsent(
                .connect,
                "\(peer) is at \(denied), which 'network' in the config denies; "
                    + "add \(denied) to its 'allow' if that is intended")
        }
        if String(cString: words).contains("alert certificate required") {
            return TransportError.unsent(
                .tls, "\(job.errand.peer) asks for a client certificate; name one with 'client_certificate'")
        }
        if job.errand.connection.certificate != nil, let refusal = certificateRefusal {
            return TransportError.unsent(
                .tls,
                "\(job.errand.peer) refuses the client certificate (\(refusal)); renew the file that 'client_certificate' names, "
                    + "or have the server trust who signed it")
        }
        if hasProxyRefused {
            return TransportError.unsent(
                .connect,
                "\(peer) refused to connect there (\(String(cString: words))); check which hosts it allows, and its login "
                    + "in 'proxy' or in the environment's variables")
        }
        if !isSending, let trouble = exhaustion(code.cause) {
            return TransportError.unsent(
                code.cause,
                "no connection to \(job.errand.peer): the bot cannot open any more files (\(systemMessage(trouble))); "
                    + "raise its limit: LimitNOFILE= in its service, or ulimit -n")
        }
        let sentence = code.sentence(
            about: peer, job.bounds, isSending: isSending, detail: detail(of: code),
            speaking: job.errand.language, trusting: job.errand.connection.authorities)
        return TransportError(code.cause, mayHaveArrived: mayHaveArrived, sentence)
    }

    /// What the server has against the client's certificate, in the words of TLS. With TLS 1.3 it says so only when the request
    /// is on its way, which it has then thrown away.
    private var certificateRefusal: String? {
        let words = String(cString: words)
        let reasons = [
            "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired",
            "certificate unknown", "unknown ca", "access denied",
        ]
        return reasons.first { words.contains(" alert \($0)") }
    }

    /// Whether a proxy was reached and has not made the tunnel; only libcurl's words tell.
    private var hasProxyRefused: Bool {
        let words = String(cString: words)
        return words.contains("CONNECT tunnel failed") || words.contains("from proxy after CONNECT")
    }

    /// Whether what went wrong went wrong with a proxy, before the server was spoken to. libcurl 7.88 does not tell whether it
    /// asked one that the environment names, but the host to which it could not connect.
    private func isAboutProxy(_ code: CurlCode) -> Bool {
        guard !isSending else { return false }
        switch CURLcode(rawValue: code.number) {
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return true
        case CURLE_COULDNT_RESOLVE_HOST: return false
        default: break
        }
        switch job.errand.connection.proxy {
        case .none: return false
        case .at: return hasProxyRefused || [.connect, .timeout].contains(code.cause)
        case .environment:
            let (words, failed) = (String(cString: words), "Failed to connect to ")
            guard words.hasPrefix(failed), !job.errand.isLocal else { return hasProxyRefused }
            // As in "hooks.example.com port 443 after 2 ms: …".
            let parts = words.dropFirst(failed.count).split(separator: " ")
            guard parts.count > 2 else { return hasProxyRefused }
            return "\(parts[0]):\(parts[2])" != job.errand.peer.filter { !"[]".contains($0) }
        }
    }

    /// What to say when the transfer is given up from outside.
    var cancellation: TransportError {
        TransportError(
            .cancelled, mayHaveArrived: mayHaveArrived,
            "the request to \(job.errand.peer) was cancelled " + (isSending ? "under way" : "before it was sent"))
    }

    /// That no descriptor was left, as the system says it; nil where there was one.
    private func exhaustion(_ cause: TransportError.Cause) -> Int32? {
        switch cause {
        case .connect: return [EMFILE, ENFILE].contains(socketTrouble) ? socketTrouble : nil
        case .resolve:
            // A resolver needs descriptors, too, and keeps to itself why it found nothing.
            let descriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor < 0 else {
                close(descriptor)
                return nil
            }
            return [EMFILE, ENFILE].contains(errno) ? errno : nil
        default: return nil
        }
    }

    /// The system's or OpenSSL's own words where they say more than libcurl's.
    private func detail(of code: CurlCode) -> String? {
        switch CURLcode(rawValue: code.number) {
        case CURLE_SSL_CACERT_BADFILE: return "the file of 'ca' cannot be read, or holds no certificate"
        case CURLE_SSL_CERTPROBLEM: return "the client's certificate and its key cannot be used together"
        default: break
        }
        switch code.cause {
        case .connect:
            let number = ccurl_get_long(easy, CURLINFO_OS_ERRNO)
            return number == 0 ? nil : systemMessage(Int32(truncatingIfNeeded: number))
        case .tls:
            // "Unspecified" is what stands there before any certificate was looked at.
            let number = ccurl_get_long(easy, CURLINFO_SSL_VERIFYRESULT)
            return [X509_V_OK, X509_V_ERR_UNSPECIFIED].contains(Int32(truncatingIfNeeded: number))
                ? nil : String(cString: X509_verify_cert_error_string(number))
        default: return nil
        }
    }
}

extension Duration {
    /// Milliseconds as libcurl takes them, where 0 would mean "for ever".
    fileprivate var asTimeout: Int { Int(clamping: max(wholeMilliseconds, 1)) }
}

private let giveBodyBytes: ccurl_bytes_callback = { bytes, size, count, context in
    guard let context else { preconditionFailure("every callback is set together with its context") }
    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        .give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

/// Opens a socket to an address that the policy admits: the last moment before anything leaves for it, and after its name
/// was resolved, so that no name can lead elsewhere than was looked at.
private let openSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return CURL_SOCKET_BAD }
    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().open(address) ?? CURL_SOCKET_BAD
}

extension IPAddress {
    /// The address that libcurl is about to connect to; nil for what is no address of the internet protocol.
    fileprivate init?(socket: UnsafeMutablePointer<curl_sockaddr>) {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        // The address is longer than the type that it is declared with; libcurl keeps room for it.
        let start = UnsafeRawPointer(socket) + offset
        switch socket.pointee.family {
        case AF_INET: self.init(bytes: UnsafeRawBufferPointer(start: start + 4, count: 4))
        case AF_INET6: self.init(bytes: UnsafeRawBufferPointer(start: start + 8, count: 16))
        default: return nil
        }
    }
}
