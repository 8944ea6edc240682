internal import AlertCore
internal import Journal
internal import PluginKit
internal import Synchronization

/// Keeps a recording beside the bot, which hands over and never waits.
final class Recorder: Sendable {
    enum Entry: Sendable {
        case polled(source: String, PollReport, asked: Moment, arrived: Moment)
        /// The journal needs the room of the oldest file.
        case makeRoom
    }

    private let entries: AsyncStream<Entry>
    private let hand: AsyncStream<Entry>.Continuation
    private let disk: any JournalDisk
    private let host: any Host
    /// Why nothing is recorded now.
    private let heldUp = Mutex<String?>(nil)

    /// Polls that wait to be written: some minutes of a busy bot. A disk that takes longer loses what comes then.
    private static let waitingMax = 256

    init(_ disk: any JournalDisk, _ host: any Host) {
        (entries, hand) = AsyncStream.makeStream(
            of: Entry.self, bufferingPolicy: .bufferingOldest(Recorder.waitingMax))
        self.disk = disk
        self.host = host
    }

    /// What keeps it from recording, if anything does.
    var trouble: String? { heldUp.withLock { $0 } }

    func put(_ entry: Entry) {
        if case .dropped = hand.yield(entry) { say("the disk of \(disk.folder) is not keeping up") }
    }

    /// Takes nothing more; `run` ends once what waits is written.
    func end() { hand.finish() }

    /// Writes until the end.
    func run() async {
        var recording = Recording(disk)
        for await entry in entries {
            do throws(DiskFault) {
                switch entry {
                case .polled(let source, let report, let asked, let arrived):
                    try recording.write(report.lines(of: source, asked: asked, arrived: arrived), at: arrived)
                    say(nil)
                case .makeRoom:
                    guard let name = try recording.makeRoom() else { continue }
                    host.log(Note(.warning, "removed the recorded observations \(name): the journal needs the space"))
                }
            } catch {
                say(JournalError(error, in: disk.folder).description)
            }
        }
    }

    /// Tells it once when recording stops, and once when it goes on.
    private func say(_ trouble: String?) {
        let isNews = heldUp.withLock { heldUp in
            defer { heldUp = trouble }
            return (heldUp == nil) != (trouble == nil)
        }
        guard isNews else { return }
        host.log(
            trouble.map { Note(.warning, "observations are not recorded: \($0)") }
                ?? Note(.info, "observations are recorded again"))
    }
}
