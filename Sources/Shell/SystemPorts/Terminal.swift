internal import AlertCore
internal import Glibc
internal import PluginKit
public import Runtime
internal import Synchronization

/// The two ways out of a command: what was asked for, and everything else.
public struct Terminal: Sendable {
    private let output: Int32
    private let errors: Int32
    private let variables: Variables
    private let clock: any Clock
    /// In which form everything else is said; bars are for people alone.
    public private(set) var logFormat = LogFormat.text

    /// What the program was started with.
    public static let standard = Terminal(
        output: STDOUT_FILENO, errors: STDERR_FILENO, variables: .ofProcess, clock: SystemClock())

    /// - Parameters:
    ///   - output: the descriptor for what was asked for.
    ///   - errors: the descriptor for everything else.
    public init(output: Int32, errors: Int32, variables: Variables, clock: any Clock) {
        self.output = output
        self.errors = errors
        self.variables = variables
        self.clock = clock
    }

    /// The same where what was asked for is wanted by itself, and all the rest is not.
    public var onlyErrors: Terminal { Terminal(output: errors, errors: errors, variables: variables, clock: clock) }

    /// The same with everything else in that form.
    public func logging(_ format: LogFormat) -> Terminal {
        var copy = self
        copy.logFormat = format
        return copy
    }

    /// A line of what was asked for.
    public func line(_ text: String) throws(Failure) { try self.text(text + "\n") }

    /// What was asked for. Where the system does not take it the command ends: half an answer must not pass for a
    /// whole.
    public func text(_ text: String) throws(Failure) {
        // A reader that goes away early, such as `head`, has what it wanted.
        guard !write(text, to: output), errno != EPIPE else { return }
        throw Failure(.impossible, "the output cannot be written: \(String(cString: strerror(errno)))")
    }

    /// What was asked for, where the command goes on whatever becomes of it.
    func print(_ text: String) -> Printing {
        write(text, to: output) ? .done : .failed("standard output takes nothing: \(String(cString: strerror(errno)))")
    }

    /// Everything else; where that cannot be said there is nobody to tell.
    public func error(_ text: String) {
        switch logFormat {
        case .text: say(text)
        case .json: say(LogFormat.line(Note(.error, text), at: clock.now()))
        }
    }

    /// What a pipe takes in one piece, in bytes: `PIPE_BUF` of pipe(7). Of more, another's line could land in the middle.
    private static let pieceMax = 4096

    /// Lines of the log, in as few calls of the system as keep each of them whole.
    func log(_ lines: [String]) {
        var piece: [UInt8] = []
        func write() {
            if !piece.isEmpty { _ = Descriptor.write(piece[...], to: errors) }
            piece.removeAll(keepingCapacity: true)
        }
        for line in lines {
            if piece.count + line.utf8.count >= Terminal.pieceMax { write() }
            piece += line.utf8
            piece.append(UInt8(ascii: "\n"))
        }
        write()
    }

    private func say(_ text: String) { _ = write(text + "\n", to: errors) }

    /// Something drawn over on the way out for everything else.
    fileprivate func draw(_ text: String) { _ = write(text, to: errors) }

    private func write(_ text: String, to descriptor: Int32) -> Bool {
        Descriptor.write(Array(text.utf8)[...], to: descriptor)
    }

    /// The columns of the terminal that what was asked for goes to; nil where it is none.
    public var width: Int? {
        var size = winsize()
        guard isatty(output) == 1 else { return nil }
        // A terminal that does not know how wide it is has the usual width.
        return ioctl(output, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Whether what was asked for is to be coloured.
    public func isColored(_ choice: ColorChoice) -> Bool {
        switch choice {
        case .always: true
        case .never: false
        case .auto:
            // https://no-color.org: set and not empty means no.
            (variables["NO_COLOR"] ?? "").isEmpty && isatty(output) == 1
                && (variables["TERM"].map { $0 != "dumb" } ?? false)
        }
    }

    /// Whether words of what was asked for can lead somewhere: never where it goes into a pipe or a file, whatever is said
    /// of colours.
    public func hasLinks(_ choice: ColorChoice) -> Bool {
        // The kernel's own console shows such a sequence where it does not know it.
        choice != .never && isatty(output) == 1 && isColored(.auto) && variables["TERM"] != "linux"
    }

    /// A bar for work that may take long, which has just begun.
    ///
    /// - Parameter total: of what there is to do, where that is known: then the bar appears though nothing be done yet.
    public func progress(_ what: String, of total: Int = 0) -> ProgressBar {
        ProgressBar(what, self, clock, isWatched: isatty(errors) == 1, isWaiting: total > 0)
    }
}

/// Whether to colour.
public enum ColorChoice: String, CaseIterable, Sendable { case auto, always, never }

/// A bar on standard error for work that takes longer than two seconds; silent when nobody watches.
public struct ProgressBar: Sendable {
    /// Nil when nobody watches.
    private let pane: Pane?
    /// What draws the bar when its time has come, should nothing be done by then.
    let waiting: Task<Void, Never>?

    fileprivate init(_ what: String, _ terminal: Terminal, _ clock: any Clock, isWatched: Bool, isWaiting: Bool) {
        guard isWatched else {
            (pane, waiting) = (nil, nil)
            return
        }
        let pane = Pane(what, terminal, clock)
        self.pane = pane
        waiting = isWaiting ? Task { await pane.appear() } : nil
    }

    public func show(_ done: Int, of total: Int) { pane?.show(done, of: total) }

    /// Takes the bar away; it is back with the next word of what is done.
    public func end() {
        waiting?.cancel()
        pane?.clear()
    }

    /// Where the bar is drawn.
    private final class Pane: Sendable {
        private struct State {
            var isOver = false
            /// Nil when there is no bar.
            var shown: Int?
        }

        private let what: String
        private let terminal: Terminal
        private let clock: any Clock
        /// From when on there is a bar, by the machine's clock.
        private let due: Duration
        private let state = Mutex(State())

        private static let patience = Duration.seconds(2)
        private static let width = 30

        init(_ what: String, _ terminal: Terminal, _ clock: any Clock) {
            self.what = what
            self.terminal = terminal
            self.clock = clock
            due = clock.uptime() + Pane.patience
        }

        /// Waits until it is time for a bar, and draws it unless one is there, or all is done.
        func appear() async {
            guard (try? await clock.sleep(until: due)) != nil else { return }
            state.withLock { state in
                if !state.isOver, state.shown == nil { draw(0, &state) }
            }
        }

        func show(_ done: Int, of total: Int) {
            guard total > 0, clock.uptime() >= due else { return }
            let percent = min(100, done * 100 / total)
            state.withLock { state in
                if state.shown != percent { draw(percent, &state) }
            }
        }

        func clear() {
            state.withLock { state in
                if state.shown != nil { terminal.draw("\r\u{1B}[K") }
                state = State(isOver: true)
            }
        }

        private func draw(_ percent: Int, _ state: inout State) {
            state.shown = percent
            let filled = percent * Pane.width / 100
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Pane.width - filled)
            terminal.draw("\r\(what) \(bar) \(percent)%")
        }
    }
}
