internal import Glibc
internal import PluginKit
internal import Synchronization

/// The terminal that shows nothing for the moment, and how it was before. A handler of signals can be given nothing, so these
/// must be within its reach; both are set before the handler is.
private let silentTerminal = Atomic<Int32>(-1)
nonisolated(unsafe) private let usualModes = UnsafeMutablePointer<termios>.allocate(capacity: 1)

/// Somebody who answers questions, line by line.
public protocol Dialogue: Sendable {
    /// The next line, without its end; nil where nobody says anything any more.
    ///
    /// - Parameter isHidden: whether nobody may read along.
    func answer(isHidden: Bool) throws(Failure) -> String?
}

/// Standard input: a person at a terminal, or a pipe with an answer on each line.
public struct InputDialogue: Dialogue {
    private let input: Int32
    private let terminal: Terminal

    /// Nobody types more than this into a line; a key file is named, not pasted.
    private static let lineBytesMax = 64 << 10

    /// What the program was started with.
    public static func standard(_ terminal: Terminal) -> InputDialogue {
        InputDialogue(input: STDIN_FILENO, terminal: terminal)
    }

    /// - Parameters:
    ///   - input: the descriptor to read.
    ///   - terminal: where a line that was typed unseen is ended.
    public init(input: Int32, terminal: Terminal) {
        self.input = input
        self.terminal = terminal
    }

    public func answer(isHidden: Bool) throws(Failure) -> String? {
        var usual = termios()
        guard isHidden, isatty(input) == 1, tcgetattr(input, &usual) == 0 else { return try line() }
        // Without echo, and key by key: with the terminal's own editing Ctrl-C would end the program and leave a terminal that
        // shows nothing.
        var silent = usual
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        let caught = InputDialogue.restoreAtSignals(input, usual)
        defer { for (number, usual) in caught { _ = signal(number, usual) } }
        guard tcsetattr(input, TCSADRAIN, &silent) == 0 else {
            throw Failure(
                .impossible, "the terminal cannot be kept from showing what is typed; pipe the answers, or use --set")
        }
        defer {
            _ = tcsetattr(input, TCSADRAIN, &usual)
            terminal.error("")
        }
        return try hiddenLine()
    }

    /// Whatever ends the program from outside leaves the terminal as it was.
    ///
    /// - Returns: the signals that are caught from now on, with what they did before.
    private static func restoreAtSignals(_ terminal: Int32, _ usual: termios) -> [(Int32, __sighandler_t?)] {
        usualModes.initialize(to: usual)
        silentTerminal.store(terminal, ordering: .sequentiallyConsistent)
        return [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { !Signals.isIgnored($0) }.map { number in
            let before = signal(number) { number in
                // Only what is safe in a handler. The program then ends as if there had been none.
                _ = tcsetattr(silentTerminal.load(ordering: .sequentiallyConsistent), TCSANOW, usualModes)
                _ = signal(number, SIG_DFL)
                raise(number)
            }
            return (number, before)
        }
    }

    private func line() throws(Failure) -> String? {
        var bytes: [UInt8] = []
        while let byte = try next() {
            if byte == UInt8(ascii: "\n") { return InputDialogue.text(bytes) }
            bytes.append(byte)
            try check(bytes)
        }
        return bytes.isEmpty ? nil : InputDialogue.text(bytes)
    }

    /// What the keys of a terminal mean that does no editing of its own.
    private func hiddenLine() throws(Failure) -> String? {
        var bytes: [UInt8] = []
        while let byte = try next() {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return InputDialogue.text(bytes)
            case 0x03: throw Failure(.impossible, "stopped; nothing was written")
            case 0x04 where bytes.isEmpty: return nil
            case 0x15: bytes = []
            case 0x08, 0x7F:
                while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            default:
                bytes.append(byte)
                try check(bytes)
            }
        }
        return bytes.isEmpty ? nil : InputDialogue.text(bytes)
    }

    private func check(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.count > InputDialogue.lineBytesMax else { return }
        throw Failure(
            .wrongUsage,
            "an answer is longer than \(InputDialogue.lineBytesMax >> 10) KiB; name a file with ${file:PATH}")
    }

    /// One byte at a time: what comes after the line is for the next question.
    private func next() throws(Failure) -> UInt8? {
        var byte: UInt8 = 0
        while true {
            switch read(input, &byte, 1) {
            case 1: return byte
            case 0: return nil
            default:
                if errno == EINTR { continue }
                throw Failure(.impossible, "standard input cannot be read: \(String(cString: strerror(errno)))")
            }
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }
}
