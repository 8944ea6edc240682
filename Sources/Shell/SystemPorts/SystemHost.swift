public import AlertCore
internal import Glibc
internal import PluginKit
public import Runtime

/// Logs to standard error, the way systemd likes it: one line each, with its level as `<N>` where the journal reads.
public struct SystemHost: Host {
    private let stateFolder: String
    private let terminal: Terminal
    private let clock: any Clock
    private let printer: Printer
    private let isUnderJournal: Bool
    private let powerFolder: String

    /// - Parameter terminal: where channels print that write to standard output, and where the log goes.
    public init(stateFolder: String, terminal: Terminal, clock: any Clock, variables: Variables) {
        self.init(
            stateFolder: stateFolder, terminal: terminal, clock: clock, variables: variables,
            powerFolder: "/sys/class/power_supply")
    }

    init(stateFolder: String, terminal: Terminal, clock: any Clock, variables: Variables, powerFolder: String) {
        self.stateFolder = stateFolder
        self.terminal = terminal
        self.clock = clock
        printer = Printer(terminal, clock)
        isUnderJournal = variables["JOURNAL_STREAM"] != nil
        self.powerFolder = powerFolder
    }

    public func print(_ text: String, within limit: Duration) async -> Printing {
        await printer.print(text, within: limit)
    }

    public func log(_ notes: [Note]) {
        let now = clock.now()
        let time = now.description
        terminal.log(notes.map { line(of: $0, now, time) })
    }

    public var logsDetails: Bool { terminal.logFormat == .json }

    private func line(of note: Note, _ now: Moment, _ time: String) -> String {
        let text = note.text.tamed
        // The journal takes the priority off before it looks at the rest.
        let priority = isUnderJournal ? "<\(note.level.priority)>" : ""
        return switch terminal.logFormat {
        case .json: priority + LogFormat.line(Note(note.level, text, note.details), at: now)
        case .text where isUnderJournal: priority + text
        case .text: time + " " + note.level.rawValue + ": " + text
        }
    }

    public func isLowOnPower() -> Bool {
        if access(stateFolder + "/low-power", F_OK) == 0 { return true }
        return FolderNames.visible(in: powerFolder).contains { name in
            let status = try? WholeFile.read("\(powerFolder)/\(name)/status", bytesMax: SystemHost.statusBytesMax)
            return status.map { String(decoding: $0, as: UTF8.self).trimmed == "Discharging" } ?? false
        }
    }

    /// The longest of the kernel's words for it has 12 letters.
    private static let statusBytesMax = 64
}

extension Note.Level {
    /// That of syslog.
    fileprivate var priority: Int {
        switch self {
        case .error: 3
        case .warning: 4
        case .info: 6
        }
    }
}
