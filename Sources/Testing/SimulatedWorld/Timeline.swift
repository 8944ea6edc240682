internal import AlertCore
internal import PluginKit
internal import Runtime

/// Virtual time in its two kinds, and everybody who waits for some of it to pass.
struct Timeline {
    /// Milliseconds since the beginning of the world; the machine's own clock.
    private(set) var uptime: Int64 = 0
    /// What the wall clock shows beyond the machine's.
    private(set) var wallOffset: Int64

    private var heap: [(due: Int64, id: Int)] = []
    private var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var sleepersCount = 0

    init(wall: Moment) { wallOffset = wall.milliseconds }

    var wall: Moment { Moment(milliseconds: uptime + wallOffset) }

    mutating func setWall(by difference: Int64) { wallOffset += difference }

    /// When the next sleeper wants to be woken.
    var next: Int64? {
        mutating get {
            while let first = heap.first, sleepers[first.id] == nil { pop() }
            return heap.first?.due
        }
    }

    /// How many tasks wait for time to pass.
    var asleep: Int { sleepers.count }

    mutating func newSleeper() -> Int {
        sleepersCount += 1
        return sleepersCount
    }

    mutating func sleep(_ id: Int, until due: Int64, _ continuation: CheckedContinuation<Void, any Error>) {
        sleepers[id] = continuation
        heap.append((due, id))
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes a sleeper out whose task was cancelled.
    mutating func cancel(_ id: Int) -> CheckedContinuation<Void, any Error>? { sleepers.removeValue(forKey: id) }

    /// Lets time pass, and gives back who is to be woken.
    mutating func pass(to moment: Int64) -> [CheckedContinuation<Void, any Error>] {
        uptime = max(uptime, moment)
        var woken: [CheckedContinuation<Void, any Error>] = []
        while let due = next, due <= uptime, let first = heap.first {
            if let sleeper = sleepers.removeValue(forKey: first.id) { woken.append(sleeper) }
            pop()
        }
        return woken
    }

    private mutating func pop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [parent * 2 + 1, parent * 2 + 2]
            where child < heap.count && heap[child].due < heap[smallest].due {
                smallest = child
            }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}

/// The clock that one life of the bot sees.
struct LifeClock: Clock {
    let world: World
    let life: Int

    func now() -> Moment { world.time.wall }
    func uptime() -> Duration { .milliseconds(world.time.uptime) }
    func sleep(until uptime: Duration) async throws {
        try await world.sleep(until: (uptime + .microseconds(999)).wholeMilliseconds, life)
    }
}

/// The rest of the machine.
struct LifeHost: Host {
    let world: World
    let life: Int

    func isLowOnPower() -> Bool { world.isLowOnPower }
    func print(_ text: String, within limit: Duration) -> Printing { .done }
    func log(_ notes: [Note]) { if world.isAlive(life) { for note in notes { world.log(note) } } }
    var logsDetails: Bool { false }
}

struct NoFiles: Files {
    func read(_ request: FileRequest) async -> FileResult { .failed("there are no files in this world") }
}
