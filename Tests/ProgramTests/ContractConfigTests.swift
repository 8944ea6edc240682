import BotHarness
import Testing

/// The example of the documentation's first page of design: a config that names all there is to be.
@Suite struct ContractConfigTests {
    private let config = """
        version: 1

        bot:
          name: shop-alerts
          timezone: Europe/Madrid
          state: ./state
          listen: 127.0.0.1:8480
          public_url: https://alerts.example.com
          heartbeat: https://hc.example.com/ping/1234
          shutdown_grace: 20s
          report_to: ops
          token: ${file:./api-token}
          user_header: X-Forwarded-User

        polling:
          every: 5m
          throttle: 1m
          slowest: 30m
          timeout: 20s
          jitter: 10%
          concurrency: 8
          per_host: 4
          backoff: {factor: 2, when: [failing, unchanged, calm, idle, low_power]}

        sources:
          ios:
            plugin: sentry
            url: https://sentry.io
            organization: shop
            projects: [shop-ios]
            environments: [production]
            token: ${env:SENTRY_TOKEN}
            every: 2m
          checkout:
            plugin: prometheus
            url: http://prometheus:9090
            dashboard: https://grafana.example.com/d/checkout?var-app={app}
            owner: checkout
            ca: ./ca.pem
            metrics:
              sessions: sum by (app) (increase(sessions_total[30m]))
              crashed_sessions: sum by (app) (increase(crashed_sessions_total[30m]))
            app_label: app
          own-dashboard:
            plugin: http_json
            url: https://stats.example.com/stability.json
            headers: {Authorization: "Bearer ${file:/run/secrets/stats}"}
            each: $.apps[*]
            map: {app: $.name, release: $.version, users: $.users.total, crashed_users: $.users.crashed}

        rules:
          crash-free-floor:
            plugin: threshold
            metric: crash_free_users
            warning: "< 99.5%"
            critical: "< 99.0%"
            window: 1h
            for: 10m
            recover: 0.2pp
            confidence: 95%
            min_volume: 50
            runbook: https://wiki.example.com/crashes
            match: {source: [ios], environment: production}
          nights:
            plugin: quiet_hours
            days: mon-sun
            between: 22:00-07:00
            except: critical
            then: hold
          vacation:
            plugin: mute
            match: {app: shop-ios}
            from: 2026-12-24
            until: 2027-01-02 09:00
            reason: release freeze
          calm-down:
            plugin: budget
            channel: team
            at_most: 10 per 1h
            except: critical

        channels:
          team:
            plugin: slack
            webhook: ${env:SLACK_WEBHOOK}
            mention: {critical: ["<!subteam^S0123>"]}
            template: ./team.mustache
          oncall:
            plugin: matrix
            homeserver: https://matrix.example.org
            room: "!abc:example.org"
            token: ${env:MATRIX_TOKEN}
          ops:
            plugin: webhook
            url: https://hooks.example.com/alertbot
            secret: ${env:HOOK_SECRET}

        routes:
          - match: {severity: critical}
            to: [oncall, team]
          - to: [team]

        include: [teams/*.yaml]

        """

    @Test func `the example passes without a warning`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", config)
        try scratch.write("team.mustache", "{{mark}} {{title}}\n{{reason}}\n{{#lines}}\n{{.}}\n{{/lines}}")
        try scratch.write(
            "teams/web.yaml",
            "rules:\n  web-floor: {plugin: threshold, metric: crash_free_sessions, warning: \"< 99%\"}\n")
        let check = try await scratch.alertbot("check", "--without-secrets")
        #expect(check.status == 0)
        #expect(check.errors == "", "\(check.errors)")
        #expect(check.output.contains("config.yaml: 3 sources, 5 rules, 3 channels\n"))
    }
}
