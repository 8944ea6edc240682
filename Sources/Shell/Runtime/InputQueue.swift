internal import Synchronization

/// What has happened and waits for the bot's next turn: a queue that anybody may put something into, and that is always
/// emptied as a whole.
///
/// A stream alone would give out one event at a time, and each would cost a commit of its own.
final class InputQueue<Event: Sendable>: Sendable {
    /// Rings when there is something.
    let bell: AsyncStream<Void>
    private let ringer: AsyncStream<Void>.Continuation
    private let content = Mutex<Content>(Content())

    private struct Content {
        var events: [Event] = []
        var isClosed = false
    }

    init() { (bell, ringer) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// Puts something in; false when nobody will look at it any more.
    @discardableResult
    func put(_ event: Event) -> Bool {
        let (isTaken, isFirst) = content.withLock { content in
            guard !content.isClosed else { return (false, false) }
            content.events.append(event)
            return (true, content.events.count == 1)
        }
        // Who finds others before him knows that the bell has been rung for them.
        if isFirst { ringer.yield() }
        return isTaken
    }

    /// Everything since the last call, oldest first.
    func takeAll() -> [Event] {
        content.withLock { content in
            defer { content.events = [] }
            return content.events
        }
    }

    /// Takes nothing more, and ends the ringing.
    func close() {
        content.withLock { $0.isClosed = true }
        ringer.finish()
    }
}
