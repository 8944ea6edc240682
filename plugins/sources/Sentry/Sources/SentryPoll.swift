internal import PluginKit
internal import SentryKit
internal import SourceKit

/// One poll under way: what is known so far, and which request comes next.
///
/// The order is: names of the projects when they are due, sessions of each window (apps, then releases), names again
/// when an id is new, issues of each environment.
struct SentryPoll: Sendable {
    private let source: SentrySource
    private let poll: Poll
    private let windows: [Window]
    var inquiry: SentryInquiry
    /// One list per request of sessions.
    var measured: [[SessionGroup]] = []
    /// Set when the server knows no sessions at all.
    private var sessionsFailure: PollFailure?
    /// Why the longer windows could not be had.
    private var longerFailure: PollFailure?
    /// Why releases could not be had, so that they are not asked for again.
    private var releasesFailure: PollFailure?
    /// Whether sessions of apps may be missing, and nobody knows of which.
    private var isPartial = false
    /// The apps of which some make no sense, by their ids; nil stands for one that is not named.
    private var unreadProjects: Set<String?> = []
    /// Why the first of them could not be read.
    private var broken: PollFailure?
    private var issues: [(environment: String?, issues: [SentryIssue])] = []

    init(of source: SentrySource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        inquiry = SentryInquiry(source.server, projects: source.projects, cursor: poll.cursor, now: poll.now)
        let wanted = Window.covering(poll.spans, until: poll.now)
        windows = Array(wanted.prefix(Window.countMax))
        if wanted.count > windows.count {
            inquiry.warnings.append(
                "rules ask for \(wanted.count) different spans; only the \(windows.count) shortest are measured"
            )
        }
        if let longest = poll.spans.last, longest > Window.spanMax {
            inquiry.warnings.append(
                "a rule asks for a span of \(longest.grammar), but sessions are kept for 90 days")
        }
    }

    func begin() -> PollStep {
        knowingProjects { poll, failure in failure.map(poll.fail) ?? poll.measure(0) }
    }

    // MARK: - Asking

    private func with(_ inquiry: SentryInquiry) -> SentryPoll {
        var poll = self
        poll.inquiry = inquiry
        return poll
    }

    /// Goes on with the names of all projects that are watched, which are asked for when they are not known.
    func knowingProjects<Report>(
        then: @escaping @Sendable (SentryPoll, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        inquiry.knowingProjects { inquiry, failure in then(with(inquiry), failure) }
    }

    /// Goes on with the names of the projects that were measured: one may be newer than the list of them.
    func namingMeasured<Report>(
        then: @escaping @Sendable (SentryPoll, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        inquiry.naming(measured.joined().map(\.projectID)) { inquiry, failure in then(with(inquiry), failure) }
    }

    func pages<Report>(
        _ endpoint: SentryServer.Endpoint,
        _ query: AddressQuery,
        most: Int? = nil,
        then: @escaping @Sendable (SentryPoll, Listing<JSONReader>) -> Conversation<Report>
    ) -> Conversation<Report> {
        inquiry.pages(endpoint, query, most: most) { inquiry, pages in then(with(inquiry), pages) }
    }

    // MARK: - Sessions

    /// Asks for the sessions of window after window, of each the apps and then the releases.
    private func measure(_ number: Int) -> PollStep {
        let passes = source.passes
        guard number < windows.count * passes.count else { return nameUnknownProjects() }
        let window = windows[number / passes.count]
        let hasReleases = passes[number % passes.count]
        if hasReleases, releasesFailure != nil { return measure(number + 1) }
        let query = sessionsQuery(window.query, hasReleases: hasReleases, hasSeries: false)
        return pages(.sessions, query) { poll, pages in
            var poll = poll
            if let failure = pages.failure { return poll.goOn(without: number, failure) }
            do throws(JSONMismatch) {
                var groups: [SessionGroup] = []
                var (left, rates) = (LeftOut(), LeftOut())
                var projects: Set<String?> = []
                for body in pages.items {
                    groups += try SessionGroup.groups(
                        in: body, hasReleases: hasReleases, now: poll.poll.now, leaving: &left, rates: &rates,
                        of: &projects)
                }
                poll.measured.append(groups)
                poll.note(left, "a group of sessions", "groups of sessions")
                poll.note(rates, "a crash-free rate", "crash-free rates")
                if !hasReleases { poll.unreadProjects.formUnion(projects) }
                if pages.isCut || groups.count >= window.groupsMax {
                    poll.inquiry.warnings.append(
                        "more than \(groups.count) \(hasReleases ? "releases" : "apps") since \(window.from): "
                            + "those with the fewest sessions are left out"
                    )
                    if !hasReleases { poll.isPartial = true }
                }
            } catch {
                return poll.goOn(without: number, SentryInquiry.failure(.sessions, error))
            }
            return poll.measure(number + 1)
        }
    }

    private mutating func note(_ left: LeftOut, _ one: String, _ many: String) {
        inquiry.warn(of: left, one, many)
        broken = broken ?? left.warning(one, many).map { PollFailure(.badAnswer, $0) }
    }

    private func goOn(without number: Int, _ failure: PollFailure) -> PollStep {
        var poll = self
        switch failure.reason {
        case .notFound where number == 0 && source.wantsIssues:
            // A server that speaks the API without release health, or a wrong organization: the issues will tell.
            poll.sessionsFailure = failure
            return poll.askIssues(0)
        // A credential that is refused is refused for all of it.
        case let reason where number > 0 && reason != .unauthorized:
            // The apps over the shortest window are known; they decide about most alarms.
            if reason == .rateLimited { poll.inquiry.note(spent: .sessions, until: failure.retryAt) }
            let (window, pass) = number.quotientAndRemainder(dividingBy: source.passes.count)
            let named = failure.about(spanOf: span(of: windows[window]))
            poll.isPartial = true
            guard source.passes[pass] else {
                poll.longerFailure = named
                poll.inquiry.warnings.append("longer spans are not measured this time: \(named)")
                return poll.nameUnknownProjects()
            }
            poll.releasesFailure = named
            poll.inquiry.warnings.append("releases are not measured this time: \(named)")
            return poll.measure(number + 1)
        default: return poll.fail(failure)
        }
    }

    /// The span of a rule that a window covers: what people know it by.
    private func span(of window: Window) -> Duration {
        poll.spans.first { Window(covering: $0, until: poll.now) == window } ?? window.to - window.from
    }

    func sessionsQuery(
        _ window: AddressQuery,
        hasReleases: Bool,
        hasSeries: Bool
    ) -> AddressQuery {
        var query: AddressQuery = SessionGroup.fields.map { ("field", $0) }
        query.append(("groupBy", "project"))
        if hasReleases { query.append(("groupBy", "release")) }
        if source.tellsEnvironments { query.append(("groupBy", "environment")) }
        query += scope(source.environments) + window
        query.append(hasSeries ? ("includeTotals", "0") : ("includeSeries", "0"))
        return query
    }

    /// Which projects and environments are meant. Ids rather than slugs, because older servers know nothing else.
    private func scope(_ environments: [String]) -> AddressQuery {
        let projects = source.projects.isEmpty ? ["-1"] : inquiry.watched.map { inquiry.directory.id(of: $0) ?? $0 }
        return projects.map { ("project", $0) } + environments.map { ("environment", $0) }
    }

    private func nameUnknownProjects() -> PollStep {
        namingMeasured { poll, failure in failure.map(poll.fail) ?? poll.askIssues(0) }
    }

    // MARK: - Issues

    /// Asks for the issues of each environment by itself, because the answer does not say where an issue occurred.
    private func askIssues(_ number: Int) -> PollStep {
        let scopes: [String?] = source.environments.isEmpty ? [nil] : source.environments
        guard source.wantsIssues, number < scopes.count, let window = windows.first else { return finish() }
        let environment = scopes[number]
        var query = scope(environment.map { [$0] } ?? [])
        query += window.query.filter { $0.name != "interval" }
        return pages(.issues, query + SentryPoll.list("is:unresolved", by: "freq")) { [query] poll, pages in
            var poll = poll
            let (issues, failure) = poll.inquiry.issues(in: pages)
            poll.issues.append((environment, issues))
            if let failure {
                // The figures are what alarms are made of; issues only explain them.
                guard let sessions = poll.sessionsFailure else { return poll.finish(without: failure) }
                return poll.finish(withoutIssues: failure, norSessions: sessions)
            }
            guard pages.isCut else { return poll.askIssues(number + 1) }
            poll.inquiry.warnings.append(
                "more than \(pages.pageCount * SentryPoll.issuesPerPage) unresolved issues"
                    + "\(environment.map { " of \($0)" } ?? "") since \(window.from): "
                    + "those with the most events, the newest and what is back are read")
            // What is new or back may be rare, and stand behind the last page that is read. Servers from before regressions
            // were told apart refuse the question.
            return poll.askMore(query + SentryPoll.list("is:regressed", by: "freq"), mayBeRefused: true) { poll in
                poll.askMore(query + SentryPoll.list("is:unresolved", by: "new")) { $0.askIssues(number + 1) }
            }
        }
    }

    private static let issuesPerPage = 100

    /// With what is before people for review goes since when: that is when an issue came back.
    private static func list(_ words: String, by order: String) -> AddressQuery {
        [
            ("query", words), ("sort", order), ("limit", String(issuesPerPage)), ("groupStatsPeriod", ""),
            ("expand", "inbox"),
        ]
    }

    /// Asks for one page more of the issues that were asked for last.
    private func askMore(
        _ query: AddressQuery, mayBeRefused: Bool = false, then: @escaping @Sendable (SentryPoll) -> PollStep
    ) -> PollStep {
        pages(.issues, query, most: 1) { poll, pages in
            var poll = poll
            let (issues, failure) = poll.inquiry.issues(in: pages)
            poll.issues[poll.issues.count - 1].issues += issues
            if let failure, !(mayBeRefused && failure.reason == .refused) { return poll.finish(without: failure) }
            return then(poll)
        }
    }

    private func finish(without failure: PollFailure) -> PollStep {
        var poll = self
        poll.inquiry.warnings.append(failure.description)
        return poll.finish(after: [failure])
    }

    // MARK: - The end

    private func finish(after failures: [PollFailure] = []) -> PollStep {
        var poll = self
        var observations = poll.sessionObservations()
        if !observations.isEmpty { poll.inquiry.noteSessions() }
        // One that never told of sessions need not have any.
        let lost = inquiry.directory.hasSessions ? sessionsFailure : nil
        let lack = sessionsFailure.map { failure in
            lost?.description ?? "this server has no release health, only issues: \(failure.description)"
        }
        poll.addIssues(to: &observations)
        if !failures.isEmpty {
            for index in observations.indices where observations[index].issues.isEmpty {
                observations[index].issuesUnread = true
            }
        }
        return .finish(
            PollReport(
                observations.isEmpty ? .noData : .values(observations),
                cursor: poll.inquiry.cursor,
                limit: poll.inquiry.limit,
                warnings: [lack].compactMap(\.self) + poll.inquiry.warnings,
                notes: [poll.uninstrumented].compactMap(\.self),
                unread: poll.unread
            ).waiting(
                after: [lost, inquiry.blindness, releasesFailure, longerFailure, broken].compactMap(\.self) + failures)
        )
    }

    /// Of whom not everything could be read. What goes by its id has a name that the bot may know it by.
    private var unread: Unread {
        guard !isPartial, sessionsFailure == nil else { return .anything }
        var unread = Unread.nothing
        for project in inquiry.missing { unread.add(project) }
        for id in unreadProjects { unread.add(id.flatMap(inquiry.name)) }
        return unread
    }

    /// Which of the watched projects never had a session: they look like apps that nobody uses. Nil where there are none, and
    /// where the names are known from before.
    private var uninstrumented: String? {
        let watched = Set(source.projects.compactMap(inquiry.directory.id))
        let measured = Set(measured.joined().map(\.projectID))
        let names = inquiry.directory.withoutSessions.subtracting(measured)
            .filter { watched.isEmpty || watched.contains($0) }.compactMap(inquiry.name).sorted()
        guard !names.isEmpty else { return nil }
        let more = names.count > 5 ? " and \(names.count - 5) more" : ""
        return
            "release health is not instrumented in \(names.prefix(5).joined(separator: ", ").clipped(to: 150))\(more): "
            + "no session ever came from there, so rules about sessions and users have nothing to judge"
    }

    /// Longest window first: of spans that end together, the one told last counts as the newest.
    ///
    /// All are complete as far as they go: a span ends now rather than with the hour that is filling. Crashes that
    /// devices report on their next start come late, so a figure can only get worse and an alarm stands.
    ///
    /// - Parameter delay: how long after its end a span is seen; nil for now.
    mutating func sessionObservations(after delay: Duration? = nil) -> [Observation] {
        var observations: [Observation] = []
        var taken: Set<SessionGroup.Place> = []
        var nameless: Set<String> = []
        let whole = Dictionary(
            measured.joined().filter { $0.release == nil }.map { ($0.place, $0.metrics[.sessions]) },
            uniquingKeysWith: { first, _ in first })
        // Where groups moved from one page to the next meanwhile, the first stands.
        for group in measured.reversed().joined() where taken.insert(group.place).inserted {
            let name = inquiry.name(of: group.projectID)
            if name == nil { nameless.insert(group.projectID) }
            observations.append(
                Observation(
                    subject: Subject(
                        source: poll.source,
                        app: name ?? group.projectID,
                        release: group.release,
                        environment: group.environment
                    ),
                    span: group.span,
                    seen: delay.map { group.span.to + $0 } ?? poll.now,
                    metrics: group.metrics(of: whole[group.wholePlace] ?? nil)
                )
            )
        }
        if !nameless.isEmpty {
            let ids = nameless.sorted().prefix(5).joined(separator: ", ").clipped(to: 100)
            inquiry.warnings.append("projects without a name that the token can see go by their ids: \(ids)")
        }
        return observations
    }

    /// Hangs the issues on the app's shortest span, or on one without figures when the app has no sessions.
    private mutating func addIssues(to observations: inout [Observation]) {
        guard let window = windows.first, let span = TimeSpan(from: window.from, to: window.to) else { return }
        var homeless = 0
        for (environment, found) in issues {
            let (apps, strays) = SentryIssue.byApp(found, only: inquiry.only)
            homeless += strays
            for (app, issues) in apps {
                let subject = Subject(source: poll.source, app: app, environment: environment)
                if let index = observations.lastIndex(where: { $0.subject == subject }) {
                    observations[index].issues = issues
                } else {
                    observations.append(
                        Observation(subject: subject, span: span, seen: poll.now, metrics: Metrics(), issues: issues)
                    )
                }
            }
        }
        if homeless > 0 {
            inquiry.warnings.append("\(homeless.counted("issue")) left out because no project is named")
        }
    }

    /// Ends where issues fail, too, after sessions that were not found: nobody knows then what the server can give.
    private func finish(withoutIssues failure: PollFailure, norSessions sessions: PollFailure) -> PollStep {
        var poll = self
        guard failure.reason == .notFound else {
            poll.inquiry.warnings.append(sessions.description)
            return poll.fail(failure)
        }
        let organization = inquiry.server.organization
        return poll.fail(
            failure.saying(
                "neither sessions nor issues of the organization '\(organization)' are found; \(failure.description)"))
    }

    private func fail(_ failure: PollFailure) -> PollStep {
        // Where the projects were not found either it is one mistake, and the failure says it.
        let isOneMistake = failure.reason == .notFound && inquiry.namelessness?.reason == .notFound
        let warnings = inquiry.warnings.filter { !isOneMistake || $0 != inquiry.namelessness?.description }
        return .finish(PollReport(.failed(failure), cursor: inquiry.cursor, warnings: warnings))
    }
}
