internal import AlertTesting
internal import PluginKit
internal import Preview
internal import Testing

/// A file that has been read to its end.
private struct Read {
    var batches: [ObservationReader.Batch] = []
    var complaints: [ObservationReader.Complaint] = []
    var skipped: [String: Int] = [:]
    var lateCount = 0
    var brokenCount = 0
    var lines: [ObservationLine] { batches.flatMap(\.lines) }

    init(_ reader: inout ObservationReader, _ pieces: some Sequence<[UInt8]>) {
        for piece in pieces {
            reader.take(piece)
            take(&reader)
        }
        reader.finish()
        take(&reader)
        skipped = reader.skipped
        lateCount = reader.lateCount
        brokenCount = reader.brokenCount
    }

    private mutating func take(_ reader: inout ObservationReader) {
        while let batch = reader.nextBatch() { batches.append(batch) }
        complaints += reader.takeComplaints()
    }
}

@Suite struct ObservationReaderTests {
    private func line(_ source: String = "ios", app: String = "shop", seen: String = "22:05") -> String {
        #"{"source":"\#(source)","app":"\#(app)","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z","#
            + #""seen":"2026-11-20T\#(seen):00Z","metrics":{"users":100}}"#
    }

    private func read(
        _ text: String, sources: Set<String> = ["ios", "web"], window: Int = ObservationReader.windowLinesMax,
        pieces: Int = 100
    ) -> Read {
        var reader = ObservationReader(name: "seen.jsonl", sources: sources, windowLines: window)
        let bytes = Array(text.utf8)
        return Read(&reader, stride(from: 0, to: bytes.count, by: pieces).map { Array(bytes[$0...].prefix(pieces)) })
    }

    private func apps(_ lines: [ObservationLine]) -> [String] {
        lines.map { line in
            if case .observed(let observation) = line { observation.subject.app } else { "failed" }
        }
    }

    @Test func `a broken line is reported with its place and the rest is used`() {
        let file = read(line(app: "a") + "\n{\"source\":\"ios\",}\n\n" + line(app: "b") + "\n")
        #expect(apps(file.lines) == ["a", "b"])
        #expect(file.complaints.count == 1)
        #expect(file.complaints.first?.line == 2)
        #expect(file.complaints.first?.column == 17)
        #expect(file.complaints.first?.description.hasPrefix("seen.jsonl:2:17: error: ") == true)
    }

    @Test func `a line that is json but no observation is reported with the path`() {
        let file = read(
            line() + "\n"
                + #"{"source":"ios","app":"shop","seen":"2026-11-20T22:05:00Z","from":"yesterday","to":"x","metrics":{}}"#
        )
        #expect(file.lines.count == 1)
        #expect(file.complaints.map(\.line) == [2])
        #expect(file.complaints.first?.column == nil)
        #expect(file.complaints.first?.description.hasPrefix("seen.jsonl:2: error: ") == true)
        #expect(file.complaints.first?.sentence.contains("$.from") == true)
    }

    @Test(arguments: [
        "{}", "[]", "null", "\"ios\"", #"{"source":"ios"}"#, #"{"source":"ios","seen":"2026-11-20T22:05:00Z"}"#,
    ])
    func `whatever else a line holds is reported once`(text: String) {
        let file = read(text)
        #expect(file.lines.isEmpty)
        #expect(file.complaints.count == 1)
    }

    @Test func `lines of sources that were not asked for are counted`() {
        let file = read([line(), line("android"), line("android"), line("tv")].joined(separator: "\n"))
        #expect(file.lines.count == 1)
        #expect(file.skipped == ["android": 2, "tv": 1])
        #expect(file.complaints.isEmpty)
    }

    @Test func `a failed poll is a line too`() {
        let file = read(#"{"source":"ios","failed":"timeout","seen":"2026-11-20T22:07:30Z"}"#)
        #expect(file.lines == [.failed(source: "ios", reason: "timeout", seen: .utc("2026-11-20 22:07:30"))])
    }

    @Test func `carriage returns, empty lines and a missing last newline do not matter`() {
        let plain = read(line(app: "a") + "\n" + line(app: "b") + "\n")
        let windows = read(line(app: "a") + "\r\n\r\n  \t\n" + line(app: "b"))
        #expect(windows.lines == plain.lines)
        #expect(windows.complaints.isEmpty)
    }

    @Test func `a line beyond its bound is reported and passed over`() {
        let padding = String(repeating: " ", count: ObservationLine.lineBytesMax)
        let file = read(line(app: "a") + "\n" + line(app: "b") + padding + "\n" + line(app: "c"))
        #expect(apps(file.lines) == ["a", "c"])
        #expect(file.complaints.map(\.description) == ["seen.jsonl:2: error: the line is longer than 1 MiB"])
    }

    @Test func `a line just within its bound is read`() {
        let text = line()
        let file = read(text + String(repeating: " ", count: ObservationLine.lineBytesMax - text.utf8.count))
        #expect(file.lines.count == 1)
        #expect(file.complaints.isEmpty)
    }

    @Test func `lines stand in the order of seen, and of the file where that is the same`() {
        let file = read(
            [
                line(app: "c", seen: "22:07"), line(app: "a", seen: "22:05"), line(app: "d", seen: "22:07"),
                line(app: "b", seen: "22:06"), line(app: "e", seen: "22:07"),
            ].joined(separator: "\n"))
        #expect(apps(file.lines) == ["a", "b", "c", "d", "e"])
    }

    @Test func `a batch is what one source saw at one moment`() {
        let file = read(
            [
                line(app: "a"), line(app: "b"), line("web", app: "c"), line(app: "d"), line(app: "e", seen: "22:06"),
            ].joined(separator: "\n"))
        #expect(file.batches.map { apps($0.lines) } == [["a", "b", "d"], ["c"], ["e"]])
    }

    @Test(arguments: [12, ObservationReader.windowLinesMax])
    func `lines of sources that alternate within a moment are a batch of each`(window: Int) {
        let alternating = ["22:05", "22:06"].flatMap { seen in
            ["one", "two", "three"].flatMap { app in
                ["web", "ios"].map { line($0, app: "\($0) \(app)", seen: seen) }
            }
        }
        let file = read(alternating.joined(separator: "\n"), window: window)
        let moment = [["web one", "web two", "web three"], ["ios one", "ios two", "ios three"]]
        #expect(file.batches.map { apps($0.lines) } == moment + moment)
    }

    @Test func `a file may come in pieces of any size`() {
        let text = line(app: "ä") + "\n" + line(app: "漢") + "\n" + line(app: "c")
        let whole = read(text, pieces: 10_000)
        #expect(apps(whole.lines) == ["ä", "漢", "c"])
        for size in [1, 2, 7, 64, 150, 151] { #expect(read(text, pieces: size).lines == whole.lines) }
    }

    // MARK: long files

    /// Lines seen a minute after each other; the number is the app.
    private func lines(_ minutes: some Sequence<Int>) -> String {
        minutes.map { minute in
            let text = minute < 10 ? "0\(minute)" : "\(minute)"
            return #"{"source":"ios","app":"\#(minute)","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z","#
                + #""seen":"2026-11-20T22:\#(text):10Z","metrics":{"users":100}}"# + "\n"
        }.joined()
    }

    @Test func `lines are given as they come, and never more of them wait than the window has`() {
        var reader = ObservationReader(name: "seen.jsonl", sources: ["ios"], windowLines: 10)
        var given: [Int] = []
        for minute in 0..<60 {
            reader.take(lines([minute]).utf8)
            while let batch = reader.nextBatch() { given += apps(batch.lines).compactMap(Int.init) }
            #expect(minute + 1 - given.count < 10)
        }
        reader.finish()
        while let batch = reader.nextBatch() { given += apps(batch.lines).compactMap(Int.init) }
        #expect(given == Array(0..<60))
    }

    @Test func `what is out of order within the window is put in order`() {
        let shuffled = (0..<60).map { $0 ^ 3 }
        let file = read(lines(shuffled), window: 10)
        #expect(apps(file.lines) == (0..<60).map { "\($0)" })
        #expect(file.complaints.isEmpty)
    }

    @Test func `what comes later than the window reaches is named and used when it comes`() {
        let file = read(lines(Array(1..<40) + [0] + Array(40..<50)), window: 10)
        #expect(Set(apps(file.lines)) == Set((0..<50).map { "\($0)" }))
        #expect(apps(file.lines).first == "1")
        #expect(file.lateCount == 1)
        #expect(file.brokenCount == 0)
        #expect(file.complaints.map(\.line) == [40])
        #expect(file.complaints.first?.description.contains("warning: it was seen at 2026-11-20T22:00:10Z") == true)
    }

    @Test func `lines of one moment stay together across the edge of the window`() {
        let text = (0..<25).map { line(app: "\($0)") }.joined(separator: "\n")
        let file = read(text, window: 20, pieces: 100_000)
        #expect(file.batches.map(\.lines.count) == [25])
    }

    @Test func `a line of another century is named and passed over`() {
        let future = line(app: "far").replacing("\"seen\":\"2026", with: "\"seen\":\"2926")
        let file = read(line(app: "a") + "\n" + future + "\n" + line(app: "b", seen: "22:06"))
        #expect(apps(file.lines) == ["a", "b"])
        #expect(file.brokenCount == 1)
        #expect(file.complaints.map(\.line) == [2])
        #expect(file.complaints.first?.sentence.contains("is the year right?") == true)
    }

    @Test func `no more mistakes are reported than anybody reads`() {
        let file = read(String(repeating: "{\n", count: 500) + line())
        #expect(file.complaints.count == ObservationReader.complaintsMax)
        #expect(file.brokenCount == 500)
        #expect(file.lines.count == 1)
    }

    @Test(arguments: ["", "\n\n", " \r\n"])
    func `an empty file gives nothing and nothing is wrong with it`(text: String) {
        let file = read(text)
        #expect(file.batches.isEmpty)
        #expect(file.complaints.isEmpty)
    }
}
