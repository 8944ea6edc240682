internal import PluginKit
internal import SourceKit

/// A project as far as it is needed.
struct Project: Hashable, Sendable {
    let id: String
    let slug: String
    let name: String
    /// What its owners aim at, in words; nil where they said nothing.
    let target: String?

    init(_ reader: JSONReader) throws(JSONMismatch) {
        id = try reader.member("id").nonEmptyString()
        slug = try reader.member("slug").nonEmptyString()
        name = try reader.optional("name")?.string() ?? ""
        let ofWhat = try reader.optional("stability_target_type")?.string() == "user" ? "users" : "sessions"
        var aims: [String] = []
        for (member, word) in [("target_stability", "target"), ("critical_stability", "critical")] {
            guard let value = try reader.optional(member)?.optional("value") else { continue }
            aims.append("\(word) \(try value.fraction().percentTrimmed)")
        }
        target = aims.isEmpty ? nil : "\(slug): Bugsnag has for crash-free \(ofWhat): \(aims.joined(separator: ", "))"
    }

    fileprivate init(id: String, slug: String) {
        self.id = id
        self.slug = slug
        (name, target) = ("", nil)
    }

    /// Whether it is meant by what a config says.
    func isCalled(_ words: String) -> Bool { [id, slug, name].contains(words) }
}

/// What a poll leaves to remember: which projects are watched, and how far each release had counted.
struct BugsnagCursor: Sendable {
    private let owner: String
    /// The organization's slug, for links.
    private(set) var organization: String?
    private(set) var projects: [Project] = []
    private var asked: Moment?
    private(set) var counters: [String: ReleaseCounters] = [:]

    /// Projects are made rarely.
    private static let freshFor = Duration.days(1)

    /// - Parameter owner: whose projects they are, so that a changed config does not read another's counts.
    init(_ json: JSON?, of owner: String) {
        self.owner = owner
        guard let json, json["of"]?.string == owner else { return }
        if let text = json["asked"]?.string, let asked = Moment(rfc3339: text) {
            self.asked = asked
            organization = json["organization"]?.string
            projects = (json["projects"]?.object?.members ?? []).compactMap { member in
                member.value.string.map { Project(id: member.name, slug: $0) }
            }
        }
        for member in json["counts"]?.object?.members ?? [] {
            counters[member.name] = ReleaseCounters(member.value)
        }
    }

    var json: JSON {
        let counts = counters.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
        return [
            "of": .string(owner), "asked": JSON(asked), "organization": JSON(organization),
            "projects": .object(JSONObject(projects.map { ($0.id, .string($0.slug)) })),
            "counts": .object(JSONObject(counts)),
        ]
    }

    func knowsProjects(at now: Moment) -> Bool {
        guard let asked, !projects.isEmpty else { return false }
        return asked <= now && now - asked < BugsnagCursor.freshFor
    }

    mutating func learn(_ projects: [Project], of organization: String, at now: Moment) {
        self.projects = projects
        self.organization = organization
        asked = now
        let watched = Set(projects.map(\.id))
        counters = counters.filter { watched.contains($0.key) }
    }

    mutating func note(_ counters: ReleaseCounters, of project: Project) { self.counters[project.id] = counters }
}
