import PluginKit
import PluginTesting
import PrometheusSource
import Testing

@Suite struct `Options of a prometheus source` {
    @Test func `an address and queries are enough`() throws {
        let source = try source()
        #expect(source.host == "localhost")
        #expect(source.metrics == ["sessions", "crashed_sessions"])
        let played = play(source, ["": answer(fixture: "query_vector_empty.json")])
        #expect(
            played.urls == [
                "http://localhost:9090/api/v1/query?query=\(sessions.percentEncoded)&time=1795219200",
                "http://localhost:9090/api/v1/query?query=\(crashed.percentEncoded)&time=1795219200",
            ])
    }

    @Test(arguments: [
        ("http://h:8428/prometheus/", "http://h:8428/prometheus/api/v1/query?"),
        ("https://h/prom/api/v1", "https://h/prom/api/v1/query?"), ("https://u:p@H", "https://u:p@H/api/v1/query?"),
    ]) func `the address may be written in several ways`(_ written: String, _ start: String) throws {
        let source = try source(["url": text(written)])
        #expect(source.host == "h")
        #expect(play(source, ["": answer("")]).urls.first?.hasPrefix(start) ?? false)
    }

    @Test(arguments: [
        (["sum(x[30m])", "sum(y[30m])"], Duration.minutes(30)), (["x[1h30m]"], .minutes(90)), (["x[90]"], .seconds(90)),
        (["x[500ms]"], .milliseconds(500)), (["x[1w]"], .days(7)), (["ratio", "sum(x[30m])"], .minutes(30)),
        (["max_over_time(x[1h:5m])"], .hours(1)), ([#"x{a=~"[0-9]\"[5m]"}[10m]"#], .minutes(10)),
        (["x{a=~`\\`}[10m]"], .minutes(10)), (["y{a='[1h]'}[ 10m ]"], .minutes(10)),
        // No range, several, or none that can be read: the time between polls.
        (["ratio"], .minutes(5)), (["x[30m]", "y[1h]"], .minutes(5)), (["x[$interval]"], .minutes(5)),
        (["x[99999999999999999999y]"], .minutes(5)), (["x[999999999y999999999y]"], .minutes(5)), (["x[]"], .minutes(5)),
    ]) func `a figure covers the range that the queries share`(_ queries: [String], _ span: Duration) throws {
        let metrics = option(.map(queries.enumerated().map { ("m\($0.offset)", text($0.element)) }))
        let source = try source(["metrics": metrics])
        let played = play(source, ["": vector((#"{"app": "a"}"#, "1"))])
        #expect(played.observations.first?.span == TimeSpan(lasting: span, until: now))
    }

    @Test func `a span that is written down comes before the range`() throws {
        let source = try source(["span": option(.duration(.hours(2)))])
        let played = play(source, ["": vector((#"{"app": "a"}"#, "1"))])
        #expect(played.observations.first?.span.length == .hours(2))
    }

    @Test func `basic authentication is sent and not shown`() throws {
        for (password, encoded) in [
            ("pass", "dXNlcjpwYXNz"), ("pas", "dXNlcjpwYXM="), ("pa", "dXNlcjpwYQ=="), ("ÿ", "dXNlcjrDvw=="),
        ] {
            let source = try source(["username": text("user"), "password": secret(password)])
            let request = try #require(play(source, ["": answer("")]).requests.first)
            let header = try #require(request.headers.first { $0.name == "Authorization" })
            #expect(header.value.reveal() == "Basic \(encoded)")
            #expect(header.value.description == "Basic ***")
        }
    }

    @Test func `tokens and further headers are sent`() throws {
        let source = try source(["token": secret("t0k"), "headers": map(["X-Scope-OrgID": "team-1"])])
        let request = try #require(play(source, ["": answer("")]).requests.first)
        #expect(
            request.headers.map { "\($0.name): \($0.value.reveal())" } == [
                "Accept: application/json", "X-Scope-OrgID: team-1", "Authorization: Bearer t0k",
            ])
        #expect(request.headers.last?.value.description == "Bearer ***")
    }

    @Test func `parameters of a relative are sent with every query, in the address and in a form`() throws {
        for (query, method) in [("up", "GET"), ("up or " + String(repeating: "x", count: 2_000), "POST")] {
            let source = try source([
                "metrics": map(["sessions": query]),
                "parameters": map(["partial_response": "false", "storeMatch[]": "a b"]),
            ])
            let request = try #require(play(source, ["": answer("")]).requests.first)
            #expect(request.method.rawValue == method)
            let sent = request.url.reveal() + String(decoding: request.wireBody()?.bytes ?? [], as: UTF8.self)
            #expect(
                sent.contains("&partial_response=false&storeMatch%5B%5D=a%20b"))
        }
        let keys = try [[:], ["parameters": map(["dedup": "true"])]].map {
            try PrometheusSourceTests.source($0).recallKey
        }
        #expect(Set(keys).count == 2)
    }

    @Test func `Embrace's labels name the release, and its metrics the app`() throws {
        let source = try source([
            "url": text("https://api.embrace.io/metrics"), "app": text("wallet"), "release_label": text("app_version"),
            "metrics": map(["crash_free_sessions": "1 - x / y"]), "token": secret("t0k"),
        ])
        let played = play(source, ["": answer(fixture: "embrace_vector.json")])
        #expect(played.observations.map { "\($0.subject.app) \($0.subject.release ?? "")" } == ["wallet 5.4.0"])
        #expect(played.observations.first?.metrics[.crashFreeSessions] == 0.975)
    }

    @Test(
        arguments: [
            (["url": text("prometheus:9090")], "'url' is not an address of a server such as http://prometheus:9090"),
            (["metrics": map([:])], "'metrics' needs at least one name with a query"),
            (["metrics": map(["sessions": "  "])], "the query of 'sessions' is empty"),
            (["metrics": map([" ": "up"])], "a metric without a name"),
            (
                ["metrics": map(["us ers": "up"])],
                "'us ers' is not a metric name; expected one such as crash_free_users"
            ),
            (
                ["metrics": option(.map((1...25).map { ("m\($0)", text("up")) }))],
                "25 metrics, but at most 24 can be asked for in one poll"
            ),
            (
                ["metrics": map(["a": "x[$span]", "b": "y[5m]"])],
                "the query of 'b' has no $span, but others do: their figures would not cover the same time"
            ),
            (
                ["metrics": map(["a": "x[$span]"]), "step": option(.duration(.minutes(5)))],
                "'step' says how long a span is, but the queries leave it open"
            ),
            (
                ["metrics": map(["a": "x[$span]"]), "span": option(.duration(.minutes(5)))],
                "'span' says how long a span is, but the queries leave it open"
            ),
            (
                ["token": text("t"), "username": text("u"), "password": text("p")],
                "a login ('username' and 'password') and 'token' cannot be combined"
            ),
            (
                ["token": text("t"), "headers": map(["authorization": "x"])],
                "'token' and a header 'Authorization' cannot be combined"
            ), (["username": text("u")], "'username' and 'password' belong together"),
            (["username": text("u:v"), "password": text("p")], "a 'username' cannot contain ':'"),
            (["headers": map(["X\nY": "z"])], "'X Y' is not a header name; expected letters, digits and hyphens"),
            (
                ["headers": map(["X": "y\r\nZ: 1"])],
                "the header 'X' has a line break or a control character in its value"
            ),
            (
                ["headers": map(["Content-Length": "5"])],
                "the header 'Content-Length' is set by alertbot itself; remove it"
            ),
            (["app": text("")], "'app' is empty"),
            (
                ["parameters": map(["time": "0"])],
                "'time' cannot be one of the 'parameters': the query and its time are sent by the bot"
            ), (["parameters": map(["a b": "0"])], "'a b' cannot be one of the 'parameters'"),
        ] as [([String: Option], String)]
    ) func `a mistake is reported at its place`(
        _ values: [String: Option],
        _ message: String
    ) {
        #expect(problems(values).map(\.message) == [message])
        #expect(problems(values).allSatisfy { $0.position == place })
    }
}

@Suite struct `Where people look at a Prometheus` {
    private static let graph = "/graph?g0.expr=\(sessions.percentEncoded)&g0.tab=0&g0.range_input=1d"

    @Test(arguments: [
        ("http://prometheus:9090", "http://prometheus:9090" + graph),
        ("https://h/prom/api/v1/", "https://h/prom" + graph),
        ("https://notgrafana.net", "https://notgrafana.net" + graph),
        // A login, what nobody else can open, and services that only answer queries.
        ("https://u:p@h", nil), ("http://localhost:9090", nil),
        ("https://prometheus-prod-01-eu-west-0.grafana.net/api/prom", nil),
        ("https://api.embrace.io/metrics", nil),
        ("https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1", nil),
        ("https://monitoring.googleapis.com/v1/projects/p/location/global/prometheus", nil),
    ]) func `the graph of the first metric`(_ url: String, _ page: String?) throws {
        #expect(try source(["url": text(url)]).dashboard == page)
    }

    @Test func `a Mimir behind a credential has no graph, and a Prometheus has one`() throws {
        let (mimir, plain) = (text("https://h/prometheus/"), text("https://h"))
        for credential in [
            ["token": text("t")], ["username": text("u"), "password": text("p")],
            ["headers": option(.map([("X-Key", option(.text(GuardedText(Secret("s3cret")))))]))],
        ] {
            #expect(try source(credential.merging(["url": mimir]) { $1 }).dashboard == nil)
            #expect(try source(credential.merging(["url": plain]) { $1 }).dashboard == "https://h" + Self.graph)
        }
        #expect(try source(["url": mimir]).dashboard == "https://h/prometheus" + Self.graph)
    }

    @Test func `what a query holds is encoded, and an open span is an hour`() throws {
        let query = #"sum(rate(x{app="{app}"}[$span])) & "é""#
        let page = try source(["url": text("http://h"), "metrics": map(["sessions": query])]).dashboard
        #expect(
            page
                == "http://h/graph?g0.expr=sum%28rate%28x%7Bapp%3D%22%7Bapp%7D%22%7D%5B1h%5D%29%29%20%26%20%22%C3%A9%22"
                + "&g0.tab=0&g0.range_input=1d")
    }

    @Test func `no link names a tenant, tells a secret or is longer than proxies take`() throws {
        let url = text("http://h")
        #expect(try source(["url": url, "headers": map(["x-scope-OrgID": "shop"])]).dashboard == nil)
        #expect(try source(["url": url, "headers": map(["X-Other": "shop"])]).dashboard != nil)
        let telling = option(.map([("sessions", option(.text("x{key=\"\(Secret("s3cret"))\"}")))]))
        #expect(try source(["url": url, "metrics": telling]).dashboard == nil)
        #expect(try source(["url": option(.text("https://\(Secret("s3cret")).example"))]).dashboard == nil)
        let long = map(["sessions": Array(repeating: "x", count: 700).joined(separator: " + ")])
        #expect(try source(["url": url, "metrics": long]).dashboard == nil)
    }
}
