internal import AlertModel
internal import CCurl
internal import Synchronization

/// What a transfer must keep to.
struct TransferBounds: Sendable {
    /// When the time the caller gave is over.
    let deadline: ContinuousClock.Instant
    /// The whole of that time, for messages.
    let timeout: Duration
    let connectTimeout: Duration
    let idleMax: Duration
    let headerBytesMax: Int
    let bodyBytesMax: Int

    var timeLeft: Duration { ContinuousClock.now.duration(to: deadline) }
}

/// What a transfer brought.
enum Answer: Sendable {
    /// And where it points to if it is a redirect.
    case http(HTTPResponse, redirectURL: String?)
    case mail(MailAnswer)
}

/// One errand on its way to the loop, with the caller who waits for it. A class, for it lies in one queue after the other.
final class Job: Sendable {
    let id: UInt64
    let errand: Errand
    let bounds: TransferBounds
    /// Resumed exactly once: by whoever takes the job out of the mailbox or out of the loop.
    let continuation: CheckedContinuation<Result<Answer, TransportError>, Never>

    init(
        id: UInt64, errand: Errand, bounds: TransferBounds,
        continuation: CheckedContinuation<Result<Answer, TransportError>, Never>
    ) {
        self.id = id
        self.errand = errand
        self.bounds = bounds
        self.continuation = continuation
    }

    /// Ends the job when nothing of it was sent.
    func fail(_ cause: TransportError.Cause, _ description: String) {
        continuation.resume(returning: .failure(.unsent(cause, description)))
    }

    /// Ends the job when its caller gave up before anything was sent.
    func failAsCancelled() { fail(.cancelled, "the request to \(errand.peer) was cancelled before it was sent") }
}

/// The handle of a loop that other threads may hold in order to wake it.
///
/// `@unchecked Sendable`: on other threads than the loop's, the only function called through a copy of it is
/// `curl_multi_wakeup`, which libcurl allows, and only under the mailbox's lock while the handle is alive.
struct Waker: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer

    func wake() { _ = curl_multi_wakeup(multi) }
}

/// The lock-protected place between callers, who may be anywhere, and the one thread that runs the transfers.
final class Mailbox: TaskExecutor {
    enum Order: Sendable {
        case start(Job)
        case cancel(UInt64)
        /// A piece of a task that prefers this thread.
        case run(UnownedJob)
        case stop
    }

    private enum Phase {
        case running(Waker)
        /// The loop takes no more orders; its handle must not be woken.
        case draining
        /// Nothing is left; new requests fail with this.
        case closed(TransportError)
    }

    private struct State {
        var phase: Phase
        var orders: [Order] = []
        /// Whether the loop waits, or is about to: else it looks into the mailbox before it does.
        var isLoopAsleep = false
        var closingWaiters: [CheckedContinuation<Void, Never>] = []

        /// Waking costs the loop and whoever wakes it a system call each, so it is done once, and only while it sleeps;
        /// what the loop posts to itself wakes nobody.
        mutating func post(_ order: Order, _ waker: Waker) {
            orders.append(order)
            guard isLoopAsleep else { return }
            isLoopAsleep = false
            waker.wake()
        }
    }

    static let shutDown = TransportError.unsent(.cancelled, "the request was not sent: the transport is shut down")

    private let state: Mutex<State>
    private let lastID = Atomic<UInt64>(0)

    init(_ waker: Waker) { state = Mutex(State(phase: .running(waker))) }

    /// A mailbox without a loop, which answers everything with an error.
    init(closed error: TransportError) { state = Mutex(State(phase: .closed(error))) }

    func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    func submit(_ job: Job) {
        let refusal: TransportError? = state.withLock { state in
            switch state.phase {
            case .running(let waker):
                state.post(.start(job), waker)
                return nil
            case .draining: return Mailbox.shutDown
            case .closed(let error): return error
            }
        }
        if let refusal { job.continuation.resume(returning: .failure(refusal)) }
    }

    /// Cancels a job that was submitted; does nothing if it is over.
    func cancel(_ id: UInt64) { post(.cancel(id)) }

    /// Asks the loop to end.
    func stop() { post(.stop) }

    private func post(_ order: Order) {
        state.withLock { state in
            guard case .running(let waker) = state.phase else { return }
            state.post(order, waker)
        }
    }

    /// Returns when the loop has ended and its connections are closed.
    func closing() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if case .closed = state.phase { return true }
                state.closingWaiters.append(continuation)
                return false
            }
            if isClosed { continuation.resume() }
        }
    }

    // MARK: Tasks on the loop's thread

    /// Has the loop run a piece of a task; where there is no loop any more, whoever runs all other tasks does.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTaken = state.withLock { state in
            guard case .running(let waker) = state.phase else { return false }
            state.post(.run(job), waker)
            return true
        }
        if !isTaken { globalConcurrentExecutor.enqueue(job) }
    }

    // MARK: The loop's side

    /// The orders since the last call, oldest first.
    func takeOrders() -> [Order] {
        state.withLock { state in
            defer { state.orders = [] }
            state.isLoopAsleep = false
            return state.orders
        }
    }

    /// Whether the loop may wait now: there are no orders, and the next one will wake it.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isLoopAsleep = state.orders.isEmpty
            return state.isLoopAsleep
        }
    }

    /// Ends the taking of orders and gives what was left. From now on nobody touches the loop's handle.
    func drain() -> [Order] {
        state.withLock { state in
            defer { state.orders = [] }
            state.phase = .draining
            return state.orders
        }
    }

    /// Tells everybody who waits that the loop is gone, and what to say to those who come later.
    func close(_ error: TransportError) {
        let waiters = state.withLock { state in
            defer { state.closingWaiters = [] }
            state.phase = .closed(error)
            return state.closingWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
