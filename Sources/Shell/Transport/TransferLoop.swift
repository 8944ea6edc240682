internal import AlertModel
internal import CCurl
internal import Glibc

/// All transfers of a transport, on one thread.
///
/// The thread sleeps in `curl_multi_poll` until a socket is ready, a timeout is due or the mailbox wakes it. Nothing
/// here is shared: orders come through the mailbox, results leave through continuations.
final class TransferLoop {
    private let multi: UnsafeMutableRawPointer
    private let mailbox: Mailbox
    private let transfersMax: Int
    /// The transfers under way, by their easy handle.
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    /// Handles of transfers that are over, for the next ones: to make one anew takes libcurl some twenty blocks of memory.
    private var spares: [UnsafeMutableRawPointer] = []
    /// A storm has more at once; what is kept after it stays for good.
    private static let sparesMax = 64
    /// The jobs for which there is no room yet, oldest first. They wait here and not in libcurl, whose releases before
    /// 8.8 forget the timeout of a transfer that waits for a connection.
    private var waiting: [Job] = []

    private init(_ waker: Waker, _ mailbox: Mailbox, transfersMax: Int) {
        multi = waker.multi
        self.mailbox = mailbox
        self.transfersMax = transfersMax
    }

    /// How long the thread sleeps when there is nothing to do, in milliseconds: it is woken for everything, so only to
    /// wake rarely counts.
    private static let idleSleep: Int32 = 60_000

    /// libcurl wants to be set up once per process, before any handle; since 7.84 from any thread.
    private static let setUpCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Starts a loop on a thread of its own and gives the mailbox to reach it.
    static func start(connectionsMax: Int) -> Mailbox {
        guard setUpCode == CURLE_OK, let multi = curl_multi_init() else {
            return Mailbox(closed: .unsent(.other, "the request was not sent: libcurl could not be set up"))
        }
        let connectionsMax = connectionsMax.clamped(to: 1...Int(Int32.max))
        _ = ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX)
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connectionsMax)
        // The pool of idle connections, which otherwise grows and shrinks with the number of transfers.
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionsMax)
        let waker = Waker(multi: multi)
        let mailbox = Mailbox(waker)
        let code = startThread {
            TransferLoop(waker, mailbox, transfersMax: connectionsMax).run()
        }
        guard code == 0 else {
            curl_multi_cleanup(multi)
            return Mailbox(
                closed: .unsent(
                    .other,
                    "the request was not sent: no thread to send it (\(systemMessage(code))); "
                        + "raise the limit of threads and start again"))
        }
        return mailbox
    }

    private func run() {
        // OpenSSL writes to sockets without MSG_NOSIGNAL; a peer that went away must not end the process.
        var brokenPipe = sigset_t()
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)

        var end: TransportError?
        while end == nil {
            end = takeOrders()
            if end == nil {
                startWaiting()
                end = moveOn()
            }
        }
        finish(end ?? Mailbox.shutDown)
    }

    /// Does what is in the mailbox; gives an error if that is to stop.
    ///
    /// What is done may bring further orders: a task that is run here begins a transfer, or hands on what came of one.
    /// They are taken at once, because libcurl looks at every transfer under way whenever it is called.
    private func takeOrders() -> TransportError? {
        for _ in 0..<TransferLoop.ordersInARow {
            let orders = mailbox.takeOrders()
            guard !orders.isEmpty else { return nil }
            for order in orders {
                switch order {
                case .start(let job): waiting.append(job)
                case .cancel(let id): cancel(id)
                case .run(let job): job.runSynchronously(on: mailbox.asUnownedTaskExecutor())
                case .stop: return Mailbox.shutDown
                }
            }
        }
        return nil
    }

    /// How often the mailbox is emptied before transfers move on, however busy others keep it: a task that is run here
    /// begins its transfer with the next order.
    private static let ordersInARow = 4

    /// Moves every transfer as far as it goes, then sleeps. Gives an error if libcurl itself failed.
    private func moveOn() -> TransportError? {
        var runningCount: Int32 = 0
        let late = beginLastChances()
        var code = curl_multi_perform(multi, &runningCount)
        if !late.isEmpty {
            // With HTTP/2 one transfer reads for all that share its connection.
            if code == CURLM_OK { code = curl_multi_perform(multi, &runningCount) }
            for transfer in late { transfer.endLastChance() }
        }
        var messagesLeft: Int32 = 0
        while let message = curl_multi_info_read(multi, &messagesLeft) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let result = message.pointee.data.result
            take(easy) { transfer in transfer.result(result) }
        }
        // Who had a last chance and has no answer by now is told so at once.
        let sleep = late.contains { transfers[$0.easy] === $0 } ? 0 : sleepMilliseconds
        if code == CURLM_OK, mailbox.fallAsleep() { code = curl_multi_poll(multi, nil, 0, sleep, nil) }
        guard code != CURLM_OK else { return nil }
        return .unsent(
            .other, "the request was not sent: the transport stopped (\(String(cString: curl_multi_strerror(code))))")
    }

    /// The transfers whose time is over by now, and that have not been looked at since: libcurl judges by the clock before it
    /// reads what has come, so it is kept from that once.
    private func beginLastChances() -> [Transfer] {
        guard !transfers.isEmpty else { return [] }
        let now = ContinuousClock.now
        return transfers.values.filter { $0.beginLastChance(now) }
    }

    /// How long the thread may sleep: not at all while somebody waits and there is room, and no longer than the first
    /// of those who wait will. libcurl sees to its own timeouts.
    private var sleepMilliseconds: Int32 {
        guard let timeLeft = waiting.lazy.map(\.bounds.timeLeft).min() else { return TransferLoop.idleSleep }
        guard transfers.count >= transfersMax else { return 0 }
        return Int32(clamping: (timeLeft.wholeMilliseconds + 1).clamped(to: 0...Int64(TransferLoop.idleSleep)))
    }

    /// Gives up the jobs that waited too long, and starts as many others as there is room for.
    private func startWaiting() {
        waiting.removeAll { job in
            guard job.bounds.timeLeft <= .zero else { return false }
            job.fail(
                .timeout,
                "the request to \(job.errand.peer) could not be sent within \(job.bounds.timeout.asText); "
                    + "\(transfers.count) requests are under way")
            return true
        }
        let startable = waiting.prefix(transfersMax - transfers.count)
        waiting.removeFirst(startable.count)
        for job in startable { start(job) }
    }

    private func start(_ job: Job) {
        guard
            let transfer = spares.popLast().flatMap({ transfer(for: job, on: $0) })
                ?? curl_easy_init().flatMap({ transfer(for: job, on: $0) })
        else {
            job.fail(
                .other,
                "the request to \(job.errand.peer) was not sent: libcurl does not take it; "
                    + "it must be 7.87 or later, with HTTP/2 and TLS")
            return
        }
        transfers[transfer.easy] = transfer
    }

    /// The transfer for a job on a handle; nil where the handle cannot be used, and it is gone then.
    private func transfer(for job: Job, on easy: UnsafeMutableRawPointer) -> Transfer? {
        if let transfer = Transfer.of(job, on: easy), curl_multi_add_handle(multi, easy) == CURLM_OK { return transfer }
        curl_easy_reset(easy)
        curl_easy_cleanup(easy)
        return nil
    }

    private func cancel(_ id: UInt64) {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index).failAsCancelled()
        } else if let (easy, _) = transfers.first(where: { $0.value.job.id == id }) {
            take(easy) { transfer in .failure(transfer.cancellation) }
        }
    }

    /// Keeps a handle for the next transfer, without anything of the last; connections are the multi handle's, and stay.
    private func tidy(_ easy: UnsafeMutableRawPointer) {
        curl_easy_reset(easy)
        if spares.count < TransferLoop.sparesMax { spares.append(easy) } else { curl_easy_cleanup(easy) }
    }

    /// Takes a transfer out and gives its caller the result.
    private func take(_ easy: UnsafeMutableRawPointer, _ result: (Transfer) -> Result<Answer, TransportError>) {
        guard let transfer = transfers.removeValue(forKey: easy) else { return }
        let outcome = result(transfer)
        // What libcurl says when it tidies up comes too late for somebody to listen.
        _ = ccurl_set_long(easy, CURLOPT_VERBOSE, 0)
        curl_multi_remove_handle(multi, easy)
        tidy(easy)
        transfer.job.continuation.resume(returning: outcome)
    }

    private func finish(_ error: TransportError) {
        for easy in Array(transfers.keys) {
            take(easy) { transfer in .failure(transfer.cancellation) }
        }
        for easy in spares { curl_easy_cleanup(easy) }
        spares = []
        for job in waiting { job.continuation.resume(returning: .failure(error)) }
        for order in mailbox.drain() {
            switch order {
            case .start(let job): job.continuation.resume(returning: .failure(error))
            case .run(let job): globalConcurrentExecutor.enqueue(job)
            case .cancel, .stop: break
            }
        }
        curl_multi_cleanup(multi)
        mailbox.close(error)
    }
}

/// Runs `body` on a new thread that nobody joins. Gives 0, or the system's error number if there is no thread to have.
func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
    final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let start = Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread,
        nil,
        { context in
            guard let context else { return nil }
            Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
            return nil
        }, start.toOpaque())
    if code == 0 { pthread_detach(thread) } else { start.release() }
    return code
}

/// The system's words for an error number.
func systemMessage(_ code: Int32) -> String {
    // strerror_r, because strerror may share its buffer with other threads.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
            return "error \(code)"
        }
        return String(cString: start)
    }
}
