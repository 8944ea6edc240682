import BotHarness
import Testing

/// The words of messages, from the config to the request.
@Suite struct WordsTests {
    private func shop(_ bot: String, _ words: String? = nil) throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(
            "config.yaml",
            """
            bot: {\(bot)}
            sources:
              ios: {plugin: file, path: none.jsonl}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 30m}
            channels:
              team: {plugin: slack, webhook: "https://hooks.slack.com/services/T/B/x"}
            """)
        try scratch.write(
            "figures.jsonl",
            """
            {"source":"ios","app":"shop","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:30:00Z",\
            "seen":"2026-11-20T22:30:30Z","metrics":{"users":2000,"crashed_users":300}}

            """)
        if let words { try scratch.write("words.yaml", words) }
        return scratch
    }

    @Test func `messages are in the language of the config, with the phrases of one's own`() async throws {
        let scratch = try shop("language: es, words: ./words.yaml", "field.since: Empezó\n")
        let run = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "json")
        #expect(run.status == 0, "\(run.all)")
        let text = try #require(try run.json["notifications"][0]["text"].string)
        #expect(
            text.hasPrefix(
                "🔴 shop: usuarios sin fallos 85,00\u{A0}% (alerta por debajo de 99\u{A0}%)\n"
                    + "Usuarios afectados: 300 de 2.000 (15,00\u{A0}%)\n"
                    + "Empezó: vie 20 nov 22:30 UTC\n"
                    + "Por qué: No es casualidad: como mucho "), "\(text)")
        // Programs read what they always did.
        let incident = try run.json["incidents"][0]
        #expect(incident["evidence"]["sentence"].string?.hasPrefix("crash-free users 85.00% of 2,000 users") == true)
        let posted = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "payload")
        #expect(posted.output.contains("*Por qué:*"))
    }

    @Test func `the words that are printed are a file to start from`() async throws {
        let scratch = try shop("language: es, words: ./words.yaml", nil)
        #expect(try await scratch.alertbot("check").errors.contains("words show"))
        let shown = try await scratch.alertbot("words", "show", "--language", "es")
        #expect(shown.status == 0)
        #expect(shown.output.contains("caption.why: \"Por qué\"\n"))
        try scratch.write("words.yaml", shown.output)
        let check = try await scratch.alertbot("check")
        #expect(check.status == 0, "\(check.all)")
        let own = try await scratch.alertbot("words", "show", "--format", "json")
        #expect(try own.json["language"].string == "es")
        #expect(try await scratch.alertbot("words", "show", "--language", "fr").status != 0)
    }
}
