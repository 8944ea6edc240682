/// When those tasks wake that sleep until something is due, by the machine's clock.
///
/// Nobody calls a sleeper off, so one that wakes early enough serves as well: each poll would leave one behind that sleeps
/// for an hour, because nothing else is due while an answer is waited for.
struct Alarms {
    /// The earliest last.
    private var times: [Duration] = []

    /// Takes in that somebody is to be woken then; false where another wakes early enough, and none is needed.
    mutating func set(to time: Duration) -> Bool {
        guard times.last.map({ time < $0 }) ?? true else { return false }
        times.append(time)
        return true
    }

    /// Takes in that a sleeper woke; false where one that slept for longer woke first: it has spoken for this one, too.
    mutating func ring(_ time: Duration) -> Bool {
        guard times.contains(time) else { return false }
        times.removeAll { $0 <= time }
        return true
    }
}
