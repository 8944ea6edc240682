internal import AlertModel
internal import JSONPath

extension FuzzTarget {
    /// Answers of sources and chats: what is read can be written and read again as the same.
    static let json = FuzzTarget(
        "json",
        seeds: [
            #"{"apps":[{"name":"shop-ios","rate":0.9951,"users":12345,"at":null,"ok":true}]}"#,
            #"[1e308,-0,0.1,1E-7,"\u00e9\ud83d\ude00\n\\\/",[],{},[[[]]]]"#, #" "a" "#,
        ],
        words: ["\\u", "\\ud83d", "1e", "-", "null", "true", "false", "{", "}", "[", "]", "\"", ":", ","]
    ) { bytes in
        guard let json = try? JSON(parsing: bytes) else { return nil }
        for written in [json.bytes, Array(json.prettyText.utf8)] {
            guard let again = try? JSON(parsing: written) else { return "what it writes it cannot read" }
            guard again == json else { return "what it writes it reads as something else" }
        }
        return nil
    }

    /// A path, and below it what it is tried on: both are read or refused, within the budget.
    static let jsonPath = FuzzTarget(
        "jsonpath",
        seeds: [
            "$.apps[?@.platform == 'ios' && length(@.name) > 0].users\n"
                + #"{"apps":[{"platform":"ios","name":"shop","users":3},{"platform":"tv"}]}"#,
            "$..[?match(@.a, '[a-c]+x?') || !search(@.b, \"\\\\d{2,3}\")]\n[{\"a\":\"abc\",\"b\":\"a12\"}]",
            "$[-1:0:-2, 'x', *, 3]\n[[1,2,3],[4]]", "$[?count(@.*) >= value($..n)]\n{\"n\":1,\"m\":{\"n\":2}}",
        ],
        words: [
            "$", "@", "..", "[?", "]", "&&", "||", "==", "<=", "match(", "search(", "count(", "length(", "value(", "*",
            "'", "\\u", "[^", "\\p{L}", "{1,}", "true", "null",
        ]
    ) { bytes in
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let text = String(decoding: parts.first ?? [], as: UTF8.self)
        let path: JSONPath
        do throws(JSONPathError) { path = try JSONPath(text) } catch {
            let length = text.unicodeScalars.count
            return (1...length + 1).contains(error.column)
                ? nil : "a mistake at \(error.column) of \(length) characters"
        }
        guard parts.count == 2, let json = try? JSON(parsing: parts[1]) else { return nil }
        var budget = SelectionBudget()
        guard let first = try? path.select(from: JSONReader(json), within: &budget) else { return nil }
        if case .nodes(let nodes) = first, nodes.count > SelectionBudget.nodesMax { return "\(nodes.count) nodes" }
        return (try? JSONPath(path.text)) == path ? nil : "it reads its own text otherwise"
    }

    /// Lines of observations, as files hold and tools push them: the quick way of reading them reads what the other does.
    static let observations = FuzzTarget(
        "observations",
        seeds: [
            #"{"source":"ios","app":"shop","from":"2026-11-20T12:00:00Z","to":"2026-11-20T12:05:00Z","#
                + #""seen":"2026-11-20T12:05:10.5Z","metrics":{"users":100,"crashed_users":2}}"#,
            #"{"source":"ios","seen":"2026-11-20T12:05:10Z","failed":"timeout"}"#,
            #"{"source":"ios","app":"shop","release":"5.1","environment":"production","from":"2026-11-20T12:00:00Z","#
                + #""to":"2026-11-20T13:00:00Z","seen":"2026-11-20T13:00:00Z","metrics":{},"issues":[{"id":"A-1","#
                + #""title":"Crash","events":3,"users":2,"firstSeen":"2026-11-01T00:00:00Z"}]}"#,
        ],
        words: [
            "\"release\":", "\"environment\":", "\"issues\":", "\"labels\":", "\"failed\":", "\"no_data\":",
            "\"stale\":",
            "\"crash_free_users\":", "\"of\":", "\"link\":", "+02:00", "e9", "\\u0041", "\"asked\":", "\"arrived\":",
        ]
    ) { bytes in
        let quick = bytes.withUnsafeBufferPointer { try? RecordedLine(parsing: $0) }
        let thorough = (try? JSON(parsing: bytes)).flatMap { try? RecordedLine($0) }
        guard quick == thorough else { return "the quick way and the thorough one do not agree" }
        guard let line = quick else { return nil }
        let written = line.json.bytes
        let again = written.withUnsafeBufferPointer { try? RecordedLine(parsing: $0) }
        return again == line ? nil : "what it writes it reads as something else"
    }
}
