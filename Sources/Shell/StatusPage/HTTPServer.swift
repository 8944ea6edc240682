internal import Dispatch
internal import Glibc

/// Takes connections at one address and turns what libmicrohttpd reads there into requests.
///
/// It accepts connections itself, as the library stops listening when the process runs out of descriptors, or asks
/// again and again; and it sees to the one deadline of each, as the library counts from the last byte.
actor HTTPServer {
    /// What is asked, until the server has stopped; each is answered once, with `answer` or with a stream.
    nonisolated let requests: AsyncStream<Ask>
    private let events = EventQueue()
    private let listener: Listener
    private let limits: Limits
    private let engine: HTTPEngine
    private let timer: any DispatchSourceTimer
    /// When the timer rings; nil while it does not.
    private var alarm: ContinuousClock.Instant?
    /// The watches that the system still knows.
    private let watches = DispatchGroup()
    private var doors: [Watch] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { events.asUnownedSerialExecutor() }

    /// Closes the listener when it throws.
    init(
        _ listener: Listener, at address: StatusServer.Address, _ limits: Limits,
        bodyBytesMax: @escaping @Sendable (Request) -> Int?, isForStream: @escaping @Sendable (Request) -> Bool
    ) throws(StatusServerError) {
        self.listener = listener
        self.limits = limits
        let (requests, incoming) = AsyncStream.makeStream(of: Ask.self)
        self.requests = requests
        do throws(HTTPEngine.SystemError) {
            engine = try HTTPEngine(limits, bodyBytesMax: bodyBytesMax, isForStream: isForStream, incoming)
        } catch {
            listener.close()
            throw StatusServerError(errno: error.code, at: address, doing: "starting the server")
        }
        timer = DispatchSource.makeTimerSource(queue: events.queue)
    }

    func start() {
        timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.ring() } }
        timer.activate()
        doors = [
            watch(listener.descriptor) { $0.acceptAll() },
            watch(engine.descriptor) { $0.goOn() },
            watch(engine.hangups) { $0.noteHangups() },
        ]
    }

    /// Closes every connection; returns when nothing of the server is left.
    func stop() async {
        timer.cancel()
        for door in doors { door.stop() }
        doors = []
        engine.cutAll()
        await withCheckedContinuation { continuation in
            watches.notify(queue: events.queue) { continuation.resume() }
        }
        engine.stop()
        listener.close()
    }
}

// MARK: Answers

extension HTTPServer {
    func answer(_ id: Int, _ response: Response) {
        engine.answer(id, response)
        goOn()
    }

    /// Whether an answer would still be sent.
    func isAwaited(_ id: Int) -> Bool { engine.isAwaited(id) }

    /// Answers with a stream; nil when nobody is left to read it.
    func openStream(_ id: Int) -> EventOutput? {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard engine.openStream(id, wake: wake) else { return nil }
        goOn()
        return EventOutput(server: self, id: id, wakes: wakes, wake: wake)
    }

    fileprivate func isStreaming(_ id: Int) -> Bool { engine.isStreaming(id) }

    /// Returns when the system has taken all of it.
    fileprivate func send(_ bytes: [UInt8], on id: Int) async throws {
        try await withCheckedThrowingContinuation { continuation in
            engine.send(bytes, id, continuation)
            goOn()
        }
    }

    func closeStream(_ id: Int) {
        engine.closeStream(id)
        goOn()
    }
}

/// Where the events of one stream go.
struct EventOutput: Sendable {
    fileprivate let server: HTTPServer
    fileprivate let id: Int
    /// When to look whether there is something to send; ends when the reader has gone.
    let wakes: AsyncStream<Void>
    let wake: AsyncStream<Void>.Continuation

    /// Whether somebody still reads it.
    var isRead: Bool { get async { await server.isStreaming(id) } }

    /// Returns when the reader is ready for more; throws `Gone` when it is not for too long, or has left.
    func send(_ bytes: [UInt8]) async throws { try await server.send(bytes, on: id) }
}

// MARK: What the system calls

extension HTTPServer {
    private func watch(
        _ descriptor: Int32, _ readable: @escaping @Sendable (isolated HTTPServer) -> Void
    ) -> Watch {
        watches.enter()
        return Watch(descriptor, on: events) { [weak self] in
            self?.assumeIsolated { readable($0) }
        } stopped: { [watches] in
            watches.leave()
        }
    }

    private func acceptAll() {
        // However many come, those that are here get their turn.
        for _ in 0..<limits.acceptsAtOnce {
            switch listener.accept() {
            case .connection(let descriptor): admit(descriptor)
            case .gone: continue
            case .nobody: return goOn()
            case .exhausted:
                pauseAccepting()
                return goOn()
            }
        }
        goOn()
    }

    private func admit(_ descriptor: Int32) {
        if !engine.hasRoom { engine.makeRoom() }
        guard engine.hasRoom else {
            // So many leave no room for patience: it hears so without being asked what it wants.
            Response.full.withUnsafeBytes { _ = Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            close(descriptor)
            return
        }
        engine.add(descriptor)
    }

    private func noteHangups() {
        engine.noteHangups()
        goOn()
    }

    private func pauseAccepting() {
        guard let door = doors.first else { return }
        door.pause()
        events.queue.asyncAfter(deadline: .now() + limits.exhaustionPause.interval) { [weak self] in
            self?.assumeIsolated { $0.doors.first?.resume() }
        }
    }

    private func goOn() {
        if engine.run() {
            events.queue.async { [weak self] in self?.assumeIsolated { $0.goOn() } }
        }
        // No deadline that is set from now on comes earlier than this.
        let soonest = ContinuousClock.now + min(limits.exchangeTimeMax, limits.heartbeat)
        if alarm.map({ $0 > soonest }) ?? true { setAlarm(engine.nextDeadline) }
    }

    private func ring() {
        alarm = nil
        setAlarm(engine.expire())
        goOn()
    }

    private func setAlarm(_ next: ContinuousClock.Instant?) {
        alarm = next
        guard let next else { return timer.schedule(deadline: .distantFuture) }
        timer.schedule(deadline: .now() + max(.zero, next - .now).interval)
    }
}

extension Duration {
    fileprivate var interval: DispatchTimeInterval {
        .nanoseconds(Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000))
    }
}
