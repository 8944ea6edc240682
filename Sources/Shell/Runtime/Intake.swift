internal import AlertCore
public import PluginKit
internal import Synchronization

/// Who may push to which source, and how often: the way in for what is told rather than asked.
///
/// It is asked before anything of a body is read, beside the bot and without waiting for it. What it lets pass goes to
/// `Bot.take`, which answers when it is safe.
public final class Intake: Sendable {
    private let content: Mutex<Content>
    private let clock: any Clock

    private struct Content {
        var sources: [String: any PushedSource]
        var buckets: [String: Bucket] = [:]
        /// Of those who are not known.
        var strangers = Bucket(Intake.strangerRate)
    }

    /// Why a push is not taken.
    public enum Refusal: Error, Hashable, Sendable {
        /// No source takes pushes, or none of that name.
        case nobody
        /// Whoever sends it is not known: of no source, whether it exists or not.
        case unauthorized
        /// Several sources know whoever sends it.
        case ambiguous([String])
        /// Whoever sends it has the token of these sources, and names another.
        case misnamed(String, ownersOfToken: [String])
        case tooMany(wait: Duration)
        case mistaken(PushMistake, source: String)
        /// The journal cannot be written, and why.
        case unsafe(String)
        case stopping
    }

    /// The last push to a source that was refused for what it says.
    public struct Mistaken: Hashable, Sendable {
        public let at: Moment
        public let why: String

        public init(at: Moment, why: String) { (self.at, self.why) = (at, why) }
    }

    /// Guesses at a token; whoever has the right one never waits for these.
    private static let strangerRate = Rate(30, per: .minutes(1))

    init(_ sources: [String: any Source], _ clock: any Clock) {
        content = Mutex(Content(sources: Intake.pushed(sources)))
        self.clock = clock
    }

    func use(_ sources: [String: any Source]) {
        let pushed = Intake.pushed(sources)
        content.withLock { content in
            content.sources = pushed
            content.buckets = content.buckets.filter { pushed[$0.key] != nil }
        }
    }

    private static func pushed(_ sources: [String: any Source]) -> [String: any PushedSource] {
        sources.compactMapValues { $0 as? any PushedSource }
    }

    /// The most bytes of a body that are worth reading, going by what comes before it.
    public func bodyBytesMax(for name: String?, _ headers: PushHeaders) -> Int {
        let sources = content.withLock { $0.sources }
        let known = name.map { name in sources.filter { $0.key == name } } ?? sources
        if known.values.contains(where: { $0.isAuthentic(headers) }) { return Push.bodyBytesMax }
        return Push.strangeBodyBytesMax
    }

    /// Why nothing of a push would be taken, going by what comes before its body; nil where that depends on the body,
    /// which whoever sends no token may have signed.
    public func refusal(for name: String?, _ headers: PushHeaders) -> Refusal? {
        let sources = content.withLock { $0.sources }
        guard !sources.isEmpty else { return .nobody }
        let known = name.map { name in sources.filter { $0.key == name } } ?? sources
        guard headers.bearer != nil, !known.values.contains(where: { $0.isAuthentic(headers) }) else { return nil }
        return refuse(name, ownedBy: sources.filter { $0.value.isAuthentic(headers) })
    }

    /// Refuses whoever is not known to the source of that name. Who has the token of another may hear of which; all else is
    /// a guess at a token, and counted.
    private func refuse(_ name: String?, ownedBy owners: [String: any PushedSource]) -> Refusal {
        if let name, !owners.isEmpty { return .misnamed(name, ownersOfToken: owners.keys.sorted()) }
        let wait = content.withLock { $0.strangers.take(at: clock.uptime()) }
        return wait.map { .tooMany(wait: $0) } ?? .unauthorized
    }

    /// The source that a push is for, and what it says.
    ///
    /// - Parameter name: the source's, where whoever sends it says so.
    public func read(
        for name: String?, _ headers: PushHeaders, _ body: [UInt8]
    ) throws(Refusal) -> (source: String, report: PollReport) {
        let sources = content.withLock { $0.sources }
        guard !sources.isEmpty else { throw .nobody }
        let now = clock.now()
        let owners = sources.filter { source in
            source.value.isAuthentic(Push(source: source.key, headers: headers, body: body, now: now))
        }
        let knowing = name.map { name in owners.filter { $0.key == name } } ?? owners
        guard let (found, source) = knowing.first else { throw refuse(name, ownedBy: owners) }
        guard knowing.count == 1 else { throw .ambiguous(knowing.keys.sorted()) }
        let wait = content.withLock { content in
            content.buckets[found, default: Bucket(source.pushRate)].take(at: clock.uptime(), source.pushRate)
        }
        if let wait { throw .tooMany(wait: wait) }
        do throws(PushMistake) {
            return (found, try source.read(Push(source: found, headers: headers, body: body, now: now)))
        } catch {
            throw .mistaken(error, source: found)
        }
    }
}

/// So many in so much time, all at once if need be.
private struct Bucket {
    private var rate: Rate
    private var left: Double
    /// By the machine's clock.
    private var counted: Duration?

    init(_ rate: Rate) {
        self.rate = rate
        left = Double(rate.count)
    }

    /// Takes one out; gives back how long to wait for it, or nil where there is one.
    mutating func take(at uptime: Duration, _ rate: Rate? = nil) -> Duration? {
        if let rate, rate != self.rate { self = Bucket(rate) }
        let perSecond = Double(self.rate.count) / max(self.rate.per.inSeconds, 0.001)
        if let counted { left = min(Double(self.rate.count), left + (uptime - counted).inSeconds * perSecond) }
        counted = uptime
        guard left < 1 else {
            left -= 1
            return nil
        }
        return .milliseconds(Int64(((1 - left) / perSecond * 1000).rounded(.up)))
    }
}

extension Bot {
    /// Takes in what somebody pushes, and answers once that is safe.
    ///
    /// - Returns: a sentence, and what there is to know.
    public nonisolated func push(
        for name: String?, _ headers: PushHeaders, _ body: [UInt8]
    ) async throws(Intake.Refusal) -> (sentence: String, details: JSON) {
        let told: (source: String, report: PollReport)
        do throws(Intake.Refusal) {
            told = try intake.read(for: name, headers, body)
        } catch {
            if case .mistaken(let mistake, let source) = error { await noteRefused(mistake, of: source) }
            throw error
        }
        switch await take(told.report, for: told.source) {
        case .answered(.done(let sentence, let details)): return (sentence, details)
        case .answered(.refused): throw .nobody
        case .unsafe(let why): throw .unsafe(why)
        case .stopping: throw .stopping
        }
    }
}
