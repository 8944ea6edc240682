internal import PluginKit

/// Where an answer keeps what: the options `each`, `map`, `issues` and their like, parsed.
struct AnswerLayout: Hashable, Sendable {
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
        let wholeAnswer = Mapping(name: "each", path: JSONPath(text: "$", segments: []))
        each =
            options.plain("each").flatMap { mapping($0, "each", .rows, options.position(of: "each")) } ?? wholeAnswer
        fixedApp = options.plain("app")
        span = options.duration("span") ?? every
        maxAge = options.duration("max_age")
        measured = options.plain("measured").flatMap {
            mapping($0, "measured", .instant, options.position(of: "measured"))
        }
        for (name, option) in options.map("map") {
            let text = option.text?.description ?? ""
            switch name {
            case "app": app = mapping(text, name, .text, option.position)
            case "release": release = mapping(text, name, .text, option.position)
            case "environment": environment = mapping(text, name, .text, option.position)
            case "from": from = mapping(text, name, .instant, option.position)
            case "to": to = mapping(text, name, .instant, option.position)
            default:
                if let metric = mapping(text, name, .number, option.position) { metrics.append(metric) }
            }
        }
        let fields = options.map("issues").compactMap { entry -> (Mapping, Position)? in
            guard let use = IssueLayout.uses.first(where: { $0.name == entry.name })?.use else {
                problems.append(
                    Problem(
                        entry.option.position, "'\(entry.name)' is nothing that an issue has",
                        suggestion: entry.name.nearest(in: IssueLayout.uses.map(\.name))))
                return nil
            }
            return mapping(entry.option.text?.description ?? "", entry.name, use, entry.option.position)
                .map { ($0, entry.option.position) }
        }
        if options.has("issues") {
            issues = IssueLayout(fields.map(\.0))
            if issues == nil, fields.count == options.map("issues").count {
                problems.append(Problem(options.position(of: "issues"), "'issues' needs 'each' and 'id'"))
            }
        }
        if problems.isEmpty { problems = gaps(options) }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    /// What is missing although every option by itself is fine.
    private func gaps(_ options: Options) -> [Problem] {
        var problems: [Problem] = []
        if metrics.isEmpty {
            problems.append(
                Problem(
                    options.position(of: "map"), "'map' names no metric",
                    suggestion: "users: $.users, crashed_users: $.crashed"))
        }
        if app == nil, fixedApp == nil {
            problems.append(
                Problem(
                    options.position(of: "map"), "neither 'app' nor 'map.app' says which app the figures are of",
                    suggestion: "app: my-app"))
        }
        if fixedApp?.isEmpty == true { problems.append(Problem(options.position(of: "app"), "'app' is empty")) }
        if maxAge != nil, to == nil, measured == nil {
            problems.append(
                Problem(
                    options.position(of: "max_age"), "'max_age' needs to know when the figures were measured",
                    suggestion: "measured: $.generated_at"))
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
