import BotHarness
import Glibc
import Testing

/// A running bot that is told to read its config anew.
@Suite struct ReloadTests {
    private let config = """
        bot: {listen: off}
        sources:
          figures: {plugin: file, path: ./figures.jsonl}
        rules:
          floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
        channels:
          team: {plugin: console}
        """

    @Test func `says what changed, what that closes, and what is wrong`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", config)
        try scratch.write("figures.jsonl", Figures().line("shop", crashed: 500, of: 10_000))
        let nobody = try await scratch.alertbot("reload")
        #expect(nobody.status == 3)
        #expect(nobody.errors.contains("no bot is running for config.yaml"))

        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        _ = try await eventually("something was said") { bot.standardOutput.contains("shop") ? true : nil }
        let same = try await scratch.alertbot("reload")
        #expect(same.status == 0)
        let place = scratch.path("config.yaml")
        #expect(same.output == "the config was reloaded: \(place)\nnothing in it has changed\n", "\(same.all)")

        try scratch.write("config.yaml", config + "\ninclude: [teams/*.yaml]")
        let doubtful = try await scratch.alertbot("reload")
        #expect(doubtful.status == 0)
        #expect(doubtful.output.hasPrefix("the config was reloaded: "), "\(doubtful.all)")
        #expect(doubtful.errors.hasPrefix("config.yaml:8:11: warning: 'include': "), "\(doubtful.all)")
        try scratch.write("config.yaml", config)
        #expect(try await scratch.alertbot("reload").errors == "")

        bot.send(19)
        let deaf = try await scratch.alertbot("status")
        #expect(deaf.status == 0)
        #expect(deaf.output.contains("does not answer; this is from its journal"), "\(deaf.all)")
        #expect(deaf.errors.contains("a bot is running, but does not answer at "), "\(deaf.all)")
        bot.send(18)

        try scratch.write("config.yaml", config.replacing("critical: \"< 99%\"", with: "warning: \"< 99.5%\""))
        let milder = try await scratch.alertbot("reload")
        #expect(
            milder.output.contains(
                /\nrules: changed floor\nre-judges incident [0-9a-z]+: floor of shop: critical \(below 99%\) becomes warning/
            ),
            "\(milder.all)")

        try scratch.write("config.yaml", config.replacing("  floor:", with: "  flour:").replacing("1m", with: "2m"))
        let other = try await scratch.alertbot("reload")
        #expect(other.status == 0, "\(other.all)")
        let lines = other.output.split(separator: "\n")
        #expect(lines.prefix(2) == ["the config was reloaded: \(place)", "rules: added flour; removed floor"])
        #expect(lines.last?.hasPrefix("closes incident ") == true)
        #expect(lines.last?.hasSuffix(": floor of shop. Rule floor is no longer in the config.") == true)

        try scratch.write("config.yaml", config.replacing("window", with: "windw"))
        let wrong = try await scratch.alertbot("reload")
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("did you mean window?"))
        #expect(wrong.errors.contains("the config has errors; the bot keeps the one it has"))
        let forPrograms = try await scratch.alertbot("reload", "--format", "json")
        #expect(forPrograms.status == 1)
        #expect(try forPrograms.json["details"]["problems"][0]["suggestion"].string == "window")

        unlink(place)
        bot.send(1)
        try await bot.says(
            "the config \(place) cannot be read: No such file or directory; the bot would not start again without it; "
                + "the bot keeps the config it has")
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
    }

    @Test func `a bot that reads another file is not made to reload it`() async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", config)
        try scratch.write("figures.jsonl", "")
        try scratch.write("other.yaml", config.replacing("99%", with: "98%"))
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        let (own, other) = (scratch.path("config.yaml"), scratch.path("other.yaml"))
        let refused = try await scratch.alertbot("reload", "--config", "other.yaml")
        #expect(refused.status == 1)
        #expect(
            refused.errors == "alertbot: the bot reads \(own), not \(other); nothing was reloaded\n", "\(refused.all)")
        #expect(refused.output == "")
        // By another path it is the same one.
        let same = try await scratch.alertbot("reload", "--config", own, "--format", "json")
        #expect(same.status == 0, "\(same.all)")
        #expect(try same.json["details"]["config"].string == own)
    }

    @Test func `the config is found where people keep it`() async throws {
        let scratch = try Scratch()
        try scratch.write("etc/bot.yaml", config)
        let named = try await scratch.alertbot("check", environment: ["ALERTBOT_CONFIG": "etc/bot.yaml"])
        #expect(named.output.contains("etc/bot.yaml: 1 source"), "\(named.all)")
        let missing = try await scratch.alertbot("check", environment: ["ALERTBOT_CONFIG": "gone.yaml"])
        #expect(missing.errors.contains("gone.yaml, which $ALERTBOT_CONFIG names, cannot be read"))
        let none = try await scratch.alertbot("check")
        #expect(
            none.errors
                == "alertbot: there is no config.yaml and no /etc/alertbot/config.yaml; 'alertbot init' writes a first "
                + "config, and --config FILE names one somewhere else\n")
        try scratch.write("config.yaml", config)
        #expect(try await scratch.alertbot("check").output.contains("config.yaml: 1 source"))
        let option = try await scratch.alertbot(
            "check", "--config", "config.yaml", environment: ["ALERTBOT_CONFIG": "gone.yaml"])
        #expect(option.status == 0)
    }
}
