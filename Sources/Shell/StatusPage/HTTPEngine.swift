internal import CMicroHTTP
internal import Glibc

/// A request on its way to somebody who knows the answer.
struct Ask: Sendable {
    let id: Int
    let request: Request
}

/// libmicrohttpd: takes connections, hands out requests, and sends answers.
///
/// It has no thread of its own. Whoever owns it calls `run`, and all that the library calls back is called in there: so
/// nothing here is shared, and nothing here may wait.
final class HTTPEngine {
    private let limits: Limits
    /// The most bytes of a body that are read; nil where nobody wants it.
    private let bodyBytesMax: @Sendable (Request) -> Int?
    /// Whether it asks for a stream.
    private let isForStream: @Sendable (Request) -> Bool
    private let requests: AsyncStream<Ask>.Continuation
    private var daemon: OpaquePointer?
    /// What can be read when clients have hung up.
    let hangups: Int32
    private var exchanges: [Int: Exchange] = [:]
    /// Those whose clients have hung up, while the library may still have something of them to read.
    private var deserted: [Int] = []
    private var lastID = 0

    /// Throws the system's error number.
    init(
        _ limits: Limits, bodyBytesMax: @escaping @Sendable (Request) -> Int?,
        isForStream: @escaping @Sendable (Request) -> Bool, _ requests: AsyncStream<Ask>.Continuation
    ) throws(SystemError) {
        self.limits = limits
        self.bodyBytesMax = bodyBytesMax
        self.isForStream = isForStream
        self.requests = requests
        hangups = cmicrohttp_hangups()
        guard hangups >= 0 else { throw SystemError(code: errno) }
        daemon = cmicrohttp_start(
            // A head needs room beside it: for what the library notes of each field, and for the head of the answer.
            2 * limits.headBytesMax, UInt32(limits.connectionsMax),
            { context, connection, _, method, _, bytes, count, _ in
                guard let engine = HTTPEngine.at(context), let exchange = HTTPEngine.exchange(of: connection),
                    let method, let count
                else { return .NO }
                let part = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
                count.pointee = 0
                return engine.goOn(exchange, method: String(cString: method), part)
            },
            { context, connection, kept, event in
                guard let engine = HTTPEngine.at(context), let connection, let kept else { return }
                if event == .CONNECTION_NOTIFY_STARTED {
                    kept.pointee = Unmanaged.passUnretained(engine.begin(connection)).toOpaque()
                } else if let exchange = HTTPEngine.exchange(of: connection) {
                    engine.end(exchange)
                }
            },
            { _, target, connection in
                if let target { HTTPEngine.exchange(of: connection)?.target = String(cString: target) }
                return nil
            },
            Unmanaged.passUnretained(self).toOpaque())
        guard daemon != nil else {
            let code = errno
            close(hangups)
            throw SystemError(code: code)
        }
    }

    struct SystemError: Error { let code: Int32 }

    private static func at(_ context: UnsafeMutableRawPointer?) -> HTTPEngine? {
        context.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// The table holds each exchange from the library's first word of its connection until after the last.
    private static func exchange(of connection: OpaquePointer?) -> Exchange? {
        connection.flatMap { cmicrohttp_context($0) }.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }
}

// MARK: Its owner's side

extension HTTPEngine {
    /// What can be read when the library has something to do.
    var descriptor: Int32 { daemon.map { cmicrohttp_descriptor($0) } ?? -1 }

    /// Goes on with every connection as far as it goes; true when there is more to do at once.
    func run() -> Bool {
        guard let daemon else { return false }
        var wait: UInt64 = 0
        for _ in 0..<8 {
            MHD_run(daemon)
            let isDone = MHD_get_timeout(daemon, &wait) != .YES || wait > 0
            if !cutDeserted(), isDone { return false }
        }
        return true
    }

    /// Ends those whose clients owe a part of the request, have hung up, and have been read to the end; true when it
    /// ends any.
    private func cutDeserted() -> Bool {
        guard !deserted.isEmpty else { return false }
        let before = deserted.count
        deserted.removeAll { id in
            guard let exchange = exchanges[id], exchange.isUnfinished, !exchange.isClosed else { return true }
            var byte: UInt8 = 0
            // What is still to be read, the library has been told of.
            guard recv(exchange.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) <= 0 else { return false }
            exchange.cut()
            return true
        }
        return deserted.count < before
    }

    var hasRoom: Bool { exchanges.count < limits.connectionsMax }

    /// Gives up the client that has owed its request for the longest time, if that is a while.
    func makeRoom() {
        let slowest = exchanges.values.filter { $0.isUnfinished && !$0.isClosed }.min { $0.deadline < $1.deadline }
        guard let slowest, slowest.deadline - .now < limits.exchangeTimeMax - limits.patience else { return }
        slowest.cut()
        _ = run()
    }

    /// Takes a connection; the library closes its socket.
    func add(_ descriptor: Int32) {
        guard let daemon else { return }
        // Only limits by address would read it, and behind a proxy all have one.
        var nobody = sockaddr()
        _ = MHD_add_connection(daemon, descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    func answer(_ id: Int, _ response: Response) {
        guard let exchange = finish(id), case .asking = exchange.phase else { return }
        exchange.phase = .answered(response)
        exchange.resume()
    }

    /// Whether an answer would still be sent. Who has hung up may yet read: only sending says.
    func isAwaited(_ id: Int) -> Bool {
        guard let exchange = exchanges[id], case .asking = exchange.phase else { return false }
        return !exchange.isClosed
    }

    /// Makes the answer a stream; false when nobody is left to read it.
    func openStream(_ id: Int, wake: AsyncStream<Void>.Continuation) -> Bool {
        guard let exchange = exchanges[id], case .asking = exchange.phase, !exchange.hasHungUp else { return false }
        exchange.phase = .streaming(Exchange.Stream(wake: wake))
        exchange.resume()
        return true
    }

    /// Whether somebody still reads a stream.
    func isStreaming(_ id: Int) -> Bool { exchanges[id]?.isStreaming ?? false }

    /// Sends the next piece of a stream; `writer` hears when the system has it.
    func send(_ piece: [UInt8], _ id: Int, _ writer: CheckedContinuation<Void, any Error>) {
        guard let exchange = exchanges[id], case .streaming(var stream) = exchange.phase, stream.writer == nil else {
            return writer.resume(throwing: Gone())
        }
        stream.piece = piece
        stream.writer = writer
        exchange.phase = .streaming(stream)
        exchange.deadline = .now + limits.exchangeTimeMax
        exchange.resume()
    }

    /// Ends a stream after what has been sent on it.
    func closeStream(_ id: Int) {
        guard let exchange = finish(id), case .streaming(var stream) = exchange.phase else { return }
        stream.isOver = true
        exchange.phase = .streaming(stream)
        exchange.resume()
    }

    /// Notes who has hung up: streams end at once, and `run` ends those whose requests will never be whole.
    func noteHangups() {
        var id: UInt64 = 0
        while cmicrohttp_next_hangup(hangups, &id) {
            guard let exchange = exchanges[Int(id)], !exchange.isClosed else { continue }
            exchange.hasHungUp = true
            if exchange.isStreaming { exchange.cut() } else { deserted.append(exchange.id) }
        }
    }

    /// Cuts whoever has had enough time, wakes streams whose sign of life is due, and says when to look again.
    func expire() -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        for exchange in exchanges.values where exchange.deadline <= now && !exchange.isClosed {
            if case .streaming(let stream) = exchange.phase, stream.writer == nil, !stream.isOver {
                stream.wake.yield()
                exchange.deadline = now + limits.heartbeat
            } else {
                exchange.cut(forgetting: !exchange.isUnfinished)
            }
        }
        return nextDeadline
    }

    /// The next moment at which somebody has had enough time; nil when nobody is there.
    var nextDeadline: ContinuousClock.Instant? { exchanges.values.lazy.filter { !$0.isClosed }.map(\.deadline).min() }

    /// Ends every connection as soon as the library looks at it again, and lets go of all who wait for one.
    func cutAll() {
        requests.finish()
        for exchange in exchanges.values { exchange.cut() }
    }

    /// Closes what is left and the library itself; nothing does anything afterwards.
    func stop() {
        guard let daemon else { return }
        // The library must not be stopped while it leaves a connection alone.
        cutAll()
        self.daemon = nil
        MHD_stop_daemon(daemon)
        close(hangups)
        exchanges = [:]
    }

    /// Nobody works on its answer any more.
    private func finish(_ id: Int) -> Exchange? {
        guard let exchange = exchanges[id] else { return nil }
        exchange.isAsked = false
        guard exchange.isClosed else { return exchange }
        exchanges[id] = nil
        return nil
    }
}

// MARK: The library's side

extension HTTPEngine {
    private func begin(_ connection: OpaquePointer) -> Exchange {
        lastID += 1
        let exchange = Exchange(id: lastID, connection: connection, limits)
        exchanges[lastID] = exchange
        cmicrohttp_await_hangup(hangups, exchange.descriptor, UInt64(lastID))
        return exchange
    }

    private func end(_ exchange: Exchange) {
        exchange.endStream()
        exchange.isClosed = true
        // Its place stays taken while somebody works for it: so not even those who hang up can have more done at a
        // time.
        if !exchange.isAsked { exchanges[exchange.id] = nil }
    }

    /// Called when the head is here, for each part of the body, when all is here, and after `resume`.
    private func goOn(_ exchange: Exchange, method: String, _ part: UnsafeRawBufferPointer) -> MHD_Result {
        switch exchange.phase {
        case .reading: return acceptHead(exchange, method)
        case .receiving(let request): return part.isEmpty ? acceptEnd(exchange, request) : acceptBody(part, exchange)
        case .answered(let response): return send(response, exchange)
        case .streaming: return sendStream(exchange)
        case .asking, .sending, .cut: return .NO
        }
    }

    private func acceptHead(_ exchange: Exchange, _ method: String) -> MHD_Result {
        guard cmicrohttp_head_bytes(exchange.connection) <= limits.headBytesMax else {
            let sentence = "The request's head has more than \(limits.headBytesMax) bytes."
            return send(.sentence(.headerFieldsTooLarge, sentence), exchange)
        }
        guard var request = Request(method: method, target: exchange.target, fields: fields(exchange.connection))
        else { return send(.sentence(.badRequest, "This is not an HTTP/1.1 request."), exchange) }
        request.isLocal = Listener.isLocalPeer(of: cmicrohttp_socket(exchange.connection))
        exchange.bodyBytesMax = request.method == "POST" ? bodyBytesMax(request) : nil
        if request.declaredBytes ?? 0 > mostBytes(exchange) {
            request.bytesTaken = exchange.bodyBytesMax
            return ask(exchange, request)
        }
        exchange.phase = .receiving(request)
        return .YES
    }

    private func acceptBody(_ part: UnsafeRawBufferPointer, _ exchange: Exchange) -> MHD_Result {
        exchange.bodyBytes += part.count
        if exchange.isBodyWanted {
            if exchange.bodyBytes <= exchange.bodyBytesMax ?? 0 { exchange.body += part } else { exchange.body = [] }
        }
        return exchange.bodyBytes <= mostBytes(exchange) ? .YES : .NO
    }

    /// What is read of a body, wanted or not.
    private func mostBytes(_ exchange: Exchange) -> Int { max(limits.discardedBytesMax, exchange.bodyBytesMax ?? 0) }

    private func acceptEnd(_ exchange: Exchange, _ request: Request) -> MHD_Result {
        var request = request
        if let most = exchange.bodyBytesMax, exchange.bodyBytes > most { request.bytesTaken = most }
        request.body = exchange.body
        exchange.body = []
        return ask(exchange, request)
    }

    private func ask(_ exchange: Exchange, _ request: Request) -> MHD_Result {
        if isForStream(request) {
            // A place is free again once nobody reads the stream and nobody works for it: readers who come and go have no more
            // done at a time than those who stay. Who finds none costs nobody a turn.
            guard exchanges.values.count(where: \.isForStream) < limits.streamsMax else {
                return send(.crowdedStreams, exchange)
            }
            exchange.isForStream = true
        }
        exchange.phase = .asking
        exchange.isAsked = true
        exchange.suspend()
        requests.yield(Ask(id: exchange.id, request: request))
        return .YES
    }

    private func send(_ response: Response, _ exchange: Exchange) -> MHD_Result {
        exchange.phase = .sending
        guard !response.isEndless else {
            // Of the stream somebody wants the head alone, which names no length.
            let made = MHD_create_response_from_callback(
                cmicrohttp_unknown_size, limits.streamBlockBytes, { _, _, _, _ in cmicrohttp_end }, nil, nil)
            if let made { cmicrohttp_end_by_closing(made) }
            return queue(made, response, exchange)
        }
        let made = response.body.withUnsafeBytes { body in
            MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
        }
        return queue(made, response, exchange)
    }

    private func sendStream(_ exchange: Exchange) -> MHD_Result {
        let made = MHD_create_response_from_callback(
            cmicrohttp_unknown_size, limits.streamBlockBytes,
            { context, _, buffer, count in
                guard let context, let buffer else { return cmicrohttp_end_with_error }
                let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
                return exchange.fill(UnsafeMutableRawBufferPointer(start: buffer, count: count))
            }, Unmanaged.passUnretained(exchange).toOpaque(), nil)
        if let made { cmicrohttp_end_by_closing(made) }
        return queue(made, .eventStream, exchange)
    }

    private func queue(_ made: OpaquePointer?, _ response: Response, _ exchange: Exchange) -> MHD_Result {
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        for header in response.allHeaders { MHD_add_response_header(made, header.name, header.value) }
        return MHD_queue_response(exchange.connection, UInt32(response.status.rawValue), made)
    }

    private func fields(_ connection: OpaquePointer) -> [Request.Field] {
        var fields: [Request.Field] = []
        withUnsafeMutablePointer(to: &fields) { fields in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameBytes, value, valueBytes in
                    let field = Request.Field(name: text(name, nameBytes), value: text(value, valueBytes))
                    context?.assumingMemoryBound(to: [Request.Field].self).pointee.append(field)
                    return .YES
                }, fields)
        }
        return fields
    }
}

private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
}
