internal import AlertCore
internal import ArgumentParser
internal import Glibc
internal import Pictures
internal import Runtime

/// The two ways out of a command: what was asked for, and everything else.
enum Output {
    static func line(_ text: String) { self.text(text + "\n") }

    /// What was asked for. Where the system does not take it the command ends: half an answer must not pass for a whole.
    static func text(_ text: String) {
        // A reader that goes away early, such as `head`, has what it wanted.
        guard !write(text, to: STDOUT_FILENO), errno != EPIPE else { return }
        error("alertbot: the output can not be written: \(String(cString: strerror(errno)))")
        end(.impossible)
    }

    /// Everything else; where that can not be said there is nobody to tell.
    static func error(_ text: String) { _ = write(text + "\n", to: STDERR_FILENO) }

    /// False when the system did not take all of it; `errno` says why.
    static func write(_ text: String, to descriptor: Int32) -> Bool { write(Array(text.utf8)[...], to: descriptor) }

    /// False when the system did not take all of it; `errno` says why.
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var bytes = bytes
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            bytes = bytes.dropFirst(written)
        }
        return true
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The columns of the terminal that standard output is; nil where it is none.
    static var terminalWidth: Int? {
        var size = winsize()
        guard isTerminal(STDOUT_FILENO) else { return nil }
        // A terminal that does not know how wide it is has the usual width.
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}

/// `1 source`, `2 sources`.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }

/// Whether and how to colour.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable { case auto, always, never }

/// Colours for a terminal, or none.
struct Paint: Sendable {
    private let isOn: Bool

    init(_ choice: ColorChoice) {
        isOn =
            switch choice {
            case .always: true
            case .never: false
            case .auto:
                // https://no-color.org: set and not empty means no.
                (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true) && Output.isTerminal(STDOUT_FILENO)
                    && (getenv("TERM").map { String(cString: $0) != "dumb" } ?? false)
            }
    }

    func bold(_ text: String) -> String { wrap(text, "1") }
    func dim(_ text: String) -> String { wrap(text, "2") }
    func red(_ text: String) -> String { wrap(text, "31") }
    func green(_ text: String) -> String { wrap(text, "32") }
    func yellow(_ text: String) -> String { wrap(text, "33") }
    func blue(_ text: String) -> String { wrap(text, "34") }

    func line(_ line: TerminalLine) -> String {
        line.pieces.map { piece in
            let ink = piece.ink
            var codes: [String] = []
            if ink.isBold { codes.append("1") }
            if ink.isDim { codes.append("2") }
            if ink.isItalic { codes.append("3") }
            if ink.isUnderlined { codes.append("4") }
            if ink.isStruck { codes.append("9") }
            switch ink.color {
            case .red: codes.append("31")
            case .green: codes.append("32")
            case .yellow: codes.append("33")
            case .blue: codes.append("34")
            case nil: break
            }
            return codes.isEmpty ? piece.text : wrap(piece.text, codes.joined(separator: ";"))
        }.joined()
    }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// A bar on standard error for work that takes longer than two seconds; silent when nobody watches.
struct ProgressBar {
    private let what: String
    private let began: Duration
    private let clock = SystemClock()
    private var shown = -1
    private let isWatched = Output.isTerminal(STDERR_FILENO)

    private static let patience = Duration.seconds(2)
    private static let width = 30

    init(_ what: String) {
        self.what = what
        began = clock.uptime()
    }

    mutating func show(_ done: Int, of total: Int) {
        guard isWatched, total > 0, clock.uptime() - began > ProgressBar.patience else { return }
        let percent = min(100, done * 100 / total)
        guard percent != shown else { return }
        shown = percent
        let filled = percent * ProgressBar.width / 100
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: ProgressBar.width - filled)
        _ = Output.write("\r\(what) \(bar) \(percent)%", to: STDERR_FILENO)
    }

    func end() {
        guard shown >= 0 else { return }
        _ = Output.write("\r\u{1B}[K", to: STDERR_FILENO)
    }
}
