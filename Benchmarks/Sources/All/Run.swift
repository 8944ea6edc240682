internal import Foundation
internal import Measuring
internal import Programs

/// One benchmark and what it is told.
struct Run {
    /// What its tables are named by.
    let name: String
    private let program: String
    private let arguments: [String]
    private let quick: [String]
    private let needsAlertbot: Bool

    /// - Parameters:
    ///   - program: The benchmark; nil for the one of that name.
    ///   - arguments: What it is told besides.
    ///   - quick: What it is told instead where a few minutes have to do for all of them.
    private init(
        _ name: String, _ program: String? = nil, _ arguments: [String] = [], quick: [String] = [],
        alertbot: Bool = false
    ) {
        self.name = name
        self.program = program ?? name
        self.arguments = arguments
        self.quick = quick
        needsAlertbot = alertbot
    }

    /// In their order in docs/benchmarks.md.
    static let all = [
        Run("journal", quick: ["--quick"]),
        Run("journal-in-memory", "journal", ["/dev/shm"], quick: ["--quick", "/dev/shm"]),
        Run("storm", quick: ["--rounds", "1", "1000"], alertbot: true),
        Run("start", quick: ["10000"], alertbot: true),
        Run("signal", quick: ["--quick", "--users", "500", "--watched", "users"]),
        Run("steady", quick: ["10", "100"]),
        Run("memory"),
        Run("latency", nil, ["--seconds", "90"], quick: ["--seconds", "30"], alertbot: true),
        Run("soak", quick: ["--days", "1", "--minutes", "1"], alertbot: true),
        Run("fleet", quick: ["--seconds", "15", "100"], alertbot: true),
        Run("judge", quick: ["--quick"]),
        Run("instructions"),
        Run("replay", quick: ["0.05"], alertbot: true),
        Run("backtest", quick: ["1"]),
        Run("outlook", "backtest", ["--outlook"], quick: ["--outlook", "200"]),
    ]

    /// Runs it, showing what it prints; gives back the rows of its tables.
    func rows(_ programs: String, _ alertbot: String, isQuick: Bool) throws -> [Table.Row] {
        let file = FileManager.default.currentDirectoryPath + "/rows.jsonl"
        try Data().write(to: URL(fileURLWithPath: file))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: programs + "/" + program)
        process.arguments = (needsAlertbot ? ["--alertbot", alertbot] : []) + (isQuick ? quick : arguments)
        process.environment = ProcessInfo.processInfo.environment.merging([Table.fileVariable: file]) { $1 }
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Trouble("\(name) ended with \(process.terminationStatus)") }
        let rows = try Data(contentsOf: URL(fileURLWithPath: file)).split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Table.Row.self, from: $0)
        }
        guard !rows.isEmpty else { throw Trouble("\(name) has no table") }
        return rows
    }
}
