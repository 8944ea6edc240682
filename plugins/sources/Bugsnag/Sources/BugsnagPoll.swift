internal import PluginKit
internal import SourceKit

/// One poll under way: what is known so far, and which request comes next.
///
/// The order is: organization and projects when they are not known, and then for each project its days, its releases and
/// its errors.
struct BugsnagPoll: Sendable {
    private let source: BugsnagSource
    private let poll: Poll
    private(set) var cursor: BugsnagCursor
    /// The projects in the order in which they are visited.
    private var tour = Tour<Project>()
    private var observations: [Observation] = []
    private var failures: [PollFailure] = []
    private var unread = Unread.nothing
    private(set) var warnings: [String] = []
    /// Why errors, days or releases are missing.
    private var misses: [PollFailure] = []
    private var notes: [String] = []
    /// Set when the minute's budget is used up: no request before that moment.
    private var spentUntil: Moment?

    /// Releases come ten at a time, and nobody watches more than thirty.
    private static let releasePagesMax = 3
    private static let errorPagesMax = 3
    private static let projectPagesMax = 10
    /// Fixed errors are of interest for as long as one that comes back is worth a word.
    private static let fixedSpan = Duration.days(30)
    private static let fixedMax = 30
    /// What is asked for instead of a span of which there is too much for one answer.
    private static let narrowerSpans = [Duration.days(7), .days(1)]
    /// Errors are asked for over no shorter time: Bugsnag is a few minutes late.
    private static let errorSpanMin = Duration.hours(1)

    init(of source: BugsnagSource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        cursor = BugsnagCursor(poll.cursor, of: source.owner)
    }

    func begin() -> PollStep {
        knowingProjects { poll, failure in failure.map { poll.fail($0) } ?? poll.visitAll() }
    }

    // MARK: - Organization and projects

    /// Goes on when it is known which projects are watched, or why not.
    func knowingProjects<Report>(
        then: @escaping @Sendable (BugsnagPoll, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        if cursor.knowsProjects(at: poll.now) { return then(self, nil) }
        return list(
            "organizations", "/user/organizations", [("per_page", "30")], pagesMax: 1, Organization.organizations
        ) {
            poll, listing in
            if let failure = listing.failure { return then(poll, failure) }
            do throws(PollFailure) {
                let organization = try Organization.chosen(poll.source.organization, among: listing.items)
                return poll.learnProjects(of: organization, then: then)
            } catch {
                return then(poll, error)
            }
        }
    }

    private func learnProjects<Report>(
        of organization: Organization, then: @escaping @Sendable (BugsnagPoll, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        let path = "/organizations/\(organization.id.percentEncoded)/projects"
        return list("projects", path, [("per_page", "30")], pagesMax: BugsnagPoll.projectPagesMax, BugsnagPoll.projects)
        {
            poll, listing in
            var poll = poll
            if let failure = listing.failure { return then(poll, failure) }
            let all = listing.items.sorted { $0.slug < $1.slug }
            let wanted = poll.source.projects
            let others = all.filter { !wanted.contains(where: $0.isCalled) }.map(\.slug)
            var watched: [Project] = []
            var missing: [String: PollFailure] = [:]
            for name in wanted {
                guard let project = all.first(where: { $0.isCalled(name) }) else {
                    missing[name] = .unseen(name, among: others)
                    continue
                }
                if !watched.contains(where: { $0.id == project.id }) { watched.append(project) }
            }
            if poll.source.projects.isEmpty {
                watched = Array(all.prefix(BugsnagSource.projectsMax))
                if all.count > watched.count {
                    poll.warnings.append(
                        "the token can see \(all.count) projects; only the first \(watched.count) are watched; name "
                            + "others in 'projects'")
                }
            }
            guard !watched.isEmpty else {
                let failure = wanted.first.flatMap { missing[$0] }
                return then(poll, failure ?? PollFailure(.forbidden, "the token can see no project"))
            }
            poll.notes += watched.compactMap(\.target)
            poll.cursor.learn(
                watched, without: missing.mapValues(\.description), of: organization.slug, at: poll.poll.now)
            return then(poll, nil)
        }
    }

    private static func projects(in page: JSONReader) throws(JSONMismatch) -> [Project] {
        var found: [Project] = []
        for element in try page.elements() { found.append(try Project(element)) }
        return found
    }

    // MARK: - One project after the other

    private func visitAll() -> PollStep {
        var poll = self
        // One that was renamed is no reason to leave the others alone.
        for (name, sentence) in cursor.missing.sorted(by: { $0.key < $1.key }) {
            poll.warnings.append(sentence)
            poll.misses.append(PollFailure(.notFound, sentence))
            poll.unread.add(name)
        }
        poll.tour = Tour(cursor.projects) { $0.id == cursor.next }
        poll.cursor.next = nil
        return poll.visit(0)
    }

    /// Notes where the budget ended; the first place counts.
    private mutating func breakOff(at project: Project, _ failure: PollFailure) {
        guard failure.reason == .rateLimited, let index = tour.stops.firstIndex(where: { $0.id == project.id })
        else { return }
        cursor.next = cursor.next ?? tour.next(after: failure, at: index).id
    }

    private func visit(_ number: Int) -> PollStep {
        guard number < tour.stops.count else { return finish() }
        let project = tour.stops[number]
        return readDays(project) { poll, failure in
            guard let failure else { return poll.visit(number + 1) }
            var poll = poll
            poll.failures.append(failure)
            poll.breakOff(at: project, failure)
            let isItsOwn = failure.isOfOneThing || failure.reason == .tooLarge
            for project in poll.tour.unread(at: number, isOwn: isItsOwn) { poll.unread.add(project.slug) }
            return isItsOwn ? poll.visit(number + 1) : poll.finish()
        }
    }

    private typealias Visited = @Sendable (BugsnagPoll, PollFailure?) -> PollStep

    private func readDays(_ project: Project, then: @escaping Visited) -> PollStep {
        askDays(of: project) { poll, answer in
            var poll = poll
            do throws(PollFailure) {
                let last = poll.cursor.counters[project.id]?.at
                let (days, flaw) = try poll.days(
                    of: project, in: try answer.get().body, since: last, at: poll.poll.now)
                if let flaw { poll.note(flaw, of: project) }
                // The days of an app that nobody uses any more would be judged as if they were now.
                if let end = days.last?.span.to, end < poll.poll.now - StabilityTrend.daysAgain {
                    poll.notes.append("\(project.slug): no sessions since \(end), so its days are left out")
                } else {
                    poll.observations += days
                }
            } catch {
                // Releases and errors have answers of their own.
                guard error.isOfOneThing || error.reason == .tooLarge else { return then(poll, error) }
                poll.note(error, of: project)
            }
            return poll.readReleases(project, then: then)
        }
    }

    /// Asks for all days of a project that Bugsnag keeps: fewer cannot be asked for.
    func askDays<Report>(
        of project: Project,
        then: @escaping @Sendable (BugsnagPoll, Result<BugsnagAnswer, PollFailure>) -> Conversation<Report>
    ) -> Conversation<Report> {
        let path = "/projects/\(project.id.percentEncoded)/stability_trend"
        return ask(project.stability, source.server.request(path, []), then: then)
    }

    /// Notes what is refused, or makes no sense and is left out, so that a part of what the project has is missing.
    private mutating func note(_ flaw: PollFailure, of project: Project) {
        warnings.append(flaw.description)
        misses.append(flaw)
        unread.add(project.slug)
    }

    /// What the answer says, as it was at a moment, and what of it makes no sense.
    ///
    /// - Parameter last: when the project's days were read last; nil for all that there are.
    func days(
        of project: Project, in body: JSONReader, since last: Moment?, at now: Moment
    ) throws(PollFailure) -> (days: [Observation], flaw: PollFailure?) {
        let trend = try PollFailure.reading(project.stability) { () throws(JSONMismatch) in
            try StabilityTrend(body, since: last, at: now)
        }
        let days = trend.days.map { day in
            Observation(
                subject: Subject(source: poll.source, app: project.slug, environment: trend.stage),
                span: day.span, seen: now, isComplete: day.isComplete, metrics: day.metrics)
        }
        let flaw = trend.left.warning("a day", "days").map { PollFailure(.badAnswer, $0).about(project.stability) }
        return (days, flaw)
    }

    private func readReleases(_ project: Project, then: @escaping Visited) -> PollStep {
        let path = "/projects/\(project.id.percentEncoded)/releases"
        let query = [("release_stage", source.releaseStage), ("per_page", "10")]
        let subject = "releases of \(project.slug)"
        return list(
            subject, path, query, pagesMax: BugsnagPoll.releasePagesMax,
            { page throws(JSONMismatch) in [try ListedRelease.Found(page)] }
        ) { poll, pages in
            if let failure = pages.failure {
                guard failure.isOfOneThing || failure.reason == .tooLarge else { return then(poll, failure) }
                return poll.readErrors(project) { poll, _ in then(poll, failure) }
            }
            var poll = poll
            let listed = pages.items.flatMap(\.releases)
            var left = LeftOut()
            for page in pages.items { left.add(page.left) }
            let flaw = left.warning("a release", "releases").map { PollFailure(.badAnswer, $0).about(subject) }
            if let flaw { poll.note(flaw, of: project) }
            if pages.isCut {
                poll.notes.append(
                    "\(project.slug): the \(listed.count) newest releases are read; sessions of older ones count "
                        + "only in the daily figures")
            }
            poll.take(listed, lacksSome: flaw != nil, of: project)
            return poll.readErrors(project, then: then)
        }
    }

    private mutating func take(_ listed: [ListedRelease], lacksSome: Bool, of project: Project) {
        let stage = source.releaseStage
        let own = listed.filter { $0.stage == nil || $0.stage == stage }
        if !own.isEmpty, own.allSatisfy({ $0.count == nil }) {
            warnings.append(
                "\(project.slug): releases come without sessions; the organization's plan lacks stability monitoring")
        }
        let (found, next) = ReleaseCounters.steps(
            from: cursor.counters[project.id], to: own, lacksSome: lacksSome, at: poll.now)
        cursor.note(next, of: project)
        if !found.corrected.isEmpty {
            let names = found.corrected.prefix(3).joined(separator: ", ").tamed.clipped(to: 100)
            notes.append("\(project.slug): Bugsnag has corrected its counts of \(names); what came since is left out")
        }
        // The whole is told last, and counts as the newest.
        for (release, step) in found.steps.map({ (Optional($0.release), $0) })
            + [(nil, found.whole)].compactMap({
                pair in pair.1.map { (pair.0, $0) }
            })
        {
            observations.append(
                Observation(
                    subject: Subject(source: poll.source, app: project.slug, release: release, environment: stage),
                    span: step.span, seen: poll.now,
                    metrics: [.sessions: step.sessions, .crashedSessions: step.crashed]))
        }
    }

    private func readErrors(_ project: Project, then: @escaping Visited) -> PollStep {
        guard source.wantsErrors else { return then(self, nil) }
        let span = max(poll.spans.first ?? .zero, BugsnagPoll.errorSpanMin)
        return listErrors(.open, of: project, since: span, pagesMax: BugsnagPoll.errorPagesMax) { poll, open in
            var poll = poll
            if open.failure != nil { poll.noteUnread(errorsOf: project) }
            guard open.isCut else { return poll.readFixed(project, open.issues, newest: [], over: span, then: then) }
            poll.notes.append(
                "\(project.slug): more than \(open.issues.count) open errors; those with the most events and the newest are read"
            )
            return poll.listErrors(.newest, of: project, since: span, pagesMax: 1) { poll, newest in
                poll.readFixed(project, open.issues, newest: newest.issues, over: span, then: then)
            }
        }
    }

    private func readFixed(
        _ project: Project, _ open: [Issue], newest: [Issue], over span: Duration, then: @escaping Visited
    ) -> PollStep {
        guard cursor.needsFixed(of: project, at: poll.now) else {
            var poll = self
            poll.hang(open, newest: newest, on: project, over: span)
            return then(poll, nil)
        }
        return listErrors(.fixed, of: project, since: BugsnagPoll.fixedSpan, pagesMax: 1) { poll, fixed in
            var poll = poll
            // What is too much for an answer now is so in five minutes, too.
            if fixed.failure == nil || fixed.failure?.reason == .tooLarge {
                poll.cursor.noteFixed(of: project, at: poll.poll.now)
            }
            poll.hang(open, newest: newest, fixed: fixed.issues, on: project, over: span)
            return then(poll, nil)
        }
    }

    private func listErrors(
        _ wish: BugsnagError.Wish, of project: Project, since span: Duration, pagesMax: Int,
        then: @escaping @Sendable (BugsnagPoll, Listing<BugsnagError.Found>) -> PollStep
    ) -> PollStep {
        let since = Recall.floor(poll.now - span, to: .seconds(1))
        let query = BugsnagError.query(for: wish, in: source.releaseStage, since: since)
        let dashboard = dashboard(of: project)
        let subject = "\(wish.name) of \(project.slug)"
        return list(
            subject, "/projects/\(project.id.percentEncoded)/errors", query, pagesMax: pagesMax,
            { page throws(JSONMismatch) in [try BugsnagError.Found(page, dashboard: dashboard)] }
        ) { poll, pages in
            var poll = poll
            for warning in pages.items.compactMap({ $0.left.warning("an error", "errors") }) {
                poll.warnings.append("\(subject): \(warning)")
            }
            if let failure = pages.failure {
                if failure.reason == .tooLarge, let shorter = BugsnagPoll.narrowerSpans.first(where: { $0 < span }) {
                    poll.notes.append(
                        "\(subject): too many in \(span.short) for one answer; those of \(shorter.short) are asked for")
                    return poll.listErrors(wish, of: project, since: shorter, pagesMax: pagesMax, then: then)
                }
                // The figures are what alarms are made of; errors only explain them.
                poll.warnings.append(failure.description)
                poll.misses.append(failure)
                poll.breakOff(at: project, failure)
            }
            return then(poll, pages)
        }
    }

    /// Where people look; nil for a host of one's own.
    private func dashboard(of project: Project) -> String? {
        guard let pages = source.server.pages, let organization = cursor.organization else { return nil }
        return "\(pages)/\(organization.percentEncoded)/\(project.slug.percentEncoded)"
    }

    /// Of the newest figures of the project as a whole nobody knows which errors belong to them.
    private mutating func noteUnread(errorsOf project: Project) {
        let subject = Subject(source: poll.source, app: project.slug, environment: source.releaseStage)
        guard let index = observations.lastIndex(where: { $0.subject == subject }) else { return }
        observations[index].issuesUnread = true
    }

    /// Hangs errors on the newest of the project as a whole, or on a span without figures.
    ///
    /// - Parameters:
    ///   - newest: those that are kept whatever room there is for the others.
    ///   - fixed: errors that were fixed. What they had is long over, and says nothing of the span.
    private mutating func hang(
        _ issues: [Issue], newest: [Issue], fixed: [Issue] = [], on project: Project, over span: Duration
    ) {
        var taken: Set<String> = []
        let open = issues.filter { taken.insert($0.id).inserted }
        taken.formUnion(newest.map(\.id))
        let over = fixed.filter { taken.insert($0.id).inserted }.prefix(BugsnagPoll.fixedMax).map { issue in
            var issue = issue
            (issue.events, issue.users) = (nil, nil)
            return issue
        }
        // Those behind the room that there is are named once more where they are new.
        let room = open.prefix(max(0, Issue.countMax - over.count - newest.count))
        let named = Set(room.map(\.id))
        let kept = room + newest.filter { !named.contains($0.id) } + over
        guard !kept.isEmpty else { return }
        let subject = Subject(source: poll.source, app: project.slug, environment: source.releaseStage)
        if let index = observations.lastIndex(where: { $0.subject == subject }) {
            observations[index].issues = Array(kept)
        } else {
            observations.append(
                Observation(
                    subject: subject, span: TimeSpan(lasting: span, until: poll.now), seen: poll.now,
                    metrics: Metrics(), issues: Array(kept)))
        }
    }

    // MARK: - The end

    private func fail(_ failure: PollFailure) -> PollStep {
        .finish(PollReport(.failed(failure), warnings: warnings, notes: notes))
    }

    private func finish() -> PollStep {
        if observations.isEmpty, let failure = failures.first {
            // What was learned stands, and where it broke off.
            return .finish(
                PollReport(.failed(failure), cursor: cursor.json, warnings: warnings, notes: notes)
                    .waiting(after: failures + misses, spentUntil: spentUntil))
        }
        let ordered = observations.indices.sorted { left, right in
            let (a, b) = (observations[left].span, observations[right].span)
            return a.to != b.to ? a.to < b.to : a.from != b.from ? a.from < b.from : left < right
        }
        return .finish(
            PollReport(
                observations.isEmpty ? .noData : .values(ordered.map { observations[$0] }), cursor: cursor.json,
                warnings: warnings + failures.map(\.description), notes: notes, unread: unread
            ).waiting(after: failures + misses, spentUntil: spentUntil))
    }

    // MARK: - Asking

    /// Asks for one thing, unless the minute's budget is used up.
    private func ask<Report>(
        _ subject: String, _ request: HTTPRequest,
        then: @escaping @Sendable (BugsnagPoll, Result<BugsnagAnswer, PollFailure>) -> Conversation<Report>
    ) -> Conversation<Report> {
        if let until = spentUntil { return then(self, .failure(spent(subject, until: until))) }
        return .fetch(request) { result in
            var poll = self
            do throws(PollFailure) {
                let answer = try BugsnagAnswer(result, about: subject, now: poll.poll.now)
                if answer.isSpent { poll.spentUntil = poll.poll.now + BugsnagAnswer.window }
                return then(poll, .success(answer))
            } catch {
                return then(poll, .failure(error))
            }
        }
    }

    private func spent(_ subject: String, until: Moment) -> PollFailure {
        PollFailure(.rateLimited, "\(subject): Bugsnag allows no more requests until \(until)", retryAt: until)
    }

    /// Reads a list whose pages name the address of the next.
    private func list<Item: Sendable, Report>(
        _ subject: String, _ path: String, _ query: AddressQuery, pagesMax: Int,
        _ read: @escaping @Sendable (JSONReader) throws(JSONMismatch) -> [Item],
        then: @escaping @Sendable (BugsnagPoll, Listing<Item>) -> Conversation<Report>
    ) -> Conversation<Report> {
        Listing<Item>.read(
            pagesMax: pagesMax,
            { next, then in
                guard let request = next.map(source.server.request(page:)) ?? source.server.request(path, query) else {
                    let sentence = "\(subject): the next page is on another server, where the token is not sent"
                    return then(.failure(PollFailure(.badAnswer, sentence)))
                }
                return ask(subject, request) { poll, answer in
                    do throws(PollFailure) {
                        let answer = try answer.get()
                        let items = try PollFailure.reading(subject) { () throws(JSONMismatch) in try read(answer.body)
                        }
                        let stop = poll.spentUntil.map { spent(subject, until: $0) }
                        return then(.success(Page(items, next: answer.next, stop: stop)))
                    } catch {
                        return then(.failure(error))
                    }
                }
            },
            then: { listing in
                var poll = self
                if let limit = listing.stop ?? listing.failure, limit.reason == .rateLimited {
                    poll.spentUntil = limit.retryAt
                }
                return then(poll, listing)
            })
    }
}
