// The bot's small HTTP face: the inbox as a chat page, its state as JSON, its figures for Prometheus, its health for
// probes. The page reads and changes nothing, but for the mute that somebody confirms behind a link of a message (`MuteDesk`), and there
// is no login, so by default it listens on the loopback address only; commands are taken on the control socket alone. It is no general web server either: one
// request a connection, a closed list of routes, every wait and every size bounded. What it shows it asks of a `BotView`; it knows nothing of sources,
// rules or the journal. It speaks to sockets itself, because what strangers may send has to be bounded from the first
// byte and the control socket closed to other users before anybody can connect.

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
    private let desk: MuteDesk?
    private let page: Page
    private let publicHost: String?
    private let limits: Limits
    private var phase = Phase.notListening(waiting: [:])
    private var waitersSeen = 0
    private var connections = 0
    private var streams = 0

    private enum Phase {
        case notListening(waiting: [Int: CheckedContinuation<UInt16, any Error>])
        case listening(port: UInt16)
        case ended(any Error)
    }

    /// Makes a server that does nothing yet.
    ///
    /// `publicHost` is a name to answer to on a loopback address besides `localhost` and the like: that of the public
    /// URL when a proxy passes it on. `control` is who takes commands here; nil takes none. `muting` is who obeys the mute
    /// links of messages; without a public host there are none.
    public init(
        address: Address, view: any BotView, control: (any BotControl)? = nil, muting: (any BotMuting)? = nil,
        botName: String, publicHost: String? = nil
    ) {
        self.init(
            address: address, view: view, control: control, muting: muting, botName: botName, publicHost: publicHost,
            limits: Limits())
    }

    init(
        address: Address, view: any BotView, control: (any BotControl)? = nil, muting: (any BotMuting)? = nil,
        botName: String, publicHost: String? = nil, limits: Limits
    ) {
        self.address = address
        self.view = view
        self.control = control
        desk = publicHost.flatMap { host in muting.map { MuteDesk(muting: $0, publicHost: host) } }
        page = Page(botName: botName)
        self.publicHost = publicHost
        self.limits = limits
    }

    /// Serves until the task is cancelled, then returns with every connection closed.
    ///
    /// - Throws: `StatusServerError` when it can not listen.
    public func run() async throws(StatusServerError) {
        let listener: Listener
        do {
            listener = try Listener(address)
        } catch {
            end(error)
            throw error
        }
        announce(port: listener.port)
        let routes = Routes(
            view: view, control: control, desk: desk, page: page, hosts: hosts(listener), limits: limits)
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                switch listener.accept() {
                case .connection(let descriptor) where connections < limits.connectionsMax:
                    connections += 1
                    group.addTask { await self.serve(Connection(descriptor: descriptor), routes) }
                case .connection(let descriptor): StatusServer.refuse(Connection(descriptor: descriptor))
                // Being cancelled is the only way for a wait to fail, and the loop looks for that itself.
                case .nobody: try? await Readiness.readable.wait(on: listener.descriptor)
                case .exhausted: try? await Task.sleep(for: limits.exhaustionPause)
                case .gone: break
                }
                // However many come, those that are here get their turn.
                await Task.yield()
            }
        }
        listener.close()
        end(CancellationError())
    }

    private func hosts(_ listener: Listener) -> HostRule {
        guard case .tcp(let host, _) = address, listener.isLoopback else { return .any }
        return .loopback(listenHost: host, publicHost: publicHost)
    }
}

// MARK: One connection

extension StatusServer {
    private func serve(_ connection: Connection, _ routes: Routes) async {
        defer {
            connections -= 1
            connection.close()
        }
        do {
            let start = try await within(limits.exchangeTimeMax) { [limits] in
                try await StatusServer.exchange(on: connection, routes, limits)
            }
            guard let start else { return }
            guard streams < limits.streamsMax else {
                let full = Response.sentence(.serviceUnavailable, "Too many pages are open; close some of them.")
                return try await within(limits.exchangeTimeMax) { [limits] in
                    try await StatusServer.send(full.bytes(), on: connection, limits)
                }
            }
            streams += 1
            defer { streams -= 1 }
            try await EventStream(view: view, page: page, limits: limits).run(on: connection, start)
        } catch {
            // The client went away or was too slow: nobody is left to tell, and it is no trouble of the bot.
        }
    }

    /// Turns a connection away without waiting for its request: so many leave no room for patience.
    private static func refuse(_ connection: Connection) {
        let busy = Response.sentence(.serviceUnavailable, "Too many connections are open; try again soon.")
        _ = connection.writeAtOnce(busy.bytes()[...])
        connection.close()
    }

    /// Reads a request and answers it, unless it asks for a stream: then the caller goes on.
    private static func exchange(
        on connection: Connection,
        _ routes: Routes,
        _ limits: Limits
    ) async throws -> EventStream.Start? {
        let response: Response
        var withBody = true
        do {
            guard
                let request = try await Request.read(
                    from: connection, withBody: routes.takesBody, limits)
            else {
                return nil
            }
            withBody = request.method != "HEAD"
            switch await routes.answer(request) {
            case .events(let start) where withBody: return start
            case .events: response = Response(.ok, Response.eventStreamType, "")
            case .response(let ready): response = ready
            }
        } catch Request.Refusal.malformed {
            response = .sentence(.badRequest, "This is no HTTP/1.1 request.")
        } catch Request.Refusal.tooLong {
            response = .sentence(
                .headerFieldsTooLarge,
                "The request's head has more than \(limits.headBytesMax) bytes."
            )
        } catch Request.Refusal.bodyTooLong {
            response = .sentence(.contentTooLarge, "The command has more than \(limits.bodyBytesMax) bytes.")
        }
        try await send(response.bytes(withBody: withBody), on: connection, limits)
        return nil
    }

    /// Sends all that there is to say and waits for the client to hang up: closing while it still sends would make the
    /// system throw away what it has not read yet of the answer.
    private static func send(_ bytes: [UInt8], on connection: Connection, _ limits: Limits) async throws {
        try await connection.write(bytes)
        connection.finishWriting()
        try await connection.drain(bytesMax: limits.restBytesMax)
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
