/// Values that are not written as they should be.
extension Mistake {
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
}
