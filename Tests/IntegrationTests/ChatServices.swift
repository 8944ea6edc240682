import BotHarness
import Foundation
import Synchronization

/// One of the services of a kill: what it takes it remembers as the real one would, and answers so; what goes wrong on
/// the way there is the receiver's doing.
final class ChatService: Sendable {
    /// One message that was taken.
    struct Taken: Sendable {
        let word: KillLedger.Word
        let isCritical: Bool
        let request: LoopbackServer.Request
        /// The service's own name for the message: a time stamp, an event, the key of an alert.
        let name: String
        /// Which message it belongs to, by the service's name for that.
        let root: String?

        func about(_ app: String) -> Taken {
            Taken(
                word: KillLedger.Word(app: app, kind: word.kind), isCritical: isCritical, request: request, name: name,
                root: root)
        }
    }

    let kind: Kind
    let receiver: FickleReceiver
    private let memory: Mutex<Memory>

    /// Of the three kinds of channel: one that keeps threads and recognises nothing, one that keeps alerts, one that
    /// keeps threads and recognises what it has seen.
    enum Kind: String, CaseIterable, Sendable {
        case slack, pagerduty, matrix

        /// Whether a message that was asked for twice shows once.
        var recognises: Bool { self != .slack }
        var hasThreads: Bool { self != .pagerduty }
    }

    private struct Memory {
        var taken: [Taken] = []
        /// Edits of a message, with the app that the new text is about.
        var edits: [(of: String, app: String)] = []
        /// What came under each transaction, and the event that it made.
        var transactions: [String: (body: String, event: String)] = [:]
        var complaints: [String] = []
        var count = 0

        mutating func name(_ form: (Int) -> String) -> String {
            count += 1
            return form(count)
        }
    }

    init(_ kind: Kind, seed: UInt64) throws {
        self.kind = kind
        memory = Mutex(Memory())
        let answering = Mutex<(@Sendable (LoopbackServer.Request) -> LoopbackServer.Reply)?>(nil)
        receiver = try FickleReceiver(
            seed: seed, words: { ChatService.word(in: $0, of: kind).map { [$0.word] } ?? [] },
            taking: { request in answering.withLock(\.self)?(request) ?? .answer(503) })
        answering.withLock { $0 = { [weak self] in self?.take($0) ?? .answer(503) } }
    }

    var taken: [Taken] { memory.withLock(\.taken) }
    var edits: [(of: String, app: String)] { memory.withLock(\.edits) }
    /// What no service of this kind would have forgiven.
    var complaints: [String] { memory.withLock(\.complaints) }

    // MARK: what the services do

    private func take(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        memory.withLock { memory in
            switch kind {
            case .slack: takeBySlack(request, &memory)
            case .pagerduty: takeByPagerDuty(request, &memory)
            case .matrix: takeByMatrix(request, &memory)
            }
        }
    }

    private func takeBySlack(_ request: LoopbackServer.Request, _ memory: inout Memory) -> LoopbackServer.Reply {
        let body = request.json
        let ok = { (ts: String) in
            LoopbackServer.Reply.answer(200, [:], #"{"ok":true,"channel":"C0123456789","ts":"\#(ts)"}"#)
        }
        switch request.path {
        case "/chat.postMessage":
            let ts = memory.name { "1795219200.\(100_000 + $0)" }
            if let said = ChatService.word(in: request, of: .slack) {
                memory.taken.append(
                    Taken(
                        word: said.word, isCritical: said.isCritical, request: request, name: ts,
                        root: body["thread_ts"].string))
            }
            return ok(ts)
        case "/chat.update":
            let ts = body["ts"].string ?? "?"
            guard memory.taken.contains(where: { $0.name == ts }) else {
                memory.complaints.append("slack was to edit \(ts), which it never made")
                return .answer(200, [:], #"{"ok":false,"error":"message_not_found"}"#)
            }
            memory.edits.append((ts, KillLedger.app(in: request.text) ?? request.text))
            return ok(ts)
        default:
            memory.complaints.append("slack was asked for \(request.path)")
            return .answer(200, [:], #"{"ok":false,"error":"unknown_method"}"#)
        }
    }

    private func takeByPagerDuty(_ request: LoopbackServer.Request, _ memory: inout Memory) -> LoopbackServer.Reply {
        let key = request.json["dedup_key"].string ?? ""
        if request.json["routing_key"].string != ChatService.routingKey || key.isEmpty {
            memory.complaints.append("pagerduty got an event without its keys: \(request.text)")
        }
        // What ends an alert says nothing of the app: the key does.
        let app =
            KillLedger.app(in: request.json["payload"]["summary"].string ?? "")
            ?? memory.taken.first { $0.name == key }?.word.app
        if let said = ChatService.word(in: request, of: .pagerduty) {
            memory.taken.append(
                Taken(
                    word: KillLedger.Word(app: app ?? key, kind: said.word.kind), isCritical: said.isCritical,
                    request: request, name: key, root: nil))
        }
        return .answer(202, [:], #"{"status":"success","message":"Event processed","dedup_key":"\#(key)"}"#)
    }

    private func takeByMatrix(_ request: LoopbackServer.Request, _ memory: inout Memory) -> LoopbackServer.Reply {
        guard request.method == "PUT" else { return .answer(404, [:], #"{"errcode":"M_NOT_FOUND","error":"none"}"#) }
        let transaction = request.path.split(separator: "/").last.map(String.init) ?? ""
        if let known = memory.transactions[transaction] {
            if known.body != request.text {
                memory.complaints.append("matrix was sent two things under \(transaction), and shows the first")
            }
            return .answer(200, [:], #"{"event_id":"\#(known.event)"}"#)
        }
        let event = memory.name { "$event-\($0)" }
        memory.transactions[transaction] = (request.text, event)
        let relation = request.json["m.relates_to"]
        if relation["rel_type"].string == "m.replace" {
            memory.edits.append((relation["event_id"].string ?? "?", KillLedger.app(in: request.text) ?? request.text))
        } else if let said = ChatService.word(in: request, of: .matrix) {
            memory.taken.append(
                Taken(
                    word: said.word, isCritical: said.isCritical, request: request, name: event,
                    root: relation["event_id"].string))
        }
        return .answer(200, [:], #"{"event_id":"\#(event)"}"#)
    }

    // MARK: reading

    static let routingKey = "0123456789abcdef0123456789abcdef"

    /// What a request says of an app, and whether it says that things are critical; nil for edits and questions.
    @Sendable static func word(
        in request: LoopbackServer.Request, of kind: Kind
    ) -> (word: KillLedger.Word, isCritical: Bool)? {
        let body = request.json
        switch kind {
        case .slack:
            guard request.path == "/chat.postMessage" else { return nil }
            return word(inHeadline: body["text"].string ?? "", request)
        case .matrix:
            guard request.method == "PUT", body["m.relates_to"]["rel_type"].string != "m.replace" else { return nil }
            return word(inHeadline: body["body"].string ?? "", request)
        case .pagerduty:
            let action = body["event_action"].string ?? "?"
            let summary = body["payload"]["summary"].string ?? ""
            let app = KillLedger.app(in: summary) ?? body["dedup_key"].string ?? "?"
            let isCritical = body["payload"]["severity"].string == "critical"
            let kind =
                switch action {
                case "trigger": summary.contains(" now ") ? "escalated" : "opened"
                case "acknowledge": "acknowledged"
                case "resolve": "resolved"
                default: action
                }
            return (KillLedger.Word(app: app, kind: kind), isCritical)
        }
    }

    /// By the mark that the headline begins with; what has got worse says how it is now. A summary may name its apps
    /// further below.
    private static func word(
        inHeadline text: String, _ request: LoopbackServer.Request
    ) -> (word: KillLedger.Word, isCritical: Bool)? {
        guard let app = KillLedger.app(in: text) ?? KillLedger.app(in: request.text) else { return nil }
        let lines = text.split(separator: "\n").map(String.init)
        let marks = [
            ("👀", "acknowledged"), ("✅", "resolved"), ("🗒", "digest"), ("⚪", "closed"), ("🔴", "opened"),
            ("🟠", "opened"),
        ]
        guard let headline = lines.first(where: { line in marks.contains { line.contains($0.0) } }) else {
            return (KillLedger.Word(app: app, kind: text), false)
        }
        var kind = marks.first { headline.contains($0.0) }?.1 ?? headline
        if kind == "opened", headline.contains(" now ") { kind = "escalated" }
        return (KillLedger.Word(app: app, kind: kind), headline.contains("🔴"))
    }
}
