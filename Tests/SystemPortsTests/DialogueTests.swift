internal import Foundation
internal import Glibc
internal import MachineTesting
internal import SystemPorts
internal import Testing

/// One after the other: there is one terminal of a process that a signal finds silent.
@Suite(.serialized) struct `Answers on standard input` {
    private let stage = StagedMachine()

    /// What a pipe with these bytes in it answers, line by line.
    private func answers(_ text: String, isHidden: Bool = false) throws -> [String] {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let bytes = Array(text.utf8)
        try #require(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        let dialogue = InputDialogue(input: ends[0], terminal: stage.terminal)
        var found: [String] = []
        while let answer = try dialogue.answer(isHidden: isHidden) { found.append(answer) }
        return found
    }

    @Test(
        arguments: [
            ("", []), ("a\nb\n", ["a", "b"]), ("a\r\n\r\nb", ["a", "", "b"]), ("\n\n", ["", ""]), ("ä ö\n", ["ä ö"]),
            ("a\u{3}b\u{8}\n", ["a\u{3}b\u{8}"]),
        ] as [(String, [String])])
    func `are lines of a pipe`(_ text: String, _ expected: [String]) throws {
        #expect(try answers(text) == expected)
        #expect(try answers(text, isHidden: true) == expected)
        #expect(stage.complained == "")
    }

    @Test func `have a bound`() throws {
        let path = "/tmp/alertbot-answer-\(getpid())"
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        unlink(path)
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: (64 << 10) + 1)
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
        lseek(descriptor, 0, SEEK_SET)
        let dialogue = InputDialogue(input: descriptor, terminal: stage.terminal)
        #expect(throws: Failure(.wrongUsage, "an answer is longer than 64 KiB; name a file with ${file:PATH}")) {
            try dialogue.answer(isHidden: false)
        }
    }

    /// A terminal with somebody at its other end.
    private struct Desk {
        let person: Int32
        let program: Int32
        /// Of the terminal, among those of this machine.
        let number: UInt32

        init() throws {
            // Swift sees neither posix_openpt nor its companions; on Linux they do just this.
            person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            var (isLocked, number) = (Int32(0), UInt32(0))
            try #require(person >= 0 && ioctl(person, UInt(0x4004_5431), &isLocked) == 0)  // TIOCSPTLCK
            try #require(ioctl(person, UInt(0x8004_5430), &number) == 0)  // TIOCGPTN
            self.number = number
            program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
            try #require(program >= 0)
        }

        func end() {
            close(person)
            close(program)
        }

        var hasEcho: Bool {
            var modes = termios()
            return tcgetattr(program, &modes) == 0 && modes.c_lflag & tcflag_t(ECHO) != 0
        }

        func type(_ text: String) {
            let bytes = Array(text.utf8)
            _ = write(person, bytes, bytes.count)
        }

        /// What the person sees.
        var screen: String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(person, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    /// What keys come to that are typed as soon as nothing is shown any more.
    private func typed(_ keys: String, at desk: Desk) throws -> String? {
        // A thread of its own: whoever waits for an answer holds the one that it runs on.
        Thread.detachNewThread {
            while desk.hasEcho { sched_yield() }
            desk.type(keys)
        }
        return try InputDialogue(input: desk.program, terminal: stage.terminal).answer(isHidden: true)
    }

    @Test(
        arguments: [
            ("s3cret\r", "s3cret"), ("s3x\u{7F}cret\n", "s3cret"), ("x\u{15}s3cret\r", "s3cret"), ("aü\u{8}b\r", "ab"),
            ("\u{7F}\r", ""), ("\u{4}", nil), ("a\u{4}b\r", "a\u{4}b"),
        ] as [(String, String?)])
    func `that are secret are not shown, and the terminal is as before`(_ keys: String, _ expected: String?) throws {
        let desk = try Desk()
        defer { desk.end() }
        #expect(desk.hasEcho)
        #expect(try typed(keys, at: desk) == expected)
        #expect(desk.screen == "")
        #expect(desk.hasEcho)
        #expect(stage.complained == "\n")
    }

    @Test func `that are secret can be left with Ctrl-C, and the terminal is as before`() throws {
        let desk = try Desk()
        defer { desk.end() }
        #expect(throws: Failure(.impossible, "stopped; nothing was written")) {
            try typed("s3c\u{3}", at: desk)
        }
        #expect(desk.hasEcho)
    }

    @Test func `that are secret can be left with a kill, and the terminal is as before`() async throws {
        let desk = try Desk()
        defer { desk.end() }
        await #expect(processExitsWith: .signal(SIGTERM)) { [number = desk.number as UInt32] in
            let input = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
            Thread.detachNewThread {
                var modes = termios()
                while tcgetattr(input, &modes) == 0, modes.c_lflag & tcflag_t(ECHO) != 0 { sched_yield() }
                kill(getpid(), SIGTERM)
            }
            _ = try InputDialogue(input: input, terminal: StagedMachine().terminal).answer(isHidden: true)
        }
        #expect(desk.hasEcho)
    }
}
