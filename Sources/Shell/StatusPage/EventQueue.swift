internal import Dispatch

/// A serial queue that an actor runs on: what the system calls there is in the actor's isolation like its own
/// functions.
final class EventQueue: SerialExecutor {
    let queue = DispatchQueue(label: "status-page")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// What `assumeIsolated` asks where no job runs but what the system called.
    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// A thread apart from the pool that the bot works on. An actor without an executor of its own, as the bot, answers on the
/// thread of whoever asks: what runs here one at a time never has a job of the bot wait behind it, and whatever shares this
/// thread asks elsewhere.
final class ReadingQueue: TaskExecutor {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Calls back whenever a descriptor can be read, until it is stopped.
final class Watch {
    private let source: any DispatchSourceRead
    private var isPaused = false

    /// `stopped` is called once the system looks at the descriptor no more: only then may it be closed, or its number
    /// could by then be that of another.
    init(
        _ descriptor: Int32, on events: EventQueue, readable: @escaping @Sendable () -> Void,
        stopped: @escaping @Sendable () -> Void
    ) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: events.queue)
        source.setEventHandler { readable() }
        source.setCancelHandler { stopped() }
        source.activate()
    }

    func pause() {
        guard !isPaused else { return }
        isPaused = true
        source.suspend()
    }

    func resume() {
        guard isPaused else { return }
        isPaused = false
        source.resume()
    }

    func stop() {
        // A source that is paused would keep its end to itself.
        resume()
        source.cancel()
    }
}
