// GooglePlaySource reads what Google Play measures on its users' devices (Android vitals): the shares of users that met a
// crash or an app that does not respond, how many crashes were reported, and the issues behind them.
//
// Play measures in hours or in days and says how far it has come; nothing behind that mark is asked for. It never adds up
// users, and it keeps nothing between polls but the names of the apps and the marks.

public import PluginKit
internal import SourceKit

/// Polls the Play Developer Reporting API.
public struct GooglePlaySource: HistoricalSource {
    public static let manifest = PluginManifest(
        name: "google_play",
        summary: "Crash and ANR rates of users, crash reports and issues from Google Play's Android vitals.",
        example: """
            key: ${file:/etc/alertbot/play.json}
            apps: [com.shop.android]
            """,
        access: "In the Google Cloud console, enable the Google Play Developer Reporting API in any project. In "
            + "the same project, under IAM & Admin → Service accounts, create an account. Under Keys → Add key "
            + "→ JSON, download its key file. In the Play Console, under Users and permissions → Invite new "
            + "users, invite the account's address.",
        options: [ServiceAccount.setting, apps, period, crashes, events, issues, anomalies, maxAge, url])

    static let apps = Setting(
        "apps", .list(.plain), default: [], unset: "all that the account may see",
        "Package names of the apps to watch; at most \(appsMax).")
    static let period = Setting(
        "period", .choice(of: Period.self), default: .hourly,
        "What a figure covers: an hour, known 2 to 4 hours later, or a day, known 1 to 2 days later.")
    static let crashes = Setting(
        "crashes", .choice(of: Crashes.self), default: .userPerceived,
        "Which crashes count: those that users see, as in Play's own limits, or all, in the background too.")
    static let events = Setting("events", .flag, default: true, "Whether to ask how many crashes were reported.")
    static let issues = Setting("issues", .flag, default: true, "Whether to ask for issues too.")
    static let anomalies = Setting(
        "anomalies", .flag, default: false, "Whether to ask what Play itself finds unusual; each becomes an issue.")
    static let maxAge = Setting(
        "max_age", .duration(.hours(1) ... .days(30)), unset: "12h if hourly, 4d if daily",
        "Figures that end longer ago than this are stale.")
    static let url = Setting(
        "url", .url, default: "https://playdeveloperreporting.googleapis.com", "The API's address.")

    /// Which crashes and hangs count.
    enum Crashes: String, CaseIterable, Sendable {
        case userPerceived = "user_perceived"
        case all
    }

    /// Each app is thirteen requests at most, more only where versions fill pages, and a poll has room for two hundred.
    /// One that has no time for all of them leaves the rest to the next.
    static let appsMax = 15
    private static let scope = "https://www.googleapis.com/auth/playdeveloperreporting"

    let service: GoogleService
    let calendar: PlayCalendar
    let apps: [String]
    let crashes: Crashes
    let wantsEvents: Bool
    let wantsIssues: Bool
    let wantsAnomalies: Bool
    let maxAge: Duration
    /// Of the options: marks left by others say nothing about what these ask for.
    let optionsHash: String

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        var problems: [Problem] = []
        let period = options[Self.period]
        apps = options[Self.apps]
        crashes = options[Self.crashes]
        wantsEvents = options[Self.events]
        wantsIssues = options[Self.issues]
        wantsAnomalies = options[Self.anomalies]
        maxAge = options[Self.maxAge] ?? period.maxAge
        if apps.count > Self.appsMax {
            problems.append(
                Problem(
                    options.position(of: Self.apps), "\(apps.count) apps, but at most \(Self.appsMax) can be asked for",
                    advice: "make another source for the rest"))
        }
        for (app, position) in zip(apps, options.positions(in: Self.apps)) where !app.isPackageName {
            problems.append(
                Problem(position, "'\(app.quotable)' is not a package name such as com.shop.android"))
        }
        var calendar: PlayCalendar?
        do {
            calendar = try PlayCalendar(period, context.zones)
        } catch {
            problems.append(
                Problem(options.position(of: Self.period), "Play counts days in Los Angeles: \(error)"))
        }
        var account: ServiceAccount?
        do { account = try ServiceAccount(options) } catch { problems += error.problems }
        guard let account, let calendar else { throw ProblemList(problems) }
        self.calendar = calendar
        service = GoogleService(at: options[Self.url], as: account, scope: Self.scope) { refusal in
            if refusal.reason == .notFound { return "check 'apps' and 'url'" }
            guard refusal.reason == .forbidden, refusal.code != "SERVICE_DISABLED" else { return nil }
            return "invite \(account.email) in the Play Console under Users and permissions, with "
                + "'View app information (read-only)'"
        }
        if service.host == nil {
            problems.append(Problem(options.position(of: Self.url), "'url' is not an address of a server"))
        }
        if !problems.isEmpty { throw ProblemList(problems) }
        var hash = StableHash()
        for part in [
            service.address.description, account.email, period.rawValue, crashes.rawValue, "\(wantsEvents)",
            "\(wantsIssues)", "\(apps)", "\(wantsAnomalies)",
        ] { hash.add(part) }
        optionsHash = hash.text
    }

    public var host: String? { service.host }
    public var account: String? { service.budget }

    public var metrics: Set<Metric>? {
        Set([.users, .crashFreeUsers, .anrRate] + (wantsEvents ? [.crashEvents] : []))
    }

    public static func lateness(_ options: Options) -> ClosedRange<Duration>? { options[Self.period].lateness }

    public var givesIssues: Bool? { wantsIssues || wantsAnomalies }
    public var givesLabels: Bool { false }

    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "environment": [""]
        case "app" where !apps.isEmpty: Set(apps)
        default: nil
        }
    }

    /// The overview of Android vitals, for which the Play Console asks for the app: its addresses hold numbers that only
    /// the console gives. Nil where the API is not Google's own, and so the apps are not in its console.
    public var dashboard: String? {
        host?.hasSuffix(".googleapis.com") ?? false
            ? "https://play.google.com/console/developers/app/vitals/metrics/overview" : nil
    }

    public func poll(_ poll: Poll) -> PollStep { PlayPoll(of: self, poll).begin() }

    /// What issues and anomalies are asked for changes nothing of it.
    public var recallKey: String {
        "\(service.address) \(service.account.email) \(calendar.period) \(crashes) \(wantsEvents) \(apps)"
    }

    public func recall(_ recall: Recall) -> RecallStep { PlayRecall(of: self, recall).begin() }
}

extension String {
    /// As Android has them: words with dots between.
    var isPackageName: Bool {
        let words = split(separator: ".", omittingEmptySubsequences: false)
        return words.count > 1 && utf8.count <= 200
            && words.allSatisfy { word in
                word.first.map { $0.isASCII && $0.isLetter } ?? false
                    && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            }
    }
}
