import BotHarness
import Foundation
import MachineTesting
import PluginKit
import SourceFakes
import Synchronization
import SystemPorts

/// A vendor of the fakes behind a socket on loopback, asked through the program's own transport.
///
/// The sources keep the vendor's own addresses; only on the way to the wire its scheme, host and port are replaced.
final class VendorSocket: Sendable {
    /// How an answer's body goes over the wire.
    enum Wrapping: Sendable {
        case plain
        /// These bytes instead of each body.
        case gzip([[UInt8]: [UInt8]])
        /// In chunks of a few bytes.
        case chunked
    }

    /// From which request on the vendor is in trouble.
    enum Onset: Hashable, Sendable {
        /// Those that ask for a token are not counted.
        case request(Int)
        case token
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)

        /// From one on.
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private let vendor: LoopbackServer
    private let troubled: LoopbackServer?
    private let trouble: Trouble?
    private let onset: Onset
    private let web = CurlWeb()
    private let count = Counter()
    /// A port where nobody listens, and nobody else can.
    private let nobody: DeafPort?

    init(_ fake: SourceFake, _ wrapping: Wrapping = .plain) throws {
        let serve = try fake.server()
        vendor = try LoopbackServer { wrapping.reply(serve($0.target, $0.text)) }
        (troubled, trouble, onset, nobody) = (nil, nil, .token, nil)
    }

    init(_ fake: SourceFake, _ trouble: Trouble, _ onset: Onset) throws {
        let serve = try fake.server()
        let others = try fake.otherResponses()
        vendor = try LoopbackServer { Wrapping.plain.reply(serve($0.target, $0.text)) }
        troubled = try LoopbackServer { trouble.reply($0, others) }
        nobody = trouble.isRefused ? try DeafPort() : nil
        self.trouble = trouble
        self.onset = onset
    }

    /// Whoever answers an address and a body.
    init(_ serve: @escaping @Sendable (_ path: String, _ body: String) -> HTTPResponse) throws {
        vendor = try LoopbackServer { Wrapping.plain.reply(serve($0.target, $0.text)) }
        (troubled, trouble, onset, nobody) = (nil, nil, .token, nil)
    }

    /// A vendor with a token server whose first token is refused after so many requests.
    init(_ fake: SourceFake, renewingTokensAfter requests: Int) throws {
        let serve = try fake.server()
        let (tokens, asked) = (Counter(), Counter())
        vendor = try LoopbackServer { request in
            if request.path.hasSuffix("/token") {
                let token = "ya29.token-\(tokens.next())"
                return .answer(
                    200, ["Content-Type": "application/json"],
                    #"{"access_token": "\#(token)", "expires_in": 3599, "token_type": "Bearer"}"#)
            }
            let isRefused = request.header("authorization") == "Bearer ya29.token-1" && asked.next() > requests
            return Wrapping.plain.reply(isRefused ? HTTPResponse(status: 401) : serve(request.target, request.text))
        }
        (troubled, trouble, onset, nobody) = (nil, nil, .token, nil)
    }

    /// What arrived, trouble or not.
    var requests: [LoopbackServer.Request] { vendor.requests + (troubled?.requests ?? []) }

    /// Every answer goes over the socket.
    var answer: StagedWeb.Answer {
        { [self] request throws(TransportError) in
            let address = request.url.reveal()
            let rest = address.drop { $0 != ":" }.dropFirst("://".count)
            let isTroubled = isTroubled(rest.hasSuffix("/token"))
            let port = isTroubled ? nobody?.number ?? troubled?.port ?? vendor.port : vendor.port
            var request = request
            request.url = GuardedText("http://127.0.0.1:\(port)" + String(rest.drop { $0 != "/" }))
            return try await web.perform(
                request, timeout: isTroubled ? trouble?.patience ?? Self.patience : Self.patience)
        }
    }

    private static let patience = Duration.seconds(20)

    private func isTroubled(_ isToken: Bool) -> Bool {
        guard trouble != nil else { return false }
        switch onset {
        case .token: return isToken
        case .request(let first):
            guard !isToken else { return false }
            return count.next() > first
        }
    }

    func stop() async {
        await web.close()
        vendor.stop()
        troubled?.stop()
    }
}

extension VendorSocket.Wrapping {
    /// Each body of a vendor as `gzip` writes it.
    static func gzip(of fake: SourceFake) async throws -> VendorSocket.Wrapping {
        let scratch = try Scratch()
        let bodies = try fake.rightResponses().map(\.body)
        var zipped: [[UInt8]: [UInt8]] = [:]
        for (number, body) in bodies.enumerated() {
            try scratch.write("\(number)", String(decoding: body, as: UTF8.self))
        }
        _ = try await run("gzip", bodies.indices.map { scratch.path("\($0)") })
        for (number, body) in bodies.enumerated() {
            zipped[body] = try Array(Data(contentsOf: URL(filePath: scratch.path("\(number).gz"))))
        }
        return .gzip(zipped)
    }

    /// A chunk as small as to end within words, numbers and characters.
    private static let chunkBytes = 7

    func reply(_ response: HTTPResponse) -> LoopbackServer.Reply {
        func raw(_ more: String, _ body: [UInt8]) -> LoopbackServer.Reply {
            let headers = response.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
            let head = "HTTP/1.1 \(response.status) Answer\r\n\(headers)Connection: close\r\n\(more)\r\n\r\n"
            return .raw(Array(head.utf8) + body)
        }
        switch self {
        case .plain:
            let headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { first, _ in first }
            return .answer(response.status, headers, String(decoding: response.body, as: UTF8.self))
        case .gzip(let zipped):
            guard let body = zipped[response.body] else { return raw("Content-Length: 0", []) }
            return raw("Content-Encoding: gzip\r\nContent-Length: \(body.count)", body)
        case .chunked:
            var body: [UInt8] = []
            for start in stride(from: 0, to: response.body.count, by: Self.chunkBytes) {
                let chunk = response.body[start..<min(start + Self.chunkBytes, response.body.count)]
                body += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [0x0D, 0x0A]
            }
            return raw("Transfer-Encoding: chunked", body + Array("0\r\n\r\n".utf8))
        }
    }
}
