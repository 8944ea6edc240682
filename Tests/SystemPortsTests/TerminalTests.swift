import Glibc
import MachineTesting
import PluginKit
import Runtime
import Testing

@testable import SystemPorts

@Suite struct TerminalTests {
    private let stage = StagedMachine()

    private func terminal(
        _ output: Int32, _ errors: Int32, _ variables: [String: String] = [:]
    ) -> Terminal {
        Terminal(output: output, errors: errors, variables: Variables(variables), clock: stage.clock)
    }

    @Test func `what was asked for goes one way and everything else the other`() throws {
        try stage.terminal.line("one")
        try stage.terminal.text("two")
        stage.terminal.error("three")
        #expect(stage.said == "one\ntwo")
        #expect(stage.complained == "three\n")
        try stage.terminal.onlyErrors.line("four")
        #expect(stage.said == "one\ntwo")
        #expect(stage.complained == "three\nfour\n")
    }

    @Test func `an answer that cannot be written ends the command, a reader that went away does not`() throws {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let failure = #expect(throws: Failure.self) { try terminal(full, full).line("x") }
        #expect(failure?.status == .impossible)
        #expect(failure?.sentence == "the output cannot be written: No space left on device")
        // Where an error cannot be said there is nobody to tell.
        terminal(full, full).error("x")

        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        signal(SIGPIPE, SIG_IGN)
        close(ends[0])
        defer { close(ends[1]) }
        try terminal(ends[1], ends[1]).line("x")
    }

    @Test func `a file has no width, a terminal its own, and one that does not know the usual one`() throws {
        #expect(stage.terminal.width == nil)
        let wide = try Teletype(columns: 132)
        #expect(terminal(wide.program, wide.program).width == 132)
        let unsure = try Teletype()
        #expect(terminal(unsure.program, unsure.program).width == 80)
    }

    @Test func `colours are for terminals that can show them and people who want them`() throws {
        let teletype = try Teletype()
        func isColored(_ choice: ColorChoice, _ variables: [String: String], isTerminal: Bool = true) -> Bool {
            let stage = isTerminal ? terminal(teletype.program, teletype.program, variables) : self.stage.terminal
            return stage.isColored(choice)
        }
        #expect(isColored(.auto, ["TERM": "xterm"]))
        #expect(isColored(.auto, ["TERM": "xterm", "NO_COLOR": ""]))
        #expect(!isColored(.auto, ["TERM": "xterm", "NO_COLOR": "1"]))
        #expect(!isColored(.auto, ["TERM": "dumb"]))
        #expect(!isColored(.auto, [:]))
        #expect(!isColored(.auto, ["TERM": "xterm"], isTerminal: false))
        #expect(isColored(.always, ["NO_COLOR": "1"], isTerminal: false))
        #expect(!isColored(.never, ["TERM": "xterm"]))
    }

    @Test func `links are for terminals alone, whatever is said of colours`() throws {
        let teletype = try Teletype()
        let shown = terminal(teletype.program, teletype.program, ["TERM": "xterm"])
        #expect(shown.hasLinks(.auto) && shown.hasLinks(.always) && !shown.hasLinks(.never))
        for variables in [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": "linux"], [:]] {
            let bare = terminal(teletype.program, teletype.program, variables)
            #expect(!bare.hasLinks(.auto) && !bare.hasLinks(.always), "\(variables)")
        }
        #expect(!stage.terminal.hasLinks(.auto) && !stage.terminal.hasLinks(.always))
    }

    @Test func `a bar appears after two seconds, moves with each percent and goes at the end`() throws {
        let teletype = try Teletype()
        let bar = terminal(teletype.program, teletype.program).progress("Playing")
        bar.show(1, of: 4)
        #expect(teletype.read() == "")
        stage.clock.advance(by: .seconds(3))
        bar.show(1, of: 4)
        #expect(
            teletype.read()
                == "\rPlaying \(String(repeating: "█", count: 7))\(String(repeating: "░", count: 23)) 25%")
        bar.show(1, of: 4)
        #expect(teletype.read() == "", "nothing has changed")
        bar.show(9, of: 4)
        #expect(teletype.read().hasSuffix("█ 100%"))
        bar.end()
        #expect(teletype.read() == "\r\u{1B}[K")
    }

    @Test func `a bar appears after two seconds though nothing is done yet`() async throws {
        let teletype = try Teletype()
        let bar = terminal(teletype.program, teletype.program).progress("Polling", of: 1)
        stage.clock.advance(by: .seconds(1))
        #expect(teletype.read() == "")
        stage.clock.advance(by: .seconds(1))
        await bar.waiting?.value
        #expect(teletype.read() == "\rPolling \(String(repeating: "░", count: 30)) 0%")
        bar.end()
        #expect(teletype.read() == "\r\u{1B}[K")
        // What is done sooner needs none.
        let quick = terminal(teletype.program, teletype.program).progress("Polling", of: 1)
        quick.end()
        stage.clock.advance(by: .seconds(9))
        await quick.waiting?.value
        #expect(teletype.read() == "")
        #expect(stage.terminal.progress("Polling", of: 1).waiting == nil, "nobody watches")
    }

    @Test func `no bar is drawn where nobody watches, nor for work of no length`() throws {
        let bar = stage.terminal.progress("Playing")
        stage.clock.advance(by: .seconds(9))
        bar.show(1, of: 2)
        bar.end()
        #expect(stage.complained == "")
        let teletype = try Teletype()
        let empty = terminal(teletype.program, teletype.program).progress("Playing")
        stage.clock.advance(by: .seconds(9))
        empty.show(0, of: 0)
        empty.end()
        #expect(teletype.read() == "")
    }
}
