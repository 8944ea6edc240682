internal import Journal
internal import Measuring

/// Durable records a second: the journal beside SQLite, turn by turn on the same disk.
@main struct Bench {
    private static let sizes = [300, 2_000]
    private static let batches = [1, 10, 100, 1_000]
    private static let at = "2026-11-21T02:41:54.123Z"

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let isQuick = arguments.contains("--quick")
        let parent = arguments.first { $0 != "--quick" } ?? "."
        let rounds = isQuick ? 3 : 7
        let duration = Duration.milliseconds(isQuick ? 50 : 400)
        print("Durable records a second, median of \(rounds) rounds of \(duration) each, in turns.")
        print("SQLite \(SQLiteLog.version): WAL, synchronous=FULL, one transaction a batch.\n")
        var rows = [["record", "batch", "journal", "SQLite", "ratio", "ratios of the rounds"]]
        for size in sizes {
            for batch in batches { rows.append(try row(size, batch, parent, rounds, duration)) }
        }
        printTable("records", rows, names: 2)
    }

    private static func row(_ size: Int, _ batch: Int, _ parent: String, _ rounds: Int, _ duration: Duration) throws
        -> [String]
    {
        let payload =
            Array("{\"kind\":\"".utf8) + Array(repeating: UInt8(ascii: "x"), count: size - 11)
            + Array("\"}".utf8)
        var ours: [Double] = []
        var theirs: [Double] = []
        try withScratchFolder(in: parent) { folder in
            var writer = try JournalWriter.open(FolderDisk(folder + "/journal")) { _ in }
            let log = try SQLiteLog(folder + "/records.sqlite")
            for _ in 0..<rounds {
                ours.append(
                    try rate(over: duration, each: batch) {
                        for _ in 0..<batch { try writer.append(payload, at: at) }
                        try writer.commit()
                    })
                theirs.append(
                    try rate(over: duration, each: batch) { try log.commit(batch, of: payload, at: at) })
            }
        }
        let ratios = zip(ours, theirs).map { $0 / $1 }
        let spread = "\(Measuring.ratio(ratios.min() ?? 0)) to \(Measuring.ratio(ratios.max() ?? 0))"
        return [
            "\(size) B", "\(batch)", grouped(median(ours)), grouped(median(theirs)), Measuring.ratio(median(ratios)),
            spread,
        ]
    }
}
