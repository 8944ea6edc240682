import AlertModel
import Glibc

/// Turns a request into its answer: the closed list of what the bot shows.
struct Routes: Sendable {
    let view: any BotView
    var control: (any BotControl)?
    /// Nil where no links of messages lead here.
    var desk: CareDesk?
    /// Nil where programs have nothing to ask.
    var api: APIDesk?
    /// Nil where nothing is pushed.
    var pushes: PushDesk?
    let pages: Page.Maker
    let hosts: HostRule
    let limits: Limits

    enum Answer: Sendable {
        case response(Response)
        case events(EventStream.Start)
    }

    /// Where a request is answered, so that no number of readers delays what others wait for.
    enum Lane: Hashable, Sendable {
        /// Where the bot works: probes, what tools push, and people who act.
        case bot
        /// One after another: the answer says much of what the bot knows, and so takes a while to make where that is much.
        case readers
        /// With the other open pages: it looks at what the bot has done for as long as a page is open.
        case streams
    }

    /// What may be asked for by name.
    private enum Route: String {
        case overview = "/"
        case inbox = "/inbox"
        case past = "/history"
        case open = "/incidents"
        case style = "/style.css"
        case script = "/app.js"
        case icon = "/icon.svg"
        case events = "/events"
        case status = "/api/status"
        case incidents = "/api/incidents"
        case history = "/api/history"
        case metrics = "/metrics"
        case healthz = "/healthz"
        case readyz = "/readyz"
        /// Only where somebody is there to obey.
        case command = "/api/command"
    }

    /// The most bytes of a body that are read of what is posted; nil where nobody wants any.
    func bodyBytesMax(_ request: Request) -> Int? {
        if let pushes, PushDesk.isMeant(by: request) { return pushes.bodyBytesMax(request) }
        if api != nil, APIDesk.isMeant(by: request) { return limits.bodyBytesMax }
        let isWanted = control != nil || (desk != nil && BotAddress.Errand(rawValue: request.path) != nil)
        return isWanted ? limits.bodyBytesMax : nil
    }

    func lane(of request: Request) -> Lane {
        guard ["GET", "HEAD"].contains(request.method), hosts.refusal(of: request) == nil else { return .bot }
        if api != nil, APIDesk.isMeant(by: request) {
            return APIDesk.calls(request.path).contains { $0.isReading } ? .readers : .bot
        }
        switch Route(rawValue: request.path) {
        case .overview, .inbox, .past, .open, .status, .incidents, .history, .metrics: return .readers
        case .events: return request.method == "GET" ? .streams : .bot
        case .style, .script, .icon, .healthz, .readyz, .command: return .bot
        case nil:
            return request.path.hasPrefix("/incidents/") || request.path.hasPrefix("/apps/") ? .readers : .bot
        }
    }

    /// What a reader hears where as many wait as may, or who has waited too long.
    func crowded(_ request: Request) -> Response {
        let sentence = "Too many are reading at once; try again in a few seconds."
        let response: Response =
            APIDesk.isMeant(by: request)
            ? .refused(.serviceUnavailable, sentence) : .sentence(.serviceUnavailable, sentence)
        return response.with("Retry-After", "5")
    }

    func answer(_ request: Request) async -> Answer {
        if let refusal = hosts.refusal(of: request) { return .response(refusal) }
        let answer = await allowed(request)
        guard case .response(let response) = answer, let refused = response.refusal, request.isForReading else {
            return answer
        }
        let notice = await page().notice(refused.title, refused.sentence, depth: .of(request.path))
        return .response(.notice(notice, of: response))
    }

    /// The answer to who may ask here at all.
    private func allowed(_ request: Request) async -> Answer {
        if let errand = BotAddress.Errand(rawValue: request.path) {
            guard let desk else {
                return .response(.sentence(.notFound, "Nothing can be changed here."))
            }
            if let excess = request.excess { return .response(.sentence(.contentTooLarge, excess)) }
            return .response(await desk.answer(errand, request, await page()))
        }
        if let pushes, PushDesk.isMeant(by: request) { return .response(await pushes.answer(request)) }
        if let api, APIDesk.isMeant(by: request) { return .response(await api.answer(request)) }
        if let excess = request.excess { return .response(.sentence(.contentTooLarge, excess)) }
        guard let route = Route(rawValue: request.path) else {
            if let story = await story(request) { return .response(story) }
            return .response(.sentence(.notFound, "There is nothing here; the page is at /."))
        }
        if route == .command, let control { return .response(await obey(request, control)) }
        guard ["GET", "HEAD"].contains(request.method) else {
            return .response(
                .sentence(.methodNotAllowed, "This page is read-only: use GET.").with("Allow", "GET, HEAD"))
        }
        switch route {
        case .command: return .response(.sentence(.notFound, "Commands are accepted on the control socket only."))
        case .overview:
            let asked = words(request.parameter("apps"))
            let overview = await view.overview(apps: asked)
            return .response(.search(await page().overview(overview, health: await view.health(), apps: asked)))
        case .inbox:
            let messages = await view.inboxMessages(limit: limits.messagesMax)
            return .response(
                .page(
                    await page().inbox(
                        messages: messages, health: await view.health(), channels: await view.channels())))
        case .past:
            let asked = words(request.parameter("q"))
            let deliveries = await view.deliveries(matching: asked, limit: limits.messagesMax)
            return .response(
                .search(
                    await page().history(
                        deliveries, matching: asked, limit: limits.messagesMax, health: await view.health())))
        case .open:
            let (listed, count) = await view.openIncidents()
            return .response(.page(await page().openIncidents(listed, of: count, health: await view.health())))
        case .style: return .response(Response(.ok, "text/css; charset=utf-8", Page.style))
        case .script: return .response(Response(.ok, "text/javascript; charset=utf-8", Page.script))
        case .icon: return .response(Response(.ok, "image/svg+xml", Page.icon))
        case .events:
            // A browser that reconnects says where it was; the first time, the page says what it has already.
            guard request.method == "GET" else { return .response(.eventStream) }
            let after = request.headers("last-event-id").first ?? request.parameter("after")
            return .events(EventStream.Start(after: after))
        case .status: return .response(.json(await view.status()))
        case .incidents: return .response(.json(await view.incidents()))
        case .history: return .response(await history(request))
        case .metrics:
            return .response(Response(.ok, "text/plain; version=0.0.4; charset=utf-8", await view.metrics()))
        case .healthz:
            let health = await view.health()
            return .response(.sentence(health.isAlive ? .ok : .serviceUnavailable, health.sentence))
        case .readyz:
            let health = await view.health()
            return .response(.sentence(health.isReady ? .ok : .serviceUnavailable, health.sentence))
        }
    }

    /// What makes a page now. It takes the bot's clock, for which whoever asks for no page need not wait.
    private func page() async -> Page { pages.page(await view.wall()) }

    /// A page about one incident or one app; nil where the path names neither.
    private func story(_ request: Request) async -> Response? {
        guard ["GET", "HEAD"].contains(request.method) else { return nil }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty else { return nil }
        switch parts[1] {
        case "incidents":
            guard let id = CareDesk.id(String(parts[2])), let story = await view.incident(id) else {
                return .sentence(.notFound, "This incident is not known, or no longer kept; see /history.")
            }
            return .page(await page().incident(story, health: await view.health()))
        case "apps":
            guard let story = await view.app(String(parts[2]).pathDecoded) else {
                return .sentence(.notFound, "No source has named this app; the page at / lists those it knows.")
            }
            return .page(await page().app(story, health: await view.health()))
        default: return nil
        }
    }

    /// What was typed into a field of a search; nil for nothing.
    private func words(_ value: String?) -> String? {
        let words = value?.formDecoded.tamed.trimmed.clipped(to: Limits.wordsMax)
        return words.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func obey(_ request: Request, _ control: any BotControl) async -> Response {
        guard request.method == "POST" else {
            return .sentence(.methodNotAllowed, "Send commands with POST.").with("Allow", "POST")
        }
        do {
            return .json(try await control.obey(JSON(parsing: request.body)))
        } catch {
            return .sentence(.badRequest, "The command is not understood: \(error)")
        }
    }

    private func history(_ request: Request) async -> Response {
        do throws(Mistake) {
            return .json(await view.history(limit: try limits.historyCount(request), failedOnly: false))
        } catch {
            return .sentence(.badRequest, error.sentence)
        }
    }
}

/// Which `Host` a request may name.
///
/// A page anywhere on the web can have its own name resolve to 127.0.0.1 and then read us as if we were its own; but it
/// cannot hide that name. Where only this machine can connect, names that are not ours are therefore refused.
struct HostRule: Sendable {
    /// The names answered to, without ports; nil where any will do.
    let names: Set<String>?

    /// Anybody's name will do: on a unix socket, or where the whole network may connect and names are unknown.
    static let any = HostRule(names: nil)

    static func loopback(listenHost: String, publicHost: String?) -> HostRule {
        var names: Set = ["localhost", "127.0.0.1", "[::1]"]
        names.insert((listenHost.contains(":") ? "[\(listenHost)]" : listenHost).lowercased())
        if let publicHost { names.insert(publicHost.lowercased()) }
        return HostRule(names: names)
    }

    func refusal(of request: Request) -> Response? {
        guard let names else { return nil }
        let hosts = request.headers("host")
        guard hosts.count == 1 else {
            return .sentence(.badRequest, "The request names \(hosts.count) hosts in 'Host', expected one.")
        }
        guard !names.contains(HostRule.withoutPort(hosts[0].lowercased())) else { return nil }
        let host = hosts[0].tamed.clipped(to: 100)
        return .sentence(
            .misdirectedRequest,
            "'\(host)' is not a name of this bot; use http://localhost or, behind a proxy, 'bot.public_url'."
        )
    }

    private static func withoutPort(_ host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy({ ("0"..."9").contains($0) })
        else { return host }
        return String(host[..<colon])
    }
}

/// How much the page takes and gives; plenty for people, little for a flood.
struct Limits: Sendable {
    /// Twice what common servers allow: cookies that other programs set for `localhost` come along.
    var headBytesMax = 16_384
    /// Of a command; the longest has some hundred incident ids.
    var bodyBytesMax = 65_536
    /// An eighth of the 1024 descriptors that a process has by default.
    var connectionsMax = 128
    /// A quarter of the connections, so that open pages never keep probes out.
    var streamsMax = 32
    /// Readers that wait for the one before them.
    var readersMax = 16
    /// How long a reader may have waited for those before it: whoever waits longer is told to come again, while there is
    /// time left to hear it.
    var readerWaitMax = Duration.seconds(10)
    /// From accepting a connection to the last byte of its answer; also for each piece of a stream.
    var exchangeTimeMax = Duration.seconds(30)
    /// How long a client may owe its request before it has to go when others find no room.
    var patience = Duration.seconds(1)
    /// Of a body that nobody wants, or that is too long: read and forgotten, as whoever still sends does not hear the
    /// answer. One that says it is longer gets its answer at once; one that does not say is cut.
    var discardedBytesMax = 262_144
    /// What a stream hands to the system at a time.
    var streamBlockBytes = 4096
    /// What is written down of a stream before its reader has to take it: many cards, and little beside the megabytes that
    /// the system keeps for whoever reads slowly.
    var eventBytesAtOnce = 65_536
    /// Connections that are taken before those that are here get their turn.
    var acceptsAtOnce = 64
    /// How often the file of a unix socket is looked for: as often as the journal tries again what the disk refused.
    var socketInterval = Duration.seconds(5)
    /// Half of the 30 s to 60 s after which proxies usually close a silent connection.
    var heartbeat = Duration.seconds(15)
    /// Between two looks of a stream at the inbox: for people, what comes within it comes at once.
    var ringInterval = Duration.seconds(1)
    /// The messages on the page: some screens full; whoever wants more asks for the history.
    var messagesMax = 200
    /// What is searched for: the page's own fields take no more.
    static let wordsMax = 80
    /// Of an app or a rule, or a pattern of one.
    static let nameMax = 200
    /// A mute lasts a second to a year, as on the command line.
    static let muteSeconds: ClosedRange<Int64> = 1...31_536_000
    static let reasonMax = 500
    var historyDefault = 100
    var historyMax = 1000
    /// The wait before connections are taken again when the machine has run out of descriptors.
    var exhaustionPause = Duration.milliseconds(100)

    init() {}

    /// For a process that may have so many descriptors: an eighth of them is for connections, whoever wants one, and the rest
    /// is left to polls, deliveries and the journal.
    init(descriptorsMax: Int) {
        connectionsMax = min(connectionsMax, max(descriptorsMax / 8, Limits.connectionsMin))
        streamsMax = connectionsMax / 4
    }

    /// So few that pages can still be read.
    private static let connectionsMin = 4

    /// For this process as it was started.
    static var ofThisProcess: Limits {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Limits() }
        return Limits(descriptorsMax: Int(clamping: limit.rlim_cur))
    }
    /// How many deliveries somebody wants to see.
    func historyCount(_ request: Request) throws(Mistake) -> Int {
        guard let written = request.parameter("limit") else { return historyDefault }
        guard let count = Int(written), (1...historyMax).contains(count) else {
            let found = written.tamed.clipped(to: 40)
            throw Mistake(sentence: "limit: found '\(found)', expected a whole number from 1 to \(historyMax).")
        }
        return count
    }
}

/// What is wrong with a request.
struct Mistake: Error {
    let sentence: String
    /// Whether the request is well-formed, and cannot be done as things are now.
    var isOfNow = false
}
