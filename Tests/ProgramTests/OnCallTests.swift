import BotHarness
import Testing

@Suite struct `People on call, in the program` {
    private let config = """
        version: 1
        bot: {timezone: Europe/Madrid}
        oncall:
          mobile:
            starts: 2020-01-06 09:00
            every: 7d
            people: [{name: ana, mention: "@ana"}, {name: bo, mention: "@bo"}]
        sources:
          own: {plugin: file, path: ./figures.jsonl}
        rules:
          floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", confidence: off, min_volume: 1}
        channels:
          team: {plugin: mattermost, webhook: "http://127.0.0.1:9/hooks/x", mention: {critical: "oncall:mobile"}}

        """

    private let figures = """
        {"source":"own","app":"shop","from":"2026-11-20T21:00:00Z","to":"2026-11-20T22:00:00Z","seen":"2026-11-20T22:00:30Z","metrics":{"users":1000,"crashed_users":100}}

        """

    @Test func `a preview calls who is on call at its time, and says who that is`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", config)
        try scratch.write("figures.jsonl", figures)
        // Weeks are counted from Monday, 6 January 2020: the 359th begins on 16 November 2026.
        for (now, person) in [("2026-11-22T22:00:00Z", "ana"), ("2026-11-23T22:00:00Z", "bo")] {
            let preview = try await scratch.alertbot(
                "dry-run", "--observations", "figures.jsonl", "--now", now, "--format", "json")
            #expect(preview.status == 0, "\(preview.errors)")
            #expect(try preview.json["oncall"][0]["person"].string == person)
        }
        let text = try await scratch.alertbot(
            "dry-run", "--observations", "figures.jsonl", "--now", "2026-11-20T22:01:00Z", "--format", "payload")
        #expect(text.output.contains("@ana"), "\(text.output)")
    }

    @Test func `check shows who is on call`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", config)
        let check = try await scratch.alertbot("check")
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.output.contains("mobile on call  (Europe/Madrid, next 14 days)\n"))
        let json = try await scratch.alertbot("check", "--format", "json").json
        let shifts = json["oncall"][0]["shifts"]
        #expect(["ana", "bo"].contains(shifts[0]["person"].string))
        #expect(shifts[0]["person"].string != shifts[1]["person"].string)
    }
}

@Suite struct `Logs as JSON, in the program` {
    @Test func `why it does not start is an object, too`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", "sources: {}\nchannels: {team: {plugin: console}}\n")
        let run = try await scratch.alertbot("run", "--log-format", "json")
        #expect(run.status == 1)
        let lines = run.errors.split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix(#"{"time":""#) && $0.contains(#""level":"error","message":""#) })
        #expect(lines.last?.hasSuffix(#""message":"alertbot: config.yaml has an error"}"#) == true)
    }

    @Test func `as text it is what it was`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", "sources: {}\nchannels: {team: {plugin: console}}\n")
        let run = try await scratch.alertbot("run")
        #expect(run.errors.hasSuffix("alertbot: config.yaml has an error\n"))
    }
}
