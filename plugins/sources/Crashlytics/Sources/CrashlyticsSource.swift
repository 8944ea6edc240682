// CrashlyticsSource reads crash-free sessions and users and the issues behind them from Firebase Crashlytics: from its REST
// API, which is young and may change, or from the tables that Firebase exports to BigQuery, which are steady and cost by
// the byte.
//
// Both count anew over every span that a rule asks for, so no figure is kept between polls and no user is added up. Of
// tables it remembers how far they have come.

public import PluginKit
internal import SourceKit

/// Polls Firebase Crashlytics, or its export in BigQuery.
public struct CrashlyticsSource: HistoricalSource {
    public static let manifest = PluginManifest(
        name: "crashlytics",
        summary:
            "Crash-free sessions and users, per version, and issues from Firebase Crashlytics or its BigQuery export.",
        example: """
            key: ${file:/etc/alertbot/firebase.json}
            apps: {shop-android: "1:123456789012:android:abcdef0123456789"}
            """,
        access: "In the Google Cloud console, in the project of the app, create a service account, and under Keys "
            + "→ Add key → JSON download its key file. For the API, enable the Firebase Crashlytics API in the "
            + "project, and under IAM give the account the role Firebase Crashlytics Viewer.",
        options: [
            ServiceAccount.setting, apps, issues, tables, project, location, sessionsDataset, crashesDataset,
            megabytesMax, maxAge, url, bigQueryURL,
        ])

    static let apps = Setting(
        "apps", .map(.plain), default: [], "Names of apps with their Firebase app ids; at most \(appsMax)."
    ).asked
    static let issues = Setting("issues", .flag, default: true, "Whether to ask for issues of the apps too.")
    static let tables = Setting(
        "tables", .map(.plain), default: [], "Names of apps with their tables in BigQuery, which then give the figures."
    ).asked(without: apps)
    static let project = Setting(
        "project", .plain, unset: "the key's own", "The cloud project that has the tables and pays for queries.")
    static let location = Setting("location", .plain, default: "US", "Where the tables are stored, such as US or EU.")
    static let sessionsDataset = Setting(
        "sessions_dataset", .plain, default: "firebase_sessions", "The dataset with the tables of sessions.")
    static let crashesDataset = Setting(
        "crashes_dataset", .plain, default: "firebase_crashlytics", "The dataset with the tables of crashes.")
    static let megabytesMax = Setting(
        "megabytes_max", .integer(10...10_000_000), default: 1000,
        "A query that would read more than this fails and costs nothing.")
    static let maxAge = Setting(
        "max_age", .duration(.minutes(10) ... .days(30)), unset: "6h, or 2d for tables that are not streamed to",
        "Tables whose newest session is older than this are stale.")
    static let url = Setting(
        "url", .url, default: "https://firebasecrashlytics.googleapis.com", "The address of Crashlytics' API.")
    static let bigQueryURL = Setting(
        "bigquery_url", .url, default: "https://bigquery.googleapis.com", "The address of BigQuery's API.")

    /// Each app is a request for each span and one for its issues, and a poll has room for two hundred. One that has no
    /// time for all of them leaves the rest to the next.
    static let appsMax = 15

    /// One app and where its figures are.
    struct App: Sendable {
        let name: String
        /// In Crashlytics' API; nil where only the tables are known.
        var firebase: FirebaseApp?
        /// Nil where the API gives the figures.
        var export: ExportTables?
    }

    let crashlytics: GoogleService
    let bigQuery: GoogleService
    let inApps: [App]
    let wantsIssues: Bool
    /// The time between polls, for what they cost a day.
    let every: Duration
    /// How long BigQuery is to wait for its own answer: less than a request may take, or nobody learns which query it was.
    let patience: Duration

    /// What BigQuery itself waits where nobody says.
    private static let patienceMax = Duration.seconds(10)

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        var problems: [Problem] = []
        var account: ServiceAccount?
        do { account = try ServiceAccount(options) } catch { problems += error.problems }
        let apps = CrashlyticsSource.apps(options, account, &problems)
        guard let account else { throw ProblemList(problems) }
        inApps = apps
        wantsIssues = options[Self.issues]
        every = context.every
        patience = min(context.timeout.scaled(by: 0.5), Self.patienceMax)
        crashlytics = GoogleService(
            at: options[Self.url], as: account, scope: "https://www.googleapis.com/auth/firebase"
        ) { refusal in
            switch refusal.reason {
            case .forbidden where refusal.code != "SERVICE_DISABLED":
                "give \(account.email) the role Firebase Crashlytics Viewer in the project"
            case .notFound: "check the app's id in 'apps'"
            default: nil
            }
        }
        bigQuery = GoogleService(
            at: options[Self.bigQueryURL], as: account, scope: "https://www.googleapis.com/auth/bigquery"
        ) { refusal in
            switch (refusal.code, refusal.reason) {
            case ("bytesBilledLimitExceeded", _):
                "nothing was billed; raise 'megabytes_max', or let rules ask for shorter spans"
            case ("notFound", _), (_, .notFound):
                "check 'tables' and 'location'; sessions are exported only if they were ticked when the export was linked"
            case (let code, .forbidden) where code != "SERVICE_DISABLED":
                "give \(account.email) the roles BigQuery Job User in the project and BigQuery Data Viewer on both datasets"
            default: nil
            }
        }
        for (service, setting) in [(crashlytics, Self.url), (bigQuery, Self.bigQueryURL)] where service.host == nil {
            problems.append(Problem(options.position(of: setting), "'\(setting.name)' is not an address of a server"))
        }
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    public var account: String? {
        inApps.contains { $0.export == nil } ? crashlytics.budget : bigQuery.budget
    }

    public var host: String? {
        inApps.contains { $0.export == nil } ? crashlytics.host : bigQuery.host
    }

    public var metrics: Set<Metric>? {
        [.users, .crashedUsers, .crashFreeUsers, .sessions, .crashedSessions, .crashFreeSessions, .crashEvents]
    }

    /// Crashlytics' API is minutes late, and so are tables that are streamed to.
    public static func lateness(_ options: Options) -> ClosedRange<Duration>? {
        let day = Duration.days(1)
        return options[Self.tables].allSatisfy { ExportTables.isStreamed($0.value) } ? nil : day...day
    }

    public var givesIssues: Bool? { wantsIssues && inApps.contains { $0.firebase != nil } }
    public var givesLabels: Bool { false }

    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "app": Set(inApps.map(\.name))
        case "environment": [""]
        default: nil
        }
    }

    /// Crashlytics in the console, which asks for the project: its addresses hold the project's name, which need not be
    /// the one that the key belongs to. Nil where the API is not Google's own.
    public var dashboard: String? {
        host?.hasSuffix(".googleapis.com") ?? false ? "https://console.firebase.google.com/project/_/crashlytics" : nil
    }

    public func poll(_ poll: Poll) -> PollStep { CrashlyticsPoll(of: self, poll).begin() }

    /// Where the API gives the figures, which counts over any span for nothing. Queries are paid for by what they read, and a
    /// month of hours is hundreds of them.
    public var keepsHistory: Bool { inApps.allSatisfy { $0.export == nil } }

    public var recallKey: String {
        "\(crashlytics.address) \(inApps.map { "\($0.name)=\($0.firebase?.id ?? "")" })"
    }

    public func recall(_ recall: Recall) -> RecallStep { CrashlyticsRecall(of: self, recall).begin() }
}

// MARK: - Reading the options

extension CrashlyticsSource {
    private static func apps(
        _ options: Options, _ account: ServiceAccount?, _ problems: inout [Problem]
    ) -> [App] {
        var apps: [App] = []
        func change(_ name: String, _ change: (inout App) -> Void) {
            let index = apps.firstIndex { $0.name == name } ?? apps.endIndex
            if index == apps.endIndex { apps.append(App(name: name)) }
            change(&apps[index])
        }
        for entry in options[Self.apps] {
            if let app = FirebaseApp(entry.value) {
                change(entry.name) { $0.firebase = app }
            } else {
                problems.append(
                    Problem(
                        entry.position, "'\(entry.value.quotable)' is not a Firebase app id",
                        advice: "it looks like 1:123456789012:android:abcdef0123456789, in the project's settings"))
            }
        }
        let project = options[Self.project] ?? account?.project
        for entry in options[Self.tables] {
            let tables = ExportTables(
                project: project ?? "", sessions: options[Self.sessionsDataset],
                crashes: options[Self.crashesDataset], table: entry.value, location: options[Self.location],
                megabytesMax: options[Self.megabytesMax], writtenMaxAge: options[Self.maxAge])
            if let name = tables.wrongName, account != nil {
                problems.append(
                    Problem(entry.position, "'\(name.quotable)' is not a valid name in BigQuery"))
            }
            change(entry.name) { $0.export = tables }
        }
        if apps.isEmpty, problems.isEmpty {
            problems.append(
                Problem(options.position, "there is no app", advice: "name one in 'apps', or its table in 'tables'"))
        }
        if apps.count > appsMax {
            problems.append(
                Problem(
                    options.position(of: Self.apps), "\(apps.count) apps, but at most \(appsMax) can be asked for",
                    advice: "make another source for the rest"))
        }
        return apps
    }
}
