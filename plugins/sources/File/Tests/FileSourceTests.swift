import Chance
import PluginKit
import PluginTesting
import Testing

@testable import FileSource

private let position = Position(line: 3, column: 5)
private let now = Moment(rfc3339: "2026-11-21T00:00:00Z") ?? .earliest

private func source(follow: Bool, path: String = "day.jsonl") throws -> FileSource {
    try FileSource(
        options: Options(
            name: "recorded", position: position,
            values: [
                "path": Option(.text(GuardedText(path)), at: position), "follow": Option(.flag(follow), at: position),
            ]),
        context: SourceContext(name: "recorded", folder: "/etc/alertbot", every: .minutes(5)))
}

/// A file that the tests write, and the host that reads it.
private struct Disk {
    var bytes: [UInt8]
    var identity = "1:1"
    /// At most as many bytes are given at a time, whatever is asked for.
    var pieceMax = Int.max

    init(_ lines: [String], end: String = "\n") {
        bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        if end.isEmpty, !bytes.isEmpty { bytes.removeLast() }
    }

    func read(_ request: FileRequest) -> FileResult {
        let start = min(Int(request.offset), bytes.count)
        let end = min(bytes.count, start + min(request.bytesMax, pieceMax))
        return .contents(bytes: Array(bytes[start..<end]), size: Int64(bytes.count), identity: identity)
    }

    mutating func append(_ text: String) { bytes += Array(text.utf8) }
}

private func line(_ users: Int, app: String = "shop", minute: Int = 0, source: String = "whoever") -> String {
    """
    {"source":"\(source)","app":"\(app)","from":"2026-11-20T22:00:00Z","to":"2026-11-20T23:00:00Z",\
    "seen":"2026-11-20T23:0\(minute):00Z","metrics":{"users":\(users)}}
    """
}

private func failed(_ reason: String, minute: Int) -> String {
    #"{"source":"whoever","failed":"\#(reason)","seen":"2026-11-20T23:0\#(minute):00Z"}"#
}

private func play(
    _ source: FileSource, _ disk: Disk, cursor: JSON? = nil, isAnew: Bool = false
) throws -> PollReport {
    let poll = Poll(source: "recorded", now: now, cursor: cursor, spans: [.hours(1)], isAnew: isAnew)
    let played = PlayedPoll(source, poll, file: disk.read) { _ in
        .failed(TransportError(.other, mayHaveArrived: false, "a file is not on the network"))
    }
    #expect(played.files.allSatisfy { $0.path == "/etc/alertbot/day.jsonl" })
    return try #require(played.report)
}

extension PollReport {
    fileprivate var summary: String {
        switch outcome {
        case .values(let seen): seen.map { "\($0.metrics[.users]?.plain ?? "?")" }.joined(separator: " ")
        case .noData: "no data"
        case .stale: "stale"
        case .unchanged: "unchanged"
        case .failed(let failure): "\(failure.reason.rawValue): \(failure)"
        }
    }
}

@Suite struct `A file` {
    @Test(arguments: [false, true])
    func `lines of a recording that bring no figures are passed over`(_ follow: Bool) throws {
        let answers = ["no_data", "unchanged"].map {
            #"{"source":"whoever","outcome":"\#($0)","seen":"2026-11-20T23:05:00Z"}"#
        }
        let source = try source(follow: follow)
        #expect(try play(source, Disk(answers + [line(1), line(2, minute: 1)] + answers)).summary == "1 2")
        #expect(try play(source, Disk(answers)).summary == "no data")
    }

    @Test(arguments: [false, true])
    func `it conforms to what every source must do`(_ follow: Bool) throws {
        let disk = Disk([line(1), "broken", line(2, minute: 1)])
        let poll = Poll(source: "recorded", now: now, cursor: nil, spans: [.hours(1)])
        let conformance = SourceConformance(try source(follow: follow), poll: poll, file: { disk.read($0) }) { _ in
            .failed(TransportError(.other, mayHaveArrived: false, "a file is not on the network"))
        }
        #expect(conformance.violations() == [])
    }

    @Test(arguments: [false, true])
    func `observations become this source's own`(_ follow: Bool) throws {
        let report = try play(source(follow: follow), Disk([line(7, source: "ios")]))
        guard case .values(let seen) = report.outcome else {
            Testing.Issue.record("no values")
            return
        }
        #expect(seen.map(\.subject) == [Subject(source: "recorded", app: "shop")])
        #expect(seen[0].seen == Moment(rfc3339: "2026-11-20T23:00:00Z"))
    }

    @Test(arguments: [false, true])
    func `what a recorded answer left open is left open`(_ follow: Bool) throws {
        let part = #"{"source":"x","outcome":"partial","apps":["shop"],"seen":"2026-11-20T23:30:00Z"}"#
        let report = try play(source(follow: follow), Disk([part, line(1)]))
        #expect(report.summary == "1")
        #expect(report.unread == .apps(["shop"]))
        #expect(try play(source(follow: follow), Disk([line(1)])).unread == .nothing)
        let bank = part.replacing("shop", with: "bank")
        #expect(try play(source(follow: follow), Disk([part, bank, line(1)])).unread == .apps(["bank", "shop"]))
        let old = part.replacing("2026-11-20", with: "2025-11-20")
        #expect(try play(source(follow: follow), Disk([old, line(1)])).unread == .nothing, "a later answer was whole")
    }

    @Test(arguments: [false, true])
    func `broken lines are named with line and place, and the others count`(_ follow: Bool) throws {
        let disk = Disk([
            line(1), "", #"{"source":"#, line(2), #"{"source":"x","app":"a","seen":"now"}"#, "\r",
            line(3).replacing("\"users\":3", with: "\"users\":-3"), "[1]",
        ])
        let report = try play(source(follow: follow), disk)
        #expect(report.summary == "1 2")
        #expect(report.unread == .anything)
        #expect(
            report.warnings == [
                "day.jsonl:3:11: expected a value, found the end",
                "day.jsonl:5: $: expected either 'failed' or 'app', 'from', 'to' and 'metrics', "
                    + "found an object without 'from', 'to', 'metrics'",
                "day.jsonl:7: $.metrics: expected plausible figures, "
                    + "found 'users' is -3.0, but a count is never negative",
                "day.jsonl:8: $: expected an object, found an array",
            ])
    }

    @Test(arguments: ["2026-11-21T01:00:00.001Z", "2027-11-20T23:00:00Z"])
    func `a line from a time to come is left out of a file that is read anew, with a warning`(_ seen: String) throws {
        func ahead(_ line: String) -> String { line.replacing("2026-11-20T23:00:00Z\",\"m", with: "\(seen)\",\"m") }
        let source = try source(follow: false)
        let report = try play(source, Disk([ahead(line(9)), line(1), line(2, minute: 1)]))
        #expect(report.summary == "1 2")
        #expect(
            report.warnings == [
                "day.jsonl:1: $.seen: found \(seen), expected a moment no more than 1 h after now "
                    + "(2026-11-21T00:00:00Z); is a clock ahead?"
            ])
        // Nor is a failure of then the newest, and nothing waits for what an answer of then has left open.
        let failure = #"{"source":"whoever","failed":"timeout","seen":"\#(seen)"}"#
        #expect(try play(source, Disk([failure, line(1)])).summary == "1")
        #expect(try play(source, Disk([line(1), failure])).summary == "1")
        // Where there is nothing else, the poll has failed, and says why.
        let alone = try play(source, Disk([ahead(line(9))])).summary
        #expect(alone.hasPrefix("bad_answer: day.jsonl:1: $.seen: found \(seen), expected a moment"), "\(alone)")
    }

    /// Each of its lines is read once, and a writer's clock may be hours ahead for good.
    @Test func `of a file that is followed every line counts, whatever its clock says`() throws {
        let ahead = line(9).replacing("2026-11-20T23:00:00Z\",\"m", with: "2026-11-21T03:00:00Z\",\"m")
        let report = try play(source(follow: true), Disk([ahead]))
        #expect(report.summary == "9")
        #expect(report.warnings == [])
    }

    @Test(arguments: [false, true])
    func `a clock may be ahead by an hour`(_ follow: Bool) throws {
        let near = line(9).replacing("2026-11-20T23:00:00Z\",\"m", with: "2026-11-21T01:00:00Z\",\"m")
        let report = try play(source(follow: follow), Disk([near]))
        #expect(report.summary == "9")
        #expect(report.warnings == [])
    }

    @Test(arguments: [(12, "7 more lines"), (6, "1 more line")])
    func `many broken lines are counted, not listed`(_ count: Int, _ counted: String) throws {
        let report = try play(source(follow: false), Disk([line(1)] + Array(repeating: "x", count: count)))
        #expect(report.warnings.count == 6)
        #expect(report.warnings.last == "day.jsonl: \(counted) cannot be used")
    }

    @Test(arguments: [false, true])
    func `a file of nothing but broken lines has failed`(_ follow: Bool) throws {
        #expect(
            try play(source(follow: follow), Disk(["<html>", "x"])).summary
                == "bad_answer: day.jsonl:1:1: expected a JSON object")
    }

    @Test(arguments: [false, true])
    func `an empty file is no data`(_ follow: Bool) throws {
        for lines in [[], [""], ["", " \t"]] {
            #expect(try play(source(follow: follow), Disk(lines)).summary == "no data")
        }
    }

    @Test(arguments: [false, true])
    func `a file that cannot be read has failed`(_ follow: Bool) throws {
        let poll = Poll(source: "recorded", now: now, cursor: nil, spans: [.hours(1)])
        let played = PlayedPoll(try source(follow: follow), poll, file: { _ in .failed("permission denied") }) { _ in
            .failed(TransportError(.other, mayHaveArrived: false, ""))
        }
        #expect(played.report?.summary == "unreadable: day.jsonl cannot be read: permission denied")
    }

    @Test(arguments: [false, true])
    func `a line longer than allowed is broken`(_ follow: Bool) throws {
        let long = #"{"source":"\#(String(repeating: "x", count: ObservationLine.lineBytesMax))"}"#
        let report = try play(source(follow: follow), Disk([long, line(1)]))
        #expect(report.summary == "1")
        #expect(report.warnings == ["day.jsonl:1: the line is longer than 1048576 bytes"])
    }

    @Test(arguments: [false, true], [1, 7, 100, 1 << 20])
    func `it does not matter in which pieces a file is read`(_ follow: Bool, _ piece: Int) throws {
        var disk = Disk([line(1), line(2), line(3)])
        disk.pieceMax = piece
        let poll = Poll(source: "recorded", now: now, cursor: nil, spans: [.hours(1)])
        let played = PlayedPoll(try source(follow: follow), poll, stepsMax: 2000, file: disk.read) { _ in
            .failed(TransportError(.other, mayHaveArrived: false, ""))
        }
        #expect(played.report?.summary == "1 2 3")
    }

    @Test func `a file replaced while it is read is read anew, but not for ever`() throws {
        var old = Disk([line(1), line(1)])
        old.pieceMax = 50
        var new = Disk([line(2)])
        new.identity = "1:2"
        let poll = Poll(source: "recorded", now: now, cursor: nil, spans: [.hours(1)])
        let source = try source(follow: false)
        let endless = PlayedPoll(source, poll, file: { [old, new] in $0.offset == 0 ? old.read($0) : new.read($0) }) {
            _ in
            .failed(TransportError(.other, mayHaveArrived: false, ""))
        }
        #expect(endless.report?.summary == "unreadable: day.jsonl is replaced faster than it can be read")
        var reads = 0
        let once = PlayedPoll(
            source, poll,
            file: { request in
                reads += 1
                return reads == 1 ? old.read(request) : new.read(request)
            }
        ) { _ in .failed(TransportError(.other, mayHaveArrived: false, "")) }
        #expect(once.report?.summary == "2")
    }

    @Test func `the path may not be empty`() {
        #expect(throws: ProblemList(position, "'path' is empty")) { try source(follow: false, path: "") }
    }

    @Test func `mutated files never trap`() throws {
        var generator = SeededRandom(printedFor: "mutated files")
        let good = Disk([line(1), failed("timeout", minute: 1), line(2, minute: 2), line(3, minute: 3)]).bytes
        var cursor: JSON?
        for _ in 0..<1000 {
            var disk = Disk([])
            disk.bytes = good
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let start = Int.random(in: 0...disk.bytes.count, using: &generator)
                let end = min(disk.bytes.count, start + Int.random(in: 0...40, using: &generator))
                disk.bytes.replaceSubrange(start..<end, with: [UInt8.random(in: 0...255, using: &generator)])
            }
            disk.pieceMax = Int.random(in: 20...1000, using: &generator)
            let report = try play(source(follow: Bool.random(using: &generator)), disk, cursor: cursor)
            if case .values(let seen) = report.outcome {
                #expect(!seen.isEmpty && seen.allSatisfy { $0.metrics.flaw == nil })
            }
            cursor = report.cursor ?? cursor
        }
    }
}

@Suite struct `A file read anew each time` {
    @Test func `it is unchanged until its content, length or identity changes`() throws {
        let source = try source(follow: false)
        var disk = Disk([line(1), line(2)])
        let cursor = try #require(play(source, disk).cursor)
        #expect(try play(source, disk, cursor: cursor).summary == "unchanged")
        #expect(try play(source, disk, cursor: cursor, isAnew: true).summary == "1 2", "what it said may be lost")
        var other = disk
        other.identity = "1:2"
        #expect(try play(source, other, cursor: cursor).summary == "1 2")
        #expect(try play(source, Disk([line(1), line(3)]), cursor: cursor).summary == "1 3")
        disk.append(line(4) + "\n")
        #expect(try play(source, disk, cursor: cursor).summary == "1 2 4")
    }

    @Test func `a last line without a line feed counts`() throws {
        #expect(try play(source(follow: false), Disk([line(1), line(2)], end: "")).summary == "1 2")
    }

    @Test(arguments: [
        (0, 1, "timeout: the file reports that its source failed: timeout"), (1, 0, "1"),
        (1, 1, "timeout: the file reports that its source failed: timeout"),
    ])
    func `a recorded failure counts when it is the newest`(_ good: Int, _ bad: Int, _ expected: String) throws {
        let disk = Disk([line(1, minute: good), failed("timeout", minute: bad)])
        #expect(try play(source(follow: false), disk).summary == expected)
    }

    @Test func `a file beyond the limit is reported`() throws {
        var disk = Disk([])
        disk.bytes = Array(repeating: UInt8(ascii: "\n"), count: ObservedFile.stretchBytesMax + 1)
        #expect(
            try play(source(follow: false), disk).summary
                == "too_large: day.jsonl is larger than 16 MiB; set 'follow: true' to read what is new")
    }
}

@Suite struct `A file that grows` {
    /// Plays polls on a file that changes between them, and says what each saw.
    private func story(_ disk: Disk, _ changes: [(inout Disk) -> Void]) throws -> [String] {
        let source = try source(follow: true)
        var disk = disk
        var cursor: JSON?
        return try ([{ _ in }] + changes).map { change in
            change(&disk)
            let report = try play(source, disk, cursor: cursor)
            cursor = report.cursor ?? cursor
            return ([report.summary] + report.warnings).joined(separator: "; ")
        }
    }

    @Test func `it is read on where the last poll ended`() throws {
        let seen = try story(
            Disk([line(1), line(2)]), [{ _ in }, { $0.append(line(3) + "\n") }, { $0.append("x\n" + line(4) + "\n") }])
        #expect(seen == ["1 2", "unchanged", "3", "4; day.jsonl:4:1: expected a JSON object"])
    }

    @Test func `a line waits for its end`() throws {
        let text = line(2) + "\n"
        let seen = try story(
            Disk([line(1)]), [{ $0.append(String(text.prefix(20))) }, { $0.append(String(text.dropFirst(20))) }])
        #expect(seen == ["1", "unchanged", "2"])
        #expect(try story(Disk([line(1)], end: ""), [{ $0.append("\n") }]) == ["no data", "1"])
    }

    @Test func `what an answer left open waits for the figures of that answer`() throws {
        let part = #"{"source":"x","outcome":"partial","apps":["bank"],"seen":"2026-11-20T23:30:00Z"}"#
        let source = try source(follow: true)
        var disk = Disk([line(1), part])
        let first = try play(source, disk)
        #expect(first.summary == "1")
        #expect(first.unread == .nothing)
        let between = try play(source, disk, cursor: first.cursor)
        #expect(between.summary == "unchanged")
        disk.append(line(2, minute: 1) + "\n")
        let second = try play(source, disk, cursor: between.cursor)
        #expect(second.summary == "2")
        #expect(second.unread == .apps(["bank"]))
        disk = Disk([part])
        let alone = try play(source, disk)
        #expect(alone.summary == "no data")
        disk.append(line(1) + "\n")
        #expect(try play(source, disk, cursor: alone.cursor).unread == .apps(["bank"]))
    }

    @Test func `a file cut, replaced or written anew is read from the start`() throws {
        let seen = try story(
            Disk([line(1), line(2)]),
            [
                { $0 = Disk([line(3)]) },
                {
                    $0 = Disk([line(4), line(5)])
                    $0.identity = "1:2"
                },
                // Longer than before, under the same identity, with other line ends.
                {
                    $0 = Disk([line(1_000_000), line(2_000_000), line(3_000_000)])
                    $0.identity = "1:2"
                },
            ])
        #expect(seen == ["1 2", "3", "4 5", "1,000,000 2,000,000 3,000,000"])
    }

    @Test func `a file written anew in place with lines of the same length is read from the start`() throws {
        let seen = try story(
            Disk([line(1), line(2)]),
            [{ $0 = Disk([line(3), line(4)]) }, { _ in }, { $0 = Disk([line(5), line(6), line(7)]) }])
        #expect(seen == ["1 2", "3 4", "unchanged", "5 6 7"])
    }

    @Test func `a place of which the journal knows no more is gone on from`() throws {
        let disk = Disk([line(1)])
        let source = try source(follow: true)
        let cursor = try #require(try play(source, disk, cursor: nil).cursor)
        let older: JSON = ["identity": cursor["identity"] ?? .null, "offset": cursor["offset"] ?? .null, "line": 1]
        #expect(try play(source, disk, cursor: older).summary == "unchanged")
    }

    @Test func `a failure lasts until a usable line follows`() throws {
        let seen = try story(
            Disk([line(1)]),
            [
                { $0.append(failed("timeout", minute: 1) + "\n") }, { _ in }, { $0.append("broken\n") },
                { $0.append(line(2) + "\n") }, { _ in },
            ])
        let failure = "timeout: the file reports that its source failed: timeout"
        #expect(
            seen == [
                "1", failure, failure, failure, "2; day.jsonl:3:1: expected a JSON object", "unchanged",
            ])
    }

    @Test func `figures are reported before the failure that follows them`() throws {
        let seen = try story(Disk([line(1), failed("the vendor is down", minute: 1)]), [{ _ in }, { _ in }])
        let failure = "unavailable: the file reports that its source failed: the vendor is down"
        #expect(seen == ["1", failure, failure])
    }

    @Test func `figures after a failure end it`() throws {
        #expect(try story(Disk([failed("timeout", minute: 0), line(1)]), [{ _ in }]) == ["1", "unchanged"])
    }

    @Test func `a long file is read over several polls without loss`() throws {
        let count = 1400
        let padding = #","labels":{"padding":"\#(String(repeating: "x", count: 12_000))"}}"#
        let lines = (0..<count).map { line($0).dropLast() + padding }
        let source = try source(follow: true)
        let disk = Disk(lines.map { String($0) })
        #expect(disk.bytes.count > ObservedFile.stretchBytesMax)
        var cursor: JSON?
        var seen: [Double] = []
        var polls = 0
        while seen.count < count, polls < 5 {
            let report = try play(source, disk, cursor: cursor)
            cursor = report.cursor
            polls += 1
            guard case .values(let observations) = report.outcome else { break }
            seen += observations.compactMap { $0.metrics[.users] }
            let isLast = seen.count == count
            #expect(report.warnings == (isLast ? [] : ["day.jsonl grew by more than one poll reads; the rest follows"]))
        }
        #expect(seen == (0..<count).map(Double.init))
        #expect(polls == 2)
    }

    @Test func `a line without end is reported`() throws {
        var disk = Disk([line(1)])
        disk.bytes += Array(repeating: UInt8(ascii: "x"), count: 2 * ObservedFile.stretchBytesMax)
        let seen = try story(disk, [{ _ in }])
        #expect(
            seen == [
                "1; day.jsonl grew by more than one poll reads; the rest follows",
                "too_large: day.jsonl:2: the line is longer than 16 MiB",
            ])
    }
}
