internal import AlertCore
internal import BotConfig
internal import PluginKit
internal import Testing

@Suite struct MeaningTests {
    private func config(_ yaml: String) throws -> Config {
        let result = load(yaml)
        #expect(result.problems.map(\.line) == [])
        return try #require(result.config)
    }

    @Test func `the shortest config means all the defaults`() throws {
        let config = try config(String(least.dropFirst()))
        #expect(config.bot.name == "alertbot")
        #expect(config.bot.zone == .utc)
        #expect(config.bot.stateFolder == "/etc/bot/state")
        #expect(config.bot.listen == .on(host: "127.0.0.1", port: 8480))
        #expect(config.bot.publicURL == nil)
        #expect(config.bot.heartbeat == nil)
        #expect(config.bot.shutdownGrace == .seconds(20))
        #expect(config.bot.reportTo == nil)
        #expect(config.plan.concurrency == 8)
        #expect(config.plan.detectors.isEmpty)
        #expect(config.plan.gates.isEmpty)
        #expect(config.plan.routes.isEmpty)
        #expect(config.plan.channels.map(\.name) == ["team"])
        let ios = try #require(config.plan.sources.first)
        #expect(ios.name == "ios")
        #expect(ios.host == "feed.example")
        #expect(ios.every == .minutes(5))
        #expect(ios.throttle == .minutes(1))
        #expect(ios.slowest == .minutes(30))
        #expect(ios.timeout == .seconds(20))
        #expect(ios.jitter == 0.1)
        #expect(ios.backoffFactor == 2)
        #expect(ios.slowsWhen == [.failing, .unchanged, .calm, .idle, .lowPower])
    }

    @Test func `the bot section is read to its last key`() throws {
        let config = try config(
            """
            version: 1
            bot:
              name: shop-alerts
              timezone: Europe/Madrid
              state: /var/lib/alertbot
              listen: "[::1]:9000"
              public_url: https://alerts.example.com
              heartbeat: https://hc.example.com/ping/1234
              shutdown_grace: 5s
              report_to: team
            """ + least)
        #expect(config.bot.name == "shop-alerts")
        #expect(config.bot.zone.name == "Europe/Madrid")
        #expect(config.bot.stateFolder == "/var/lib/alertbot")
        #expect(config.bot.listen == .on(host: "::1", port: 9000))
        #expect(config.bot.publicURL == "https://alerts.example.com")
        #expect(config.bot.heartbeat?.reveal() == "https://hc.example.com/ping/1234")
        #expect(config.bot.shutdownGrace == .seconds(5))
        #expect(config.bot.reportTo == "team")
        #expect(config.plan.botName == "shop-alerts")
        #expect(config.plan.zone.name == "Europe/Madrid")
        #expect(config.plan.publicURL == "https://alerts.example.com")
        #expect(config.plan.reportTo == "team")
        #expect((config.channels["team"] as? PageChannel)?.bot == "shop-alerts")
    }

    @Test(arguments: [("off", BotSettings.Listening.off), ("0.0.0.0:80", .on(host: "0.0.0.0", port: 80))])
    func `listening is an address or off`(text: String, listening: BotSettings.Listening) throws {
        #expect(try config("bot: {listen: \(text)}" + least).bot.listen == listening)
    }

    @Test func `a source overrides what polling says, and polling the defaults`() throws {
        let config = try config(
            """
            polling:
              every: 10m
              throttle: 2m
              slowest: 1h
              timeout: 10s
              jitter: 0%
              concurrency: 3
              per_host: 6
              backoff: {factor: 1.5, when: [failing]}
            sources:
              plain: {plugin: any}
              own:
                plugin: any
                every: 3m
                throttle: 30s
                slowest: 2h
                timeout: 1m
                jitter: 20%
                per_host: 2
                backoff: {factor: 3, when: [calm, idle]}
            channels:
              team: {plugin: page}
            """)
        #expect((config.plan.concurrency, config.plan.perHost) == (3, 6))
        let plain = config.plan.sources[0]
        #expect((plain.every, plain.throttle, plain.slowest) == (.minutes(10), .minutes(2), .hours(1)))
        #expect((plain.timeout, plain.jitter, plain.backoffFactor) == (.seconds(10), 0, 1.5))
        #expect(plain.slowsWhen == [.failing])
        #expect((plain.perHost, config.plan.sources[1].perHost) == (nil, 2))
        let own = config.plan.sources[1]
        #expect((own.every, own.throttle, own.slowest) == (.minutes(3), .seconds(30), .hours(2)))
        #expect((own.timeout, own.jitter, own.backoffFactor) == (.minutes(1), 0.2, 3))
        #expect(own.slowsWhen == [.calm, .idle])
    }

    @Test(arguments: [
        // What a source says of itself wins over defaults that would not go with it.
        ("every: 10s", Duration.seconds(10), Duration.seconds(10), Duration.minutes(30)),
        ("every: 2h", .hours(2), .minutes(1), .hours(2)),
        ("throttle: 10m", .minutes(10), .minutes(10), .minutes(30)),
        ("throttle: 1h", .hours(1), .hours(1), .hours(1)),
        ("slowest: 5m", .minutes(5), .minutes(1), .minutes(5)),
        ("slowest: 2m", .minutes(2), .minutes(1), .minutes(2)),
        ("slowest: 2s", .seconds(2), .seconds(2), .seconds(2)),
    ])
    func `defaults give way to what a source says`(
        own: String, every: Duration, throttle: Duration, slowest: Duration
    ) throws {
        let config = try config("sources:\n  s: {plugin: any, \(own)}\nchannels:\n  team: {plugin: page}")
        let plan = config.plan.sources[0]
        #expect((plan.every, plan.throttle, plan.slowest) == (every, throttle, slowest))
    }

    @Test(arguments: [
        ("slowest: 2s, throttle: 1s", "", Duration.seconds(2), Duration.seconds(1), Duration.seconds(2)),
        ("slowest: 2s", "", .seconds(2), .seconds(2), .seconds(2)),
        ("throttle: 10m", "", .minutes(10), .minutes(10), .minutes(30)),
        ("throttle: 1h", "", .hours(1), .hours(1), .hours(1)),
        ("every: 1h", "", .hours(1), .minutes(1), .hours(1)),
        // A source has the last word.
        ("slowest: 2s", ", every: 10s", .seconds(10), .seconds(10), .seconds(10)),
        ("every: 10m, throttle: 5m", ", slowest: 1m", .minutes(1), .minutes(1), .minutes(1)),
        ("every: 10m, slowest: 20m", ", throttle: 15m", .minutes(15), .minutes(15), .minutes(20)),
        ("throttle: 10m", ", slowest: 20m", .minutes(10), .minutes(10), .minutes(20)),
    ])
    func `defaults give way to what is said for all sources`(
        all: String, own: String, every: Duration, throttle: Duration, slowest: Duration
    ) throws {
        let config = try config(
            "polling: {\(all)}\nsources:\n  s: {plugin: any\(own)}\nrules:\n"
                + "  floor: {plugin: limit, metric: users, limit: \"< 50\"}\nchannels:\n  team: {plugin: page}")
        let plan = config.plan.sources[0]
        #expect((plan.every, plan.throttle, plan.slowest) == (every, throttle, slowest))
        let delay = try #require(config.plan.detectionDelays.first)
        #expect(delay.usual <= delay.worst)
    }

    @Test func `a channel leads elsewhere with another address or credential, and not with another pace of its source`()
        throws
    {
        func place(_ url: String, _ room: String, every: String = "5m") throws -> UInt64? {
            try config(
                "sources:\n  s: {plugin: any, every: \(every)}\nchannels:\n  team: {plugin: hook, url: \(url), room: \(room)}"
            ).plan.channels[0].place
        }
        let here = try #require(try place("https://a.example/x", "r"))
        #expect(try place("https://a.example/x", "r", every: "7m") == here)
        #expect(try place("https://a.example/y", "r") != here)
        #expect(try place("https://a.example/x", "s") != here)
    }

    @Test func `only channels that name a room are known to lead to the same`() throws {
        let plan = try config(
            """
            sources: {s: {plugin: any}}
            channels:
              a: {plugin: hook, url: "https://a.example", room: r}
              b: {plugin: hook, url: "https://b.example", room: r}
              c: {plugin: page}
              d: {plugin: page}
            """
        ).plan.channels
        #expect(plan[0].home == plan[1].home && plan[2].home == plan[3].home && plan[0].home != plan[2].home)
        #expect(plan.map { $0.home?.isNamed } == [true, true, false, false])
    }

    @Test func `a plugin is told the pace, the folder and the options`() throws {
        let config = try config(
            """
            sources:
              ios:
                plugin: feed
                url: https://feed.example
                every: 2m
                projects: shop-ios
                headers: {Accept: text/plain, X-Team: "plain $${env:TOKEN}"}
            channels:
              team: {plugin: page}
            """)
        let source = try #require(config.sources["ios"] as? FeedSource)
        #expect(source.every == .minutes(2))
        #expect(source.folder == "/etc/bot")
        #expect(source.projects == ["shop-ios"])
        #expect(source.headers["X-Team"]?.reveal() == "plain ${env:TOKEN}")
        #expect(config.secrets.isEmpty)
    }

    @Test func `a silent rule has its defaults`() throws {
        let config = try config(
            "rules:\n  floor: {plugin: limit, metric: crash_free_users, limit: \"< 99.5%\"}" + least)
        let plan = try #require(config.plan.detectors.first)
        #expect(plan.name == "floor")
        #expect(plan.repeat == .hours(4))
        #expect(plan.match == .all)
        let detector = try #require(plan.detector as? LimitDetector)
        #expect(detector.limit == Comparison(.less, 0.995, isPercentage: true))
        #expect(detector.lookback == .hours(1))
        #expect(detector.holdTime == .zero)
        #expect(detector.recover == 0)
        #expect(detector.confidence == 0.95)
        #expect(detector.volumeMin == 50)
    }

    @Test(
        arguments: [
            ("", "/etc/bot/state", "UTC"), ("bot:\n", "/etc/bot/state", "UTC"),
            ("bot: {state: /var/lib/bot, timezone: Europe/Madrid}", "/var/lib/bot", "Europe/Madrid"),
            ("bot: {state: ./there, timezone: Madird, nonsense: 1}", "/etc/bot/there", nil),
            ("bot: {state: \"${env:NOT_SET}\", timezone: Europe/Madrid}", nil, "Europe/Madrid"),
            ("bot: {state: [a]}", nil, "UTC"), ("bot: {state: }", nil, "UTC"), ("bot: [state]", nil, nil),
            ("bot: {state: a, state: b}", "/etc/bot/a", "UTC"), ("bot: {state: ", nil, nil),
            ("bot:\n  state: './there' # here\n\tname: x", "/etc/bot/there", nil), ("rules: [", "/etc/bot/state", nil),
            ("bot: {state: \"${env:NOT_SET}", nil, nil),
        ] as [(String, String?, String?)])
    func `where the state is and what time it is there can be told of a config with errors`(
        bot: String, state: String?, zone: String?
    ) {
        let result = load("nonsense: 1\n" + bot)
        #expect(result.config == nil)
        #expect(result.stateFolder == state)
        #expect(result.zone?.name == zone)
    }

    @Test func `a rule is read to its last key`() throws {
        let config = try config(
            """
            bot: {timezone: Europe/Madrid}
            rules:
              floor:
                plugin: limit
                metric: crashed_users
                limit: "> 100"
                window: 1h30m
                for: 10m
                recover: 0.2pp
                confidence: off
                min_volume: 0
                repeat: off
                match: {source: [ios, "an*"], app: shop-*, team: checkout}
            sources:
              ios: {plugin: feed, url: https://feed.example, throttle: 2m}
              android: {plugin: any, throttle: 30s}
              web: {plugin: any, throttle: 1s}
            channels:
              team: {plugin: page}
            """)
        let plan = try #require(config.plan.detectors.first)
        #expect(plan.repeat == nil)
        #expect(plan.match.conditions.map(\.property) == ["source", "app", "team"])
        #expect(plan.match["source"]?.patterns.map(\.pattern) == ["ios", "an*"])
        let detector = try #require(plan.detector as? LimitDetector)
        #expect(detector.limit == Comparison(.greater, 100, isPercentage: false))
        #expect(detector.lookback == .minutes(90))
        #expect(detector.holdTime == .minutes(10))
        #expect(detector.recover == 0.002)
        #expect(detector.confidence == nil)
        #expect(detector.volumeMin == 0)
        #expect(detector.zone.name == "Europe/Madrid")
        // Looks are counted for the fastest source that the rule can see: every 30 s.
        #expect(detector.checksPerDay == 2880)
    }

    @Test func `gates are asked mutes first, then quiet hours, then the rest, each in the order of the file`() throws {
        let config = try config(
            """
            rules:
              cap-b: {plugin: cap, at_most: 3}
              night-b: {plugin: night, between: "22:00-07:00"}
              holiday-b: {plugin: holiday, from: 2026-12-24, until: 2027-01-02 09:00}
              cap-a: {plugin: cap, at_most: 3}
              holiday-a: {plugin: holiday, from: 2026-12-24, until: 2027-01-02}
              night-a: {plugin: night, between: "00:00-24:00", days: "sat,sun"}
            """ + least)
        #expect(
            config.plan.gates.map(\.name) == ["holiday-b", "holiday-a", "night-b", "night-a", "cap-b", "cap-a"])
        let night = try #require(config.plan.gates[3].gate as? NightGate)
        #expect(night.days == DaySet([.saturday, .sunday]))
        #expect(night.hours.end == 86_400)
    }

    @Test func `local instants are of the bot's zone, others of their own`() throws {
        let config = try config(
            """
            bot: {timezone: Europe/Madrid}
            rules:
              vacation: {plugin: holiday, from: 2026-12-24, until: 2027-01-02T09:00:00Z}
            """ + least)
        let gate = try #require(config.plan.gates.first?.gate as? HolidayGate)
        #expect(gate.from == Moment(rfc3339: "2026-12-23T23:00:00Z"))
        #expect(gate.until == Moment(rfc3339: "2027-01-02T09:00:00Z"))
    }

    @Test func `routes keep their order, and lead on only where they say so`() throws {
        let config = try config(
            """
            routes:
              - match: {severity: [warning, critical]}
                to: [oncall, team]
                continue: true
              - to: team
            sources:
              ios: {plugin: any}
            channels:
              team: {plugin: page}
              oncall: {plugin: hook, url: https://hooks.example, room: ops}
            """)
        #expect(config.plan.routes.map(\.to) == [["oncall", "team"], ["team"]])
        #expect(config.plan.routes.map(\.continues) == [true, false])
        #expect(config.plan.routes[0].match["severity"]?.patterns.map(\.pattern) == ["warning", "critical"])
        #expect(config.plan.routes[1].match == .all)
        let oncall = try #require(config.plan.channels.first { $0.name == "oncall" })
        #expect(oncall.pace == Pace(perSecond: 1, burst: 3))
        #expect(oncall.isIdempotent)
    }

    @Test func `a rule may ask for any metric where one of its sources may give any`() throws {
        let config = try config(
            """
            rules:
              floor: {plugin: limit, metric: launch_time, limit: "> 3"}
            sources:
              ios: {plugin: feed, url: https://feed.example}
              own: {plugin: any}
            channels:
              team: {plugin: page}
            """)
        #expect(config.plan.detectors.map(\.name) == ["floor"])
    }

    @Test(arguments: ["http://127.0.0.1:9090", "http://localhost", "http://[::1]:80", "https://feed.example"])
    func `plain http is fine for loopback`(url: String) throws {
        _ = try config("sources:\n  ios: {plugin: feed, url: \"\(url)\"}\nchannels:\n  team: {plugin: page}")
    }

    @Test func `plain http is fine where the config asks for it`() throws {
        _ = try config(
            "sources:\n  ios: {plugin: feed, url: http://feed.example, insecure: true}\n"
                + "channels:\n  team: {plugin: page}")
    }

    @Test func `a rate is so many in so much time`() throws {
        let config = try #require(
            load("rules: {slow: {plugin: wait, when: {app: a}, at_most: 10 per 1h30m}}" + least).config)
        let gate = try #require(config.plan.gates.first?.gate as? WaitGate)
        #expect(gate.rate == Rate(10, per: .minutes(90)))
        #expect(gate.waitsFor == Match([Match.Condition(property: "app", patterns: [Glob("a")])]))
    }
}
