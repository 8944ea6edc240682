internal import PluginKit
internal import SourceKit

/// One of Play's tables of figures, each of which comes as far as its own mark.
enum MetricSet: String, CaseIterable, Sendable {
    case crashes = "crashRateMetricSet"
    case hangs = "anrRateMetricSet"
    case events = "errorCountMetricSet"

    /// For failures.
    var title: String {
        switch self {
        case .crashes: "crash rates"
        case .hangs: "ANR rates"
        case .events: "crash reports"
        }
    }

    /// The rate that is asked for; nil for the table that has none.
    func rate(_ crashes: GooglePlaySource.Crashes) -> String? {
        switch self {
        case .crashes: crashes == .all ? "crashRate" : "userPerceivedCrashRate"
        case .hangs: crashes == .all ? "anrRate" : "userPerceivedAnrRate"
        case .events: nil
        }
    }
}

/// A figure over more days than one, which Play computes itself: users of a week are not the sum of those of its days.
enum Stretch: Int, CaseIterable, Sendable {
    case week = 7
    case fourWeeks = 28

    /// Behind the name of a rate.
    var suffix: String { "\(rawValue)dUserWeighted" }

    /// Those that come nearer to a span than a day does. By the hour there are none.
    static func covering(_ spans: [Duration], _ period: Period) -> [Stretch] {
        guard period == .daily, let longest = spans.max() else { return [] }
        return allCases.filter { longest >= ($0 == .week ? .days(4) : .days(17)) }
    }
}

/// What is asked of a table: the app as a whole, or each version by itself.
struct PlayQuestion: Sendable {
    let app: String
    let set: MetricSet
    let hasVersions: Bool
    let crashes: GooglePlaySource.Crashes
    let stretches: [Stretch]
    let from: Moment
    /// The table's mark: to ask for more is an error.
    let to: Moment

    /// Most rows of a page; the API takes ten thousand.
    private static let pageSize: Int64 = 1000

    func call(_ calendar: PlayCalendar, next: String?) -> GoogleService.Call {
        var dimensions: [JSON] = set == .events ? ["reportType"] : []
        if hasVersions { dimensions.append("versionCode") }
        var metrics = set == .events ? ["errorReportCount"] : []
        if let rate = set.rate(crashes) { metrics += [rate] + stretches.map { rate + $0.suffix } }
        metrics.append("distinctUsers")
        var body: JSONObject = JSONObject([
            (
                "timelineSpec",
                [
                    "aggregationPeriod": .string(calendar.period.word), "startTime": calendar.json(from),
                    "endTime": calendar.json(to),
                ]
            ), ("dimensions", .array(dimensions)), ("metrics", .array(metrics.map(JSON.string))),
            ("pageSize", .int(PlayQuestion.pageSize)),
        ])
        if set == .events { body.append("filter", "reportType = CRASH") }
        if let next { body.append("pageToken", .string(next)) }
        return GoogleService.Call(
            subject, post: "/v1beta1/apps/\(app.percentEncoded)/\(set.rawValue):query", .object(body))
    }

    var subject: String { "\(set.title) of \(app)" }

    /// Whether the app is judged without its answer, too.
    var isSpared: Bool { hasVersions || set != .crashes }

    var cutWarning: String { "\(subject): more rows than are read" }

    /// Reads a page of rows; none at all is how the API says that there is nothing.
    func page(_ body: JSONReader, _ calendar: PlayCalendar) throws(JSONMismatch) -> Page<PlayRow> {
        var left = LeftOut()
        let rows = try body.optional("rows")?.elements(leaving: &left) { row throws(JSONMismatch) in
            try self.row(row, calendar)
        }
        return Page(rows ?? [], next: try body.optional("nextPageToken")?.string(), leaving: left)
    }

    private func row(_ row: JSONReader, _ calendar: PlayCalendar) throws(JSONMismatch) -> PlayRow {
        let period = try row.member("aggregationPeriod")
        guard try period.string() == calendar.period.word else {
            throw period.mismatch(expected: "\"\(calendar.period.word)\"")
        }
        let start = try calendar.moment(row.member("startTime"))
        var version: String?
        for dimension in try row.optional("dimensions")?.elements() ?? [] {
            guard try dimension.member("dimension").string() == "versionCode" else { continue }
            let number = try dimension.optional("int64Value")
            let value = if let number { number } else { try dimension.member("stringValue") }
            version = try value.nonEmptyString()
        }
        guard !hasVersions || version != nil else {
            throw row.mismatch(expected: "the dimension 'versionCode', which was asked for")
        }
        var figures: [String: Double] = [:]
        for figure in try row.member("metrics").elements() {
            let name = try figure.member("metric").string()
            guard let decimal = try figure.optional("decimalValue") else { continue }
            let number = try decimal.decimal()
            let isRate = set.rate(crashes).map(name.hasPrefix) ?? false
            guard number >= 0, !isRate || number <= 1 else {
                throw decimal.mismatch(expected: "for '\(name)' \(isRate ? "a fraction from 0 to 1" : "0 or more")")
            }
            figures[name] = number
        }
        return PlayRow(release: hasVersions ? version : nil, start: start, figures: figures)
    }
}

/// One row of a table.
struct PlayRow: Hashable, Sendable {
    /// The version's code; nil for the app as a whole.
    let release: String?
    let start: Moment
    /// By the API's names.
    let figures: [String: Double]
}
