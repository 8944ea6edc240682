import AlertModel

/// All that one channel of the inbox was sent of one incident, which the page shows as one card; a message about no
/// single incident is a story by itself.
struct InboxStory: Hashable, Sendable {
    /// Never empty; oldest first.
    let messages: [InboxMessage]

    private init(messages: [InboxMessage]) { self.messages = messages }

    /// What people read first.
    var latest: InboxMessage { messages[messages.count - 1] }
    /// All but the latest, oldest first.
    var earlier: ArraySlice<InboxMessage> { messages.dropLast() }

    /// One step of what happened: messages of one kind that follow each other are one, with the moment of the last.
    struct Step: Hashable {
        let message: InboxMessage
        var count: Int
    }

    var course: [Step] {
        var steps: [Step] = []
        for message in messages {
            if let last = steps.last, last.message.message.kind == message.message.kind {
                steps[steps.count - 1] = Step(message: message, count: last.count + 1)
            } else {
                steps.append(Step(message: message, count: 1))
            }
        }
        return steps
    }

    /// What messages have to share for one card.
    private struct Topic: Hashable {
        let channel: String
        let incident: String
    }

    /// The stories that the messages tell, in the order of their latest news.
    static func all(in messages: [InboxMessage]) -> [InboxStory] {
        var topics: [Topic: [InboxMessage]] = [:]
        for message in messages {
            guard let incident = message.incident else { continue }
            topics[Topic(channel: message.channel, incident: incident), default: []].append(message)
        }
        return messages.compactMap { message in
            guard let incident = message.incident else { return InboxStory(messages: [message]) }
            let story = topics[Topic(channel: message.channel, incident: incident)] ?? [message]
            return story.last?.id == message.id ? InboxStory(messages: story) : nil
        }
    }

    /// Those that have messages after the one of that id; all when it is not among them.
    static func all(in messages: [InboxMessage], after id: String?) -> [InboxStory] {
        let new = Set(messages.after(id: id).map(\.id))
        return new.isEmpty ? [] : all(in: messages).filter { new.contains($0.latest.id) }
    }
}
