internal import AlertTesting
internal import PluginKit
internal import Preview
internal import Testing

@Suite struct ObservationFileTests {
    private func line(_ source: String = "ios", app: String = "shop", seen: String = "22:05") -> String {
        #"{"source":"\#(source)","app":"\#(app)","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z","#
            + #""seen":"2026-11-20T\#(seen):00Z","metrics":{"users":100}}"#
    }

    private func read(_ text: String, sources: Set<String> = ["ios", "web"]) -> ObservationFile {
        var file = ObservationFile(name: "seen.jsonl", sources: sources)
        file.take(text.utf8)
        file.finish()
        return file
    }

    private func apps(_ lines: [ObservationLine]) -> [String] {
        lines.map { line in
            if case .observed(let observation) = line { observation.subject.app } else { "failed" }
        }
    }

    @Test func `a broken line is told with its place and the rest is used`() {
        let file = read(line(app: "a") + "\n{\"source\":\"ios\",}\n\n" + line(app: "b") + "\n")
        #expect(apps(file.lines) == ["a", "b"])
        #expect(file.complaints.count == 1)
        #expect(file.complaints.first?.line == 2)
        #expect(file.complaints.first?.column == 17)
        #expect(file.complaints.first?.description.hasPrefix("seen.jsonl:2:17: error: ") == true)
    }

    @Test func `a line that is json but no observation is told with the path`() {
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
    func `whatever else a line holds is told once`(text: String) {
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

    @Test func `a line beyond its bound is told and passed over`() {
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
        #expect(file.batches.map(apps) == [["a", "b"], ["c"], ["d"], ["e"]])
    }

    @Test func `a file may come in pieces of any size`() {
        let text = line(app: "ä") + "\n" + line(app: "漢") + "\n"
        var file = ObservationFile(name: "seen.jsonl", sources: ["ios"])
        for byte in text.utf8 { file.take([byte]) }
        file.finish()
        #expect(file.lines == read(text).lines)
    }
}
