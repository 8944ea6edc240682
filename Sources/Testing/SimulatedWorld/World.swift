internal import AlertCore
internal import AlertTesting
internal import Chance
internal import DropDetector
internal import IssueKit
internal import Journal
internal import JournalTesting
internal import PluginKit
internal import ReleaseDetector
internal import Runtime

/// Everything around the bot: time, disk, network, and what is known for certain about the past.
///
/// It may be shared because it is never shared at once: jobs of the bot run only inside `Simulation.run`, on the thread
/// that called it, and `StepExecutor` refuses jobs that come from another one. Nothing else has the world.
final class World: @unchecked Sendable {
    let seed: UInt64
    var time: Timeline
    var random: SeededRandom
    let disk = MemoryDisk()
    var figures: FigureService
    var chats: [String: ChatService]
    var isLowOnPower = false
    /// What the next requests to each host meet.
    var troubles: [String: HostTrouble] = [:]

    var settings: Settings
    /// The config before the last reload: a turn that has begun may still go by it.
    var settingsBefore: Settings
    var reloadedAt: Int64 = 0

    /// The number of the bot's present life, counted from 1; everything of former ones is deaf and dumb.
    private(set) var life = 0
    private(set) var isDead = true
    /// Set when the present life has to end; the simulation buries it after the job under way.
    private(set) var death: Death?
    private var pendingKill: (boundary: Boundary, after: Int, death: Death)?

    /// When the wall clock was last set.
    private(set) var clockSteppedAt: Int64?

    /// The state as the durable part of the journal makes it.
    var truth = World.emptyState
    /// It remembers little, because every life reads all that is remembered.
    static let emptyState = State(
        historyMax: 100,
        memories: MemoryKinds([
            MemoryKind(IssueMemory.self), MemoryKind(Launch.self), MemoryKind(Course.self), MemoryKind(DropMemory.self),
        ]))
    /// A commit has failed, so what the next one makes durable was decided a while ago.
    private(set) var isJournalLate = false
    private let paces = Dictionary(
        uniqueKeysWithValues: ChannelKind.allCases.map { ($0.name, $0.plugin(charted: false).pace) })
    /// The disk's trouble, and until when.
    var diskTrouble: (kind: DiskFaultKind, until: Int64)?
    /// Bytes appended and not yet synced, by file.
    private var unsynced: [String: (start: Int, bytes: [UInt8])] = [:]
    /// Whether the journal is open in this life: what is written before is what was read.
    var isJournalOpen = false

    var checkers: [any Checker]
    var counts = Counts()
    private(set) var violation: Violation?
    /// Tests of checkers break the world here.
    let sabotage: Sabotage?
    /// Whether pictures follow messages, and openings are edited.
    let hasCharts: Bool
    /// Whether somebody pushes figures, besides those that are polled.
    let hasPushes: Bool
    var pusher: Pusher
    private(set) var isCalm = false

    /// A hash of everything that has happened.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The last happenings in words, when somebody wants to read them.
    private(set) var trace: [String] = []
    let traceMax: Int

    struct Death: Sendable {
        var powerCut: Bool
        var downtime: Int64
    }

    init(
        seed: UInt64, sabotage: Sabotage?, traceMax: Int, isDiskHarsh: Bool = true, hasCharts: Bool = false,
        hasPushes: Bool = false
    ) {
        self.seed = seed
        self.hasPushes = hasPushes
        pusher = Pusher(seed: seed)
        self.hasCharts = hasCharts
        self.sabotage = sabotage
        self.traceMax = traceMax
        var random = SeededRandom(seed: seed)
        // Any day of the week and of the year, so that calendars have their turn.
        let start = Moment.rehearsalStart + .minutes(Int64(random.below(525_600)))
        time = Timeline(wall: start)
        settings = Settings(seed: seed, at: start, hasPushes: hasPushes)
        settingsBefore = settings
        figures = FigureService(settings)
        chats = Dictionary(uniqueKeysWithValues: ChannelKind.allCases.map { ($0.name, ChatService($0)) })
        checkers = allCheckers()
        self.random = random
        disk.setKeepsUnsynced(!isDiskHarsh)
        letDiskFail()
    }

    private func letDiskFail() {
        disk.setFaults { [unowned self] operation, name in diskFault(operation, name) }
    }

    /// The power comes back: what was not synced is there by chance.
    func restartDisk() {
        disk.restart(&random)
        letDiskFail()
    }

    // MARK: Life and death

    func isAlive(_ number: Int) -> Bool { number == life && !isDead && death == nil }

    func beginLife() {
        life += 1
        isDead = false
        death = nil
        unsynced = [:]
        isJournalOpen = false
        isJournalLate = false
        counts.lives += 1
    }

    func endLife() {
        isDead = true
        death = nil
        pendingKill = nil
    }

    func armKill(_ boundary: Boundary, after: Int, _ death: Death) {
        guard !isDead, self.death == nil else { return }
        pendingKill = (boundary, after, death)
    }

    func disarmKill() { pendingKill = nil }

    /// The bot passes a boundary; false when it did not survive that.
    func passes(_ boundary: Boundary, _ number: Int) -> Bool {
        guard isAlive(number) else { return false }
        guard let kill = pendingKill, kill.boundary == boundary else { return true }
        guard kill.after == 0 else {
            pendingKill?.after -= 1
            return true
        }
        pendingKill = nil
        death = kill.death
        counts.kills[boundary, default: 0] += 1
        if kill.death.powerCut { counts.powerCuts += 1 }
        note { "killed \(boundary.rawValue)\(kill.death.powerCut ? ", with the power" : "")" }
        return false
    }

    func sleep(until due: Int64, _ number: Int) async throws {
        guard isAlive(number), !Task.isCancelled else { throw CancellationError() }
        guard due > time.uptime else { return }
        let id = time.newSleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { time.sleep(id, until: due, $0) }
        } onCancel: {
            time.cancel(id)?.resume(throwing: CancellationError())
        }
    }

    // MARK: What happens

    func pace(of channel: String) -> Pace? { paces[channel] }

    func setCalm(_ isCalm: Bool) {
        self.isCalm = isCalm
        tell(.calm(isCalm))
    }

    func setClock(by step: Int64) {
        time.setWall(by: step)
        clockSteppedAt = time.uptime
        counts.clockSteps += 1
        tell(.clockStepped(step))
    }

    func use(_ new: Settings) {
        settingsBefore = settings
        settings = new
        reloadedAt = time.uptime
        tell(.reloaded)
    }

    /// Lets every checker hear of it.
    func tell(_ happening: Happening) {
        happening.mark(&digest)
        note { "\(happening)" }
        guard violation == nil else { return }
        for index in checkers.indices {
            do {
                try checkers[index].observe(happening, self)
            } catch {
                let name = type(of: checkers[index]).name
                violation = Violation(checker: name, sentence: error.sentence, at: time.uptime, wall: time.wall)
                note { "violation of '\(name)': \(error.sentence)" }
                return
            }
        }
    }

    func object(_ checker: String, _ sentence: String) {
        guard violation == nil else { return }
        violation = Violation(checker: checker, sentence: sentence, at: time.uptime, wall: time.wall)
    }

    func log(_ text: Note) { note { "log: \(text.text)" } }

    func note(_ text: () -> String) {
        guard traceMax > 0 else { return }
        if trace.count >= traceMax * 2 { trace.removeFirst(traceMax) }
        trace.append("\(time.uptime.clock) life \(life) \(text())")
    }

    // MARK: The journal, watched

    func appended(_ bytes: [UInt8], to name: String, at offset: Int) {
        guard isJournalOpen, name.hasPrefix("journal-") else { return }
        unsynced[name, default: (offset, [])].bytes += bytes
    }

    /// A sync has failed, or something was cut off: whatever of it is on the disk does not count. What was appended
    /// before a failed append stays.
    func forgetUnsynced(_ name: String, beyond bytesCount: Int = 0) {
        if let known = unsynced[name] {
            let kept = max(0, bytesCount - known.start)
            unsynced[name] = kept == 0 ? nil : (known.start, Array(known.bytes.prefix(kept)))
        }
        isJournalLate = true
    }

    /// What was appended is durable now: take it in.
    func synced(_ name: String) {
        guard let bytes = unsynced.removeValue(forKey: name)?.bytes else { return }
        counts.commits += 1
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let fact = World.fact(inLine: line) else {
                return object(
                    "durable first", "the journal has a line that is no fact: \(String(decoding: line, as: UTF8.self))")
            }
            counts.facts += 1
            note(fact)
        }
        tell(.committed)
        isJournalLate = false
    }

    private func note(_ fact: Fact) {
        let ended = truth.outbox.history.last?.delivery.id
        let isNew = if case .outbox(.delivery(let delivery)) = fact { truth.outbox[delivery.id] == nil } else { false }
        truth.apply(fact)
        switch fact {
        case .outbox(.delivery(let delivery)) where delivery.channel == OwnPage.name: return
        case .outbox(.retried(let delivery)):
            // It leaves the history, of which another is the last then.
            if delivery.channel != OwnPage.name { tell(.accepted(delivery)) }
            return
        case .outbox(.delivery(let delivery)): tell(isNew ? .accepted(delivery) : .delivery(delivery))
        case .outbox(.progress(let id, _)):
            if let delivery = truth.outbox[id], delivery.channel != OwnPage.name { tell(.delivery(delivery)) }
        default: break
        }
        if let last = truth.outbox.history.last, last.delivery.id != ended, last.delivery.channel != OwnPage.name {
            tell(.ended(last))
        }
        switch fact {
        case .figures(.observed(let observation, _)): tell(.observed(observation))
        case .figures(.sheet(let sheet, _)): for row in sheet.rows { tell(.observed(row.observation)) }
        case .incidents(.incident(let incident)): tell(.incident(incident))
        case .incidents(.standing(let id, _, _)), .incidents(.seen(let id, _, _, _)):
            if let incident = truth.incidents[id] { tell(.incident(incident)) }
        default: break
        }
    }

    static func fact(inLine line: ArraySlice<UInt8>) -> Fact? {
        // In a string its quotes would be escaped.
        guard let member = line.firstRange(of: Array(",\"record\":".utf8)) else { return nil }
        return try? Fact(JSON(parsing: line[member.upperBound...].dropLast()), World.emptyState.memories)
    }

    private func diskFault(_ operation: DiskFault.Operation, _ name: String) -> MemoryDisk.Fault? {
        let fault = drawFault(operation)
        // Whatever it was that failed, the commit did.
        if fault != nil { isJournalLate = true }
        return fault
    }

    private func drawFault(_ operation: DiskFault.Operation) -> MemoryDisk.Fault? {
        guard let trouble = diskTrouble, time.uptime < trouble.until else { return nil }
        switch (trouble.kind, operation) {
        case (.full, .write): return .init(reason: .full, bytesKept: random.below(300))
        case (.full, .openToWrite): return random.happens(0.3) ? .init(reason: .full) : nil
        case (.syncFails, .sync): return .init(reason: .failed("I/O error"))
        case (.appendFails, .write): return .init(reason: .failed("I/O error"), bytesKept: random.below(300))
        case (.dead, .write): return .init(reason: .failed("I/O error"), bytesKept: random.below(300))
        case (.dead, .read), (.dead, .list), (.dead, .bytesCount), (.dead, .lock): return nil
        case (.dead, _): return .init(reason: .failed("I/O error"))
        default: return nil
        }
    }
}

/// How often what happened.
public struct Counts: Sendable {
    public var steps = 0
    var lives = 0
    var kills: [Boundary: Int] = [:]
    var powerCuts = 0
    var stops = 0
    var webFaults: [String: Int] = [:]
    var diskFaults: [DiskFaultKind: Int] = [:]
    var rot = 0
    var clockSteps = 0
    var suspends = 0
    var reloads = 0
    var polls = 0
    /// Pushes that were tried, and those that were not taken, by why.
    var pushes = 0
    var pushRefusals: [String: Int] = [:]
    var commits = 0
    var facts = 0
    var deliveries = 0
    var ends: [String: Int] = [:]
    var attempts = 0
    var repeats = 0
    var unknowns = 0
    /// Requests of pictures and edits, and pictures that are seen.
    var errands = 0
    var pictures = 0
    var calms = 0

    public init() {}
}

extension Int64 {
    /// Milliseconds of uptime as people read them: `12d 03:04:05.678`.
    var clock: String {
        func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        let seconds = self / 1000
        let rest = String(self % 1000)
        return "\(seconds / 86_400)d \(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
            + ".\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }
}
