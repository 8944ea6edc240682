/// Keys that do not belong where they stand.
extension Mistake {
    static let keys = [
        Mistake(
            "unknown key at the top", "rulez: {}" + least,
            "1:1: unknown key 'rulez' in the config -> rules"),
        Mistake(
            "a key at the top that is like none", "foo: 1" + least,
            "1:1: unknown key 'foo' in the config; known are bot, channels, include, network, oncall, polling, routes, "
                + "rules, sources, version"),
        Mistake(
            "a key that is like none, of a secret that is not there",
            "bot: {colour: {red: [\"${env:NOBODY}\"]}}" + least,
            "1:7: unknown key 'colour' in 'bot'; known are "
                + "heartbeat, language, listen, name, public_url, report_to, shutdown_grace, state, timezone, token, user_header, words",
            "1:22: the environment variable NOBODY is not set"),
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
            "days without brackets between braces",
            "rules:\n  off: {plugin: night, days: sat,sun, between: 22:00-07:00}" + least,
            "2:34: unknown key '***' in rule 'off' of plugin night; known are between, days, match, plugin, then, timezone "
                + "(inside { } a comma starts the next key: write days: [sat, sun])"),
        Mistake(
            "what is no day behind a comma between braces",
            "rules:\n  off: {plugin: night, days: sat,hunter2, between: 22:00-07:00}" + least,
            "2:34: unknown key '***' in rule 'off' of plugin night; known are between, days, match, plugin, then, timezone "
                + "(inside { } a comma starts the next key: write a list as in days: [a, b])"),
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
}
