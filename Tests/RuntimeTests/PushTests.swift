internal import AlertCore
internal import AlertTesting
internal import Journal
internal import PluginKit
internal import Runtime
internal import Testing

/// A source that is told the first character of a cue, by whoever has its token.
private struct ToldSource: PushedSource {
    static let manifest = PluginManifest(name: "told", summary: "Is told.", options: [])

    let name: String
    let token: String
    var pushRate = Rate(3, per: .minutes(1))

    init(_ name: String, token: String) { (self.name, self.token) = (name, token) }
    init(options: Options, context: SourceContext) throws(ProblemList) { self.init(context.name, token: "t") }

    var host: String? { nil }
    var metrics: Set<Metric>? { [Cue.metric] }

    func isAuthentic(_ headers: PushHeaders) -> Bool { headers.bearer == token }

    func read(_ push: Push) throws(PushMistake) -> PollReport {
        guard let cue = String(decoding: push.body, as: UTF8.self).first.flatMap(Cue.init(rawValue:)) else {
            throw PushMistake(line: 1, "found no cue of \(token), expected one")
        }
        return PollReport(
            .values([.cue(cue, of: Subject(source: name, app: "shop"), at: push.now)]),
            cursor: ["pushed": JSON(push.now)], warnings: cue == .warning ? ["somebody said \(token)"] : [])
    }

    func poll(_ poll: Poll) -> PollStep {
        guard let last = poll.cursor?["pushed"]?.string.flatMap({ Moment(rfc3339: $0) }) else {
            return .finish(PollReport(.noData, cursor: ["pushed": JSON(poll.now)]))
        }
        return .finish(PollReport(.stale(measured: last)))
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A push` {
    private let stage = Stage()
    private let clock: ManualClock
    private let disk = ShortDisk()

    init() { clock = ManualClock(stage) }

    private static func pushed(_ name: String) -> SourcePlan {
        var plan = SourcePlan(name: name, slowest: .minutes(30))
        plan.isPushed = true
        return plan
    }

    private func makeBot(
        _ sources: [(name: String, token: String)] = [("job", "s3cret")], secrets: [Secret] = []
    ) throws -> Bot {
        var state = State()
        let ledger = try Ledger(opening: disk, rebuilding: &state)
        var setup = Bot.Setup.staged(.rehearsed(sources: sources.map { Self.pushed($0.name) }), secrets: secrets)
        setup.sources = Dictionary(
            uniqueKeysWithValues: sources.map { ($0.name, ToldSource($0.name, token: $0.token)) })
        return Bot(
            setup,
            ports: .staged(stage, clock) { _, _ throws(TransportError) in .says("ok") }, ledger: ledger, state: state)
    }

    private static let guess = PushHeaders([("Authorization", "Bearer guess")])

    @Test func `where nobody takes it, its body is read like a stranger's, so that the answer is heard`() throws {
        let bot = try makeBot([])
        #expect(bot.intake.bodyBytesMax(for: nil, Self.guess) == Push.strangeBodyBytesMax)
        #expect(bot.intake.refusal(for: nil, Self.guess) == .nobody)
    }

    @Test func `a wrong token is known before the body is`() throws {
        let bot = try makeBot()
        #expect(bot.intake.refusal(for: nil, Self.guess) == .unauthorized)
        #expect(bot.intake.refusal(for: nil, PushHeaders([("Authorization", "Bearer s3cret")])) == nil)
        // It may be signed, which the body shows.
        #expect(bot.intake.refusal(for: nil, PushHeaders([("X-Signature", "1")])) == nil)
    }

    /// What whoever pushes hears: the sentence, or why not.
    private func push(_ bot: Bot, _ body: String, as token: String = "s3cret", to name: String? = nil) async -> String {
        do throws(Intake.Refusal) {
            let headers = PushHeaders([("Authorization", "Bearer \(token)")])
            return try await bot.push(for: name, headers, Array(body.utf8)).sentence
        } catch {
            return "\(error)"
        }
    }

    @Test func `that was taken survives a power cut`() async throws {
        let bot = try makeBot()
        try await bot.run {
            await bot.settle { $0.schedule.sources["job"]?.lastGood != nil }
            for (minute, cue) in [".", "w", "."].enumerated() {
                let said = await push(bot, cue)
                let rest = cue == "w" ? "; somebody said s3cret" : ""
                #expect(said == "1 observation accepted for source job\(rest)")
                // The answer is here: from now on nothing may take it away.
                let left = try State.reading(disk.afterPowerCut, .none).state
                let live = await bot.state
                // What it led to may have left meanwhile.
                #expect(left.durable.sources == live.durable.sources, "push \(minute)")
                #expect(left.durable.series == live.durable.series, "push \(minute)")
                #expect(left.durable.incidents == live.durable.incidents, "push \(minute)")
                #expect(left.figures.series.keys.map(\.app) == ["shop"])
                clock.advance(by: .minutes(1))
            }
        }
    }

    @Test func `opens an incident at once, and the message leaves`() async throws {
        let bot = try makeBot()
        try await bot.run {
            await bot.settle { $0.schedule.sources["job"]?.lastGood != nil }
            _ = await push(bot, "c")
            await bot.settle { $0.outbox.history.count == 1 }
        }
        #expect(stage.asked.count { $0.hasPrefix(HookChannel.address) } == 1)
    }

    @Test func `of the same again does no harm`() async throws {
        let bot = try makeBot()
        try await bot.run {
            await bot.settle { $0.schedule.sources["job"]?.lastGood != nil }
            _ = await push(bot, "c")
            await bot.settle { $0.outbox.history.count == 1 }
            let before = await bot.state.figures.series
            let said = await push(bot, "c")
            #expect(said == "1 observation accepted for source job")
            let after = await bot.state.figures.series
            #expect(before.mapValues(\.samples.count) == after.mapValues(\.samples.count))
        }
        #expect(stage.asked.count { $0.hasPrefix(HookChannel.address) } == 1)
    }

    @Test func `is not taken while the journal cannot be written`() async throws {
        let bot = try makeBot()
        try await bot.run {
            await bot.settle { $0.schedule.sources["job"]?.lastGood != nil }
            disk.setFull(true)
            let said = await push(bot, ".")
            #expect(said.hasPrefix("unsafe("))
            disk.setFull(false)
            let again = await push(bot, ".")
            #expect(again == "1 observation accepted for source job")
            let left = try State.reading(disk.afterPowerCut, .none).state.figures.series
            #expect(left.count == 1)
        }
        #expect(await push(bot, ".") == "stopping")
    }

    @Test func `needs the token of one source`() async throws {
        let bot = try makeBot([("job", "s3cret"), ("other", "0ther"), ("twin", "s3cret")])
        try await bot.run {
            #expect(await push(bot, ".", as: "0ther") == "1 observation accepted for source other")
            #expect(await push(bot, ".", to: "twin") == "1 observation accepted for source twin")
            #expect(await push(bot, ".") == #"ambiguous(["job", "twin"])"#)
            #expect(await push(bot, ".", as: "wrong") == "unauthorized")
            #expect(await push(bot, ".", as: "wrong", to: "job") == "unauthorized")
            // Whether there is a source of that name, only its own token tells.
            #expect(
                await push(bot, ".", as: "0ther", to: "job") == #"misnamed("job", ownersOfToken: ["other"])"#)
            #expect(
                await push(bot, ".", to: "nobody") == #"misnamed("nobody", ownersOfToken: ["job", "twin"])"#)
            #expect(await push(bot, "#") == #"ambiguous(["job", "twin"])"#)
            #expect(await push(bot, "#", to: "job").contains("found no cue"))
        }
        let head = PushHeaders([("Authorization", "Bearer 0ther")])
        #expect(bot.intake.bodyBytesMax(for: nil, head) == Push.bodyBytesMax)
        #expect(bot.intake.bodyBytesMax(for: "job", head) == Push.strangeBodyBytesMax)
        #expect(bot.intake.refusal(for: "job", head) == .misnamed("job", ownersOfToken: ["other"]))
        #expect(bot.intake.bodyBytesMax(for: nil, PushHeaders([])) == Push.strangeBodyBytesMax)
    }

    @Test func `waits where there were too many`() async throws {
        let bot = try makeBot()
        try await bot.run {
            for _ in 0..<3 { #expect(await push(bot, ".").hasSuffix("for source job")) }
            #expect(await push(bot, ".") == "tooMany(wait: 20.0 seconds)")
            clock.advance(by: .seconds(20))
            #expect(await push(bot, ".").hasSuffix("for source job"))
            // Guesses are counted apart.
            for _ in 0..<30 { #expect(await push(bot, ".", as: "x") == "unauthorized") }
            #expect(await push(bot, ".", as: "x") == "tooMany(wait: 2.0 seconds)")
            clock.advance(by: .seconds(20))
            #expect(await push(bot, ".").hasSuffix("for source job"))
        }
    }

    @Test func `that does not come makes its source stale`() async throws {
        let bot = try makeBot()
        try await bot.run {
            await bot.settle { $0.schedule.sources["job"]?.lastGood != nil }
            clock.advance(by: .minutes(20))
            _ = await push(bot, ".")
            let due = await bot.state.schedule.sources["job"]?.due
            #expect(due == clock.now() + .minutes(30))
            clock.advance(by: .minutes(30))
            await bot.settle { $0.schedule.sources["job"]?.lastOutcome == .stale }
            let troubled = await bot.state.incidents.all.filter(\.isOpen).map(\.evidence.sentence)
            #expect(troubled.count == 1)
            #expect(troubled.first?.hasPrefix("Nobody has pushed anything to source job since") == true)
            _ = await push(bot, ".")
            let after = await bot.state
            #expect(after.schedule.sources["job"]?.lastOutcome == .values)
            #expect(after.incidents.all.filter(\.isOpen).isEmpty)
        }
    }

    @Test func `to a source that is gone is refused`() async throws {
        let bot = try makeBot()
        try await bot.run {
            await bot.settle { $0.schedule.sources["job"]?.lastGood != nil }
            bot.reload(.staged(.rehearsed()))
            await bot.settle { $0.schedule.sources["ios"] != nil }
            #expect(await push(bot, ".") == "nobody")
        }
    }

    @Test func `that makes no sense is said once an hour in the log, and the last one is kept for the status`()
        async throws
    {
        let bot = try makeBot(secrets: [Secret("s3cret")])
        let why = "line 1: found no cue of ***, expected one"
        let line = "source job: a push was refused: \(why)"
        try await bot.run {
            for _ in 0..<3 { #expect(await push(bot, "#").contains("found no cue")) }
            #expect(stage.logged.count { $0 == line } == 1)
            clock.advance(by: .hours(1))
            _ = await push(bot, "#")
            _ = await push(bot, ".")
            #expect(stage.logged.count { $0 == line } == 2)
            let refused = await bot.look.refusedPushes
            #expect(refused == ["job": Intake.Mistaken(at: clock.now(), why: why)])
        }
    }

    @Test func `says no secrets in the log`() async throws {
        let bot = try makeBot(secrets: [Secret("s3cret")])
        try await bot.run { #expect(await push(bot, "w").hasSuffix("; somebody said ***")) }
        #expect(stage.logged.contains { $0.contains("somebody said ***") })
        #expect(!stage.logged.contains { $0.contains("s3cret") })
    }
}
