internal import AlertCore
internal import BotConfig
internal import PluginKit
internal import Testing

@Suite struct ReachTests {
    /// - Parameter isUsable: whether they are warnings, with which the bot runs.
    private func problems(_ yaml: String, isUsable: Bool = true) -> [String] {
        let result = result(yaml)
        #expect((result.config != nil) == isUsable, "\(result.problems.map(\.line))")
        #expect(result.problems.allSatisfy { $0.level == .warning } == isUsable)
        return result.problems.map(\.line)
    }

    private func result(_ yaml: String) -> ConfigResult {
        let catalog = PluginCatalog(
            sources: [KnownSource.self, AnySource.self], detectors: [GradedDetector.self, WholeDetector.self],
            gates: [NightGate.self, PacedGate.self],
            channels: [PageChannel.self])
        return Config.load(
            Array(yaml.utf8), folder: "/etc/bot", catalog: catalog, surroundings: FakeWorld.surroundings())
    }

    func routed(
        _ rule: String, _ routes: String, source: String = "plugin: any", by plugin: String = "graded",
        isUsable: Bool = true
    ) -> [String] {
        problems(
            """
            bot: {report_to: team}
            sources:
              ios: {\(source)}
            rules:
              floor: {plugin: \(plugin)\(rule)}
            channels:
              team: {plugin: page}
            routes:
            \(routes)
            """, isUsable: isUsable)
    }

    // MARK: routes

    @Test func `a rule that can only warn alerts nobody where no route takes warnings`() {
        let critical = "  - {match: {severity: critical}, to: team}"
        #expect(
            routed("", critical) == [
                "5:3: rule 'floor' can never notify anybody: no route takes its incidents "
                    + "(severity warning) (add a route that does)"
            ])
        #expect(routed(", severities: [warning, critical]", critical) == [])
        #expect(
            routed("", critical + "\n  - {match: {app: alertbot}, to: team}").count == 1, "no rule is about the bot")
        #expect(routed("", critical + "\n  - {to: team}") == [])
        #expect(routed("", critical + "\n  - {match: {rule: floor}, to: team}") == [])
    }

    @Test func `what is said of a source as a whole goes by the source's name, and not by apps`() {
        let lost = [
            "5:3: rule 'floor': no route takes what it reports about source 'ios' as a whole "
                + "(add a route that matches the source, or name apps in the rule's 'match', so that each is reported by itself)"
        ]
        let routes = [
            "{match: {app: \"shop-*\"}, to: team}": lost, "{match: {environment: production}, to: team}": lost,
            "{match: {app: ios}, to: team}": [], "{match: {source: i*}, to: team}": [], "{to: team}": [],
            "{match: {owner: checkout}, to: team}": [],
        ]
        for (route, problems) in routes {
            #expect(routed("", "  - " + route, by: "whole") == problems, "\(route)")
            #expect(routed(", match: {app: shop-ios}", "  - " + route, by: "whole") == [], "\(route)")
        }
    }

    @Test func `what is worse than all that a route takes of a rule alerts nobody`() {
        let both = ", severities: [warning, critical]"
        let bot = "\n  - {match: {app: alertbot}, to: team}"
        let told = ["5:3: rule 'floor': no route takes its critical incidents (add a route that does)"]
        #expect(routed(both, "  - {match: {severity: warning}, to: team}" + bot) == told)
        #expect(routed(both, "  - {match: {severity: warning, app: web}, to: team}") == told)
        #expect(
            routed(", severities: [info, warning, critical]", "  - {match: {severity: info}, to: team}") == [
                "5:3: rule 'floor': no route takes its warning or critical incidents (add a route that does)"
            ])
        let some = "\n  - {match: {app: web}, to: team}"
        #expect(routed(both, "  - {match: {severity: warning}, to: team}" + some) == [], "an app may be called that")
        let marked = "\n  - {match: {squad: shop}, to: team}"
        #expect(routed(both, "  - {match: {severity: warning}, to: team}" + marked) == [], "it may have that label")
        #expect(
            routed(", severities: [info, warning, critical]", "  - {match: {severity: [info, critical]}, to: team}")
                == [], "what is milder than what is taken is left out on purpose")
    }

    @Test func `a route that leads nowhere takes nothing, and what it matches goes no further`() {
        let silent = "  - {match: {source: ios}, to: []}\n  - {match: {severity: warning}, to: team}"
        #expect(routed("", silent).count == 1)
        #expect(routed("", silent.replacing("to: []}", with: "to: [], continue: true}")) == [])
    }

    @Test func `a rule is led by what it matches and what its source gives`() {
        let web = "  - {match: {app: web}, to: team}"
        #expect(routed(", match: {app: shop-ios}", web).count == 1)
        #expect(routed(", match: {app: \"shop-*\"}", web) == [], "whether an app of that name is there is not known")
        let known = "plugin: known, apps: [shop-ios]"
        #expect(
            routed("", web, source: known) == [
                "5:3: rule 'floor' can never notify anybody: no route takes its incidents "
                    + "(severity warning) (add a route that does)",
                "9:19: 'web' can never match: source 'ios' is configured to give shop-ios "
                    + "(change 'match', or what the source gives)",
            ])
        #expect(routed("", "  - {match: {app: \"shop-*\"}, to: team}", source: known) == [])
    }

    // MARK: match

    @Test func `a match asks for what the source is configured to give`() {
        let all = "  - {to: team}"
        let known = "plugin: known, apps: [shop-ios, shop-web], environments: [production]"
        #expect(routed(", match: {app: shop-ios, environment: production}", all, source: known) == [])
        #expect(
            routed(", match: {app: [shop-ios, shop-wob]}", all, source: known) == [
                "5:51: 'shop-wob' can never match: source 'ios' is configured to give shop-ios or shop-web -> shop-web"
            ])
        #expect(
            routed(", match: {app: shop-ios, environment: [\"stag*\", dev]}", all, source: known, isUsable: false)
                .filter { !$0.contains("can never notify") } == [
                    "5:64: 'stag*' can never match: source 'ios' is configured to give production "
                        + "(change 'match', or what the source gives)",
                    "5:73: 'dev' can never match: source 'ios' is configured to give production "
                        + "(change 'match', or what the source gives)",
                ])
        #expect(
            routed(", match: {environment: production}", all, source: "plugin: known", isUsable: false).contains(
                "5:48: 'production' can never match: source 'ios' names no environment "
                    + "(change 'match', or what the source gives)"))
        #expect(routed(", match: {environment: production}", all) == [], "only the answers of this source tell")
        #expect(
            routed(
                ", match: {app: shop-ios, environment: production}", all,
                source: known.replacing("production", with: "production\u{200B}"), isUsable: false
            ).contains(
                "5:63: 'production' can never match: source 'ios' is configured to give production\u{200B} "
                    + "(one of these names has an invisible character in it (U+200B); remove it)"))
    }

    @Test func `a gate may be about the bot itself, and a source that is not known may give anything`() {
        let gate = "\n  nights: {plugin: night, between: \"22:00-07:00\", match: {app: APP}}"
        let known = "plugin: known, apps: [shop-ios]"
        func gated(_ app: String, _ source: String, isUsable: Bool = true) -> [String] {
            routed(
                "}" + gate.replacing("APP", with: app).dropLast(), "  - {to: team}", source: source, isUsable: isUsable)
        }
        #expect(gated("alertbot", known) == [])
        #expect(gated("ios", known) == [], "a rule about the source as such has incidents of that name")
        #expect(gated("shop-web", known, isUsable: false).count == 1)
        #expect(gated("shop-web", known + "}\n  web: {plugin: any") == [])
    }

    /// A rule that judges a source of two apps, another source beside it, and a gate.
    private func named(
        _ gate: String, rule: String = "", of plugin: String = "graded", routes: [String] = [],
        isUsable: Bool = false
    ) -> [String] {
        problems(
            """
            bot: {report_to: team}
            sources:
              ios: {plugin: known, apps: [shop-ios, game-ios]}
              web: {plugin: known, apps: [shop-web]}
            channels:
              team: {plugin: page}
            rules:
              floor: {plugin: \(plugin), match: {source: ios\(rule)}}
              calm: {plugin: paced, \(gate)}
            routes: [\((routes + ["{to: team}"]).joined(separator: ", "))]
            """, isUsable: isUsable)
    }

    @Test(arguments: [
        ("match: {rule: floor, source: web}", "9:54: 'web' can never match: rule 'floor' sees only source 'ios'"),
        ("match: {rule: fl*, source: [web, team]}", "9:53: 'web' can never match: rule 'floor' sees only source 'ios'"),
        (
            "match: {rule: floor, app: shop-web}",
            "9:51: 'shop-web' can never match: rule 'floor' sees only app game-ios or shop-ios"
        ),
        (
            "when: {rule: floor, app: shop-web}",
            "9:50: 'shop-web' can never match: rule 'floor' sees only app game-ios or shop-ios"
        ),
        ("when: {rule: floor, source: w*}", "9:53: 'w*' can never match: rule 'floor' sees only source 'ios'"),
        ("match: {rule: floor, environment: beta}", "9:59: 'beta' can never match: rule 'floor' sees no environment"),
    ])
    func `a match that names a rule asks for what that rule sees`(gate: String, told: String) {
        let problems = named(gate)
        #expect(problems.first?.hasPrefix(told) == true, "\(problems)")
        let name = gate.prefix { $0 != ":" }
        #expect(
            problems.first?.contains("'\(name)'") == true || problems.first?.contains(" -> ") == true, "\(problems)")
    }

    @Test(arguments: [
        "match: {rule: floor, source: ios}", "match: {rule: floor, app: shop-ios}", "match: {rule: floor, app: ios}",
        "match: {rule: [floor, source-failing], source: web}", "match: {rule: \"*\", source: web}",
        "match: {rule: source-failing, source: web}", "match: {source: web}", "when: {rule: floor, app: \"*-ios\"}",
        "match: {rule: clock-stepped, source: clock}", "when: {rule: config-refused, source: config}",
        "match: {rule: floor, squad: pay}", "match: {rule: floor, release: \"5.2\"}",
    ])
    func `a match that may be met is nobody's mistake`(gate: String) { #expect(named(gate, isUsable: true) == []) }

    @Test func `of a thousand sources a sentence names some`() {
        let sources = (0..<1000).map { "  s\($0): {plugin: known, apps: [shop-\($0)]}\n" }.joined()
        let problems = problems(
            "sources:\n\(sources)channels: {team: {plugin: page}}\n"
                + "rules: {calm: {plugin: paced, match: {app: nobody}}, mute: {plugin: paced, match: {source: nobody}}}",
            isUsable: false)
        #expect(problems.count == 2)
        for problem in problems {
            #expect(problem.contains(" others"), "\(problem)")
            #expect(problem.utf8.count < 700, "\(problem)")
        }
    }

    @Test func `a rule sees no more than its own match lets it`() {
        let gate = "match: {rule: floor, app: game-ios}"
        #expect(named(gate, isUsable: true) == [])
        #expect(
            named(gate, rule: ", app: shop-ios") == [
                "9:51: 'game-ios' can never match: rule 'floor' sees only app shop-ios "
                    + "(change 'match', or what the rule judges)"
            ])
        #expect(named(gate, rule: ", app: shop-ios", of: "whole", isUsable: true) == [], "it may speak of the source")
    }

    @Test func `a route that names a rule is warned of what that rule never sees`() {
        func routed(_ route: String) -> [String] { named("match: {rule: floor}", routes: [route], isUsable: true) }
        #expect(
            routed("{match: {rule: floor, source: web}, to: team}") == [
                "10:40: 'web' can never match: rule 'floor' sees only source 'ios' "
                    + "(change 'match', or what the rule judges)"
            ])
        #expect(
            routed("{match: {rule: floor, severity: critical}, to: team}") == [
                "10:42: this route never matches anything: the rules that it names are only ever warning "
                    + "(change 'severity', or remove the route)"
            ])
        #expect(routed("{match: {severity: info}, to: team}") == [], "another rule may come")
    }

    @Test func `an issue is matched only where a rule judges issues`() {
        let advice = "(change 'match', or add a rule that does, such as new_issue or regression)"
        #expect(
            named("match: {issue: \"SHOP-*\"}") == ["9:40: 'issue' can never match: no rule judges issues \(advice)"])
        #expect(
            named("match: {rule: floor, issue: [A, B]}") == [
                "9:53: 'issue' can never match: no rule that it names judges issues \(advice)"
            ])
        #expect(named("match: {issue: \"*\"}", isUsable: true) == [], "nothing is there, too")
        #expect(named("match: {issue: A}", of: "whole", isUsable: true) == [], "it may call what it finds by that name")
        #expect(
            named("match: {rule: floor}", routes: ["{match: {issue: A}, to: team}"], isUsable: true) == [
                "10:26: 'issue' can never match: no rule judges issues \(advice)"
            ])
    }

    @Test func `a severity that no rule has matches nothing`() {
        #expect(
            named("match: {severity: info}", isUsable: true) == [
                "9:43: 'calm' never matches anything: no rule is ever info (change 'severity', or remove the rule)"
            ])
        #expect(named("match: {severity: critical}", isUsable: true) == [], "the bot's own troubles may be")
        #expect(named("match: {severity: info}", of: "whole", isUsable: true).count == 1)
        #expect(
            named("when: {rule: floor, severity: critical}", isUsable: true) == [
                "9:55: 'when' of 'calm' never matches anything: the rules that it names are only ever warning "
                    + "(change 'severity', or remove the rule)"
            ])
    }

    @Test func `what can never match is reported beside other mistakes`() {
        let problems = result(
            """
            bot: {colour: red}
            sources:
              ios: {plugin: known, apps: [shop-ios]}
              web: {plugin: known, apps: 5, place: x}
              old: {plugin: nown, apps: [shop-old]}
            channels:
              team: {plugin: page}
            rules:
              floor: {plugin: graded, match: {source: ios, app: shop-web}}
              other: {plugin: graded, match: {app: shop-web}}
              third: {plugin: gradd, match: {source: ios, app: shop-web}}
              fourth: {plugin: graded, match: {source: ios}}
              calm: {plugin: paced, match: {rule: third, source: web}, when: {rule: fourth, source: web}}
            """
        ).problems.map(\.line)
        #expect(
            problems.filter { $0.contains("can never match") } == [
                "9:53: 'shop-web' can never match: source 'ios' is configured to give shop-ios "
                    + "(change 'match', or what the source gives)",
                "13:89: 'web' can never match: rule 'fourth' sees only source 'ios' "
                    + "(change 'when', or what the rule judges)",
            ], "\(problems)")
        #expect(!problems.contains { $0.contains("there is no rule") }, "\(problems)")
    }

    // MARK: counts

    @Test func `a rule that needs counts can never judge a source that is configured to give bare rates`() {
        func counted(_ metrics: String, _ rule: String = "") -> [String] {
            routed(
                "\(rule), metric: crash_free_users", "  - {to: team}", source: "plugin: known, metrics: [\(metrics)]")
        }
        let told =
            "5:3: rule 'floor' can never judge anything: source 'ios' gives 'crash_free_users' without 'users', the "
            + "number that it is a share of (have the source give 'users', too)"
        #expect(counted("crash_free_users") == [told])
        #expect(counted("crash_free_users, users") == [])
        #expect(counted("users, crashed_users") == [])
        #expect(counted("crash_free_users", ", counts: false") == [])
        #expect(routed(", metric: crash_free_users", "  - {to: team}") == [], "only the answers of this source tell")
    }

    // MARK: the bot's own troubles

    private func troubled(_ bot: String, _ routes: String) -> [String] {
        problems(
            """
            bot: {\(bot)}
            sources:
              ios: {plugin: any}
            channels:
              team: {plugin: page}
            routes:
            \(routes)
            """)
    }

    @Test func `routes that leave out the bot's own troubles need a channel to report to`() {
        let apps = "  - {match: {app: \"shop-*\"}, to: team}"
        #expect(
            troubled("", apps) == [
                "6:1: no route takes the bot's own troubles (app 'alertbot'): nobody would be notified "
                    + "(set 'report_to' under 'bot', or add a route without 'match' at the end)"
            ])
        #expect(troubled("report_to: team", apps) == [])
        #expect(troubled("", apps + "\n  - {match: {app: alertbot}, to: team}") == [])
        #expect(troubled("", apps + "\n  - {to: team}") == [])
        #expect(
            troubled("", "  - {match: {severity: critical}, to: team}") == [
                "6:1: no route takes the bot's own troubles (app 'alertbot'), such as source-failing, "
                    + "partial-answers, channel-failing, journal-damaged, config-refused or clock-stepped: "
                    + "nobody would be notified "
                    + "(set 'report_to' under 'bot', or add a route without 'match' at the end)"
            ])
    }

    @Test(arguments: Trouble.allCases)
    func `a route for a trouble takes it if it is as bad as it is at first`(trouble: Trouble) {
        // No template dresses anything here, so none can fail.
        guard trouble != .templateFailing else { return }
        func isMissed(_ severity: String) -> Bool {
            let troubled = troubled("", "  - {match: {app: alertbot, severity: \(severity)}, to: team}").joined()
            return troubled.contains(trouble.rawValue)
        }
        #expect(isMissed("critical") == (trouble.leastSeverity != .critical))
        #expect(isMissed("warning") == (trouble.leastSeverity != .warning))
    }

    @Test func `a config with errors is reported of those first`() {
        let result = load("rulez: {}\nroutes:\n  - {match: {app: shop}, to: team}" + least)
        #expect(result.problems.map(\.level) == [.error])
    }
}
