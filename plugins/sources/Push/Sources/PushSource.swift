// PushSource takes what tools send that only call webhooks: lines of observations, and the alerts of Grafana and Sentry. It
// asks nobody anything. What it makes of a push is taken in as if a poll had brought it.

public import PluginKit

/// Figures and issues that somebody pushes to the bot.
public struct PushSource: PushedSource {
    public static let manifest = PluginManifest(
        name: "push",
        summary: "Receives observations, and alerts from Grafana and Sentry, that tools push to the bot.",
        example: """
            token: ${file:./push-token}
            slowest: 30m
            """,
        access: "Use a long random one: openssl rand -hex 32.",
        options: [token, format, app, appLabel, releaseLabel, environmentLabel, values, span, rate],
        isConnected: false)

    /// What bodies say.
    enum Format: String, CaseIterable {
        case observations, grafana, sentry
    }

    static let token = RequiredSetting(
        "token", .text, "The secret that pushes must carry: a bearer token, or the one that Sentry signs with."
    ).secret.inHeader
    static let format = Setting(
        "format", .choice(of: Format.self), default: .observations,
        "What is pushed: lines of observations, or alerts from Grafana or Sentry.")
    static let app = Setting("app", .plain, "The app of alerts that name none.")
    static let appLabel = Setting(
        "app_label", .plain, default: "app", "The label of Grafana's alerts that names the app.")
    static let releaseLabel = Setting("release_label", .plain, default: "release", "The label that names the release.")
    static let environmentLabel = Setting(
        "environment_label", .plain, default: "environment", "The label that names the environment.")
    static let values = Setting(
        "values", .map(.metric), default: [], "Metrics for the values of Grafana's alerts, such as {B: crash_events}.")
    static let span = Setting(
        "span", .duration(.seconds(1) ... .days(30)), default: .hours(1),
        "What a value covers: the range that the alert's query looks back over.")
    static let rate = Setting(
        "rate", .rate, default: Rate(60, per: .minutes(1)), "How many pushes it accepts in how much time.")

    public let host: String? = nil
    public let metrics: Set<Metric>?
    public let pushRate: Rate

    private let token: Secret
    private let reading: Reading
    private let slowest: Duration

    private enum Reading: Sendable {
        case observations
        case grafana(GrafanaAlerts)
        case sentry(SentryHook)
    }

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        var problems: [Problem] = []
        let written = try options[Self.token]
        if written.reveal().trimmed.isEmpty {
            problems.append(Problem(options.position(of: Self.token), "'token' is empty: anybody could push"))
        }
        token = Secret(written.reveal())
        pushRate = options[Self.rate]
        if pushRate.count < 1 {
            problems.append(Problem(options.position(of: Self.rate), "'rate' accepts no push at all"))
        }
        slowest = context.slowest
        let mapped = options[Self.values]
        let format = options[Self.format]
        for setting in [Self.appLabel, Self.releaseLabel, Self.environmentLabel] as [any SettingDeclaration]
        where format != .grafana && options.has(setting) {
            problems.append(Problem(options.position(of: setting), "'\(setting.name)' is for 'format: grafana'"))
        }
        if format != .grafana, let first = mapped.first {
            problems.append(Problem(first.position, "'values' is for 'format: grafana'"))
        }
        if mapped.isEmpty, options.has(Self.span) {
            problems.append(
                Problem(options.position(of: Self.span), "'span' says what 'values' cover, but there are no 'values'"))
        }
        if format == .observations, options.has(Self.app) {
            problems.append(
                Problem(options.position(of: Self.app), "lines of observations name their app; 'app' is for alerts"))
        }
        switch format {
        case .observations:
            reading = .observations
            metrics = nil
        case .grafana:
            reading = .grafana(
                GrafanaAlerts(
                    app: options[Self.app],
                    labels: (options[Self.appLabel], options[Self.releaseLabel], options[Self.environmentLabel]),
                    values: Dictionary(mapped.map { ($0.name, $0.value) }) { $1 }, span: options[Self.span]))
            metrics = Set(mapped.map(\.value))
        case .sentry:
            reading = .sentry(SentryHook(app: options[Self.app]))
            metrics = []
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    public var givesIssues: Bool? {
        if case .observations = reading { nil } else { true }
    }

    // MARK: Being told

    public func isAuthentic(_ headers: PushHeaders) -> Bool {
        headers.bearer.map { token.isSame(as: $0) } ?? false
    }

    public func isAuthentic(_ push: Push) -> Bool {
        if isAuthentic(push.headers) { return true }
        guard case .sentry = reading else { return false }
        return SentryHook.isSigned(push, with: token)
    }

    public func read(_ push: Push) throws(PushMistake) -> PollReport {
        var report: PollReport
        switch reading {
        case .observations: report = try PushedLines.report(push)
        case .grafana(let alerts): report = try alerts.report(push)
        case .sentry(let hook): report = try hook.report(push)
        }
        report.cursor = PushSource.cursor(push.now)
        return report
    }

    // MARK: Being asked

    /// When somebody pushed for the last time, or since when nobody has.
    private static func cursor(_ moment: Moment) -> JSON { ["pushed": JSON(moment)] }

    public func poll(_ poll: Poll) -> PollStep {
        guard let last = poll.cursor?["pushed"]?.string.flatMap({ Moment(rfc3339: $0) }) else {
            return .finish(
                PollReport(
                    .noData, cursor: PushSource.cursor(poll.now), notes: ["nobody has pushed anything to it yet"]))
        }
        // Asked early, as by somebody who tries it, there is nothing to add to what was pushed; and that no alert comes is
        // no news.
        guard case .observations = reading, poll.now - last >= slowest else { return .finish(PollReport(.unchanged)) }
        return .finish(
            PollReport(.stale(measured: last), notes: ["nobody has pushed anything to it since \(last)"]))
    }
}
