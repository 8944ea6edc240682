import AlertCore
import Archive
import BotHarness
import MachineTesting
import PluginKit
import Preview
import SystemPorts
import Testing
import TimeZones

@Suite struct ObservationFilesTests {
    private let stage = StagedMachine()
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func text(_ lines: ObservationLine...) -> String { lines.map(\.text).joined() }

    @Test func `a file is played in the order of arrival, and the rest of it is reported`() throws {
        try scratch.write(
            "a.jsonl",
            text(
                .figures(of: "ios", at: .at("10:00")), .figures(of: "ios", at: .at("09:00")),
                .figures(of: "other", at: .at("09:00")), .figures(of: "other", at: .at("09:30"))) + "{\"app\":\n")
        var file = ObservationFiles(scratch.path("a.jsonl"), sources: ["ios"], stage.terminal)
        var played = Played()
        #expect(try !file.play { played.take($0) }, "a line is broken")
        #expect(played.times == ["20T09:00 ios", "20T10:00 ios"])
        #expect(file.first == .at("09:00"))
        #expect(file.last == .at("10:00"))
        let complaints = stage.complained.split(separator: "\n")
        #expect(complaints.first?.hasPrefix("\(scratch.path("a.jsonl")):5:8: error: ") == true, "\(complaints)")
        #expect(
            complaints.last
                == "alertbot: warning: skipped 2 lines of source 'other', which the config does not name")
        #expect(complaints.count == 2)
    }

    /// All of the file waits to be put in order before the first line of it is given.
    @Test func `a bar shows how much has been played, and not how much has been read`() throws {
        let lines = (0..<400).map { minute in
            ObservationLine.figures(of: "ios", at: Moment.at("08:00") + .minutes(Int64(minute))).text
        }
        try scratch.write("a.jsonl", lines.joined())
        let teletype = try Teletype()
        let terminal = Terminal(
            output: teletype.program, errors: teletype.program, variables: Variables([:]), clock: stage.clock)
        var file = ObservationFiles(scratch.path("a.jsonl"), sources: ["ios"], terminal)
        #expect(try file.play { _ in stage.clock.advance(by: .milliseconds(10)) })
        let drawn = teletype.read()
        // After two of its four seconds, and then at each sixteenth line.
        let percents = drawn.matches(of: /([0-9]+)%/).compactMap { Int($0.output.1) }
        #expect(percents == Array(stride(from: 52, through: 100, by: 4)), "\(drawn)")
        #expect(drawn.hasPrefix("\rPlaying observations █") && drawn.hasSuffix("\r\u{1B}[K"))
    }

    @Test func `of many broken lines the first hundred are reported one by one`() throws {
        try scratch.write("a.jsonl", String(repeating: "nonsense\n", count: 102))
        var file = ObservationFiles(scratch.path("a.jsonl"), sources: ["ios"], stage.terminal)
        _ = try file.play { _ in }
        let complaints = stage.complained.split(separator: "\n")
        #expect(complaints.count == 101)
        #expect(complaints.last == "alertbot: and 2 more lines with problems")
    }

    @Test func `a recording is one, from a moment on, and nobody minds a file that has gone`() throws {
        try scratch.record([
            "2026-11-20-1": [.figures(of: "ios", at: .at("09:00")), .figures(of: "ios", at: .at("10:00"))],
            "2026-11-20-2": [.figures(of: "ios", at: .at("11:00"))],
        ])
        let folder = RecordedFolder(scratch.path("state"))
        let files = try ["\(folder.path)/2026-11-19-1.jsonl"] + folder.files()
        var file = ObservationFiles(recorded: files, since: .at("09:30"), sources: ["ios"], stage.terminal)
        var played = Played()
        #expect(try file.play { played.take($0) })
        #expect(played.times == ["20T10:00 ios", "20T11:00 ios"])
        #expect(file.first == .at("10:00"))
        #expect(stage.complained == "")
    }

    @Test func `the end of a recording that is being written is no mistake, and who is quiet says nothing of others`()
        throws
    {
        try scratch.makeFolder("state/observations")
        try scratch.write(
            "state/observations/2026-11-20-1.jsonl",
            "nonsense\n" + text(.figures(of: "ios", at: .at("09:00"))) + "{\"source\":\"io")
        let files = try RecordedFolder(scratch.path("state")).files()
        var file = ObservationFiles(recorded: files, sources: ["ios"], isQuiet: true, stage.terminal)
        var played = Played()
        #expect(try !file.play { played.take($0) })
        #expect(played.times.count == 1)
        #expect(stage.complained == "")
        var loud = ObservationFiles(recorded: files, sources: ["ios"], stage.terminal)
        _ = try loud.play { _ in }
        #expect(stage.complained.split(separator: "\n").count == 1, "\(stage.complained)")
    }

    @Test(arguments: [("absent", "No such file or directory"), ("folder", "Is a directory")])
    func `what cannot be read ends the command`(name: String, reason: String) throws {
        try scratch.makeFolder("folder")
        let path = scratch.path(name)
        var file = ObservationFiles(path, sources: ["ios"], stage.terminal)
        let failure = #expect(throws: Failure.self) { _ = try file.play { _ in } }
        #expect(failure == Failure(.impossible, "the observations file \(path) cannot be read: \(reason)"))
    }

    @Test func `what really happened is read line by line, and a broken line makes it less than whole`() throws {
        let line = #"{"app":"shop","from":"2026-11-20T09:00:00Z","to":"2026-11-20T10:00:00Z"}"# + "\n"
        try scratch.write("truth.jsonl", line)
        let truth = try TruthFile(scratch.path("truth.jsonl"), on: stage.terminal)
        #expect(truth.incidents?.map(\.app) == ["shop"])
        #expect(truth.isWhole)
        try scratch.write("truth.jsonl", line + "nonsense\n")
        let broken = try TruthFile(scratch.path("truth.jsonl"), on: stage.terminal)
        #expect(broken.incidents?.count == 1)
        #expect(!broken.isWhole)
        #expect(stage.complained.hasPrefix("\(scratch.path("truth.jsonl")):2:1: error: "))
        let none = try TruthFile(nil, on: stage.terminal)
        #expect(none.incidents == nil && none.isWhole)
        let failure = #expect(throws: Failure.self) { try TruthFile("/nowhere/truth", on: stage.terminal) }
        #expect(failure?.sentence == "the incidents file /nowhere/truth cannot be read: No such file or directory")
    }
}

@Suite struct RecordedFolderTests {
    private let stage = StagedMachine()
    private let scratch: Scratch
    private let folder: RecordedFolder

    init() throws {
        scratch = try Scratch()
        folder = RecordedFolder(scratch.path("state"))
    }

    private func names(_ paths: [String]) -> [String] { paths.map { String($0.dropFirst(folder.path.count + 1)) } }

    @Test func `the files of a span are named, and none where nothing was recorded`() throws {
        #expect(try folder.files().isEmpty)
        #expect(try folder.newestFiles(bytesMax: 1000).files.isEmpty)
        try scratch.record([
            "2026-11-19-1": [], "2026-11-20-1": [], "2026-11-20-2": [], "2026-11-21-1": [],
        ])
        #expect(
            try names(folder.files()) == [
                "2026-11-19-1.jsonl", "2026-11-20-1.jsonl", "2026-11-20-2.jsonl", "2026-11-21-1.jsonl",
            ])
        #expect(
            try names(folder.files(since: .at("12:00"), until: .at("13:00")))
                == ["2026-11-20-1.jsonl", "2026-11-20-2.jsonl"])
        try scratch.write("file", "")
        let failure = #expect(throws: Failure.self) { try RecordedFolder(scratch.path("file")).files() }
        #expect(failure?.status == .impossible)
    }

    @Test func `the newest files are as many as fit, and one in any case`() throws {
        let line = ObservationLine.figures(of: "ios", at: .at("09:00"))
        try scratch.record(["2026-11-19-1": [line], "2026-11-20-1": [line], "2026-11-21-1": [line, line]])
        let length = line.text.utf8.count
        let three = try folder.newestFiles(bytesMax: 3 * length)
        #expect(names(three.files) == ["2026-11-20-1.jsonl", "2026-11-21-1.jsonl"])
        #expect(three.bytes == 3 * length)
        #expect(names(try folder.newestFiles(bytesMax: 3 * length - 1).files) == ["2026-11-21-1.jsonl"])
        #expect(names(try folder.newestFiles(bytesMax: 0).files) == ["2026-11-21-1.jsonl"])
        #expect(try folder.newestFiles(bytesMax: 1 << 20).files.count == 3)
    }

    @Test func `the last figures of each source are found, up to a moment`() throws {
        try scratch.record([
            "2026-11-19-1": [.figures(of: "web", at: .at("09:00", day: 19))],
            "2026-11-20-1": [
                .figures(of: "ios", at: .at("09:00")), .figures(of: "ios", at: .at("11:00")),
                .empty(EmptyPoll(source: "ios", .noData, seen: .at("12:00"))),
            ],
        ])
        let last = try folder.lastFigures(of: ["ios", "web", "tv"], on: stage.terminal)
        #expect(last.map { "\($0.source) \($0.seen)" } == ["web 2026-11-19T09:00:00Z", "ios 2026-11-20T11:00:00Z"])
        let earlier = try folder.lastFigures(of: ["ios"], until: .at("10:00"), on: stage.terminal)
        #expect(earlier.map(\.seen) == [.at("09:00")])
        #expect(try folder.lastFigures(of: ["tv"], on: stage.terminal).isEmpty)
    }

    @Test func `of a source that is pushed the last figures of each app are one answer`() throws {
        try scratch.record([
            "2026-11-19-1": [
                .figures(of: "ios", app: "shop", at: .at("08:00", day: 19)),
                .figures(of: "ios", app: "tv", at: .at("09:00", day: 19)),
            ],
            "2026-11-20-1": [
                .figures(of: "ios", app: "shop", at: .at("09:00")), .figures(of: "ios", app: "bank", at: .at("10:00")),
                .figures(of: "ios", app: "shop", at: .at("11:00")),
            ],
        ])
        func told(_ batches: [ObservationReader.Batch]) -> [String] {
            batches.flatMap(\.lines).map { line in
                guard case .observed(let observation) = line else { return "nothing" }
                return "\(observation.subject.app) \(observation.seen)"
            }
        }
        let pushed = try folder.lastFigures(of: ["ios"], pushed: ["ios"], on: stage.terminal)
        #expect(pushed.map(\.seen) == [.at("11:00")])
        #expect(
            told(pushed) == ["bank 2026-11-20T10:00:00Z", "shop 2026-11-20T11:00:00Z", "tv 2026-11-19T09:00:00Z"])
        let polled = try folder.lastFigures(of: ["ios"], on: stage.terminal)
        #expect(told(polled) == ["shop 2026-11-20T11:00:00Z"])
    }

    @Test func `where only the newest files are searched for figures, that is said`() throws {
        try scratch.record([
            "2026-11-19-1": [.figures(of: "web", at: .at("09:00", day: 19))], "2026-11-20-1": [], "2026-11-20-2": [],
            "2026-11-20-3": [], "2026-11-21-1": [],
        ])
        #expect(try folder.lastFigures(of: ["web"], on: stage.terminal).isEmpty)
        #expect(try folder.searchedPart() == "the newest 4 files (2026-11-20-1.jsonl and later)")
        #expect(try folder.searchedPart(until: .at("12:00")) == nil)
    }

    @Test func `what a playback left out is reported in words`() {
        let now = Moment.at("12:00")
        var playback = Playback(.empty, until: .at("10:00"))
        #expect(playback.remarks(until: nil, in: .utc, readAt: now) == ["there are no observations to replay"])
        let late = ObservationReader.Batch(seen: .at("11:00"), lines: [.figures(of: "ios", at: .at("11:00"))])
        playback.feed(late)
        #expect(
            playback.remarks(until: .at("10:00"), in: .utc, readAt: now) == [
                "1 line seen after Fri 20 Nov 10:00 UTC is not played", "there are no observations to replay",
            ])
        playback.feed(late)
        playback.feed(ObservationReader.Batch(seen: .at("09:00"), lines: [.figures(of: "ios", at: .at("09:00"))]))
        #expect(
            playback.remarks(until: .at("10:00"), in: .utc, readAt: now)
                == ["2 lines seen after Fri 20 Nov 10:00 UTC are not played"])
        // Where the year is wrong it is what people must see.
        #expect(
            playback.remarks(until: .at("10:00"), in: .utc, readAt: now + .days(366))
                == ["2 lines seen after Fri 20 Nov 2026 10:00 UTC are not played"])
        #expect(playback.remarks(until: nil, in: .utc, readAt: now) == [])
    }

    @Test func `what somebody wrote behind an option is meant, or it is wrong usage`() throws {
        #expect(try Duration(option: "--for", "2h") == .hours(2))
        let length = #expect(throws: Failure.self) { try Duration(option: "--for", "2 hours") }
        #expect(length?.status == .wrongUsage)
        #expect(length?.sentence.hasPrefix("--for is '2 hours', expected a duration such as ") == true)
        #expect(try Moment(option: "--now", "2026-11-20", in: .utc) == .at("00:00"))
        // In the night in which clocks are set back, an hour comes twice.
        let madrid = try ZoneDatabase().zone("Europe/Madrid")
        let first = try Moment(option: "--until", "2026-10-25 02:30", in: madrid)
        #expect(try Moment(option: "--until", "2026-10-25 02:30", in: madrid, isEnd: true) == first + .hours(1))
        let moment = #expect(throws: Failure.self) { try Moment(option: "--now", "soon", in: .utc) }
        #expect(moment?.status == .wrongUsage)
        #expect(moment?.sentence.hasPrefix("--now is 'soon', expected ") == true)
    }

    @Test(arguments: [
        ("2026-11-20 20:30", "20:30:59.999"), ("2026-11-20T20:30Z", "20:30:59.999"),
        ("2026-11-20 20:30 +00:00", "20:30:59.999"),
        ("2026-11-20 20:30:10", "20:30:10"), ("2026-11-20T20:30:00Z", "20:30:00"),
        // The minute that is running ends now; what is to come stays.
        ("2026-11-20 21:00", "21:00:20"), ("2026-11-20 21:01", "21:01:00"),
    ])
    func `a minute behind an option, as messages show it, means all of it`(text: String, moment: String) throws {
        let now = Moment.at("21:00") + .seconds(20)
        let through = try Moment(option: "--at", through: text, in: .utc, now: now)
        #expect(through.description == "2026-11-20T\(moment)Z")
    }
}

extension Plan {
    /// A plan of nothing.
    fileprivate static let empty = Plan(
        botName: "shop-alerts", zone: .utc, reportTo: nil, concurrency: 1, sources: [], detectors: [], gates: [],
        channels: [], routes: [])
}
