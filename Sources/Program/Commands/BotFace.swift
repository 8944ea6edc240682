internal import AlertCore
public import PluginKit
public import Runtime
public import StatusPage

/// The running bot as its page sees it.
public struct BotFace: BotView, BotControl, BotMuting {
    private let bot: Bot
    private let clock: any Clock

    public init(_ bot: Bot, clock: any Clock) {
        self.bot = bot
        self.clock = clock
    }

    private func report() async -> StatusReport {
        await StatusReport(bot.state, bot.plan, at: clock.now())
    }

    public func status() async -> JSON {
        await report().status(isRunning: true, recordingTrouble: bot.recordingTrouble)
    }
    public func incidents() async -> JSON { await report().incidents }
    public func history(limit: Int) async -> JSON { await StatusReport.history(bot.state, limit: limit) }
    public func metrics() async -> String { await report().prometheus }

    public func channels() async -> [PageChannel] {
        let inboxes = await bot.inboxes
        return await bot.plan.channels.map { PageChannel(name: $0.name, isInbox: inboxes.contains($0.name)) }
    }

    public func inboxMessages(limit: Int) async -> [InboxMessage] {
        let inboxes = await bot.inboxes
        let state = await bot.state
        let delivered = state.outbox.history.filter { entry in
            guard case .delivered = entry.end else { return false }
            return inboxes.contains(entry.delivery.channel)
        }
        return delivered.suffix(limit).map { entry in
            InboxMessage(
                id: entry.delivery.id, channel: entry.delivery.channel, message: entry.delivery.message, at: entry.at,
                isOver: entry.delivery.incident.map { state.incidents[$0]?.isOpen != true } ?? false)
        }
    }

    public func obey(_ command: JSON) async throws -> JSON {
        switch await bot.obey(try Command(command)) {
        case .answered(let answer): return answer.json
        case .unsafe(let why):
            return CommandAnswer.refused("it applies until the bot stops, but cannot be saved: \(why)").json
        case .stopping: return CommandAnswer.refused("the bot is stopping; try again in a moment").json
        }
    }

    public func coverage(ofIncident id: String) async -> String? { await muted(by: id)?.sentence }

    public func mute(incident id: String, for length: Duration) async -> String {
        guard let match = await muted(by: id) else { return "This incident is no longer open: nothing was muted." }
        let command = Command.mute(match, until: .after(length), reason: nil, by: "a link in a message")
        switch await bot.obey(command) {
        case .answered(.done(let sentence, _)), .answered(.refused(let sentence)): return sentence
        case .unsafe(let why): return "It is muted until the bot stops, but the mute cannot be saved: \(why)"
        case .stopping: return "The bot is stopping; try again in a moment."
        }
    }

    /// What a mute of an open incident covers; nil when there is no such incident.
    private func muted(by id: String) async -> Match? {
        await bot.state.incidents[id].flatMap { $0.isOpen ? $0.likeness : nil }
    }

    public func inboxBell() async -> AsyncStream<Void> { await bot.bell() }

    public func health() async -> BotHealth {
        let plan = await bot.plan
        let state = await bot.state
        if let trouble = await bot.trouble {
            return BotHealth(isAlive: true, isReady: false, sentence: "The journal cannot be written: \(trouble)")
        }
        let next = plan.sources.compactMap { state.schedule.sources[$0.name]?.due }.min()
        let when = next.map { "; the next poll is due in \(max(.zero, $0 - clock.now()).short)" } ?? ""
        return BotHealth(
            isAlive: true, isReady: true, sentence: "Watching \(plan.sources.count.counted("source"))\(when).")
    }
}
