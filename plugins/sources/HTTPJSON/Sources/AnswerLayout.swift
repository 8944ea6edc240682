internal import JSONPath
internal import PluginKit

/// Where an answer keeps what: the options `each`, `map`, `issues` and their like, parsed.
struct AnswerLayout: Hashable, Sendable {
    private typealias Source = HTTPJSONSource

    let each: Mapping
    private(set) var app: Mapping?
    private(set) var release: Mapping?
    private(set) var environment: Mapping?
    private(set) var from: Mapping?
    private(set) var to: Mapping?
    /// In the order of the config.
    private(set) var metrics: [Mapping] = []
    private(set) var issues: IssueLayout?
    /// When the answer was measured, from its root.
    private(set) var measured: Mapping?
    /// For rows that name no app.
    let fixedApp: String?
    /// What one row covers when it does not say.
    let span: Duration
    let maxAge: Duration?
    /// Whether one row that makes no sense fails the poll.
    let isStrict: Bool
    /// What is probably a slip.
    private(set) var cautions: [Problem] = []

    /// Names that no metric is near to; shorter ones have neighbours that are words, too.
    private static let unmistakable = ["release", "environment"]

    /// Reads the options; every mistake is reported.
    init(_ options: Options, every: Duration) throws(ProblemList) {
        var problems: [Problem] = []
        func mapping(_ text: String, _ name: String, _ use: Mapping.Use, _ position: Position) -> Mapping? {
            do {
                return try Mapping(text, named: name, for: use)
            } catch {
                problems.append(Problem(position, error.message, suggestion: error.suggestion))
                return nil
            }
        }
        let wholeAnswer = Mapping(name: Source.each.name, path: .whole)
        each =
            mapping(options[Source.each], Source.each.name, .rows, options.position(of: Source.each)) ?? wholeAnswer
        fixedApp = options[Source.app]
        span = options[Source.span] ?? every
        maxAge = options[Source.maxAge]
        isStrict = options[Source.strict]
        measured = options[Source.measured].flatMap {
            mapping($0, Source.measured.name, .instant, options.position(of: Source.measured))
        }
        for path in options[Source.map] {
            let (name, text, position) = (path.name, path.value, path.position)
            switch name {
            case "app": app = mapping(text, name, .text, position)
            case "release": release = mapping(text, name, .text, position)
            case "environment": environment = mapping(text, name, .text, position)
            case "from": from = mapping(text, name, .instant, position)
            case "to": to = mapping(text, name, .instant, position)
            default:
                if let flaw = Problem.ofMetricName(name, at: position) {
                    problems.append(flaw)
                    continue
                }
                if let near = name.nearest(in: AnswerLayout.unmistakable) {
                    cautions.append(
                        Problem(
                            position, "'\(name)' is taken for a metric", suggestion: near, level: .warning))
                }
                if let metric = mapping(text, name, .number, position) { metrics.append(metric) }
            }
        }
        if let paths = options[Source.issues] {
            let fields = paths.compactMap { path -> Mapping? in
                guard let use = IssueLayout.uses.first(where: { $0.name == path.name })?.use else {
                    problems.append(
                        Problem(
                            path.position, "'\(path.name)' is not a property of an issue",
                            suggestion: path.name.nearest(in: IssueLayout.uses.map(\.name))))
                    return nil
                }
                return mapping(path.value, path.name, use, path.position)
            }
            issues = IssueLayout(fields)
            if issues == nil, fields.count == paths.count {
                problems.append(Problem(options.position(of: Source.issues), "'issues' needs 'each' and 'id'"))
            }
        }
        if problems.isEmpty { problems = gaps(options) }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    /// What is missing although every option by itself is fine.
    private func gaps(_ options: Options) -> [Problem] {
        var problems: [Problem] = []
        if metrics.isEmpty, issues == nil {
            problems.append(
                Problem(
                    options.position(of: Source.map), "'map' names no metric, and there are no 'issues'",
                    advice: "for example users: $.users, crashed_users: $.crashed"))
        }
        // Of the source as a whole: what is missing may be there and be wrong, which has been told.
        if app == nil, fixedApp == nil {
            problems.append(
                Problem(
                    options.position, "neither 'app' nor 'map.app' names the app of the figures",
                    advice: "write app: NAME"))
        }
        if fixedApp?.isEmpty == true { problems.append(Problem(options.position(of: Source.app), "'app' is empty")) }
        if maxAge != nil, to == nil, measured == nil {
            problems.append(
                Problem(
                    options.position, "'max_age' needs to know when the figures were measured",
                    advice: "for example measured: $.generated_at"))
        }
        return problems
    }
}

/// Where a row keeps its issues.
struct IssueLayout: Hashable, Sendable {
    /// Starts at the row; the others start at the issue.
    let each: Mapping
    let id: Mapping
    private let fields: [Mapping]

    static let uses: [(name: String, use: Mapping.Use)] = [
        ("each", .rows), ("id", .text), ("title", .text), ("events", .number), ("users", .number),
        ("first_seen", .instant), ("last_seen", .instant), ("release", .text), ("status", .text), ("url", .text),
    ]

    /// Nil without `each` and `id`.
    init?(_ fields: [Mapping]) {
        guard let each = fields.first(where: { $0.name == "each" }), let id = fields.first(where: { $0.name == "id" })
        else { return nil }
        self.each = each
        self.id = id
        self.fields = fields
    }

    subscript(_ name: String) -> Mapping? { fields.first { $0.name == name } }
}
