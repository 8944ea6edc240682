import BotHarness
import Testing

/// Messages in a team's own words, from the file to the request.
@Suite struct TemplateTests {
    private func shop(_ template: String?, language: String = "en") throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(
            "config.yaml",
            """
            bot: {language: \(language)}
            sources:
              ios: {plugin: file, path: none.jsonl, owner: checkout}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 30m}
            channels:
              team: {plugin: slack, webhook: "${env:HOOK}", template: ./team.mustache}
            """)
        try scratch.write(
            "figures.jsonl",
            """
            {"source":"ios","app":"shop","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:30:00Z",\
            "seen":"2026-11-20T22:30:30Z","metrics":{"users":2000,"crashed_users":300}}

            """)
        if let template { try scratch.write("team.mustache", template) }
        return scratch
    }

    private let hook = ["HOOK": "https://hooks.slack.com/services/T/B/x"]

    @Test func `a template is in the text of a dry run and in the request`() async throws {
        let scratch = try shop(
            """
            [headline]
            {{mark}} {{incident.app}}: {{incident.metric}} {{incident.figure}}
            [body]
            {{#labels.owner}}
            Call the {{.}} team
            {{/labels.owner}}
            """)
        let run = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--format", "json", environment: hook)
        #expect(run.status == 0, "\(run.all)")
        let said = try run.json["notifications"][0]
        #expect(said["text"].string?.hasPrefix("🔴 shop: crash-free users 85.00%\n") == true, "\(run.output)")
        #expect(said["text"].string?.contains("\nCall the checkout team\n") == true)
        #expect(said["text"].string?.contains("Why:") == false)
        let posted = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--format", "payload", environment: hook)
        #expect(posted.output.contains("crash-free users 85.00%"))
        #expect(posted.output.contains("Call the checkout team"))
    }

    @Test func `what is shown to start from is a template, and can be had before the file is there`() async throws {
        let scratch = try shop(nil)
        let check = try await scratch.alertbot("check", environment: hook)
        #expect(check.status == 1)
        #expect(check.errors.contains("template show"))
        let shown = try await scratch.alertbot("template", "show", "team", environment: hook)
        #expect(shown.status == 0)
        try scratch.write("team.mustache", shown.output)
        #expect(try await scratch.alertbot("check", environment: hook).status == 0)
        let missing = try await scratch.alertbot("template", "show", "taem", environment: hook)
        #expect(missing.status == 2)
        #expect(missing.errors.contains("there is no channel 'taem'; known: team; did you mean team?"))
    }

    @Test func `what is shown is in the bot's language while the file is still empty`() async throws {
        let scratch = try shop("", language: "es")
        #expect(try await scratch.alertbot("check", environment: hook).status == 1)
        let spanish = try await scratch.alertbot("template", "show", "team", environment: hook)
        #expect(spanish.status == 0)
        #expect(spanish.output.contains("Por qué"), "\(spanish.output)")
        let missing = try await scratch.alertbot("template", "show", "taem", environment: hook)
        #expect(missing.status == 2)
        #expect(missing.errors.contains("there is no channel 'taem'; known: team; did you mean team?"))
    }

    @Test func `a mistake in a template is shown with its line`() async throws {
        let scratch = try shop("[headline]\n{{mark}} {{incident.ap}}")
        let check = try await scratch.alertbot("check", environment: hook)
        #expect(check.status == 1)
        #expect(
            check.errors.contains(
                """
                team.mustache:2:10: error: a message has no 'incident.ap'; did you mean incident.app?
                    {{mark}} {{incident.ap}}
                             ^
                """), "\(check.errors)")
        let json = try await scratch.alertbot("check", "--format", "json", environment: hook).json
        #expect(json["problems"][0]["file"].string == "team.mustache")
    }
}
