// SystemPorts has the ports of Runtime as a Linux machine has them, and what else commands need of it: signals,
// systemd, files that are read and written as a whole, a terminal. It decides nothing; whoever is given a `Machine` can
// be given another one by a test.

public import Journal
public import Runtime

/// All that a command needs of the machine it runs on.
public struct Machine: Sendable {
    public var terminal: Terminal
    public var clock: any Clock
    public var web: any Web
    public var files: any Files
    public var variables: Variables
    public var painter: any Painter
    /// What cancels work that may take long.
    public var interruption: Interruption

    public init(
        terminal: Terminal, clock: any Clock, web: any Web, files: any Files, variables: Variables,
        painter: any Painter, interruption: Interruption
    ) {
        self.terminal = terminal
        self.clock = clock
        self.web = web
        self.files = files
        self.variables = variables
        self.painter = painter
        self.interruption = interruption
    }

    /// The machine as a bot with that state folder sees it.
    public func host(stateFolder: String) -> SystemHost {
        SystemHost(stateFolder: stateFolder, terminal: terminal, clock: clock, variables: variables)
    }

    /// The ports of a bot with that state folder.
    public func ports(
        stateFolder: String, recording: (any JournalDisk)? = nil, faults: Faults? = nil
    ) -> Ports {
        Ports(
            clock: clock, web: web, files: files, host: host(stateFolder: stateFolder), painter: painter,
            recording: recording, faults: faults)
    }
}
