import Archive
import BotConfig
import BotHarness
import MachineTesting
import PluginKit
import Preview
import Runtime
import SystemPorts
import Testing

@Suite struct PlayedSpanTests {
    private let stage: StagedMachine
    private let scratch: Scratch
    private var cache: String { scratch.path("cache") }

    init() throws {
        scratch = try Scratch()
        stage = StagedMachine(at: "2026-11-20T12:30:00Z")
    }

    private func play(
        _ config: Config, and others: [Config] = [], _ wish: PlayedSpan.Wish, until end: Moment? = nil
    ) async throws -> (played: Played, isWhole: Bool) {
        var played = Played()
        let others = others.map { (name: "other.yaml", config: $0) }
        let span = PlayedSpan(config, named: "config.yaml", and: others, wish, until: end, on: stage.machine)
        let isWhole = try await span.play { played.take($0) }
        return (played, isWhole)
    }

    private func failure(_ config: Config, _ wish: PlayedSpan.Wish, until end: Moment? = nil) async -> Failure? {
        await #expect(throws: Failure.self) { _ = try await play(config, wish, until: end) }
    }

    @Test func `a file comes before everything, with the sources of every config`() async throws {
        let config = try scratch.config(["ios": "forgetful"])
        try scratch.write(
            "a.jsonl",
            ["ios", "web", "tv"].map { ObservationLine.figures(of: $0, at: .at("09:00")).text }.joined())
        let other = try scratch.config(["web": "forgetful"])
        let (played, isWhole) = try await play(config, and: [other], .init(observations: scratch.path("a.jsonl")))
        #expect(Set(played.times) == ["20T09:00 ios", "20T09:00 web"])
        #expect(isWhole)
        #expect(stage.complained.contains("skipped 1 line of source 'tv'"))
    }

    @Test(arguments: [true, false])
    func `each of two configs has the lines counted that it does not name`(isRecorded: Bool) async throws {
        let config = try scratch.config(["ios": "forgetful"])
        let other = try scratch.config(["web": "forgetful"])
        let lines: [ObservationLine] = [
            .figures(of: "ios", at: .at("09:00")), .figures(of: "ios", at: .at("10:00")),
            .figures(of: "tv", at: .at("10:00")), .figures(of: "web", at: .at("10:00")),
        ]
        try scratch.write("a.jsonl", lines.map(\.text).joined())
        try scratch.record(["2026-11-20-1": lines])
        let wish = PlayedSpan.Wish(observations: isRecorded ? nil : scratch.path("a.jsonl"))
        _ = try await play(config, and: [other], wish)
        let warnings = stage.complained.split(separator: "\n").filter { $0.contains("skipped") }
        #expect(
            warnings == [
                "alertbot: warning: skipped 1 line of source 'tv', which the config does not name",
                "alertbot: warning: skipped 1 line of source 'web', which config.yaml does not name",
                "alertbot: warning: skipped 2 lines of source 'ios', which other.yaml does not name",
            ])
        // Of one config alone nothing is said twice.
        let alone = StagedMachine()
        _ = try await PlayedSpan(config, wish, until: nil, on: alone.machine).play { _ in }
        #expect(alone.complained.matches(of: /skipped/).count == 2, "\(alone.complained)")
    }

    @Test func `without a wish the recording is played, and its span is reported`() async throws {
        let config = try scratch.config(["ios": "remembering"])
        let nothing = await failure(config, .init())
        #expect(
            nothing?.sentence
                == "nothing is recorded in \(scratch.path("state/observations")); the running bot records its "
                + "observations there; replay a file with --observations FILE")
        try scratch.record([
            "2026-11-19-1": [.figures(of: "ios", at: .at("09:00", day: 19))],
            "2026-11-20-1": [.figures(of: "ios", at: .at("09:00"))],
        ])
        let (played, _) = try await play(config, .init())
        #expect(played.times == ["19T09:00 ios", "20T09:00 ios"])
        #expect(
            stage.complained
                == "alertbot: played what was recorded from Thu 19 Nov 09:00 UTC to Fri 20 Nov 09:00 UTC\n")
        #expect(stage.web.asked.isEmpty)
    }

    @Test func `so much of the past is the recording's where it has that, to some hours`() async throws {
        let config = try scratch.config(["ios": "remembering"])
        try scratch.record([
            "2026-11-18-1": [.figures(of: "ios", at: .at("15:00", day: 18))],
            "2026-11-20-1": [.figures(of: "ios", at: .at("11:00")), .figures(of: "ios", at: .at("12:00"))],
        ])
        let (played, _) = try await play(config, .init(since: "2d", cache: cache))
        #expect(played.times == ["18T15:00 ios", "20T11:00 ios", "20T12:00 ios"])
        // The first of it is more than an hour after the begin that was asked for.
        #expect(
            stage.complained.hasPrefix("alertbot: warning: played only what was recorded from Wed 18 Nov 15:00 UTC"))
        #expect(!scratch.names.contains("cache"))
        // Of an hour that is all there is, a day says nothing; nor does a recording that has stopped since.
        let day = try await play(config, .init(since: "1d", cache: cache)).played
        #expect(day.times.count == 24)
        let week = try await play(config, .init(since: "2d", cache: cache), until: .at("23:00", day: 19)).played
        #expect(week.times.count == 48)
    }

    @Test func `a recording that ended before the span, or has a hole at its begin, is left to sources that know more`()
        async throws
    {
        let config = try scratch.config(["ios": "remembering"])
        try scratch.record(["2026-11-10-1": [.figures(of: "ios", at: .at("09:00", day: 10))]])
        let old = try await play(config, .init(since: "2h", cache: cache)).played
        #expect(old.times == ["20T11:00 ios", "20T12:00 ios"])
        try scratch.record(["2026-11-20-1": [.figures(of: "ios", at: .at("12:00"))]])
        let short = try await play(config, .init(since: "3d", cache: cache)).played
        #expect(short.times.count == 72)
        // Its last file may be of the day in which the span begins.
        try scratch.record(["2026-11-19-1": [.figures(of: "ios", at: .at("05:00", day: 19))]])
        let day = try await play(config, .init(since: "1d", cache: cache), until: .at("06:00")).played
        #expect(day.times.count == 24)
    }

    @Test func `a recording that is too short is played where no source knows more`() async throws {
        let config = try scratch.config(["ios": "forgetful"])
        try scratch.record(["2026-11-20-1": [.figures(of: "ios", at: .at("11:00"))]])
        let (played, _) = try await play(config, .init(since: "7d", cache: cache))
        #expect(played.times == ["20T11:00 ios"])
        #expect(stage.complained.hasPrefix("alertbot: warning: played only what was recorded"))
        let elsewhere = await failure(config, .init(since: "1h", cache: cache), until: .at("09:00", day: 22))
        #expect(elsewhere?.sentence == "nothing from that span is recorded in \(scratch.path("state/observations"))")
        let unrecorded = try Scratch()
        let alone = await failure(try unrecorded.config(["ios": "forgetful"]), .init(since: "1h", cache: cache))
        #expect(alone?.sentence.hasPrefix("no source in the config keeps a history that can be fetched") == true)
    }

    @Test func `sources of which nothing was recorded are named, those of the config beside it, too`() async throws {
        let config = try scratch.config(["ios": "remembering", "tv": "forgetful"])
        let other = try scratch.config(["ios": "remembering", "web": "remembering"])
        try scratch.record([
            "2026-11-19-1": [.figures(of: "ios", at: .at("09:00", day: 19))],
            "2026-11-20-1": [.figures(of: "ios", at: .at("11:15")), .figures(of: "ios", at: .at("12:00"))],
        ])
        let (played, isWhole) = try await play(config, and: [other], .init(since: "2h", cache: cache))
        #expect(played.times == ["20T11:15 ios", "20T12:00 ios"])
        #expect(isWhole)
        #expect(
            stage.complained.hasSuffix(
                "\nalertbot: warning: nothing was recorded of sources tv, web, which are left out\n"))
    }

    @Test func `sources that keep a past tell it, others are left out, and it is kept for the next time`() async throws
    {
        let config = try scratch.config(["ios": "remembering", "web": "forgetful"])
        let wish = PlayedSpan.Wish(since: "2h", cache: cache)
        let (played, isWhole) = try await play(config, wish)
        #expect(played.times == ["20T11:00 ios", "20T12:00 ios"])
        #expect(isWhole)
        #expect(
            stage.complained == "alertbot: warning: source web keeps no history and is left out\n")
        #expect(scratch.names.contains { $0.hasPrefix("cache/ios-") && $0.hasSuffix("/2026-11-20.part.jsonl") })
        let (days, _) = try await play(config, .init(since: "30h", cache: cache), until: .at("02:30"))
        #expect(days.times.first == "18T21:00 ios")
        #expect(days.times.last == "20T02:00 ios")
        #expect(days.times.count == 30)
    }

    @Test func `a source that fails is reported and makes it less than whole; where all fail there is nothing`()
        async throws
    {
        let config = try scratch.config(["broken": "remembering", "vague": "remembering"])
        let (played, isWhole) = try await play(config, .init(since: "2h", cache: cache))
        #expect(played.times == ["20T11:00 vague", "20T12:00 vague"])
        #expect(!isWhole)
        let complaints = stage.complained.split(separator: "\n")
        #expect(complaints.first == "alertbot: warning: source vague: it is vague")
        #expect(complaints.last?.hasPrefix("alertbot: source broken: 2026-11-20: ") == true, "\(complaints)")
        #expect(complaints.last?.hasSuffix("the past is gone; it is left out") == true, "\(complaints)")
        let nothing = await failure(try scratch.config(["broken": "remembering"]), .init(since: "2h", cache: cache))
        #expect(nothing == Failure(.impossible, "no source returned its history, so there is nothing to replay"))
    }

    @Test func `a day that was damaged in the cache is named`() async throws {
        let config = try scratch.config(["ios": "remembering"])
        let wish = PlayedSpan.Wish(since: "1h", cache: cache)
        let end = Moment.at("12:00", day: 18)
        _ = try await play(config, wish, until: end)
        let name = try #require(scratch.names.first { $0.hasSuffix("/2026-11-18.jsonl") })
        try scratch.write(name, "nonsense\n")
        let damaged = await failure(config, wish, until: end)
        #expect(
            damaged
                == Failure(
                    .impossible,
                    "line 1 of \(scratch.path(name)) is damaged; remove the file, and it is fetched anew"))
    }

    @Test(arguments: ["soon", "0s", "400d"])
    func `a span that nobody can mean is wrong usage`(since: String) async throws {
        let wrong = await failure(try scratch.config(["ios": "remembering"]), .init(since: since, cache: cache))
        #expect(wrong?.status == .wrongUsage)
        #expect(wrong?.sentence.hasPrefix("--since is '\(since)', expected a duration such as ") == true)
    }

    @Test func `who is interrupted while fetching is told that the days are kept`() async throws {
        let config = try scratch.config(["far": "remembering"])
        let (stage, scratch) = (stage, scratch)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let span = PlayedSpan(
                config, .init(since: "2h", cache: scratch.path("cache")), until: nil, on: stage.machine)
            return try await span.play { _ in }
        }
        let failure = await #expect(throws: Failure.self) { try await task.value }
        #expect(failure?.sentence == "stopped; the days already fetched are kept for next time")
    }
}
