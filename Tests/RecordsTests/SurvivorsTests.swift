internal import Records
internal import Testing

@Suite struct `What survives` {
    /// What is used at once, a bar, and what is left at the end.
    private func survivors(of records: [(name: String, topic: Topic)]) -> String {
        var survivors = Survivors<String>()
        let atOnce = records.filter { record in survivors.take(record.topic) { record.name } }.map(\.name)
        return (atOnce + ["|"] + survivors.inOrder()).joined(separator: " ")
    }

    @Test func `a whole overtakes the wholes and parts before it`() {
        #expect(
            survivors(of: [
                ("a1", .whole(of: "a")), ("a1x", .part("x", of: "a")), ("b1", .whole(of: "b")), ("a2", .whole(of: "a")),
            ]) == "| b1 a2")
    }

    @Test func `a part overtakes only the same part since the last whole`() {
        #expect(
            survivors(of: [
                ("a1", .whole(of: "a")), ("x1", .part("x", of: "a")), ("y1", .part("y", of: "a")),
                ("x2", .part("x", of: "a")),
            ]) == "| a1 y1 x2")
    }

    @Test func `an end takes away what was recorded of its keys, and counts itself`() {
        #expect(
            survivors(of: [
                ("a1", .whole(of: "a")), ("x1", .part("x", of: "a")), ("b1", .whole(of: "b")), ("c1", .whole(of: "c")),
                ("end", .end(of: ["a", "c"])),
            ]) == "end | b1")
    }

    @Test func `what has no topic is used at once`() {
        #expect(survivors(of: [("a1", .whole(of: "a")), ("one", .always), ("two", .always)]) == "one two | a1")
    }

    @Test func `what is left is ordered by the last record about each thing`() {
        #expect(
            survivors(of: [
                ("a1", .whole(of: "a")), ("b1", .whole(of: "b")), ("c1", .whole(of: "c")), ("b2", .part("x", of: "b")),
                ("a2", .part("x", of: "a")),
            ]) == "| c1 b1 b2 a1 a2")
    }

    @Test func `the parts of what had no topic wait like all others, and end with it`() {
        let parts: [(String, Topic)] = [("a1", .always), ("x1", .part("x", of: "a")), ("x2", .part("x", of: "a"))]
        #expect(survivors(of: parts) == "a1 | x2")
        #expect(survivors(of: parts + [("end", .end(of: ["a"]))]) == "a1 end |")
    }

    @Test func `what ended may begin anew`() {
        #expect(
            survivors(of: [("a1", .whole(of: "a")), ("end", .end(of: ["a"])), ("a2", .whole(of: "a"))]) == "end | a2")
    }
}
