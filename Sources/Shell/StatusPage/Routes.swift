import AlertModel

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
        return await shown(route, request)
    }

    /// What is shown under each name.
    private func shown(_ route: Route, _ request: Request) async -> Answer {
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
