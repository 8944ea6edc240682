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

    private let incident: JSON = [
        "id": "3f9a", "severity": "critical", "app": "shop-ios", "release": "2.4", "state": "firing",
        "since": "2026-11-20T11:00:00Z", "rule": "floor", "evidence": ["sentence": "crash-free\nusers 95%"],
        "acknowledged": ["by": "ada", "at": "2026-11-20T11:30:00Z"],
        "channels": [
            "ops": ["held": ["until": "2026-11-21T06:00:00Z", "reason": "quiet_hours:nights"]],
            "team": ["held": .null],
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
            IncidentText(incident, paint).text == """
                  3f9a critical shop-ios 2.4: firing since 2026-11-20T11:00:00Z (floor)
                    crash-free users 95%
                    acknowledged by ada at 2026-11-20T11:30:00Z
                    ops: held until 2026-11-21T06:00:00Z (quiet_hours:nights)
                """)
        let over = JSONObject([
            ("id", "3f9a"), ("severity", "critical"), ("app", "shop-ios"), ("state", "resolved"), ("rule", "floor"),
            ("since", "2026-11-20T11:00:00Z"), ("until", "2026-11-20T11:40:00Z"),
        ])
        #expect(
            IncidentText(.object(over), paint).text
                == "  3f9a critical shop-ios: resolved at 2026-11-20T11:40:00Z, began at 2026-11-20T11:00:00Z (floor)")
        #expect(IncidentText(["id": "3f9a"], paint).text == "  3f9a ? ?: ? since ? (?)")
    }

    @Test func `a mute is a line that says what, how long, by whom and why`() {
        #expect(
            MuteText(mute(), paint).text
                == "m1 app shop-*, from 2026-11-20T10:00:00Z until 2026-11-20T14:00:00Z, by ada: hotfix")
        let written = mute { mute in
            mute["origin"] = "config"
            for name in ["until", "by", "reason"] { mute[name] = .null }
        }
        #expect(MuteText(written, paint).text == "m1 (in the config) app shop-*, from 2026-11-20T10:00:00Z permanently")
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
            "recording_trouble": "the disk is full",
        ]
        #expect(
            StatusText(status, paint).text == """
                shop-alerts  running

                Sources
                  ios: failed, next poll 2026-11-20T12:05:00Z (failing, calm)
                    no usable answer since 2026-11-20T11:10:00Z: nobody answers
                  web: stopped
                    a row of tv is left out

                Incidents
                \(IncidentText(incident, paint).text)

                Cannot judge yet
                  shop-web: floor: too few users

                Channels
                  ops: nothing waiting, 2 dead letters
                    last error: the hook is gone
                  team: 2 waiting, the oldest since 2026-11-20T11:59:00Z, 1 failure in a row, paused until 2026-11-20T12:10:00Z
                  page: 1 waiting since 2026-11-20T11:58:00Z

                Mutes
                  \(MuteText(mute(), paint).text)

                Observations are not recorded: the disk is full
                """)
    }

    @Test func `a status of nothing has its headings, and says that no bot runs`() {
        #expect(
            StatusText(["running": false], Paint(isOn: true)).text == """
                \u{1B}[1malertbot\u{1B}[0m  \u{1B}[33mnot running; this is from its journal\u{1B}[0m

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
            HistoryText(history, isOnlyDead: false, paint).text == """
                2026-11-20T12:00:00Z ops opened delivered  d1
                  first line
                  last line
                2026-11-20T12:01:00Z ops resolved failed  d2
                  over
                  it was refused
                """)
        #expect(HistoryText([], isOnlyDead: false, paint).text == "Nothing has been sent yet.")
        #expect(HistoryText([], isOnlyDead: true, paint).text == "No failed deliveries.")
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
    }
}
