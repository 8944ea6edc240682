internal import BotConfig
internal import Testing

@Suite struct `Mistakes in gates` {
    static let mistakes = [
        Mistake(
            "a channel that is not there", "rules: {more: {plugin: wait, when: {app: a}, to: [team, tem]}}" + least,
            "1:57: there is no channel 'tem'; known: team -> team"),
        Mistake(
            "a source that is not there, in what is waited for",
            "rules: {more: {plugin: wait, when: {source: isos}}}" + least,
            "1:45: there is no source 'isos'; known: ios, team -> ios"),
        Mistake(
            "a rule that is not there, in what is waited for",
            "rules: {more: {plugin: wait, when: {rule: source-faling}}}" + least,
            "1:43: there is no rule 'source-faling'; known: channel-failing, clock-stepped, config-refused, journal-damaged, journal-failing, "
                + "partial-answers, source-failing, source-stopped, template-failing -> source-failing"
        ),
        Mistake(
            "what explains itself alone",
            "rules: {more: {plugin: wait, match: {app: shop-ios}, when: {app: shop-*}}}" + least,
            "1:9: everything that 'more' matches explains itself, so it never holds anything "
                + "(let 'match' and what it waits for name different things)"),
        Mistake(
            "two that wait for each other",
            """
            rules:
              one: {plugin: wait, match: {app: shop}, when: {app: bank}}
              two: {plugin: wait, match: {app: bank}, when: {app: shop}}
            """ + least,
            "2:3: rules wait for each other in a circle: one, two, one (remove one of them, or narrow its 'match')"),
        Mistake(
            "a rate without its time", "rules: {more: {plugin: wait, when: {app: a}, at_most: 10}}" + least,
            "1:55: 'at_most' is '10', expected a rate such as 10 per 1h or 1 per 90d"),
        Mistake(
            "a rate as others write it", "rules: {more: {plugin: wait, when: {app: a}, at_most: 10/h}}" + least,
            "1:55: 'at_most' is '10/h', expected a rate such as 10 per 1h or 1 per 90d -> 10 per 1h"),
    ]

    @Test(arguments: mistakes) func `a mistake is reported once, with its place`(mistake: Mistake) {
        #expect(load(mistake.yaml).problems.map(\.line) == mistake.problems)
    }

    @Test(arguments: [
        "rules: {a: {plugin: wait, when: {source: ios}}, b: {plugin: wait, when: {source: ios}}}",
        "rules: {a: {plugin: wait, match: {app: a}, when: {rule: source-failing}}, b: {plugin: wait, match: {app: b}, when: {rule: source-failing}}}",
        "rules: {a: {plugin: wait, match: {app: a}, when: {app: b}}, b: {plugin: wait, match: {app: b}, when: {app: c}}}",
    ])
    func `what waits for the same, or in a line, is no circle`(yaml: String) {
        #expect(load(yaml + least).problems.map(\.line) == [])
    }
}
