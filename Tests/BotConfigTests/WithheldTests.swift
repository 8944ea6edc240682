internal import BotConfig
internal import PluginKit
internal import Testing

/// A look at a config where its secrets are not, and secrets that are where they should not be.
@Suite struct WithheldTests {
    /// A world in which asking for anything is a failure.
    private func review(_ yaml: String) -> ConfigResult {
        let surroundings = ConfigSurroundings(
            variable: { name in
                Issue.record("the variable \(name) was asked for")
                return nil
            },
            file: { path throws(ConfigSurroundings.Missing) in
                Issue.record("the file \(path) was asked for")
                throw ConfigSurroundings.Missing("there is no such file")
            }, credentialsFolder: nil, zones: ZoneDatabase(), withholdsSecrets: true)
        return Config.load(
            Array(yaml.utf8), folder: "/etc/bot", catalog: FakeWorld.catalog, surroundings: surroundings)
    }

    @Test func `a token that is not there is not called short`() {
        let yaml = "bot: {token: \"${file:api-token}\", public_url: \"https://alerts.example.com\"}" + least
        #expect(review(yaml).problems.map(\.line) == [])
    }

    @Test func `secrets need not be there for a review`() {
        let yaml = """
            bot: {name: "${file:name}", timezone: "${env:ZONE}", heartbeat: "${env:PING}", listen: "${env:LISTEN}"}
            polling: {every: "${env:EVERY}"}
            sources:
              ios: {plugin: feed, url: "${env:FEED}", token: "Bearer ${credential:feed}", projects: ["${env:APP}"]}
            rules:
              floor: {plugin: limit, metric: users, limit: "${env:LIMIT}", match: {source: "${env:SOURCE}"}}
              nights: {plugin: night, between: "${env:NIGHT}"}
            channels:
              team: {plugin: hook, url: "https://hooks.example/${env:PATH}", room: "${env:ROOM}"}
            routes:
              - {match: {severity: "${env:SEVERITY}"}, to: team}
            """
        let result = review(yaml)
        #expect(result.problems.map(\.line) == [])
        #expect(result.config != nil)
        #expect(result.config?.secrets.isEmpty == true)
        #expect(result.config?.unreadRules.map(\.name) == ["floor", "nights"])
        #expect(result.config?.unreadRules.map(\.judges) == [true, false])
        let actual = load(yaml)
        #expect(actual.config == nil)
        #expect(actual.problems.count > 10, "each of them is an error where the bot is to run")
    }

    @Test func `routes on secrets are not taken for the same in a review, and a written password makes nothing right`()
    {
        let yaml = """
            sources:
              ios: {plugin: feed, url: "https://ada:pw@feed example"}
            channels:
              team: {plugin: page}
            routes:
              - {match: {app: "${env:NOBODY}"}, to: [team]}
              - {match: {app: "${env:NOTHING}"}, to: [team]}
            """
        let errors = review(yaml).problems.filter { $0.level == .error }
        #expect(errors.map(\.position.line) == [2], "\(errors.map(\.line))")
    }

    /// `check` tells everything in one go: a token that is still to be set hides no misspelt metric.
    @Test(arguments: [
        "url: \"https://feed.example\", token: \"Bearer ${env:NOBODY}\"",
        "url: \"${env:NOBODY}\"",
        "url: \"https://${env:NOBODY}.example/x\"",
        "url: \"https://feed.example\", projects: [\"${file:nothing}\"]",
    ])
    func `what is wrong with the rules is told also where a secret of their source is not there`(options: String) {
        let told = load(
            """
            sources:
              ios: {plugin: feed, \(options)}
            rules:
              floor: {plugin: limit, metric: usres, limit: "< 50"}
            channels:
              team: {plugin: page}
            """
        ).problems.map(\.line)
        #expect(told.count == 2, "\(told)")
        #expect(told.contains("4:34: no source of this rule gives 'usres'; ios gives crashed_users or users -> users"))
    }

    @Test func `an address that its secret makes none says so`() {
        let told = load(
            """
            sources:
              ios: {plugin: feed, url: "https://feed.example/x?key=${env:SPACED}"}
            channels:
              team: {plugin: page}
            """
        ).problems.map(\.line)
        #expect(told.count == 1 && told[0].contains("so percent-encode it") && told[0].contains("***"), "\(told)")
    }

    @Test func `everything else is still told in a review`() {
        let yaml = """
            sources:
              ios: {plugin: feed, url: "${env:FEED}", tokn: "${env:TOKEN}"}
              web: {plugin: feed, url: "${environment:FEED}"}
              tv: {plugin: feed, url: "${env:FEED"}
            rules:
              floor: {plugin: limit, metric: users, limit: "< ten"}
            channels:
              team: {plugin: hook, url: "${env:HOOK}"}
            routes:
              - {to: "${env:CHANNEL}"}
            """
        let lines = review(yaml).problems.map(\.line)
        #expect(lines.count == 6, "\(lines)")
        for word in [
            "'tokn'", "'to' is the name of a channel", "'environment' is not a kind", "'${' is never closed", "'limit'",
            "needs 'room'",
        ] {
            #expect(lines.contains { $0.contains(word) }, "\(word)")
        }
    }

    // MARK: plain http

    private func feed(_ options: String) -> [String] {
        load("sources:\n  ios: {plugin: feed, \(options)}\nchannels:\n  team: {plugin: page}").problems.map(\.line)
    }

    @Test func `plain http is fine where nothing secret travels`() {
        #expect(feed("url: http://feed.example") == [])
        #expect(feed("url: http://feed.example, projects: [shop]") == [])
        let told =
            "2:28: 'url' is plain http to a host that is not loopback, so anybody on the network path can read it "
            + "(use https, or add insecure: true)"
        #expect(feed("url: http://feed.example, token: \"${env:TOKEN}\"") == [told])
        #expect(feed("url: http://feed.example, headers: {X-Tenant: shop}") == [told])
        #expect(feed("url: \"http://feed.example/${env:TOKEN}\"") == [told])
        #expect(feed("url: \"http://ada:lovelace@feed.example/\"").last == told)
        #expect(feed("url: http://feed.example, token: \"${env:TOKEN}\", insecure: true") == [])
    }

    @Test func `a heartbeat may be plain http where its address is no secret`() {
        func heartbeat(_ address: String) -> [String] {
            load("bot: {heartbeat: \"\(address)\"}" + least).problems.map(\.line)
        }
        #expect(heartbeat("http://hc.example/ping") == [])
        #expect(
            heartbeat("http://hc.example/${env:TOKEN}") == [
                "1:18: 'heartbeat' is plain http to a host that is not loopback (use https)"
            ])
    }

    // MARK: secrets in the file

    @Test func `a secret that is wrong is not quoted`() {
        let yaml = """
            sources:
              ios: {plugin: feed, url: https://feed.example, mirror: feed.example/T0/s3cr3t}
            channels:
              team: {plugin: page}
            """
        let result = load(yaml)
        #expect(
            result.problems.map(\.line) == ["2:58: 'mirror' is ***, expected an address such as https://example.com"])
        let lines = yaml.split(separator: "\n").map(String.init)
        #expect(!ShownLines(lines, hiding: result.writtenSecrets).lines[1].contains("s3cr3t"))
    }

    @Test func `also one with signs in it that end a host, and one that another begins with`() {
        let yaml =
            "sources:\n  ios: {plugin: feed, url: \"https://ada:l0ve#lace@feed.example/x\"}\nchannels:\n  team: {plugin: page}"
        let result = load(yaml)
        #expect(
            result.problems.contains { $0.message.contains("'https://ada:***@feed.example/x', expected an address") })
        #expect(!result.problems.contains { $0.message.contains("lace") }, "\(result.problems.map(\.line))")
    }

    @Test func `on the own machine nobody is warned of it`() {
        let yaml =
            "sources:\n  ios: {plugin: feed, url: \"http://ada:l0velace@127.0.0.1:9/x\"}\nchannels:\n  team: {plugin: page}"
        #expect(load(yaml).problems == [])
    }

    @Test func `so is what stands for a credential in the query of an address`() throws {
        let yaml =
            "sources:\n  ios: {plugin: feed, url: \"https://feed.example/x?app=shop&api_key=l0velace&Token=b4bbage#x\"}\n"
            + "channels:\n  team: {plugin: page}"
        let result = load(yaml)
        #expect(result.problems.map(\.position.line) == [2] && result.problems.allSatisfy { $0.level == .warning })
        let secrets = try #require(result.config).secrets
        #expect(secrets.contains { $0.isSame(as: "l0velace") } && secrets.contains { $0.isSame(as: "b4bbage") })
        let shown = ShownLines(yaml.split(separator: "\n").map(String.init), hiding: result.writtenSecrets).lines[1]
        #expect(!shown.contains("l0velace") && !shown.contains("b4bbage"), "\(shown)")
        // Another text may quote an address, as a query does.
        #expect(load(yaml.replacing("url: ", with: "url: https://feed.example, projects: ")).problems == [])
        #expect(load(yaml.replacing("api_key", with: "page").replacing("Token", with: "key")).problems == [])
    }

    @Test(arguments: [
        ("feed.example/x?token=l0velace", "feed.example/x?token=***"),
        ("https:/feed.example/x?app=shop&api_key=l0velace", "https:/feed.example/x?app=shop&api_key=***"),
        ("ada:l0velace@feed.example/x", "ada:***@feed.example/x"),
        ("htps://ada:l0velace@feed.example", "htps://ada:***@feed.example"),
        // Nobody can tell what of it is the password.
        ("htps://ada:l0velace?token=b4bbage@feed.example", "htps://ada:******"),
    ])
    func `so are both in what is no address yet, and in no other option`(written: String, shown: String) {
        let yaml = "sources:\n  ios: {plugin: feed, url: \"\(written)\"}\nchannels:\n  team: {plugin: page}"
        let result = load(yaml)
        let told = result.problems.map(\.line)
        #expect(told.contains { $0.contains("'url' is '\(shown)', expected an address") }, "\(told)")
        let line = ShownLines(yaml.split(separator: "\n").map(String.init), hiding: result.writtenSecrets).lines[1]
        #expect(!(told + [line]).contains { $0.contains("l0velace") || $0.contains("b4bbage") }, "\(told) \(line)")
        let name = "[\"\(written.replacing("htps://", with: ""))\"]"
        #expect(load(yaml.replacing("\"\(written)\"", with: "https://feed.example, projects: \(name)")).problems == [])
    }

    @Test func `a password in front of a host is a secret`() throws {
        let yaml =
            "sources:\n  ios: {plugin: feed, url: \"https://ada:l0velace@feed.example/x\"}\nchannels:\n  team: {plugin: page}"
        let result = load(yaml)
        #expect(
            result.problems.map(\.line) == [
                "2:28: the secret in 'url' is written in the file itself, where everyone who can read the file sees it "
                    + "(use ${env:NAME}, ${file:PATH} or ${credential:NAME})"
            ])
        #expect(try #require(result.config).secrets.contains { $0.isSame(as: "l0velace") })
        let broken = load(yaml.replacing("feed.example/x", with: "feed example"))
        #expect(
            broken.problems.contains { $0.message.contains("'https://ada:***@feed example', expected an address") },
            "\(broken.problems.map(\.line))")
        #expect(!broken.problems.contains { $0.message.contains("l0velace") })
    }

    /// Masked, a link would lead nowhere.
    @Test(
        arguments: [
            ("runbook: \"https://wiki.example/${env:PAGE}\"", "'runbook'", "write the address out"),
            ("links: {graph: \"${env:GRAPH}\"}", "'links.graph'", "write the address out"),
            ("runbook: \"https://ada:l0velace@wiki.example\"", "'runbook'", "write it without the password"),
            ("runbook: \"https://ada:#l0velace@wiki.example\"", "'runbook'", "write it without the password"),
        ])
    func `an address that people are shown holds no secret`(_ option: String, _ name: String, _ advice: String) {
        let yaml = "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 5\", \(option)}" + least
        for problems in [load(yaml).problems, review(yaml).problems] {
            #expect(
                problems.map(\.message) == ["\(name) is shown to people, so it cannot hold a secret"],
                "\(problems.map(\.line))")
            #expect(problems.first?.advice == advice)
        }
        let lines = yaml.split { $0.isNewline }.map(String.init)
        #expect(!ShownLines(lines, hiding: load(yaml).writtenSecrets).lines.contains { $0.contains("l0velace") })
    }

    @Test(arguments: [
        ("mailto:oncall@example.com", "mailto:oncall@example.com"), ("ask: oncall@example.com", "ask:***@example.com"),
        ("wiki/?token=l0velace", "wiki/?token=***"),
        ("htps://ada:l0velace@wiki.example", "htps://ada:***@wiki.example"),
        ("htps://wiki.example/?token=l0velace", "htps://wiki.example/?token=***"),
    ])
    func `what is no address there is told so, whatever looks like a secret in it`(_ written: String, _ shown: String) {
        let yaml = "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 5\", runbook: \"\(written)\"}" + least
        let result = load(yaml)
        let told = "'runbook' is '\(shown)', expected an address such as https://example.com"
        #expect(result.problems.map(\.message) == [told], "\(result.problems.map(\.line))")
        let lines = yaml.split { $0.isNewline }.map(String.init)
        #expect(!ShownLines(lines, hiding: result.writtenSecrets).lines.contains { $0.contains("l0velace") })
    }

    /// Masked, it would be taken for what it says.
    @Test(arguments: [
        ("bot: {user_header: \"${env:WORD}\"}" + least, "1:20: 'user_header'"),
        ("sources:\n  ios: {plugin: any, owner: \"${env:WORD}\"}\nchannels:\n  team: {plugin: page}", "2:29: 'owner'"),
        (
            "sources:\n  ios: {plugin: any, dashboard: \"${file:token}\"}\nchannels:\n  team: {plugin: page}",
            "2:33: 'dashboard'"
        ),
        ("rules:\n  floor: {plugin: limit, metric: \"${env:WORD}\", limit: \"< 5\"}" + least, "2:34: 'metric'"),
        ("network: {allow: [\"${credential:pager}\"]}" + least, "1:19: 'allow'"),
    ])
    func `nor does any text that people may be shown`(_ yaml: String, _ place: String) {
        for problems in [load(yaml).problems, review(yaml).problems] {
            #expect(
                problems.map(\.line) == ["\(place) may be shown to people, so it cannot hold a secret (write it out)"])
        }
    }

    @Test func `a name of the bot with a secret in it is shown without it`() {
        let result = load("bot: {name: \"${env:WORD} alerts\"}" + least)
        #expect(
            result.problems.map(\.line) == [
                "1:13: 'name' holds a secret, so messages show *** for it (write it out)"
            ])
        #expect(result.config?.bot.name == "*** alerts")
    }

    @Test func `nor does the page's`() {
        let yaml = "bot: {public_url: \"https://${env:HOST}\"}" + least
        #expect(
            review(yaml).problems.map(\.line) == [
                "1:19: 'public_url' is shown to people, so it cannot hold a secret (write the address out)"
            ])
    }

    @Test func `a secret in the file itself is a warning, and is shown nowhere`() throws {
        let yaml = """
            sources:
              ios: {plugin: feed, url: https://feed.example, token: "s3cr3t-token", headers: {X-Tenant: shop, X-Api-Key: k3y}}
            channels:
              team: {plugin: page}
            """
        let result = load(yaml)
        #expect(result.config != nil)
        let told = "is written in the file itself, where everyone who can read the file sees it "
        let advice = "(use ${env:NAME}, ${file:PATH} or ${credential:NAME})"
        #expect(
            result.problems.map(\.line) == [
                "2:57: the secret in 'token' \(told)\(advice)", "2:110: the secret in 'X-Api-Key' \(told)\(advice)",
            ])
        #expect(result.problems.allSatisfy { $0.level == .warning })
        let lines = yaml.split(separator: "\n").map(String.init)
        let masked = ShownLines(lines, hiding: result.writtenSecrets).lines
        #expect(
            masked[1]
                == "  ios: {plugin: feed, url: https://feed.example, token: ***"
        )
        #expect(masked[0] == lines[0])
    }

    @Test func `what is written in the file is as guarded as what comes from elsewhere`() throws {
        let yaml = """
            bot: {token: 0123456789abcdef}
            sources:
              ios: {plugin: feed, url: https://feed.example, token: s3cr3t-of-the-feed, mirror: "http://127.0.0.1:9/s3cr3t",
                headers: {Authorization: Bearer s3cr3t-in-a-header, X-Api-Key: k3y-k3y, Accept: application/json}}
            channels:
              team: {plugin: page}
            """
        let config = try #require(load(yaml).config)
        let source = try #require(config.sources["ios"] as? FeedSource)
        #expect(source.token?.description == "***" && source.token?.reveal() == "s3cr3t-of-the-feed")
        // A short one is masked in answers to the request that it goes out with, and no word of the log.
        #expect(
            Set(config.secrets.map { $0.reveal() }) == [
                "0123456789abcdef", "s3cr3t-of-the-feed", "http://127.0.0.1:9/s3cr3t", "s3cr3t-in-a-header",
            ])
    }

    @Test(arguments: [
        ("token: shop-android-alerts", false), ("token: com.acme.shop.android2", false),
        (#"mirror: "http://127.0.0.1:8080/hooks/shop-android-production""#, false),
        ("token: shop-android-alerts-2", true), ("token: ShopAndroidAlertsOfOurs", true),
        (#"mirror: "http://127.0.0.1:8080/hooks/shop-android-production-2""#, true),
        // The name of the source.
        ("token: figures-of-the-shop-2", false),
        (#"mirror: "http://127.0.0.1:8080/hooks/figures-of-the-shop-2""#, false),
    ])
    func `a word is masked in no log, though it is the value of a secret`(_ option: String, isMasked: Bool) throws {
        let yaml =
            "sources:\n  figures-of-the-shop-2: {plugin: feed, url: https://feed.example, \(option)}\n"
            + "channels:\n  team: {plugin: page}"
        let config = try #require(load(yaml).config)
        #expect(config.secrets.isEmpty != isMasked)
    }

    @Test(arguments: [
        ("Authorization", "Bearer s3cr3t", "Bearer ***"), ("proxy-authorization", "Basic  dXM6cHc=", "Basic  ***"),
        ("Authorization", "s3cr3t", "***"), ("X-Auth-Token", "s3cr3t of words", "***"),
        ("Cookie", "session=s3cr3t; theme=dark", "***"), ("Authorization", "Bearer a${env:TOKEN}", "Bearer a***"),
        // What is no credential, and what is filled in for each request.
        ("Accept", "application/json", "application/json"), ("X-Tenant", "shop", "shop"),
        ("X-Cache-Key", "{from}", "{from}"),
    ])
    func `of headers those are guarded that carry a credential, without its scheme`(
        name: String, value: String, shown: String
    ) throws {
        let yaml =
            "sources:\n  ios: {plugin: feed, url: https://feed.example, headers: {\(name): \"\(value)\"}}\n"
            + "channels:\n  team: {plugin: page}"
        let source = try #require(load(yaml).config?.sources["ios"] as? FeedSource)
        let header = try #require(source.headers[name])
        #expect(header.description == shown)
        #expect(header.reveal() == value.replacing("${env:TOKEN}", with: "s3cr3t-from-env"))
    }

    @Test func `what is wrong with the file shows its names, though a secret in it has the same words`() {
        let yaml =
            "sources:\n  ios: {plugin: feed, url: https://feed.example, token: team-of-the-nights}\n"
            + "channels:\n  team: {plugin: page}\nroutes:\n  - {to: [team-of-the-nights]}"
        let lines = load(yaml).problems.map(\.line)
        #expect(lines.contains { $0.contains("'team-of-the-nights'") }, "\(lines)")
    }

    @Test(arguments: [
        "token: \"${env:TOKEN}\"", "headers: {Authorization: \"Bearer ${env:TOKEN}\"}", "headers: {X-Tenant: shop}",
    ])
    func `a secret from elsewhere is fine`(options: String) {
        #expect(feed("url: https://feed.example, \(options)") == [])
    }

    @Test func `a mask hides the end of its line, and the caret stands no further than it`() {
        let yaml =
            "sources:\n  ios: {plugin: feed, token: s3cr3t-token, url: https://feed.example, headers: {X-Api-Key: k3}, ulr: x}\n"
            + "channels:\n  team: {plugin: page}"
        let result = load(yaml)
        let lines = ShownLines(yaml.split(separator: "\n").map(String.init), hiding: result.writtenSecrets)
        let line = "    " + "  ios: {plugin: feed, token: ***"
        let shown = result.problems.map { problem in
            let parts = problem.text(file: "c.yaml", lines: lines).split(separator: "\n")
            #expect(parts[1] == line)
            return line.dropFirst(parts[2].count - 1).prefix(3)
        }
        #expect(shown == ["***", "***", "***"])
        #expect(result.problems.last?.position.column == 97, "the place is that in the file")
    }

    @Test func `what is written with escapes is masked, too`() {
        let yaml = "sources:\n  ios: {plugin: feed, url: https://feed.example, token: \"s3cr\\u0033t\"}\n"
        let result = load(yaml + "channels:\n  team: {plugin: page}")
        let lines = yaml.split(separator: "\n").map(String.init)
        let masked = ShownLines(lines, hiding: result.writtenSecrets).lines
        #expect(masked[1].hasSuffix("token: ***"), "\(masked[1])")
    }
}
