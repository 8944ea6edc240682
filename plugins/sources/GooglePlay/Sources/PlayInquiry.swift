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
                return source.service.ask(call, at: now, reading: PlayInquiry.apps(in:), then: then)
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

    private static func apps(in body: JSONReader) throws(JSONMismatch) -> Page<String> {
        var apps: [String] = []
        for app in try body.optional("apps")?.elements() ?? [] {
            let name = try app.member("packageName")
            apps.append(try name.nonEmptyString())
            // It stands in addresses and sentences, and an app is known by it from then on.
            if apps.last?.isPackageName != true { throw name.mismatch(expected: "the name of a package") }
        }
        return Page(apps, next: try body.optional("nextPageToken")?.string())
    }

    // MARK: - One app

    /// A visit that knows of the app what was known before.
    func visit(_ app: String) -> AppVisit { AppVisit(app, cursor.names(of: app)) }

    /// Asks how far each table has come.
    ///
    /// - Parameter needed: those without which it is of no use to go on.
    func measuringMarks<Report>(
        _ visit: AppVisit, needing needed: [MetricSet], _ number: Int = 0,
        then: @escaping @Sendable (Result<AppVisit, PollFailure>) -> Conversation<Report>
    ) -> Conversation<Report> {
        guard number < tables.count else { return then(.success(visit)) }
        let table = tables[number]
        let call = GoogleService.Call(
            "freshness of \(table.title) of \(visit.app)",
            get: "/v1beta1/apps/\(visit.app.percentEncoded)/\(table.rawValue)")
        let read = { @Sendable (body: JSONReader) throws(JSONMismatch) -> Moment? in try mark(in: body) }
        return source.service.ask(call, at: now, reading: read) { answer in
            var visit = visit
            switch answer {
            case .failure(let failure):
                guard failure.isOfOneTable, !needed.contains(table) else { return then(.failure(failure)) }
                visit.leave(table, failure)
            case .success(let mark): visit.marks[table] = mark
            }
            return measuringMarks(visit, needing: needed, number + 1, then: then)
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
        let learn = { @Sendable (body: JSONReader) throws(JSONMismatch) -> VersionNames in
            var names = visit.names
            try names.learn(body, at: now)
            return names
        }
        return source.service.ask(VersionNames.call(of: visit.app), at: now, reading: learn) { answer in
            var (inquiry, visit) = (self, visit)
            switch answer {
            case .success(let names): visit.names = names
            case .failure(let failure): inquiry.goOn(without: failure)
            }
            return then(inquiry, visit)
        }
    }

    mutating func goOn(without failure: PollFailure) {
        guard !misses.contains(failure) else { return }
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
                source.service.ask(
                    question.call(source.calendar, next: next), at: now,
                    reading: { body throws(JSONMismatch) in try question.page(body, source.calendar) }, then: then)
            }, then: then)
    }
}

extension PollFailure {
    /// Whether what one table is refused for need not hold for the next.
    var isOfOneTable: Bool { isOfOneThing || [.unavailable, .tooLarge].contains(reason) }
}
