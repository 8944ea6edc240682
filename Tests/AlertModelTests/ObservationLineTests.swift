import AlertModel
import Testing

@Suite struct `Lines of observations` {
    @Test func `a span from the future is refused, a clock that is off by a little is not`() throws {
        func line(to: String) throws -> ObservationLine {
            try ObservationLine(
                JSON(
                    parsing: """
                        {"source":"s","app":"a","from":"2026-11-20T22:00:00Z","to":"\(to)","seen":"2026-11-20T22:05:00Z","metrics":{}}
                        """))
        }
        _ = try line(to: "2026-11-20T23:05:00Z")
        let mismatch = #expect(throws: JSONMismatch.self) { try line(to: "2026-11-20T23:05:01Z") }
        #expect(
            mismatch?.found == "the span ends at 2026-11-20T23:05:01Z, long after it was seen at 2026-11-20T22:05:00Z")
    }

    @Test(arguments: [Fixtures.observedLine, Fixtures.failedLine])
    func `a line is written as it was read`(line: String) throws {
        #expect(try ObservationLine(JSON(parsing: line)).json.text == line)
    }

    @Test func `a line says who saw what, and when`() throws {
        let observed = try ObservationLine(JSON(parsing: Fixtures.observedLine))
        #expect(observed.source == "ios")
        #expect(observed.seen.description == "2026-11-20T22:05:30Z")
        guard case .observed(let observation) = observed else {
            Issue.record("read as \(observed)")
            return
        }
        #expect(
            observation.subject == Subject(source: "ios", app: "shop-ios", release: "5.2.0", environment: "production"))
        #expect(observation.span.length == .minutes(5))
        #expect(observation.isComplete)
        #expect(observation.metrics.figure("crash_free_users")?.share == Share(hits: 1809, of: 1840))
        #expect(observation.issues.map(\.users) == [29])
        #expect(observation.labels == ["team": "checkout"])
        let failed = try ObservationLine(JSON(parsing: Fixtures.failedLine))
        #expect(failed == .failed(source: "ios", reason: "timeout", seen: Fixtures.start + .seconds(450)))
        #expect((failed.source, failed.seen) == ("ios", Fixtures.start + .seconds(450)))
    }

    @Test func `what may be left out may be left out, or be null, or be new`() throws {
        let line = """
            {"source":"s","app":"a","release":null,"from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z",
            "seen":"2026-11-20T22:05:30Z","metrics":{"users":1,"sessions":null},"issues":[{"id":"1","title":null}],"new":[1]}
            """
        guard case .observed(let observation) = try ObservationLine(JSON(parsing: line)) else { return }
        #expect(observation.isComplete)
        #expect(observation.subject == Subject(source: "s", app: "a"))
        #expect(observation.metrics == ["users": 1])
        #expect(observation.issues == [AlertModel.Issue(id: "1", title: "")])
    }

    @Test func `a line whose issues nobody could read says so, and one without issues does not`() throws {
        func written(_ issues: String) throws -> (isUnread: Bool, text: String)? {
            let text = Fixtures.observedLine.replacing(/"issues":\[.*\],/, with: issues)
            let line = try ObservationLine(JSON(parsing: text))
            guard case .observed(let observation) = line else { return nil }
            return (observation.issuesUnread, line.json.text)
        }
        let (none, unread) = (try #require(try written("")), try #require(try written(#""issues_unread":true,"#)))
        #expect(!none.isUnread && !none.text.contains("issues"))
        #expect(unread.isUnread && unread.text.contains(#""issues_unread":true,"#))
        #expect(try written(#""issues":null,"#)?.isUnread == false)
    }

    @Test func `a line that is not complete says so`() throws {
        let text = Fixtures.observedLine.replacing("\"complete\":true", with: "\"complete\":false")
        let line = try ObservationLine(JSON(parsing: text))
        #expect(line.json.text == text)
    }

    @Test(arguments: [
        ("source", "\"\"", "$.source: expected a string that is not empty, found the string \"\""),
        ("source", "7", "$.source: expected a string, found 7"),
        ("app", "null", "$.app: expected a string, found null"),
        (
            "seen", "\"2026-11-20\"",
            "$.seen: expected an instant such as \"2026-11-20T22:00:00Z\", found the string \"2026-11-20\""
        ),
        (
            "to", "\"2026-11-20T22:00:00Z\"",
            "$.to: expected an instant after 'from' (2026-11-20T22:00:00Z), found the string \"2026-11-20T22:00:00Z\""
        ),
        ("complete", "1", "$.complete: expected true or false, found 1"),
        ("metrics", "[]", "$.metrics: expected an object, found an array"),
        ("metrics", "{\"users\":\"5\"}", "$.metrics.users: expected a number, found the string \"5\""),
        (
            "metrics", "{\"users\":-5}",
            "$.metrics: expected plausible figures, found 'users' is -5.0, but a count is never negative"
        ),
        (
            "metrics", "{\"users\":5,\"crashed_users\":8}",
            "$.metrics: expected plausible figures, found 'crashed_users' (8) is more than 'users' (5)"
        ),
        ("issues", "{}", "$.issues: expected an array, found an object"),
        ("issues", "[{\"id\":\"\"}]", "$.issues[0].id: expected a string that is not empty, found the string \"\""),
        ("issues", "[{\"id\":\"1\",\"events\":-1}]", "$.issues[0].events: expected a count, 0 or more, found -1"),
        ("labels", "{\"a b\":1}", "$.labels['a b']: expected a string, found 1"),
        ("failed", "\"\"", "$.failed: expected a string that is not empty, found the string \"\""),
    ])
    func `a mistake is reported with its place`(member: String, value: String, problem: String) throws {
        guard case .object(var object) = try JSON(parsing: Fixtures.observedLine) else { return }
        object[member] = try JSON(parsing: value)
        do throws(JSONMismatch) {
            let line = try ObservationLine(.object(object))
            Issue.record("read as \(line)")
        } catch {
            #expect(error.description == problem)
        }
    }

    @Test(arguments: [("sessions", 0, 1, 0), ("sessions", 1000, 1010, 1000), ("users", 5, 7, 5), ("users", 5, 4, 4)])
    func `a little more that crashed than there is, as reports that come late make it, counts as all of it`(
        whole: String, all: Int, crashed: Int, counted: Double
    ) throws {
        guard case .object(var object) = try JSON(parsing: Fixtures.observedLine) else { return }
        object["metrics"] = try JSON(parsing: #"{"\#(whole)":\#(all),"crashed_\#(whole)":\#(crashed)}"#)
        guard case .observed(let seen) = try ObservationLine(.object(object)) else { return }
        #expect(seen.metrics["crashed_\(whole)"] == counted)
    }

    @Test(arguments: ["source", "app", "from", "to", "seen", "metrics"])
    func `what is required is required`(member: String) throws {
        guard case .object(var object) = try JSON(parsing: Fixtures.observedLine) else { return }
        object[member] = nil
        #expect(throws: JSONMismatch(path: "$.\(member)", expected: "a value", found: "no such member")) {
            try ObservationLine(.object(object))
        }
    }

    @Test(arguments: [
        (
            "{}",
            "$: expected 'source', 'seen' and either 'failed' or 'app', 'from', 'to' and 'metrics', found an object "
                + "without 'source', 'seen', 'app', 'from', 'to', 'metrics'"
        ),
        (
            #"{"source":"ios","seen":"2026-11-20T22:05:00Z"}"#,
            "$: expected either 'failed' or 'app', 'from', 'to' and 'metrics', found an object "
                + "without 'app', 'from', 'to', 'metrics'"
        ),
        (#"{"failed":"timeout"}"#, "$: expected 'source' and 'seen', found an object without 'source', 'seen'"),
    ])
    func `all that is missing is named at once`(text: String, problem: String) throws {
        let json = try JSON(parsing: text)
        let error = #expect(throws: JSONMismatch.self) { try ObservationLine(json) }
        #expect(error?.description == problem)
    }

    @Test(arguments: [
        ("not json", 1, "expected a JSON object"), ("  nul", 3, "expected a JSON object"),
        ("[1,", 1, "expected a JSON object"),
        (#"{"source":}"#, 11, "expected a value"),
    ])
    func `what is no object is told that a line is one`(text: String, column: Int, sentence: String) throws {
        let error = #expect(throws: ObservationLine.Mistake.self) {
            _ = try Array(text.utf8).withUnsafeBufferPointer { line throws(ObservationLine.Mistake) in
                try RecordedLine.reading(line)
            }
        }
        #expect(error?.column == column)
        #expect(error?.sentence.hasPrefix(sentence) == true, "\(error?.sentence ?? "")")
    }

    @Test func `titles and the number of issues are bounded`() throws {
        guard case .object(var object) = try JSON(parsing: Fixtures.observedLine) else { return }
        object["issues"] = .array(
            (0..<150).map { ["id": .string("I-\($0)"), "title": .string(String(repeating: "x", count: 10_000))] })
        guard case .observed(let observation) = try ObservationLine(.object(object)) else { return }
        #expect(observation.issues.count == 100)
        #expect(observation.issues.allSatisfy { $0.title.count == 500 })
    }

    @Test func `more metrics than anybody has are read, the last of a name, and taken for no figures`() throws {
        for count in [256, 257, 5000] {
            let members = (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
            let line = """
                {"source":"own","app":"shop","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z",\
                "seen":"2026-11-20T22:05:30Z","metrics":{\(members)}}
                """
            let read = try Array(line.utf8).withUnsafeBufferPointer { try ObservationLine(parsing: $0) }
            guard case .observed(let observation) = read else {
                Issue.record("it was read as \(read)")
                continue
            }
            #expect(observation.metrics.entries.map(\.value) == (0..<count).map(Double.init))
            #expect(observation.metrics.entries.last?.name == "m\(count - 1)")
            let tooMany = count > 256 ? "it has \(count) metrics, expected at most 256" : nil
            #expect(observation.metrics.exaggeration == tooMany)
        }
    }
}
