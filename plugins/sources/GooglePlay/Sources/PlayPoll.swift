internal import PluginKit
internal import SourceKit

/// One poll under way: what is known so far, and which request comes next.
///
/// The order is: the apps when they are not known, and then for each app how far its tables have come; where they have
/// moved on, their figures, the app as a whole before its versions, and the issues.
struct PlayPoll: Sendable {
    private let source: GooglePlaySource
    private let poll: Poll
    private let stretches: [Stretch]
    private let tables: [MetricSet]
    private var cursor: PlayCursor
    private var apps: [String] = []
    private var observations: [Observation] = []
    private var marks: [Moment] = []
    /// A sentence for each app of which a table has stopped.
    private var lateness: [String] = []
    private var unchangedCount = 0
    private var failures: [PollFailure] = []
    private var warnings: [String] = []
    private var notes: [String] = []

    /// Most pages of one table: five thousand rows.
    private static let pagesMax = 5
    /// Each is a subject of its own with rules upon it; an app has a handful of versions that people use.
    private static let releasesMax = 50

    private typealias Visited = @Sendable (PlayPoll, Result<AppVisit, PollFailure>) -> PollStep

    init(of source: GooglePlaySource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        stretches = Stretch.covering(poll.spans, source.calendar.period)
        tables = source.wantsEvents ? MetricSet.allCases : [.crashes, .hangs]
        // Spans of a week take other columns than days alone.
        let owner = "\(source.optionsHash) \(stretches.map(\.rawValue))"
        cursor = PlayCursor(poll.cursor, of: owner)
        if source.calendar.period == .hourly, let longest = poll.spans.max(), longest >= .days(1) {
            notes.append(
                "a rule asks for \(longest.grammar), but figures by the hour are of one hour each: users do not add up; "
                    + "a second source with period: daily has days, weeks and four weeks")
        }
    }

    func begin() -> PollStep {
        if !source.apps.isEmpty { return watching(source.apps) }
        if cursor.knowsApps(at: poll.now) { return watching(cursor.apps) }
        return Listing<String>.read(
            pagesMax: 3,
            { next, then in
                var query = [("pageSize", "1000")]
                if let next { query.append(("pageToken", next)) }
                let call = GoogleService.Call("apps", get: "/v1beta1/apps:search", query)
                return source.service.ask(call, at: poll.now) { answer in then(PlayPoll.apps(in: answer)) }
            },
            then: { listing in
                if let failure = listing.failure { return .fail(failure) }
                var poll = self
                let apps = Array(Set(listing.items)).sorted()
                guard !apps.isEmpty else {
                    let email = source.service.account.email
                    return .fail(PollFailure(.forbidden, "apps: \(email) may see none; invite it in the Play Console"))
                }
                poll.cursor.learn(Array(apps.prefix(GooglePlaySource.appsMax)), at: poll.poll.now)
                if apps.count > GooglePlaySource.appsMax {
                    poll.warnings.append(
                        "the account may see \(apps.count) apps; only the first \(GooglePlaySource.appsMax) are "
                            + "watched; name others in 'apps'")
                }
                return poll.watching(poll.cursor.apps)
            })
    }

    private static func apps(in answer: Result<JSONReader, PollFailure>) -> Result<Page<String>, PollFailure> {
        do throws(PollFailure) {
            let body = try answer.get()
            return .success(
                try PollFailure.reading("apps") { () throws(JSONMismatch) in
                    var apps: [String] = []
                    for app in try body.optional("apps")?.elements() ?? [] {
                        let name = try app.member("packageName")
                        apps.append(try name.nonEmptyString())
                        // It stands in addresses and sentences, and an app is known by it from then on.
                        if apps.last?.isPackageName != true { throw name.mismatch(expected: "the name of a package") }
                    }
                    return Page(apps, next: try body.optional("nextPageToken")?.string())
                })
        } catch {
            return .failure(error)
        }
    }

    private func watching(_ apps: [String]) -> PollStep {
        var poll = self
        poll.apps = apps
        return poll.visit(0)
    }

    // MARK: - One app after the other

    private func visit(_ number: Int) -> PollStep {
        guard number < apps.count else { return finish() }
        return measureMarks(AppVisit(apps[number], cursor.names(of: apps[number])), 0) { poll, result in
            var poll = poll
            switch result {
            case .failure(let failure):
                poll.failures.append(failure)
                // What one app is refused for need not hold for the next.
                let isItsOwn = [.forbidden, .notFound, .refused, .badAnswer].contains(failure.reason)
                return isItsOwn ? poll.visit(number + 1) : poll.finish()
            case .success(let visit):
                if let newest = visit.newest { poll.marks.append(newest) }
                if let late = visit.lateness(at: poll.poll.now, poll.source.maxAge) { poll.lateness.append(late) }
                let (found, leftOut) = visit.observations(poll.poll, releasesMax: PlayPoll.releasesMax)
                poll.observations += found
                if leftOut > 0 { poll.warnings.append("\(visit.app): \(leftOut) versions with few users are left out") }
                poll.cursor.note(visit, among: poll.apps)
                return poll.visit(number + 1)
            }
        }
    }

    /// Asks how far each table has come.
    private func measureMarks(_ visit: AppVisit, _ number: Int, then: @escaping Visited) -> PollStep {
        guard number < tables.count else {
            guard !visit.marks.isEmpty, visit.marks == cursor.marks(of: visit.app) else {
                return learnNames(visit) { poll, visit in poll.read(poll.questions(visit), visit, 0, then: then) }
            }
            var poll = self
            poll.unchangedCount += 1
            return then(poll, .success(visit))
        }
        let table = tables[number]
        let subject = "freshness of \(table.title) of \(visit.app)"
        let call = GoogleService.Call(subject, get: "/v1beta1/apps/\(visit.app.percentEncoded)/\(table.rawValue)")
        return source.service.ask(call, at: poll.now) { answer in
            do throws(PollFailure) {
                var visit = visit
                let body = try answer.get()
                visit.marks[table] = try PollFailure.reading(subject) { () throws(JSONMismatch) in try mark(in: body) }
                return measureMarks(visit, number + 1, then: then)
            } catch {
                return then(self, .failure(error))
            }
        }
    }

    /// Asks what people call the versions. Without an answer they go by their codes, as far as they have no names yet.
    private func learnNames(
        _ visit: AppVisit, then: @escaping @Sendable (PlayPoll, AppVisit) -> PollStep
    ) -> PollStep {
        guard !visit.marks.isEmpty, !visit.names.isFresh(at: poll.now) else { return then(self, visit) }
        let call = VersionNames.call(of: visit.app)
        return source.service.ask(call, at: poll.now) { answer in
            var (poll, visit) = (self, visit)
            do throws(PollFailure) {
                let body = try answer.get()
                let now = poll.poll.now
                var names = visit.names
                try PollFailure.reading(call.subject) { () throws(JSONMismatch) in try names.learn(body, at: now) }
                visit.names = names
            } catch {
                poll.warnings.append(error.description)
            }
            return then(poll, visit)
        }
    }

    /// Nil for an app of which Play has nothing yet.
    private func mark(in body: JSONReader) throws(JSONMismatch) -> Moment? {
        guard let info = try body.optional("freshnessInfo"), let list = try info.optional("freshnesses") else {
            // An answer about something else altogether is not an app without figures.
            guard try body.optional("name") != nil else { throw body.mismatch(expected: "a table with its 'name'") }
            return nil
        }
        for freshness in try list.elements()
        where try freshness.member("aggregationPeriod").string() == source.calendar.period.word {
            let end = try freshness.member("latestEndTime")
            let mark = try source.calendar.moment(end)
            guard mark <= poll.now + Observation.clockSlackMax else { throw end.mismatch(expected: "no time to come") }
            return mark
        }
        throw list.mismatch(expected: "a freshness for \(source.calendar.period.word)")
    }

    private func questions(_ visit: AppVisit) -> [PlayQuestion] {
        let (calendar, known) = (source.calendar, cursor.marks(of: visit.app))
        // After a pause, what came in meanwhile, and never more than at first.
        func begin(_ table: MetricSet, _ mark: Moment) -> Moment {
            let longest = calendar.moved(mark, by: -calendar.period.first)
            let again = calendar.moved(known[table] ?? mark, by: -calendar.period.again)
            return known.isEmpty ? longest : min(max(longest, again), calendar.moved(mark, by: -1))
        }
        guard let newest = visit.marks.values.max(), let first = visit.marks.map({ begin($0.key, $0.value) }).min()
        else { return [] }
        // All from one moment on: an hour told anew from the table that is late alone would lose what the others said of it.
        let common = max(first, calendar.moved(newest, by: -calendar.period.first))
        return tables.flatMap { table -> [PlayQuestion] in
            guard let mark = visit.marks[table], mark > common || known[table] != mark else { return [] }
            let from = mark > common ? common : begin(table, mark)
            return [false, true].map { hasVersions in
                PlayQuestion(
                    app: visit.app, set: table, hasVersions: hasVersions, crashes: source.crashes,
                    stretches: table == .events ? [] : stretches, from: from, to: mark)
            }
        }
    }

    private func read(_ questions: [PlayQuestion], _ visit: AppVisit, _ number: Int, then: @escaping Visited)
        -> PollStep
    {
        guard number < questions.count else { return readIssues(visit, then: then) }
        let question = questions[number]
        return Listing<PlayRow>.read(
            pagesMax: PlayPoll.pagesMax,
            { next, then in
                source.service.ask(question.call(source.calendar, next: next), at: poll.now) { answer in
                    do throws(PollFailure) {
                        let body = try answer.get()
                        return then(
                            .success(
                                try PollFailure.reading(question.subject) { () throws(JSONMismatch) in
                                    try question.page(body, source.calendar)
                                }))
                    } catch {
                        return then(.failure(error))
                    }
                }
            },
            then: { listing in
                var (poll, visit) = (self, visit)
                if let failure = listing.failure { return then(poll, .failure(failure)) }
                if listing.isCut { poll.warnings.append("\(question.subject): more rows than are read") }
                visit.add(listing.items, to: question, source.calendar)
                return poll.read(questions, visit, number + 1, then: then)
            })
    }

    private func readIssues(_ visit: AppVisit, then: @escaping Visited) -> PollStep {
        guard source.wantsIssues, let mark = visit.newest else { return readAnomalies(visit, then: then) }
        let call = PlayIssue.call(of: visit.app, until: mark)
        return readIssues(call, visit, { body, names throws(JSONMismatch) in try PlayIssue.issues(in: body, names) }) {
            poll, visit in
            poll.readEarlierIssues(visit, until: mark, then: then)
        }
    }

    /// Finds out which of the issues are no news: an old one may come up among those with the most reports at any time.
    private func readEarlierIssues(_ visit: AppVisit, until mark: Moment, then: @escaping Visited) -> PollStep {
        guard !visit.issues.isEmpty else { return readAnomalies(visit, then: then) }
        let marks = cursor.marks(of: visit.app)
        let span = PlayIssue.earlier(than: mark, last: marks[.crashes] ?? marks.values.max())
        let call = PlayIssue.earlierCall(of: visit.app, in: span)
        return source.service.ask(call, at: poll.now) { answer in
            var (poll, visit) = (self, visit)
            do throws(PollFailure) {
                let (body, names) = (try answer.get(), visit.names)
                let earlier = try PollFailure.reading(call.subject) { () throws(JSONMismatch) in
                    try PlayIssue.issues(in: body, names)
                }
                for issue in earlier { visit.note(issue, seenSince: span.from) }
            } catch {
                poll.warnings.append(error.description)
            }
            return poll.readAnomalies(visit, then: then)
        }
    }

    private func readAnomalies(_ visit: AppVisit, then: @escaping Visited) -> PollStep {
        guard source.wantsAnomalies else { return then(self, .success(visit)) }
        let call = PlayAnomaly.call(of: visit.app, at: poll.now)
        return readIssues(call, visit, { body, names throws(JSONMismatch) in try PlayAnomaly.issues(in: body, names) })
        {
            poll, visit in
            then(poll, .success(visit))
        }
    }

    private func readIssues(
        _ call: GoogleService.Call, _ visit: AppVisit,
        _ read: @escaping @Sendable (JSONReader, VersionNames) throws(JSONMismatch) -> [Issue],
        then: @escaping @Sendable (PlayPoll, AppVisit) -> PollStep
    ) -> PollStep {
        source.service.ask(call, at: poll.now) { answer in
            var (poll, visit) = (self, visit)
            do throws(PollFailure) {
                let (body, names) = (try answer.get(), visit.names)
                let found = try PollFailure.reading(call.subject) { () throws(JSONMismatch) in try read(body, names) }
                // What Play itself finds unusual comes before the last of its many issues.
                visit.issues = Array((found + visit.issues).prefix(Issue.countMax))
            } catch {
                // The figures are what alarms are made of; issues only explain them.
                poll.warnings.append(error.description)
            }
            return then(poll, visit)
        }
    }

    // MARK: - The end

    private func finish() -> PollStep {
        let others = observations.isEmpty ? Array(failures.dropFirst()) : failures
        let outcome = outcome
        var warnings = warnings + others.map(\.description)
        // Where everything has stopped, the outcome says so.
        if case .stale = outcome {} else { warnings += lateness }
        var report = PollReport(outcome, cursor: cursor.json, warnings: warnings, notes: notes)
            .waiting(after: failures)
        // A failure keeps what was known before.
        if case .failed = report.outcome { report.cursor = nil }
        return .finish(report)
    }

    private var outcome: PollOutcome {
        if observations.isEmpty, let failure = failures.first { return .failed(failure) }
        if let newest = marks.max(), newest < poll.now - source.maxAge { return .stale(measured: newest) }
        if !observations.isEmpty { return .values(observations) }
        return unchangedCount > 0 ? .unchanged : .noData
    }
}
