public import AlertModel

/// Performs HTTP requests and hands mails to their servers, through libcurl.
///
/// This module turns a described request into bytes on a wire and an answer, or says in a sentence why there is none.
/// It is the one place where an address and a header value leave their shell of secrecy, so it is also the place that
/// keeps them out of every error. It knows nothing of alerts: it does not retry, does not pause between requests, does
/// not judge a status, and keeps nothing between two requests but open connections.
///
/// - Addresses: `https`, and `http` to loopback, over a unix socket, or where the request allows it.
/// - Certificates are checked, always, against the system's store, or the file that the request names instead.
/// - Redirects of a GET without a body are followed within one origin (scheme, host and port), so nothing secret in
///   the address or the headers reaches anybody else. A POST or PUT gets the 3xx answer itself.
/// - A request other than GET goes out at most once. libcurl would send it again when a kept connection breaks under
///   it; here that is an error, and `mayHaveArrived` says what it means.
/// - The variables `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy` count, except for loopback and unix sockets,
///   and where the request names a proxy of its own.
///   Headers meant for the server are not shown to the proxy of an `https` request.
///
/// All transfers share one thread and one pool of connections. Call `shutdown()` at the end; a transport that is just
/// dropped stops as well, but nobody can wait for it.
public final class HTTPTransport: Sendable {
    private let userAgent: String
    private let limits: Limits
    private let mailbox: Mailbox
    private let origins = RecentOrigins()

    /// Starts the thread. If the system has none to give, every request fails and says so.
    public init(userAgent: String, limits: Limits = Limits()) {
        self.userAgent = userAgent
        self.limits = limits
        mailbox = TransferLoop.start(connectionsMax: limits.connectionsMax)
    }

    deinit { mailbox.stop() }

    /// The thread of the transfers, for tasks that do little but wait for them: handing each request and each answer to
    /// another thread and waking it costs more than most of them take. Whoever keeps it busy holds up all transfers.
    public var executor: any TaskExecutor { mailbox }

    /// Performs a request and gives the answer, whatever its status.
    ///
    /// - Parameters:
    ///   - timeout: For everything together, redirects included; taken as 1 ms to one day.
    ///   - unixSocketPath: Where to connect instead of the address's host; the host is then only a name in the header.
    /// - Throws: `.badAddress` and `.refusedScheme` for what was not tried at all; `.cancelled` if the task was
    ///   cancelled or the transport shut down; else what went wrong under way.
    public func perform(
        _ request: HTTPRequest,
        timeout: Duration,
        unixSocketPath: String? = nil
    ) async throws(TransportError) -> HTTPResponse {
        var wire = try WireRequest(request, userAgent: userAgent, unixSocketPath: unixSocketPath, origins)
        let timeout = timeout.clamped(to: .milliseconds(1)...Limits.timeoutMax)
        let deadline = ContinuousClock.now + timeout
        var redirectsCount = 0
        while true {
            let bounds = TransferBounds(
                deadline: deadline, timeout: timeout, connectTimeout: limits.connectTimeout, idleMax: limits.idleMax,
                headerBytesMax: limits.headerBytesMax, bodyBytesMax: limits.bodyBytesMax)
            guard
                case .http(let response, let redirectURL) = try await exchange(
                    .request(wire), bounds, isRedirected: redirectsCount > 0)
            else { throw TransportError.unsent(.other, "\(wire.peer) was sent no request") }
            guard let target = redirectURL, wire.followsRedirects else { return response }
            redirectsCount += 1
            guard redirectsCount <= limits.redirectsMax else {
                throw TransportError(
                    .redirect, mayHaveArrived: true,
                    "\(wire.peer) redirected more than \(limits.redirectsMax) times; check the address")
            }
            wire = try wire.redirected(to: target)
        }
    }

    /// Hands a mail to its server and gives what that made of it.
    ///
    /// libcurl takes leave of a mail server on the thread of all transfers and waits for its goodbye, so mails are best
    /// sent by a transport of their own.
    ///
    /// - Throws: what `perform` does; that a server refuses a mail or a recipient is an answer.
    public func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer {
        let wire = try WireMail(mail)
        let timeout = timeout.clamped(to: .milliseconds(1)...Limits.timeoutMax)
        let bounds = TransferBounds(
            deadline: ContinuousClock.now + timeout, timeout: timeout, connectTimeout: limits.connectTimeout,
            idleMax: limits.idleMax, headerBytesMax: limits.headerBytesMax, bodyBytesMax: limits.bodyBytesMax)
        guard case .mail(let answer) = try await exchange(.mail(wire), bounds, isRedirected: false) else {
            throw TransportError.unsent(.other, "\(wire.peer) was sent no mail")
        }
        return answer
    }

    /// Stops all transfers, which fail as `.cancelled`, closes all connections, and returns when that is done.
    ///
    /// Requests made afterwards fail the same way. Calling it again does no harm.
    public func shutdown() async {
        mailbox.stop()
        await mailbox.closing()
    }

    private func exchange(
        _ errand: Errand,
        _ bounds: TransferBounds,
        isRedirected: Bool
    ) async throws(TransportError) -> Answer {
        let id = mailbox.nextID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = Job(id: id, errand: errand, bounds: bounds, continuation: continuation)
                guard !Task.isCancelled else { return job.failAsCancelled() }
                mailbox.submit(job)
                // A cancellation between these lines found no job to cancel; a later one finds it.
                if Task.isCancelled { mailbox.cancel(id) }
            }
        } onCancel: {
            mailbox.cancel(id)
        }
        do {
            return try result.get()
        } catch {
            // The request that was redirected has arrived, whatever became of the one after it.
            throw isRedirected ? TransportError(error.cause, mayHaveArrived: true, error.description) : error
        }
    }
}

extension HTTPTransport {
    /// The bounds of a transport; each has a default that suits a bot.
    public struct Limits: Hashable, Sendable {
        /// The longest body of an answer, after decompression: a page of 100 issues with their stacks has 1 to 2 MiB.
        public var bodyBytesMax: Int
        /// All headers of an answer together. Servers keep to 8 to 32 KiB, and libcurl itself gives up at 300 KiB.
        public var headerBytesMax: Int
        /// How long it may take until the request can be sent: finding the host, connecting and the TLS handshake.
        /// Three lost SYN packets, each repeated after twice the time, cost seven seconds.
        public var connectTimeout: Duration
        /// How often a GET may be redirected within its origin; browsers take 20, honest services need one or two.
        public var redirectsMax: Int
        /// How long an idle connection is used again. Most servers hang up after one to two minutes; 118 s is libcurl's
        /// own limit.
        public var idleMax: Duration
        /// Connections open at one time, busy and idle together, and so requests under way; more requests wait. The
        /// usual limit of open files is 1024.
        public var connectionsMax: Int

        public init(
            bodyBytesMax: Int = 8 << 20,
            headerBytesMax: Int = 64 << 10,
            connectTimeout: Duration = .seconds(10),
            redirectsMax: Int = 5,
            idleMax: Duration = .seconds(118),
            connectionsMax: Int = 128
        ) {
            self.bodyBytesMax = bodyBytesMax
            self.headerBytesMax = headerBytesMax
            self.connectTimeout = connectTimeout
            self.redirectsMax = redirectsMax
            self.idleMax = idleMax
            self.connectionsMax = connectionsMax
        }

        /// The longest timeout taken: beyond a day nobody waits for an answer, and sums of times cannot overflow.
        static let timeoutMax = Duration.days(1)
    }
}

extension TransportError {
    /// An error from before anything was sent.
    static func unsent(_ cause: Cause, _ description: String) -> TransportError {
        TransportError(cause, mayHaveArrived: false, description)
    }
}
