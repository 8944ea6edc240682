import AlertModel
import Markup

/// A stream of server-sent events: the card of each story of the inbox that has new messages, and the bot's state when it
/// changes.
struct EventStream: Sendable {
    let view: any BotView
    let pages: Page.Maker
    let limits: Limits

    /// Where a stream begins: after the message of that id, or with all that are kept when there is no such message.
    struct Start: Hashable, Sendable {
        let after: String?
    }

    /// Sends events until the client goes away, is too slow, or the bot stops.
    ///
    /// Whatever wakes the stream, it sends what the inbox has after the last message sent. The bell is there before the
    /// inbox is read first, so no message can fall between reading and listening.
    func run(to output: EventOutput, _ start: Start) async {
        let bell = await asking { await $0.inboxBell() }
        output.wake.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await pass(bell, to: output) }
            group.addTask { try? await send(to: output, start) }
            // Whichever ends first ends the stream: the bot or the client.
            await group.next()
            group.cancelAll()
        }
    }

    /// Wakes the stream when the bell rings. The bot may do hundreds of things a second, and each look costs as much
    /// whatever has come of them, so rings that come close together are one.
    private func pass(_ bell: AsyncStream<Void>, to output: EventOutput) async throws {
        for await _ in bell {
            output.wake.yield()
            try await Task.sleep(for: limits.ringInterval)
        }
    }

    private func send(to output: EventOutput, _ start: Start) async throws {
        var last = start.after
        var told: BotHealth?
        var spoke = ContinuousClock.now
        // Browsers wait that many milliseconds before they connect again.
        var text = "retry: 3000\n\n"
        func flush() async throws {
            // Before it is on its way: the next sign of life is due so long after it has gone.
            spoke = .now
            let bytes = Array(text.utf8)
            text = ""
            try await output.send(bytes)
        }
        for await _ in output.wakes {
            // Who has left may have been woken before.
            guard await output.isRead else { return }
            let (wall, health, messages) = await asking { view in
                await (view.wall(), view.health(), view.inboxMessages(limit: limits.messagesMax))
            }
            let page = pages.page(wall)
            if health != told {
                text += EventStream.event("health", data: page.state(health))
                told = health
            }
            // In the order of their latest messages: whoever goes on after any of them has missed nothing before it. The page
            // puts each where the card of that story was before.
            for story in InboxStory.all(in: messages, after: last) {
                text += "id: \(story.latest.id.tamed)\n" + EventStream.event("message", data: page.card(story))
                last = story.latest.id
                // Who reads slowly, or not at all, holds no more than that, and the others have their turn in between.
                if text.utf8.count >= limits.eventBytesAtOnce { try await flush() }
            }
            // A sign of life keeps proxies from closing the connection, finds out whether the client is there, and tells the
            // page that the bot is: an event, as comments never reach a script. Much that the bot does is no news here.
            if text.isEmpty {
                guard spoke.duration(to: .now) >= limits.heartbeat else { continue }
                text = EventStream.signOfLife
            }
            try await flush()
        }
    }

    /// Asks the bot on the threads on which it works. Asked from here, it would answer on the thread that the streams share,
    /// in turn with them, and whatever else it has to do would wait behind that.
    private func asking<Answer: Sendable>(_ question: @Sendable (any BotView) async -> Answer) async -> Answer {
        await withTaskExecutorPreference(globalConcurrentExecutor) { await question(view) }
    }

    static let signOfLife = "event: alive\ndata:\n\n"

    private static func event(_ name: String, data: HTML) -> String {
        let lines = data.text.split(whereSeparator: \.isNewline).map { "data: \($0)\n" }
        return "event: \(name)\n" + lines.joined() + "\n"
    }
}

extension [InboxMessage] {
    /// The messages after the one of that id; all when it is not among them, which the page then sorts out.
    func after(id: String?) -> ArraySlice<InboxMessage> {
        guard let id, let index = lastIndex(where: { $0.id == id }) else { return self[...] }
        return self[(index + 1)...]
    }
}
