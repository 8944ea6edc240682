import BotHarness
import Foundation
import PluginKit
import Testing

/// A way in which a vendor's answer can be none.
struct Trouble: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the probe names.
    let reason: PollFailure.Reason
    /// What the sentence says at least, with what to do.
    let words: [String]
    /// How long the vendor asks to be left alone.
    var wait: Duration?
    /// Whether nobody even listens.
    var isRefused = false
    var patience = Duration.seconds(20)
    fileprivate let answer: @Sendable (LoopbackServer.Request, [HTTPResponse]) -> LoopbackServer.Reply

    var testDescription: String { name }

    /// Ways to say what somebody should do.
    private static let advice = ["check ", "give ", "invite ", "needs ", "may not ", "set ", "lacks "]

    /// Whether a sentence says what it was, and where somebody can do something about it what that is.
    func isNamed(in sentence: String, of onset: VendorSocket.Onset) -> Bool {
        let wanted = onset == .token ? wordsOfTokens : words
        let isHelpless =
            [.unauthorized, .forbidden, .notFound].contains(reason)
            && !Self.advice.contains { sentence.contains($0) }
        return !isHelpless && wanted.allSatisfy { sentence.contains($0) }
    }

    /// What a token server says may hold a credential, so nothing of it is quoted.
    private var wordsOfTokens: [String] {
        reason == .badAnswer ? ["not JSON"] : words.filter { !$0.contains("redirect") && !$0.contains("instead") }
    }

    func reply(_ request: LoopbackServer.Request, _ others: [HTTPResponse]) -> LoopbackServer.Reply {
        answer(request, others)
    }

    private init(
        _ name: String, _ reason: PollFailure.Reason, _ words: [String], wait: Duration? = nil,
        isRefused: Bool = false, patience: Duration = .seconds(20),
        _ answer: @escaping @Sendable (LoopbackServer.Request, [HTTPResponse]) -> LoopbackServer.Reply
    ) {
        self.name = name
        self.reason = reason
        self.words = words
        self.wait = wait
        self.isRefused = isRefused
        self.patience = patience
        self.answer = answer
    }

    /// With the vendor's own body where the fake has one of that status.
    private static func status(
        _ status: Int, _ reason: PollFailure.Reason, _ what: String = "", headers: [String: String] = [:],
        wait: Duration? = nil, _ words: [String] = []
    ) -> Trouble {
        Trouble("\(status)\(what)", reason, ["\(status)"] + words, wait: wait) { _, others in
            let own = others.first { $0.status == status }?.body ?? Array(#"{"detail": "no"}"#.utf8)
            return .answer(
                status, headers.merging(["Content-Type": "application/json"]) { $1 },
                String(decoding: own, as: UTF8.self))
        }
    }

    private static func always(
        _ name: String, _ reason: PollFailure.Reason, _ words: [String], patience: Duration = .seconds(20),
        wait: Duration? = nil, _ reply: LoopbackServer.Reply
    ) -> Trouble {
        Trouble(name, reason, words, wait: wait, patience: patience) { _, _ in reply }
    }

    private static let page = "<!DOCTYPE html><html><body>Please \u{1B}[31msign in</body></html>"
    private static let html = ["Content-Type": "text/html"]
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    private static func raw(_ head: String, _ body: [UInt8]) -> LoopbackServer.Reply {
        .raw(Array((head + "\r\n").utf8) + body)
    }

    /// Twice as many bytes as an answer may have, packed into few.
    static let bomb = Task {
        let scratch = try Scratch()
        let (path, packed) = (scratch.path("zeros"), scratch.path("zeros.gz"))
        _ = try await run("bash", ["-c", "head -c 16M /dev/zero > \(path) && gzip \(path)"])
        return try Array(Data(contentsOf: URL(filePath: packed)))
    }

    /// RFC 9110, section 5.6.7.
    private static func httpDate(_ moment: Moment) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: Date(timeIntervalSince1970: Double(moment.unixSeconds)))
    }

    /// - Parameters:
    ///   - now: the vendor's time.
    ///   - elsewhere: where a redirect leads.
    ///   - bomb: a small gzip of a body beyond any bound.
    static func all(at now: Moment, elsewhere: String, bomb: [UInt8]) -> [Trouble] {
        let wait = Duration.seconds(90)
        return [
            status(401, .unauthorized), status(403, .forbidden), status(404, .notFound),
            Trouble("403 that repeats what it was sent", .forbidden, ["403"]) { request, _ in
                let headers = request.headers.map { "\($0.name): \($0.value)" }.joined(separator: " ")
                return .answer(403, html, "you sent \(request.target) \(request.text) \(headers)")
            },
            status(429, .rateLimited),
            status(429, .rateLimited, " with seconds", headers: ["Retry-After": "90"], wait: wait),
            status(429, .rateLimited, " with a date", headers: ["Retry-After": httpDate(now + wait)], wait: wait),
            status(
                429, .rateLimited, " with a reset",
                headers: [
                    "X-Sentry-Rate-Limit-Reset": "\((now + wait).unixSeconds)", "X-RateLimit-Remaining": "0",
                    "X-RateLimit-Reset": "90", "X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Remaining-Seconds": "90",
                ], wait: wait),
            always("500", .unavailable, ["500"], .answer(500, [:], "oops")),
            always("502 with a page", .unavailable, ["502"], .answer(502, html, page)),
            always(
                "502 with a title", .unavailable, ["502"],
                .answer(502, html, "<html><head><title>502 Bad\u{7} Gateway</title></head><body>nginx</body></html>")),
            status(503, .unavailable, " with seconds", headers: ["Retry-After": "90"], wait: wait),
            Trouble("refused", .unreachable, ["check that it runs"], isRefused: true) { _, _ in .hangUp },
            always("hang-up", .unreachable, ["broke before the answer was complete"], .hangUp),
            always(
                "cut short", .unreachable, ["broke before the answer was complete"],
                raw(head + "Content-Length: 5000\r\n", Array(#"{"data": ["#.utf8))),
            always(
                "half a body", .badAnswer, ["not JSON"],
                .answer(200, ["Content-Type": "application/json"], #"{"data": ["#)),
            always("a page to sign in", .badAnswer, ["an HTML page"], .answer(200, html, page)),
            always("no body", .badAnswer, ["empty"], .answer(200)),
            always("no end", .tooLarge, ["ask for less"], .endless([UInt8](repeating: 0x20, count: 1 << 18))),
            always(
                "a gzip without end", .tooLarge, ["ask for less"],
                raw(head + "Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\nConnection: close\r\n", bomb)),
            always(
                "a gzip that is none", .unreachable, ["not encoded as its Content-Encoding says", "check the server"],
                .answer(200, ["Content-Type": "application/json", "Content-Encoding": "gzip"], "{}")),
            always("silence", .timeout, ["no complete answer from"], patience: .milliseconds(500), .silence),
            always(
                "a redirect", .refused, ["redirects to http://127.0.0.1", "use its address instead"],
                .answer(302, ["Location": elsewhere + "/sign-in"])),
        ]
    }
}
