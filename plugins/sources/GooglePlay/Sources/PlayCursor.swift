internal import PluginKit

/// What a poll leaves to remember: which apps there are, and how far the tables of each had come.
struct PlayCursor: Hashable, Sendable {
    private let owner: String
    /// Those that the account may see; empty when it was never asked.
    private(set) var apps: [String] = []
    private var asked: Moment?
    private var marks: [String: [MetricSet: Moment]] = [:]
    private var names: [String: VersionNames] = [:]
    /// The app with which the next poll begins; nil for the first.
    var next: String?

    /// Apps are published rarely.
    private static let freshFor = Duration.days(1)

    /// Reads what `json` wrote; what another config wrote is as good as nothing.
    init(_ json: JSON?, of owner: String) {
        self.owner = owner
        guard let json, json["of"]?.string == owner else { return }
        asked = json["asked"]?.string.flatMap { Moment(rfc3339: $0) }
        apps = (json["apps"]?.array ?? []).compactMap(\.string).filter { !$0.isEmpty }
        if asked == nil { apps = [] }
        for app in json["marks"]?.object?.members ?? [] {
            for mark in app.value.object?.members ?? [] {
                guard let set = MetricSet(rawValue: mark.name), let text = mark.value.string,
                    let moment = Moment(rfc3339: text)
                else { continue }
                marks[app.name, default: [:]][set] = moment
            }
        }
        next = json["next"]?.string
        for app in json["versions"]?.object?.members ?? [] { names[app.name] = VersionNames(app.value) }
    }

    var json: JSON {
        let written = marks.sorted { $0.key < $1.key }.map { app, marks in
            let tables = marks.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, JSON($0.value)) }
            return (app, JSON.object(JSONObject(tables)))
        }
        return [
            "of": .string(owner), "asked": JSON(asked), "apps": .array(apps.map(JSON.string)),
            "marks": .object(JSONObject(written)),
            "versions": .object(JSONObject(names.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })),
            "next": JSON(next),
        ]
    }

    func knowsApps(at now: Moment) -> Bool {
        guard let asked else { return false }
        return asked <= now && now - asked < PlayCursor.freshFor
    }

    mutating func learn(_ apps: [String], at now: Moment) {
        self.apps = apps
        asked = now
    }

    /// How far the tables of an app had come when they were read last; empty when they never were.
    func marks(of app: String) -> [MetricSet: Moment] { marks[app] ?? [:] }

    /// What people call the versions of an app.
    func names(of app: String) -> VersionNames { names[app] ?? VersionNames() }

    /// Remembers what was found out about an app, of these apps and no others.
    ///
    /// - Parameter isTold: whether its figures were told. Those up to marks that are remembered are not read again.
    mutating func note(_ visit: AppVisit, isTold: Bool, among apps: [String]) {
        if isTold {
            let known = marks(of: visit.app)
            var told = visit.marks
            for table in visit.lacks.keys { told[table] = known[table] }
            marks[visit.app] = told
        }
        names[visit.app] = visit.names
        marks = marks.filter { apps.contains($0.key) }
        names = names.filter { apps.contains($0.key) }
    }
}
