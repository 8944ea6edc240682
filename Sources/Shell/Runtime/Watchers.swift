/// Who wants to hear of every turn, each by a bell.
struct Watchers {
    private var bells: [Int: AsyncStream<Void>.Continuation] = [:]
    private var count = 0

    /// - Parameter left: called when nobody listens to the bell any more, with the number to drop it by.
    mutating func add(_ left: @escaping @Sendable (Int) -> Void) -> AsyncStream<Void> {
        let (stream, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = count
        count += 1
        bells[id] = bell
        bell.onTermination = { _ in left(id) }
        return stream
    }

    mutating func drop(_ id: Int) { bells[id] = nil }

    /// Whoever is slow hears once of all turns since the last ring that was heard.
    func ring() { for bell in bells.values { bell.yield() } }

    /// The last that they hear.
    func end() { for bell in bells.values { bell.finish() } }
}
