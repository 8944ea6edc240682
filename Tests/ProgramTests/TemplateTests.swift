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

    @Test func `a webhook's body and address say what a template says, in the bot's language`() async throws {
        let words = "[{{labels.owner}}] {{incident.metric}} {{incident.limit}} {{at}}"
        let scratch = try shop("[headline]\n\(words)")
        try scratch.write(
            "config.yaml",
            """
            bot: {language: es}
            sources:
              ios: {plugin: file, path: none.jsonl, owner: checkout}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 30m}
            channels:
              hook:
                plugin: webhook
                url: "https://hooks.example.com/{{labels.owner}}/x"
                body: '{"text": "\(words)"}'
                template: ./team.mustache
            """)
        let run = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "json")
        #expect(run.status == 0, "\(run.all)")
        let said = try run.json["notifications"][0]
        #expect(said["request"]["url"].string == "https://hooks.example.com/checkout/x")
        let text = try #require(said["request"]["body"]["text"].string, "\(run.output)")
        #expect(text.hasPrefix("[checkout] usuarios sin fallos por debajo de 99"), "\(text)")
        #expect(said["text"].string?.hasPrefix("\(text)\n") == true, "\(run.output)")
    }

    @Test func `a digest that loses its lines is warned of, but not for a pager, which gets none`() async throws {
        let scratch = try shop("[body]\n{{reason}}")
        let check = try await scratch.alertbot("check", environment: hook)
        #expect(check.status == 0)
        #expect(
            check.errors.contains(
                """
                team.mustache:1:1: warning: this leaves out the lines of a digest, which say what it is about; write \
                {{#lines}}, {{.}} and {{/lines}}, each on its own line
                    [body]
                    ^
                """), "\(check.errors)")
        try scratch.write(
            "config.yaml",
            """
            sources:
              ios: {plugin: file, path: none.jsonl}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 30m}
            channels:
              hook: {plugin: webhook, url: "https://hooks.example.com/x", pager: true, template: ./team.mustache}
            """)
        let pager = try await scratch.alertbot("check")
        #expect(pager.status == 0)
        #expect(!pager.errors.contains("team.mustache"), "\(pager.errors)")
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
