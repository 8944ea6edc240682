internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Synchronization
internal import Testing

@testable import Runtime

@Suite(.timeLimit(.minutes(5))) struct PolledSourcesTests {
    private let stage = Stage()
    private let clock: ManualClock

    init() { clock = ManualClock(stage) }

    @Test func `whose limit it is stays known on the way to the core`() {
        let failure = PollFailure(.rateLimited, "slow down, s3cret", retryAt: clock.now()).ofAnotherAccount
        let report = PollReport(.failed(failure.waitingLonger(by: .seconds(1)))).redacted(
            by: Redactor([Secret("s3cret")]))
        guard case .failed(let kept) = report.outcome else {
            Issue.record("it is not a failure any more: \(report)")
            return
        }
        #expect(kept.isOfAnotherAccount && kept.description == "slow down, ***")
        #expect(kept.retryAt == clock.now() + .seconds(1))
    }

    @Test func `a source with another credential waits as whoever has that one`() async throws {
        let door = Door()
        let isSpent = Mutex(false)
        let answer: ScriptedWeb.Answer = { request, _ throws(TransportError) in
            switch request.url.reveal() {
            case "https://ios.example/": return .says("slow down", status: 429, [("Retry-After", "3600")])
            case "https://android.example/":
                await door.pass()
                return .says("no", status: 401)
            case "https://new.example/" where isSpent.withLock(\.self):
                return .says("slow down", status: 429, [("Retry-After", "1800")])
            default: return .says(".")
            }
        }
        let accounts = ["ios": "old", "android": "old", "web": "new"]
        let plan = Plan.rehearsed(
            sources: ["ios", "android", "web"].map {
                SourcePlan(
                    name: $0, account: accounts[$0], every: $0 == "web" ? .minutes(7) : .minutes(5), jitter: 0,
                    slowsWhen: [])
            }, detectors: [])
        var setup = Bot.Setup.staged(plan)
        setup.renewals = [
            "android": SourceRenewal(from: [Secret("s3cret-old")]) {
                var source = LookSource("new")
                source.account = "new"
                return SourceRenewal.Made(source, secrets: [Secret("s3cret-new")])
            }
        ]
        var state = State()
        let ledger = try Ledger(opening: ShortDisk(), rebuilding: &state)
        let bot = Bot(setup, ports: .staged(stage, clock, answer), ledger: ledger, state: state)
        try await bot.run {
            await bot.settle {
                $0.schedule.sources["ios"]?.failure != nil && $0.schedule.sources["web"]?.lastGood != nil
            }
            // The old credential has to wait for an hour; the poll that is under way finds that it is not taken any more.
            #expect(await bot.holder(of: "android") == "ios")
            door.open()
            await bot.settle { $0.schedule.sources["android"]?.lastGood != nil }
            try #require(await bot.holder(of: "android") == nil, "it was the old one that has to wait")
            isSpent.withLock { $0 = true }
            clock.advance(by: .minutes(5))
            await bot.settle { $0.schedule.sources["android"]?.failure?.reason == .rateLimited }
            #expect(stage.asked.count { $0 == "https://new.example/" } == 2)
            #expect(await bot.holder(of: "web") == "android", "the new one has to wait now, whoever has it")
        }
    }
}

extension Bot {
    /// For whom a source waits.
    fileprivate func holder(of name: String) -> String? {
        plan.sources.first { $0.name == name }.flatMap { state.schedule.holder(of: $0)?.name }
    }
}
