internal import AlertCore
internal import Archive
internal import BotConfig
internal import BotHarness
internal import BuiltinPlugins
internal import Commands
internal import Foundation
internal import MachineTesting
internal import PluginKit
internal import PluginTesting
internal import Preview
internal import SystemPorts
internal import Testing

@Suite struct `A backtest` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The time in which one session of five crashes; before and after it is one of a thousand.
    struct Course: Sendable {
        let from: String
        let to: String
        /// When the backtest is made, of the last two days.
        let now: String
        /// The rule's.
        let window: Duration

        func crashed(at seconds: Double) -> Int {
            let at = Moment(milliseconds: Int64(seconds * 1000))
            guard let from = Moment(rfc3339: from), let to = Moment(rfc3339: to) else { return 0 }
            return from <= at && at < to ? 800 : 4
        }
    }

    static let hours = Course(
        from: "2026-11-19T06:00:00Z", to: "2026-11-19T09:00:00Z", now: "2026-11-20T12:30:00Z", window: .hours(1))
    /// For services that tell of whole days alone.
    static let day = Course(
        from: "2026-11-19T00:00:00Z", to: "2026-11-20T00:00:00Z", now: "2026-11-21T12:30:00Z", window: .days(1))

    /// A service that knows what happened at any time.
    struct Service: Sendable, CustomTestStringConvertible {
        let plugin: String
        /// The source's options in the config.
        let options: String
        var course = hours
        let answer: @Sendable (HTTPRequest) -> String?
        /// What it measures, of these: `crash_free_sessions`, `crash_free_users`.
        var metric = "crash_free_sessions"
        /// How long after its end a figure is there.
        var lateness = Duration.zero

        var testDescription: String { plugin }
    }

    static let services = [
        Service(plugin: "sentry", options: "organization: acme, token: \"${env:T}\"", answer: sentry),
        Service(
            plugin: "prometheus",
            options: "url: \"http://localhost:9090\", app: wallet, "
                + "metrics: {sessions: \"sum(increase(sessions[30m]))\", crashed_sessions: \"sum(increase(crashed[30m]))\"}",
            answer: prometheus),
        Service(
            plugin: "http_json",
            options: "url: \"https://stats.example.com/s?from={from}&to={to}\", each: \"$.rows[*]\", "
                + "map: {app: $.app, sessions: $.sessions, crashed_sessions: $.crashed}",
            answer: rows),
        Service(
            plugin: "datadog",
            options: "app: wallet, application: a1, api_key: \"${env:T}\", application_key: \"${env:T}\"",
            answer: datadog),
        Service(
            plugin: "google_play", options: "key: \"${env:KEY}\", apps: [com.acme.wallet]", answer: play,
            metric: "crash_free_users", lateness: .hours(4)),
        Service(plugin: "bugsnag", options: "token: \"${env:T}\"", course: day, answer: bugsnag),
        Service(
            plugin: "crashlytics",
            options: "key: \"${env:KEY}\", apps: {wallet: \"1:123456789012:android:abcdef0123456789\"}",
            answer: crashlytics),
    ]

    private static func crashed(_ seconds: Double) -> Int { hours.crashed(at: seconds) }

    private static func parameter(_ name: String, of request: HTTPRequest) -> String? {
        URLComponents(string: request.url.reveal())?.queryItems?.first { $0.name == name }?.value
    }

    private static func seconds(_ name: String, of request: HTTPRequest) -> Double? {
        parameter(name, of: request).flatMap { text in
            Double(text) ?? Moment(rfc3339: text).map { Double($0.milliseconds) / 1000 }
        }
    }

    /// Hours of all sessions, and of each release none.
    private static func sentry(_ request: HTTPRequest) -> String? {
        if request.url.description.contains("/projects/") {
            return #"[{"id": "1", "slug": "wallet", "platform": "android", "hasSessions": true}]"#
        }
        guard request.url.description.contains("/sessions/"), let start = seconds("start", of: request),
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
        let groups = request.url.description.contains("groupBy=release") ? "" : group
        return "{\"intervals\": [\(names.joined(separator: ","))], \"groups\": [\(groups)]}"
    }

    /// What the last half hour had, at every time that is asked about.
    private static func prometheus(_ request: HTTPRequest) -> String? {
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

    private static func rows(_ request: HTTPRequest) -> String? {
        guard let from = seconds("from", of: request) else { return nil }
        return "{\"rows\": [{\"app\": \"wallet\", \"sessions\": 4000, \"crashed\": \(crashed(from))}]}"
    }

    /// A series of hours of all sessions, and of each version none.
    private static func datadog(_ request: HTTPRequest) -> String? {
        guard let asked = try? JSON(parsing: request.wireBody()?.bytes ?? []), let filter = asked["filter"],
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
    private static func play(_ request: HTTPRequest) -> String? {
        let url = request.url.description
        if url.hasSuffix("/token") { return #"{"access_token": "ya29", "expires_in": 3599, "token_type": "Bearer"}"# }
        if url.hasSuffix(":fetchReleaseFilterOptions") { return "{}" }
        func time(_ day: Int, _ hour: Int) -> String {
            #"{"year": 2026, "month": 11, "day": \#(day), "hours": \#(hour), "timeZone": {"id": "UTC"}}"#
        }
        guard url.hasSuffix(":query"), case .json(let body)? = request.body else {
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
    private static func bugsnag(_ request: HTTPRequest) -> String? {
        let url = request.url.description
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
    private static func crashlytics(_ request: HTTPRequest) -> String? {
        if request.url.description.hasSuffix("/token") {
            return #"{"access_token": "ya29.c.EXAMPLE", "expires_in": 3599, "token_type": "Bearer"}"#
        }
        guard request.url.description.contains("/topVersions"),
            let from = seconds("filter.interval.startTime", of: request)
        else { return nil }
        return """
            {"name": "topVersions", "groups": [{"version": {"displayName": "5.4.0 (5401)"},
             "metrics": [{"totalSessionsCount": "4000", "impactedSessionsCount": "\(crashed(from))"}]}]}
            """
    }

    @Test func `is tried with every source that has a past`() {
        let names = PluginCatalog.builtin.sources.filter { $0 is any HistoricalSource.Type }.map { $0.manifest.name }
        #expect(Set(Self.services.map(\.plugin)) == Set(names))
    }

    @Test(arguments: services)
    func `of a source's past finds what was planted there and nothing else`(_ service: Service) async throws {
        let stage = StagedMachine(
            at: service.course.now, variables: ["T": "s3cret", "KEY": SampleServiceAccount.keyFile]
        ) { request throws(TransportError) in
            let body = service.answer(request)
            return HTTPResponse(
                status: body == nil ? 404 : 200, headers: [("Content-Type", "application/json")],
                body: Array((body ?? "{}").utf8))
        }
        try scratch.write(
            "config.yaml",
            """
            version: 1
            bot: {name: shop-alerts, listen: off, state: \(scratch.path("state"))}
            sources:
              past: {plugin: \(service.plugin), \(service.options)}
            rules:
              floor: {plugin: threshold, metric: \(service.metric), critical: "< 97%", window: \(service.course.window.grammar), repeat: off}
            channels:
              ops: {plugin: console}

            """)
        let config = try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine).config()
        var playback = Playback(config.plan)
        let span = PlayedSpan(
            config, .init(since: "2d", cache: scratch.path("cache")), until: nil, on: stage.machine)
        #expect(try await span.play { playback.feed($0) }, "\(stage.complained)")
        let report = BacktestReport(playback.finish(now: stage.clock.now()), channels: config.channels)
        let said = report.messages.map { "\($0.kind) \($0.severity)" }
        #expect(said == ["opened critical", "resolved critical"], "\(stage.complained)")
        let times = report.messages.map(\.at)
        let course = service.course
        let (from, to) = (try #require(Moment(rfc3339: course.from)), try #require(Moment(rfc3339: course.to)))
        let (late, patience) = (service.lateness, course.window + .minutes(5))
        // The window has to fill with what is wrong, and then with what is right.
        if times.count == 2 {
            #expect((from + late)...(from + late + patience) ~= times[0], "\(times)")
            #expect((to + late)...(to + late + patience) ~= times[1], "\(times)")
        }
        #expect(stage.complained == "")
    }
}
