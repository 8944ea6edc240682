internal import PluginKit
internal import SourceKit

/// A project as far as it is needed.
struct Project: Hashable, Sendable {
    let id: String
    let slug: String
    let name: String
    let aim: Aim

    /// What its owners aim at.
    struct Aim: Hashable, Sendable {
        var isOfUsers = false
        var target: Double?
        var critical: Double?

        var json: JSON {
            isEmpty ? .null : ["users": .bool(isOfUsers), "target": JSON(target), "critical": JSON(critical)]
        }

        var isEmpty: Bool { target == nil && critical == nil }

        init() {}

        /// Reads what `json` wrote; anything else is as good as nothing.
        init(_ json: JSON?) {
            isOfUsers = json?["users"] == true
            target = json?["target"]?.number.flatMap { (0...1).contains($0) ? $0 : nil }
            critical = json?["critical"]?.number.flatMap { (0...1).contains($0) ? $0 : nil }
        }
    }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        id = try reader.member("id").nonEmptyString()
        slug = try reader.member("slug").nonEmptyString()
        name = try reader.optional("name")?.string() ?? ""
        var aim = Aim()
        aim.isOfUsers = try reader.optional("stability_target_type")?.string() == "user"
        aim.target = try reader.optional("target_stability")?.optional("value")?.fraction()
        aim.critical = try reader.optional("critical_stability")?.optional("value")?.fraction()
        self.aim = aim
    }

    fileprivate init(id: String, slug: String, _ aim: Aim) {
        self.id = id
        self.slug = slug
        self.aim = aim
        name = ""
    }

    /// What its owners aim at, in words; nil where they said nothing.
    var target: String? {
        let aims = [
            aim.target.map { "target \($0.percentTrimmed)" }, aim.critical.map { "critical \($0.percentTrimmed)" },
        ]
        .compactMap(\.self)
        guard !aims.isEmpty else { return nil }
        let ofWhat = aim.isOfUsers ? "users" : "sessions"
        return "\(slug): Bugsnag has for crash-free \(ofWhat): \(aims.joined(separator: ", "))"
    }

    /// The same as limits.
    var limit: ServiceLimit? {
        guard !aim.isEmpty else { return nil }
        return ServiceLimit(
            app: slug, metric: aim.isOfUsers ? .crashFreeUsers : .crashFreeSessions, warning: aim.target,
            critical: aim.critical, service: "Bugsnag")
    }

    /// What a failure to read its days is about.
    var stability: String { "stability of \(slug)" }

    /// Whether it is meant by what a config says.
    func isCalled(_ words: String) -> Bool { [id, slug, name].contains(words) }
}

/// What a poll leaves to remember: which projects are watched, and how far each release had counted.
struct BugsnagCursor: Sendable {
    private let owner: String
    /// The organization's slug, for links.
    private(set) var organization: String?
    private(set) var projects: [Project] = []
    /// What the config calls those that the token could not see, and a sentence about each.
    private(set) var missing: [String: String] = [:]
    private var asked: Moment?
    private(set) var counters: [String: ReleaseCounters] = [:]
    /// When the fixed errors of a project were asked for.
    private var fixed: [String: Moment] = [:]
    /// The id of the project at which the budget ended the last time.
    var next: String?

    /// Projects are made rarely.
    private static let freshFor = Duration.days(1)
    /// One that was hidden from the token may not be any more; and a token has few requests.
    private static let patience = Duration.minutes(15)
    /// An error stays fixed for days, and a token has few requests.
    private static let fixedFor = Duration.hours(1)

    /// - Parameter owner: whose projects they are, so that a changed config does not read another's counts.
    init(_ json: JSON?, of owner: String) {
        self.owner = owner
        guard let json, json["of"]?.string == owner else { return }
        if let text = json["asked"]?.string, let asked = Moment(rfc3339: text) {
            self.asked = asked
            organization = json["organization"]?.string
            projects = (json["projects"]?.object?.members ?? []).compactMap { member in
                member.value.string.map { Project(id: member.name, slug: $0, Project.Aim(json["aims"]?[member.name])) }
            }
            for member in json["missing"]?.object?.members ?? [] { missing[member.name] = member.value.string }
        }
        next = json["next"]?.string
        for member in json["counts"]?.object?.members ?? [] {
            counters[member.name] = ReleaseCounters(member.value)
        }
        for member in json["fixed"]?.object?.members ?? [] {
            fixed[member.name] = member.value.string.flatMap { Moment(rfc3339: $0) }
        }
    }

    var json: JSON {
        let counts = counters.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
        return [
            "of": .string(owner), "asked": JSON(asked), "organization": JSON(organization),
            "projects": .object(JSONObject(projects.map { ($0.id, .string($0.slug)) })),
            "missing": .object(JSONObject(missing.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            "aims": .object(JSONObject(projects.filter { !$0.aim.isEmpty }.map { ($0.id, $0.aim.json) })),
            "counts": .object(JSONObject(counts)), "next": JSON(next),
            "fixed": .object(JSONObject(fixed.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) })),
        ]
    }

    func knowsProjects(at now: Moment) -> Bool {
        guard let asked, !projects.isEmpty else { return false }
        return asked <= now && now - asked < (missing.isEmpty ? BugsnagCursor.freshFor : BugsnagCursor.patience)
    }

    mutating func learn(
        _ projects: [Project], without missing: [String: String], of organization: String, at now: Moment
    ) {
        self.projects = projects
        self.missing = missing
        self.organization = organization
        asked = now
        let watched = Set(projects.map(\.id))
        counters = counters.filter { watched.contains($0.key) }
        fixed = fixed.filter { watched.contains($0.key) }
    }

    mutating func note(_ counters: ReleaseCounters, of project: Project) { self.counters[project.id] = counters }

    /// Whether it is time to ask which errors are fixed.
    func needsFixed(of project: Project, at now: Moment) -> Bool {
        guard let asked = fixed[project.id], asked <= now else { return true }
        return now - asked >= BugsnagCursor.fixedFor
    }

    mutating func noteFixed(of project: Project, at now: Moment) { fixed[project.id] = now }
}
