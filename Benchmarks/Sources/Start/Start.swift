internal import AlertCore
internal import AlertTesting
internal import Chance
internal import Foundation
internal import Journal
internal import Measuring
internal import PluginKit
internal import Programs

// How long the program takes to know again what a long journal says: `alertbot status` from its start to its exit, and
// `alertbot run` until it is up. The journal is written by the core itself, which is told of some hundred apps, and
// holds no snapshot: compaction, which would keep it short, does not run here. Then the same with a long config.

@main
enum Start {
    static func main() {
        do { try measure() } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func measure() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.first == "--alertbot", arguments.count >= 2,
            FileManager.default.isExecutableFile(atPath: arguments[1])
        else { throw Trouble("usage: start --alertbot PATH [RECORDS...]") }
        let counts = arguments.count == 2 ? [100_000, 1_000_000] : arguments.dropFirst(2).compactMap { Int($0) }
        let table = Table("starts", ["records", "MiB", "`status`, s", "`run` until up, s", "peak memory, MiB"])
        for count in counts {
            try withScratch { folder in
                let bytes = try writeJournal(of: count, to: folder + "/state")
                try config.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
                let status = try (0..<5).map { _ in try timeOfStatus(arguments[1], folder) }.median
                let runs = try (0..<5).map { _ in try timeOfRun(arguments[1], folder) }
                let peak = Double(runs.map(\.peakBytes).max() ?? 0)
                let figures = [Double(bytes) / 1_048_576, status, runs.map(\.seconds).median, peak / 1_048_576]
                table.add(["\(count)"] + figures.map { String(format: "%.2f", $0) })
            }
        }
        try Configs.measure(arguments[1])
    }

    private static let config = """
        version: 1
        bot: {name: start, state: ./state, listen: "off"}
        sources:
          apps: {plugin: file, path: none.jsonl}
        rules:
          floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%"}
        channels:
          team: {plugin: inbox}

        """

    private static func timeOfStatus(_ binary: String, _ folder: String) throws -> Double {
        let begin = ContinuousClock.now
        try run(binary, ["status", "--config", folder + "/config.yaml"], in: folder)
        let took = ContinuousClock.now - begin
        return Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
    }

    /// A bot that ran has changed its journal: this one gets a copy.
    private static func timeOfRun(_ binary: String, _ original: String) throws -> (seconds: Double, peakBytes: Int) {
        let folder = original + "/copy"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["state", "config.yaml"] {
            try FileManager.default.copyItem(atPath: original + "/" + name, toPath: folder + "/" + name)
        }
        // What the copy has left to be written out is not the start's.
        sync()
        let begin = Date()
        let bot = try Child(binary, ["run", "--config", folder + "/config.yaml"], in: folder)
        defer { bot.stop() }
        var up: Date?
        try wait("alertbot was up") {
            guard bot.isRunning else { throw Trouble("it ended early:\n\(bot.lastWords)") }
            up = bot.said(": watching ")
            return up != nil
        }
        return (up?.timeIntervalSince(begin) ?? 0, bot.peakBytes)
    }
}

/// Lets the core live until it has written so many records; gives the bytes of the journal.
private func writeJournal(of count: Int, to folder: String) throws -> Int {
    var writer = try JournalWriter.open(FolderDisk(folder)) { _ in }
    let sources = (0..<25).map { "source-\($0)" }
    let core = Core(
        plan: .rehearsed(
            sources: sources.map { SourcePlan(name: $0) }, channels: [ChannelPlan(name: "team", pace: .unlimited)],
            concurrency: 100))
    var state = State()
    var now = Moment.rehearsalStart
    var random = SeededRandom(seed: 1)
    /// Until when each app is in trouble.
    var troubles: [Subject: Moment] = [:]
    var inputs: [Input] = [.started]
    var written = 0
    while written < count {
        let output = core.step(&state, inputs, at: now)
        inputs = []
        for fact in output.facts.prefix(count - written) {
            try writer.append(fact.bytes, at: now.description, about: fact.topic)
            written += 1
        }
        if writer.pendingBytes > 4 << 20 { try writer.commit() }
        for effect in output.effects {
            switch effect {
            case .poll(let order):
                let seen = (0..<4).map { app -> Observation in
                    let subject = Subject(source: order.source, app: "app-\(app)", environment: "production")
                    if random.happens(0.001) { troubles[subject] = now + .minutes(40) }
                    let isBad = troubles[subject].map { $0 > now } ?? false
                    return .cue(isBad ? .critical : .fine, users: 2000 + app, of: subject, at: now)
                }
                inputs.append(.polled(source: order.source, PollReport(.values(seen)), validators: [:]))
            case .send(let order): inputs.append(.delivered(id: order.delivery.id, .delivered(receipt: nil)))
            case .note, .decided, .answered: continue
            }
        }
        if inputs.isEmpty {
            now = state.nextDue ?? now + .minutes(1)
            inputs = [.tick]
        }
    }
    try writer.commit()
    return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
        let size = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int
        return sum + (size ?? 0)
    }
}

extension Observation {
    /// What the detector looks at, beside the figures that sources give.
    fileprivate static func cue(_ cue: Cue, users: Int, of subject: Subject, at now: Moment) -> Observation {
        var seen = Observation.cue(cue, of: subject, at: now)
        seen.metrics[.users] = Double(users)
        seen.metrics[.crashedUsers] = Double(users / 100)
        return seen
    }
}
