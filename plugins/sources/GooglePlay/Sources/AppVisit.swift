internal import PluginKit

/// What is found out about one app in one poll.
struct AppVisit: Sendable {
    let app: String
    /// How far each table has come.
    var marks: [MetricSet: Moment] = [:]
    /// Why answers of some tables are missing, which are read again with the next poll.
    private(set) var lacks: [MetricSet: PollFailure] = [:]
    /// What has ended the visit before all was read, and holds for all apps.
    private(set) var end: PollFailure?
    var issues: [Issue] = []
    var names: VersionNames
    private var rows: [Place: Metrics] = [:]
    /// Where a table gave a figure of what lies behind its own mark: it is still filling.
    private var unfinished: Set<Place> = []

    struct Place: Hashable, Sendable {
        let release: String?
        let span: TimeSpan
    }

    init(_ app: String, _ names: VersionNames) {
        self.app = app
        self.names = names
    }

    /// The codes of the versions of which there are figures.
    var codes: Set<String> { Set(rows.keys.compactMap(\.release)) }

    /// Where issues and the newest figures end.
    var newest: Moment? { marks[.crashes] ?? marks.values.max() }

    /// Goes on without an answer of a table.
    mutating func leave(_ table: MetricSet, _ failure: PollFailure) { lacks[table] = lacks[table] ?? failure }

    /// Goes on without any further answer.
    mutating func end(without tables: some Sequence<MetricSet>, _ failure: PollFailure, at now: Moment) {
        for table in tables { leave(table, failure) }
        end = failure
        // One that is new would go by its code, and by its name later: two versions.
        if !names.isFresh(for: codes, at: now) { rows = rows.filter { $0.key.release == nil } }
    }

    /// Leaves alone what was told before of tables that lack answers now: told again without them, it would lose what they said.
    ///
    /// - Parameter known: how far each had come when it was told last.
    mutating func keepTold(_ known: [MetricSet: Moment]) {
        guard let told = lacks.keys.compactMap({ known[$0] }).max() else { return }
        rows = rows.filter { $0.key.span.to > told }
    }

    /// Notes that an issue had reports in the days from a moment on, and perhaps before: it is as old as that at least.
    mutating func note(_ earlier: Issue, seenSince begin: Moment) {
        guard let index = issues.firstIndex(where: { $0.id == earlier.id }) else { return }
        issues[index].firstSeen = begin
    }

    /// Which of its tables have stopped, as a sentence; nil while none has.
    ///
    /// - Parameter maxAge: how long ago the figures of a table may end.
    func lateness(at now: Moment, _ maxAge: Duration) -> String? {
        let late = marks.filter { $0.value < now - maxAge }.sorted { $0.key.rawValue < $1.key.rawValue }
        guard let newest = late.map(\.value).max() else { return nil }
        let what = late.count == marks.count ? "all figures" : late.map(\.key.title).joined(separator: " and ")
        return "\(app): \(what) end at \(newest), more than \(maxAge.grammar) ago ('max_age')"
    }

    /// Takes in the rows of an answer.
    mutating func add(_ answer: [PlayRow], to question: PlayQuestion, _ calendar: PlayCalendar) {
        for row in answer {
            guard let span = TimeSpan(from: row.start, to: calendar.end(of: row.start)) else { continue }
            let place = Place(release: row.release, span: span)
            if span.to > question.to { unfinished.insert(place) }
            set(row.figures["errorReportCount"], .crashEvents, at: place)
            if let users = row.figures["distinctUsers"], question.set != .events, users > 0 {
                // Both tables count them; the first one's are kept.
                if rows[place]?[.users] == nil { set(users, .users, at: place) }
            }
            guard let rate = question.set.rate(question.crashes) else { continue }
            set(row.figures[rate], question.set, at: place)
            for stretch in question.stretches {
                let from = calendar.movedByDays(span.to, -stretch.rawValue)
                guard let long = TimeSpan(from: from, to: span.to) else { continue }
                let place = Place(release: row.release, span: long)
                if span.to > question.to { unfinished.insert(place) }
                set(row.figures[rate + stretch.suffix], question.set, at: place)
            }
        }
    }

    private mutating func set(_ rate: Double?, _ table: MetricSet, at place: Place) {
        // What Play calls a crash rate is the share of users that met one.
        if table == .hangs {
            set(rate, .anrRate, at: place)
        } else {
            set(rate.map { 1 - $0 }, .crashFreeUsers, at: place)
        }
    }

    private mutating func set(_ value: Double?, _ metric: Metric, at place: Place) {
        if let value { rows[place, default: Metrics()][metric] = value }
    }

    /// The observations, the oldest first and of those that end together the longest.
    ///
    /// - Parameter releasesMax: beyond these the releases with the fewest users are left out.
    func observations(_ poll: Poll, releasesMax: Int) -> (observations: [Observation], leftOut: Int) {
        var users: [String: Double] = [:]
        for (place, metrics) in rows {
            guard let release = place.release else { continue }
            let counted = metrics[.users]
            users[release] = max(users[release] ?? 0, counted ?? 0)
        }
        let kept = Set(users.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(releasesMax).map(\.key))
        let places = rows.keys.filter { $0.release.map(kept.contains) ?? true }.sorted { left, right in
            let (a, b) = (left.span, right.span)
            if a.to != b.to { return a.to < b.to }
            if a.from != b.from { return a.from < b.from }
            return (left.release ?? "") < (right.release ?? "")
        }
        var observations = places.map { place in
            Observation(
                subject: Subject(source: poll.source, app: app, release: place.release.map { names[$0] }),
                span: place.span,
                seen: poll.now,
                // By the tables that it is from: one that is late keeps nobody from judging the others.
                isComplete: !unfinished.contains(place), metrics: rows[place] ?? Metrics())
        }
        if !issues.isEmpty, let index = observations.lastIndex(where: { $0.subject.release == nil }) {
            observations[index].issues = issues
        }
        return (observations, users.count - kept.count)
    }
}
