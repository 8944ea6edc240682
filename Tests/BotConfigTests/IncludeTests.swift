import AlertCore
import BotConfig
import PluginKit
import Testing

/// A config in `/etc/bot` among other files.
private func load(_ yaml: String, among files: [String: String]) -> ConfigResult {
    var surroundings = FakeWorld.surroundings()
    let known = surroundings.file
    surroundings.file = { path throws(ConfigSurroundings.Missing) in
        if let text = files[path] { return Array(text.utf8) }
        return try known(path)
    }
    // Patterns of these tests are a folder and `*.yaml`.
    surroundings.files = { pattern in
        files.keys.filter { $0.hasPrefix(pattern.prefix { $0 != "*" }) && $0.hasSuffix(".yaml") }.sorted()
    }
    return Config.load(Array(yaml.utf8), folder: "/etc/bot", catalog: FakeWorld.catalog, surroundings: surroundings)
}

extension Problem {
    fileprivate var place: String { "\(position.file ?? "config"):\(line)" }
}

@Suite struct IncludeTests {
    private let main = """
        sources:
          ios: {plugin: feed, url: https://feed.example}
        channels:
          team: {plugin: page}
        routes:
          - to: [team]
        include: [teams/*.yaml]
        """

    @Test func `an included file adds sources, rules, channels and routes`() throws {
        let result = load(
            main,
            among: [
                "/etc/bot/teams/web.yaml": """
                version: 1
                sources:
                  web: {plugin: feed, url: https://web.example}
                rules:
                  web-floor: {plugin: limit, metric: crash_free_users, limit: "< 99%"}
                channels:
                  web-team: {plugin: page}
                routes:
                  - {match: {source: web}, to: [web-team]}
                """
            ])
        #expect(result.problems.map(\.place) == [])
        let plan = try #require(result.config).plan
        #expect(plan.sources.map(\.name) == ["ios", "web"])
        #expect(plan.channels.map(\.name) == ["team", "web-team"])
        #expect(plan.detectors.map(\.name) == ["web-floor"])
    }

    @Test func `routes of included files come first, in the order of the files, and the config has the last word`()
        throws
    {
        let result = load(
            main,
            among: [
                "/etc/bot/teams/b.yaml": "channels: {b: {plugin: page}}\nroutes: [{match: {app: b}, to: [b]}]",
                "/etc/bot/teams/a.yaml": "channels: {a: {plugin: page}}\nroutes: [{match: {app: a}, to: [a]}]",
            ])
        #expect(result.problems.map(\.place) == [])
        #expect(try #require(result.config).plan.routes.map(\.to) == [["a"], ["b"], ["team"]])
    }

    @Test func `a route behind one of another file is told which, and not to move before it`() {
        let result = load(
            main.replacing("  - to: [team]", with: "  - {match: {app: shop}, to: [team]}"),
            among: [
                "/etc/bot/teams/a.yaml": "routes:\n  - {match: {app: game}, to: [team]}\n  - {to: [team]}",
                "/etc/bot/teams/b.yaml": "routes: [{match: {app: game}, to: [team]}]",
            ])
        let told =
            "this route is never reached: the one on line 3 of /etc/bot/teams/a.yaml matches everything "
            + "(let that one match less, or add continue: true to it)"
        #expect(
            result.problems.map(\.place) == ["config:6:13: \(told)", "/etc/bot/teams/b.yaml:1:18: \(told)"])
    }

    @Test func `sections may stand in included files alone`() throws {
        let result = load(
            "include: all.yaml",
            among: [
                "/etc/bot/all.yaml": """
                sources: {ios: {plugin: feed, url: "https://feed.example"}}
                channels: {team: {plugin: page}}
                """
            ])
        #expect(result.problems.map(\.place) == [])
        #expect(result.config != nil)
    }

    @Test func `a mistake in an included file is reported with that file's name and lines`() {
        let result = load(
            main, among: ["/etc/bot/teams/web.yaml": "\nsources:\n  web: {plugin: fed, url: https://web.example}"])
        #expect(
            result.problems.map(\.place) == [
                "/etc/bot/teams/web.yaml:3:17: there is no plugin 'fed' for sources; known: feed, any -> feed"
            ])
        #expect(result.texts["/etc/bot/teams/web.yaml"] != nil)
        let slip = load(
            main, among: ["/etc/bot/teams/web.yaml": "\nsources:\n  web: {plugn: feed, url: https://web.example}"])
        #expect(
            slip.problems.map(\.place) == [
                "/etc/bot/teams/web.yaml:3:9: unknown key 'plugn' in source 'web' -> plugin"
            ])
    }

    @Test func `a syntax error in an included file is reported in it`() {
        let result = load(main, among: ["/etc/bot/teams/web.yaml": "sources: {"])
        #expect(result.problems.map { $0.position.file } == ["/etc/bot/teams/web.yaml"])
        #expect(result.config == nil)
    }

    @Test(arguments: [
        ("sources:\n  web: {plugin: \"feed}\n", ["web.yaml:2:17"], "this quote is never closed"),
        (
            "sources: {}\nchannels: {a: {plugin: page}}\nchannels: {b: {plugin: page}}", ["web.yaml:3:1"],
            "duplicate key"
        ),
        ("chanels: {web-team: {plugin: page}}", ["web.yaml:1:1"], "unknown key 'chanels'"),
        ("channels: {<<: *team}", ["web.yaml:1:16"], "no anchor"),
    ])
    func `names that may stand in what could not be read are not missed`(
        file: String, places: [String], told: String
    ) {
        let result = load(
            """
            include: [teams/*.yaml]
            bot: {report_to: web-team}
            rules:
              web-floor: {plugin: limit, metric: logins, limit: "< 5", match: {source: web}}
              calm: {plugin: cap, at_most: 3, match: {source: "we*", rule: web-rule}}
              more: {plugin: wait, when: {source: web}, to: web-team}
            oncall:
              crew: {people: [{name: ana, channel: web-team}], every: 1w, from: 2026-01-05T09:00}
            routes:
              - {match: {source: web}, to: [web-team, "oncall:web"]}
            sources:
              ios: {plugin: feed, url: https://feed.example}
            """, among: ["/etc/bot/teams/web.yaml": file])
        let errors = result.problems.filter { $0.level == .error }
        #expect(
            errors.map {
                "\($0.position.file?.split(separator: "/").last ?? ""):\($0.position.line):\($0.position.column)"
            }
            .filter { $0.hasPrefix("web") } == places, "\(result.problems.map(\.place))")
        #expect(
            !errors.contains { $0.message.contains("there is no") || $0.message.contains("has no 'channels'") },
            "\(result.problems.map(\.place))")
        #expect(result.firstError?.message.contains(told) == true)
    }

    @Test func `a file that cannot be read takes its names along, and is named first`() {
        let result = load(
            main.replacing("[team]", with: "[web-team]").replacing("teams/*.yaml", with: "web.yaml"), among: [:])
        #expect(
            result.problems.map(\.place) == [
                "config:7:11: 'include': /etc/bot/web.yaml cannot be read: there is no such file "
                    + "(until it can be, names that may stand in it are not checked)"
            ])
    }

    @Test func `a section that stands twice in the config takes its names along`() {
        let result = load(
            main + "\nchannels:\n  ops: {plugin: page}\nrules:\n  c: {plugin: wait, when: {app: a}, to: ops}",
            among: ["/etc/bot/teams/a.yaml": "version: 1"])
        #expect(result.problems.map(\.place) == ["config:8:1: duplicate key 'channels', first on line 3 (keep one)"])
    }

    @Test(arguments: ["polling: {every: 5m}\npolling: {every: 6m}", "bot: {name: a}\nbot: {name: b}", "routs: []"])
    func `a section without names of things hides no name that is missing`(section: String) {
        let result = load(
            main + "\nrules:\n  c: {plugin: wait, when: {app: a}, to: opps}\n" + section,
            among: ["/etc/bot/teams/a.yaml": "version: 1"])
        #expect(result.problems.contains { $0.message.contains("there is no channel 'opps'") }, "\(result.problems)")
        #expect(result.problems.count == 2, "\(result.problems)")
    }

    @Test func `what is wrong within one thing hides no other mistake`() {
        let result = load(
            main.replacing("{plugin: page}", with: "{plugin: page, plugin: page}").replacing("[team]", with: "[tema]"),
            among: ["/etc/bot/teams/a.yaml": "version: 1"])
        #expect(result.problems.map { $0.position.line } == [4, 6])
    }

    @Test func `a name that two files use is reported where it stands a second time`() {
        let result = load(
            main,
            among: [
                "/etc/bot/teams/a.yaml": "sources:\n  ios: {plugin: feed, url: https://a.example}",
                "/etc/bot/teams/b.yaml": "channels:\n  ops: {plugin: page}",
                "/etc/bot/teams/c.yaml": "channels:\n  ops: {plugin: page}",
            ])
        #expect(
            result.problems.map(\.place) == [
                "/etc/bot/teams/a.yaml:2:3: 'ios' is already in 'sources', on line 2 of the config (names are unique over all files)",
                "/etc/bot/teams/c.yaml:2:3: 'ops' is already in 'channels', on line 2 of /etc/bot/teams/b.yaml "
                    + "(names are unique over all files)",
            ])
    }

    /// Whoever has the address of a webhook can post there.
    @Test(arguments: [
        "bot: {report_to: https://hooks.example/s3cr3t}", "plugins: [https://hooks.example/s3cr3t]",
        "include: {a: https://hooks.example/s3cr3t}", "routes: https://hooks.example/s3cr3t",
        "routes: {to: hooks.example/s3cr3t}",
        "channels:\n  https://hooks.example/s3cr3t: {plugin: page}\n  https://hooks.example/s3cr3t: {plugin: page}",
    ])
    func `an address in a wrong place of an included file is not shown`(text: String) {
        let name = "/etc/bot/teams/a.yaml"
        let result = load(main, among: [name: text, "/etc/bot/teams/b.yaml": text])
        #expect(result.config == nil)
        #expect(!result.problems.contains { $0.place.contains("s3cr3t") }, "\(result.problems.map(\.place))")
        let hidden = result.writtenSecrets.filter { $0.position.file == name }
        let lines = ShownLines(text.split { $0.isNewline }.map(String.init), hiding: hidden).lines
        let told = Set(result.problems.filter { $0.position.file == name }.map(\.position.line))
        #expect(!told.isEmpty)
        for line in told { #expect(!lines[line - 1].contains("s3cr3t"), "\(lines)") }
    }

    @Test func `what takes a name that is taken is read to its end`() {
        let result = load(
            main,
            among: [
                "/etc/bot/teams/a.yaml": """
                sources:
                  ios: {plugin: feed, url: https://a.example, tokn: x}
                channels:
                  team: {plugin: pag}
                rules:
                  floor: {plugin: limit, metric: crash_free_users, limit: "< 99%"}
                """,
                "/etc/bot/teams/b.yaml": "rules:\n  floor: {plugin: limit, metrik: users}",
            ])
        let places = result.problems.map { "\($0.position.file ?? ""):\($0.position.line)" }
        let a = "/etc/bot/teams/a.yaml", b = "/etc/bot/teams/b.yaml"
        #expect(places.filter { $0 == "\(a):2" }.count == 2, "\(result.problems.map(\.place))")
        #expect(places.filter { $0 == "\(a):4" }.count == 2)
        #expect(places.filter { $0 == "\(b):2" }.count >= 2)
        #expect(result.config == nil)
    }

    @Test(arguments: ["", "\n \n", "# sources:\n#   web: {}\n", "---\n# soon\n"])
    func `a file with nothing in it adds nothing`(text: String) {
        let result = load(main, among: ["/etc/bot/teams/a.yaml": text])
        #expect(
            result.problems.map(\.place) == ["config:7:11: 'include': there is nothing in /etc/bot/teams/a.yaml"])
        #expect(result.problems.map(\.level) == [.warning])
        #expect(result.config != nil)
    }

    @Test(arguments: [
        ("bot: {name: x}", "1:1: 'bot' is not allowed in an included file (it belongs in the config that includes it)"),
        (
            "include: more.yaml",
            "1:1: 'include' is not allowed in an included file (it belongs in the config that includes it)"
        ),
        ("sorces: {}", "1:1: unknown key 'sorces' in an included file -> sources"),
        (
            "plugins: []",
            "1:1: plugins outside the bot's own process are not supported by this version (remove 'plugins')"
        ),
        ("version: 2", "1:10: 'version' is '2'; this alertbot reads version 1 -> 1"),
        ("sources: [web]", "1:10: 'sources' must be a mapping of names to values, not a list"),
        ("- a", "1:1: an included file must be a mapping of names to values, not a list"),
    ])
    func `what is not allowed in an included file is said`(_ text: String, _ problem: String) {
        let result = load(main, among: ["/etc/bot/teams/a.yaml": text])
        #expect(result.problems.map(\.place) == ["/etc/bot/teams/a.yaml:" + problem])
    }

    @Test func `a file that is not there is an error, a pattern that finds nothing is a warning`() {
        let missing = load(main.replacing("teams/*.yaml", with: "teams/web.yml"), among: [:])
        #expect(
            missing.problems.map(\.place) == [
                "config:7:11: 'include': /etc/bot/teams/web.yml cannot be read: there is no such file "
                    + "(until it can be, names that may stand in it are not checked)"
            ])
        let empty = load(main, among: [:])
        #expect(empty.problems.map(\.level) == [.warning])
        #expect(
            empty.problems.map(\.place) == [
                "config:7:11: 'include': no file matches 'teams/*.yaml' "
                    + "(relative paths start at the config's folder)"
            ])
        #expect(empty.config != nil)
    }

    @Test func `a pattern for folders of any depth is refused, for it would find those of one`() {
        let result = load(
            main.replacing("teams/*.yaml", with: "teams/**/*.yaml").replacing("[team]", with: "[web-team]"),
            among: ["/etc/bot/teams/a/b.yaml": "channels: {web-team: {plugin: page}}"])
        #expect(
            result.problems.map(\.place) == [
                "config:7:11: 'include': 'teams/**/*.yaml' has '**', which is one folder here and not any number of them "
                    + "(name each depth, as in include: [teams/*.yaml, teams/*/*.yaml])"
            ])
        #expect(result.config == nil)
        #expect(load(main.replacing("teams/*", with: "teams/a**b*"), among: [:]).config != nil)
    }

    @Test func `a file whose name is made of a secret is named without it`() {
        for name in ["teams/${env:TOKEN}*.yaml", "teams/${env:TOKEN}.yml"] {
            let missing = load(main.replacing("[teams/*.yaml]", with: "[\"\(name)\"]"), among: [:])
            #expect(missing.problems.count == 1)
            #expect(missing.problems.first?.message.contains("teams/***") == true, "\(missing.problems.map(\.place))")
        }
        for (name, shown) in [
            ("${env:TOKEN}/*.yaml", "***/a.yaml"), ("./${env:TOKEN}/a.yaml", "./***/a.yaml"),
            ("${env:TOKEN}/a*", "***/a.yaml"), ("*${env:TOKEN}*/a.${env:TOKEN}*", "*****/a.****"),
        ] {
            let wrong = load(
                main.replacing("[teams/*.yaml]", with: "[\"\(name)\"]"),
                among: ["/etc/bot/s3cr3t-from-env/a.yaml": "sorces: {}"])
            #expect(
                wrong.problems.map(\.place) == ["\(shown):1:1: unknown key 'sorces' in an included file -> sources"])
        }
    }

    @Test func `a secret that a pattern finds once more is masked there, too`() {
        let wrong = load(
            main.replacing("[teams/*.yaml]", with: "[\"${env:TOKEN}/*.yaml\"]"),
            among: ["/etc/bot/s3cr3t-from-env/my-s3cr3t-from-env.yaml": "sorces: {}"])
        #expect(
            wrong.problems.map(\.place) == [
                "***/my-***.yaml:1:1: unknown key 'sorces' in an included file -> sources"
            ])
    }

    @Test func `files whose names differ only by a secret are told apart`() {
        let wrong = load(
            main.replacing("[teams/*.yaml]", with: "[\"${env:TOKEN}*/a.yaml\"]"),
            among: ["/etc/bot/s3cr3t-from-env1/a.yaml": "sorces: {}", "/etc/bot/s3cr3t-from-env2/a.yaml": "rulse: {}"])
        #expect(
            wrong.problems.map(\.place) == [
                "****/a.yaml:1:1: unknown key 'sorces' in an included file -> sources",
                "****/a.yaml #2:1:1: unknown key 'rulse' in an included file -> rules",
            ])
    }

    @Test func `a file that two patterns name is read once`() {
        let result = load(
            main.replacing("[teams/*.yaml]", with: "[teams/a.yaml, teams/*.yaml]"),
            among: ["/etc/bot/teams/a.yaml": "channels: {ops: {plugin: page}}"])
        #expect(result.problems.map(\.place) == [])
    }

    @Test func `a secret written in an included file is warned of in that file`() {
        let result = load(
            main,
            among: ["/etc/bot/teams/a.yaml": "sources:\n  web: {plugin: feed, url: https://w.example, token: abc}"])
        #expect(
            result.problems.map(\.place) == [
                "/etc/bot/teams/a.yaml:2:54: the secret in 'token' is written in the file itself, where everyone who can read "
                    + "the file sees it (use ${env:NAME}, ${file:PATH} or ${credential:NAME})"
            ])
        #expect(
            result.writtenSecrets.map(\.position) == [Position(file: "/etc/bot/teams/a.yaml", line: 2, column: 54)])
    }

    @Test func `more files than anybody has are refused`() {
        var files: [String: String] = [:]
        for number in 1...1_001 { files["/etc/bot/teams/\(number).yaml"] = "version: 1" }
        let result = load(main, among: files)
        #expect(
            result.problems.map(\.place) == [
                "config:7:10: 'include' names 1001 files, more than the 1000 that are read"
            ])
    }
}
