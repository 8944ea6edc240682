import BotHarness
import Testing

/// Secrets from every place they may come from, in every place they may stand, never come out again.
@Suite struct SecretTests {
    private static let key = "c2VjcmV0LWtleS1vZi10aGUtd2ViaG9vaw"
    private static let secrets = [
        "env-s3cret-7731", "file-s3cret-8842", "credential-s3cret-9953", key, "hook/pa+th-5512",
    ]
    private static let config = """
        version: 1
        bot: {name: shop-alerts, listen: off, heartbeat: "http://127.0.0.1:1/ping/${env:HIDDEN}"}
        polling: {timeout: 2s}
        sources:
          figures: {plugin: file, path: ./figures.jsonl}
          far: {plugin: http_json, url: "http://127.0.0.1:1/${env:HIDDEN}?key=${file:./hidden.txt}", app: far,
            headers: {Authorization: "Bearer ${credential:token}"}, map: {users: $.users}}
          watch: {plugin: sentry, url: "http://127.0.0.1:1", organization: shop, token: "${credential:token}"}
          prom: {plugin: prometheus, url: "http://127.0.0.1:1", username: me, password: "${file:./hidden.txt}",
            metrics: {users: "count(x)"}}
        rules:
          floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", match: {source: figures}}
        channels:
          ops: {plugin: webhook, url: "http://127.0.0.1:1/${env:HIDDEN}", secret: "whsec_${env:KEY}",
            headers: {X-Token: "${credential:token}"}}
          chat: {plugin: slack, webhook: "http://127.0.0.1:1/services/${env:HOOK}"}
          room: {plugin: matrix, homeserver: "http://127.0.0.1:1", room: "!a:b", token: "${file:./hidden.txt}"}

        """

    private func scratch() throws -> (Scratch, environment: [String: String]) {
        // A title that repeats a secret, as a crash in the code that uses it would.
        let issue = #","issues":[{"id":"1","title":"bad token"}]"#
        let scratch = try Shop.scratch(
            SecretTests.config, figures: Figures().line("shop-ios", crashed: 500, of: 10_000, more: issue))
        try scratch.write("hidden.txt", "file-s3cret-8842\n")
        try scratch.makeFolder("credentials")
        try scratch.write("credentials/token", "credential-s3cret-9953\n")
        return (
            scratch,
            [
                "HIDDEN": "env-s3cret-7731", "KEY": SecretTests.key, "HOOK": "hook/pa+th-5512",
                "CREDENTIALS_DIRECTORY": scratch.path("credentials"),
            ]
        )
    }

    @Test(arguments: [
        ["check"], ["check", "--format", "json"], ["dry-run"], ["dry-run", "--format", "json"],
        ["dry-run", "--format", "payload"], ["dry-run", "--observations", "figures.jsonl", "--format", "payload"],
        ["dry-run", "--observations", "figures.jsonl", "--format", "html"],
        ["backtest", "--observations", "figures.jsonl", "--format", "html"],
        ["status"], ["status", "--format", "json"], ["history"], ["history", "--format", "json"],
        ["send-test", "ops"], ["send-test", "chat", "--format", "json"], ["send-test", "room"],
        ["journal", "show"], ["journal", "verify", "--format", "json"],
    ])
    func `no command prints them`(arguments: [String]) async throws {
        let (scratch, environment) = try scratch()
        let finished = try await run(BotBinary.path, arguments, environment: environment, folder: scratch.folder)
        #expect(finished.status == (arguments[0] == "send-test" ? 3 : 0), "\(finished.errors)")
        for secret in SecretTests.secrets { #expect(!finished.all.contains(secret), "\(finished.all)") }
        if arguments.contains("payload") { #expect(finished.output.contains("***")) }
    }

    @Test func `neither the log nor the journal of a bot that fails to reach anybody holds them`() async throws {
        let (scratch, environment) = try scratch()
        let bot = try await scratch.startBot(environment: environment)
        defer { bot.send(9) }
        for source in ["far", "watch", "prom"] { try await bot.says("source \(source): ") }
        for channel in ["ops", "chat", "room"] { try await bot.says("channel \(channel): delivery ") }
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
        let journal = try await scratch.alertbot("journal", "show", environment: environment).output
        #expect(journal.contains("shop-ios"))
        let everything = bot.standardError + bot.standardOutput + journal
        for secret in SecretTests.secrets { #expect(!everything.contains(secret), "\(everything)") }
        for (name, bytes) in scratch.contents where name.hasPrefix("state/") {
            let text = String(decoding: bytes, as: UTF8.self)
            for secret in SecretTests.secrets { #expect(!text.contains(secret), "\(name)") }
        }
    }

    @Test(arguments: [
        ("timezone: \"${env:HIDDEN}\"", "timezone"), ("listen: \"${env:HIDDEN}\"", "listen"),
        ("shutdown_grace: \"${env:HIDDEN}\"", "shutdown_grace"), ("report_to: \"${env:HIDDEN}\"", "report_to"),
        ("public_url: \"${env:HIDDEN}\"", "public_url"), ("heartbeat: \"${env:HIDDEN}\"", "heartbeat"),
    ])
    func `nor does the error about a value that is one`(setting: String, name: String) async throws {
        let config = Shop.config.replacing("listen: off", with: setting)
        let scratch = try Shop.scratch(config)
        for format in ["text", "json"] {
            let check = try await scratch.alertbot(
                "check", "--format", format, environment: ["HIDDEN": "env-s3cret-7731"])
            #expect(check.status == 1, "\(check.all)")
            #expect(!check.all.contains("s3cret"), "\(check.all)")
        }
    }

    @Test(arguments: [
        ("${env:NOT_SET}", "NOT_SET is not set"), ("${file:./nowhere}", "nowhere"),
        ("${credential:token}", "CREDENTIALS_DIRECTORY"), ("${vault:x}", "env, file and credential"),
        ("${env:NOT", "never closed"), ("${}", "not a kind"),
    ])
    func `a secret that cannot be had is a mistake with a place`(reference: String, words: String) async throws {
        let config = Shop.config.replacing(
            "https://hooks.example.com/bot", with: "https://hooks.example.com/\(reference)")
        let check = try await Shop.scratch(config).alertbot("check")
        #expect(check.status == 1)
        #expect(check.errors.contains("config.yaml:16:31: error: "), "\(check.errors)")
        #expect(check.errors.contains(words), "\(check.errors)")
    }

    @Test func `two dollars before a brace are a plain one`() async throws {
        let config = Shop.config.replacing("hooks.example.com/bot", with: "hooks.example.com/$${env:X}/cost$5")
        let scratch = try Shop.scratch(config, figures: Shop.line("shop-ios", crashed: 500))
        let preview = try await scratch.alertbot("dry-run", "--observations", "figures.jsonl", "--format", "json")
        #expect(
            try preview.json["notifications"][0]["request"]["url"].string
                == "https://hooks.example.com/${env:X}/cost$5")
    }

    @Test func `credentials that lie beside the config need not be named`() async throws {
        let scratch = try Scratch()
        try scratch.write(
            "etc/config.yaml",
            Shop.config.replacing("hooks.example.com/bot", with: "hooks.example.com/${credential:path}"))
        let missing = try await scratch.alertbot("check", "--config", "etc/config.yaml")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("CREDENTIALS_DIRECTORY is not set"), "\(missing.all)")
        try scratch.write("etc/credentials/path", "one")
        try scratch.write("elsewhere/other", "two")
        #expect(try await scratch.alertbot("check", "--config", "etc/config.yaml").status == 0)
        // Whoever says where they are is believed, and only there.
        let named = try await scratch.alertbot(
            "check", "--config", "etc/config.yaml", environment: ["CREDENTIALS_DIRECTORY": scratch.path("elsewhere")])
        #expect(named.status == 1, "\(named.all)")
    }
}
