internal import AlertCore
internal import AlertTesting
internal import Journal
internal import PluginKit
internal import Synchronization
internal import Testing

@testable import Runtime

@Suite(.timeLimit(.minutes(5))) struct BotTests {
    let stage = Stage()
    let clock: ManualClock
    let disk = ShortDisk()

    init() { clock = ManualClock(stage) }

    func makeBot(
        _ plan: Plan = .rehearsed(), secrets: [Secret] = [],
        limits: JournalLimits = .standard,
        _ answer: @escaping ScriptedWeb.Answer
    ) throws -> Bot {
        var state = State()
        let ledger = try Ledger(opening: disk, limits: limits, rebuilding: &state)
        return Bot(
            .staged(plan, secrets: secrets), ports: .staged(stage, clock, answer), ledger: ledger,
            state: state)
    }

    @Test func `facts are durable before a request leaves`() async throws {
        let objections = Mutex<[String]>([])
        let bot = try makeBot { [disk] request, _ throws(TransportError) in
            guard request.method == .post else { return .says("w") }
            let id = String(request.url.reveal().dropFirst(HookChannel.address.count))
            let left = (try? State.reading(disk.afterPowerCut, .none))?.state.outbox.deliveries[id]
            if case .attempting = left?.progress.phase {
            } else {
                objections.withLock { $0.append("\(id) leaves before it is safe: \(String(describing: left))") }
            }
            return .says("ok")
        }
        try await bot.run {
            await bot.settle { $0.outbox.history.count == 1 }
        }
        #expect(objections.withLock { $0 } == [])
        #expect(stage.asked.count { $0.hasPrefix(HookChannel.address) } == 1)
        let end = try #require(await bot.state.outbox.history.first?.end)
        #expect(end == .delivered(receipt: nil))
    }

    @Test func `a message that has arrived is written down before the opening message is edited`() async throws {
        let door = Door()
        let cue = Mutex("w")
        var channel = HookChannel()
        channel.receipt = "r"
        channel.updated = "https://hooks.example/update"
        var setup = Bot.Setup.staged(.rehearsed())
        setup.channels = ["team": channel]
        let answer: ScriptedWeb.Answer = { request, _ throws(TransportError) in
            if request.url.reveal().hasSuffix("update") { await door.pass() }
            return .says(request.method == .get ? cue.withLock { $0 } : "ok")
        }
        var state = State()
        let ledger = try Ledger(opening: disk, limits: .standard, rebuilding: &state)
        let bot = Bot(setup, ports: .staged(stage, clock, answer), ledger: ledger, state: state)
        try await bot.run {
            await bot.settle { $0.outbox.history.count == 1 }
            cue.withLock { $0 = "." }
            clock.advance(by: .minutes(10))
            await stage.waitForRequest("https://hooks.example/update")
            await bot.settle { $0.outbox.history.count == 2 }
            let written = try State.reading(disk, .none).state.outbox
            #expect(written.deliveries.isEmpty)
            #expect(written.history.map(\.delivery.kind) == [.opened, .resolved])
            door.open()
        }
        #expect(await bot.meters.attempts.values.map(\.durations.total) == [2])
    }

    @Test func `what was done is counted`() async throws {
        let bot = try makeBot { request, _ throws(TransportError) in
            request.method == .post ? .says("ok") : .says("w")
        }
        try await bot.run {
            await bot.settle { $0.outbox.history.count == 1 }
        }
        let meters = await bot.meters
        #expect(meters.polls["ios"]?.observations == 1)
        #expect(meters.pollDurations.total == 1)
        #expect(meters.judgements >= 1)
        #expect(meters.decisions[.opened]?.all.first?.count == 1)
        #expect(meters.attempts.values.map(\.durations.total) == [1])
        #expect(meters.syncs.total >= 1)
        #expect(await bot.journalBytes > 0)
    }

    @Test func `what nobody outside knows of shares a sync within a second`() async throws {
        let door = Door()
        let plan = Plan.rehearsed(sources: ["ios", "android"].map { SourcePlan(name: $0, slowsWhen: []) })
        let bot = try makeBot(plan) { request, _ throws(TransportError) in
            if request.url.reveal() == "https://android.example/" { await door.pass() }
            return .says(".")
        }
        func isSafe(_ source: String) throws -> Bool {
            try State.reading(disk.afterPowerCut, .none).state.schedule.sources[source]?.lastGood != nil
        }
        try await bot.run {
            await bot.settle { $0.schedule.sources["ios"]?.lastGood != nil }
            // After a quiet time the first is safe at once, and what follows it within the second waits.
            var isSafeNow = try isSafe("ios")
            #expect(isSafeNow)
            door.open()
            await bot.settle { $0.schedule.sources["android"]?.lastGood != nil }
            isSafeNow = try isSafe("android")
            #expect(!isSafeNow)
            // The end of the process would not take it away.
            let written = try State.reading(disk, .none).state.schedule.sources["android"]?.lastGood
            #expect(written != nil)
            let bell = await bot.bell()
            clock.advance(by: .seconds(1))
            for await _ in bell { break }
            isSafeNow = try isSafe("android")
            #expect(isSafeNow)
        }
    }

    @Test func `the journal gives back the state`() async throws {
        let bot = try makeBot { request, _ throws(TransportError) in
            request.method == .post ? .says("slow down", status: 429, [("Retry-After", "600")]) : .says("c")
        }
        try await bot.run {
            await bot.settle { state in
                state.outbox.deliveries.values.contains { $0.progress.attempts == 1 && $0.progress.phase.isWaiting }
            }
        }
        let state = await bot.state
        #expect(state.outbox.deliveries.count == 1)
        #expect(state.incidents.count == 1)
        #expect(try State.reading(disk.afterPowerCut, .none).state.durable == state.durable)
        var rebuilt = State()
        // The bot that holds the lock is still there, so the copy is opened.
        _ = try Ledger(opening: disk.afterPowerCut, rebuilding: &rebuilt)
        #expect(rebuilt.durable == state.durable)
    }

    @Test(arguments: [true, false], [401, 403])
    func `a credential that has been replaced is used before its refusal counts`(
        isReplaced: Bool, status: Int
    ) async throws {
        // What stands in the file, and what the service takes.
        let file = Mutex("old")
        let made = Mutex(0)
        let answer: ScriptedWeb.Answer = { request, _ throws(TransportError) in
            request.url.reveal() == "https://new.example/" ? .says(".") : .says("no, s3cret-old", status: status)
        }
        var setup = Bot.Setup.staged(.rehearsed(detectors: []), secrets: [Secret("s3cret-old")])
        var source = LookSource("old")
        if status == 403 { source.credentialRefusals.insert(.forbidden) }
        setup.sources = ["ios": source]
        setup.renewals = [
            "ios": SourceRenewal(from: [Secret("s3cret-old")]) {
                made.withLock { $0 += 1 }
                let name = file.withLock(\.self)
                return SourceRenewal.Made(LookSource(name), secrets: [Secret("s3cret-\(name)")])
            }
        ]
        if isReplaced { file.withLock { $0 = "new" } }
        var state = State()
        let ledger = try Ledger(opening: disk, rebuilding: &state)
        let bot = Bot(setup, ports: .staged(stage, clock, answer), ledger: ledger, state: state)
        try await bot.run {
            await bot.settle { $0.schedule.sources["ios"]?.lastOutcome != nil }
            if isReplaced {
                let record = await bot.state.schedule.sources["ios"]
                #expect(record?.failure == nil, "the refusal does not count")
                #expect(stage.asked == ["https://old.example/", "https://new.example/"])
                clock.advance(by: .minutes(5))
                await bot.settle { ($0.schedule.sources["ios"]?.lastGood ?? .earliest) > .rehearsalStart }
                #expect(stage.asked.last == "https://new.example/", "and the new one is kept")
                #expect(stage.asked.count == 3)
            } else {
                await bot.settle { $0.schedule.sources["ios"]?.failure?.count == 1 }
                clock.advance(by: .minutes(10))
                await bot.settle { $0.schedule.sources["ios"]?.failure?.count == 2 }
                let isStopped = await bot.state.schedule.sources["ios"]?.stopped != nil
                #expect(isStopped == (status == 401), "what may not be seen may be allowed tomorrow")
                #expect(stage.asked.count { $0 == "https://old.example/" } == 2, "nothing is tried twice")
                #expect(made.withLock(\.self) == 2, "it was looked for each time")
            }
        }
    }

    @Test(arguments: [1, 30])
    func `while the journal cannot be written nothing leaves, and then it goes on by itself`(
        atOnce: Int
    ) async throws {
        let door = Door()
        let pace = Pace(perSecond: 100, burst: 100, atOnce: atOnce)
        let bot = try makeBot(.rehearsed(channels: [ChannelPlan(name: "team", pace: pace)])) {
            request, _ throws(TransportError) in
            if request.method == .get { await door.pass() }
            return .says("w")
        }
        try await bot.run {
            await stage.waitForRequest("https://ios.example/")
            disk.setFull(true)
            door.open()
            await bot.settle { !$0.outbox.deliveries.isEmpty }
            await stage.waitForLog("the journal cannot be written")
            #expect(await bot.trouble != nil)
            // A try that fails again changes nothing and is not told again.
            let retry = clock.uptime() + .seconds(5)
            await stage.wait { $0.contains(.slept(until: retry)) }
            #expect(!stage.asked.contains { $0.hasPrefix(HookChannel.address) })
            let told = stage.logged.filter { $0.hasPrefix("team: send") }
            #expect(told.count == 1)
            #expect(told.allSatisfy { $0.hasPrefix("team: send when the journal can be written (first): opened") })
            clock.advance(by: .seconds(5))
            await stage.wait { $0.contains(.slept(until: retry + .seconds(5))) }
            // One message leaves all the same: that nothing else can.
            await stage.wait { _ in stage.asked.contains { $0.hasPrefix(HookChannel.address) } }
            #expect(stage.asked.count { $0.hasPrefix(HookChannel.address) } == 1)
            #expect(stage.logged.count { $0.hasPrefix("team: send (first): opened") } == 1)
            #expect(stage.logged.count { $0.contains("the journal cannot be written") } == 1)
            disk.setFull(false)
            clock.advance(by: .seconds(5))
            await bot.settle { $0.outbox.history.count == 3 }
            #expect(await bot.trouble == nil)
        }
        #expect(stage.logged.contains("the journal can be written again"))
        #expect(stage.asked.count { $0.hasPrefix(HookChannel.address) } == 3)
        #expect(Set(await bot.state.outbox.history.map(\.delivery.kind)) == [.opened, .resolved])
        #expect(try State.reading(disk.afterPowerCut, .none).state.durable == (await bot.state).durable)
    }

    @Test func `a state folder that is taken away is begun anew, with nothing lost`() async throws {
        let door = Door()
        let bot = try makeBot { request, _ throws(TransportError) in
            if request.method == .get { await door.pass() }
            return .says("w")
        }
        try await bot.run {
            await stage.waitForRequest("https://ios.example/")
            disk.uproot()
            door.open()
            await bot.settle { !$0.outbox.deliveries.isEmpty }
            await stage.waitForLog("state was removed or moved while the bot wrote to it")
            #expect(!stage.asked.contains { $0.hasPrefix(HookChannel.address) })
            let retry = clock.uptime() + .seconds(5)
            await stage.wait { $0.contains(.slept(until: retry)) }
            clock.advance(by: .seconds(5))
            await bot.settle { !$0.outbox.history.isEmpty }
            #expect(await bot.trouble == nil)
        }
        #expect(stage.logged.contains("the journal can be written again"))
        #expect(stage.asked.count { $0.hasPrefix(HookChannel.address) } == 1)
        #expect(try State.reading(disk.afterPowerCut, .none).state.durable == (await bot.state).durable)
    }

    @Test func `the journal is compacted while the bot goes on`() async throws {
        var limits = JournalLimits()
        limits.compactionBytesMin = 1
        let bot = try makeBot(limits: limits) { _, _ throws(TransportError) in .says("w") }
        try await bot.run {
            await stage.waitForLog("the journal was compacted to ")
            // What happens after the snapshot is written behind it.
            clock.advance(by: .minutes(5))
            await stage.waitForRequest("https://ios.example/", count: 2)
        }
        let (state, report) = try State.reading(disk.afterPowerCut, .none)
        #expect(state.durable == (await bot.state).durable)
        #expect(disk.afterPowerCut.names.contains { $0.hasPrefix("snapshot-") })
        #expect(report.notices.isEmpty)
        #expect(!disk.names.contains("journal-00000000000000000001.jsonl"))
    }

    /// Rules and sources of any size make messages of any size.
    @Test func `a message that the journal cannot hold is not sent, and keeps no compaction from its end`()
        async throws
    {
        var state = State()
        let look = PollReport(.values([.cue(.warning, at: .rehearsalStart)]))
        // A link that the message has and the incident has not: no other record is as long.
        let link = Message.Link("Runbook", "https://wiki.example/" + String(repeating: "x", count: 1000))
        let plan = Plan.rehearsed(
            detectors: [DetectorPlan(name: "look", detector: ScriptedDetector(), links: [link])])
        let facts = Core(plan: plan).step(
            &state, [.started, .polled(source: "ios", look, validators: [:])], at: .rehearsalStart
        ).facts
        let message = try #require(facts.first { if case .outbox(.delivery) = $0 { true } else { false } })
        let headline = try #require(state.outbox.deliveries.values.first?.message.headline)
        var limits = JournalLimits()
        limits.recordBytesMax = message.bytes.count - 1
        limits.compactionBytesMin = 1
        let bot = try makeBot(plan, limits: limits) { _, _ throws(TransportError) in .says("w") }
        try await bot.run {
            await bot.settle { $0.outbox.history.contains { $0.delivery.message.headline == headline } }
            let entry = try #require(await bot.state.outbox.history.first)
            guard case .dead(let sentence) = entry.end else {
                Issue.record("it ended as \(entry.end)")
                return
            }
            #expect(sentence.hasPrefix("it does not fit into the journal, so it was not sent: a record of "))
            await stage.waitForLog(
                "a record does not fit into the journal and will be lost at the next start: a record of ")
            await stage.waitForLog(#"the snapshot of the journal lacks something: "#)
            await stage.waitForLog("the journal was compacted to ")
            #expect(await bot.trouble == nil)
        }
        #expect(!stage.asked.contains { $0.hasPrefix(HookChannel.address) })
        let (read, report) = try State.reading(disk.afterPowerCut, .none)
        #expect(report.notices.isEmpty)
        #expect(disk.afterPowerCut.names.contains { $0.hasPrefix("snapshot-") })
        #expect(read.incidents.inOrder == (await bot.state).incidents.inOrder)
    }

    @Test func `people hear of a journal that was damaged when the bot started`() async throws {
        do {
            let bot = try makeBot { _, _ throws(TransportError) in .says(".") }
            try await bot.run { await bot.settle { $0.schedule.sources["ios"]?.lastGood != nil } }
        }
        let segment = "journal-00000000000000000001.jsonl"
        let whole = try disk.openToRead(segment).read(at: 0, bytesMax: 1 << 20)
        var state = State()
        let ledger = try Ledger(opening: ShortDisk([segment: Array("{no record}\n".utf8) + whole]), rebuilding: &state)
        let bot = Bot(
            .staged(.rehearsed(reportTo: "team")),
            ports: .staged(stage, clock) { _, _ throws(TransportError) in .says(".") }, ledger: ledger, state: state)
        try await bot.run {
            await bot.settle { !$0.outbox.history.isEmpty }
        }
        let told = await bot.state.outbox.history.map(\.delivery.message.headline)
        #expect(told.count == 1)
        #expect(
            told.first?.contains("The journal was damaged when the bot started: 1 damaged line.") == true, "\(told)")
    }

    @Test func `a new config is used from the next turn on`() async throws {
        let bot = try makeBot { _, _ throws(TransportError) in .says(".") }
        try await bot.run {
            await stage.waitForRequest("https://ios.example/")
            await bot.settle { $0.schedule.sources["ios"]?.lastGood != nil }
            let plan = Plan.rehearsed(sources: [SourcePlan(name: "android", jitter: 0)])
            bot.reload(.staged(plan))
            await stage.waitForRequest("https://android.example/")
            #expect(await bot.plan.sources.map(\.name) == ["android"])
            clock.advance(by: .hours(1))
            await stage.waitForRequest("https://android.example/", count: 2)
            #expect(stage.asked.count { $0 == "https://ios.example/" } == 1)
        }
    }

    @Test func `a channel that leaves the config while the journal is stuck keeps nobody waiting`() async throws {
        let door = Door()
        let bot = try makeBot { request, _ throws(TransportError) in
            if request.method == .get { await door.pass() }
            return .says("w")
        }
        try await bot.run {
            await stage.waitForRequest("https://ios.example/")
            disk.setFull(true)
            door.open()
            await stage.waitForLog("the journal cannot be written")
            bot.reload(.staged(.rehearsed(channels: [ChannelPlan(name: "page")])))
            disk.setFull(false)
            clock.advance(by: .seconds(5))
            await bot.settle { state in state.outbox.history.contains { $0.delivery.channel == "team" } }
            let ends = await bot.state.outbox.history.filter { $0.delivery.channel == "team" }.map(\.end.name)
            #expect(ends == ["dead"])
            // The stop that follows has nothing to wait for: nobody moves the clock through its grace.
        }
    }

    @Test func `the inboxes are the channels that keep their messages`() async throws {
        var state = State()
        let ledger = try Ledger(opening: disk, rebuilding: &state)
        let plan = Plan.rehearsed(channels: [ChannelPlan(name: "team"), ChannelPlan(name: "page")])
        var setup = Bot.Setup.staged(plan)
        setup.channels["page"] = HookChannel { _ in .keep }
        let bot = Bot(
            setup, ports: .staged(stage, clock) { _, _ throws(TransportError) in .says("") }, ledger: ledger,
            state: state)
        #expect(await bot.inboxes == ["page"])
    }

    @Test func `secrets that a service sends back are not logged`() async throws {
        let bot = try makeBot(secrets: [Secret("s3cr3t-token")]) { _, _ throws(TransportError) in
            .says("bad token s3cr3t-token", status: 401)
        }
        try await bot.run {
            await bot.settle { $0.schedule.sources["ios"]?.failure != nil }
        }
        #expect(stage.logged.contains { $0.contains("bad token ***") })
        #expect(!stage.logged.contains { $0.contains("s3cr3t") })
        let record = await bot.state.schedule.sources["ios"]
        #expect(record?.failure?.sentence.contains("s3cr3t") == false)
    }

    @Test func `polls leave nobody behind that sleeps`() async throws {
        let every = Duration.minutes(1)
        let bot = try makeBot(.rehearsed(sources: [SourcePlan(name: "ios", every: every, jitter: 0, slowsWhen: [])])) {
            _, _ throws(TransportError) in .says(".")
        }
        try await bot.run {
            for _ in 0..<40 {
                let now = clock.now()
                await bot.settle { $0.schedule.sources["ios"]?.lastGood == now }
                clock.advance(by: every)
            }
            // One for the next poll, one for what is further off, and what was due before the first answer.
            #expect(clock.sleepersCount <= 4)
        }
        #expect(stage.asked.count >= 40)
    }
}
