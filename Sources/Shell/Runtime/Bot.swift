public import AlertCore
public import Journal
public import PluginKit

/// The running bot: owns the state, steps the core, keeps the journal, performs the effects.
///
/// One turn takes in everything that has happened since the last, writes the facts to the journal, and, where anything
/// leaves the machine, first makes them durable with one sync; other facts share a sync a second. If the journal cannot
/// be written, what would leave waits until it can.
public actor Bot {
    private var core: Core
    private var sources: PolledSources
    private var channels: [String: any Channel]
    private var heartbeat: Heartbeat
    let ports: Ports
    private var redactor: Redactor
    private var inquiries = Inquiries()
    let pictures = PictureDesk()
    private var seal: Courier.Seal?
    private let tokens = TokenVault()
    private var books: Bookkeeping
    private let recorder: Recorder?
    public private(set) var state: State
    public private(set) var meters = Meters()
    /// What is wrong with the config on the disk, where that is not the one in use.
    public private(set) var configTrouble: String?
    /// The last pushes that were refused, by source.
    public private(set) var refusedPushes: [String: Intake.Mistaken] = [:]

    /// Who may push what: asked beside the bot, before a body is read.
    public nonisolated let intake: Intake
    private let queue = InputQueue<Event>()
    private var alarms = Alarms()
    private var askers = Askers()
    private var watchers = Watchers()
    private var surroundings: Surroundings
    /// Deliveries whose attempts wait for the journal.
    private var unsent: [String] = []
    /// When the recording was last asked to give up a file for the journal, by the machine's clock.
    private var roomAsked = Duration.zero
    private(set) var isStopping = false
    private var sending = 0
    /// Whether messages are under way, or about to be.
    private var isBusy = false
    private var sourceLog = SourceLog()

    private enum Event: Sendable {
        case input(Input, took: Meters.Took? = nil)
        /// A source's secrets have been replaced.
        case renewed(PolledSources.Renewed)
        /// The time has come until which a task slept.
        case alarm(Duration)
        case snapshot(Result<Compaction.Written, JournalError>)
        /// Somebody waits for the answer to the input that gets this number.
        case asking(@Sendable (Int) -> Input, CheckedContinuation<CommandReply, Never>)
        case reload(Setup)
        case stop
        /// The grace of a stop is over.
        case graceOver
    }

    public init(_ setup: Setup, ports: Ports, ledger: consuming Ledger, state: State) {
        core = Core(plan: setup.plan)
        sources = PolledSources(setup)
        channels = setup.channels
        heartbeat = Heartbeat(setup, state)
        redactor = Redactor(setup.secrets)
        intake = Intake(setup.sources, ports.clock)
        seal = setup.seal
        self.ports = ports
        books = Bookkeeping(ledger, ports.clock)
        recorder = ports.recording.map { Recorder($0, ports.host) }
        self.state = state
        surroundings = Surroundings(ports.clock)
    }

    public var plan: Plan { core.plan }

    /// The channels whose messages never leave the bot.
    public var inboxes: Set<String> { channels.inboxes(at: ports.clock.now()) }

    /// What the journal takes on the disk.
    public var journalBytes: Int { books.bytes }

    /// What keeps the journal from being written, if anything does.
    public var trouble: JournalError? { books.trouble }

    /// What keeps observations from being recorded, if anything does.
    public var recordingTrouble: String? {
        guard let recorder else { return nil }
        return books.trouble == nil ? recorder.trouble : "nothing is recorded while the journal cannot be written"
    }

    /// Uses a new config from the next turn on.
    public nonisolated func reload(_ setup: Setup) { queue.put(.reload(setup)) }

    /// Notes that a config was refused, and why: the bot goes on with the one it has.
    public func noteRefusedConfig(_ why: String) {
        meters.noteRefusedReload()
        configTrouble = redactor.redact(why)
    }

    /// Tells people of a config that was refused: it has stayed as it is for too long to be somebody's half-finished work.
    public func tellRefusedConfig() {
        if let configTrouble { queue.put(.input(.configRefused(configTrouble))) }
    }

    /// Stops: no new polls; deliveries in flight end within the grace or stay safe in the journal.
    public nonisolated func stop() { queue.put(.stop) }

    /// Does what somebody says and answers once that is safe in the journal.
    public nonisolated func obey(_ command: Command) async -> CommandReply {
        await withCheckedContinuation { continuation in
            if !queue.put(.asking({ .command(command, id: $0) }, continuation)) {
                continuation.resume(returning: .stopping)
            }
        }
    }

    /// Takes in what somebody pushed to a source, and answers once that is safe in the journal.
    public func take(_ report: PollReport, for source: String) async -> CommandReply {
        let report = report.redacted(by: redactor)
        return await withCheckedContinuation { continuation in
            if !queue.put(.asking({ .pushed(source: source, report, id: $0) }, continuation)) {
                continuation.resume(returning: .stopping)
            }
        }
    }

    /// Notes that a push was refused, and why: whoever sent it has heard it, and may be a program that says nothing.
    func noteRefused(_ mistake: PushMistake, of source: String) {
        let why = redactor.redact("\(mistake)").tamed
        refusedPushes[source] = Intake.Mistaken(at: ports.clock.now(), why: why)
        let note = Note(.warning, "source \(source): a push was refused: \(why)", ["source": source])
        if sourceLog.isNews(note.text, ofPushTo: source, at: ports.clock.uptime()) { ports.host.log(note) }
    }

    /// A bell that rings after each turn, whatever came of it, and ends when the bot stops.
    public func bell() -> AsyncStream<Void> {
        watchers.add { [weak self] id in
            guard let self else { return }
            Task { await self.dropWatcher(id) }
        }
    }

    private func dropWatcher(_ id: Int) { watchers.drop(id) }

    /// Runs until stopped.
    public func run(grace: Duration) async {
        guard let recorder else { return await work(grace) }
        async let recorded: Void = recorder.run()
        await work(grace)
        recorder.end()
        await recorded
    }

    private func work(_ grace: Duration) async {
        await withDiscardingTaskGroup { group in
            turn(books.firstInputs, &group)
            for await _ in queue.bell {
                process(queue.takeAll(), grace, &group)
                if isStopping, sending == 0 { queue.close() }
            }
            group.cancelAll()
        }
        watchers.end()
        books.close(state, at: ports.clock.now())
        // Nobody takes in what comes from now on.
        for event in queue.takeAll() {
            if case .asking(_, let continuation) = event { continuation.resume(returning: .stopping) }
        }
    }

    /// Takes in what has happened since the last turn: in one turn, but for what another config parts.
    private func process(_ events: [Event], _ grace: Duration, _ group: inout DiscardingTaskGroup) {
        var inputs: [Input] = []
        for event in events {
            switch event {
            case .input(let input, let took):
                meters.note(input, took: took)
                inputs.append(input)
            case .renewed(let renewed):
                if let note = sources.use(renewed, &core.plan, &redactor) { ports.host.log(note) }
            case .alarm(let due): if alarms.ring(due) { inputs.append(.tick) }
            case .asking(_, let continuation) where isStopping: continuation.resume(returning: .stopping)
            case .asking(let input, let continuation):
                let asked = input(askers.add(continuation))
                meters.note(asked, took: nil)
                inputs.append(asked)
            case .reload where isStopping: break
            case .reload(let setup):
                if !inputs.isEmpty { turn(inputs, &group) }
                use(setup)
                inputs = [.started]
            case .snapshot(let result): log(books.finish(result))
            case .stop: beginStop(grace, &group)
            case .graceOver: queue.close()
            }
        }
        if !inputs.isEmpty { turn(inputs, &group) }
    }

    private func beginStop(_ grace: Duration, _ group: inout DiscardingTaskGroup) {
        guard !isStopping else { return }
        isStopping = true
        let end = ports.clock.uptime() + grace
        group.addTask { [ports, queue] in
            try? await ports.clock.sleep(until: end)
            queue.put(.graceOver)
        }
    }

    /// Swaps the config; what is in flight keeps the plugin it began with.
    private func use(_ setup: Setup) {
        core = Core(plan: setup.plan)
        sources = PolledSources(setup, after: sources)
        channels = setup.channels
        heartbeat = Heartbeat(setup, state)
        redactor = Redactor(setup.secrets)
        sourceLog = SourceLog()
        inquiries = Inquiries()
        intake.use(setup.sources)
        seal = setup.seal
        configTrouble = nil
        meters.noteReload(setup, at: ports.clock.now())
    }

    /// One turn: step, journal, perform.
    private func turn(_ inputs: [Input], _ group: inout DiscardingTaskGroup) {
        let now = ports.clock.now()
        for input in inputs {
            sourceLog.note(input)
            heartbeat.note(input, isHealthy: books.trouble == nil, ports, &group)
            if case .delivered = input { sending -= 1 }
        }
        let answers = recorder == nil ? [] : inputs.compactMap { answer(in: $0, at: now) }
        let output = step(surroundings.news(ports, wasLow: state.schedule.isLowOnPower) + inputs, at: now)
        meters.note(output)
        var effects = output.effects
        books.take(output.facts)
        // While messages leave, a snapshot would take their time, and memory for a second state beside the changing
        // one.
        isBusy = sending > 0 || output.safety == .first
        var isWritten = write(now, safe: output.safety, &group)
        if let news = books.news() {
            // What cannot leave now makes way for the one message that may.
            let held = books.trouble == nil ? [] : takeUnsent(and: &effects)
            let more = core.step(&state, [.unsent(ids: held), news], at: now)
            effects += more.effects
            books.take(more.facts)
            if isWritten { isWritten = write(now, safe: .first, &group) }
        }
        perform(effects, isWritten, &group)
        if isWritten, !unsent.isEmpty { sendWhatWaited(now, &group) }
        // The journal comes first: what it needs is not spent on looking back.
        if isWritten {
            for answer in answers { recorder?.put(answer) }
        } else if case .diskFull = books.trouble, ports.clock.uptime() - roomAsked >= Bot.journalRetryInterval {
            roomAsked = ports.clock.uptime()
            recorder?.put(.makeRoom)
        }
        arm(&group)
        watchers.ring()
    }

    /// Steps the core, once for every poll that has ended: a recording is played so, and what one source says may
    /// explain what another did.
    private func step(_ inputs: [Input], at now: Moment) -> Output {
        let ends = Array(inputs.indices.filter { inputs[$0].poll != nil }.dropFirst()) + [inputs.count]
        var output = core.step(&state, Array(inputs[..<ends[0]]), at: now)
        for (begin, end) in zip(ends, ends.dropFirst()) {
            let more = core.step(&state, Array(inputs[begin..<end]), at: now)
            output.facts += more.facts
            output.effects += more.effects
            output.judged += more.judged
        }
        return output
    }

    /// The attempts that wait for the journal, those of this turn with them; they wait no longer.
    private func takeUnsent(and effects: inout [Effect]) -> [String] {
        var ids = unsent
        sending -= unsent.count
        unsent = []
        effects.removeAll { effect in
            guard case .send(let order) = effect, !order.mayLeaveUnsafe else { return false }
            ids.append(order.delivery.id)
            return true
        }
        return ids
    }

    /// The journal can be written again: what waited for it has its turn as if it had never begun, because the pace of
    /// its channel, or a wait that was asked for since, may not allow it now.
    private func sendWhatWaited(_ now: Moment, _ group: inout DiscardingTaskGroup) {
        let ids = unsent
        unsent = []
        sending -= ids.count
        let output = core.step(&state, [.unsent(ids: ids)], at: now)
        books.take(output.facts)
        let isWritten = write(now, safe: .first, &group)
        perform(output.effects, isWritten, &group)
    }

    /// What is to be recorded of an input that is about to be taken in.
    private func answer(in input: Input, at now: Moment) -> Recorder.Entry? {
        guard let (source, report) = input.poll, sources[source] != nil else { return nil }
        return .polled(
            source: source, report, asked: min(state.schedule.sources[source]?.lastPolled ?? now, now), arrived: now)
    }

    /// Writes the facts, and makes them durable if that is due; false when the journal cannot be written now.
    private func write(_ now: Moment, safe: Output.Safety?, _ group: inout DiscardingTaskGroup) -> Bool {
        let outcome = books.write(state, at: now, safe: safe, isBusy: isBusy)
        log(outcome.notes)
        if let took = outcome.synced { meters.noteSync(took) }
        if let snapshot = outcome.snapshot {
            group.addTask { [queue] in queue.put(.snapshot(snapshot.write())) }
        }
        return outcome.isWritten
    }

    private func log(_ notes: [Note]) {
        if !notes.isEmpty { ports.host.log(notes.map { Note($0.level, redactor.redact($0.text), $0.details) }) }
    }

    private func perform(_ effects: [Effect], _ isWritten: Bool, _ group: inout DiscardingTaskGroup) {
        let all = effects.notes(redactor, withDetails: ports.host.logsDetails, isWritten: isWritten)
        let notes = sourceLog.news(in: all, at: ports.clock.uptime())
        if !notes.isEmpty { ports.host.log(notes) }
        for effect in effects { perform(effect, isWritten, &group) }
    }

    private func perform(_ effect: Effect, _ isWritten: Bool, _ group: inout DiscardingTaskGroup) {
        switch effect {
        case .note, .decided: break
        case .poll(let order):
            guard !isStopping, let source = sources[order.source] else { return }
            let poller = Poller(ports: ports, redactor: redactor, tokens: tokens)
            group.addTask { [queue, sources, clock = ports.clock] in
                let began = clock.uptime()
                let input = await sources.poll(order, source, by: poller) { queue.put(.renewed($0)) }
                queue.put(.input(input, took: .poll(clock.uptime() - began)))
            }
        case .answered(let answer, let id):
            askers.answer(id, isWritten ? .answered(answer) : .unsafe(books.trouble?.description ?? ""))
        case .send(let order):
            sending += 1
            if let sentence = books.refusal(of: order.delivery.id) {
                queue.put(.input(.delivered(id: order.delivery.id, .refusedChannel(sentence))))
            } else if isWritten || order.mayLeaveUnsafe {
                send(order, &group)
            } else {
                unsent.append(order.delivery.id)
            }
        }
    }

    private func send(_ order: SendOrder, _ group: inout DiscardingTaskGroup) {
        guard let channel = channels[order.delivery.channel] else {
            // Only a setup whose plan names a channel that it does not bring makes this happen.
            queue.put(.input(.delivered(id: order.delivery.id, .retry(after: nil, "its channel is missing"))))
            return
        }
        let courier = Courier(
            ports: ports, redactor: redactor, zone: plan.zone, inquiries: inquiries, pictures: pictures, seal: seal)
        let channelPlan = plan.channel(order.delivery.channel)
        let connection = channelPlan?.connection ?? .usual
        let delivering = { @Sendable [queue, clock = ports.clock] in
            let began = clock.uptime()
            await courier.deliver(order, channel, over: connection) { input in
                let took = Meters.Took.attempt(channel: order.delivery.channel, clock.uptime() - began)
                queue.put(.input(input, took: took))
            }
        }
        // Of what leaves by the dozen, each message would cost a hop to another thread and back. A preference that is nil is
        // no preference in a debug build, and the global pool in an optimised one (Swift 6.3).
        if (channelPlan?.pace.atOnce ?? 1) > 1, let executor = ports.web.executor {
            group.addTask(executorPreference: executor, operation: delivering)
        } else {
            group.addTask(operation: delivering)
        }
    }

    /// Sets the alarm to the next thing that is due.
    private func arm(_ group: inout DiscardingTaskGroup) {
        guard !isStopping else { return }
        let uptime = ports.clock.uptime()
        let promise = state.nextDue.map { uptime + max(.zero, $0 - ports.clock.now()) }
        let due = [promise, books.nextDue].compactMap(\.self).min()
        guard let due, alarms.set(to: due) else { return }
        group.addTask { [ports, queue] in
            guard (try? await ports.clock.sleep(until: due)) != nil else { return }
            queue.put(.alarm(due))
        }
    }
}
