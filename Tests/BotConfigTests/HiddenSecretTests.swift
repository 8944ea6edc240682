import BotConfig
import PluginKit
import Testing

/// Secrets that stand where nothing reads them.
@Suite struct `Secrets under keys that nobody reads` {
    /// Every line that would be shown with a problem.
    private func shown(_ yaml: String) -> String {
        let result = load(yaml)
        let lines = ShownLines(yaml.split { $0.isNewline }.map(String.init), hiding: result.writtenSecrets)
        return result.problems.map { $0.text(file: "config.yaml", lines: lines) }.joined(separator: "\n")
    }

    @Test(arguments: [
        "{plugin: feed, url: https://f.example, tokn: s3cr3t}",
        "{plugin: feed, url: https://f.example, Token: 's3cr3t'}",
        "{plugin: feed, url: https://f.example, api_key: s3cr3t}",
        "{plugin: feed, url: https://f.example, hedders: {Authorization: Bearer s3cr3t}}",
        "{plugin: feed, url: https://f.example, token: [s3cr3t]}", "{plugin: fed, token: \"s3cr3t\"}",
        "{plugin: fed, tokn: s3cr3t}", "{token: s3cr3t}", "{plugin: page, token: s3cr3t}",
        "{plugin: [feed], token: s3cr3t}",
        "{plugin: any, token: s3cr3t}", "{plugin: fed, headers: {X-Scope: s3cr3t}}",
        "{plugin: feed, url: https://f.example, token: x, token: s3cr3t}",
        "{plugin: feed, url: https://f.example, token:s3cr3t}", "{plugin: feed, url: https://f.example, token s3cr3t}",
        "{plugin: feed, url: https://f.example, headers: {Authorization:Bearer s3cr3t}}",
        "{plugin: feed, url: https://f.example, hook: https://h.example/s3cr3t}",
        "{plugin: feed, url: https://f.example, links: [https://h.example/s3cr3t]}",
        "{plugin: feed, url: https://f.example, auth: s3cr3t}", "{plugin: feed, url: https://f.example, token=s3cr3t}",
        "{plugin: feed, url: https://f.example, headers: {Authorization Bearer s3cr3t}}",
        "{plugin: feed, url: https://f.example, token s3cr3t: x}",
        "{plugin: feed, url: https://f.example, token:s3cr3t, mirror: \"${env:NONE}\"}",
        "{plugin: feed, url: https://f.example, token: {s3cr3t}}", "{plugin: fed, token: {s3cr3t}}",
    ])
    func `are masked on the lines that are shown`(source: String) {
        let shown = shown("sources:\n  ios: \(source)\nchannels:\n  team: {plugin: page}")
        #expect(shown.contains("ios: {"), "\(shown)")
        #expect(!shown.contains("s3cr3t"), "\(shown)")
        #expect(shown.contains("***"), "\(shown)")
    }

    @Test(arguments: [
        "bot: {tokn: s3cr3t}", "token: s3cr3t", "soruces: {a: {plugin: feed, token: s3cr3t}}",
        "plugins: [{token: s3cr3t}]", "bot: {token: [s3cr3t}", "bot:\n  token: \"s3cr3t",
        "bot:\n  token s3cr3t:s3cr3t\n  name: x", "bot:\n  token=s3cr3t\n  name: x",
        "bot:\n  hook:https://h.example/s3cr3t\n  name: x",
        "bot:\n  token:s3cr3t\n  name: x", "bot:\n  token s3cr3t\n  name: x", "bot:\n  token: *s3cr3t\n  name: x",
        "bot:\n  token: #s3cr3t\n  name: x", "bot:\n  token: &s3cr3t\n  name: x", "bot: {token: &s3cr3t , name: x}",
        "bot:\n  token: !s3cr3t x\n  name: x", "bot:\n  token:\u{A0}s3cr3t\n  name: x", "bot: {token:s3cr3t}",
        "bot: token:s3cr3t", "bot: token s3cr3t", "bot:\n  token=s3cr3t", "rules:\n  a: token:s3cr3t",
        "bot: {mirror: ${env:NONE}, token: s3cr3t}",
        // What looks like no secret, or no longer like one.
        "bot: {passphrase: s3cr3t}", "bot: {pasword: \"${env:TOKEN}s3cr3t\"}", "bot: {pasword: first,s3cr3t half}",
        "bot: {token: first,s3cr3t: half}", "bot:\n  token: one #s3cr3t", "polling: {every: 5} # s3cr3t",
        "bot: {token: one\n  s3cr3t, nick: x}", "bot:\n  pasword: #s3cr3t", "bot:\n  token:\n    s3cr3t: x",
        "rules:\n  a:\n    plugin: limit\n      token s3cr3t", "polling:\n  every: \"5m\n    token: s3cr3t\"",
    ])
    func `are masked in whatever section they stand`(section: String) {
        let shown = shown(section + least)
        #expect(!shown.contains("s3cr3t"), "\(shown)")
        #expect(shown.contains("***"), "\(shown)")
    }

    /// Whoever has the address of a webhook can post there.
    @Test(arguments: [
        "bot: {report_to: https://hooks.example/s3cr3t}", "bot: https://hooks.example/s3cr3t",
        "bot: {https://hooks.example/s3cr3t}", "routes: https://hooks.example/s3cr3t",
        "routes:\n  - to: https://hooks.example/s3cr3t", "routes:\n  - to: [team, https://hooks.example/s3cr3t]",
        "routes:\n  - https://hooks.example/s3cr3t",
        "rules:\n  w: {plugin: wait, when: {app: shop}, to: https://hooks.example/s3cr3t}",
        "rules:\n  w: {plugin: wait, when: https://hooks.example/s3cr3t}",
        "oncall:\n  m: {starts: 2026-11-02, people: [{name: ana, channel: https://hooks.example/s3cr3t}]}",
        "bot: {report_to: hooks.example/T0/s3cr3t}", "bot: {report_to: \"https:/hooks/s3cr3t\"}",
        "include: {a: https://hooks.example/s3cr3t}", "bot: {hooks.example/s3cr3t}", "routes: hooks.example/s3cr3t",
        "routes:\n  - to: [team, hooks.example/s3cr3t]", "bot:\n  report_to: \"hooks.example/T0/s3cr3t",
        "bot:\n  report_to hooks.example/s3cr3t\n  name: x", "bot:\n  report_to ada:s3cr3t@hooks.example/T0\n  name: x",
        "rules:\n  w: {plugin: wait, when: {app: shop}, to: hooks.example:8443/s3cr3t}",
    ])
    func `are masked where an address stands in the place of something else`(section: String) {
        let shown = shown(section + least)
        #expect(!shown.contains("s3cr3t"), "\(shown)")
        #expect(shown.contains("***"), "\(shown)")
    }

    @Test(arguments: [
        "channels: https://hooks.example/s3cr3t", "channels:\n  team: https://hooks.example/s3cr3t",
        "channels:\n  team: [page, https://hooks.example/s3cr3t]",
        "channels:\n  team: page https://hooks.example/s3cr3t",
        "channels:\n  team: {https://hooks.example/s3cr3t}", "channels:\n  team: [{token: s3cr3t}]",
        "channels:\n  team: [page, token s3cr3t]", "channels:\n  team: {plugin: https://ada:s3cr3t@page.example}",
        "channels:\n  team: {plugin: pge, url: https://hooks.example/s3cr3t}",
        "channels:\n  https://hooks.example/s3cr3t: {plugin: page}", "channels:\n  https://hooks.example/s3cr3t:",
        "channels:\n  team: {plugin: hook, room: r, url: [https://ada:s3cr3t@hooks.example]}",
        "channels: hooks.example/s3cr3t", "channels:\n  team: hooks.example/T0/s3cr3t",
        "channels:\n  hooks.example/s3cr3t: {plugin: page}", "channels:\n  team: {plugin: hooks.example/s3cr3t}",
        "channels:\n  hooks.example/s3cr3t: {}\n  hooks.example/s3cr3t: {}",
    ])
    func `are masked where an address stands for a whole channel`(section: String) {
        let shown = shown("sources:\n  ios: {plugin: feed, url: https://feed.example}\n" + section)
        #expect(!shown.contains("s3cr3t"), "\(shown)")
        #expect(shown.contains("***"), "\(shown)")
    }

    @Test(arguments: [
        "token:\n  s3cr3t\n  name: x", "token: # mine\n  s3cr3t\n  name: x", "token: |\n  s3cr3t\n  name: x",
        "token:\n\ts3cr3t\n  name: x", "token:\n    \"s3cr3t\\q\"\n  name: x", "token:\n    @s3cr3t",
        "token:\n    *s3cr3t", "token:\n    \"x\" s3cr3t", "token: \"x\n    y\" s3cr3t", "token: [\n    @s3cr3t]",
        "token:\n  s3cr3t==\n  name: x", "token:\n  s3cr3t of words\n  name: x", "token:\n  s3cr3t:word\n  name: x",
        "token:\n    s3cr3t\n      name: x", "headers: {Authorization:\n    @s3cr3t}",
        "token:\n    s3cr3t two\n    name: x", "token:\n    s3cr3t=two\n    name: x",
        "token:\n    s3cr3t:two\n    name: x", "token:\n    one\n    s3cr3t two\n    name: x",
        // Signs that look like a colon.
        "token：s3cr3t\n  name: x", "token;s3cr3t\n  name: x", "token; s3cr3t\n  name: x",
        // What was pasted without an indent.
        "key: |\ns3cr3t\nname: x", "key: -----BEGIN PRIVATE KEY-----\ns3cr3t==\nname: x", "token: one\ns3cr3t\nname: x",
        "a:\n    token:\n  s3cr3t\n    name: x",
        // Words of a secret that look like the key of one.
        "token:\n  s3cr3t-key of words\n  name: x", "token:\n    s3cr3t-key of words\n    name: x",
        // What begins on the line of its key.
        "key: -----BEGIN PRIVATE KEY-----\n  s3cr3t==\n  name: x",
        "key: -----BEGIN PRIVATE KEY-----\n  s3cr3t\n  -----END PRIVATE KEY-----\n  name: x",
    ])
    func `are masked below their keys, where the YAML is wrong`(option: String) {
        let shown = shown("bot:\n  " + option + least)
        #expect(!shown.contains("s3cr3t"), "\(shown)")
        #expect(shown.contains("***"), "\(shown)")
    }

    @Test(arguments: [
        ("bot: {tokn: s3cr3t, name: x}", "bot: {tokn: ***"), ("bot:\n  name: @s3cr3t", "  name: ***"),
        ("polling: {every: 5m, timeout: @s3cr3t}", "polling: {every: 5m, timeout: ***"),
        ("polling: {every: 5} # s3cr3t", "polling: {every: 5} ***"), ("routes:\n  - to: @s3cr3t", "  - to: ***"),
        ("bot:\n  headers: {Authorization: @s3cr3t}", "  headers: ***"), ("bot:\n  s3cr3t: @x", "  ***"),
        ("rules:\n  floor: {plugin: @x}", "  ***"),
        ("rules:\n  floor: {plugin: cap, at_most: 3}\n  floor: {plugin: cap}", "  floor: {plugin: cap}"),
        ("bot: {tokn: \"${env:TOKEN}\", name: x}", "bot: {tokn: \"${env:TOKEN}\", name: x}"),
        // What its name says is a credential, in an option that is none.
        (
            "rules:\n  w: {plugin: limit, metric: userz, limit: \"< 5\", links: {api_key: \"https://h.example/s3cr3t\"}}",
            "  w: {plugin: limit, metric: userz, limit: \"< 5\", links: {api_key: ***"
        ),
    ])
    func `are hidden with what stands behind them, and nothing before them is`(section: String, line: String) {
        let shown = shown(section + least)
        #expect(shown.contains("\n    \(line)\n"), "\(shown)")
        #expect(!shown.contains("s3cr3t"), "\(shown)")
    }

    /// Nobody visits what is not in the tree, nor the lines on which a key goes on.
    @Test(arguments: [
        (
            "bot: {token: \"${env:TOKEN}\", <<: {token: s3cr3t, nick: x}}",
            "bot: {token: \"${env:TOKEN}\", <<: {token: ***"
        ),
        (
            "bot: {<<: [{token: \"${env:TOKEN}\"}, {token: s3cr3t, nick: x}]}",
            "bot: {<<: [{token: \"${env:TOKEN}\"}, {token: ***"
        ),
        ("bot: {token: \"${env:TOKEN}\", token:\n    s3cr3t, nick: x}", "    ***"),
        ("bot: {name: x, ~: s3cr3t\n    s3cr3t, nick: x}", "***"),
        ("bot: {name: x, [a]:\n    s3cr3t, nick: x}", "    ***"),
        ("bot: {name: x, <<: s3cr3t\n    s3cr3t, nick: x}", "***"),
        ("bot: {name: x, <<: {}, <<: {token:\n    s3cr3t}, nick: x}", "    ***"),
        ("bot: {name: x, token:s3cr3t\n    s3cr3t, nick: x}", "***"),
        ("bot: {name: x, token\n    s3cr3t, nick: x}", "***"),
    ])
    func `are hidden where YAML leaves them out, and in a key of several lines`(section: String, line: String) {
        let shown = shown(section + least)
        #expect(shown.contains("unknown key '"), "\(shown)")
        #expect(shown.contains("\n    \(line)\n"), "\(shown)")
        #expect(!shown.contains("s3cr3t"), "\(shown)")
    }

    @Test func `are not taken for what they are merged over`() {
        let shown = shown(
            "sources:\n  web: &web {plugin: feed, projects: [shop], url: https://f.example, nick: x}\n"
                + "  ios: {<<: *web, projects: [app]}\nchannels:\n  team: {plugin: page}")
        #expect(
            shown.contains("web: &web {plugin: feed, projects: [shop], url: https://f.example, nick: ***"), "\(shown)")
    }

    @Test(arguments: [
        ("polling: {evry: 5m}", "polling: {evry: 5m}"), ("polling:\n  evry: 5m\n    s3cr3t", "  evry: ***"),
        ("bot: {tokn: 12345678}", "bot: {tokn: ***"), ("routes:\n  - team", "  - team"),
        ("routes:\n  to: [team]", "  to: [***"), ("rules:\n  night:\n  - plugin: night", "  - plugin: ***"),
        ("rules:\n  a: {plugin: limt, match: {app: x}, metric: y}", "  a: {plugin: limt, match: {app: x}, metric: ***"),
        ("rules:\n  a:\n    plugin: limit\n    window:30m\n    metric: users", "    window:***"),
        ("rules:\n  a:\n    plugin: limit\n    metric users\n    window: 30m", "    metric ***"),
        ("<<<<<<< HEAD\nbot: {token: s3cr3t}\n=======\nbot: {}\n>>>>>>> theirs", "<<<<<<< ***"),
    ])
    func `hide no words of the config, and nothing that can be none`(section: String, line: String) {
        let shown = shown(section + least)
        #expect(shown.contains("\n    \(line)\n"), "\(shown)")
        #expect(!shown.contains("s3cr3t"), "\(shown)")
    }

    @Test func `hide nothing that is read, whatever the plugin is`() {
        let shown = shown(
            "sources:\n  ios: {plugin: fed, every: soon, token: s3cr3t}\n"
                + "channels:\n  team: {plugin: pge, acknowledged: maybe, token: s3cr3t}")
        #expect(shown.contains("ios: {plugin: fed, every: soon, token: ***"), "\(shown)")
        #expect(shown.contains("team: {plugin: pge, acknowledged: maybe, token: ***"), "\(shown)")
    }

    @Test func `are quoted no more than shown, where they go on with the line above`() {
        let shown = shown("rules:\n  a:\n    plugin: limit\n      token s3cr3t" + least)
        #expect(shown.contains("there is no plugin 'limit ***'"), "\(shown)")
    }

    /// Names are looked up when all else has been read.
    @Test func `are quoted no more however much is read behind them`() {
        let rules = (1...70).map {
            "\n  r\($0): {plugin: limit, metric: users, limit: \"< 5\", window: \"1\n    h\($0)\"}"
        }
        let shown = shown("bot:\n  report_to: team\n    tokn s3cr3t\nrules:" + rules.joined() + least)
        #expect(shown.contains("there is no channel 'team ***'"), "\(shown)")
        #expect(!shown.contains("s3cr3t"), "\(shown)")
    }

    @Test(arguments: [
        ("bot:\n  name: shop\n    known\npolling:\n  fooo: x", "unknown key 'fooo' in 'polling'; known are "),
        ("rules:\n  a:\n    plugin: limit\n    limit: \"< 5\"\n    metric: >-\n      userz", "gives 'userz'"),
    ])
    func `do not mask the words of another text, nor a block's first line`(section: String, words: String) {
        let shown = shown(section + least)
        #expect(shown.contains(words), "\(shown)")
    }

    /// A host has 253 letters at most, and nobody need write one.
    @Test func `are found behind a long text`() {
        let long = String(repeating: "a.", count: 10_000)
        #expect(!shown("bot: {nick: \(long)example/s3cr3t}" + least).contains("s3cr3t"))
    }

    @Test func `are shown where they only name a secret`() {
        let shown = shown(
            "sources:\n  ios: {plugin: fed, tokn: \"${env:TOKEN}\", projects: [shop]}\nchannels:\n  team: {plugin: page}"
        )
        #expect(shown.contains("tokn: \"${env:TOKEN}\", projects: [***"), "\(shown)")
    }
}
