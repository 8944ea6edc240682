internal import AlertTesting
internal import Chance
internal import Glibc
internal import Synchronization

/// Runs every task of a simulation on one thread, one job at a time, in the order that a seed picks.
///
/// Tasks that prefer it (SE-0417), their children and the actors they call leave their jobs here; nothing runs until
/// `step` is called. So a run is one long function, and can be played again.
final class StepExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let owner = pthread_self()

    var isIdle: Bool { jobs.withLock { $0.isEmpty } }

    func enqueue(_ job: consuming ExecutorJob) {
        precondition(pthread_equal(owner, pthread_self()) != 0, "a job of the simulation comes from another thread")
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs one of the jobs that wait; false when there is none.
    func step(_ random: inout SeededRandom) -> Bool {
        let job = jobs.withLock { jobs -> UnownedJob? in
            guard jobs.count > 1 else { return jobs.popLast() }
            jobs.swapAt(Int(random.next() % UInt64(jobs.count)), jobs.count - 1)
            return jobs.removeLast()
        }
        guard let job else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}
