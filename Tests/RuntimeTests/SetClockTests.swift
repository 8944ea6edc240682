internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Testing

@testable import Runtime

/// What a bot makes of a wall clock that is set.
extension BotTests {
    @Test func `a wall clock that is set moves what is due`() async throws {
        let bot = try makeBot { _, _ throws(TransportError) in .says(".") }
        try await bot.run {
            await bot.settle { $0.schedule.sources["ios"]?.lastGood != nil }
            let polled = try #require(await bot.state.schedule.sources["ios"]?.lastPolled)
            clock.set(by: .hours(3))
            // Any turn notices it.
            bot.reload(.staged(.rehearsed()))
            await stage.waitForLog("the clock was moved by 10800")
            // It may have been the machine that stood still: the source is asked as soon as it may be.
            let throttle = try #require(Plan.rehearsed().sources.first).throttle
            await bot.settle { $0.schedule.sources["ios"]?.due == polled + .hours(3) + throttle }
            #expect(stage.asked.count { $0 == "https://ios.example/" } == 1)
        }
    }

    @Test func `a wall clock that is corrected a little is left alone`() async throws {
        let bot = try makeBot { _, _ throws(TransportError) in .says(".") }
        try await bot.run {
            await bot.settle { $0.schedule.sources["ios"]?.lastGood != nil }
            clock.set(by: .seconds(2))
            let plan = Plan.rehearsed(sources: [SourcePlan(name: "ios"), SourcePlan(name: "android")])
            bot.reload(.staged(plan))
            await bot.settle { $0.schedule.sources["android"]?.lastGood != nil }
        }
        #expect(!stage.logged.contains { $0.contains("the clock was set") })
    }
}
