internal import AlertCore
internal import BotConfig
internal import PluginKit
internal import Testing

@Suite struct MistakeTests {
    private func expect(_ mistake: Mistake) {
        let result = load(mistake.yaml)
        #expect(result.problems.map(\.line) == mistake.problems)
        #expect(result.config == nil)
    }

    @Test(arguments: Mistake.keys) func `a key that does not belong is reported`(mistake: Mistake) { expect(mistake) }

    /// Masked, a name would lead nowhere.
    static let secretNames = [
        Mistake(
            "a channel of the bot", "bot: {report_to: \"${env:WORD}\"}" + least,
            "1:18: 'report_to' is the name of a channel, which is no secret (write the name out)"),
        Mistake(
            "a channel of a route", "routes:\n  - to: [team, \"${env:WORD}\"]" + least,
            "2:16: 'to' is the name of a channel, which is no secret (write the name out)"),
        Mistake(
            "a channel of a gate",
            "rules:\n  first: {plugin: wait, when: {app: a}, to: [team, \"a${env:WORD}\"]}" + least,
            "2:52: 'to' is the name of a channel, which is no secret (write the name out)"),
    ]

    @Test(arguments: secretNames) func `the name of a channel is no secret`(mistake: Mistake) { expect(mistake) }

    @Test(arguments: Mistake.references) func `what names nothing and what can never match is reported`(
        mistake: Mistake
    ) {
        expect(mistake)
    }

    @Test(arguments: [
        ("role", "rule"), ("apps", "app"), ("issues", "issue"), ("resource", "source"),
    ])
    func `a label that is nearly a property may be meant`(label: String, near: String) throws {
        func problems(_ yaml: String) throws -> [String] {
            let result = load(yaml + least)
            let config = try #require(result.config)
            #expect(
                (config.plan.routes.map(\.match) + config.plan.detectors.map(\.match)).contains { $0[label] != nil })
            return result.problems.map(\.line)
        }
        let told = "'\(label)' in 'match' is taken for a label: it matches nothing unless a source gives that label"
        #expect(
            try problems("routes:\n  - {match: {\(label): backend}, to: team}\n  - to: team")
                == ["2:14: \(told) -> \(near)"])
        #expect(
            try problems(
                "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50\", match: {\(label): backend}}")
                == ["2:64: \(told) -> \(near)"])
        #expect(
            try problems("routes:\n  - {match: {team: backend, \(label): [x, \"y*\"]}, to: team}\n  - to: team").count
                == 1)
    }

    static let sections = [
        Mistake(
            "nothing at all", "",
            "1:1: the document is empty"),
        Mistake(
            "no sources", "channels:\n  team: {plugin: page}",
            "1:1: the config has no 'sources'; it needs at least one"),
        Mistake(
            "empty sources and channels", "sources:\nchannels: {}",
            "1:1: 'sources' is empty; the bot needs at least one",
            "2:1: 'channels' is empty; the bot needs at least one"),
        Mistake(
            "an empty source", "sources:\n  ios:\nchannels:\n  team: {plugin: page}",
            "2:3: source 'ios' is empty (write plugin: feed or any)"),
        Mistake(
            "a list where a mapping belongs", "sources: [ios]\nchannels:\n  team: {plugin: page}",
            "1:10: 'sources' must be a mapping of names to values, not a list"),
        Mistake(
            "version 2", "version: 2" + least,
            "1:10: 'version' is '2'; this alertbot reads version 1 -> 1"),
        Mistake(
            "a plugins section", "plugins:\n  - path: ./pagerbell" + least,
            "1:1: plugins outside the bot's own process are not supported by this version (remove 'plugins')"),
        Mistake(
            "several required options missing",
            "sources:\n  ios: {plugin: any}\nchannels:\n  team: {plugin: hook}",
            "4:3: channel 'team' needs 'url': where to post",
            "4:3: channel 'team' needs 'room': which room"),
    ]

    @Test(arguments: sections) func `a section that is wrong as a whole is reported`(mistake: Mistake) {
        expect(mistake)
    }

    @Test(arguments: Mistake.values) func `a value that is not written as it should be is reported`(mistake: Mistake) {
        expect(mistake)
    }

    static let secrets = [
        Mistake(
            "an unset variable", "bot: {name: \"${env:NOBODY}\"}" + least,
            "1:13: the environment variable NOBODY is not set"),
        Mistake(
            "an unreadable secret file", "bot: {name: \"${file:/run/nothing}\"}" + least,
            "1:13: the secret file /run/nothing cannot be read: there is no such file"),
        Mistake(
            "a secret file that is no text", "bot: {name: \"${file:binary}\"}" + least,
            "1:13: the secret file /etc/bot/binary is not UTF-8 text"),
        Mistake(
            "a secret file beyond its bounds", "bot: {name: \"${file:huge}\"}" + least,
            "1:13: the secret file /etc/bot/huge is larger than 64 KiB"),
        Mistake(
            "an unknown kind of secret", "bot: {name: \"${evn:TOKEN}\"}" + least,
            "1:13: 'evn' is not a kind of secret; the kinds are env, file and credential -> ${env:TOKEN}"),
        Mistake(
            "a kind near nothing", "bot: {name: \"${vault:TOKEN}\"}" + least,
            "1:13: 'vault' is not a kind of secret; the kinds are env, file and credential"),
        Mistake(
            "no kind", "bot: {name: \"${TOKEN}\"}" + least,
            "1:13: '${TOKEN}' is not a kind of secret; the kinds are env, file and credential -> ${env:TOKEN}"),
        Mistake(
            "no kind, as other tools write it", "bot: {name: \"${env.TOKEN}\"}" + least,
            "1:13: '${env.TOKEN}' is not a kind of secret; the kinds are env, file and credential -> ${env:TOKEN}"),
        Mistake(
            "no kind in a longer text", "bot: {name: \"bot ${TOKEN}\"}" + least,
            "1:13: '${TOKEN}' is not a kind of secret; the kinds are env, file and credential (write ${env:TOKEN})"),
        Mistake(
            "no name", "bot: {name: \"${env:}\"}" + least,
            "1:13: '${env:}' names nothing (the name goes after the ':', as in ${env:NAME} or ${file:PATH})"),
        Mistake(
            "never closed", "bot: {name: \"${env:TOKEN\"}" + least,
            "1:13: '${' is never closed (write '$${' for a plain '${')"),
        Mistake(
            "a credential with a path", "bot: {name: \"${credential:../pager}\"}" + least,
            "1:13: the name of a credential must not contain '/'"),
        Mistake(
            "a secret where a word of a list belongs",
            "rules:\n  nights: {plugin: night, between: 22:00-07:00, then: \"${env:WORD}\"}" + least,
            "2:55: 'then' is '***', expected hold or drop"),
        Mistake(
            "two unset variables in one value", "bot: {name: \"${env:NOBODY} and ${env:NOTHING}\"}" + least,
            "1:13: the environment variable NOBODY is not set", "1:13: the environment variable NOTHING is not set"),
        Mistake(
            "what is said of a text that a secret has made",
            "rules:\n  nights: {plugin: night, between: 22:00-07:00, match: {severity: \"${env:WORD}\"}}" + least,
            "2:67: '***' is not a severity; expected info, warning or critical"),
    ]

    /// Whatever a file holds, what is said of it has one line and shows what it is.
    static let hostile = [
        Mistake(
            "a key that would ring", "\"ru\\ales\": {}" + least,
            "1:1: unknown key 'rules' in the config -> rules"),
        Mistake(
            "a name that would turn the line around",
            "rules:\n  \"a\\u202Eb\": {plugin: night, between: 22:00-07:00}" + least,
            "2:3: 'ab' is not a valid name; use letters, digits, '-', '_' and '.', at most 64"),
        Mistake(
            "a plugin that rings", "rules:\n  a: {plugin: \"nig\\aht\"}" + least,
            "2:15: there is no plugin 'night' for rules; known: limit, night, holiday, cap, wait -> night"),
    ]

    @Test(arguments: hostile) func `a hostile file is reported in plain words`(mistake: Mistake) { expect(mistake) }

    /// One mistake, one sentence: what follows from it is not told.
    static let followers = [
        Mistake(
            "an option that is needed, under a wrong name",
            """
            sources:
              ios: {plugin: feed, ulr: https://feed.example}
            channels:
              team: {plugin: page}
            """,
            "2:23: unknown key 'ulr' in source 'ios' of plugin feed -> url"),
        Mistake(
            "a wrong key that is merged twice",
            """
            sources:
              ios: &feed {plugin: feed, url: https://feed.example, tokn: abc}
              web: {<<: *feed}
            channels:
              team: {plugin: page}
            """,
            "2:56: unknown key 'tokn' in source 'ios' of plugin feed -> token"),
        Mistake(
            "an alias of nothing",
            """
            sources:
              ios: *nothing
            channels:
              team: {plugin: page}
            """,
            "2:8: no anchor has this name (put the value in quotes if it starts with '*'; an anchor is written with '&' before the value, above its first use)"
        ),
        Mistake(
            "an alias of nothing that was to be merged in",
            """
            sources:
              ios: {plugin: feed, url: https://feed.example}
            rules:
              floor: {<<: *nope, metric: users}
              other:
                limit: "< 5"
                <<: *none
            channels:
              team: {plugin: page}
            """,
            "4:15: no anchor has this name (put the value in quotes if it starts with '*'; an anchor is written with '&' before the value, above its first use)",
            "7:9: no anchor has this name (put the value in quotes if it starts with '*'; an anchor is written with '&' before the value, above its first use)"
        ),
        Mistake(
            "a route that would go on",
            """
            routes:
              - {to: [team], contine: true}
              - {match: {app: shop}, to: [team]}
            """ + least,
            "2:18: unknown key 'contine' in a route -> continue"),
        Mistake("a list for a config", "- sources", "1:1: the config must be a mapping of names to values, not a list"),
    ]

    @Test(arguments: followers) func `what follows from a mistake is not reported besides`(mistake: Mistake) {
        expect(mistake)
    }

    @Test(arguments: secrets) func `a secret that cannot be had is reported`(mistake: Mistake) { expect(mistake) }

    @Test func `without credentials a reference to one says what to do`() {
        let result = load("bot: {name: \"${credential:pager}\"}" + least, credentials: nil)
        #expect(
            result.problems.map(\.line) == [
                "1:13: there are no credentials: CREDENTIALS_DIRECTORY is not set "
                    + "(add LoadCredential=pager:PATH to the systemd unit)"
            ])
    }

    @Test func `columns count characters, whatever stands before`() {
        expect(
            Mistake(
                "after é and emoji", "bot: {name: \"é🚀漢字\", listen: here, été: 1}" + least,
                "1:29: 'listen' is 'here', expected HOST:PORT or off",
                "1:35: unknown key 'été' in 'bot'; known are "
                    + "heartbeat, language, listen, name, public_url, report_to, shutdown_grace, state, timezone, token, user_header, words"
            ))
    }

    @Test func `every mistake is reported in one go, in the order of the file`() {
        expect(
            Mistake(
                "many",
                """
                routes:
                  - to: [nobody]
                rules:
                  floor:
                    plugin: limit
                    metric: crash_events
                    limit: "50"
                    widow: 1h
                sources:
                  ios:
                    plugin: feed
                    every: 5
                channels:
                  team:
                    plugin: page
                bot:
                  timezone: Nowhere/Land
                version: 3
                """,
                "2:10: there is no channel 'nobody'; known: team",
                "7:12: 'limit' is '50', expected a comparison such as \"< 99.5%\" or \"> 100\""
                    + " (write \"< 50\" or \"> 50\")",
                "8:5: unknown key 'widow' in rule 'floor' of plugin limit -> window",
                "10:3: source 'ios' needs 'url': where the feed is",
                "12:12: 'every' is '5', expected a duration such as 30s, 5m, 2h or 1d (write 5s or 5m)",
                "17:13: there is no time zone 'Nowhere/Land', expected a name such as Europe/Madrid",
                "18:10: 'version' is '3'; this alertbot reads version 1 -> 1"))
    }

    @Test(arguments: [
        ("sources:\n  ios:\n    plugin feed\n    url: x", "3:5: 'plugin' has no ':' after it (write 'plugin: …')"),
        ("sources:\n  ios:\n    plugin：feed\n    url: x", "3:5: 'plugin' has no ':' after it (write 'plugin: …')"),
        ("rules:\n  low:\n    runbook = x\n    plugin: y", "3:5: 'runbook' has no ':' after it (write 'runbook: …')"),
        ("bot:\n  name: x\nroutes\nchannels: {}", "3:1: 'routes' has no ':' after it (write 'routes: …')"),
        (
            "sources:\n  ios:\n    headers: {X-Key: '${env:TOKEN}'}\nroutes\nchannels: {}",
            "4:1: 'routes' has no ':' after it (write 'routes: …')"
        ),
        (
            "sources:\n  ios:\n    headers:\n      X-Key: shop\nroutes\nchannels: {}",
            "5:1: 'routes' has no ':' after it (write 'routes: …')"
        ),
        // Any other word may be a secret, and so may be what stands below the key of one.
        ("sources:\n  ios\n    plugin: feed", "2:3: a ':' is missing after this key"),
        ("sources:\n  ios:\n    url: x\n    colour of words\n    plugin: feed", "4:5: a ':' is missing after this key"),
        ("sources:\n  ios:\n    token:\n    routes of\n    url: x", "4:5: a ':' is missing after this key"),
    ])
    func `a key without its colon is named where it is known`(yaml: String, expected: String) {
        #expect(load(yaml).problems.map(\.line) == [expected])
    }

    @Test func `what is wrong with the yaml is reported with what it says`() {
        let result = load("bot: {name: [one\n")
        #expect(result.config == nil)
        #expect(!result.problems.isEmpty)
    }
}
