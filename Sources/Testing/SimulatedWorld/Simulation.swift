// The simulator plays the whole bot in a world of its own: the real core, runtime, journal and channel plugins on one
// thread and in virtual time, with a disk that fails, a network that loses, clocks that jump and a process that is
// killed wherever it hurts. A seed makes everything that happens, down to which of the waiting jobs runs next, so
// whatever goes wrong can be played again.
//
// - `Simulation` lets time pass and the script's events happen. Phases with faults take turns with calm ones, in which
//   everything that is left must get done.
// - `World` is everything around the bot. Its ports belong to one life of the bot: when that ends, nothing it still
//   does has any effect, its tasks are cancelled and drained, and a new bot is opened from the disk.
// - `Script` makes the events of each hour from the seed. `shrunk` leaves out those that a failure does not need.
// - A `Checker` watches over one promise. It reckons with what the servers saw and what the journal made durable, not
//   with what the bot believes.
//
// The bot's actor inherits the executor of the task that runs it, and so do its child tasks (SE-0417). Work that the
// bot would start in a detached task would escape, and `StepExecutor` would never see it.

internal import AlertCore
internal import AlertTesting
internal import Chance
internal import Journal
internal import JournalTesting
internal import PluginKit
internal import Runtime

/// One run: a seed, and how long.
public struct Simulation {
    public let seed: UInt64
    /// Virtual hours.
    public let hours: Int
    var script: Script
    var sabotage: Sabotage?
    /// Whether bytes that could not be synced are lost though they can be read, as Linux has it; otherwise the next
    /// sync writes them.
    public var isDiskHarsh = true
    /// How many of the last happenings are kept in words; 0 for none.
    public var traceMax = 0
    /// Whether pictures follow messages, and openings are edited: so in every other world.
    public var hasCharts: Bool
    /// Whether somebody pushes figures to a source that is not polled: so in every other world.
    public var hasPushes: Bool

    public init(seed: UInt64, hours: Int) {
        self.seed = seed
        self.hours = hours
        script = Script(seed: seed)
        var random = SeededRandom(seed: seed ^ 0xC4A2)
        hasCharts = random.happens(0.5)
        hasPushes = random.happens(0.5)
    }

    /// A run in which only the named events happen: a shrunk script.
    public init(seed: UInt64, hours: Int, only events: [Int]) {
        self.init(seed: seed, hours: hours)
        script.only = Set(events)
    }

    /// Plays the run to its end, or to the first promise that breaks.
    public func run() -> Outcome {
        var play = Play(self)
        return play.run()
    }
}

/// What a test breaks, to see that a checker notices.
enum Sabotage: Sendable, Equatable {
    /// The disk says that it has synced, and has not.
    case syncLies
    /// A channel plugin takes every answer for success.
    case outcomeLies
    /// A channel plugin does not hear how long to wait.
    case waitsUnheard
    /// The config that the bot gets has no gates.
    case gatesOpen
    /// The plugin says that its channel takes two deliveries for one, and it does not.
    case markForgotten
    /// Polls are never answered.
    case pollsHang
    /// A channel plugin goes the last step of a picture again.
    case picturesTwice
    /// Pushes are answered as taken before they are.
    case pushesEarly

    func judgement(_ outcome: DeliveryOutcome) -> DeliveryOutcome? {
        switch (self, outcome) {
        case (.outcomeLies, _): .delivered(receipt: nil)
        case (.waitsUnheard, .retry(_, let sentence)): .retry(after: nil, sentence)
        default: nil
        }
    }
}

/// What came of a run.
public struct Outcome: Sendable {
    public let seed: UInt64
    public let hours: Int
    public let violation: Violation?
    public let counts: Counts
    public let digest: UInt64
    /// How far the run got, in milliseconds of the machine's time.
    public let uptime: Int64
    /// The ids of the events that happened, for a shorter script: those of a short run, or of its last phases.
    public let events: [Int]
    public let trace: [String]

    /// Executor jobs that were run.
    public var steps: Int { counts.steps }
}

/// A run under way.
private struct Play {
    private let simulation: Simulation
    private let world: World
    private let executor = StepExecutor()
    /// Which of the waiting jobs runs next.
    private var picks: SeededRandom
    /// Where bits turn.
    private var rot: SeededRandom
    private let original: Settings

    private var task: Task<Void, Never>?
    private var bot: Bot?
    private let lifeFlag = LifeFlag()
    /// When the next life begins, while there is none.
    private var birth: Int64? = 0
    /// By when a bot that was asked to stop must have ended, and how long it then stays away.
    private var stopping: (deadline: Int64, downtime: Int64)?

    private var events: [Event] = []
    private var happened: [Int] = []
    private var nextHour: Int64 = 0
    /// When the present phase ends: a calm one at the latest, one with faults exactly.
    private var phaseEnd: Int64
    private var calmBegan: Int64 = 0
    private var stepsAtOnce = 0

    private static let hour: Int64 = 3_600_000
    /// Faults for so long, then calm until all is done: after the longest mute, the longest wait and a night.
    private static let faultyLength = 60 * hour
    private static let calmMax = 60 * hour
    /// Jobs at one instant, beyond which the bot runs in circles.
    private static let stepsAtOnceMax = 20_000
    /// Tasks that wait for time to pass: some alarms, and an attempt or a poll for each channel and source at most.
    private static let asleepMax = 200
    /// The share of lives before which a bit turns; each time the journal is read twice more.
    private static let rotShare = 0.05
    /// Events remembered for shrinking.
    private static let eventsKeptMax = 100_000
    /// Small files, so that rotation and compaction happen all the time.
    private static var limits: JournalLimits {
        var limits = JournalLimits()
        limits.segmentBytesMax = 40_000
        limits.compactionBytesMin = 80_000
        limits.chunkBytes = 8_000
        return limits
    }

    init(_ simulation: Simulation) {
        self.simulation = simulation
        world = World(
            seed: simulation.seed, sabotage: simulation.sabotage, traceMax: simulation.traceMax,
            isDiskHarsh: simulation.isDiskHarsh, hasCharts: simulation.hasCharts,
            hasPushes: simulation.hasPushes)
        original = world.settings
        picks = SeededRandom(seed: ~simulation.seed)
        rot = SeededRandom(seed: simulation.seed ^ 0xB17)
        phaseEnd = min(Play.faultyLength, Int64(simulation.hours) * Play.hour)
    }

    mutating func run() -> Outcome {
        let end = Int64(simulation.hours) * Play.hour
        while world.violation == nil {
            if world.death != nil {
                bury()
            } else if !executor.isIdle {
                step()
            } else if lifeFlag.hasEnded {
                noteLeave()
            } else if !advance(end) {
                break
            }
        }
        if !world.isDead { bury() }
        return Outcome(
            seed: simulation.seed, hours: simulation.hours, violation: world.violation, counts: world.counts,
            digest: world.digest, uptime: world.time.uptime, events: happened, trace: world.trace)
    }

    private mutating func step() {
        guard world.passes(.job, world.life) || world.isDead else { return }
        _ = executor.step(&picks)
        world.counts.steps += 1
        stepsAtOnce += 1
        if stepsAtOnce > Play.stepsAtOnceMax {
            world.object(Lively.name, "the bot runs in circles: \(stepsAtOnce) jobs and no time has passed")
        }
    }

    // MARK: Lives

    private mutating func open() {
        birth = nil
        if rot.happens(Play.rotShare) { turnBit() }
        world.beginLife()
        let life = world.life
        do {
            var state = World.emptyState
            let disk = LifeDisk(world, life: life)
            let ledger = try Ledger(opening: disk, limits: Play.limits, rebuilding: &state)
            if ledger.report.isDamaged {
                return world.object(DurableFirst.name, "the journal is damaged: \(ledger.report.notices)")
            }
            world.tell(.opened(state))
            world.truth = state
            world.isJournalOpen = true
            start(Bot(setup, ports: ports(life), ledger: ledger, state: state))
        } catch {
            // As a service does: it ends with an error, and is started again a little later.
            world.note { "the journal cannot be opened: \(error)" }
            let downtime = world.death?.downtime ?? 5000
            if world.death?.powerCut == true { world.restartDisk() }
            world.endLife()
            birth = world.time.uptime + max(downtime, 1000)
        }
    }

    /// Turns one bit of a copy of the journal and lets a reader have it: the bot itself would lose what the world
    /// reckons with.
    private mutating func turnBit() {
        let copy = world.disk.copied()
        let whole = Play.read(copy)
        let names = copy.fileNames.filter {
            ($0.hasPrefix("journal-") || $0.hasPrefix("snapshot-")) && !copy[$0].isEmpty
        }
        guard let name = rot.pick(names), case .success(let (payloads, report)) = whole, !report.isDamaged else {
            return
        }
        let place = rot.below(copy[name].count)
        // What is torn and rotten besides cannot be told from a commit that was whole: part of it may come back.
        guard !report.isTorn(name, at: place) else { return }
        copy[name][place] ^= 1 << UInt8(rot.below(8))
        world.counts.rot += 1
        world.tell(.rotted(place: "\(name) at byte \(place)", whole: payloads, Play.read(copy)))
    }

    private static func read(_ disk: MemoryDisk) -> Result<(payloads: [[UInt8]], report: JournalReport), JournalError> {
        var payloads: [[UInt8]] = []
        do throws(JournalError) {
            let report = try JournalReader(disk, limits: limits).forEach { payloads.append(Array($0.payload)) }
            return .success((payloads, report))
        } catch { return .failure(error) }
    }

    private var setup: Bot.Setup {
        var setup = world.settings.setup(in: world)
        if simulation.sabotage == .gatesOpen { setup.plan.gates = [] }
        if simulation.sabotage == .markForgotten {
            for index in setup.plan.channels.indices { setup.plan.channels[index].isIdempotent = true }
        }
        return setup
    }

    private func ports(_ life: Int) -> Ports {
        Ports(
            clock: LifeClock(world: world, life: life), web: LifeWeb(world: world, life: life), files: NoFiles(),
            host: LifeHost(world: world, life: life), painter: world.hasCharts ? WorldPainter() : nil)
    }

    private mutating func start(_ bot: Bot) {
        self.bot = bot
        lifeFlag.hasEnded = false
        task = Task(executorPreference: executor) { [lifeFlag] in
            await bot.run(grace: .seconds(10))
            lifeFlag.hasEnded = true
        }
    }

    /// The present life is over: nothing it does has any effect any more, and its tasks are let run out.
    private mutating func bury() {
        let death = world.death ?? World.Death(powerCut: false, downtime: 0)
        world.endLife()
        task?.cancel()
        while !executor.isIdle { _ = executor.step(&picks) }
        if task != nil, !lifeFlag.hasEnded { world.object(Lively.name, "a cancelled bot does not end") }
        if world.time.asleep > 0 { world.object(Lively.name, "a cancelled bot leaves somebody asleep") }
        leave(death)
    }

    /// The bot has ended by itself.
    private mutating func noteLeave() {
        guard let stopping else { return world.object(Lively.name, "the bot ended, and nobody asked it to") }
        world.tell(.over)
        world.endLife()
        leave(World.Death(powerCut: false, downtime: stopping.downtime))
    }

    private mutating func leave(_ death: World.Death) {
        (task, bot, stopping) = (nil, nil, nil)
        lifeFlag.hasEnded = false
        world.tell(.died)
        if death.powerCut { world.restartDisk() }
        _ = world.disk.takeOperations()
        birth = world.time.uptime + death.downtime
    }

    // MARK: Time

    /// Lets time pass to the next thing; false when there is none.
    private mutating func advance(_ end: Int64) -> Bool {
        stepsAtOnce = 0
        if world.time.asleep > Play.asleepMax {
            world.object(Lively.name, "\(world.time.asleep) tasks of the bot are asleep: they pile up")
        }
        if world.isCalm, isDrained { return endCalm(end) }
        fetchEvents()
        var next = phaseEnd
        if let sleeper = world.time.next { next = min(next, sleeper) }
        if let event = events.first { next = min(next, event.at) }
        if let birth { next = min(next, birth) }
        if let stopping { next = min(next, stopping.deadline) }
        if world.hasPushes { next = min(next, world.pusher.due) }
        pass(to: next)
        pushWhatIsDue()
        if let birth, birth <= world.time.uptime {
            open()
        } else if let stopping, stopping.deadline <= world.time.uptime, executor.isIdle {
            world.object(Lively.name, "a bot that was asked to stop has not ended in time")
        } else if let event = events.first, event.at <= world.time.uptime {
            events.removeFirst()
            happened.append(event.id)
            if happened.count > Play.eventsKeptMax { happened.removeFirst(Play.eventsKeptMax / 2) }
            happen(event.what)
        } else if phaseEnd <= world.time.uptime, executor.isIdle {
            guard !world.isCalm else {
                world.object(
                    Lively.name, "after \(Play.calmMax / Play.hour) h without faults there is still \(leftovers)")
                return false
            }
            beginCalm()
        }
        return true
    }

    /// Whoever pushes does so whether or not there is a bot to hear of it.
    private func pushWhatIsDue() {
        guard world.hasPushes, world.pusher.due <= world.time.uptime else { return }
        guard let bot, !world.isDead, world.death == nil else { return world.pusher.postpone(at: world.time.uptime) }
        Task(executorPreference: executor) { [world] in await world.push(to: bot) }
        // The next is due later in any case, also where this one is slow.
        world.pusher.postpone(at: world.time.uptime)
    }

    private func pass(to moment: Int64) {
        for sleeper in world.time.pass(to: moment) { sleeper.resume() }
    }

    private mutating func fetchEvents() {
        while events.isEmpty, nextHour * Play.hour < phaseEnd {
            if !world.isCalm {
                events = simulation.script.events(ofHour: nextHour).filter { $0.at >= world.time.uptime }
            }
            nextHour += 1
        }
    }

    private mutating func beginCalm() {
        calmBegan = world.time.uptime
        phaseEnd = calmBegan + Play.calmMax
        events = []
        world.disarmKill()
        world.troubles = [:]
        world.diskTrouble = nil
        world.figures.makeFine()
        world.setCalm(true)
        reload(world.settings)
    }

    private mutating func endCalm(_ end: Int64) -> Bool {
        world.tell(.drained)
        world.counts.calms += 1
        guard world.time.uptime < end else { return false }
        phaseEnd = min(world.time.uptime + Play.faultyLength, max(end, world.time.uptime + Play.hour))
        nextHour = world.time.uptime / Play.hour
        events = []
        world.setCalm(false)
        return true
    }

    /// Whether nothing is left to say, and every source had its turn twice.
    private var isDrained: Bool {
        let longest = world.settings.sources.map(\.slowest.wholeMilliseconds).max() ?? 0
        return world.time.uptime - calmBegan > 3 * longest && leftovers.isEmpty && birth == nil
    }

    /// What is still to be said. That a channel failed is over only when it takes the next message.
    private var leftovers: String {
        let incidents = world.truth.incidents.inOrder.filter { $0.rule != Trouble.channelFailing.rawValue }
        let deliveries = world.truth.outbox.inOrder
        if incidents.isEmpty, deliveries.isEmpty { return "" }
        let names = incidents.map { "incident \($0.id) (\($0.rule), \($0.state.rawValue))" }
        return "\(names + deliveries.map { "delivery \($0.id)" })"
    }

    // MARK: Events

    private mutating func reload(_ settings: Settings) {
        world.use(settings)
        bot?.reload(setup)
    }

    private mutating func happen(_ event: Adversity) {
        world.note { "event: \(event)" }
        switch event {
        case .kill(let boundary, let after, let powerCut, let downtime):
            world.armKill(boundary, after: after, World.Death(powerCut: powerCut, downtime: downtime))
        case .stop(let downtime):
            guard let bot, stopping == nil else { return }
            world.counts.stops += 1
            stopping = (world.time.uptime + 10_000, downtime)
            world.tell(.stopped)
            bot.stop()
        case .web(let host, let fault, let requests):
            let hosts = ChannelKind.allCases.map(\.host) + (0..<3).map { "figures\($0).example" }
            world.troubles[hosts[host % hosts.count]] = HostTrouble(fault: fault, requests: requests)
        case .disk(let kind, let length):
            world.counts.diskFaults[kind, default: 0] += 1
            world.diskTrouble = (kind, world.time.uptime + length)
        case .setClock(let step):
            world.setClock(by: step)
        case .suspend(let length):
            world.counts.suspends += 1
            world.tell(.suspended(length))
            pass(to: world.time.uptime + length)
            // What was asked for meanwhile has to wait until the machine is awake.
            if let stopping { self.stopping?.deadline = max(stopping.deadline, world.time.uptime + 10_000) }
        case .reload(let edit):
            world.counts.reloads += 1
            reload(world.settings.edited(edit, of: original, at: world.time.wall))
        case .lowPower(let isLow): world.isLowOnPower = isLow
        case .figures(let app, let look): world.figures.set(look, ofApp: app)
        }
    }
}

/// Set by the bot's task when the bot has ended; read by the simulation between jobs.
private final class LifeFlag: @unchecked Sendable {
    // Touched on the simulation's thread only: the bot's task runs on its executor.
    var hasEnded = false
}

extension JournalReport {
    fileprivate func isTorn(_ file: String, at byte: Int) -> Bool {
        notices.contains {
            if case .tornTail(let torn, _) = $0 { torn.file == file && torn.byteOffset <= byte } else { false }
        }
    }
}
