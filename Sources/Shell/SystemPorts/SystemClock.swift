internal import Glibc
public import PluginKit
public import Runtime

/// The clocks of this machine.
public struct SystemClock: Clock {
    public init() {}

    public func now() -> Moment { Moment(milliseconds: SystemClock.read(CLOCK_REALTIME) / 1_000_000) }

    public func uptime() -> Duration { .nanoseconds(SystemClock.read(CLOCK_BOOTTIME)) }

    /// One of the system's clocks, in nanoseconds.
    static func read(_ clock: clockid_t) -> Int64 {
        // A `timespec` is two words. Its members have names, but the compiler sees them or not depending on which file
        // it happens to read first: the structure is declared by more than one of the system's modules.
        var time = (seconds: 0, nanoseconds: 0)
        withUnsafeMutableBytes(of: &time) { bytes in
            guard let words = bytes.baseAddress?.assumingMemoryBound(to: timespec.self) else { return }
            clock_gettime(clock, words)
        }
        return Int64(time.seconds) * 1_000_000_000 + Int64(time.nanoseconds)
    }

    public func sleep(until uptime: Duration) async throws {
        // The machine may have slept through the end of a wait, so no single wait is long.
        while true {
            let left = uptime - self.uptime()
            guard left > .zero else { return }
            try await Task.sleep(for: min(left, SystemClock.sleepMax))
        }
    }

    private static let sleepMax = Duration.seconds(30)
}
