internal import BotConfig
internal import PluginKit
internal import Testing

/// What is said beside a mistake: nothing that follows from it, and nothing that is not so.
@Suite struct FollowUpTests {
    static let mistakes = [
        Mistake(
            "a route that would lead on, if it were written so",
            "routes: [{to: team, continue: yes}, {to: team}]" + least,
            "1:31: 'continue' is 'yes', expected true or false -> true"),
        Mistake(
            "what would be denied, with what is allowed", "network: {deny: publc, allow: [10.0.0.0/8]}" + least,
            "1:17: 'deny' is 'publc', expected private"),
        Mistake(
            "the same under a wrong name", "network: {denny: private, allow: [10.0.0.0/8]}" + least,
            "1:11: unknown key 'denny' in 'network' -> deny"),
        Mistake(
            "a name that is none in YAML", "sources: {null: {plugin: any}}\nchannels:\n  team: {plugin: page}",
            "1:11: a key is missing here (put it in quotes if it is intended as text)"),
        Mistake(
            "a needed list without anybody in it", "oncall: {mobile: {starts: 2026-11-02, people: []}}" + least,
            "1:47: 'people' is an empty list (it is needed: who takes turns, in this order)"),
        Mistake(
            "several mistakes of one rotation",
            """
            oncall:
              mobile:
                starts: soon
                people: [{name: ana, channel: nobody}, {name: bo}]
                overrides: [{from: 2026-12-24, until: 2026-12-20, person: bo}, {from: 2026-12-24, until: 2026-12-26, person: eve}]
            """ + least,
            "3:13: 'starts' is 'soon', expected an instant such as 2026-12-24, 2026-12-24 09:00 or 2026-12-24 09:00+01:00",
            "4:35: there is no channel 'nobody'; known: team",
            "5:43: 'until' is not after 'from', so it never begins",
            "5:114: nobody in this rotation is called 'eve'; known: ana, bo"),
        Mistake(
            "somebody whose name is misspelt is not missed",
            """
            oncall:
              mobile:
                starts: 2026-11-02
                people: [{nam: ana}, {name: bo}]
                overrides: [{from: 2026-12-24, until: 2026-12-26, person: ana}]
            """ + least,
            "4:15: unknown key 'nam' in 'people' -> name"),
        Mistake(
            "a key that belongs in plugins of the same kind",
            "sources: {ios: {plugin: any, room: x, projects: [a]}}\nchannels:\n  team: {plugin: page}",
            "1:30: 'room' does not belong in source 'ios' of plugin any (it belongs in a channel of plugin hook)",
            "1:39: 'projects' does not belong in source 'ios' of plugin any (it belongs in a source of plugin feed)"),
        Mistake(
            "a key that belongs in several", "window: 1h\nat_most: 3" + least,
            "1:1: 'window' does not belong in the config (it belongs in a rule of plugin limit)",
            "2:1: 'at_most' does not belong in the config (it belongs in a rule of plugin cap or wait)"),
        Mistake(
            "a key that is a part of another", "bot: {url: https://alerts.example.com, grace: 1s}" + least,
            "1:7: unknown key 'url' in 'bot' -> public_url", "1:40: unknown key 'grace' in 'bot' -> shutdown_grace"),
        Mistake(
            "a name that begins with a dot",
            "rules:\n  .a: {plugin: cap, at_most: 3}\n  a/b: {plugin: cap, at_most: 3}" + least,
            "2:3: '.a' is not a valid name; it must begin with a letter or a digit",
            "3:3: 'a/b' is not a valid name; use letters, digits, '-', '_' and '.', at most 64"),
        Mistake(
            "listening on an address of the web", "bot: {listen: \"http://127.0.0.1:8480/\"}" + least,
            "1:15: 'listen' is 'http://127.0.0.1:8480/', expected HOST:PORT or off -> 127.0.0.1:8480"),
        Mistake(
            "listening on a site", "bot: {listen: \"https://alerts.example.com\"}" + least,
            "1:15: 'listen' is 'https://alerts.example.com', expected HOST:PORT or off"),
        Mistake(
            "listening everywhere, as others write it", "bot: {listen: \"*:8480\"}" + least,
            "1:15: 'listen' is '*:8480', expected the address of a machine before the port -> 0.0.0.0:8480"),
        Mistake(
            "listening on an address that is none", "bot: {listen: \"127.0.0.256:8480\"}" + least,
            "1:15: 'listen' is '127.0.0.256:8480', expected the address of a machine before the port"),
        Mistake(
            "listening on an address of version 6 that is none", "bot: {listen: \"[fe80::g]:8480\"}" + least,
            "1:15: 'listen' is '[fe80::g]:8480', expected the address of a machine before the port"),
        Mistake(
            "a state folder without room for the path of a socket", "bot: {state: /var/lib/\(tooLong)}" + least,
            "1:14: the control socket in 'state' has a path of 108 bytes, expected at most 107 (choose a shorter folder)"
        ),
        Mistake(
            "a public address with a query", "bot: {public_url: \"https://alerts.example.com/bot?team=a\"}" + least,
            "1:19: 'public_url' has a query or a fragment, and the addresses of pages could not follow it "
                + "-> https://alerts.example.com/bot"),
    ]

    /// A name with which a path of 9 bytes before it and 13 behind it is longer than that of a socket.
    private static let tooLong = String(repeating: "a", count: 86)

    @Test(arguments: ["127.1:80", "0:80", "[::1]:80", "::1:80", "[fe80::1%eth0]:80", "localhost:80", "10.example:80"])
    func `every form of an address that a machine takes is one`(listen: String) {
        #expect(load("bot: {listen: \"\(listen)\"}" + least).problems.map(\.line) == [])
    }

    @Test func `a state folder that only lies too deep for now is no mistake`() {
        let result = load("bot: {state: ./\(Self.tooLong)}" + least)
        #expect(
            result.problems.map(\.line) == [
                "1:14: the control socket in 'state' has a path of 108 bytes, expected at most 107 (choose a shorter folder)"
            ])
        #expect(result.config != nil)
        #expect(load("bot: {state: /var/lib/\(Self.tooLong.dropLast())}" + least).problems.isEmpty)
    }

    @Test(arguments: mistakes) func `a mistake is told as what it is, and alone`(mistake: Mistake) {
        let result = load(mistake.yaml)
        #expect(result.problems.map(\.line) == mistake.problems)
        #expect(result.config == nil)
    }

    @Test(arguments: [
        ("shop-[a-z]*", true), ("shop-[a-z]", true), ("shop-[ab]?", true), ("shop [beta]", false),
        ("[internal]", false),
        ("shop-*", false),
    ])
    func `brackets of a pattern stand for themselves, and whoever means more hears of it`(pattern: String, isTold: Bool)
    {
        let result = load("routes:\n  - {match: {app: \"\(pattern)\"}, to: team}\n  - to: team" + least)
        #expect(
            result.problems.map(\.line)
                == (isTold
                    ? [
                        "2:19: '\(pattern)' has brackets, which stand for themselves here "
                            + "(only * and ? are special; a list matches one of several)"
                    ] : []))
        #expect(result.config != nil)
    }

    @Test(arguments: [
        ("shop-(ios|android)", true), ("shop-.*", true), (".+", true), ("^shop", true), ("shop$", true),
        ("!staging", true), ("=~shop", true), ("com.shop.*", false), ("5.2.*", false), ("5.*.*", false),
        ("*.*.0", false), ("5.?.*", false), ("Shop (beta)", false), ("Shop | Pro", false), ("Shop!", false),
    ])
    func `a regular expression as a pattern is warned of`(pattern: String, isTold: Bool) {
        let result = load("routes:\n  - {match: {app: \"\(pattern)\"}, to: team}\n  - to: team" + least)
        #expect(
            result.problems.map(\.line)
                == (isTold
                    ? [
                        "2:19: '\(pattern)' reads like a regular expression, which patterns are not "
                            + "(only * and ? are special; a list matches one of several, and nothing negates)"
                    ] : []))
        #expect(result.config != nil)
    }
}
