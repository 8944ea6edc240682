internal import AlertModel
internal import CCurl

/// One HTTP request under way.
final class HTTPTransfer: Transfer {
    private let request: WireRequest

    private var headerLines: UnsafeMutablePointer<curl_slist>?
    /// Whether the request left before the attempt under way, which is then not to be made.
    private var hasLeftBefore = false
    /// What had left when the attempt began, in bytes; a proxy is spoken to before.
    private var sentBefore = 0
    private var headerBytesCount = 0
    /// The header lines of the last answer so far, as they came.
    private var head: [UInt8] = []
    /// Whether the empty line after the headers came. libcurl takes a connection that closes among them for the end.
    private var hasAllHeaders = false
    private var received: [UInt8] = []
    /// Why a callback told libcurl to stop.
    private var stopReason: StopReason?

    private enum StopReason {
        case headersTooLarge, bodyTooLarge, wouldRepeat
    }

    init(_ job: Job, _ request: WireRequest, on easy: UnsafeMutableRawPointer) {
        self.request = request
        super.init(job, on: easy)
    }

    deinit { curl_slist_free_all(headerLines) }

    /// Whether the other side may have seen the whole request.
    override var mayHaveArrived: Bool {
        guard isSending else { return false }
        let count = request.body?.count ?? 0
        guard isSentInOnePiece else { return givenCount == count }
        return hasLeftBefore || ccurl_get_size(easy, CURLINFO_SIZE_UPLOAD_T) >= count
    }

    /// Whether libcurl has the whole body from the beginning: it sends it together with the headers then, which spares
    /// both sides a packet.
    private var isSentInOnePiece: Bool { 1...HTTPTransfer.onePieceBytesMax ~= request.body?.count ?? 0 }

    /// libcurl joins bodies below 64 KiB to the headers.
    private static let onePieceBytesMax = 60 << 10

    // MARK: Setting up

    override func setUp() -> Bool {
        guard super.setUp() else { return false }
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        // Redirects are followed one by one after a look at where they lead.
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_MAXAGE_CONN, Int(job.bounds.idleMax.inSeconds))
        // Every encoding that libcurl can undo; the bound on the body counts what comes out.
        set(CURLOPT_ACCEPT_ENCODING, "")
        // What a proxy says before the tunnel stands is not the server's answer.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Secrets in headers are for the server, not for the proxy that tunnels to it.
        set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        if let path = request.unixSocketPath { set(CURLOPT_UNIX_SOCKET_PATH, path) }

        for line in request.headerLines {
            guard let longer = line.withCString({ curl_slist_append(headerLines, $0) }) else { return false }
            headerLines = longer
        }
        need(ccurl_set_list(easy, CURLOPT_HTTPHEADER, headerLines))

        if request.method != .get || request.body != nil {
            set(CURLOPT_POST, 1)
            set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
            need(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body?.count ?? 0)))
            if isSentInOnePiece, let body = request.body {
                need(body.withUnsafeBytes { ccurl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) })
            } else {
                // The body is handed out piece by piece, so that it is known whether all of it has gone.
                need(giveBody())
            }
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        need(ccurl_set_prereq_callback(easy, beginSending))
        need(ccurl_set_context(easy, CURLOPT_PREREQDATA, context))
        need(ccurl_set_bytes_callback(easy, CURLOPT_HEADERFUNCTION, takeHeaderBytes))
        need(ccurl_set_context(easy, CURLOPT_HEADERDATA, context))
        need(ccurl_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION, takeBodyBytes))
        need(ccurl_set_context(easy, CURLOPT_WRITEDATA, context))
        return isFine
    }

    override var body: [UInt8]? { request.body }

    // MARK: What libcurl calls

    /// Called before each attempt to send. libcurl makes another one when a kept connection turns out to be broken; a
    /// request that changes something must not go out twice.
    ///
    /// - Parameter address: where the connection leads: a kept one may be from before the policy. Reading it costs more
    ///   than all else here, so it is read where there is a policy.
    fileprivate func begin(at address: @autoclosure () -> IPAddress?) -> Bool {
        let isFree = request.unixSocketPath != nil || job.errand.connection.policy.isOpen
        guard isFree || mayLead(to: address()) else { return false }
        let sent = ccurl_get_long(easy, CURLINFO_REQUEST_SIZE)
        // How much of a body sent with its headers the last attempt got out is not known any more: any of it counts.
        if isSending, isSentInOnePiece, sent > sentBefore { hasLeftBefore = true }
        if mayHaveArrived, request.method != .get {
            stopReason = .wouldRepeat
            return false
        }
        isSending = true
        sentBefore = sent
        return true
    }

    /// Takes a line of an answer's head, or of the trailers behind its body, which count for nothing.
    fileprivate func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytesCount += line.count
        guard headerBytesCount <= job.bounds.headerBytesMax else {
            stopReason = .headersTooLarge
            return false
        }
        if head.isEmpty || hasAllHeaders, received.isEmpty, line.starts(with: "HTTP/".utf8) {
            // A status line begins anew: what came before was an interim answer.
            hasAllHeaders = false
            head.removeAll(keepingCapacity: true)
        } else if line.first == UInt8(ascii: "\n") || line.count == 2 && line[0] == UInt8(ascii: "\r") {
            hasAllHeaders = true
        } else if !hasAllHeaders {
            head.append(contentsOf: line)
        }
        return true
    }

    fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= job.bounds.bodyBytesMax - received.count else {
            stopReason = .bodyTooLarge
            return false
        }
        received.append(contentsOf: bytes)
        return true
    }

    // MARK: The outcome

    /// What became of the transfer, once libcurl is done with it.
    override func result(_ code: CURLcode) -> Result<Answer, TransportError> {
        if let error = stopReason.map(error(of:)) { return .failure(error) }
        guard code == CURLE_OK, hasAllHeaders else {
            return .failure(error(of: code == CURLE_OK ? CURLE_PARTIAL_FILE : code))
        }
        let response = HTTPResponse(
            status: ccurl_get_long(easy, CURLINFO_RESPONSE_CODE), head: head, body: received)
        return .success(.http(response, redirectURL: redirectURL(of: response)))
    }

    private func error(of reason: StopReason) -> TransportError {
        let (cause, sentence): (TransportError.Cause, String) =
            switch reason {
            case .headersTooLarge:
                (.tooLarge, "\(request.peer) sent more than \(job.bounds.headerBytesMax) bytes of headers")
            case .bodyTooLarge:
                (.tooLarge, "\(request.peer) sent more than \(job.bounds.bodyBytesMax) bytes; ask for less")
            case .wouldRepeat:
                (.interrupted, "the connection to \(request.peer) broke after sending, before an answer came")
            }
        return TransportError(cause, mayHaveArrived: mayHaveArrived, sentence)
    }

    private func redirectURL(of response: HTTPResponse) -> String? {
        switch response.status {
        case 301, 302, 303, 307, 308: ccurl_get_string(easy, CURLINFO_REDIRECT_URL).map { String(cString: $0) }
        default: nil
        }
    }
}

// MARK: Callbacks. Each returns what libcurl takes for "go on", or something else to stop.

private func transfer(_ context: UnsafeMutableRawPointer?) -> HTTPTransfer {
    guard let context else { preconditionFailure("every callback is set together with its context") }
    return Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
}

private let beginSending: curl_prereq_callback = { context, address, _, _, _ in
    transfer(context).begin(at: address.flatMap { IPAddress(String(cString: $0)) })
        ? Int32(CURL_PREREQFUNC_OK) : Int32(CURL_PREREQFUNC_ABORT)
}

private let takeHeaderBytes: ccurl_bytes_callback = { bytes, size, count, context in
    transfer(context).receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        ? size * count : refusedCount(size * count)
}

private let takeBodyBytes: ccurl_bytes_callback = { bytes, size, count, context in
    transfer(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        ? size * count : refusedCount(size * count)
}

/// Any count but the one given means "stop".
private func refusedCount(_ count: Int) -> Int { count == 0 ? 1 : 0 }
