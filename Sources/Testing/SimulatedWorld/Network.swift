internal import AlertTesting
internal import Chance
internal import PluginKit
internal import Runtime

/// The network as one life of the bot sees it.
struct LifeWeb: Web {
    let world: World
    let life: Int

    func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse {
        guard world.isAlive(life) else { throw LifeWeb.died }
        let trip = world.depart(request)
        if world.sabotage == .pollsHang, trip.delivery == nil { try await wait(.max / 2) }
        try await wait(trip.there)
        if case .refused = trip.fault {
            world.lose(trip, isCertain: true)
            throw TransportError(.connect, mayHaveArrived: false, "connection refused")
        }
        guard world.passes(.beforeArrival, life) else { throw LifeWeb.died }
        let answer = world.arrive(request, trip)
        guard world.passes(.afterArrival, life) else { throw LifeWeb.died }
        if case .timeout = trip.fault {
            try await wait(timeout.wholeMilliseconds - trip.there)
            world.lose(trip)
            throw TransportError(.timeout, mayHaveArrived: true, "no answer within \(timeout.short)")
        }
        try await wait(min(trip.back, timeout.wholeMilliseconds - trip.there))
        guard world.passes(.beforeOutcome, life) else { throw LifeWeb.died }
        guard let answer else {
            world.lose(trip)
            throw TransportError(.interrupted, mayHaveArrived: true, "the connection broke")
        }
        world.answer(trip, answer)
        return answer
    }

    /// None of its channels sends mail.
    func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer {
        throw TransportError(.other, mayHaveArrived: false, "no mail server lives in this world")
    }

    private static let died = TransportError(.cancelled, mayHaveArrived: true, "the process has died")

    private func wait(_ milliseconds: Int64) async throws(TransportError) {
        guard milliseconds > 0 else { return }
        do { try await world.sleep(until: world.time.uptime + milliseconds, life) } catch { throw LifeWeb.died }
    }
}

/// One request on its way.
struct Trip {
    let host: String
    /// The delivery it carries; nil for polls and errands.
    let delivery: String?
    /// The delivery for whose sake it is made, without carrying it.
    let errand: String?
    let fault: WebFault?
    let there: Int64
    let back: Int64

    var channel: String { String(host.prefix { $0 != "." }) }
}

/// What one host does to the next requests.
struct HostTrouble {
    var fault: WebFault
    var requests: Int
}

extension World {
    fileprivate func depart(_ request: HTTPRequest) -> Trip {
        let host = String(request.url.reveal().dropFirst("https://".count).prefix { $0 != "/" })
        let delivery = request.headers.first { $0.name == TracedChannel.header }?.value.reveal()
        let fault = nextFault(of: host)
        if let fault { counts.webFaults[fault.name, default: 0] += 1 }
        let isQuick = random.happens(0.6)
        var (there, back) = isQuick ? (0, 0) : (Int64(random.below(300)), Int64(random.below(1500)))
        if case .slow = fault { (there, back) = (Int64(random.below(9000)), Int64(random.below(9000))) }
        let errand = request.headers.first { $0.name == TracedChannel.errandHeader }?.value.reveal()
        let trip = Trip(host: host, delivery: delivery, errand: errand, fault: fault, there: there, back: back)
        if let delivery {
            counts.attempts += 1
            tell(.departed(channel: trip.channel, delivery: delivery))
        } else if let errand {
            counts.errands += 1
            tell(.errand(channel: trip.channel, delivery: errand))
        } else {
            counts.polls += 1
            tell(.polled(source: trip.channel))
        }
        return trip
    }

    private func nextFault(of host: String) -> WebFault? {
        guard var trouble = troubles[host] else { return nil }
        trouble.requests -= 1
        troubles[host] = trouble.requests > 0 ? trouble : nil
        return trouble.fault
    }

    /// The request reaches the server; nil when the answer will not come back.
    fileprivate func arrive(_ request: HTTPRequest, _ trip: Trip) -> HTTPResponse? {
        let accepts: Bool
        switch trip.fault {
        case .reset(let accepted), .timeout(let accepted): accepts = accepted
        // A webhook's 2xx says that it has it, whatever else it says.
        case .garbage(let accepted): accepts = accepted || trip.channel == ChannelKind.hook.name
        case .busy, .status, .refused: accepts = false
        case .slow, nil: accepts = true
        }
        var answer: HTTPResponse
        if let delivery = trip.delivery {
            answer = accepts ? accept(request, delivery, trip.channel) : HTTPResponse(status: 200)
        } else if let errand = trip.errand {
            answer = accepts ? run(request, errand, trip.channel) : HTTPResponse(status: 200)
        } else {
            answer = figures.answer(request, source: trip.channel)
        }
        switch trip.fault {
        case .reset, .timeout, .refused: return nil
        case .slow, nil: break
        case .garbage: answer = HTTPResponse(status: 200, body: Array("<html>log in</html>".utf8))
        // A service that knows a repetition says so whatever else it thinks of it.
        case .status(400...499) where knows(request, trip): answer = accept(request, trip.delivery ?? "", trip.channel)
        case .status(let status): answer = HTTPResponse(status: status, body: Array("no".utf8))
        case .busy(let status, let wait, let form):
            answer = busyAnswer(status, wait, form, isMatrix: trip.channel == ChannelKind.matrix.name)
        }
        guard let delivery = trip.delivery else { return answer }
        return HTTPResponse(
            status: answer.status, headers: answer.headers + [(TracedChannel.header, delivery)], body: answer.body)
    }

    private func knows(_ request: HTTPRequest, _ trip: Trip) -> Bool {
        trip.delivery != nil && chats[trip.channel]?.knows(request) ?? false
    }

    private func run(_ request: HTTPRequest, _ errand: String, _ channel: String) -> HTTPResponse {
        guard let (answer, isPicture) = chats[channel]?.run(request) else { return HTTPResponse(status: 404) }
        if isPicture {
            counts.pictures += 1
            tell(.pictured(channel: channel, delivery: errand))
        }
        return answer
    }

    private func accept(_ request: HTTPRequest, _ delivery: String, _ channel: String) -> HTTPResponse {
        guard let (answer, reading) = chats[channel]?.accept(request) else { return HTTPResponse(status: 404) }
        tell(.accepts(channel: channel, delivery: delivery, reading))
        return answer
    }

    private func busyAnswer(_ status: Int, _ wait: Int64, _ form: WebFault.WaitForm, isMatrix: Bool) -> HTTPResponse {
        switch form {
        case .none: return HTTPResponse(status: status)
        case .seconds: return HTTPResponse(status: status, headers: [("Retry-After", String(wait))])
        case .milliseconds where isMatrix:
            let body = "{\"errcode\":\"M_LIMIT_EXCEEDED\",\"error\":\"slow down\",\"retry_after_ms\":\(wait * 1000)}"
            return HTTPResponse(status: status, body: Array(body.utf8))
        case .date, .milliseconds:
            return HTTPResponse(status: status, headers: [("Retry-After", (time.wall + .seconds(wait + 1)).httpDate)])
        }
    }

    fileprivate func lose(_ trip: Trip, isCertain: Bool = false) {
        if let delivery = trip.delivery { tell(.lost(channel: trip.channel, delivery: delivery, isCertain: isCertain)) }
    }

    fileprivate func answer(_ trip: Trip, _ answer: HTTPResponse) {
        var told: Int64?
        if case .busy(_, let wait, let form) = trip.fault, form != .none {
            // An answer that was long under way has the date nearer.
            let isDate = form == .date || form == .milliseconds && trip.channel != ChannelKind.matrix.name
            told = isDate ? wait * 1000 - trip.back : wait * 1000
            // A date from before the clock was set says something else now.
            if isDate, let stepped = clockSteppedAt, stepped >= time.uptime - trip.back { told = nil }
        }
        if let errand = trip.errand {
            tell(.errandAnswered(channel: trip.channel, delivery: errand, status: answer.status, told: told))
        } else {
            tell(.answered(host: trip.channel, delivery: trip.delivery, status: answer.status, told: told))
        }
    }
}

extension Moment {
    /// The moment as HTTP writes dates, seconds cut.
    var httpDate: String {
        let civil = CivilTime(self)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return "Mon, \(two(civil.date.day)) \(months[civil.date.month - 1]) \(civil.date.year) "
            + "\(two(civil.hour)):\(two(civil.minute)):\(two(civil.second)) GMT"
    }
}

extension WebFault {
    /// For the table of counts.
    var name: String {
        switch self {
        case .refused: "connection refused"
        case .reset(false): "reset before the server accepted"
        case .reset(true): "reset after the server accepted"
        case .timeout(false): "timeout, not accepted"
        case .timeout(true): "timeout, accepted"
        case .slow: "slow"
        case .busy(let status, _, let form): "\(status), wait as \(form.rawValue)"
        case .status(let status): String(status)
        case .garbage: "garbage"
        }
    }
}

/// What the sources' services know: the cue of every app.
struct FigureService {
    private var apps: [(source: String, app: String, cue: Cue)]

    init(_ settings: Settings) {
        apps = settings.sources.flatMap { source in source.apps.map { (source.name, $0, .fine) } }
    }

    mutating func set(_ cue: Cue, ofApp number: Int) { apps[number % apps.count].cue = cue }
    mutating func makeFine() { for index in apps.indices { apps[index].cue = .fine } }

    /// The apps of a source, each with its cue, a line each.
    func text(of source: String) -> String {
        apps.filter { $0.source == source }.map { "\($0.app) \($0.cue.rawValue)" }.joined(separator: "\n")
    }

    func answer(_ request: HTTPRequest, source: String) -> HTTPResponse {
        let text = text(of: source)
        let tag = "\"\(text.split(separator: "\n").joined(separator: ";"))\""
        if request.headers.contains(where: { $0.name == "If-None-Match" && $0.value.reveal() == tag }) {
            return HTTPResponse(status: 304)
        }
        return HTTPResponse(status: 200, headers: [("ETag", tag)], body: Array(text.utf8))
    }
}

/// A chat with memory: what it accepted, and what people read.
struct ChatService {
    /// What people see of an accepted request.
    struct Reading: Sendable {
        /// By which the service knows a repetition; nil where it knows none.
        var key: String?
        /// Whether the text says that it may be a repetition.
        var isMarked: Bool
        /// False when the service recognised a repetition and showed nothing.
        var isShown: Bool
        /// A hash of the body: what comes under one key must always be the same.
        var body: UInt64
    }

    private let kind: ChannelKind
    private var events: [String: String] = [:]
    private var keysInOrder: [String] = []
    private var eventsCount = 0

    /// Keys that a service remembers: more than can be under way in any simulated day.
    private static let keysMax = 20_000

    init(_ kind: ChannelKind) { self.kind = kind }

    /// Whether it has accepted the same before, as far as it can tell.
    func knows(_ request: HTTPRequest) -> Bool { key(of: request).map { events[$0] != nil } ?? false }

    private func key(of request: HTTPRequest) -> String? {
        switch kind {
        case .hook: request.headers.first { $0.name == "webhook-id" }?.value.reveal()
        case .slack: nil
        case .matrix: request.url.reveal().split(separator: "/").last.map(String.init)
        }
    }

    mutating func accept(_ request: HTTPRequest) -> (HTTPResponse, Reading) {
        let bytes = request.wireBody()?.bytes ?? []
        let text = String(decoding: bytes, as: UTF8.self)
        var hash = StableHash()
        hash.add(text)
        let key = key(of: request)
        let isKnown = knows(request)
        let reading = Reading(
            key: key, isMarked: text.contains(Words.english[.captionRepeated]), isShown: !isKnown, body: hash.value)
        if let key, !isKnown { remember(key) }
        let answer =
            switch kind {
            case .hook: HTTPResponse(status: isKnown && eventsCount % 2 == 0 ? 409 : 200)
            // A webhook's word; the Web API says which message it is.
            case .slack where !request.url.reveal().hasSuffix("/chat.postMessage"):
                HTTPResponse(status: 200, body: Array("ok".utf8))
            case .slack: HTTPResponse(status: 200, body: Array(slackReceipt().utf8))
            case .matrix:
                HTTPResponse(status: 200, body: Array("{\"event_id\":\"\(key.flatMap { events[$0] } ?? "$")\"}".utf8))
            }
        return (answer, reading)
    }

    private mutating func slackReceipt() -> String {
        eventsCount += 1
        return "{\"ok\":true,\"channel\":\"C1\",\"ts\":\"\(eventsCount).1\"}"
    }

    /// Answers a request that carries no delivery; says whether people see a picture now.
    mutating func run(_ request: HTTPRequest) -> (HTTPResponse, isPicture: Bool) {
        let url = request.url.reveal()
        let name = url.split(separator: "/").last.map(String.init) ?? ""
        func says(_ text: String) -> HTTPResponse { HTTPResponse(status: 200, body: Array(text.utf8)) }
        switch (kind, name) {
        case (.slack, "files.getUploadURLExternal"):
            eventsCount += 1
            return (
                says(
                    "{\"ok\":true,\"upload_url\":\"https://\(kind.host)/upload/\(eventsCount)\","
                        + "\"file_id\":\"F\(eventsCount)\"}"), false
            )
        case (.slack, "files.completeUploadExternal"): return (says("{\"ok\":true}"), true)
        case (.slack, _): return (says("{\"ok\":true}"), false)
        case (.matrix, let transaction) where url.contains("/send/m.room.message/"):
            let isKnown = events[transaction] != nil
            if !isKnown { remember(transaction) }
            return (
                says("{\"event_id\":\"\(events[transaction] ?? "$")\"}"), !isKnown && transaction.hasSuffix("-chart")
            )
        case (.matrix, _): return (says("{\"content_uri\":\"mxc://example/1\"}"), false)
        case (.hook, _): return (HTTPResponse(status: 404), false)
        }
    }

    private mutating func remember(_ key: String) {
        eventsCount += 1
        events[key] = "$event\(eventsCount)"
        keysInOrder.append(key)
        guard keysInOrder.count > ChatService.keysMax * 2 else { return }
        for old in keysInOrder.prefix(ChatService.keysMax) { events[old] = nil }
        keysInOrder.removeFirst(ChatService.keysMax)
    }
}
