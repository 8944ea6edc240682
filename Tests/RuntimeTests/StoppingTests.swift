internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Synchronization
internal import Testing

@testable import Runtime

/// How a bot stops, and what it leaves behind.
extension BotTests {
    @Test func `a bot that ends leaves nothing to a power cut`() async throws {
        let door = Door()
        let plan = Plan.rehearsed(sources: ["ios", "android"].map { SourcePlan(name: $0, slowsWhen: []) })
        let bot = try makeBot(plan) { request, _ throws(TransportError) in
            if request.url.reveal() == "https://android.example/" { await door.pass() }
            return .says(".")
        }
        try await bot.run {
            await bot.settle { $0.schedule.sources["ios"]?.lastGood != nil }
            door.open()
            await bot.settle { $0.schedule.sources["android"]?.lastGood != nil }
        }
        let state = await bot.state
        #expect(try State.reading(disk.afterPowerCut, .none).state.durable == state.durable)
    }

    @Test func `a delivery in flight ends within the grace of a stop`() async throws {
        let door = Door()
        let bot = try makeBot { request, _ throws(TransportError) in
            if request.method == .post { await door.pass() }
            return .says("w")
        }
        let running = Task { await bot.run(grace: .seconds(20)) }
        await stage.wait { _ in stage.asked.contains { $0.hasPrefix(HookChannel.address) } }
        let end = clock.uptime() + .seconds(20)
        bot.stop()
        await stage.wait { $0.contains(.slept(until: end)) }
        #expect(await bot.look.isStopping)
        if case .stopping = await bot.obey(.mute(.all, until: .after(.hours(1)), reason: nil, by: nil)) {
        } else {
            Issue.record("a command was taken by a bot that is stopping")
        }
        door.open()
        await running.value
        #expect(
            try State.reading(disk.afterPowerCut, .none).state.outbox.history.map(\.end) == [.delivered(receipt: nil)])
        // Nobody waited for the grace to pass, and nobody was polled any more.
        #expect(stage.asked.count { $0 == "https://ios.example/" } == 1)
    }

    @Test func `a delivery that outlasts the grace stays safe, and is repeated with a notice`() async throws {
        let never = Door()
        let bot = try makeBot { request, _ throws(TransportError) in
            guard request.method == .post else { return .says("w") }
            await never.pass()
            throw TransportError(.cancelled, mayHaveArrived: true, "it was cancelled")
        }
        let running = Task { await bot.run(grace: .seconds(20)) }
        await stage.wait { _ in stage.asked.contains { $0.hasPrefix(HookChannel.address) } }
        let end = clock.uptime() + .seconds(20)
        bot.stop()
        await stage.wait { $0.contains(.slept(until: end)) }
        clock.advance(by: .seconds(20))
        await running.value
        let left = try State.reading(disk.afterPowerCut, .none).state
        let delivery = try #require(left.outbox.deliveries.values.first)
        #expect(!delivery.progress.phase.isWaiting)

        let again = Stage()
        let bodies = Mutex<[String]>([])
        var state = State()
        let ledger = try Ledger(opening: disk.afterPowerCut, rebuilding: &state)
        let next = Bot(
            .staged(.rehearsed()),
            ports: .staged(again, ManualClock(again, at: clock.now())) { request, _ throws(TransportError) in
                if request.method == .post, let body = request.wireBody() {
                    bodies.withLock { $0.append(String(decoding: body.bytes, as: UTF8.self)) }
                }
                return .says("w")
            }, ledger: ledger, state: state)
        try await next.run {
            await next.settle { !$0.outbox.history.isEmpty }
        }
        #expect(again.asked.contains(HookChannel.address + delivery.id))
        #expect(bodies.withLock { $0.first?.hasPrefix(Words.english[.captionRepeated]) } == true)
    }

    @Test func `a stopped bot lets its watchers go`() async throws {
        let bot = try makeBot { _, _ throws(TransportError) in .says(".") }
        let bell = await bot.bell()
        try await bot.run {
            await bot.settle { $0.schedule.sources["ios"]?.lastGood != nil }
        }
        for await _ in bell {}
    }
}
