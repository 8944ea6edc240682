internal import AlertCore
internal import AlertTesting
internal import Journal
internal import JournalTesting
internal import PluginKit
internal import Runtime
internal import Synchronization
internal import Testing

@Suite struct `A recording` {
    private let disk = MemoryDisk()
    private let start = Moment.rehearsalStart

    /// Writes an answer that takes some more bytes than `length`.
    private func write(_ recording: inout Recording, at now: Moment, length: Int = 400) throws(DiskFault) {
        let observation = Observation.figures(
            ["users": 1], at: now, labels: ["team": String(repeating: "x", count: length)])
        try recording.write(
            PollReport(.values([observation])).lines(of: "ios", asked: now, arrived: now), at: now)
    }

    private var names: [String] { get throws { try Recording.files(in: disk).map(\.description) } }

    private func text(_ name: String) throws -> String {
        let file = try disk.openToRead(name)
        return String(decoding: try file.read(at: 0, bytesMax: file.bytesCount()), as: UTF8.self)
    }

    private func lines(_ name: String) throws -> [RecordedLine] {
        try text(name).split(separator: "\n").flatMap { line in
            try Array(line.utf8).withUnsafeBufferPointer { try RecordedLine.reading($0) }
        }
    }

    @Test func `whatever comes of a poll is there`() throws {
        let arrived = start + .milliseconds(250)
        let observations = ["shop", "bank"].map {
            Observation.figures(["users": 3], of: Subject(source: "ios", app: $0), at: start)
        }
        let strange = [
            Observation.figures(["users": .nan], at: start), .figures(["users": -1], at: start),
            .figures(["users": 1], of: Subject(source: "other", app: "shop"), at: start),
        ]
        let failure = PollFailure(.rateLimited, "slow\n\"down\"", retryAt: start + .hours(1))
        let reports: [PollReport] = [
            PollReport(.values(observations + strange)), PollReport(.values([])), PollReport(.noData),
            PollReport(.values([]), unread: .apps(["shop"])), PollReport(.noData, unread: .anything),
            PollReport(.unchanged), PollReport(.stale(measured: start - .hours(2))), PollReport(.failed(failure)),
            PollReport(.noData).waiting(after: [PollFailure(.badAnswer, "a row is odd")]),
        ]
        var recording = Recording(disk)
        for report in reports {
            try recording.write(report.lines(of: "ios", asked: start, arrived: arrived), at: arrived)
        }
        #expect(try names == ["2026-11-20-1.jsonl"])
        let lines = try lines("2026-11-20-1.jsonl")
        #expect(lines.allSatisfy { $0.asked == start && $0.arrived == arrived })
        // A figure that is no number is left out, and the rest of its observation stays, as the core has it.
        #expect(
            lines.prefix(3).map(\.line)
                == observations.map(ObservationLine.observed) + [.observed(.figures([:], at: start))])
        func partial(_ lines: some Sequence<RecordedLine>) -> [Unread?] {
            lines.map { if case .partial(let poll) = $0.line { poll.unread } else { nil } }
        }
        let outcomes: [EmptyPoll.Outcome] = lines.dropFirst(3).compactMap {
            if case .empty(let poll) = $0.line { poll.outcome } else { nil }
        }
        // In front of the answer that it is about.
        #expect(
            partial(lines.dropFirst(3)) == [
                nil, nil, .apps(["shop"]), nil, .anything, nil, nil, nil, nil, .nothing, nil,
            ])
        #expect(
            outcomes == [
                .noData, .noData, .noData, .noData, .unchanged, .stale(measured: start - .hours(2)),
                .failed(
                    EmptyPoll.Failure(
                        reason: "rate_limited", sentence: "slow \"down\"", retryAt: start + .hours(1))),
                .noData,
            ])
        let lack = EmptyPoll.Failure(reason: "bad_answer", sentence: "a row is odd")
        #expect(
            lines.contains {
                $0.line == .partial(PartialPoll(source: "ios", .nothing, failure: lack, seen: arrived))
            })
    }

    @Test func `apps that share a span share a line, and stay in their order`() throws {
        let apps = ["shop", "bank", "game"].map { Subject(source: "ios", app: $0, environment: "production") }
        var observations = apps.map { Observation.figures(["users": 3, "sessions": 5], of: $0, at: start) }
        observations[1].labels = ["team": "\"b\""]
        // One that knows less stands between them.
        observations.append(.figures(["users": 3], of: apps[0], at: start))
        observations.append(.figures(["users": 3, "sessions": 5], of: apps[1], at: start))
        var recording = Recording(disk)
        let report = PollReport(.values(observations))
        try recording.write(report.lines(of: "ios", asked: start, arrived: start + .seconds(1)), at: start)
        let name = "2026-11-20-1.jsonl"
        #expect(try text(name).split(separator: "\n").count == 3)
        #expect(try lines(name).map(\.line) == observations.map(ObservationLine.observed))
        #expect(try lines(name).allSatisfy { $0.asked == start && $0.arrived == start + .seconds(1) })
    }

    @Test func `however many apps there are, no line is longer than readers take`() throws {
        let observations = (0..<3000).map { number in
            Observation.figures(
                ["users": 1], of: Subject(source: "ios", app: "\(number)" + String(repeating: "\u{1}", count: 5000)),
                at: start)
        }
        var recording = Recording(disk)
        let report = PollReport(.values(observations))
        try recording.write(report.lines(of: "ios", asked: start, arrived: start), at: start)
        let name = "2026-11-20-1.jsonl"
        #expect(try lines(name).map(\.line) == observations.map(ObservationLine.observed))
        let lengths = try text(name).split(separator: "\n").map(\.utf8.count)
        #expect(lengths.count < observations.count / 10)
        #expect(lengths.allSatisfy { $0 < ObservationLine.lineBytesMax })
    }

    @Test func `a day begins a file, and so does a file that is full`() throws {
        var recording = Recording(disk, limits: RecordingLimits(daysMax: 30, bytesMax: 1 << 20, fileBytesMax: 1000))
        for _ in 0..<5 { try write(&recording, at: start) }
        #expect(try names == ["2026-11-20-1.jsonl", "2026-11-20-2.jsonl", "2026-11-20-3.jsonl"])
        try write(&recording, at: start + .days(1))
        #expect(try names.last == "2026-11-21-1.jsonl")
        // A clock that is set back: whatever arrived on a day is in that day's files.
        try write(&recording, at: start + .hours(1))
        #expect(try lines("2026-11-20-3.jsonl").map(\.arrived) == [start, start + .hours(1)])
        #expect(try Recording.files(in: disk, until: start).count == 3)
    }

    @Test func `the oldest goes, by age and by size`() throws {
        let limits = RecordingLimits(daysMax: 3, bytesMax: 5000, fileBytesMax: 1000)
        var recording = Recording(disk, limits: limits)
        disk["notes.txt"] = [1]
        for day in 0..<10 { try write(&recording, at: start + .days(Int64(day))) }
        #expect(
            try names
                == ["2026-11-26-1.jsonl", "2026-11-27-1.jsonl", "2026-11-28-1.jsonl", "2026-11-29-1.jsonl"])
        for _ in 0..<100 {
            try write(&recording, at: start + .days(9))
            let bytes = try names.reduce(0) { try $0 + disk.openToRead($1).bytesCount() }
            #expect(bytes <= limits.bytesMax)
        }
        #expect(try !names.contains("2026-11-28-1.jsonl"))
        #expect(try disk.list().contains("notes.txt"))
    }

    @Test(arguments: [0, 1, 30])
    func `what a kill has left of a line is cut off by the next start`(bytes: Int) throws {
        var recording = Recording(disk)
        try write(&recording, at: start)
        disk["2026-11-20-1.jsonl"] += Array(#"{"source":"ios","app":"shop","rel"#.utf8.prefix(bytes))
        recording = Recording(disk)
        try write(&recording, at: start + .minutes(5))
        #expect(try lines("2026-11-20-1.jsonl").map(\.arrived) == [start, start + .minutes(5)])
    }

    @Test func `a file that is none of its own is left alone`() throws {
        disk["2026-11-20-1.jsonl"] = [UInt8](repeating: UInt8(ascii: "x"), count: ObservationLine.lineBytesMax + 1)
        var recording = Recording(disk)
        try write(&recording, at: start)
        #expect(try disk.openToRead("2026-11-20-1.jsonl").bytesCount() == ObservationLine.lineBytesMax + 1)
        #expect(try lines("2026-11-20-2.jsonl").count == 1)
    }

    @Test func `a full disk costs the lines that it has no room for, and no others`() throws {
        var recording = Recording(disk)
        try write(&recording, at: start)
        disk.setFaults { operation, _ in operation == .write ? .init(reason: .full, bytesKept: 40) : nil }
        #expect(throws: DiskFault.self) { try write(&recording, at: start + .minutes(1)) }
        #expect(try text("2026-11-20-1.jsonl").hasSuffix("\n"))
        disk.setFaults { _, _ in nil }
        try write(&recording, at: start + .minutes(2))
        #expect(try lines("2026-11-20-1.jsonl").map(\.arrived) == [start, start + .minutes(2)])
    }

    @Test func `a folder that is taken away is made anew`() throws {
        var recording = Recording(disk)
        try write(&recording, at: start)
        disk.uproot()
        try write(&recording, at: start + .minutes(1))
        #expect(try lines("2026-11-20-1.jsonl").map(\.arrived) == [start + .minutes(1)])
    }

    @Test func `it gives up its oldest file to make room, the one it writes last`() throws {
        var recording = Recording(disk)
        try write(&recording, at: start)
        try write(&recording, at: start + .days(1))
        #expect(try recording.makeRoom()?.description == "2026-11-20-1.jsonl")
        #expect(try recording.makeRoom()?.description == "2026-11-21-1.jsonl")
        #expect(try recording.makeRoom() == nil)
        try write(&recording, at: start + .days(1))
        #expect(try lines("2026-11-21-1.jsonl").count == 1)
    }

    @Test func `no line is longer than a reader takes`() throws {
        var recording = Recording(disk)
        try write(&recording, at: start, length: ObservationLine.lineBytesMax)
        #expect(try names.isEmpty)
    }

    @Test(arguments: [
        "2026-11-20-1.jsonl", "0001-01-01-12.jsonl", "9999-12-31-99999.jsonl",
    ])
    func `a file's name is read as it is written`(name: String) {
        #expect(RecordingName(name)?.description == name)
    }

    @Test(arguments: [
        "", "2026-11-20.jsonl", "2026-11-20-0.jsonl", "2026-11-20-01.jsonl", "2026-11-31-1.jsonl",
        "2026-11-20-1.jsonl.gz", "-2026-11-20-1.jsonl", "2026-11-20-+1.jsonl", "26-11-20-1.jsonl", "lock",
        "2026-11-20-99999999999999999999.jsonl",
    ])
    func `other names are not its business`(name: String) { #expect(RecordingName(name) == nil) }
}

@Suite(.timeLimit(.minutes(5))) struct `A bot that records` {
    private let stage = Stage()
    private let clock: ManualClock
    private let journal = ShortDisk()
    private let disk = MemoryDisk()

    init() { clock = ManualClock(stage) }

    private func makeBot(_ answer: @escaping ScriptedWeb.Answer) throws -> Bot {
        var state = State()
        let ledger = try Ledger(opening: journal, rebuilding: &state)
        var ports = Ports.staged(stage, clock, answer)
        ports.recording = disk
        return Bot(.staged(.rehearsed()), ports: ports, ledger: ledger, state: state)
    }

    private var lines: [RecordedLine] {
        get throws {
            try Recording.files(in: disk).flatMap { name in
                let file = try disk.openToRead(name.description)
                return try String(decoding: file.read(at: 0, bytesMax: file.bytesCount()), as: UTF8.self)
                    .split(separator: "\n").flatMap { line in
                        try Array(line.utf8).withUnsafeBufferPointer { try RecordedLine.reading($0) }
                    }
            }
        }
    }

    @Test func `what it takes in is there when it has stopped, with when it asked and when it heard`() async throws {
        let bot = try makeBot { [clock] request, _ throws(TransportError) in
            if request.method == .get { clock.advance(by: .milliseconds(250)) }
            return .says("w")
        }
        try await bot.run { await bot.settle { !$0.outbox.history.isEmpty } }
        let line = try #require(lines.first)
        #expect(try lines.count == 1)
        #expect(line.line == .observed(.cue(.warning, at: .rehearsalStart)))
        #expect(line.asked == .rehearsalStart)
        #expect(line.arrived == .rehearsalStart + .milliseconds(250))
        #expect(await bot.recordingTrouble == nil)
    }

    @Test func `a disk that takes no recording costs the recording alone, and is reported once`() async throws {
        disk.setFaults { operation, _ in operation == .write ? .init(reason: .full) : nil }
        let bot = try makeBot { request, _ throws(TransportError) in
            request.method == .get ? .says("w") : .says("ok")
        }
        try await bot.run {
            await bot.settle { !$0.outbox.history.isEmpty }
            await stage.waitForLog("observations are not recorded")
            #expect(
                await bot.recordingTrouble?.hasPrefix("no space left on the disk of state/2026-11-20-1.jsonl") == true)
            #expect(await bot.trouble == nil)
            clock.advance(by: .hours(1))
            await stage.waitForRequest("https://ios.example/", count: 2)
            await bot.settle { !$0.schedule.isPolling("ios") }
            disk.setFaults { _, _ in nil }
            clock.advance(by: .hours(1))
            await stage.waitForLog("observations are recorded again")
        }
        #expect(await bot.recordingTrouble == nil)
        #expect(stage.logged.count { $0.contains("observations are not recorded") } == 1)
        #expect(try lines.count == 1)
    }

    @Test func `a journal that needs room gets that of the recording`() async throws {
        let door = Door()
        var recording = Recording(disk)
        for day in 1...3 {
            let then = Moment.rehearsalStart - .days(Int64(day))
            try recording.write(PollReport(.noData).lines(of: "ios", asked: then, arrived: then), at: then)
        }
        let bot = try makeBot { request, _ throws(TransportError) in
            if request.method == .get { await door.pass() }
            return .says("w")
        }
        try await bot.run {
            await stage.waitForRequest("https://ios.example/")
            journal.setFull(true)
            door.open()
            await stage.waitForLog("removed the recorded observations 2026-11-17-1.jsonl")
            #expect(await bot.recordingTrouble == "nothing is recorded while the journal cannot be written")
            journal.setFull(false)
            clock.advance(by: .seconds(5))
            await bot.settle { !$0.outbox.history.isEmpty }
        }
        #expect(try Recording.files(in: disk).map(\.description) == ["2026-11-18-1.jsonl", "2026-11-19-1.jsonl"])
    }
}
