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

    static let keys = [
        Mistake(
            "unknown key at the top", "rulez: {}" + least,
            "1:1: unknown key 'rulez' in the config -> rules"),
        Mistake(
            "a key at the top that is like none", "foo: 1" + least,
            "1:1: unknown key 'foo' in the config; known are bot, channels, include, network, oncall, polling, routes, "
                + "rules, sources, version"),
        Mistake(
            "a key at the top that is like that of a later version", "plugin: []" + least,
            "1:1: 'plugin' does not belong in the config (it belongs in a source, rule or channel)"),
        Mistake(
            "unknown key of a plugin",
            """
            sources:
              ios: {plugin: feed, url: https://feed.example, tokn: abc}
            channels:
              team: {plugin: page}
            """,
            "2:50: unknown key 'tokn' in source 'ios' of plugin feed -> token"),
        Mistake(
            "a misspelt plugin of a source",
            "sources:\n  ios: {url: https://feed.example, plugn: feed}\nchannels: {team: {plugin: page}}",
            "2:36: unknown key 'plugn' in source 'ios' -> plugin"),
        Mistake(
            "a misspelt plugin of a channel", "channels:\n  team: {Plugin: page}\nsources: {ios: {plugin: any}}",
            "2:10: unknown key 'Plugin' in channel 'team' -> plugin"),
        Mistake(
            "a misspelt plugin of a rule", "rules:\n  floor: {plug: cap, at_most: 3}" + least,
            "2:11: unknown key 'plug' in rule 'floor' -> plugin"),
        Mistake(
            "a key with a space that cannot be seen", "bot: {name:\u{A0}shop}" + least,
            "1:7: 'name:' has no plain space after it (it has a no-break space in it "
                + "(U+00A0), which YAML takes for a letter; write a plain one)"),
        Mistake(
            "an address under another name",
            "channels: {x: {plugin: hook, room: r, webhook: https://h.example}}\nsources: {ios: {plugin: any}}",
            "1:39: unknown key 'webhook' in channel 'x' of plugin hook -> url"),
        Mistake(
            "a dashboard with an unknown place to fill in",
            """
            sources:
              ios: {plugin: any, dashboard: "https://g.example/{ap}"}
            channels:
              team: {plugin: page}
            """,
            "2:33: 'dashboard' is 'https://g.example/{ap}', expected an http or https address, which may hold {app}, "
                + "{release} or {environment} (write other braces as %7B and %7D)"),
        Mistake(
            "unknown key near nothing", "bot: {colour: red}" + least,
            "1:7: unknown key 'colour' in 'bot'; known are "
                + "heartbeat, language, listen, name, public_url, report_to, shutdown_grace, state, timezone, token, user_header, words"
        ),
        Mistake(
            "a route with no space behind its colon", "routes:\n  - to:team" + least,
            "2:5: 'to:' has no space after it (write 'to: …')"),
        Mistake(
            "a route that says nothing", "routes:\n  -" + least,
            "2:4: a route needs 'to': the channels it leads to (write to: [CHANNEL])"),
        Mistake(
            "unknown key near one that is there", "polling: {every: 5m, evry: 2m}" + least,
            "1:22: unknown key 'evry' in 'polling'; known are "
                + "backoff, concurrency, every, jitter, per_host, slowest, throttle, timeout"),
        Mistake(
            "misplaced key of the bot", "polling: {timezone: UTC}" + least,
            "1:11: 'timezone' does not belong in 'polling' (it belongs in 'bot', or in a rotation under 'oncall')"),
        Mistake(
            "misplaced key of polling", "concurrency: 4" + least,
            "1:1: 'concurrency' does not belong in the config (it belongs in 'polling')"),
        Mistake(
            "misplaced option of a rule", "bot: {confidence: 95%}" + least,
            "1:7: 'confidence' does not belong in 'bot' (it belongs in a rule of plugin limit)"),
        Mistake(
            "duplicate key",
            """
            bot:
              name: one
              state: ./here
              name: two
            """ + least,
            "4:3: duplicate key 'name', first on line 2 (keep one)"),
        Mistake(
            "a duplicate key that nobody knows, which may be a part of a secret",
            "bot: {colour: red, colour: blue}" + least,
            "1:7: unknown key 'colour' in 'bot'; known are "
                + "heartbeat, language, listen, name, public_url, report_to, shutdown_grace, state, timezone, token, user_header, words",
            "1:20: duplicate key, first on line 1 (keep one)"),
        Mistake(
            "a text between braces, which is a key to YAML", "bot: {name: x, colour}" + least,
            "1:16: unknown key '***' in 'bot'; known are "
                + "heartbeat, language, listen, name, public_url, report_to, shutdown_grace, state, timezone, token, user_header, words"
        ),
        Mistake(
            "a duplicate source",
            """
            sources:
              ios: {plugin: any}
              ios: {plugin: any}
            channels:
              team: {plugin: page}
            """,
            "3:3: duplicate key 'ios', first on line 2 (keep one)"),
    ]

    @Test(arguments: keys) func `a key that does not belong is reported`(mistake: Mistake) { expect(mistake) }

    static let references = [
        Mistake(
            "route to no channel", "routes:\n  - to: [tema]" + least,
            "2:10: there is no channel 'tema'; known: team -> team"),
        Mistake(
            "report_to missing", "bot: {report_to: ops}" + least,
            "1:18: there is no channel 'ops'; known: team"),
        Mistake(
            "report_to with the address of a channel", "bot: {report_to: https://hooks.example/T0}" + least,
            "1:18: there is no channel '***'; known: team (write the name of the channel, not an address)"),
        Mistake(
            "rule on no source",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50\", match: {source: [iso]}}" + least,
            "2:73: there is no source 'iso'; known: ios -> ios"),
        Mistake(
            "route on no rule",
            "routes:\n  - {match: {rule: flor}, to: team}\n  - to: team\nrules:\n"
                + "  floor: {plugin: limit, metric: users, limit: \"< 50\"}" + least,
            "2:20: there is no rule 'flor'; known: channel-failing, clock-stepped, config-refused, floor, journal-damaged, journal-failing, partial-answers, source-failing, source-stopped, template-failing -> floor"
        ),
        Mistake(
            "rule on no metric", "rules:\n  floor: {plugin: limit, metric: usres, limit: \"< 50\"}" + least,
            "2:34: no source of this rule gives 'usres'; ios gives crashed_users or users -> users"),
        Mistake(
            "a glob that fits no source",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50\", match: {source: and*}}" + least,
            "2:72: 'and*' fits no source, so it can never match; known: ios"),
        Mistake(
            "severity on a detector",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50\", match: {severity: critical}}" + least,
            "2:64: a rule that judges observations can never match 'severity': observations have none "
                + "(use 'match' of a route or of a gate)"),
        Mistake(
            "no such severity", "routes:\n  - {match: {severity: critcal}, to: team}\n  - to: team" + least,
            "2:24: 'critcal' is not a severity; expected info, warning or critical -> critical"),
        Mistake(
            "an empty list in a match", "routes:\n  - {match: {app: []}, to: team}\n  - to: team" + least,
            "2:19: 'match.app' is an empty list, so it can never match"),
        Mistake(
            "a property misspelt", "routes:\n  - {match: {severty: critical}, to: team}\n  - to: team" + least,
            "2:14: unknown property 'severty' in 'match' -> severity"),
        Mistake(
            "another one", "routes:\n  - {match: {relaese: \"5.2\"}, to: team}\n  - to: team" + least,
            "2:14: unknown property 'relaese' in 'match' -> release"),
        Mistake(
            "routes that take what another one is for",
            """
            routes:
              - {match: {app: shop}, to: [team]}
              - {match: {severity: critical}, to: [team], continue: true}
              - {match: {app: shop}, to: [team]}
              - {match: {severity: critical, app: shop}, to: [team]}
              - {match: {severity: critical}, to: [team]}
              - {match: {app: [shop, game]}, to: [team]}
            """ + least,
            "4:13: this route is never reached: the one on line 2 matches the same (move this one before it, or add continue: true to that one)",
            "5:13: this route is never reached: the one on line 2 matches all that it does "
                + "(move this one before it, or add continue: true to that one)"),
        Mistake(
            "routes behind one that matches everything in other words",
            """
            routes:
              - {match: {app: "*", severity: [info, critical, warning]}, to: [team]}
              - {match: {severity: critical}, to: [team]}
            """ + least,
            "3:13: this route is never reached: the one on line 2 matches everything "
                + "(move this one before it, or add continue: true to that one)"),
        Mistake(
            "routes behind one with a list or a pattern",
            """
            routes:
              - {match: {app: shop-*, severity: [critical, warning]}, to: [team]}
              - {match: {app: shop-ios, severity: critical}, to: [team]}
              - {match: {app: shop-ios}, to: [team]}
            """ + least,
            "3:13: this route is never reached: the one on line 2 matches all that it does "
                + "(move this one before it, or add continue: true to that one)"),
        Mistake(
            "a channel that is nothing", "rules: {more: {plugin: wait, when: {app: a}, to: ~}}" + least,
            "1:50: 'to' is empty"),
        Mistake(
            "files to include as a mapping", "include: {}" + least,
            "1:10: 'include' must be a list of files, not a mapping (write include: [teams/*.yaml])"),
        Mistake(
            "another word for off",
            "rules: {floor: {plugin: limit, metric: users, limit: \"< 50\", confidence: none}}" + least,
            "1:74: 'confidence' is 'none', expected a percentage such as 99.5%, or off"),
        Mistake(
            "what belongs in polling alone",
            "channels: {x: {plugin: page, concurrency: 3}}" + """

                sources:
                  ios: {plugin: feed, url: https://feed.example, concurrency: 3}
                """,
            "1:30: 'concurrency' does not belong in channel 'x' of plugin page (it belongs in 'polling')",
            "3:50: 'concurrency' does not belong in source 'ios' of plugin feed (it belongs in 'polling')"),
        Mistake(
            "a unit twice", "bot: {shutdown_grace: 10m10m}" + least,
            "1:23: 'shutdown_grace' is '10m10m', expected a duration such as 30s, 5m, 2h or 1d, with each unit once -> 20m"
        ),
        Mistake(
            "a header with its value", "bot: {user_header: \"X-User: ana\"}" + least,
            "1:20: 'user_header' is 'X-User: ana', expected the name of a header such as X-Forwarded-User"),
        Mistake(
            "a route that is never reached",
            "routes:\n  - to: team\n  - match: {severity: critical}\n    to: team" + least,
            "3:12: this route is never reached: the one on line 2 matches everything "
                + "(move this one before it, or add continue: true to that one)"),
        Mistake(
            "routes with a mistake that may be why they match everything",
            """
            routes:
              - {mtch: {app: shop}, to: [team]}
              - {too: [team]}
              - {colour: red, to: [team]}
              - team
              - {match: {app: shop}, to: [team]}
              - {to: [team]}
            """ + least,
            "2:6: unknown key 'mtch' in a route -> match", "3:6: unknown key 'too' in a route -> to",
            "4:6: unknown key 'colour' in a route; known are continue, match, to",
            "5:5: a route must be a mapping of names to values, not a single value"),
        Mistake(
            "a route without channels", "routes:\n  - match: {severity: critical}\n  - to: team" + least,
            "2:5: a route needs 'to': the channels it leads to (write to: [CHANNEL])"),
        Mistake(
            "a rule named like a trouble",
            "rules:\n  source-failing: {plugin: cap, at_most: 3}" + least,
            "2:3: 'source-failing' is the name of one of the bot's own troubles; choose another"),
        Mistake(
            "no such plugin", "rules:\n  floor: {plugin: limt}" + least,
            "2:19: there is no plugin 'limt' for rules; known: limit, night, holiday, cap, wait -> limit"),
        Mistake(
            "a plugin of another kind", "sources:\n  ios: {plugin: page}\nchannels:\n  team: {plugin: page}",
            "2:17: 'page' is a plugin for channels, not for sources; known: feed, any (write it under 'channels')"),
        Mistake(
            "a time zone whose sign is the other way round", "bot: {timezone: GMT+2}" + least,
            "1:17: there is no time zone 'GMT+2', expected a name such as Europe/Madrid (write a place, or Etc/GMT-2: "
                + "the signs of such zones are the other way round)"),
        Mistake(
            "a time zone behind UTC", "bot: {timezone: UTC-03:00}" + least,
            "1:17: there is no time zone 'UTC-03:00', expected a name such as Europe/Madrid (write a place, or "
                + "Etc/GMT+3: the signs of such zones are the other way round)"),
        Mistake(
            "a time zone of half an hour", "bot: {timezone: UTC+5:30}" + least,
            "1:17: there is no time zone 'UTC+5:30', expected a name such as Europe/Madrid (write a place)"),
        Mistake(
            "no plugin named", "rules:\n  floor: {metric: users}" + least,
            "2:3: rule 'floor' names no plugin (write plugin: limit, night, holiday, cap or wait)"),
        Mistake(
            "a name that is none", "rules:\n  my floor: {plugin: cap, at_most: 3}" + least,
            "2:3: 'my floor' is not a valid name; use letters, digits, '-', '_' and '.', at most 64"),
    ]

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

    @Test(arguments: references) func `what names nothing and what can never match is reported`(mistake: Mistake) {
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

    static let values = [
        Mistake(
            "a number without a unit", "polling: {timeout: 30}" + least,
            "1:20: 'timeout' is '30', expected a duration such as 30s, 5m, 2h or 1d (write 30s or 30m)"),
        Mistake(
            "a share without a unit", "polling: {jitter: 0.1}" + least,
            "1:19: 'jitter' is '0.1', expected a percentage such as 99.5% -> 10%"),
        Mistake(
            "a share that would be too large", "polling: {jitter: 60}" + least,
            "1:19: 'jitter' is '60', expected a percentage such as 99.5%"),
        Mistake(
            "a comparison for points",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50\", recover: \"< 2%\"}" + least,
            "2:65: 'recover' is '< 2%', expected percentage points such as 0.5pp"),
        Mistake(
            "percent for points",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50\", recover: 0.2%}" + least,
            "2:65: 'recover' is '0.2%', expected percentage points such as 0.5pp -> 0.2pp"),
        Mistake(
            "percent on counts", "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50%\"}" + least,
            "2:48: 'users' is a count, so its limit has no '%'"),
        Mistake(
            "what a plugin refuses beside what it never sees",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50%\", runbook: wiki, links: {a: b}, repeat: 4, "
                + "template: x.m}" + least,
            "2:48: 'users' is a count, so its limit has no '%'",
            "2:66: 'runbook' is 'wiki', expected an address such as https://example.com",
            "2:83: 'links.a' is 'b', expected an address such as https://example.com",
            "2:95: 'repeat' is '4', expected a duration such as 30s, 5m, 2h or 1d, or off (write 4m or 4h)",
            "2:108: 'template': /etc/bot/x.m cannot be read: there is no such file "
                + "('alertbot template show' has one to start from)"),
        Mistake(
            "a limit without a relation", "rules:\n  floor: {plugin: limit, metric: users, limit: 50}" + least,
            "2:48: 'limit' is '50', expected a comparison such as \"< 99.5%\" or \"> 100\" (write \"< 50\" or \"> 50\")"
        ),
        Mistake(
            "a relation that YAML would not take without quotes",
            "rules:\n  floor: {plugin: limit, metric: users, limit: => 5}" + least,
            "2:48: 'limit' is '=> 5', expected a comparison such as \"< 99.5%\" or \"> 100\" -> \">= 5\""),
        Mistake(
            "the same between quotes",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"=> 5\"}" + least,
            "2:48: 'limit' is '=> 5', expected a comparison such as \"< 99.5%\" or \"> 100\" -> >= 5"),
        Mistake(
            "a value with a character that cannot be seen",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 5\", window: 1h\u{200B}}" + least,
            "2:63: 'window' is '1h\u{200B}', expected a duration such as 30s, 5m, 2h or 1d "
                + "(it has an invisible character in it (U+200B); remove it)"),
        Mistake(
            "a duration out of range",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50\", window: 30s}" + least,
            "2:64: 'window' is 30s, expected from 1m to 30d"),
        Mistake(
            "a duration of more digits than anybody counts",
            "rules:\n  floor: {plugin: limit, metric: users, limit: \"< 50\", window: 99999999999s}" + least,
            "2:64: 'window' is 99999999999s, expected from 1m to 30d"),
        Mistake(
            "a window that never opens", "rules:\n  nights: {plugin: night, between: 22:00-22:00}" + least,
            "2:36: 'between' is '22:00-22:00', expected times such as 22:00-07:00, with two different times: "
                + "equal ends never open (the whole day is 00:00-24:00)"),
        Mistake(
            "days that are none", "rules:\n  nights: {plugin: night, between: 22:00-07:00, days: []}" + least,
            "2:55: 'days' is an empty list (list at least one, or leave it out)"),
        Mistake(
            "a mute that ends before it begins",
            "rules:\n  vacation: {plugin: holiday, from: 2026-12-24, until: 2026-12-23}" + least,
            "2:56: 'until' is not after 'from', so it never begins"),
        Mistake(
            "days misspelt", "rules:\n  nights: {plugin: night, between: 22:00-07:00, days: mon-fry}" + least,
            "2:55: 'days' is 'mon-fry', expected days such as mon-fri or sat,sun -> mon-fri"),
        Mistake(
            "a word out of a list", "rules:\n  nights: {plugin: night, between: 22:00-07:00, then: hodl}" + least,
            "2:55: 'then' is 'hodl', expected hold or drop -> hold"),
        Mistake(
            "a time zone misspelt", "bot: {timezone: Europe/Madird}" + least,
            "1:17: there is no time zone 'Europe/Madird', expected a name such as Europe/Madrid -> Europe/Madrid"),
        Mistake(
            "a city for a time zone", "bot: {timezone: madrid}" + least,
            "1:17: there is no time zone 'madrid', expected a name such as Europe/Madrid -> Europe/Madrid"),
        Mistake(
            "listening on a port alone", "bot: {listen: 8480}" + least,
            "1:15: 'listen' is '8480', expected HOST:PORT or off -> 127.0.0.1:8480"),
        Mistake(
            "listening on no host", "bot: {listen: \":8480\"}" + least,
            "1:15: 'listen' names no host -> 127.0.0.1:8480"),
        Mistake(
            "plain http",
            "sources:\n  ios: {plugin: feed, url: http://feed.example, token: \"${env:TOKEN}\"}\n"
                + "channels:\n  team: {plugin: page}",
            "2:28: 'url' is plain http to a host that is not loopback, so anybody on the network path can read it "
                + "(use https, or add insecure: true)"),
        Mistake(
            "a heartbeat over plain http", "bot: {heartbeat: \"http://hc.example/${env:TOKEN}\"}" + least,
            "1:18: 'heartbeat' is plain http to a host that is not loopback (use https)"),
        Mistake(
            "no address", "sources:\n  ios: {plugin: feed, url: feed.example}\nchannels:\n  team: {plugin: page}",
            "2:28: 'url' is 'feed.example', expected an address such as https://example.com"),
        Mistake(
            "throttle above every", "polling: {every: 1m, throttle: 2m}" + least,
            "1:32: 'throttle' (2m) is longer than 'every' (1m)"),
        Mistake(
            "every above slowest", "polling: {every: 1h, slowest: 30m}" + least,
            "1:18: 'every' (1h) is longer than 'slowest' (30m)"),
        Mistake(
            "throttle above slowest of a source",
            "sources:\n  ios: {plugin: any, throttle: 2h, slowest: 1h}\nchannels:\n  team: {plugin: page}",
            "2:32: 'throttle' (2h) is longer than 'slowest' (1h)"),
        Mistake(
            "no such reason to slow down", "polling: {backoff: {when: [calmm], factor: 0}}" + least,
            "1:28: 'when' is 'calmm', expected failing, unchanged, calm, idle or low_power -> calm",
            "1:44: 'factor' is '0', expected a number from 1 to 10"),
        Mistake(
            "too much left to chance", "polling: {jitter: 60%}" + least,
            "1:19: 'jitter' is 60%, expected from 0% to 50%"),
        Mistake(
            "yes for true",
            "sources:\n  ios: {plugin: feed, url: https://feed.example, insecure: yes}\n"
                + "channels:\n  team: {plugin: page}",
            "2:60: 'insecure' is 'yes', expected true or false -> true"),
        Mistake(
            "a fraction where a whole number belongs", "polling: {concurrency: 2.5}" + least,
            "1:24: 'concurrency' is '2.5', expected a whole number from 1 to 256"),
        Mistake(
            "an empty value", "bot: {name: }" + least,
            "1:13: 'name' is empty"),
        Mistake(
            "a value that is a comment", "bot:\n  name: #alerts" + least,
            "2:8: 'name' is empty (what begins with '#' is a comment; put it in quotes if it is the value)"),
        Mistake(
            "a value that is an anchor", "bot:\n  name:  &co" + least,
            "2:10: 'name' is empty (what begins with '&' is an anchor; put it in quotes if it is the value)"),
    ]

    @Test(arguments: values) func `a value that is not written as it should be is reported`(mistake: Mistake) {
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
