internal import AlertCore
internal import AlertTesting
internal import Journal
internal import PluginKit
internal import Synchronization
internal import Testing

@testable import Runtime

/// The address that hears from a bot which is well.
@Suite(.timeLimit(.minutes(5))) struct `A heartbeat` {
    private let stage = Stage()
    private let clock: ManualClock
    private let heart = "https://hc.example/ping"

    init() { clock = ManualClock(stage) }

    private func makeBot(_ plan: Plan, _ answer: @escaping ScriptedWeb.Answer) throws -> Bot {
        var state = State()
        let ledger = try Ledger(opening: ShortDisk(), rebuilding: &state)
        return Bot(
            .staged(plan, heartbeat: GuardedText(heart)), ports: .staged(stage, clock, answer), ledger: ledger,
            state: state)
    }

    @Test func `the heart beats only after all sources have answered`() async throws {
        let door = Door()
        let isBroken = Mutex(true)
        let plan = Plan.rehearsed(
            sources: ["ios", "android"].map { SourcePlan(name: $0, every: .minutes(5), jitter: 0, slowsWhen: []) })
        let bot = try makeBot(plan) { request, _ throws(TransportError) in
            if request.url.reveal() == "https://android.example/" {
                if isBroken.withLock({ $0 }) { return .says("out of order", status: 500) }
                await door.pass()
            }
            return .says(".")
        }
        try await bot.run {
            await bot.settle {
                $0.schedule.sources["ios"]?.lastGood != nil && $0.schedule.sources["android"]?.failure != nil
            }
            #expect(!stage.asked.contains(heart))
            isBroken.withLock { $0 = false }
            let first = clock.now()
            clock.advance(by: .minutes(5))
            await stage.waitForRequest("https://android.example/", count: 2)
            await bot.settle { $0.schedule.sources["ios"]?.lastGood ?? first > first }
            #expect(!stage.asked.contains(heart))
            door.open()
            await stage.waitForRequest(heart)
        }
        #expect(stage.asked.count { $0 == heart } == 1)
    }

    @Test func `the heart does not wait for what is pushed, and stops where that fails`() async throws {
        let isBroken = Mutex(false)
        var job = SourcePlan(name: "job", slowest: .minutes(30), jitter: 0)
        job.isPushed = true
        let plan = Plan.rehearsed(
            sources: [SourcePlan(name: "ios", every: .minutes(5), jitter: 0, slowsWhen: []), job])
        let bot = try makeBot(plan) { request, _ throws(TransportError) in
            let isJob = request.url.reveal() == "https://job.example/"
            return isJob && isBroken.withLock { $0 } ? .says("out of order", status: 500) : .says(".")
        }
        try await bot.run {
            await stage.waitForRequest(heart)
            // Nobody has pushed anything since.
            clock.advance(by: .minutes(5))
            await stage.waitForRequest(heart, count: 2)
            isBroken.withLock { $0 = true }
            clock.advance(by: .minutes(25))
            await bot.settle { $0.schedule.sources["job"]?.failure != nil }
            for _ in 0..<2 {
                let before = clock.now()
                clock.advance(by: .minutes(5))
                await bot.settle { $0.schedule.sources["ios"]?.lastGood ?? before > before }
            }
        }
        // The third may have left before the job failed.
        #expect((2...3).contains(stage.asked.count { $0 == heart }))
    }

    @Test func `where all is pushed, the heart beats with the pushes and not with looks at them`() async throws {
        var job = SourcePlan(name: "job", slowest: .minutes(30), jitter: 0)
        job.isPushed = true
        let bot = try makeBot(.rehearsed(sources: [job])) {
            _, _ throws(TransportError) in
            .says("", status: 304)
        }
        try await bot.run {
            await bot.settle { $0.schedule.sources["job"]?.lastGood != nil }
            #expect(!stage.asked.contains(heart))
            _ = await bot.take(PollReport(.noData), for: "job")
            await stage.waitForRequest(heart)
            _ = await bot.take(PollReport(.stale(measured: clock.now())), for: "job")
        }
        #expect(stage.asked.count { $0 == heart } == 1)
    }
}
