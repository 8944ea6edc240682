internal import BotConfig
internal import PluginKit
internal import Synchronization
internal import Testing

@Suite struct SecretTests {
    private static func yaml(token: String) -> String {
        """
        sources:
          ios: {plugin: feed, url: https://feed.example, token: "\(token)"}
        channels:
          team: {plugin: page}
        """
    }

    @Test(arguments: [
        ("${env:TOKEN}", "s3cr3t-from-env"),
        ("${file:/run/token}", "s3cr3t-absolute"),
        ("${file:token}", "s3cr3t-from-file"),
        ("${file:two-lines}", "s3cr3t-line\n"),
        ("${file:windows}", "s3cr3t-crlf"),
        ("${file:marked}", "s3cr3t-marked"),
        ("${credential:pager}", "s3cr3t-credential"),
        ("Bearer ${env:TOKEN}", "Bearer s3cr3t-from-env"),
        ("${env:TOKEN}${file:/run/token}", "s3cr3t-from-envs3cr3t-absolute"),
        ("$${env:TOKEN}", "${env:TOKEN}"),
        ("$5 and $", "$5 and $"),
        ("$$${env:TOKEN}", "$${env:TOKEN}"),
    ])
    func `a secret comes from where it lies`(written: String, meant: String) throws {
        let result = load(SecretTests.yaml(token: written))
        #expect(result.problems.filter { $0.level == .error } == [])
        let source = try #require(result.config?.sources["ios"] as? FeedSource)
        #expect(source.token?.reveal() == meant)
    }

    @Test(arguments: [
        ("${file:token}", ["2:57: the secret file /etc/bot/token can be read by other users"]),
        (
            "${file:./token} ${file:/etc/bot/two-lines}",
            ["/etc/bot/token can be read", "/etc/bot/two-lines can be read"]
        ),
        // Mounted for this service alone.
        ("${file:/run/token}", []), ("$${file:token}", []), ("${env:TOKEN}", []), ("${credential:pager}", []),
    ])
    func `a file that others may read is a warning`(written: String, expected: [String]) throws {
        var surroundings = FakeWorld.surroundings()
        surroundings.isOpenToOthers = { _ in true }
        let result = Config.load(
            Array(SecretTests.yaml(token: written).utf8), folder: "/etc/bot", catalog: FakeWorld.catalog,
            surroundings: surroundings)
        let warnings = result.problems.filter { $0.message.contains("can be read by other users") }
        #expect(warnings.allSatisfy { $0.level == .warning && $0.advice?.contains("chmod 600") == true })
        #expect(warnings.count == expected.count)
        for (warning, words) in zip(warnings, expected) { #expect(warning.line.contains(words), "\(warning.line)") }
        #expect(result.config != nil)
    }

    @Test(arguments: [
        ("${credential:pager}", true), ("Bearer ${credential:pager}", true), ("$${credential:pager}", false),
        ("${env:TOKEN}", false), ("${file:token}", false),
    ])
    func `a credential that the service does not get is a warning`(written: String, isWarned: Bool) throws {
        var surroundings = FakeWorld.surroundings()
        for isHandedOut in [false, true] {
            surroundings.isHandedOut = { $0 == "pager" && isHandedOut }
            let result = Config.load(
                Array(SecretTests.yaml(token: written).utf8), folder: "/etc/bot", catalog: FakeWorld.catalog,
                surroundings: surroundings)
            #expect(result.config != nil)
            let warnings = result.problems.filter { $0.message.contains("systemd does not hand") }
            #expect(warnings.count == (isWarned && !isHandedOut ? 1 : 0), "\(result.problems.map(\.line))")
            #expect(warnings.allSatisfy { $0.level == .warning && $0.message.contains("credential pager") })
            #expect(
                warnings.allSatisfy { $0.advice?.hasPrefix("add LoadCredential=pager:/credentials/pager ") == true })
        }
    }

    @Test(arguments: [
        (
            "token: \"${env:EMPTY}\"",
            "2:57: 'token' is empty (the variable, file or credential that it names holds nothing)"
        ),
        (
            "token: \"${file:empty}\"",
            "2:57: 'token' is empty (the variable, file or credential that it names holds nothing)"
        ),
        (
            "token: \"${env:BLANK}\"",
            "2:57: 'token' is empty (the variable, file or credential that it names holds nothing)"
        ),
        ("token: \" \"", "2:57: 'token' is empty"),
        (
            "headers: {X-Key: \"${env:EMPTY}\"}",
            "2:67: 'headers.X-Key' is empty (the variable, file or credential that it names holds nothing)"
        ),
        (
            "headers: {Authorization: \"Bearer ${env:EMPTY}\"}",
            "2:75: the secret in 'headers.Authorization' is empty "
                + "(the variable, file or credential that it names holds nothing)"
        ),
        (
            "projects: [\"${env:EMPTY}\"]",
            "2:61: 'projects' is empty (the variable, file or credential that it names holds nothing)"
        ),
    ])
    func `an empty secret is none`(option: String, told: String) {
        func problems(_ option: String) -> [String] {
            load(
                "sources:\n  ios: {plugin: feed, url: https://feed.example, \(option)}\nchannels:\n  team: {plugin: page}"
            ).problems.map(\.line)
        }
        #expect(problems(option) == [told])
        #expect(problems("headers: {X-Key: \"${env:TOKEN}${env:EMPTY}\"}, projects: [\"shop${env:EMPTY}\"]") == [])
    }

    /// HTTP does not send it, so the service knows the secret without it.
    @Test(arguments: [
        ("token: \"${env:PADDED}\"", "2:57: the secret in 'token'"),
        ("token: \"${env:TABBED}\"", "2:57: the secret in 'token'"),
        ("headers: {Authorization: \"Bearer ${env:PADDED}\"}", "2:75: the secret in 'headers.Authorization'"),
        ("token: \"${env:TOKEN}\"", nil), ("token: \"${env:SPACED}\"", nil),
        // A key has many lines, and a header that has two is refused.
        ("token: \"${file:two-lines}\"", nil),
    ])
    func `a space at an end of a secret is a warning`(option: String, told: String?) {
        let problems = load(
            "sources:\n  ios: {plugin: feed, url: https://feed.example, \(option)}\nchannels:\n  team: {plugin: page}"
        ).problems
        #expect(problems.allSatisfy { $0.level == .warning })
        #expect(
            problems.map(\.line)
                == [told].compactMap(\.self).map {
                    $0 + " begins or ends with a space, which nobody sees "
                        + "(take it out of the variable, file or credential, unless it is part of the secret)"
                })
    }

    @Test func `the token of the bot is not empty, and not easily found out by whoever has a link`() {
        func problems(_ bot: String) -> [String] { load("bot: {\(bot)}" + least).problems.map(\.line) }
        #expect(problems("token: \"${env:EMPTY}\"").map { $0.prefix(25) } == ["1:14: 'token' is empty (t"])
        let url = "public_url: https://alerts.example.com"
        #expect(
            problems("token: \"${env:PIN}\", \(url)") == [
                "1:14: 'token' is shorter than 16 characters, so whoever gets a link from a message could guess it by "
                    + "trying (use the output of openssl rand -hex 16)"
            ])
        #expect(problems("token: \"${env:PIN}${file:/run/token}\", \(url)") == [])
        #expect(problems("token: \"${env:PIN}\"") == [])
    }

    @Test func `the config knows every secret in the file`() throws {
        let result = load(
            """
            bot: {heartbeat: "${env:HOOK}"}
            sources:
              ios: {plugin: feed, url: https://feed.example, token: "a ${env:TOKEN} b ${file:/run/token}"}
            channels:
              team: {plugin: page}
            """)
        let config = try #require(result.config)
        #expect(
            Set(config.secrets.map { $0.reveal() }) == [
                "https://hooks.example/T0/s3cr3t-path", "s3cr3t-from-env", "s3cr3t-absolute",
            ])
    }

    @Test func `a source is made anew of what its files hold by now`() throws {
        let held = Mutex("s3cr3t-old\n")
        var surroundings = FakeWorld.surroundings()
        surroundings.file = { path throws(ConfigSurroundings.Missing) in
            guard let text = held.withLock({ $0.isEmpty ? nil : $0 }) else {
                throw ConfigSurroundings.Missing("it is gone")
            }
            return Array(text.utf8)
        }
        func loaded(_ token: String) throws -> Config {
            let result = Config.load(
                Array(SecretTests.yaml(token: token).utf8), folder: "/etc/bot", catalog: FakeWorld.catalog,
                surroundings: surroundings)
            return try #require(result.config)
        }
        var renewal = try #require(try loaded("Bearer ${file:token}").renewals["ios"])
        #expect(renewal.renewed()?.secrets == nil, "nothing has changed")
        held.withLock { $0 = "s3cr3t-new\n" }
        let made = try #require(renewal.renewed())
        #expect((made.source as? FeedSource)?.token?.reveal() == "Bearer s3cr3t-new")
        #expect(made.secrets == [Secret("s3cr3t-new")])
        renewal.use(made)
        #expect(renewal.renewed()?.secrets == nil, "it is in use now")
        held.withLock { $0 = "" }
        #expect(renewal.renewed()?.secrets == nil, "a file that is being replaced is no new secret")
        held.withLock { $0 = "s3cr3t-newer\n" }
        #expect(renewal.renewed()?.secrets == [Secret("s3cr3t-newer")])
        // What nobody can replace while the bot runs is not looked at again.
        for token in ["${env:TOKEN}", "plain", "$5"] {
            #expect(try loaded(token).renewals.isEmpty, "\(token)")
        }
        #expect(try loaded("${credential:pager}").renewals.keys.contains("ios"))
    }

    @Test func `no way of printing a config shows a secret`() throws {
        let result = load(
            """
            bot: {name: "bot ${env:TOKEN}", heartbeat: "${env:HOOK}"}
            sources:
              ios:
                plugin: feed
                url: "https://feed.example/${env:TOKEN}"
                token: "${file:token}"
                headers: {Authorization: "Bearer ${credential:pager}"}
            channels:
              team: {plugin: hook, url: "${env:HOOK}", room: "${env:TOKEN}"}
            """)
        let config = try #require(result.config)
        var dumped = ""
        dump(config, to: &dumped)
        let hook = try #require(config.channels["team"] as? HookChannel)
        var dumpedHook = ""
        dump(hook, to: &dumpedHook)
        for shown in [
            dumped, dumpedHook, String(describing: config), String(reflecting: config), "\(config.bot)",
            "\(config.plan)", "\(config.sources)", "\(config.channels)", "\(config.secrets)", "\(hook.url)",
        ] {
            #expect(!shown.contains("s3cr3t"))
            #expect(!shown.isEmpty)
        }
    }

    @Test(arguments: [
        "bot: {timezone: \"${env:TOKEN}\"}", "bot: {listen: \"${env:TOKEN}\"}", "bot: {report_to: \"${env:TOKEN}\"}",
        "bot: {heartbeat: \"${env:TOKEN}\"}", "bot: {public_url: \"${env:TOKEN}\"}",
        "bot: {shutdown_grace: \"${env:TOKEN}\"}", "version: \"${env:TOKEN}\"", "polling: {every: \"${env:TOKEN}\"}",
        "polling: {jitter: \"${env:TOKEN}\"}", "polling: {jitter: \"${env:PIN}\"}",
        "polling: {timeout: \"${env:PIN}\"}", "polling: {timeout: \"${env:LONG}\"}",
        "rules:\n  r: {plugin: limit, metric: users, limit: \"${env:PIN}\"}", "bot: {listen: \"${env:PIN}\"}",
        "polling: {concurrency: \"${env:TOKEN}\"}",
        "polling: {backoff: {factor: \"${env:TOKEN}\"}}", "polling: {backoff: {when: [\"${env:TOKEN}\"]}}",
        "routes:\n  - to: \"${env:TOKEN}\"", "routes:\n  - {continue: \"${env:TOKEN}\", to: team}",
        "routes:\n  - {match: {severity: \"${env:TOKEN}\"}, to: team}",
        "routes:\n  - {match: {source: \"${env:TOKEN}\"}, to: team}",
        "routes:\n  - {match: {source: \"${env:TOKEN}*\"}, to: team}",
        "rules:\n  r: {plugin: \"${env:TOKEN}\"}", "rules:\n  r: {plugin: limit, metric: \"${env:TOKEN} x\"}",
        "rules:\n  r: {plugin: limit, metric: users, limit: \"${env:TOKEN}\"}",
        "rules:\n  r: {plugin: limit, metric: \"${env:TOKEN}\", limit: \"< 5\"}",
        "rules:\n  r: {plugin: night, between: \"${env:TOKEN}\"}",
        "rules:\n  r: {plugin: night, between: 22:00-07:00, then: \"${env:TOKEN}\"}",
        "rules:\n  r: {plugin: night, between: 22:00-07:00, days: \"${env:TOKEN}\"}",
        "rules:\n  r: {plugin: holiday, from: \"${env:TOKEN}\", until: \"${env:TOKEN}\"}",
    ])
    func `no problem quotes a secret`(section: String) {
        let yaml = section + least
        let result = load(yaml)
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for problem in result.problems {
            for secret in ["s3cr3t", "4711", "123d"] {
                #expect(!problem.text(file: "config.yaml", lines: lines).contains(secret))
                #expect(!problem.json(file: "config.yaml").text.contains(secret))
            }
        }
        if let config = result.config { #expect(!"\(config)".contains("s3cr3t")) }
    }
}
