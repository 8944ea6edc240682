internal import Dispatch
internal import Runtime
internal import Synchronization

/// Writes to standard output, one text after the other, on a thread on which nobody else waits: whoever reads it may stop for
/// as long as they like.
final class Printer: Sendable {
    private let terminal: Terminal
    private let clock: any Clock
    private let queue = DispatchQueue(label: "standard output")

    init(_ terminal: Terminal, _ clock: any Clock) {
        self.terminal = terminal
        self.clock = clock
    }

    /// A text that is to be written, or not any more.
    private final class Job: Sendable {
        private enum Phase { case waiting, begun, abandoned }
        private let phase = Mutex(Phase.waiting)

        func begin() -> Bool { leaveLine(.begun) }
        func abandon() -> Bool { leaveLine(.abandoned) }

        private func leaveLine(_ next: Phase) -> Bool {
            phase.withLock { phase in
                guard phase == .waiting else { return false }
                phase = next
                return true
            }
        }
    }

    /// Gives back what became of it within that time, or until its task is cancelled.
    func print(_ text: String, within limit: Duration) async -> Printing {
        let end = clock.uptime() + limit
        let job = Job()
        let (results, result) = AsyncStream.makeStream(of: Printing.self)
        queue.async { [terminal] in
            if job.begin() { result.yield(terminal.print(text)) }
            result.finish()
        }
        let printing = await withTaskGroup(of: Printing?.self) { group in
            group.addTask {
                for await printing in results { return printing }
                return nil
            }
            group.addTask { [clock] in
                try? await clock.sleep(until: end)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if let printing { return printing }
        return job.abandon() ? .failed("whoever reads standard output has not read what came before") : .stuck
    }
}
