/// Who waits for the answer to a command, or to what was pushed, by the number of that input.
struct Askers {
    private var waiting: [Int: CheckedContinuation<CommandReply, Never>] = [:]
    private var count = 0

    /// - Returns: the number that the input gets.
    mutating func add(_ asker: CheckedContinuation<CommandReply, Never>) -> Int {
        count += 1
        waiting[count] = asker
        return count
    }

    mutating func answer(_ id: Int, _ reply: CommandReply) { waiting.removeValue(forKey: id)?.resume(returning: reply) }
}
