import BotConfig
import BotHarness
import BuiltinPlugins
import MachineTesting
import Pictures
import PluginKit
import SystemPorts
import Testing

@testable import Commands

@Suite struct TextTests {
    private let paint = Paint.none
    /// Noon, on a clock whose zone has been named.
    private let clock = Clockface(.utc).inNamedZone(at: Moment(rfc3339: "2026-11-20T12:00:00Z") ?? .earliest)

    @Test func `what ends within the minute is not ahead, as it reads as the time that it is`() {
        #expect(!clock.isAhead("2026-11-20T12:00:59Z"))
        #expect(clock.isAhead("2026-11-20T12:01:00Z"))
        #expect(Clockface(.utc).isAhead("2026-11-20T12:00:01Z"), "nobody knows what time it is")
    }

    private let incident: JSON = [
        "id": "3f9a", "severity": "critical", "app": "shop-ios", "release": "2.4", "state": "firing",
        "since": "2026-11-20T11:00:00Z", "rule": "floor", "evidence": ["sentence": "crash-free\nusers 95%"],
        "acknowledged": [
            "by": "ada", "at": "2026-11-20T11:30:00Z",
            "also": [["by": "ben", "at": "2026-11-20T11:42:00Z"], ["by": .null, "at": "2026-11-19T11:50:00Z"]],
        ],
        "channels": [
            "ops": ["held": ["until": "2026-11-21T06:00:00Z", "reason": "quiet_hours:nights"]],
            "sre": ["held": .null, "dropped": ["reason": "quiet_hours:nights", "at": "2026-11-20T11:00:00Z"]],
            "team": ["held": .null, "dropped": .null],
        ],
    ]

    private func mute(_ changes: (inout JSONObject) -> Void = { _ in }) -> JSON {
        var object = JSONObject([
            ("id", "m1"), ("match", Match([.init(property: "app", patterns: [Glob("shop-*")])]).json),
            ("from", "2026-11-20T10:00:00Z"), ("until", "2026-11-20T14:00:00Z"), ("by", "ada"), ("reason", "hotfix"),
            ("origin", "command"),
        ])
        changes(&object)
        return .object(object)
    }

    @Test func `an incident is a few lines, free of what strangers wrote to break them`() {
        #expect(
            IncidentText(incident, paint, clock).text == """
                  3f9a critical shop-ios 2.4: firing for 1 h, since 11:00 (floor)
                    crash-free users 95%
                    acknowledged by ada at 11:30, by ben at 11:42, by somebody at Thu 19 Nov 11:50
                    ops: held until Sat 21 Nov 06:00 (quiet_hours:nights)
                    sre: dropped at 11:00 (quiet_hours:nights)
                """)
        let over = JSONObject([
            ("id", "3f9a"), ("severity", "critical"), ("app", "shop-ios"), ("state", "resolved"), ("rule", "floor"),
            ("since", "2026-11-20T11:00:00Z"), ("until", "2026-11-20T11:40:00Z"),
        ])
        #expect(
            IncidentText(.object(over), paint, clock).text
                == "  3f9a critical shop-ios: resolved at 11:40 after 40 min (floor)")
        #expect(IncidentText(["id": "3f9a"], paint, clock).text == "  3f9a ? ?: ? since ? (?)")
    }

    @Test func `what an incident leads to can be followed, and what strangers wrote leads nowhere else`() {
        var object = incident.object ?? JSONObject()
        object["links"] = [
            ["title": "incident", "url": "https://alerts.example.com/incidents/3f9a"],
            ["title": "run\u{1B}book", "url": "https://wiki.example.com/crashes"],
            ["title": "SHOP-1", "url": "https://evil.example.com/\u{1B}\\\u{1B}[2J"],
            ["title": "SHOP-2", "url": "javascript:alert(1)"], ["title": "SHOP-3", "url": "https://é.example.com"],
            ["title": "SHOP-4", "url": .string("https://example.com/" + String(repeating: "a", count: 2064))],
        ]
        func link(_ text: String, _ url: String) -> String {
            let end = "\u{1B}\\"
            return "\u{1B}]8;;\(url)\(end)\(text)\u{1B}]8;;\(end)"
        }
        let page = "https://alerts.example.com/incidents/3f9a"
        let text = IncidentText(.object(object), Paint(isOn: false, hasLinks: true), clock).text
        #expect(text.hasPrefix("  \(link("3f9a", page)) critical shop-ios 2.4: "))
        #expect(
            text.hasSuffix(
                "\n    \(link("run\u{1B}book".tamed, "https://wiki.example.com/crashes")), "
                    + "SHOP-1, SHOP-2, SHOP-3, SHOP-4"))
        #expect(IncidentText(.object(object), paint, clock).text == IncidentText(incident, paint, clock).text)
    }

    @Test func `open incidents come first, the worst before others and the newest before older ones`() {
        func incident(_ id: String, _ severity: String, _ since: String, until: JSON = .null) -> JSON {
            ["id": .string(id), "severity": .string(severity), "since": .string(since), "until": until]
        }
        let texts = IncidentText.all(
            [
                incident("over", "critical", "2026-11-20T11:00:00Z", until: "2026-11-20T11:30:00Z"),
                incident("mild", "info", "2026-11-20T11:00:00Z"), incident("old", "critical", "2026-11-20T10:00:00Z"),
                incident("bad", "warning", "2026-11-20T11:00:00Z"), incident("new", "critical", "2026-11-20T11:00:00Z"),
            ], paint, clock)
        #expect(texts.map { $0.split(separator: " ")[0] } == ["new", "old", "bad", "mild", "over"])
    }

    @Test func `a time of another day has its date, and every time its zone where nothing else names it`() throws {
        let now = try #require(Moment(rfc3339: "2026-11-20T12:00:00Z"))
        let madrid = try ZoneDatabase().zone("Europe/Madrid")
        #expect(Clockface(madrid, now: now).at("2026-11-20T11:30:00Z") == "12:30 CET")
        #expect(Clockface(madrid, now: now).at("2026-11-19T22:59:00Z") == "Thu 19 Nov 23:59 CET")
        #expect(Clockface(madrid).at("2026-11-20T11:30:00Z") == "Fri 20 Nov 12:30 CET")
        // A weekday and a day of a month return in another year.
        #expect(Clockface(madrid, now: now).at("2027-09-20T11:30:00Z") == "Mon 20 Sep 13:30 CEST")
        #expect(Clockface(madrid, now: now).at("2027-11-20T11:30:00Z") == "Sat 20 Nov 2027 12:30 CET")
        #expect(Clockface(madrid, now: now).at("2025-11-19T11:30:00Z") == "Wed 19 Nov 2025 12:30 CET")
        // Before and after a change of the clocks, though the zone has been named.
        #expect(Clockface(madrid).inNamedZone(at: now).at("2026-11-20T11:30:00Z") == "12:30")
        #expect(Clockface(madrid).inNamedZone(at: now).at("2026-09-20T11:30:00Z") == "Sun 20 Sep 13:30 CEST")
        let night = try #require(Moment(rfc3339: "2026-10-25T00:40:00Z"))
        #expect(Clockface(madrid).inNamedZone(at: night).at("2026-10-25T01:30:00Z") == "02:30 CET")
        #expect(Clockface(madrid, now: now).at("later") == "later")
        #expect(Clockface(madrid, now: now).ahead("2026-11-20T11:59:00Z") == "now")
        #expect(Clockface(madrid, now: now).lasting(since: "2026-11-20T12:01:00Z") == "since 13:01 CET")
    }

    @Test func `a mute is a line that says what, how long, by whom and why`() {
        #expect(
            MuteText(mute(), paint, clock).text
                == "m1 app shop-*, from 10:00 until 14:00, by ada: hotfix")
        let written = mute { mute in
            mute["origin"] = "config"
            for name in ["until", "by", "reason"] { mute[name] = .null }
        }
        #expect(MuteText(written, paint, clock).text == "m1 (in the config) app shop-*, from 10:00 permanently")
        let partial = mute { $0["except"] = "critical" }
        #expect(
            MuteText(partial, paint, clock).text
                == "m1 app shop-* (critical passes), from 10:00 until 14:00, by ada: hotfix")
        let elsewhere = mute { $0["channels"] = ["ops", "team"] }
        #expect(MuteText(elsewhere, paint, clock).text.hasPrefix("m1 app shop-* in ops or team, from 10:00"))
        // One that has no begin began at no time.
        let always = mute { $0["from"] = .null }
        #expect(MuteText(always, paint, clock).text == "m1 app shop-*, until 14:00, by ada: hotfix")
    }

    @Test func `of an app that several sources have, the status says from which one nothing can be judged`() {
        func rule(_ source: JSON, _ app: JSON) -> JSON {
            ["rule": "floor", "source": source, "app": app, "verdict": "unknown", "sentence": "too few users"]
        }
        let rules: JSON = [rule("play", "shop"), rule("fire", "shop"), rule("play", "bank")]
        let text = StatusText(["running": true, "rules": rules], paint, in: .utc).text
        #expect(
            text.contains(
                """
                Cannot judge yet
                  shop from play: floor: too few users
                  shop from fire: floor: too few users
                  bank: floor: too few users
                """), "\(text)")
    }

    @Test func `a status that lists not everything says how much is missing of what cannot be judged`() {
        let rule: JSON = [
            "rule": "floor", "source": "play", "app": "shop", "verdict": "unknown", "sentence": "too few users",
        ]
        let left: JSON = ["firing": 0, "unknown": 7, "ok": 90]
        let text = StatusText(["running": true, "rules": [rule], "rules_left_out": left], paint, in: .utc).text
        #expect(
            text.contains(
                """
                Cannot judge yet
                  shop: floor: too few users
                  and 7 more: 'alertbot why' lists each

                """), "\(text)")
        let many = StatusText(
            ["running": true, "rules": .array(Array(repeating: rule, count: 30)), "rules_left_out": left], paint,
            in: .utc
        ).text
        #expect(many.split(separator: "\n").count { $0.hasSuffix("too few users") } == 20)
        #expect(many.contains("  and 17 more: 'alertbot why' lists each\n"), "\(many)")
    }

    @Test func `a status names the apps whose figures have stopped`() {
        let apps = (0..<22).map { app -> JSON in ["source": "play", "app": .string("app-\(app)")] }
        let text = StatusText(["running": true, "silent_apps": .array(apps)], paint, in: .utc).text
        #expect(text.contains("No longer reporting\n  app-0 (source play)\n  app-1 (source play)\n"), "\(text)")
        #expect(text.contains("  app-19 (source play)\n  and 2 more\n"), "\(text)")
    }

    @Test func `a bot that has never polled has told its journal nothing`() {
        func title(_ lastPolled: JSON) -> String {
            let status: JSON = ["bot": "b", "running": false, "sources": [["name": "ios", "last_polled": lastPolled]]]
            return StatusText(status, paint, in: .utc).text.split(separator: "\n").first.map(String.init) ?? ""
        }
        #expect(title(.null) == "b  not running; it has not polled anything yet")
        #expect(title("2026-11-20T11:58:00Z") == "b  not running; this is from its journal")
        let deaf = StatusText(["bot": "b", "running": false, "unanswered": true], paint, in: .utc).text
        #expect(deaf.hasPrefix("b  does not answer; "))
    }

    @Test func `a push that was refused is shown for a day`() {
        func isShown(_ at: JSON) -> Bool {
            let source: JSON = [
                "name": "job", "state": "values", "every": .null, "refused_push": ["at": at, "why": "no app"],
            ]
            let status: JSON = ["bot": "b", "running": true, "now": "2026-11-20T12:00:00Z", "sources": [source]]
            return StatusText(status, paint, in: .utc).text.contains("a push was refused at")
        }
        #expect(isShown("2026-11-19T12:00:01Z"))
        #expect(!isShown("2026-11-19T12:00:00Z"))
    }

    @Test func `the status names what waits, what fails and what is muted`() {
        let status: JSON = [
            "bot": "shop-alerts", "running": true, "now": "2026-11-20T12:00:00Z",
            "sources": [
                [
                    "name": "ios", "state": "failed", "next_poll": "2026-11-20T12:05:00Z",
                    "reasons": ["failing", "calm"],
                    "no_answer_since": "2026-11-20T11:10:00Z",
                    "failure": ["sentence": "nobody answers"],
                ],
                ["name": "web", "state": "stopped", "warnings": ["a row of tv\nis left out"]],
                [
                    "name": "job", "state": "values", "next_poll": .null, "every": .null,
                    "last_polled": "2026-11-20T11:58:00Z", "last_changed": "2026-11-20T11:48:00Z",
                    "refused_push": ["at": "2026-11-20T11:50:00Z", "why": "line 1: 'App'\nis not known"],
                ],
                ["name": "hook", "state": "no_data", "next_poll": .null, "every": .null, "last_changed": .null],
            ],
            "incidents": [incident],
            "rules": [
                ["rule": "floor", "app": "shop-web", "verdict": "unknown", "sentence": "too few users"],
                ["rule": "floor", "app": "shop-ios", "verdict": "ok", "sentence": "fine"],
            ],
            "channels": [
                ["name": "ops", "queued": 0, "dead": 2, "last_error": "the hook\nis gone"],
                [
                    "name": "team", "queued": 2, "oldest": "2026-11-20T11:59:00Z", "failures": 1,
                    "paused_until": "2026-11-20T12:10:00Z",
                ],
                ["name": "page", "queued": 1, "oldest": "2026-11-20T11:58:00Z"],
            ],
            "mutes": [
                mute(),
                mute { mute in
                    mute["id"] = "later"
                    mute["from"] = "2026-11-20T13:00:00Z"
                },
            ],
            "oncall": [
                ["rotation": "mobile", "person": "ana", "until": "2026-11-23T09:00:00Z"],
                ["rotation": "web", "person": "bo", "until": .null],
            ],
            "recording_trouble": "the disk is full", "config_trouble": "it is gone",
            "journal_trouble": "no space left on the disk",
        ]
        #expect(
            StatusText(status, paint, in: .utc).text == """
                shop-alerts  running  Fri 20 Nov 12:00 UTC

                Sources
                  ios: failed, next poll in 5 min (failing, calm)
                    no usable answer for 50 min, since 11:10: nobody answers
                  web: stopped
                    a row of tv is left out
                  job: values, receives pushes, last data at 11:48
                    a push was refused at 11:50: line 1: 'App' is not known
                  hook: no data, receives pushes, nothing pushed yet

                Incidents
                \(IncidentText(incident, paint, clock).text)

                Cannot judge yet
                  shop-web: floor: too few users

                Channels
                  ops: nothing waiting, 2 failed deliveries
                    last error: the hook is gone
                  team: 2 waiting, the oldest for 1 min, since 11:59, 1 failure in a row, paused until 12:10
                  page: 1 waiting for 2 min, since 11:58

                On call
                  mobile: ana, until Mon 23 Nov 09:00
                  web: bo

                Mutes
                  \(MuteText(mute(), paint, clock).text)

                Observations are not recorded: the disk is full

                The config on disk is not in use: it is gone

                The journal cannot be written: no space left on the disk
                """)
    }

    @Test func `a status of nothing has its headings, and says that no bot runs`() {
        #expect(
            StatusText(["running": false], Paint(isOn: true), in: .utc).text == """
                \u{1B}[1malertbot\u{1B}[0m  \u{1B}[33mnot running; it has not polled anything yet\u{1B}[0m

                \u{1B}[1mSources\u{1B}[0m

                \u{1B}[1mIncidents\u{1B}[0m
                  none

                \u{1B}[1mChannels\u{1B}[0m
                """)
    }

    @Test func `the history shows each message below its time, its channel and its outcome`() {
        let history: JSON = [
            [
                "at": "2026-11-20T12:00:00Z", "id": "d1", "channel": "ops", "kind": "opened", "outcome": "delivered",
                "text": "first line\n\nlast line",
            ],
            [
                "at": "2026-11-20T12:01:00Z", "id": "d2", "channel": "ops", "kind": "resolved", "outcome": "dead",
                "why": "it was\nrefused", "text": "over",
            ],
        ]
        #expect(
            HistoryText(history, isOnlyDead: false, paint, in: .utc).text == """
                Fri 20 Nov 12:00 UTC ops opened delivered  d1
                  first line
                  last line
                Fri 20 Nov 12:01 UTC ops resolved failed  d2
                  over
                  it was refused
                """)
        #expect(HistoryText([], isOnlyDead: false, paint, in: .utc).text == "Nothing has been sent yet.")
        #expect(HistoryText([], isOnlyDead: true, paint, in: .utc).text == "No failed deliveries.")
    }

    @Test func `plugins are listed under their kinds, and one is described with an example`() throws {
        let plugins = PluginCatalog.builtin.descriptions
        let list = PluginText(paint).list(plugins)
        #expect(list.hasPrefix("sources\n  "))
        #expect(
            list.components("\n\n").map { $0.prefix { $0 != "\n" } } == ["sources", "detectors", "gates", "channels"])
        let console = try #require(plugins.first { $0.manifest.name == "console" })
        let width = plugins.map(\.manifest.name.count).max() ?? 0
        let fill = String(repeating: " ", count: width - "console".count)
        #expect(list.contains("\n  console\(fill)  \(console.manifest.summary)"), "\(list)")
        let file = try #require(plugins.first { $0.manifest.name == "file" })
        let text = PluginText(Paint(isOn: true)).description(of: file)
        #expect(text.hasPrefix("\u{1B}[1mfile\u{1B}[0m, a source\n\(file.manifest.summary)\n\n"))
        #expect(text.contains("\n  path  \u{1B}[2mpath, required\u{1B}[0m\n      "), "\(text)")
        #expect(text.contains("\u{1B}[1mOptions of every source\u{1B}[0m\n"))
        #expect(text.contains("Example\u{1B}[0m\n  sources:\n    my-file:\n      plugin: file\n"))
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [Substring] { split(separator: separator) }
}

@Suite struct MuteWishTests {
    private func wish(
        _ patterns: [(property: String, values: [String])], labels: [String] = [], all: Bool = false
    ) -> MuteWish {
        MuteWish(patterns, labels: labels, isEverything: all)
    }

    @Test(
        arguments: [
            ([("app", ["shop-ios"])], [], false, nil), ([], [], true, nil), ([], ["team=checkout"], false, nil),
            ([], [], false, "name what to mute, such as --app shop-ios, or --all"),
            ([("app", ["a"])], [], true, "--all covers everything; leave out the rest, or leave out --all"),
            ([], ["team"], false, "--label is 'team', expected name=value, such as team=checkout"),
            ([("app", [" "])], [], false, "--app is empty, expected what to mute, such as --app shop-ios"),
            (
                [("severity", ["critcal"])], [], false,
                "--severity is 'critcal', expected info, warning or critical; did you mean critical?"
            ),
            ([("severity", ["bad"])], [], false, "--severity is 'bad', expected info, warning or critical"),
            // A label of that name is the property.
            ([], ["severity=bad"], false, "--severity is 'bad', expected info, warning or critical"),
        ] as [([(String, [String])], [String], Bool, String?)])
    func `what nobody can mean is reported`(
        patterns: [(String, [String])], labels: [String], all: Bool, complaint: String?
    ) {
        #expect(wish(patterns.map { (property: $0.0, values: $0.1) }, labels: labels, all: all).complaint == complaint)
    }

    @Test func `several patterns of one property mean any of them, and a label may be a property`() {
        let wish = wish(
            [("app", ["shop-*", "bank"]), ("source", []), ("rule", ["floor"])],
            labels: ["app=tv", "team=checkout", "team=search", "note=a=b"])
        #expect(
            wish.match
                == Match([
                    .init(property: "app", patterns: ["shop-*", "bank", "tv"].map(Glob.init)),
                    .init(property: "rule", patterns: [Glob("floor")]),
                    .init(property: "team", patterns: ["checkout", "search"].map(Glob.init)),
                    .init(property: "note", patterns: [Glob("a=b")]),
                ]))
    }

    @Test func `a name that the config does not have is wrong usage`() throws {
        let stage = StagedMachine()
        let scratch = try Scratch()
        let config = try scratch.shop(stage.machine).config()
        try wish([("source", ["fig*"]), ("rule", ["floor"])]).check(config, "config.yaml")
        let failure = #expect(throws: Failure.self) {
            try wish([("source", ["figure"])]).check(config, "config.yaml")
        }
        #expect(
            failure
                == Failure(
                    .wrongUsage,
                    "there is no source 'figure' in config.yaml; known: figures; did you mean figures?"))
        let rule = #expect(throws: Failure.self) { try wish([("rule", ["flor"])]).check(config, "config.yaml") }
        #expect(rule?.sentence.hasSuffix("did you mean floor?") == true)
        let label = #expect(throws: Failure.self) { try wish([], labels: ["rule=flor"]).check(config, "config.yaml") }
        #expect(label == rule)
    }

    /// Of the bot's own troubles the source is what they are about.
    @Test(arguments: ["ops", "journal", "config", "clock"])
    func `a trouble of the bot can be muted by what it is about`(name: String) throws {
        let config = try Scratch().shop(StagedMachine().machine).config()
        try wish([("source", [name]), ("rule", ["channel-failing"])]).check(config, "config.yaml")
    }
}
