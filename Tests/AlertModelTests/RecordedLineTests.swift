import AlertModel
import Testing

@Suite struct `Recorded lines` {
    private func read(_ text: String) throws -> RecordedLine {
        try Array(text.utf8).withUnsafeBufferPointer { try RecordedLine(parsing: $0) }
    }

    @Test(arguments: [Fixtures.observedLine, Fixtures.failedLine])
    func `a line that says no more arrived when it was seen`(text: String) throws {
        let line = try read(text)
        #expect(line.asked == line.line.seen)
        #expect(line.arrived == line.line.seen)
        #expect(line.json.text == text)
    }

    private static let outcomes: [(EmptyPoll.Outcome, String)] = [
        (.noData, #"{"source":"ios","outcome":"no_data","seen":"2026-11-20T22:00:00Z"}"#),
        (.unchanged, #"{"source":"ios","outcome":"unchanged","seen":"2026-11-20T22:00:00Z"}"#),
        (
            .stale(measured: .earliest),
            #"{"source":"ios","outcome":"stale","measured":"0001-01-01T00:00:00Z","seen":"2026-11-20T22:00:00Z"}"#
        ),
        (
            .failed(.init(reason: "timeout")),
            #"{"source":"ios","failed":"timeout","seen":"2026-11-20T22:00:00Z"}"#
        ),
        (
            .failed(.init(reason: "rate_limited", sentence: "slow\n\"down\"", retryAt: .earliest)),
            #"{"source":"ios","failed":"rate_limited","sentence":"slow\n\"down\"","#
                + #""retry_at":"0001-01-01T00:00:00Z","seen":"2026-11-20T22:00:00Z"}"#
        ),
    ]

    @Test(arguments: outcomes)
    func `however a poll ended, it is written on one line and read again`(
        outcome: EmptyPoll.Outcome, text: String
    ) throws {
        let line = ObservationLine.empty(EmptyPoll(source: "ios", outcome, seen: Fixtures.start))
        #expect(line.json.text == text)
        #expect(try read(text).line == line)
        let late = RecordedLine(
            line, asked: line.seen - .seconds(2), arrived: line.seen + .milliseconds(5))
        #expect(!late.json.text.contains("\n"))
        #expect(try read(late.json.text) == late)
    }

    @Test(arguments: [
        (Unread.anything, ""), (.apps(["shop", "bank"]), #","apps":["bank","shop"]"#), (.nothing, #","apps":[]"#),
    ])
    func `what an answer could not tell is written on one line and read again`(unread: Unread, apps: String) throws {
        var poll = PartialPoll(source: "ios", unread, seen: Fixtures.start)
        let seen = #""seen":"2026-11-20T22:00:00Z"}"#
        #expect(ObservationLine.partial(poll).json.text == #"{"source":"ios","outcome":"partial"\#(apps),"# + seen)
        #expect(try read(ObservationLine.partial(poll).json.text).line == .partial(poll))
        poll.failure = EmptyPoll.Failure(reason: "timeout", sentence: "no answer")
        let failed = #","failed":"timeout","sentence":"no answer","#
        #expect(
            ObservationLine.partial(poll).json.text == #"{"source":"ios","outcome":"partial"\#(apps)"# + failed + seen)
        #expect(try read(ObservationLine.partial(poll).json.text).line == .partial(poll))
    }

    @Test func `an outcome that nobody knows is named`() throws {
        let mistake = #expect(throws: ObservationLine.Mistake.self) {
            try read(#"{"source":"ios","outcome":"lost","seen":"2026-11-20T22:00:00Z"}"#)
        }
        #expect(
            mistake?.sentence == #"$.outcome: expected no_data, stale, unchanged or partial, found the string "lost""#)
    }

    private func readAll(_ text: String) throws -> [RecordedLine] {
        try Array(text.utf8).withUnsafeBufferPointer { try RecordedLine.reading($0) }
    }

    private static let sheet =
        #"{"source":"ios","from":"2026-11-20T21:00:00Z","to":"2026-11-20T22:00:00Z","seen":"2026-11-20T22:00:00Z","#
        + #""metrics":["users","sessions"],"rows":[{"app":"shop","release":"1","values":[3,5]},"#
        + #"{"app":"game","values":[4,7.5],"labels":{"team":"b"}}],"asked":"2026-11-20T22:00:01Z"}"#

    @Test(arguments: [sheet, sheet.replacing("\"source\"", with: " \"sourc\\u0065\"")])
    func `a line about several apps is as many lines, plain or not`(text: String) throws {
        let lines = try readAll(text)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.asked == Fixtures.start + .seconds(1) && $0.arrived == Fixtures.start })
        var written: [String] = []
        RecordedSheet.writing(lines) { written.append($0.json.text) }
        #expect(written == [Self.sheet])
    }

    @Test(arguments: [
        (#"[4,7.5]"#, #"[4]"#, "$.rows[1].values: expected as many as there are metrics"),
        (#"[4,7.5]"#, #"[4,-7.5]"#, "$.rows[1]: expected a plausible observation"),
        (#""app":"game","#, "", "$.rows[1].app: expected a value, found no such member"),
        (#"{"app":"game""#, #"{"app":"""#, "$.rows[1].app: expected a string that is not empty"),
    ])
    func `a line about several apps of which one makes no sense says which`(
        right: String, wrong: String, sentence: String
    ) throws {
        let mistake = #expect(throws: ObservationLine.Mistake.self) {
            try readAll(Self.sheet.replacing(right, with: wrong))
        }
        #expect(mistake?.sentence.hasPrefix(sentence) == true, "\(mistake?.sentence ?? "")")
    }
}
