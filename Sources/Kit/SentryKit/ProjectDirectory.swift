public import PluginKit
internal import SourceKit

/// The names of the projects by their ids: sessions are counted under ids, and people know names.
public struct ProjectDirectory: Hashable, Sendable {
    public private(set) var slugs: [String: String] = [:]
    /// Ids of those of which the service says that no session ever came; empty where the names are from before this poll.
    public private(set) var withoutSessions: Set<String> = []
    /// Ids that the service was asked for and has no name of: hidden from the token.
    var nameless: Set<String> = []
    /// Whether the service has ever told of sessions: one that has can tell of them again.
    public var hasSessions = false
    /// When the service was asked; nil when never.
    public private(set) var asked: Moment?

    /// Projects are made and renamed rarely.
    private static let freshFor = Duration.days(1)
    /// A project that was hidden from the token may not be any more.
    private static let patience = Duration.minutes(15)

    /// One project of a list.
    public struct Entry: Hashable, Sendable {
        let id: String
        let slug: String
        let hasSessions: Bool?

        public init(_ project: JSONReader) throws(JSONMismatch) {
            id = try project.member("id").projectID()
            slug = try project.member("slug").nonEmptyString()
            hasSessions = try? project.optional("hasSessions")?.bool()
        }
    }

    public init(_ projects: [Entry], asked: Moment) {
        self.asked = asked
        for project in projects {
            slugs[project.id] = project.slug
            if project.hasSessions == false { withoutSessions.insert(project.id) }
        }
    }

    init(_ pages: [JSONReader], asked: Moment, leaving left: inout LeftOut) throws(JSONMismatch) {
        var projects: [Entry] = []
        for page in pages {
            projects += try page.elements(leaving: &left) { project throws(JSONMismatch) in try Entry(project) }
        }
        self.init(projects, asked: asked)
    }

    public func isFresh(at now: Moment) -> Bool { isYounger(than: ProjectDirectory.freshFor, now) }

    /// Whether it is too early to ask again for an id that had no name.
    func isPatient(at now: Moment) -> Bool { isYounger(than: ProjectDirectory.patience, now) }

    private func isYounger(than age: Duration, _ now: Moment) -> Bool {
        guard let asked else { return false }
        return asked <= now && now - asked < age
    }

    /// The id of a project written as slug or id; nil where nobody knows it.
    public func id(of project: String) -> String? {
        if project.isProjectID { return project }
        return slugs.filter { $0.value == project }.keys.min()
    }

    // MARK: - In the cursor

    /// - Parameter owner: whose projects they are, so that a changed config does not read another's names.
    public func json(of owner: String) -> JSON {
        let names = slugs.sorted { $0.key < $1.key }.map { ($0.key, JSON.string($0.value)) }
        var members: [(String, JSON)] = [
            ("owner", .string(owner)), ("asked", JSON(asked)), ("sessions", .bool(hasSessions)),
            ("projects", .object(JSONObject(names))),
        ]
        if !nameless.isEmpty { members.append(("nameless", .array(nameless.sorted().map { .string($0) }))) }
        return .object(JSONObject(members))
    }

    /// Reads what `json` wrote; anything else is as good as nothing.
    public init(cursor: JSON?, of owner: String) {
        guard let cursor, cursor["owner"]?.string == owner else { return }
        hasSessions = cursor["sessions"] == .bool(true)
        guard let text = cursor["asked"]?.string,
            let asked = Moment(rfc3339: text), let members = cursor["projects"]?.object?.members
        else { return }
        self.asked = asked
        for member in members {
            if let slug = member.value.string, !slug.isEmpty { slugs[member.name] = slug }
        }
        nameless = Set((cursor["nameless"]?.array ?? []).compactMap(\.string))
    }
}

extension JSONReader {
    /// A project's id, which comes as a number in one place and as a string in another.
    public func projectID() throws(JSONMismatch) -> String {
        if case .int(let id) = value, id >= 0 { return String(id) }
        guard case .string(let id) = value, !id.isEmpty else { throw mismatch(expected: "a project's id") }
        return id
    }
}

extension String {
    /// Slugs are never digits alone.
    public var isProjectID: Bool { isDigits }
}
