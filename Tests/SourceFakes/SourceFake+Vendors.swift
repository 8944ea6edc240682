internal import PluginKit

extension SourceFake {
    private static let refusalsOfPlay: [(status: Int, answer: Answer)] = [
        (400, .fixture("error_400_invalid_argument")), (401, .fixture("error_401")),
        (403, .fixture("error_403_permission")), (403, .fixture("error_403_service_disabled")),
        (429, .fixture("error_429")),
    ]
    private static let refusalsOfSentry: [(status: Int, answer: Answer)] = [
        (400, .fixture("error_400")), (401, .fixture("error_401")), (403, .fixture("error_403")),
        (404, .fixture("error_404")), (429, .fixture("error_429_object")), (429, .fixture("error_429_string")),
    ]
    private static let refusalsOfBugsnag: [(status: Int, answer: Answer)] = [
        (401, .fixture("error_401")), (404, .fixture("error_404")), (422, .fixture("error_422")),
        (429, .fixture("error_429")),
    ]
    private static let refusalsOfPrometheus: [(status: Int, answer: Answer)] = [
        (400, .fixture("error_400_bad_data")), (422, .fixture("error_422_execution")),
        (503, .fixture("error_503_timeout")),
    ]
    private static let refusalsOfCrashlytics: [(status: Int, answer: Answer)] = [
        (400, .fixture("error_400_interval")), (403, .fixture("error_403")),
    ]

    private static let token = (
        asked: "/token", body: "",
        answer: Answer.text(#"{"access_token": "ya29.c.EXAMPLE", "expires_in": 3599, "token_type": "Bearer"}"#)
    )

    /// Those that polls ask.
    public static let polled = all.filter { !$0.isPast }

    /// One or more of every source that reads what others write.
    public static let all: [SourceFake] = [
        SourceFake(
            name: "sentry", plugin: "sentry", options: "organization: acme\ntoken: ${env:T}",
            now: "2026-11-20T23:59:30Z",
            answers: [
                ("/projects/", "", .fixture("projects")),
                ("cursor=0%3A3%3A0", "", .page("issues_page2", headers: "headers_issues_last_page")),
                ("/issues/", "", .page("issues_page1", headers: "headers_issues_page1")),
                ("groupBy=release", "", .fixture("sessions_by_release")),
                (
                    "/sessions/", "",
                    .text(
                        """
                        {"start": "2026-11-20T22:00:00Z", "end": "2026-11-21T00:00:00Z", "query": "", "intervals": [],
                         "groups": [{"by": {"project": 4507001}, "series": {}, "totals": {"sum(session)": 41875,
                           "count_unique(user)": 15120, "crash_free_rate(session)": 0.975, "crash_free_rate(user)": 0.94}}]}
                        """)
                ),
            ], others: refusalsOfSentry),
        SourceFake(
            name: "sentry's past", plugin: "sentry", options: "organization: acme\ntoken: ${env:T}\nissues: false",
            now: "2026-11-21T00:30:00Z",
            answers: [
                ("/projects/", "", .fixture("projects")),
                (
                    "/sessions/", "",
                    .text(
                        """
                        {"start": "2026-11-20T18:00:00Z", "end": "2026-11-20T21:00:00Z", "query": "",
                         "intervals": ["2026-11-20T18:00:00Z", "2026-11-20T19:00:00Z", "2026-11-20T20:00:00Z"],
                         "groups": [{"by": {"project": 4507001, "release": "com.acme.wallet@5.4.0+5401"}, "totals": {},
                           "series": {"sum(session)": [5200, 4980, 0], "count_unique(user)": [2600, 2510, 0],
                             "crash_free_rate(session)": [0.9978, 0.9981, null],
                             "crash_free_rate(user)": [0.9961, 0.9964, null]}}]}
                        """)
                ),
            ], others: refusalsOfSentry),
        SourceFake(
            name: "glitchtip", plugin: "glitchtip",
            options: "organization: acme\nprojects: [wallet-android]\ntoken: ${env:T}",
            now: "2026-11-20T23:59:30Z",
            answers: [
                ("/projects/", "", .fixture("projects")),
                ("cursor=cD0yMDI2", "", .page("issues_page2", headers: "headers_issues_last_page")),
                ("/issues/", "", .page("issues_page1", headers: "headers_issues_page1")),
            ],
            others: [(403, .fixture("error_403")), (404, .fixture("error_404"))]),
        SourceFake(
            name: "bugsink", plugin: "bugsink", options: "url: https://bugsink.example.com\ntoken: ${env:T}",
            now: "2026-11-20T23:59:30Z",
            answers: [
                ("/projects/?cursor=", "", .fixture("projects_page2")),
                ("/projects/", "", .fixture("projects_page1")), ("/issues/", "", .fixture("issues")),
            ],
            others: [(401, .fixture("error_401"))]),
        SourceFake(
            name: "rollbar", plugin: "rollbar", options: "app: wallet\ntoken: ${env:T}", now: "2026-11-20T23:59:30Z",
            answers: [("page=2", "", .fixture("items_page2")), ("/items/", "", .fixture("items_page1"))],
            others: [(422, .fixture("error"))]),
        SourceFake(
            name: "datadog", plugin: "datadog",
            options: "app: wallet\napplication: abc\napi_key: ${env:T}\napplication_key: ${env:T}",
            now: "2026-11-20T23:59:30Z",
            answers: [
                (
                    "/aggregate", #"is_crash:true @session.type:user @application.id:\"abc\""},"group_by"#,
                    .fixture("crashed_by_version")
                ), ("/aggregate", "group_by", .fixture("sessions_by_version")),
                ("/aggregate", "is_crash", .fixture("crashed")), ("/aggregate", "", .fixture("sessions")),
            ], others: [(403, .fixture("error_403"))]),
        SourceFake(
            name: "datadog's past", plugin: "datadog",
            options: "app: wallet\napplication: abc\napi_key: ${env:T}\napplication_key: ${env:T}",
            now: "2026-11-21T00:30:00Z",
            answers: [
                (
                    "/aggregate", #"is_crash:true @session.type:user @application.id:\"abc\""},"group_by"#,
                    .text(
                        """
                        {"data": {"buckets": [{"by": {"version": "5.4.0"}, "computes": {"c0": [
                          {"time": "2026-11-20T20:00:00.000Z", "value": 5}]}}]}, "meta": {"status": "done"}}
                        """)
                ),
                (
                    "/aggregate", "group_by",
                    .text(
                        """
                        {"data": {"buckets": [{"by": {"version": "5.4.0"}, "computes": {"c0": [
                          {"time": "2026-11-20T19:00:00.000Z", "value": 980},
                          {"time": "2026-11-20T20:00:00.000Z", "value": 1010}]}}]}, "meta": {"status": "done"}}
                        """)
                ),
                (
                    "/aggregate", "is_crash",
                    .text(
                        """
                        {"data": {"buckets": [{"by": {}, "computes": {"c0": [
                          {"time": "2026-11-20T19:00:00.000Z", "value": 12},
                          {"time": "2026-11-20T20:00:00.000Z", "value": 9}]}}]}, "meta": {"status": "done"}}
                        """)
                ),
                (
                    "/aggregate", "",
                    .text(
                        """
                        {"data": {"buckets": [{"by": {}, "computes": {"c0": [
                          {"time": "2026-11-20T19:00:00.000Z", "value": 5200},
                          {"time": "2026-11-20T20:00:00.000Z", "value": 4980}]}}]}, "meta": {"status": "done"}}
                        """)
                ),
            ], others: [(403, .fixture("error_403"))]),
        SourceFake(
            name: "bugsnag", plugin: "bugsnag", options: "token: ${env:T}", now: "2026-11-20T23:59:30Z",
            answers: [
                ("/user/organizations", "", .fixture("organizations")),
                ("/stability_trend", "", .fixture("stability_trend")), ("/releases", "", .fixture("releases")),
                ("offset=2", "", .fixture("errors_page2")),
                ("/errors", "", .page("errors", headers: "headers_errors")), ("/projects", "", .fixture("projects")),
            ], others: refusalsOfBugsnag),
        SourceFake(
            name: "bugsnag's past", plugin: "bugsnag", options: "token: ${env:T}", now: "2026-11-21T00:30:00Z",
            spans: [.days(1)],
            answers: [
                ("/user/organizations", "", .fixture("organizations")),
                ("/stability_trend", "", .fixture("stability_trend")), ("/projects", "", .fixture("projects")),
            ], others: refusalsOfBugsnag),
        SourceFake(
            name: "google_play", plugin: "google_play", options: "key: ${file:key.json}\nanomalies: true",
            now: "2026-11-20T23:40:00Z",
            answers: [
                token, ("/apps:search", "", .fixture("apps_search")), ("/anomalies", "", .fixture("anomalies")),
                (":fetchReleaseFilterOptions", "", .fixture("release_filter_options")),
                ("pageSize=1000&interval", "", .text("{}")),
                ("/errorIssues:search", "", .fixture("error_issues_search")),
                ("/crashRateMetricSet:query", "versionCode", .fixture("crashrate_query_response_empty")),
                ("/crashRateMetricSet:query", "", .fixture("crashrate_query_response_hourly")),
                ("/anrRateMetricSet:query", "", .fixture("crashrate_query_response_empty")),
                ("/errorCountMetricSet:query", "versionCode", .fixture("errorcount_query_response")),
                (":query", "", .fixture("crashrate_query_response_empty")),
                ("MetricSet", "", .fixture("crashrate_metric_set")),
            ], others: refusalsOfPlay),
        SourceFake(
            name: "google_play by the day", plugin: "google_play",
            options: "key: ${file:key.json}\napps: [com.acme.wallet]\nperiod: daily", now: "2026-11-20T23:40:00Z",
            spans: [.days(1)],
            answers: [
                token, ("pageSize=1000&interval", "", .text("{}")),
                (":fetchReleaseFilterOptions", "", .fixture("release_filter_options")),
                ("/errorIssues:search", "", .fixture("error_issues_search")),
                ("/crashRateMetricSet:query", "pageToken", .text("{}")),
                ("/crashRateMetricSet:query", "versionCode", .fixture("crashrate_query_response_daily")),
                ("/anrRateMetricSet:query", "versionCode", .text("{}")),
                ("/anrRateMetricSet:query", "", .fixture("anrrate_query_response_daily")), (":query", "", .text("{}")),
                ("MetricSet", "", .fixture("crashrate_metric_set")),
            ], others: refusalsOfPlay),
        SourceFake(
            name: "google_play's past", plugin: "google_play", options: "key: ${file:key.json}\nissues: false",
            now: "2026-11-21T04:30:00Z",
            answers: [
                token, ("/apps:search", "", .fixture("apps_search")),
                (":fetchReleaseFilterOptions", "", .fixture("release_filter_options")),
                ("/crashRateMetricSet:query", "versionCode", .text("{}")),
                ("/crashRateMetricSet:query", "", .fixture("crashrate_query_response_hourly")),
                ("/errorCountMetricSet:query", "versionCode", .fixture("errorcount_query_response")),
                (":query", "", .text("{}")), ("MetricSet", "", .fixture("crashrate_metric_set")),
            ], others: refusalsOfPlay),
        SourceFake(
            name: "crashlytics", plugin: "crashlytics",
            options: "key: ${file:key.json}\napps: {wallet: \"1:123456789012:android:abcdef0123456789\"}",
            now: "2026-11-21T00:00:30Z",
            answers: [
                token, ("/topVersions", "", .fixture("report_top_versions")),
                ("issue.signals", "", .text(#"{"name": "topIssues"}"#)),
                ("/topIssues", "", .fixture("report_top_issues")),
            ], others: refusalsOfCrashlytics),
        SourceFake(
            name: "crashlytics's past", plugin: "crashlytics",
            options: "key: ${file:key.json}\napps: {wallet: \"1:123456789012:android:abcdef0123456789\"}",
            now: "2026-11-22T00:30:00Z", spans: [.days(1)],
            answers: [
                token, ("/topVersions", "", .fixture("report_top_versions")),
                ("/topIssues", "", .text(#"{"name": "topIssues"}"#)),
            ], others: refusalsOfCrashlytics),
        SourceFake(
            name: "crashlytics in BigQuery", plugin: "crashlytics",
            options: "key: ${file:key.json}\ntables: {wallet: com_acme_wallet_ANDROID_REALTIME}\nlocation: EU",
            now: "2026-11-21T00:00:30Z", spans: [.days(1)],
            answers: [
                token, ("/queries/", "", .fixture("bigquery_get_query_results")),
                ("/queries", "", .fixture("bigquery_query_response_complete")),
            ],
            others: [
                (200, .fixture("bigquery_query_response_incomplete")),
                (400, .fixture("bigquery_error_400_invalid_query")),
                (403, .fixture("bigquery_error_403_access_denied")),
                (403, .fixture("bigquery_error_403_rate_limit")), (404, .fixture("bigquery_error_404_not_found")),
            ]),
        SourceFake(
            name: "prometheus", plugin: "prometheus",
            options: "url: http://localhost:9090\napp: a\nmetrics: {sessions: sessions, crash_events: crashes}",
            now: "2026-11-21T00:00:00Z",
            answers: [
                ("query=sessions", "", .fixture("query_vector")), ("/query", "", .fixture("query_vector_warnings")),
            ], others: refusalsOfPrometheus),
        SourceFake(
            name: "prometheus in steps", plugin: "prometheus",
            options: "url: http://localhost:9090\napp: a\nstep: 5m\nmetrics: {sessions: sessions}",
            now: "2026-11-21T00:00:00Z", answers: [("/query_range", "", .fixture("query_range_matrix"))],
            others: refusalsOfPrometheus),
        SourceFake(
            name: "prometheus's past", plugin: "prometheus",
            options: "url: http://localhost:9090\napp: a\nmetrics: {crash_free_sessions: ratio}",
            now: "2026-11-21T00:30:00Z", answers: [("/query_range", "", .fixture("query_range_matrix"))],
            others: refusalsOfPrometheus),
        SourceFake(
            name: "http_json's past", plugin: "http_json",
            options: """
                url: https://stats.example.com/rows?from={from}&to={to}
                each: $.rows[*]
                map: {app: $.app, sessions: $.sessions, crashed_sessions: $.crashed}
                """, now: "2026-11-21T00:30:00Z",
            answers: [("/rows", "", .text(#"{"rows": [{"app": "wallet", "sessions": 4000, "crashed": 8}]}"#))]),
        SourceFake(
            name: "http_json", plugin: "http_json",
            options: """
                url: https://stats.example.com/rows
                headers: {Authorization: "Bearer ${env:T}"}
                each: $.data.rows[*]
                measured: $.meta.generated
                map: {app: $.app.id, release: $.version, sessions: "$.stability.sessions | commas", crash_free_sessions: "$.stability.crashFreeSessionsPct | percent"}
                """, now: "2026-11-21T00:01:00Z", answers: [("/rows", "", .fixture("nested_rows"))]),
        SourceFake(
            name: "http_json in pages", plugin: "http_json",
            options: """
                url: https://bugsink.example.com/issues/
                app: wallet
                paging: {by: link, path: $.next, pages: 3}
                issues:
                  each: "$.results[?@.is_resolved == false && @.is_muted == false] | empty no_data"
                  id: $.friendly_id
                  title: $.calculated_type
                  events: $.digested_event_count
                  first_seen: $.first_seen
                  last_seen: $.last_seen
                """, now: "2026-11-21T00:01:00Z",
            answers: [("cursor=", "", .fixture("bugsink_last")), ("/issues/", "", .fixture("bugsink"))]),
        SourceFake(
            name: "push", plugin: "push", options: "token: ${env:T}", now: "2026-11-21T00:01:00Z",
            bodies: [.text(lines)]),
        SourceFake(
            name: "push from grafana", plugin: "push",
            options: "token: ${env:T}\nformat: grafana\napp: backend\nvalues: {B: crash_events}",
            now: "2026-11-21T00:01:00Z", bodies: [.fixture("grafana")]),
        SourceFake(
            name: "push from sentry", plugin: "push", options: "token: ${env:T}\nformat: sentry\napp: wallet",
            now: "2026-11-21T00:01:00Z",
            bodies: [.fixture("sentry_event_alert"), .fixture("sentry_issue"), .fixture("sentry_metric_alert")]),
        SourceFake(
            name: "file", plugin: "file", options: "path: figures.jsonl", now: "2026-11-21T00:01:00Z",
            bodies: [.text(lines)]),
        SourceFake(
            name: "file that grows", plugin: "file", options: "path: figures.jsonl\nfollow: true",
            now: "2026-11-21T00:01:00Z", bodies: [.text(lines + "\n")]),
    ]

    private static let lines = """
        {"source":"x","app":"shop-ios","release":"5.2.0","environment":"production","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z","seen":"2026-11-20T22:05:30Z","complete":true,"metrics":{"users":1840,"crashed_users":31,"sessions":4100,"crashed_sessions":52},"issues":[{"id":"SHOP-12","title":"NullPointerException in CartView","events":40,"users":29,"first_seen":"2026-11-20T21:40:00Z","last_seen":"2026-11-20T22:04:50Z","release":"5.2.0","status":"unresolved","url":"https://sentry.io/x"}],"labels":{"team":"checkout"}}
        {"source":"x","app":"shop-ios","from":"2026-11-20T22:05:00Z","to":"2026-11-20T22:10:00Z","seen":"2026-11-20T22:10:30Z","metrics":{"crash_free_users":0.991}}
        {"source":"x","failed":"timeout","seen":"2026-11-20T22:15:30Z"}
        {"source":"x","app":"shop-android","from":"2026-11-20T22:10:00Z","to":"2026-11-20T22:20:00Z","seen":"2026-11-20T22:20:30Z","metrics":{"sessions":12}}
        """
}
