// HTTPJSONSource reads stability figures from any HTTP address that answers with JSON: a dashboard of one's own, a
// vendor without a plugin, a query saved somewhere. The config says where in the answer the figures are (JSONPath) and
// what they mean, and how an answer leads to its next page. It runs no scripts and does not keep what it saw.

internal import JSONPath
public import PluginKit

/// Figures from any address that answers with JSON.
public struct HTTPJSONSource: HistoricalSource {
    public static let manifest = PluginManifest(
        name: "http_json",
        summary: "Reads figures, with JSONPath, from any HTTP address that answers with JSON.",
        example: """
            url: https://stats.example.com/stability.json
            each: $.apps[*]
            map: {app: $.name, users: $.users.total, crashed_users: $.users.crashed}
            """,
        options: [
            url, method, body, headers, each, map, issues, paging, app, span, measured, maxAge, strict,
            Setting.insecure,
        ])

    static let url = RequiredSetting(
        "url", .url, "The address to poll; {from} and {to} stand for the span asked for.")
    static let method = Setting("method", .choice([HTTPRequest.Method.get, .post]), default: .get, "The HTTP method.")
    static let body = Setting(
        "body", .text, "What to send with POST; JSON unless a Content-Type header says otherwise.")
    static let headers = Setting("headers", .map(.text), default: [], "Headers to send.").secret
    static let each = Setting("each", .plain, default: "$", "JSONPath of the rows, such as $.apps[*].").asked
    static let map = Setting(
        "map", .map(.plain), default: [], "Paths from a row to app, release, environment, from, to and any metric."
    ).asked
    static let issues = Setting(
        "issues", .map(.plain), "Paths to a row's issues: each, id, title, events, users and so on.")
    static let paging = Setting(
        "paging", .section(Paging.settings), unset: "one answer is all", "How an answer leads to its next page.")
    static let app = Setting("app", .plain, "The app of rows that name none.")
    static let span = Setting(
        "span", .duration(.seconds(1) ... .days(366)), unset: "'every', or with {from} the spans that rules ask for",
        "What one row covers when it does not say from and to.")
    static let measured = Setting(
        "measured", .plain, "JSONPath from the answer's root to the instant at which it was measured.")
    static let maxAge = Setting(
        "max_age", .duration(.seconds(1) ... .days(366)), "Figures measured longer ago than this are stale.")
    static let strict = Setting(
        "strict", .flag, default: false, "A single bad row fails the poll; otherwise it is named and left out.")

    public let host: String?
    public let account: String?
    public let metrics: Set<Metric>?

    let plan: RequestPlan
    let layout: AnswerLayout
    let paging: Paging?
    /// Of the options: a cursor left by others says nothing about these.
    let optionsHash: String
    /// The one span to ask for, if the config names it.
    private let fixedSpan: Duration?

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        var problems: [Problem] = []
        var parts: (plan: RequestPlan?, layout: AnswerLayout?, paging: Paging?) = (nil, nil, nil)
        do { parts.plan = try RequestPlan(options) } catch { problems += error.problems }
        do { parts.layout = try AnswerLayout(options, every: context.every) } catch { problems += error.problems }
        let placeholders = parts.plan?.placeholders ?? []
        if let section = options[Self.paging] {
            do { parts.paging = try Paging(section, placeholders) } catch { problems += error.problems }
        } else if let lost = placeholders.first(where: { !$0.name.isMoment }) {
            problems.append(
                Problem(
                    options.position(of: Self.url), "{\(lost.name.rawValue)} is filled in by 'paging', which is missing"
                ))
        }
        if let paging = parts.paging, paging.countsItems, let filter = parts.layout?.itemFilter {
            problems.append(
                Problem(
                    options.position(of: filter.setting),
                    "the filter in '\(filter.name)' hides how many items a page has, and paging by "
                        + "\(paging.way.rawValue) goes by that",
                    advice: "write paging.size, the items of a full page, or paging.path, to where the answer says "
                        + "whether there are more"))
        }
        guard problems.isEmpty, let plan = parts.plan, let layout = parts.layout else { throw ProblemList(problems) }
        self.plan = plan
        self.layout = layout
        paging = parts.paging
        fixedSpan = options[Self.span]
        host = plan.host
        account = plan.account
        metrics = Set(layout.metrics.map { Metric($0.name) })
        var hash = StableHash()
        hash.add("\(layout.span.wholeMilliseconds)")
        for spec in HTTPJSONSource.manifest.options { hash.add(options[named: spec.name]?.written ?? "") }
        optionsHash = hash.text
    }

    /// Whether one answer is all there is, so that a service can say that it has not changed.
    var isWhole: Bool { paging == nil && !plan.asksSpan }

    /// Whether the same answer again is news: it is about another span, and does not say so itself.
    var isNewEachTime: Bool { plan.asksSpan && layout.from == nil && layout.to == nil }

    public var onlySpan: Duration? { tellsItself || plan.asksSpan && fixedSpan == nil ? nil : layout.span }

    /// Whether rows say themselves what they cover.
    var tellsItself: Bool { layout.from != nil || layout.to != nil }

    /// The spans to ask for, shortest first: those that rules want measured, or the longest of them where rows say
    /// themselves which part of it they cover.
    func spans(_ poll: Poll) -> [TimeSpan] {
        lengths(tellsItself ? Array(poll.spans.suffix(1)) : poll.spans).compactMap { span(of: $0, upTo: poll.now) }
    }

    /// The span of that length that ended last.
    func span(of length: Duration, upTo now: Moment) -> TimeSpan? {
        let end = Recall.floor(now, to: plan.step)
        return TimeSpan(from: end - length, to: end)
    }

    /// How long the spans are that are asked for: in whole steps, and the one that the config names, if it does.
    func lengths(_ asked: [Duration]) -> [Duration] {
        var wanted: [Duration] = []
        for span in fixedSpan.map({ [$0] }) ?? asked {
            let steps = (max(span, plan.step).wholeMilliseconds - 1) / plan.step.wholeMilliseconds + 1
            let whole = Duration.milliseconds(steps * plan.step.wholeMilliseconds)
            if !wanted.contains(whole) { wanted.append(whole) }
        }
        return wanted
    }

    public var givesIssues: Bool? { layout.issues != nil }
    public var givesLabels: Bool { false }
    public var cautions: [Problem] { layout.cautions }

    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "app": layout.app == nil ? layout.fixedApp.map { [$0] } : nil
        case "release": layout.release == nil ? [""] : nil
        case "environment": layout.environment == nil ? [""] : nil
        default: nil
        }
    }

    public func poll(_ poll: Poll) -> PollStep {
        HTTPJSONPoll(of: self, poll).begin().then { .finish($0.report) }
    }

    // MARK: The past

    public var keepsHistory: Bool {
        let names = Set(plan.placeholders.map(\.name))
        return names.contains(.from) && names.contains(.to) && paging?.keeps != true
    }

    public var recallKey: String { "\(plan.url) \(optionsHash)" }

    public func recall(_ recall: Recall) -> RecallStep {
        guard keepsHistory else {
            return .fail(PollFailure(.refused, "its request does not say which time it asks about ({from} and {to})"))
        }
        return HTTPJSONRecall(of: self, recall).begin()
    }
}

extension Option {
    /// The value as text that differs where values differ, secrets masked.
    fileprivate var written: String {
        switch value {
        case .text(let text): text.description
        case .duration(let duration): duration.grammar
        case .section(let options):
            Paging.settings.map { options[named: $0.name]?.written ?? "" }.joined(separator: "\n")
        case .map(let entries): entries.map { "\($0.name): \($0.option.written)" }.joined(separator: "\n")
        default: "\(value)"
        }
    }
}
