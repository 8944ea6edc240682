internal import PluginKit
internal import SourceKit

/// One poll under way. For each app: its figures over one span after the other, and then its issues.
struct CrashlyticsPoll: Sendable {
    private let source: CrashlyticsSource
    private let poll: Poll
    private var observations: [Observation] = []
    private var failures: [PollFailure] = []
    private var unread = Unread.nothing
    private(set) var warnings: [String] = []
    /// Why issues, or crashes, are missing.
    private var misses: [PollFailure] = []
    /// Sentences about crashes that are still to come.
    private var lateness: [String] = []
    /// Requests for versions, whatever came of them.
    private(set) var pageCount = 0
    private var cursor: ExportCursor
    /// The apps in the order in which they are visited.
    private let tour: Tour<CrashlyticsSource.App>
    /// Apps whose tables have stalled, and how far they came.
    private var stalled: [(app: CrashlyticsSource.App, newest: Moment)] = []
    /// Whether any table is as new as it should be.
    private var isAnyFresh = false
    private var cost = Cost()
    private var waitsLeft: Int
    /// How long BigQuery is to wait for each of its answers.
    private let patience: Duration

    /// What the queries of a poll have cost.
    private struct Cost: Sendable {
        var queries = 0
        var read = 0.0
        var billed = 0.0
    }

    /// Each span is a request or, with BigQuery, a bill.
    private static let spansMax = 6
    private static let queriedSpansMax = 4
    /// Crashlytics keeps ninety days, and refuses a span that begins a moment before.
    static let spanMax = Duration.days(89)
    /// Pages of a hundred versions each.
    static let pagesMax = 3
    /// A batch moves a table that is filled by the day by hours.
    private static let batchMin = Duration.hours(1)
    /// So often a poll may wait as long as the source waits for an answer: that is at most half of the time that a request may
    /// take, and a poll may take that of five requests.
    private static let waitsMax = 8

    private typealias Found = @Sendable (CrashlyticsPoll, Result<AppFigures, PollFailure>) -> PollStep

    /// What is known of one app.
    private struct AppFigures: Sendable {
        var releases: [[CountedRelease]] = []
        var issues: [Issue] = []
        /// Whether nobody could read them.
        var issuesUnread = false
        /// Whether the end of its table is known, and no guess.
        var isEndKnown = false
        /// Whether a query is still running, so that figures of one span or another are missing.
        var isRunning = false
        /// Why those of the longer spans are missing.
        var longerFailure: PollFailure?
    }

    init(of source: CrashlyticsSource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        let tables = source.inApps.compactMap(\.export)
        var cursor = ExportCursor(poll.cursor, of: tables, at: poll.now)
        tour = Tour(source.inApps) { $0.name == cursor.next }
        cursor.next = nil
        self.cursor = cursor
        // Each question waits once for its answer; what time that leaves goes to those that are still running.
        let spans = min(Set(poll.spans).count, CrashlyticsPoll.queriedSpansMax)
        let questions = max(tables.count * spans, 1)
        waitsLeft = max(CrashlyticsPoll.waitsMax - questions, 1)
        patience = source.patience.scaled(
            by: min(1, Double(CrashlyticsPoll.waitsMax) / Double(questions + waitsLeft)))
    }

    func begin() -> PollStep { visit(0) }

    // MARK: - One app after the other

    private func visit(_ number: Int) -> PollStep {
        guard number < tour.stops.count else { return finish() }
        let app = tour.stops[number]
        // Spans that end together are judged together: those that are still counted say where the others end.
        let running = app.export.flatMap { cursor.runningEnd(of: $0) }
        let figures = AppFigures(isEndKnown: running != nil)
        return measure(app, spans(of: app, until: running ?? end(of: app)), 0, figures) { poll, result in
            var poll = poll
            switch result {
            case .failure(let failure):
                poll.failures.append(failure)
                // What kept the question from getting through passes, and the answers can be had then. Other trouble may be that
                // of a query itself, which would fail for ever.
                let isOnTheWay = [.timeout, .unreachable, .unauthorized, .rateLimited].contains(failure.reason)
                if !isOnTheWay, let tables = app.export { poll.cursor.forgetJobs(of: tables) }
                return poll.goOn(after: failure, at: number)
            case .success(let figures) where figures.isRunning:
                poll.failures.append(
                    PollFailure(
                        .timeout, "BigQuery, \(app.name): the query is still running; the next poll goes on with it"))
                poll.unread.add(app.name)
                return poll.visit(number + 1)
            case .success(let figures):
                if let tables = app.export { poll.cursor.forgetJobs(of: tables) }
                poll.observe(app, figures)
                guard let failure = figures.longerFailure else { return poll.visit(number + 1) }
                poll.warn(failure.description)
                poll.misses.append(failure)
                return poll.goOn(after: failure, at: number)
            }
        }
    }

    /// Goes on with the next app, unless the failure of one is that of all.
    private func goOn(after failure: PollFailure, at number: Int) -> PollStep {
        var poll = self
        for app in tour.unread(at: number, isOwn: failure.isOfOneThing) { poll.unread.add(app.name) }
        if failure.isOfOneThing { return poll.visit(number + 1) }
        poll.cursor.next = tour.next(after: failure, at: number).name
        return poll.finish()
    }

    /// Where the spans of an app end: now, or where its table does.
    private func end(of app: CrashlyticsSource.App) -> Moment {
        // Whole seconds, and for tables whole minutes, so that a question asked twice can be answered from a cache.
        app.export.map { $0.spansEnd(at: poll.now, newest: cursor[$0]) } ?? Recall.floor(poll.now, to: .seconds(1))
    }

    /// The spans to ask for, the shortest first.
    private func spans(of app: CrashlyticsSource.App, until end: Moment) -> [TimeSpan] {
        CrashlyticsPoll.lengths(of: poll.spans, isExported: app.export != nil).map { TimeSpan(lasting: $0, until: end) }
    }

    static func lengths(of spans: [Duration], isExported: Bool) -> ArraySlice<Duration> {
        var lengths: [Duration] = []
        for span in spans.map({ $0.clamped(to: .minutes(1)...spanMax) }) where !lengths.contains(span) {
            lengths.append(span)
        }
        return lengths.prefix(isExported ? queriedSpansMax : spansMax)
    }

    private func measure(
        _ app: CrashlyticsSource.App, _ spans: [TimeSpan], _ number: Int, _ figures: AppFigures, then: @escaping Found
    ) -> PollStep {
        guard number < spans.count else {
            return figures.isRunning ? then(self, .success(figures)) : readIssues(app, spans, figures, then: then)
        }
        let goOn: @Sendable (CrashlyticsPoll, Result<[CountedRelease]?, PollFailure>) -> PollStep = { poll, result in
            switch result {
            case .failure(let failure):
                let isShorterKnown = number > 0 && !figures.isRunning
                guard isShorterKnown, failure.reason != .unauthorized else { return then(poll, .failure(failure)) }
                // The shorter spans decide about most alarms.
                var figures = figures
                let named = failure.about(spanOf: spans[number].length)
                figures.longerFailure = named.saying("longer spans are not measured this time: \(named)")
                // Issues only explain figures, and what keeps one question from getting through would keep theirs.
                guard failure.isOfOneThing else {
                    figures.issuesUnread = source.wantsIssues && app.firebase != nil
                    return then(poll, .success(figures))
                }
                return poll.readIssues(app, spans, figures, then: then)
            case .success(let releases):
                var figures = figures
                if !figures.isEndKnown, let tables = app.export, let old = spans.first?.to, releases != nil {
                    figures.isEndKnown = true
                    let end = poll.end(of: app)
                    // The table ends elsewhere than the last poll knew: what was asked for is not what there is.
                    if max(old - end, end - old) > CrashlyticsPoll.batchMin {
                        var poll = poll
                        poll.cursor.forgetJobs(of: tables)
                        let anew = AppFigures(isEndKnown: true)
                        return poll.measure(app, poll.spans(of: app, until: end), 0, anew, then: then)
                    }
                }
                figures.isRunning = figures.isRunning || releases == nil
                figures.releases.append(releases ?? [])
                return poll.measure(app, spans, number + 1, figures, then: then)
            }
        }
        if let export = app.export { return query(export, app.name, spans[number], goOn) }
        guard let firebase = app.firebase else { return goOn(self, .success([])) }
        return readVersions(firebase, app.name, spans[number], goOn)
    }

    // MARK: - Crashlytics' API

    func readVersions<Report>(
        _ firebase: FirebaseApp, _ app: String, _ span: TimeSpan, pagesMax: Int = CrashlyticsPoll.pagesMax,
        _ then: @escaping @Sendable (CrashlyticsPoll, Result<[CountedRelease]?, PollFailure>) -> Conversation<Report>
    ) -> Conversation<Report> {
        Listing<CountedRelease>.read(
            pagesMax: pagesMax,
            { next, then in
                source.crashlytics.ask(
                    firebase.versions(over: span, of: app, next: next), at: poll.now,
                    reading: { body throws(JSONMismatch) in
                        try CrashlyticsReport.versions(in: body, over: span, at: poll.now)
                    }, then: then)
            },
            then: { listing in
                var poll = self
                poll.pageCount += listing.pageCount
                if let failure = listing.failure {
                    poll.pageCount += 1
                    return then(poll, .failure(failure))
                }
                var releases = listing.items
                if !releases.isEmpty, releases.allSatisfy({ $0.metrics[.sessions] == nil && $0.metrics[.users] == nil })
                {
                    poll.warn(
                        "\(app): Crashlytics gives crashes and no totals, so there is no crash-free share; its export in "
                            + "BigQuery has them (option 'tables')")
                }
                var percentages = LeftOut()
                for release in releases { percentages.add(release.oddPercentages) }
                if let warning = percentages.warning("a percentage", "percentages") {
                    poll.warn("\(app): \(warning)")
                    poll.misses.append(PollFailure(.badAnswer, "\(app): \(warning)"))
                }
                let flaw = listing.left.warning("a version", "versions")
                if let flaw {
                    // A sum would lack it, and nobody knows what it has.
                    let failure = PollFailure(
                        .badAnswer, "\(app): no figures of the app as a whole, because \(flaw)")
                    poll.warn(failure.description)
                    poll.misses.append(failure)
                    poll.unread.add(app)
                }
                if listing.isCut {
                    poll.warn(
                        "\(app): more than \(releases.count) versions; those with the fewest crashes are left out")
                } else if flaw == nil, let whole = releases.whole {
                    releases.append(whole)
                } else if flaw == nil, releases.contains(where: { $0.metrics[.sessions] != nil }) {
                    poll.warn("\(app): no figures of the app as a whole, because \(releases.lackOfWhole)")
                }
                return then(poll, .success(releases))
            })
    }

    private func readIssues(
        _ app: CrashlyticsSource.App, _ spans: [TimeSpan], _ figures: AppFigures, then: @escaping Found
    ) -> PollStep {
        guard source.wantsIssues, let firebase = app.firebase, let span = spans.first else {
            return then(self, .success(figures))
        }
        return readIssues(firebase.issues(over: span, of: app.name)) { [figures] poll, top in
            var figures = figures
            figures.issues = top?.items ?? []
            figures.issuesUnread = top == nil
            guard top?.next != nil else { return then(poll, .success(figures)) }
            // There are more, and a new one has few crashes at first.
            return poll.readIssues(firebase.issues(over: span, of: app.name, onlyNews: true)) { [figures] poll, news in
                var (poll, figures) = (poll, figures)
                if news?.next != nil {
                    poll.warn("\(app.name): more than \(Issue.countMax) issues are new or back; the rest is left out")
                }
                let known = Set(figures.issues.map(\.id))
                // The others keep half of the room: they are what most crashes are of.
                let more = (news?.items ?? []).filter { !known.contains($0.id) }.prefix(Issue.countMax / 2)
                figures.issues = Array(figures.issues.prefix(Issue.countMax - more.count) + more)
                return then(poll, .success(figures))
            }
        }
    }

    /// Asks for issues, and goes on without them where there is trouble: figures are what alarms are made of, issues only
    /// explain them.
    private func readIssues(
        _ call: GoogleService.Call, _ then: @escaping @Sendable (CrashlyticsPoll, Page<Issue>?) -> PollStep
    ) -> PollStep {
        source.crashlytics.ask(call, at: poll.now, reading: CrashlyticsReport.issues(in:)) { answer in
            switch answer {
            case .success(let page):
                var poll = self
                if let warning = page.left.warning("an issue", "issues") { poll.warn("\(call.subject): \(warning)") }
                return then(poll, page)
            case .failure(let failure):
                var poll = self
                poll.warn(failure.description)
                poll.misses.append(failure)
                return then(poll, nil)
            }
        }
    }

    // MARK: - BigQuery

    private func query(
        _ tables: ExportTables, _ app: String, _ span: TimeSpan,
        _ then: @escaping @Sendable (CrashlyticsPoll, Result<[CountedRelease]?, PollFailure>) -> PollStep
    ) -> PollStep {
        let call =
            if let job = cursor.job(tables, over: span) { tables.call(for: job, of: app, patience: patience) } else {
                tables.call(over: span, of: app, by: poll.source, at: poll.now, patience: patience)
            }
        return wait(for: call, tables, app, span, then)
    }

    /// Goes on with nil where the query is still running at the end of what a poll may wait.
    private func wait(
        for call: GoogleService.Call, _ tables: ExportTables, _ app: String, _ span: TimeSpan,
        _ then: @escaping @Sendable (CrashlyticsPoll, Result<[CountedRelease]?, PollFailure>) -> PollStep
    ) -> PollStep {
        let read = { @Sendable (body: JSONReader) throws(JSONMismatch) in try QueryAnswer(body, over: span) }
        return source.bigQuery.ask(call, at: poll.now, reading: read) { answer in
            var poll = self
            switch answer {
            case .success(.done(let rows)):
                let releases = poll.take(rows, app, tables, span)
                if let job = rows.job { poll.cursor.keep(job, tables, over: span, at: poll.poll.now) }
                return then(poll, .success(releases))
            case .success(.running(let job)):
                poll.cursor.keep(job, tables, over: span, at: poll.poll.now)
                guard poll.waitsLeft > 0 else { return then(poll, .success(nil)) }
                poll.waitsLeft -= 1
                let call = tables.call(for: job, of: app, patience: poll.patience)
                return poll.wait(for: call, tables, app, span, then)
            case .failure(let failure):
                // With apps of the API in the same source, the account that it names is the API's.
                let isOwn = source.account == source.bigQuery.budget
                return then(poll, .failure(isOwn ? failure : failure.ofAnotherAccount))
            }
        }
    }

    /// Takes in an answer, and gives back what of its figures can be believed.
    private mutating func take(
        _ rows: QueryRows, _ app: String, _ tables: ExportTables, _ span: TimeSpan
    ) -> [CountedRelease] {
        cost.queries += 1
        cost.read += rows.bytesRead
        cost.billed += rows.bytesBilled ?? rows.bytesRead
        if let newest = rows.newest { cursor[tables] = newest }
        for warning in rows.warnings { warn("\(app): \(warning)") }
        if rows.isCut {
            warn("\(app): more than \(rows.releases.count) releases; those with few sessions are left out")
        }
        guard let end = cursor.note(rows.crashes, of: tables), end < span.to - QueryRows.delayMax else {
            return rows.releases
        }
        goWithoutCrashes(of: app, tables, after: end)
        return rows.releases.map(\.withoutCrashes)
    }

    /// Says that crashes are missing. Where tables are filled by the day, they come later than the sessions each morning,
    /// which is no trouble yet.
    private mutating func goWithoutCrashes(of app: String, _ tables: ExportTables, after end: Moment) {
        let begin = "\(app): the newest event in '\(tables.crashes).\(tables.table)' is from \(end), "
        guard end < poll.now - tables.maxAge else {
            let note = begin + "so later ones are still to come; figures of crashes are left out"
            if !lateness.contains(note) { lateness.append(note) }
            return
        }
        let failure = PollFailure(
            .badAnswer,
            begin + "more than \(tables.maxAge.grammar) ago ('max_age'); figures of crashes are left out")
        warn(failure.description)
        misses.append(failure)
    }

    // MARK: - The end

    /// The longest spans first: of spans that end together, the one told last counts as the newest.
    private mutating func observe(_ app: CrashlyticsSource.App, _ figures: AppFigures) {
        // What stands still is no figure of now, and would hide from rules that it stands still.
        if isStalled(app, figures) { return }
        let first = observations.count
        for releases in figures.releases.reversed() {
            observations += releases.compactMap { $0.observation(of: app.name, by: poll.source, at: poll.now) }
        }
        guard !figures.issues.isEmpty || figures.issuesUnread else { return }
        // On the app as a whole; where that is not known, on the release that has the most.
        let own = observations.indices.filter { $0 >= first }
        if let place = own.last(where: { observations[$0].subject.release == nil }) ?? own.last {
            observations[place].issues = figures.issues
            observations[place].issuesUnread = figures.issuesUnread
        }
    }

    /// Notes how new the tables of an app are.
    private mutating func isStalled(_ app: CrashlyticsSource.App, _ figures: AppFigures) -> Bool {
        guard let tables = app.export else { return false }
        guard let newest = cursor[tables] else {
            if figures.releases.allSatisfy(\.isEmpty) {
                warn(
                    "\(app.name): '\(tables.table)' has had no session for more than \(tables.maxAge.grammar); "
                        + "check whether its export runs")
            }
            return false
        }
        guard newest < poll.now - tables.maxAge else {
            isAnyFresh = true
            return false
        }
        stalled.append((app, newest))
        unread.add(app.name)
        return true
    }

    /// Once, however many spans say so.
    mutating func warn(_ sentence: String) {
        if !warnings.contains(sentence) { warnings.append(sentence) }
    }

    private func finish() -> PollStep {
        var poll = self
        let outcome = outcome
        if case .stale = outcome {
        } else {
            for (app, newest) in stalled {
                guard let tables = app.export else { continue }
                poll.warn(
                    "\(app.name): the newest session in '\(tables.table)' is from \(newest), more than "
                        + "\(tables.maxAge.grammar) ago ('max_age'); its figures are left out")
            }
        }
        let others = observations.isEmpty ? Array(failures.dropFirst()) : failures
        return .finish(
            PollReport(
                outcome, cursor: remembered,
                warnings: poll.warnings + others.map(\.description), notes: notes, unread: unread
            ).waiting(after: failures + misses))
    }

    /// Nil, which keeps what was there, where there is nothing to remember.
    private var remembered: JSON? {
        let isNeeded = cursor.next != nil || poll.cursor != nil || source.inApps.contains { $0.export != nil }
        return isNeeded ? cursor.json : nil
    }

    private var outcome: PollOutcome {
        if observations.isEmpty, let failure = failures.first { return .failed(failure) }
        if !observations.isEmpty { return .values(observations) }
        let isExported = source.inApps.allSatisfy { $0.export != nil }
        if isExported, !isAnyFresh, let newest = stalled.map(\.newest).max() { return .stale(measured: newest) }
        return .noData
    }

    /// What the queries cost, in words: a poll costs little, and a day has many. And what is still to come.
    private var notes: [String] {
        guard cost.queries > 0 else { return lateness }
        let polls = Duration.days(1).inSeconds / max(source.every.inSeconds, 1)
        return [
            "BigQuery read \(cost.read.inBytes) in \(cost.queries) \(cost.queries == 1 ? "query" : "queries") and bills "
                + "\(cost.billed.inBytes); every \(source.every.short) that is \((cost.billed * polls).inBytes) a day"
        ] + lateness
    }
}

extension Double {
    /// In the units by which clouds bill.
    fileprivate var inBytes: String {
        let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
        guard let unit = units.first(where: { self >= $0.0 }) else { return "\(plain) bytes" }
        return "\((((self / unit.0) * 10).rounded() / 10).plain) \(unit.1)"
    }
}
