/// What names nothing, and what can never match.
extension Mistake {
    static let references = [
        Mistake(
            "route to no channel", "routes:\n  - to: [tema]" + least,
            "2:10: there is no channel 'tema'; known: team -> team"),
        Mistake(
            "report_to missing", "bot: {report_to: ops}" + least,
            "1:18: there is no channel 'ops'; known: team"),
        Mistake(
            "what is known are names that could be written",
            "bot: {report_to: ops}" + least.replacing("  team:", with: "  a/b: {plugin: page}\n  team:"),
            "1:18: there is no channel 'ops'; known: team",
            "5:3: 'a/b' is not a valid name; use letters, digits, '-', '_' and '.', at most 64"),
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
}
