internal import PluginKit
internal import SourceKit

/// One poll under way: what is known so far, and which request comes next.
///
/// The order is: the apps when they are not known, and then for each app how far its tables have come; where they have
/// moved on, their figures, the app as a whole before its versions, what people call these, and the issues.
struct PlayPoll: Sendable {
    private let poll: Poll
    private var inquiry: PlayInquiry
    /// The apps in the order in which they are visited.
    private var tour = Tour<String>()
    private var unread = Unread.nothing
    private var observations: [Observation] = []
    private var visits: [AppVisit] = []
    /// A sentence for each app of which a table has stopped.
    private var lateness: [String] = []
    private var unchangedCount = 0
    private var failures: [PollFailure] = []
    private var notes: [String] = []

    private typealias Visited = @Sendable (PlayPoll, Result<AppVisit, PollFailure>) -> PollStep

    init(of source: GooglePlaySource, _ poll: Poll) {
        self.poll = poll
        inquiry = PlayInquiry(of: source, at: poll.now, poll.spans, poll.cursor)
        if source.calendar.period == .hourly, let longest = poll.spans.max(), longest >= .days(1) {
            notes.append(
                "a rule asks for \(longest.grammar), but hourly figures cover one hour each, and users do not add up; "
                    + "a second source with period: daily covers a day, a week or four weeks")
        }
    }

    private var source: GooglePlaySource { inquiry.source }

    func begin() -> PollStep {
        inquiry.knowingApps { inquiry, failure in failure.map { .fail($0) } ?? with(inquiry).visitAll() }
    }

    private func with(_ inquiry: PlayInquiry) -> PlayPoll {
        var poll = self
        poll.inquiry = inquiry
        return poll
    }

    // MARK: - One app after the other

    private func visitAll() -> PollStep {
        var poll = self
        poll.tour = Tour(inquiry.apps) { $0 == inquiry.cursor.next }
        poll.inquiry.cursor.next = nil
        return poll.visit(0)
    }

    private func visit(_ number: Int) -> PollStep {
        guard number < tour.stops.count else { return finish() }
        return visit(inquiry.visit(tour.stops[number])) { poll, result in
            var poll = poll
            switch result {
            case .failure(let failure):
                poll.failures.append(failure)
                guard failure.isOfOneThing else { return poll.finish(after: failure, at: number) }
                poll.unread.add(poll.tour.stops[number])
                return poll.visit(number + 1)
            case .success(var visit):
                visit.keepTold(poll.inquiry.cursor.marks(of: visit.app))
                poll.visits.append(visit)
                for (_, lack) in visit.lacks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    poll.inquiry.goOn(without: lack)
                    poll.unread.add(visit.app)
                }
                if let late = visit.lateness(at: poll.poll.now, poll.source.maxAge) { poll.lateness.append(late) }
                let (found, leftOut) = visit.observations(poll.poll, releasesMax: PlayInquiry.releasesMax)
                poll.observations += found
                if leftOut > 0 {
                    poll.inquiry.warnings.append("\(visit.app): \(leftOut.counted("version")) with few users left out")
                }
                return visit.end.map { poll.finish(after: $0, at: number) } ?? poll.visit(number + 1)
            }
        }
    }

    /// Ends with what holds for all apps.
    private func finish(after failure: PollFailure, at number: Int) -> PollStep {
        var poll = self
        for app in tour.unread(at: number, isOwn: false) { poll.unread.add(app) }
        poll.inquiry.cursor.next = tour.next(after: failure, at: number)
        return poll.finish()
    }

    private func visit(_ visit: AppVisit, then: @escaping Visited) -> PollStep {
        // Crash rates decide about most alarms; what the others lack is told beside them.
        inquiry.measuringMarks(visit, needing: [.crashes]) { result in
            switch result {
            case .failure(let failure): return then(self, .failure(failure))
            case .success(let visit):
                let known = inquiry.cursor.marks(of: visit.app).filter { visit.lacks[$0.key] == nil }
                guard !self.poll.isAnew, !visit.marks.isEmpty, visit.marks == known else {
                    return read(questions(visit), visit, 0, then: then)
                }
                var poll = self
                poll.unchangedCount += 1
                return then(poll, .success(visit))
            }
        }
    }

    private func questions(_ visit: AppVisit) -> [PlayQuestion] {
        let (calendar, known) = (source.calendar, inquiry.cursor.marks(of: visit.app))
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
        return inquiry.tables.flatMap { table -> [PlayQuestion] in
            guard let mark = visit.marks[table], mark > common || known[table] != mark else { return [] }
            return inquiry.questions(visit.app, table, from: mark > common ? common : begin(table, mark), to: mark)
        }
    }

    private func read(_ questions: [PlayQuestion], _ visit: AppVisit, _ number: Int, then: @escaping Visited)
        -> PollStep
    {
        guard number < questions.count else {
            // Only the figures say which versions there are. One that is new would go by its code for a day, and then be taken
            // for another.
            return inquiry.learningNames(visit) { inquiry, visit in with(inquiry).readIssues(visit, then: then) }
        }
        let question = questions[number]
        return inquiry.rows(question) { listing in
            var (poll, visit) = (self, visit)
            if let failure = listing.failure {
                guard question.isSpared else { return then(poll, .failure(failure)) }
                guard failure.isOfOneTable else {
                    visit.end(without: questions[number...].map(\.set), failure, at: self.poll.now)
                    return then(poll, .success(visit))
                }
                visit.leave(question.set, failure)
            }
            if let flaw = listing.left.warning("a row", "rows") {
                visit.leave(question.set, PollFailure(.badAnswer, flaw).about(question.subject))
            }
            if listing.isCut { poll.inquiry.warnings.append(question.cutWarning) }
            visit.add(listing.items, to: question, source.calendar)
            return poll.read(questions, visit, number + 1, then: then)
        }
    }

    private func readIssues(_ visit: AppVisit, then: @escaping Visited) -> PollStep {
        guard source.wantsIssues, let mark = visit.newest else { return readAnomalies(visit, then: then) }
        let read = { @Sendable (body: JSONReader) throws(JSONMismatch) in try PlayIssue.issues(in: body, visit.names) }
        return readIssues(PlayIssue.call(of: visit.app, until: mark), visit, read) { poll, visit in
            poll.readEarlierIssues(visit, until: mark, then: then)
        }
    }

    /// Finds out which of the issues are no news: an old one may come up among those with the most reports at any time.
    private func readEarlierIssues(_ visit: AppVisit, until mark: Moment, then: @escaping Visited) -> PollStep {
        guard !visit.issues.isEmpty else { return readAnomalies(visit, then: then) }
        let marks = inquiry.cursor.marks(of: visit.app)
        let span = PlayIssue.earlier(than: mark, last: marks[.crashes] ?? marks.values.max())
        let call = PlayIssue.earlierCall(of: visit.app, in: span)
        let read = { @Sendable (body: JSONReader) throws(JSONMismatch) in try PlayIssue.issues(in: body, visit.names) }
        return source.service.ask(call, at: poll.now, reading: read) { answer in
            var (poll, visit) = (self, visit)
            switch answer {
            case .success(let earlier):
                for issue in earlier { visit.note(issue, seenSince: span.from) }
            case .failure(let failure):
                // Nobody knows which of them are old, and each that was not named before would pass for a new one. They
                // are asked about again with the next figures.
                visit.issues = []
                poll.inquiry.goOn(without: failure)
            }
            return poll.readAnomalies(visit, then: then)
        }
    }

    private func readAnomalies(_ visit: AppVisit, then: @escaping Visited) -> PollStep {
        guard source.wantsAnomalies else { return then(self, .success(visit)) }
        let call = PlayAnomaly.call(of: visit.app, at: poll.now)
        let names = visit.names
        let read = { @Sendable (body: JSONReader) throws(JSONMismatch) in try PlayAnomaly.issues(in: body, names) }
        return readIssues(call, visit, read) { poll, visit in then(poll, .success(visit)) }
    }

    private func readIssues(
        _ call: GoogleService.Call, _ visit: AppVisit,
        _ read: @escaping @Sendable (JSONReader) throws(JSONMismatch) -> [Issue],
        then: @escaping @Sendable (PlayPoll, AppVisit) -> PollStep
    ) -> PollStep {
        source.service.ask(call, at: poll.now, reading: read) { answer in
            var (poll, visit) = (self, visit)
            switch answer {
            case .success(let found):
                // What Play itself finds unusual comes before the last of its many issues.
                visit.issues = Array((found + visit.issues).prefix(Issue.countMax))
            case .failure(let failure):
                // The figures are what alarms are made of; issues only explain them.
                poll.inquiry.goOn(without: failure)
            }
            return then(poll, visit)
        }
    }

    // MARK: - The end

    private func finish() -> PollStep {
        let others = observations.isEmpty ? Array(failures.dropFirst()) : failures
        let outcome = outcome
        var warnings = inquiry.warnings + others.map(\.description)
        var isStale = false
        if case .stale = outcome { isStale = true }
        // Where everything has stopped, the outcome says so and tells no figures: they are read again with newer ones.
        if !isStale { warnings += lateness }
        var cursor = inquiry.cursor
        for visit in visits { cursor.note(visit, isTold: !isStale, among: inquiry.apps) }
        var report = PollReport(
            outcome, cursor: cursor.json, warnings: warnings, notes: notes, unread: unread
        ).waiting(after: failures + inquiry.misses)
        // A failure keeps what was known before, but for where the next poll begins.
        if case .failed = report.outcome { report.cursor = inquiry.cursor.json }
        return .finish(report)
    }

    private var outcome: PollOutcome {
        if observations.isEmpty, let failure = failures.first { return .failed(failure) }
        if let newest = visits.compactMap(\.newest).max(), newest < poll.now - source.maxAge {
            return .stale(measured: newest)
        }
        if !observations.isEmpty { return .values(observations) }
        return unchangedCount > 0 ? .unchanged : .noData
    }
}
