internal import BotConfig
internal import PluginKit
internal import Testing

@Suite struct ProblemTextTests {
    private let lines = ["bot:", "\tname: one", "  é👍🏽 漢字: bad", "tail: \u{1B}[31mred"]

    @Test func `a problem shows its line with a caret under its place`() {
        let problem = Problem(Position(line: 1, column: 1), "unknown key 'bot'", suggestion: "bots")
        #expect(
            problem.text(file: "my/config.yaml", lines: lines)
                == "my/config.yaml:1:1: error: unknown key 'bot'; did you mean bots?\n    bot:\n    ^")
    }

    @Test func `advice and levels are words of their own`() {
        let problem = Problem(Position(line: 1, column: 2), "it is odd", advice: "leave it out", level: .warning)
        #expect(
            problem.text(file: "c.yaml", lines: lines)
                == "c.yaml:1:2: warning: it is odd; leave it out\n    bot:\n     ^")
    }

    @Test func `tabs stay tabs in front of the caret`() {
        let problem = Problem(Position(line: 2, column: 8), "wrong")
        #expect(
            problem.text(file: "c.yaml", lines: lines) == "c.yaml:2:8: error: wrong\n    \tname: one\n    \t      ^")
    }

    @Test func `the caret stands under its place behind wide characters`() {
        // In cells: two spaces, é one, thumb two, space one, two ideographs of two each, colon and space.
        let problem = Problem(Position(line: 3, column: 11), "wrong")
        #expect(
            problem.text(file: "c.yaml", lines: lines)
                == "c.yaml:3:11: error: wrong\n    \(lines[2])\n    \(String(repeating: " ", count: 12))^")
    }

    @Test func `what turns a line around, and the mark in front of a file, are no part of what is shown`() {
        let lines = ["\u{FEFF}bot: {nam: x}", "name: \u{202E}a\u{200B}b"]
        let first = Problem(Position(line: 1, column: 7), "wrong").text(file: "c.yaml", lines: lines)
        #expect(first == "c.yaml:1:7: error: wrong\n    bot: {nam: x}\n          ^")
        let second = Problem(Position(line: 2, column: 8), "wrong").text(file: "c.yaml", lines: lines)
        #expect(second == "c.yaml:2:8: error: wrong\n    name: \u{FFFD}a\u{FFFD}b\n           ^")
    }

    @Test func `control characters of the file do not reach the terminal`() {
        let text = Problem(Position(line: 4, column: 1), "wrong").text(file: "c.yaml", lines: lines)
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `of a long line, what stands around the place is shown`() {
        let long = String(repeating: "a", count: 1000) + "!" + String(repeating: "b", count: 1000)
        let text = Problem(Position(line: 1, column: 1001), "wrong").text(file: "c.yaml", lines: [long])
        let shown = text.split(separator: "\n")
        #expect(shown.count == 3)
        #expect(shown[1].count <= 204)
        #expect(shown[1].firstIndex(of: "!") != nil)
        #expect(shown[1].prefix { $0 != "!" }.count == shown[2].prefix { $0 != "^" }.count)
    }

    /// Whoever tells of it, and whenever.
    @Test func `a comment of a config is never shown`() {
        let lines = ["rules:  # s3cr3t", "  a: {b: \"#c\", d#e: f}", "\u{FEFF}# s3cr3t"]
        func shown(_ line: Int) -> String {
            Problem(Position(line: line, column: 1), "wrong").text(file: "c.yaml", lines: ShownLines(lines))
        }
        #expect(shown(1).hasSuffix("\n    rules:  ***\n    ^"))
        #expect(shown(2).hasSuffix("\n    \(lines[1])\n    ^"))
        #expect(ShownLines([lines[2]]).lines == ["***"])
        let heading = Problem(Position(line: 1, column: 1), "wrong").text(file: "README.md", lines: ["# feed"])
        #expect(heading.hasSuffix("\n    # feed\n    ^"))
    }

    @Test func `a line that is not there is left out`() {
        let text = Problem(Position(line: 9, column: 1), "wrong").text(file: "c.yaml", lines: lines)
        #expect(text == "c.yaml:9:1: error: wrong")
    }

    @Test func `as json a problem has just the six members`() {
        let problem = Problem(Position(line: 2, column: 3), "wrong", suggestion: "right")
        #expect(
            problem.json(file: "c.yaml").text
                == #"{"file":"c.yaml","line":2,"column":3,"severity":"error","message":"wrong","suggestion":"right"}"#)
        let advised = Problem(Position(line: 2, column: 3), "wrong", advice: "leave it out")
        #expect(
            advised.json(file: "c.yaml").text.hasSuffix(#""message":"wrong; leave it out","suggestion":null}"#))
        let bare = Problem(Position(line: 2, column: 3), "wrong", level: .warning)
        #expect(bare.json(file: "c.yaml").text.hasSuffix(#""severity":"warning","message":"wrong","suggestion":null}"#))
    }
}
