// The bot's small HTTP face: pages for people, `/api/v1` for programs, its figures for Prometheus, its health for
// probes. Whatever changes something is a POST or DELETE that the `Gatekeeper` lets through (decisions 11, 33 and 38); by
// default it listens on the loopback address only. The same server over the control socket takes the commands of this
// machine's own user. It is no general web server: one request a connection, a closed list of routes, every wait and
// every size bounded. What it shows it asks of a `BotView`; it knows nothing of sources, rules or the journal. HTTP
// itself is libmicrohttpd's; the sockets are made here, as the control socket has to be closed to other users before
// anybody can connect.

/// Serves the page at one address; run one of them for TCP and one for the control socket, over the same view.
public actor StatusServer {
    /// Where to listen.
    public enum Address: Hashable, Sendable, CustomStringConvertible {
        /// A host name or address without brackets, and a port; port 0 lets the system choose.
        case tcp(host: String, port: UInt16)
        /// The path of a socket that only this user may open; one that a killed process left is replaced.
        case unix(path: String)

        public var description: String {
            switch self {
            case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .unix(let path): path
            }
        }

        var isUnix: Bool {
            if case .unix = self { true } else { false }
        }
    }

    private let address: Address
    private let view: any BotView
    private let control: (any BotControl)?
    private let desk: CareDesk?
    private let api: APIDesk?
    private let pushes: PushDesk?
    private let pages: Page.Maker
    private let keys: KeyRing
    private let limits: Limits
    private var phase = Phase.notListening(waiting: [:])
    private var waitersSeen = 0

    private enum Phase {
        case notListening(waiting: [Int: CheckedContinuation<UInt16, any Error>])
        case listening(port: UInt16)
        case ended(any Error)
    }

    /// Makes a server that does nothing yet.
    ///
    /// - Parameters:
    ///   - control: who takes commands here; nil takes none.
    ///   - care: who obeys the links of messages and the page's own forms.
    ///   - intake: who takes what tools push.
    ///   - api: who obeys programs.
    ///   - keys: what opens these to whoever is not on this machine, and the name to answer to on a loopback address besides
    ///     `localhost` and the like.
    public init(
        address: Address, view: any BotView, control: (any BotControl)? = nil, care: (any BotCare)? = nil,
        intake: (any BotIntake)? = nil, api: (any BotControl)? = nil, keys: KeyRing = KeyRing(),
        botName: String
    ) {
        self.init(
            address: address, view: view, control: control, care: care, intake: intake, api: api, keys: keys,
            botName: botName, limits: .ofThisProcess)
    }

    init(
        address: Address, view: any BotView, control: (any BotControl)?, care: (any BotCare)?, intake: (any BotIntake)?,
        api: (any BotControl)? = nil, keys: KeyRing, botName: String, limits: Limits
    ) {
        self.address = address
        self.view = view
        self.control = control
        let gatekeeper = Gatekeeper(keys)
        desk = care.map { CareDesk(care: $0, gatekeeper) }
        self.api = api.map { APIDesk(view: view, control: $0, gatekeeper: gatekeeper, limits: limits) }
        pushes = intake.map { PushDesk($0) }
        pages = Page.Maker(botName: botName, isInteractive: care != nil)
        self.keys = keys
        self.limits = limits
    }

    /// Serves until the task is cancelled, then returns with every connection closed. A unix socket whose file is gone,
    /// with its folder perhaps, is made anew: nobody could ask for anything, and the bot would pass for one that does not
    /// run.
    ///
    /// - Throws: `StatusServerError` when it cannot listen.
    public func run() async throws(StatusServerError) {
        var door: Door
        do {
            door = try open()
        } catch {
            end(error)
            throw error
        }
        announce(port: door.listener.port)
        while await StatusServer.serve(door), let next = await reopened() { door = next }
        end(CancellationError())
    }

    /// Where connections come in, and who answers them.
    private struct Door: Sendable {
        let listener: Listener
        let routes: Routes
        let server: HTTPServer
    }

    private func open() throws(StatusServerError) -> Door {
        let listener = try Listener(address)
        let routes = Routes(
            view: view, control: control, desk: desk, api: api, pushes: pushes, pages: pages, hosts: hosts(listener),
            limits: limits)
        let server = try HTTPServer(
            listener, at: address, limits, bodyBytesMax: routes.bodyBytesMax,
            isForStream: { routes.lane(of: $0) == .streams })
        return Door(listener: listener, routes: routes, server: server)
    }

    /// Another door once there is room for one; nil when the task was cancelled before.
    private func reopened() async -> Door? {
        while !Task.isCancelled {
            // The folder may be gone, too, until the journal has made it anew.
            if let door = try? open() { return door }
            try? await Task.sleep(for: limits.socketInterval)
        }
        return nil
    }

    /// Answers until the task is cancelled, or the socket's file is gone.
    ///
    /// - Returns: whether it is gone.
    private static func serve(_ door: Door) async -> Bool {
        await door.server.start()
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await answerAll(door)
                return false
            }
            if door.listener.hasFile {
                group.addTask { await door.listener.untilGone(lookingEvery: door.routes.limits.socketInterval) }
            }
            let isGone = await group.next() ?? false
            group.cancelAll()
            return isGone
        }
    }

    /// Answers whoever reads one after another, apart from all others: what a reader sees of thousands of apps takes a while to
    /// write down, and no number of readers may take the threads on which the bot works, probes are answered and pushes
    /// are taken. Nor may open pages, which share a thread of their own.
    private static func answerAll(_ door: Door) async {
        let limits = door.routes.limits
        let (line, readers) = AsyncStream.makeStream(
            of: (ask: Ask, since: ContinuousClock.Instant).self, bufferingPolicy: .bufferingOldest(limits.readersMax))
        let streams = ReadingQueue("status-page-streams")
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: ReadingQueue("status-page-reading")) {
                for await (ask, since) in line {
                    // Who has waited for long comes again, rather than have all behind wait for as long. Nobody hears an answer that
                    // is later than the deadline; its place is given back all the same.
                    guard since.duration(to: .now) < limits.readerWaitMax, await door.server.isAwaited(ask.id) else {
                        await door.server.answer(ask.id, door.routes.crowded(ask.request))
                        continue
                    }
                    await StatusServer.answer(ask, door.routes, on: door.server)
                }
            }
            for await ask in door.server.requests {
                switch door.routes.lane(of: ask.request) {
                case .bot: group.addTask { await StatusServer.answer(ask, door.routes, on: door.server) }
                case .streams:
                    group.addTask(executorPreference: streams) {
                        await StatusServer.answer(ask, door.routes, on: door.server)
                    }
                case .readers:
                    if case .dropped = readers.yield((ask, .now)) {
                        group.addTask { await door.server.answer(ask.id, door.routes.crowded(ask.request)) }
                    }
                }
            }
            readers.finish()
            // Whoever still waits for a reader would never be done.
            await door.server.stop()
        }
    }

    private func hosts(_ listener: Listener) -> HostRule {
        guard case .tcp(let host, _) = address, listener.isLoopback else { return .any }
        return .loopback(listenHost: host, keys)
    }

    private static func answer(_ ask: Ask, _ routes: Routes, on server: HTTPServer) async {
        switch await routes.answer(ask.request) {
        case .response(let response): await server.answer(ask.id, response)
        case .events(let start):
            guard let output = await server.openStream(ask.id) else {
                return await server.answer(ask.id, .crowdedStreams)
            }
            await EventStream(view: routes.view, pages: routes.pages, limits: routes.limits).run(to: output, start)
            await server.closeStream(ask.id)
        }
    }
}

// MARK: Waiting for the port

extension StatusServer {
    /// Returns the port once `run()` listens: the one chosen for port 0, and 0 for a unix socket.
    ///
    /// - Throws: the `StatusServerError` that ended `run()`, or `CancellationError` when this task or `run()` was
    ///   cancelled.
    public func waitUntilListening() async throws -> UInt16 {
        let number = waitersSeen
        waitersSeen += 1
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch phase {
                case .listening(let port): continuation.resume(returning: port)
                case .ended(let error): continuation.resume(throwing: error)
                case .notListening where Task.isCancelled: continuation.resume(throwing: CancellationError())
                case .notListening(var waiting):
                    waiting[number] = continuation
                    phase = .notListening(waiting: waiting)
                }
            }
        } onCancel: {
            Task { await stopWaiting(number) }
        }
    }

    private func stopWaiting(_ number: Int) {
        guard case .notListening(var waiting) = phase else { return }
        waiting.removeValue(forKey: number)?.resume(throwing: CancellationError())
        phase = .notListening(waiting: waiting)
    }

    private func announce(port: UInt16) {
        settle(.listening(port: port), .success(port))
    }

    private func end(_ error: any Error) {
        settle(.ended(error), .failure(error))
    }

    private func settle(_ next: Phase, _ result: Result<UInt16, any Error>) {
        if case .notListening(let waiting) = phase {
            for continuation in waiting.values { continuation.resume(with: result) }
        }
        phase = next
    }
}
