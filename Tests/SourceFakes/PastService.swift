internal import Foundation
public import PluginKit
internal import PluginTesting

/// A service that knows what happened at any time, for backtests of what was planted in its past.
public struct PastService: Sendable, CustomStringConvertible {
    /// The time in which one session of five crashes; before and after it is one of a thousand.
    public struct Course: Sendable {
        public let from: String
        public let to: String
        /// When the backtest is made, of the last two days.
        public let now: String
        /// The rule's.
        public let window: Duration

        fileprivate func crashed(at seconds: Double) -> Int {
            let at = Moment(milliseconds: Int64(seconds * 1000))
            guard let from = Moment(rfc3339: from), let to = Moment(rfc3339: to) else { return 0 }
            return from <= at && at < to ? 800 : 4
        }
    }

    public let plugin: String
    /// The source's options in the config.
    private let options: String
    public let course: Course
    /// What it measures, of these: `crash_free_sessions`, `crash_free_users`.
    private let metric: String
    /// How long after its end a figure is there.
    public let lateness: Duration
    private let reply: @Sendable (Asked) -> String?

    /// An address, or the path of one, and the body that was sent there.
    fileprivate struct Asked {
        let url: String
        let body: String
    }

    private init(
        plugin: String, options: String, course: Course = hours, answer: @escaping @Sendable (Asked) -> String?,
        metric: String = "crash_free_sessions", lateness: Duration = .zero
    ) {
        self.plugin = plugin
        self.options = options
        self.course = course
        self.metric = metric
        self.lateness = lateness
        reply = answer
    }

    public var description: String { plugin }

    /// A config whose only source it is, with a rule that finds what was planted.
    ///
    /// - Parameter state: the folder of the bot's state.
    public func config(state: String) -> String {
        """
        version: 1
        bot: {name: shop-alerts, listen: off, state: \(state)}
        sources:
          past: {plugin: \(plugin), \(options)}
        rules:
          floor: {plugin: threshold, metric: \(metric), critical: "< 97%", window: \(course.window.grammar), repeat: off}
        channels:
          ops: {plugin: console}

        """
    }

    /// The environment that its config needs.
    public static let variables = ["T": SourceFake.secret, "KEY": SampleServiceAccount.keyFile]

    /// What it answers to an address, or a path, and a body.
    public func answer(_ url: String, _ body: String) -> HTTPResponse {
        let said = reply(Asked(url: url, body: body))
        return HTTPResponse(
            status: said == nil ? 404 : 200, headers: [("Content-Type", "application/json")],
            body: Array((said ?? "{}").utf8))
    }

    private static let hours = Course(
        from: "2026-11-19T06:00:00Z", to: "2026-11-19T09:00:00Z", now: "2026-11-20T12:30:00Z", window: .hours(1))
    /// For services that tell of whole days alone.
    private static let day = Course(
        from: "2026-11-19T00:00:00Z", to: "2026-11-20T00:00:00Z", now: "2026-11-21T12:30:00Z", window: .days(1))

    /// One of every source that has a past.
    public static let all = [
        PastService(plugin: "sentry", options: "organization: acme, token: \"${env:T}\"", answer: sentry),
        PastService(
            plugin: "prometheus",
            options: "url: \"http://localhost:9090\", app: wallet, "
                + "metrics: {sessions: \"sum(increase(sessions[30m]))\", crashed_sessions: \"sum(increase(crashed[30m]))\"}",
            answer: prometheus),
        PastService(
            plugin: "http_json",
            options: "url: \"https://stats.example.com/s?from={from}&to={to}\", each: \"$.rows[*]\", "
                + "map: {app: $.app, sessions: $.sessions, crashed_sessions: $.crashed}",
            answer: rows),
        PastService(
            plugin: "datadog",
            options: "app: wallet, application: a1, api_key: \"${env:T}\", application_key: \"${env:T}\"",
            answer: datadog),
        PastService(
            plugin: "google_play", options: "key: \"${env:KEY}\", apps: [com.acme.wallet]", answer: play,
            metric: "crash_free_users", lateness: .hours(4)),
        PastService(plugin: "bugsnag", options: "token: \"${env:T}\"", course: day, answer: bugsnag),
        PastService(
            plugin: "crashlytics",
            options: "key: \"${env:KEY}\", apps: {wallet: \"1:123456789012:android:abcdef0123456789\"}",
            answer: crashlytics),
    ]

    private static func crashed(_ seconds: Double) -> Int { hours.crashed(at: seconds) }

    private static func parameter(_ name: String, of request: Asked) -> String? {
        URLComponents(string: request.url)?.queryItems?.first { $0.name == name }?.value
    }

    private static func seconds(_ name: String, of request: Asked) -> Double? {
        parameter(name, of: request).flatMap { text in
            Double(text) ?? Moment(rfc3339: text).map { Double($0.milliseconds) / 1000 }
        }
    }

    /// Hours of all sessions, and of each release none.
    private static func sentry(_ request: Asked) -> String? {
        if request.url.contains("/projects/") {
            return #"[{"id": "1", "slug": "wallet", "platform": "android", "hasSessions": true}]"#
        }
        guard request.url.contains("/sessions/"), let start = seconds("start", of: request),
            let end = seconds("end", of: request)
        else { return nil }
        let hours = Array(stride(from: start, to: end, by: 3600))
        let names = hours.map { "\"\(Moment(milliseconds: Int64($0 * 1000)))\"" }
        let rates = hours.map { "\(1 - Double(crashed($0)) / 4000)" }
        let series = """
            {"sum(session)": [\(hours.map { _ in "4000" }.joined(separator: ","))],
             "crash_free_rate(session)": [\(rates.joined(separator: ","))]}
            """
        let group = "{\"by\": {\"project\": 1}, \"totals\": {}, \"series\": \(series)}"
        let groups = request.url.contains("groupBy=release") ? "" : group
        return "{\"intervals\": [\(names.joined(separator: ","))], \"groups\": [\(groups)]}"
    }

    /// What the last half hour had, at every time that is asked about.
    private static func prometheus(_ request: Asked) -> String? {
        guard let start = seconds("start", of: request), let end = seconds("end", of: request),
            let step = seconds("step", of: request), step > 0, let query = parameter("query", of: request)
        else { return nil }
        let samples = stride(from: start, through: end, by: step).map { at in
            "[\(at), \"\(query.contains("crashed") ? crashed(at - 1) : 4000)\"]"
        }
        return """
            {"status": "success", "data": {"resultType": "matrix",
             "result": [{"metric": {}, "values": [\(samples.joined(separator: ","))]}]}}
            """
    }

    private static func rows(_ request: Asked) -> String? {
        guard let from = seconds("from", of: request) else { return nil }
        return "{\"rows\": [{\"app\": \"wallet\", \"sessions\": 4000, \"crashed\": \(crashed(from))}]}"
    }

    /// A series of hours of all sessions, and of each version none.
    private static func datadog(_ request: Asked) -> String? {
        guard let asked = try? JSON(parsing: request.body), let filter = asked["filter"],
            let from = filter["from"]?.string.flatMap(Double.init), let to = filter["to"]?.string.flatMap(Double.init),
            asked["compute"]?.array?.first?["interval"] == "1h"
        else { return nil }
        if asked["group_by"] != nil { return #"{"data": {"buckets": []}}"# }
        let isCrashed = filter["query"]?.string?.contains("is_crash:true") ?? false
        let points = stride(from: from / 1000, to: to / 1000, by: 3600).map { at in
            "{\"time\": \"\(Moment(milliseconds: Int64(at * 1000)))\", \"value\": \(isCrashed ? crashed(at) : 4000)}"
        }
        return "{\"data\": {\"buckets\": [{\"by\": {}, \"computes\": {\"c0\": [\(points.joined(separator: ","))]}}]}}"
    }

    /// Hours of all users, and of each version none.
    private static func play(_ request: Asked) -> String? {
        let url = request.url
        if url.hasSuffix("/token") { return #"{"access_token": "ya29", "expires_in": 3599, "token_type": "Bearer"}"# }
        if url.hasSuffix(":fetchReleaseFilterOptions") { return "{}" }
        func time(_ day: Int, _ hour: Int) -> String {
            #"{"year": 2026, "month": 11, "day": \#(day), "hours": \#(hour), "timeZone": {"id": "UTC"}}"#
        }
        guard url.hasSuffix(":query"), let body = try? JSON(parsing: request.body) else {
            let mark = "{\"aggregationPeriod\": \"HOURLY\", \"latestEndTime\": \(time(20, 10))}"
            return "{\"freshnessInfo\": {\"freshnesses\": [\(mark)]}}"
        }
        let versions = body["dimensions"]?.array?.contains("versionCode") ?? false
        guard url.contains("/crashRate"), !versions, let asked = body["timelineSpec"] else { return "{}" }
        func hours(_ name: String) -> Int? {
            guard let day = asked[name]?["day"]?.number, let hour = asked[name]?["hours"]?.number else { return nil }
            return Int(day) * 24 + Int(hour)
        }
        guard let from = hours("startTime"), let to = hours("endTime"),
            let first = Moment(rfc3339: "2026-10-31T00:00:00Z")
        else { return nil }
        let rows = (from..<max(from, to)).map { hour in
            let rate = Double(crashed(Double((first + .hours(Int64(hour))).unixSeconds))) / 4000
            return """
                {"aggregationPeriod": "HOURLY", "startTime": \(time(hour / 24, hour % 24)), "metrics": [
                  {"metric": "userPerceivedCrashRate", "decimalValue": {"value": "\(rate)"}},
                  {"metric": "distinctUsers", "decimalValue": {"value": "4000"}}]}
                """
        }
        return "{\"rows\": [\(rows.joined(separator: ","))]}"
    }

    /// Days of the one project, the last of which is still filling.
    private static func bugsnag(_ request: Asked) -> String? {
        let url = request.url
        guard url.contains("/stability_trend") else {
            return url.contains("/releases") || url.contains("/errors") ? nil : #"[{"id": "1", "slug": "wallet"}]"#
        }
        guard let now = Moment(rfc3339: day.now) else { return nil }
        let days = (0..<30).map { Recall.floor(now, to: .days(1)) - .days($0) }.map { start in
            "{\"bucket_start\": \"\(start)\", \"bucket_end\": \"\(start + .days(1))\", \"total_sessions_count\": 4000, "
                + "\"unhandled_sessions_count\": \(day.crashed(at: Double(start.unixSeconds)))}"
        }
        return "{\"release_stage_name\": \"production\", \"timeline_points\": [\(days.joined(separator: ","))]}"
    }

    /// One version, counted over what was asked for.
    private static func crashlytics(_ request: Asked) -> String? {
        if request.url.hasSuffix("/token") {
            return #"{"access_token": "ya29.c.EXAMPLE", "expires_in": 3599, "token_type": "Bearer"}"#
        }
        guard request.url.contains("/topVersions"),
            let from = seconds("filter.interval.startTime", of: request)
        else { return nil }
        return """
            {"name": "topVersions", "groups": [{"version": {"displayName": "5.4.0 (5401)"},
             "metrics": [{"totalSessionsCount": "4000", "impactedSessionsCount": "\(crashed(from))"}]}]}
            """
    }
}
