import BotHarness
import Testing

@Suite struct SuggestTests {
    /// Three days of an app, every hour: usually 99.9 %, and one hour at 90 %.
    private func history(_ app: String = "shop-ios") -> String {
        (1...72).map { hour in
            let day = 17 + (hour - 1) / 24
            let from = "2026-11-\(day)T\(padded((hour - 1) % 24)):00:00Z"
            let to = hour % 24 == 0 ? "2026-11-\(day + 1)T00:00:00Z" : "2026-11-\(day)T\(padded(hour % 24)):00:00Z"
            let crashed = hour == 40 ? 1000 : 10
            return #"{"source":"figures","app":"\#(app)","from":"\#(from)","to":"\#(to)","seen":"\#(to)","#
                + #""metrics":{"users":10000,"crashed_users":\#(crashed)}}"# + "\n"
        }.joined()
    }

    private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    @Test func `what it prints is a section that can be appended to a config`() async throws {
        let scratch = try Shop.scratch()
        try scratch.write("history.jsonl", history())
        let suggest = try await scratch.alertbot("suggest", "--observations", "history.jsonl")
        #expect(suggest.status == 0, "\(suggest.errors)")
        #expect(suggest.errors == "")
        #expect(
            suggest.output == """
                # Suggested by 'alertbot suggest' for crash_free_users. Each setting was replayed on its own over the history, without gates
                # and to one channel; a limit is the tightest, and a drop the most sensitive, that fired about once a month at most.
                rules:
                  # shop-ios, 2 d 23 h from 2026-11-17T01:00:00Z to 2026-11-20T00:00:00Z
                  # Note: 2 d 23 h of history is too little to show what fires once a month: what is proposed never fired in it.
                  # Note: no drop is proposed: it needs 3 d of history before it judges.
                  floor-shop-ios:
                    # 0 messages, 0 at night, 0 incidents, 0 over within 10 min
                    plugin: threshold
                    match: {app: "shop-ios"}
                    metric: crash_free_users
                    warning: "< 90%"
                    critical: "< 80%"

                """)
        let text = """
            sources: {figures: {plugin: file, path: history.jsonl}}
            channels: {ops: {plugin: console}}

            """
        try scratch.write("pasted.yaml", text + suggest.output)
        let check = try await scratch.alertbot("check", "--config", "pasted.yaml")
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.output.contains("1 source, 1 rule, 1 channel"))
    }

    @Test func `what really happened may ring`() async throws {
        let scratch = try Shop.scratch()
        try scratch.write("history.jsonl", history())
        try scratch.write(
            "true.jsonl", #"{"app":"shop-ios","from":"2026-11-18T15:00:00Z","to":"2026-11-18T17:00:00Z"}"# + "\n")
        let json = try await scratch.alertbot(
            "suggest", "--observations", "history.jsonl", "--incidents", "true.jsonl", "--format", "json"
        ).json
        let app = json["apps"][0]
        #expect(app["app"].string == "shop-ios")
        #expect(app["floor"]["warning"].string == "< 99.85%")
        #expect(app["floor"]["figures"]["detection"]["found"].number == 1)
        #expect(app["floor"]["figures"]["detection"]["false_alarms"].number == 0)
        #expect(json["fragment"].string?.contains("warning: \"< 99.85%\"") == true)
    }

    @Test func `it plays what the bot has recorded, and leaves nothing behind`() async throws {
        let scratch = try Shop.scratch()
        try scratch.makeFolder("state/observations")
        try scratch.write("state/observations/2026-11-19-1.jsonl", history())
        let before = scratch.contents
        let suggest = try await scratch.alertbot("suggest")
        #expect(suggest.status == 0)
        #expect(
            suggest.errors == "alertbot: played what was recorded from Tue 17 Nov 02:00 CET to Fri 20 Nov 01:00 CET\n")
        #expect(suggest.output.contains("floor-shop-ios:"))
        #expect(scratch.contents == before)
    }

    @Test func `with nothing to play it says so`() async throws {
        let scratch = try Shop.scratch()
        let none = try await scratch.alertbot("suggest")
        #expect(none.status == 3)
        #expect(none.errors.contains("nothing is recorded in"))
        try scratch.write("history.jsonl", history())
        let other = try await scratch.alertbot("suggest", "--observations", "history.jsonl", "--app", "android-*")
        #expect(other.status == 0)
        #expect(other.errors == "alertbot: warning: there was no observation of an app 'android-*' to play\n")
        #expect(other.output.hasSuffix("rules: {}\n"))
    }

    @Test(arguments: [
        ["--observations", "x", "--since", "7d"], ["--cache", "x"], ["--metric", "anr_rate"], ["--since", "soon"],
    ])
    func `wrong usage is reported`(arguments: [String]) async throws {
        let scratch = try Shop.scratch()
        let suggest = try await run(BotBinary.path, ["suggest"] + arguments, folder: scratch.folder)
        #expect(suggest.status == 2, "\(suggest.errors)")
    }

    @Test func `broken lines are named, the rest is used, and the status is 1`() async throws {
        let scratch = try Shop.scratch()
        try scratch.write("history.jsonl", "{\n" + history())
        let suggest = try await scratch.alertbot("suggest", "--observations", "history.jsonl")
        #expect(suggest.status == 1)
        #expect(suggest.errors.hasPrefix("history.jsonl:1:"))
        #expect(suggest.output.contains("floor-shop-ios:"))
    }
}
