internal import AlertCore
public import PluginKit
public import Runtime
public import StatusPage
internal import Synchronization
internal import SystemPorts

/// The running bot as its page sees it.
public struct BotFace: BotView, BotControl, BotCare {
    let bot: Bot
    let clock: any Clock
    private let process: @Sendable () -> MetricsReport.ProcessFigures?
    private let silence = SilenceCount()

    /// - Parameter process: What the system says of this process, for `/metrics`.
    public init(
        _ bot: Bot, clock: any Clock, process: @escaping @Sendable () -> MetricsReport.ProcessFigures? = { nil }
    ) {
        self.bot = bot
        self.clock = clock
        self.process = process
    }

    public func status() async -> JSON {
        let look = await bot.look
        return look.report.status(
            isRunning: true, recordingTrouble: look.recordingTrouble, configTrouble: look.configTrouble,
            journalTrouble: look.journalTrouble, missingPictures: look.missingPictures,
            refusedPushes: look.refusedPushes)
    }
    public func incidents() async -> JSON { await bot.look.report.incidents }
    public func knows(incident id: String) async -> Bool { await bot.look.knows(incident: id) }
    public func history(limit: Int, failedOnly: Bool) async -> JSON {
        let look = await bot.look
        return StatusReport.history(look.state, limit: limit, deadOnly: failedOnly, words: look.plan.words)
    }
    public func mutes() async -> JSON { await bot.look.report.mutes }
    public func why(app: String?, rule: String?) async -> JSON {
        await bot.look.why(app: app, rule: rule).json
    }
    public func metrics() async -> String {
        let look = await bot.look
        let about = MetricsReport.About(
            now: look.now, version: Version.text, journalBytes: look.journalBytes,
            isJournalWritable: look.journalTrouble == nil, process: process())
        return MetricsReport(look.state, look.plan, look.meters, about).text
    }

    public func inboxMessages(limit: Int) async -> [InboxMessage] {
        let look = await bot.look
        // Every open page asks, whenever the bot has done something: no further back than the page shows.
        let delivered = look.state.outbox.history.reversed().lazy.filter { entry in
            guard case .delivered = entry.end else { return false }
            return look.inboxes.contains(entry.delivery.channel)
        }
        return delivered.prefix(limit).reversed().map { entry in
            InboxMessage(
                id: entry.delivery.id, channel: entry.delivery.channel, message: entry.delivery.message, at: entry.at,
                incident: entry.delivery.incident,
                isOver: entry.delivery.incident.map { look.state.incidents[$0]?.isOpen != true } ?? false)
        }
    }

    public func obey(_ command: JSON) async throws -> JSON {
        switch await bot.obey(try Command(command)) {
        case .answered(let answer): return answer.json
        case .unsafe(let why):
            return CommandAnswer.refused("it applies until the bot stops, but cannot be saved: \(why)", .unsaved).json
        case .stopping: return CommandAnswer.refused("the bot is stopping; try again in a moment", .unavailable).json
        }
    }

    public func view(ofIncident id: String) async -> CareView? {
        let look = await bot.look
        guard let incident = look.state.incidents[id], incident.isOpen,
            let message = look.state.message(about: id, look.plan, at: look.now)
        else { return nil }
        let muted = look.mute(of: incident).map { mute in
            mute.match == incident.likeness
                ? "It is muted \(look.words(of: mute)); what you choose now replaces it."
                : "It is muted \(look.words(of: mute)), with all of \(mute.match.sentence); that mute stays in force."
        }
        return CareView(message: message, coverage: incident.likeness.sentence, muted: muted)
    }

    public func mute(incident id: String, for length: Duration, by name: String?) async -> CareAnswer {
        let look = await bot.look
        guard let incident = look.state.incidents[id], incident.isOpen else {
            return CareAnswer("This incident is no longer open: nothing was muted.")
        }
        let new = await answer(
            .mute(incident.likeness, until: .after(length), reason: nil, by: name))
        guard new.mute != nil else { return new }
        // The new one is in force before an older one ends: nothing can slip out in between.
        var sentences = [new.sentence]
        for old in look.state.mutes.inForce(at: look.now) where old.match.fits(incident.property) {
            if old.match == incident.likeness, await answer(.unmute(.id(old.id))).isDone {
                sentences.append("it replaces the one \(look.words(of: old))")
            } else if old.until > look.now + length {
                sentences.append("the mute of \(old.match.sentence) \(look.words(of: old)) stays in force")
            }
        }
        return CareAnswer(sentences.joined(separator: "; "), isDone: true, mute: new.mute)
    }

    public func now() -> Moment { clock.now() }
    public func wall() async -> WallClock {
        let plan = await bot.plan
        return WallClock(now: clock.now(), zone: plan.zone, words: plan.words)
    }

    public func coverage(ofMute id: String) async -> String? {
        await bot.state.mutes[id].flatMap { $0.until > clock.now() ? $0.match.sentence : nil }
    }

    public func headline(ofFailed delivery: String) async -> String? {
        await bot.state.outbox.history.last { $0.delivery.id == delivery && $0.end.isDead }?.delivery.message.headline
    }

    public func retry(_ delivery: String) async -> CareAnswer { await answer(.retry(delivery)) }

    public func unmute(_ mute: String) async -> CareAnswer { await answer(.unmute(.id(mute))) }

    public func acknowledge(incident id: String, by name: String?) async -> CareAnswer {
        // Only whole ids: what a command may shorten, a link has in full.
        guard let incident = await bot.state.incidents[id], incident.isOpen else {
            return CareAnswer("This incident is no longer open: there is nothing to acknowledge.")
        }
        return await answer(.acknowledge([id], by: name))
    }

    private func answer(_ command: Command) async -> CareAnswer {
        switch await bot.obey(command) {
        case .answered(.done(let sentence, let details)):
            CareAnswer(sentence, isDone: true, mute: details["id"]?.string)
        case .answered(.refused(let sentence, _)): CareAnswer(sentence)
        case .unsafe(let why): CareAnswer("It holds until the bot stops, but cannot be saved: \(why)")
        case .stopping: CareAnswer("The bot is stopping; try again in a moment.")
        }
    }

    public func inboxBell() async -> AsyncStream<Void> { await bot.bell() }

    public func health() async -> BotHealth {
        let look = await bot.look
        let open = look.state.incidents.openBySeverity
        if look.isStopping {
            return BotHealth(isAlive: true, isReady: false, sentence: "The bot is stopping.", open: open)
        }
        if let trouble = look.journalTrouble {
            return BotHealth(
                isAlive: true, isReady: false, sentence: "The journal cannot be written: \(trouble)", open: open)
        }
        let doubt = look.doubt(
            silent: silence.count(at: clock.uptime()) { look.state.silentApps(look.plan, at: look.now).count })
        let parts = [
            "Watching \(look.plan.sources.count.counted("source"))", doubt.map(\.asPart), look.nextPoll,
        ]
        return BotHealth(
            isAlive: true, isReady: true, sentence: parts.compactMap(\.self).joined(separator: "; ") + ".", open: open,
            doubt: doubt)
    }
}

/// How many apps give no figures any more. It takes a look at all that the bot knows, and every probe and every open page
/// asks: so one look counts for a second, and who asks meanwhile waits for none.
final class SilenceCount: Sendable {
    private struct Last {
        var count: Int
        /// When it was looked for, by the machine's clock.
        var looked: Duration
    }

    private let last = Mutex<Last?>(nil)
    private static let lifetime = Duration.seconds(1)

    func count(at uptime: Duration, looking look: () -> Int) -> Int {
        let known = last.withLock { last -> Int? in
            guard let known = last else { return nil }
            if uptime - known.looked < SilenceCount.lifetime { return known.count }
            last?.looked = uptime
            return nil
        }
        if let known { return known }
        let count = look()
        last.withLock { $0 = Last(count: count, looked: uptime) }
        return count
    }
}

extension Bot.Look {
    fileprivate var report: StatusReport { StatusReport(state, plan, at: now) }

    /// Why things are told or not, as far as a bot that has others to answer goes.
    func why(app: String?, rule: String?) -> WhyReport {
        WhyReport(state, plan, at: now, app: app, rule: rule, most: WhyReport.answeredMax)
    }

    /// When the first source is polled next, by the clock: what counts down would be news with every second.
    fileprivate var nextPoll: String? {
        let due = plan.sources.compactMap(state.schedule.nextPoll(of:)).min()
        return due.map { due in
            guard due > now else { return "polling now" }
            let isToday = plan.zone.civil(due).day == plan.zone.civil(now).day
            let words = plan.zone.words(due)
            let time = isToday ? words.split(separator: " ").suffix(2).joined(separator: " ") : words
            return "the next poll is at \(time)"
        }
    }

    /// What keeps anybody from saying that all is well: sources that fail, figures that are too old, that have stopped, or
    /// that never came. A source that has answered before may fail once; the next poll shows what it was.
    ///
    /// - Parameter silent: how many apps give no figures any more.
    fileprivate func doubt(silent: Int) -> String? {
        let failing = plan.sources.count { source in
            guard let record = state.schedule.sources[source.name] else { return false }
            return record.stopped != nil || record.failure.map { $0.count > 1 || record.lastGood == nil } ?? false
        }
        let stale = plan.sources.count { source in
            guard let record = state.schedule.sources[source.name] else { return false }
            return record.stopped == nil && record.lastOutcome == .stale
        }
        let parts = [
            sources(failing, "is failing", "are failing"), sources(stale, "gives old figures", "give old figures"),
            silent == 0 ? nil : "\(silent.counted("app")) no longer \(silent == 1 ? "gives" : "give") figures",
        ]
        let doubt = parts.compactMap(\.self).joined(separator: ", ")
        guard doubt.isEmpty else { return doubt }
        return state.figures.series.isEmpty ? "No figures yet" : nil
    }

    private func sources(_ count: Int, _ one: String, _ several: String) -> String? {
        let all = plan.sources.count
        switch count {
        case 0: return nil
        case all: return all == 1 ? "The only source \(one)" : "All \(all) sources \(several)"
        default: return "\(count) of \(all) sources \(count == 1 ? one : several)"
        }
    }
}

extension String {
    /// Within a sentence.
    fileprivate var asPart: String { prefix(1).lowercased() + dropFirst() }
}

extension Incidents {
    /// How many are open and sure, by severity.
    var openBySeverity: [Severity: Int] {
        Dictionary(
            all.lazy.filter { $0.isOpen && $0.state != .pending }.map { ($0.severity, 1) }, uniquingKeysWith: +)
    }
}
