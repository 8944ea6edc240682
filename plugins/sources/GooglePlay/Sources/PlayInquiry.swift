internal import PluginKit
internal import SourceKit

/// What is asked of Play whoever needs it: the apps, how far their tables have come, the names of versions, and rows.
struct PlayInquiry: Sendable {
    let source: GooglePlaySource
    let now: Moment
    let stretches: [Stretch]
    let tables: [MetricSet]
    var cursor: PlayCursor
    /// Those to be asked about.
    private(set) var apps: [String] = []
    var warnings: [String] = []
    /// Why some of what only explains the figures is missing.
    private(set) var misses: [PollFailure] = []

    /// Most pages of one table: five thousand rows.
    static let pagesMax = 5
    /// Each is a subject of its own with rules upon it; an app has a handful of versions that people use.
    static let releasesMax = 50

    init(of source: GooglePlaySource, at now: Moment, _ spans: [Duration], _ cursor: JSON?) {
        self.source = source
        self.now = now
        stretches = Stretch.covering(spans, source.calendar.period)
        tables = source.wantsEvents ? MetricSet.allCases : [.crashes, .hangs]
        // Spans of a week take other columns than days alone.
        let owner = "\(source.optionsHash) \(stretches.map(\.rawValue))"
        self.cursor = PlayCursor(cursor, of: owner)
    }

    /// Goes on with the apps to be asked about; the service names them where the config does not.
    func knowingApps<Report>(
        then: @escaping @Sendable (PlayInquiry, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        if !source.apps.isEmpty { return then(watching(source.apps), nil) }
        if cursor.knowsApps(at: now) { return then(watching(cursor.apps), nil) }
        return Listing<String>.read(
            pagesMax: 3,
            { next, then in
                var query = [("pageSize", "1000")]
                if let next { query.append(("pageToken", next)) }
                let call = GoogleService.Call("apps", get: "/v1beta1/apps:search", query)
                return source.service.ask(call, at: now) { answer in then(PlayInquiry.apps(in: answer)) }
            },
            then: { listing in
                if let failure = listing.failure { return then(self, failure) }
                var inquiry = self
                let apps = Array(Set(listing.items)).sorted()
                guard !apps.isEmpty else {
                    let email = source.service.account.email
                    let failure = PollFailure(
                        .forbidden, "apps: \(email) may see none; invite it in the Play Console")
                    return then(self, failure)
                }
                inquiry.cursor.learn(Array(apps.prefix(GooglePlaySource.appsMax)), at: now)
                if apps.count > GooglePlaySource.appsMax {
                    inquiry.warnings.append(
                        "the account may see \(apps.count) apps; only the first \(GooglePlaySource.appsMax) are "
                            + "watched; name others in 'apps'")
                }
                return then(inquiry.watching(inquiry.cursor.apps), nil)
            })
    }

    private func watching(_ apps: [String]) -> PlayInquiry {
        var inquiry = self
        inquiry.apps = apps
        return inquiry
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

    /// Whether what one app is refused for need not hold for the next.
    static func isOfOneApp(_ failure: PollFailure) -> Bool {
        [.forbidden, .notFound, .refused, .badAnswer].contains(failure.reason)
    }

    // MARK: - One app

    /// A visit that knows of the app what was known before.
    func visit(_ app: String) -> AppVisit { AppVisit(app, cursor.names(of: app)) }

    /// Asks how far each table has come.
    func measuringMarks<Report>(
        _ visit: AppVisit, _ number: Int = 0,
        then: @escaping @Sendable (Result<AppVisit, PollFailure>) -> Conversation<Report>
    ) -> Conversation<Report> {
        guard number < tables.count else { return then(.success(visit)) }
        let table = tables[number]
        let subject = "freshness of \(table.title) of \(visit.app)"
        let call = GoogleService.Call(subject, get: "/v1beta1/apps/\(visit.app.percentEncoded)/\(table.rawValue)")
        return source.service.ask(call, at: now) { answer in
            do throws(PollFailure) {
                var visit = visit
                let body = try answer.get()
                visit.marks[table] = try PollFailure.reading(subject) { () throws(JSONMismatch) in try mark(in: body) }
                return measuringMarks(visit, number + 1, then: then)
            } catch {
                return then(.failure(error))
            }
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
            guard mark <= now + Observation.clockSlackMax else { throw end.mismatch(expected: "no time to come") }
            return mark
        }
        throw list.mismatch(expected: "a freshness for \(source.calendar.period.word)")
    }

    /// Asks what people call the versions. Without an answer they go by their codes, as far as they have no names yet.
    func learningNames<Report>(
        _ visit: AppVisit, then: @escaping @Sendable (PlayInquiry, AppVisit) -> Conversation<Report>
    ) -> Conversation<Report> {
        guard !visit.marks.isEmpty, !visit.names.isFresh(for: visit.codes, at: now) else { return then(self, visit) }
        let call = VersionNames.call(of: visit.app)
        return source.service.ask(call, at: now) { answer in
            var (inquiry, visit) = (self, visit)
            do throws(PollFailure) {
                let body = try answer.get()
                var names = visit.names
                try PollFailure.reading(call.subject) { () throws(JSONMismatch) in try names.learn(body, at: now) }
                visit.names = names
            } catch {
                inquiry.goOn(without: error)
            }
            return then(inquiry, visit)
        }
    }

    mutating func goOn(without failure: PollFailure) {
        warnings.append(failure.description)
        misses.append(failure)
    }

    /// What is asked of a table: first the app as a whole, and then its versions.
    func questions(_ app: String, _ table: MetricSet, from: Moment, to: Moment) -> [PlayQuestion] {
        [false, true].map { hasVersions in
            PlayQuestion(
                app: app, set: table, hasVersions: hasVersions, crashes: source.crashes,
                stretches: table == .events ? [] : stretches, from: from, to: to)
        }
    }

    /// Reads the pages of an answer.
    func rows<Report>(
        _ question: PlayQuestion, then: @escaping @Sendable (Listing<PlayRow>) -> Conversation<Report>
    ) -> Conversation<Report> {
        Listing<PlayRow>.read(
            pagesMax: PlayInquiry.pagesMax,
            { next, then in
                source.service.ask(question.call(source.calendar, next: next), at: now) { answer in
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
            }, then: then)
    }
}
