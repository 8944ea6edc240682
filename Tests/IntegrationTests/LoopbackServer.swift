import BotHarness
import Foundation
import Glibc
import Synchronization

/// An HTTP server that answers as a test says, bad manners included. It listens on 127.0.0.1 alone.
final class LoopbackServer: Sendable {
    struct Request: Sendable {
        let method: String
        let target: String
        let headers: [(name: String, value: String)]
        let body: [UInt8]
        /// How many requests came before it.
        let number: Int
        let at: ContinuousClock.Instant

        var path: String { String(target.prefix { $0 != "?" }) }
        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONTree { (try? JSONTree(parsing: text)) ?? .null }
        func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

        func parameter(_ name: String) -> String? {
            let query = URLComponents(string: target)?.queryItems
            return query?.first { $0.name == name }?.value
        }
    }

    /// What a request was answered with, just before it was sent.
    struct Answered: Sendable {
        let request: Request
        let status: Int
        let text: String
        let at: ContinuousClock.Instant
        var json: JSONTree { (try? JSONTree(parsing: text)) ?? .null }
    }

    indirect enum Reply: Sendable {
        case answer(Int, [String: String] = [:], String = "")
        /// The answer, but not before so much time has passed.
        case late(Duration, Reply)
        /// These bytes, whatever they are, and then the end.
        case raw([UInt8])
        /// A good beginning, and then the same bytes for as long as the client stays.
        case endless([UInt8])
        /// Nothing, for as long as the client stays.
        case silence
        /// The end of the connection without a word.
        case hangUp
    }

    typealias Handler = @Sendable (Request) -> Reply

    let port: UInt16
    private let answer: Mutex<Handler>
    private let isDoorSlammed = Mutex<@Sendable () -> Bool>({ false })
    private let seen = Mutex<[Request]>([])
    private let said = Mutex<[Answered]>([])
    private let listener: Int32
    /// Whoever waits for a client watches the reader too; it becomes readable when the writer is closed.
    private let stopReader: Int32
    private let stopWriter: Mutex<Int32?>
    private let hasStopped = DispatchSemaphore(value: 0)

    /// - Parameter port: 0 for any that is free.
    init(port: UInt16 = 0, _ answer: @escaping Handler) throws {
        listener = try Loopback.listen(on: port)
        self.port = Loopback.port(of: listener)
        self.answer = Mutex(answer)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TooLate("a pipe could be made") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        stopReader = ends[0]
        stopWriter = Mutex(ends[1])
        let accepting = Accepting(server: self)
        Thread.detachNewThread { accepting.run() }
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { seen.withLock(\.self) }
    /// Answers that had a status, in order.
    var answers: [Answered] { said.withLock(\.self) }
    /// Requests that were answered with 200.
    var taken: [Request] { answers.filter { $0.status == 200 }.map(\.request) }

    /// Answers otherwise from now on.
    func change(_ answer: @escaping Handler) { self.answer.withLock { $0 = answer } }

    /// Asked at each connection whether to end it at once, with nothing read.
    func slamDoor(when isSlammed: @escaping @Sendable () -> Bool) { isDoorSlammed.withLock { $0 = isSlammed } }

    /// Ends the server and every connection; the port is free when this returns.
    func stop() {
        let writer = stopWriter.withLock { writer in
            defer { writer = nil }
            return writer
        }
        guard let writer else { return }
        close(writer)
        hasStopped.wait()
    }

    deinit { stopWriter.withLock { if let writer = $0 { close(writer) } } }

    /// The first request that fits, waiting for it if need be.
    func request(
        _ what: @autoclosure () -> String, within patience: Duration = .seconds(20), where fits: (Request) -> Bool
    ) async throws -> Request {
        try await eventually("\(what()) arrived; there were \(requests.map(\.text))", within: patience) {
            requests.first(where: fits)
        }
    }

    // MARK: threads

    /// The threads hold what they need and not the server, so that it can go.
    private struct Accepting: Sendable {
        let listener: Int32
        let stop: Int32
        let hasStopped: DispatchSemaphore
        let isDoorSlammed: @Sendable () -> Bool
        let answer: @Sendable ([UInt8]) -> (Request, Reply)?
        let note: @Sendable (Request, Int, String) -> Void

        init(server: LoopbackServer) {
            listener = server.listener
            stop = server.stopReader
            hasStopped = server.hasStopped
            isDoorSlammed = { [weak server] in server?.isDoorSlammed.withLock(\.self)() ?? false }
            answer = { [weak server] bytes in
                guard let server, var request = Loopback.request(bytes) else { return nil }
                server.seen.withLock { seen in
                    request = Request(
                        method: request.method, target: request.target, headers: request.headers, body: request.body,
                        number: seen.count, at: request.at)
                    seen.append(request)
                }
                return (request, server.answer.withLock(\.self)(request))
            }
            note = { [weak server] request, status, text in
                server?.said.withLock { $0.append(Answered(request: request, status: status, text: text, at: .now)) }
            }
        }

        func run() {
            while Loopback.isReadable(listener, unless: stop) {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { continue }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                guard !isDoorSlammed() else {
                    close(client)
                    continue
                }
                Thread.detachNewThread { [self] in
                    serve(client)
                    shutdown(client, Int32(SHUT_RDWR))
                    close(client)
                }
            }
            close(listener)
            hasStopped.signal()
        }

        private func serve(_ client: Int32) {
            var bytes: [UInt8] = []
            while true {
                guard let length = Loopback.requestLength(bytes), bytes.count >= length else {
                    guard let more = Loopback.receive(client, unless: stop) else { return }
                    bytes += more
                    continue
                }
                guard let (request, reply) = answer(Array(bytes[..<length])), perform(reply, to: request, client)
                else { return }
                bytes.removeFirst(length)
            }
        }

        /// False when that was the last word on this connection.
        private func perform(_ reply: Reply, to request: Request, _ client: Int32) -> Bool {
            switch reply {
            case .answer(let status, let headers, let body):
                var head =
                    "HTTP/1.1 \(status) \(status == 200 ? "OK" : "Answer")\r\nContent-Length: \(body.utf8.count)\r\n"
                for (name, value) in headers { head += "\(name): \(value)\r\n" }
                note(request, status, body)
                return Loopback.send(Array((head + "\r\n" + body).utf8), to: client)
            case .late(let wait, let reply):
                guard !Loopback.isReadable(stop, within: wait) else { return false }
                return perform(reply, to: request, client)
            case .raw(let bytes):
                _ = Loopback.send(bytes, to: client)
                return false
            case .endless(let bytes):
                guard Loopback.send(Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".utf8), to: client)
                else { return false }
                while !Loopback.isReadable(stop, within: .zero), Loopback.send(bytes, to: client) {}
                return false
            case .silence:
                while Loopback.receive(client, unless: stop) != nil {}
                return false
            case .hangUp: return false
            }
        }
    }
}
