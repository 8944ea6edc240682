internal import PluginKit

/// One poll under way: what is known so far, and which request comes next.
///
/// The order is: names of the projects when they are due, sessions of each window (apps, then releases), names again
/// when an id is new, issues of each environment.
struct SentryPoll: Sendable {
    private let source: SentrySource
    private let poll: Poll
    private let windows: [Window]
    private var directory: ProjectDirectory
    private var hasAskedForProjects = false
    /// One list per request of sessions.
    var measured: [[SessionGroup]] = []
    /// Set when the server knows no sessions at all.
    private var sessionsFailure: PollFailure?
    private var issues: [(environment: String?, issues: [SentryIssue])] = []
    /// Endpoints whose budget is used up, and until when.
    private(set) var spent: [SentryServer.Endpoint: Moment] = [:]
    var warnings: [String] = []

    /// Most pages of one list: 300 issues or 1,000 projects are more than anybody reads.
    private static let pagesMax: [SentryServer.Endpoint: Int] = [.projects: 10, .sessions: 5, .issues: 3]

    init(of source: SentrySource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        directory = ProjectDirectory(cursor: poll.cursor, of: SentryPoll.owner(source))
        let wanted = Window.covering(poll.spans, until: poll.now)
        windows = Array(wanted.prefix(Window.countMax))
        if wanted.count > windows.count {
            warnings.append(
                "rules ask for \(wanted.count) different spans; only the \(windows.count) shortest are measured"
            )
        }
        if let longest = poll.spans.last, longest > Window.spanMax {
            warnings.append("a rule asks for a span of \(longest.grammar), but sessions are kept for 90 days")
        }
    }

    func begin() -> PollStep {
        knowingProjects { poll, failure in failure.map(poll.fail) ?? poll.measure(0) }
    }

    // MARK: - Names of projects

    /// Goes on with the names of all projects that are watched, which are asked for when they are not known.
    func knowingProjects<Report>(
        then: @escaping @Sendable (SentryPoll, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        let isComplete = source.projects.allSatisfy { directory.id(of: $0) != nil }
        return directory.isFresh(at: poll.now) && isComplete ? then(self, nil) : learnProjects(then: then)
    }

    private func learnProjects<Report>(
        then: @escaping @Sendable (SentryPoll, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        pages(.projects, []) { poll, pages in
            var poll = poll
            poll.hasAskedForProjects = true
            if let failure = pages.failure {
                // Without the list, slugs are sent as they are and ids stand for names: less, but not nothing.
                let isHidden = [.forbidden, .notFound].contains(failure.reason)
                let hasNames = !poll.directory.slugs.isEmpty && failure.reason != .unauthorized
                guard isHidden || hasNames else { return then(poll, failure) }
                poll.warnings.append(failure.description)
                return then(poll, nil)
            }
            do throws(JSONMismatch) {
                poll.directory = try ProjectDirectory(pages.bodies, asked: poll.poll.now)
            } catch {
                return then(poll, SentryPoll.failure(.projects, error))
            }
            let slugs = poll.directory.slugs.values.sorted()
            for project in poll.source.projects where !pages.isCut && poll.directory.id(of: project) == nil {
                let guess = project.nearest(in: slugs).map { "; did you mean '\($0)'?" } ?? ""
                return then(
                    poll,
                    PollFailure(.notFound, "the token can see no project '\(project.tamed)'\(guess)")
                )
            }
            return then(poll, nil)
        }
    }

    /// Goes on with the names of the projects that were measured: one may be newer than the list of them.
    func namingMeasured<Report>(
        then: @escaping @Sendable (SentryPoll, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        let hasUnknown = measured.joined().contains { name(of: $0.projectID) == nil }
        let isWorthIt = hasUnknown && !hasAskedForProjects && !directory.isPatient(at: poll.now)
        return isWorthIt ? learnProjects(then: then) : then(self, nil)
    }

    // MARK: - Sessions

    /// Asks for the sessions of window after window, of each the apps and then the releases.
    private func measure(_ number: Int) -> PollStep {
        guard number < windows.count * 2 else { return nameUnknownProjects() }
        let window = windows[number / 2]
        let hasReleases = number % 2 == 1
        let query = sessionsQuery(window.query, hasReleases: hasReleases, hasSeries: false)
        return pages(.sessions, query) { poll, pages in
            var poll = poll
            if let failure = pages.failure { return poll.goOn(without: number, failure) }
            do throws(JSONMismatch) {
                var groups: [SessionGroup] = []
                for body in pages.bodies {
                    groups += try SessionGroup.groups(in: body, hasReleases: hasReleases, now: poll.poll.now)
                }
                poll.measured.append(groups)
                if pages.isCut || groups.count >= window.groupsMax {
                    poll.warnings.append(
                        "more than \(groups.count) \(hasReleases ? "releases" : "apps") since \(window.from): "
                            + "those with the fewest sessions are left out"
                    )
                }
            } catch {
                return poll.fail(.sessions, error)
            }
            return poll.measure(number + 1)
        }
    }

    private func goOn(without number: Int, _ failure: PollFailure) -> PollStep {
        var poll = self
        switch failure.reason {
        case .notFound where number == 0 && source.wantsIssues:
            // A server that speaks the API without release health, or a wrong organization: the issues will tell.
            poll.sessionsFailure = failure
            poll.warnings.append("this server has no release health, only issues: \(failure.description)")
            return poll.askIssues(0)
        case .rateLimited where number >= 2:
            // The shortest window is whole; it decides about most alarms.
            poll.spent[.sessions] = failure.retryAt
            poll.warnings.append("longer spans are not measured this time: \(failure.description)")
            return poll.nameUnknownProjects()
        default: return poll.fail(failure)
        }
    }

    func sessionsQuery(
        _ window: SentryServer.Query,
        hasReleases: Bool,
        hasSeries: Bool
    ) -> SentryServer.Query {
        var query: SentryServer.Query = SessionGroup.fields.map { ("field", $0) }
        query.append(("groupBy", "project"))
        if hasReleases { query.append(("groupBy", "release")) }
        if !source.environments.isEmpty { query.append(("groupBy", "environment")) }
        query += scope(source.environments) + window
        query.append(hasSeries ? ("includeTotals", "0") : ("includeSeries", "0"))
        return query
    }

    /// Which projects and environments are meant. Ids rather than slugs, because older servers know nothing else.
    private func scope(_ environments: [String]) -> SentryServer.Query {
        let projects = source.projects.isEmpty ? ["-1"] : source.projects.map { directory.id(of: $0) ?? $0 }
        return projects.map { ("project", $0) } + environments.map { ("environment", $0) }
    }

    private func nameUnknownProjects() -> PollStep {
        namingMeasured { poll, failure in failure.map(poll.fail) ?? poll.askIssues(0) }
    }

    private func name(of id: String) -> String? {
        if let slug = directory.slugs[id] { return slug }
        // Some servers answer with slugs where ids are promised.
        if !id.isProjectID { return id }
        guard source.projects.count == 1, let only = source.projects.first, !only.isProjectID else { return nil }
        return only
    }

    // MARK: - Issues

    /// Asks for the issues of each environment by itself, because the answer does not say where an issue occurred.
    private func askIssues(_ number: Int) -> PollStep {
        let scopes: [String?] = source.environments.isEmpty ? [nil] : source.environments
        guard source.wantsIssues, number < scopes.count, let window = windows.first else { return finish() }
        let environment = scopes[number]
        var query = scope(environment.map { [$0] } ?? [])
        query += window.query.filter { $0.name != "interval" }
        query += [("query", "is:unresolved"), ("sort", "freq"), ("limit", "100"), ("groupStatsPeriod", "")]
        return pages(.issues, query) { poll, pages in
            var poll = poll
            do throws(PollFailure) {
                var issues: [SentryIssue] = []
                for body in pages.bodies {
                    do throws(JSONMismatch) {
                        issues += try SentryIssue.issues(in: body)
                    } catch {
                        throw SentryPoll.failure(.issues, error)
                    }
                }
                poll.issues.append((environment, issues))
                if let failure = pages.failure { throw failure }
            } catch {
                // The figures are what alarms are made of; issues only explain them.
                guard poll.sessionsFailure == nil else { return poll.fail(error) }
                poll.warnings.append(error.description)
                if let retryAt = error.retryAt { poll.spent[.issues] = retryAt }
                return poll.finish()
            }
            return poll.askIssues(number + 1)
        }
    }

    // MARK: - The end

    private func finish() -> PollStep {
        var poll = self
        var observations = poll.sessionObservations()
        poll.addIssues(to: &observations)
        return .finish(
            PollReport(
                observations.isEmpty ? .noData : .values(observations),
                cursor: poll.cursor,
                notBefore: poll.spent.values.filter { $0 > poll.poll.now }.max(),
                warnings: poll.warnings
            )
        )
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
        // Where groups moved from one page to the next meanwhile, the first stands.
        for group in measured.reversed().joined() where taken.insert(group.place).inserted {
            let name = name(of: group.projectID)
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
                    metrics: group.metrics
                )
            )
        }
        if !nameless.isEmpty {
            let ids = nameless.sorted().prefix(5).joined(separator: ", ").clipped(to: 100)
            warnings.append("projects without a name that the token can see go by their ids: \(ids)")
        }
        return observations
    }

    /// Hangs the issues on the app's shortest span, or on one without figures when the app has no sessions.
    private mutating func addIssues(to observations: inout [Observation]) {
        guard let window = windows.first, let span = TimeSpan(from: window.from, to: window.to) else { return }
        let only = source.projects.count == 1 ? source.projects.first.flatMap { name(of: $0) } : nil
        var homeless = 0
        for (environment, found) in issues {
            var byApp: [String: [Issue]] = [:]
            var taken: Set<String> = []
            for found in found.sorted(by: SentryIssue.worseFirst) where taken.insert(found.issue.id).inserted {
                guard let app = found.project.flatMap({ $0.isEmpty ? nil : $0 }) ?? only else {
                    homeless += 1
                    continue
                }
                byApp[app, default: []].append(found.issue)
            }
            for (app, issues) in byApp.sorted(by: { $0.key < $1.key }) {
                let subject = Subject(source: poll.source, app: app, environment: environment)
                let kept = Array(issues.prefix(Issue.countMax))
                if let index = observations.lastIndex(where: { $0.subject == subject }) {
                    observations[index].issues = kept
                } else {
                    observations.append(
                        Observation(subject: subject, span: span, seen: poll.now, metrics: Metrics(), issues: kept)
                    )
                }
            }
        }
        if homeless > 0 { warnings.append("\(homeless) issues do not say which project they belong to") }
    }

    private func fail(_ failure: PollFailure) -> PollStep {
        .finish(PollReport(.failed(failure), cursor: cursor, warnings: warnings))
    }

    private func fail(_ endpoint: SentryServer.Endpoint, _ mismatch: JSONMismatch) -> PollStep {
        fail(SentryPoll.failure(endpoint, mismatch))
    }

    static func failure(_ endpoint: SentryServer.Endpoint, _ mismatch: JSONMismatch) -> PollFailure {
        PollFailure(.badAnswer, "\(endpoint.rawValue): \(PollFailure(mismatch).description)")
    }

    /// Nil, which keeps what was there, as long as nothing is known.
    var cursor: JSON? { directory.asked.map { _ in directory.json(of: SentryPoll.owner(source)) } }

    private static func owner(_ source: SentrySource) -> String {
        "\(source.server.address) \(source.server.organization)"
    }

    // MARK: - Pages

    /// What a list held, as far as it was read.
    struct Pages: Sendable {
        var bodies: [JSONReader] = []
        /// There are more pages than are read.
        var isCut = false
        var failure: PollFailure?
    }

    func pages<Report>(
        _ endpoint: SentryServer.Endpoint,
        _ query: SentryServer.Query,
        then: @escaping @Sendable (SentryPoll, Pages) -> Conversation<Report>
    ) -> Conversation<Report> {
        page(nil, after: Pages(), endpoint, query, then)
    }

    private func page<Report>(
        _ cursor: String?,
        after pages: Pages,
        _ endpoint: SentryServer.Endpoint,
        _ query: SentryServer.Query,
        _ then: @escaping @Sendable (SentryPoll, Pages) -> Conversation<Report>
    ) -> Conversation<Report> {
        if let until = spent[endpoint], until > poll.now {
            var pages = pages
            pages.failure = PollFailure(
                .rateLimited,
                "\(endpoint.rawValue): the server allows no more requests until \(until)",
                retryAt: until
            )
            return then(self, pages)
        }
        let request = source.server.request(endpoint, query + (cursor.map { [("cursor", $0)] } ?? []))
        return .fetch(request) { result in
            var (poll, pages) = (self, pages)
            do throws(PollFailure) {
                let answer = try SentryAnswer(result, from: endpoint, now: poll.poll.now)
                pages.bodies.append(answer.body)
                poll.spent[endpoint] = answer.spentUntil
                guard let next = answer.next, next != cursor else { return then(poll, pages) }
                guard pages.bodies.count < SentryPoll.pagesMax[endpoint, default: 1] else {
                    pages.isCut = true
                    return then(poll, pages)
                }
                return poll.page(next, after: pages, endpoint, query, then)
            } catch {
                pages.failure = error
                return then(poll, pages)
            }
        }
    }
}
