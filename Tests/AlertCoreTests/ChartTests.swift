import AlertTesting
import Foundation
import PluginKit
import Testing
import TimeZones

@testable import AlertCore

private struct Floor: SubjectDetector {
    static let manifest = PluginManifest(name: "floor", summary: "For tests.", options: [])
    let limit = Comparison(.less, 0.995, isPercentage: true)

    init(options: Options, context: RuleContext) {}
    init() {}

    var metrics: [Metric] { [.crashFreeUsers] }
    var lookback: Duration { .hours(1) }
    var spans: [Duration] { [.hours(1)] }
    var holdTime: Duration { .zero }

    func judge(_ series: Series, at now: Moment) -> Judgement {
        guard let measured = series.measured(.crashFreeUsers, over: .hours(1)) else {
            return Judgement(.unknown("nothing"), .far, Evidence(sentence: "nothing"))
        }
        let value = measured.figure.value
        let evidence = Evidence(
            metric: Metric.crashFreeUsers.name, figure: measured.figure, limit: limit, span: measured.span,
            reference: .usual(0.999), sentence: "it fell")
        return Judgement(limit.holds(value) ? .firing(.critical) : .ok(recovered: true), .near, evidence)
    }
}

@Suite struct `Charts of messages` {
    private func bot(_ channels: ChannelPlan..., words: Words = .english) -> Rehearsal {
        let plan = Plan(
            botName: "shop-alerts", zone: .utc, words: words, sources: [SourcePlan(name: "ios", jitter: 0)],
            detectors: [DetectorPlan(name: "floor", detector: Floor())], channels: channels)
        var bot = Rehearsal(plan, at: .utc("2026-11-19 22:00"))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for _ in 0..<24 {
            see(crashed: 20, in: &bot)
            bot.suspend(for: .hours(1))
        }
        return bot
    }

    private func see(crashed: Double, in bot: inout Rehearsal) {
        bot.see([.figures(["users": 20_000, "crashed_users": crashed], at: bot.now, lasting: .hours(1))])
        bot.advance(by: .zero)
    }

    @Test func `a channel that shows charts gets the numbers of the last day, and no other does`() throws {
        var bot = bot(ChannelPlan(name: "team", hasCharts: true), ChannelPlan(name: "ops"))
        see(crashed: 400, in: &bot)
        let sent = bot.decisions.filter { $0.kind == .opened }
        let chart = try #require(sent.first { $0.channel == "team" }?.message.chart)
        #expect(sent.first { $0.channel == "ops" }?.message.chart == nil)
        #expect(chart.title == "Crash-free users, last day")
        #expect(chart.values.count == 24)
        #expect(chart.values.last == 0.98)
        #expect(chart.from == .utc("2026-11-19 22:00"))
        #expect(chart.limit == Chart.Line(0.995, "alert below 99.5%"))
        #expect(chart.usual == Chart.Line(0.999, "usually 99.90%"))
        #expect(
            chart.words == "Crash-free users, last day: between 98.00% and 99.90%, 98.00% at its end; "
                + "alert below 99.5%; usually 99.90%")
    }

    @Test func `it is written in the language of messages, with its numbers`() throws {
        var bot = bot(ChannelPlan(name: "team", hasCharts: true), words: .spanish)
        see(crashed: 400, in: &bot)
        let chart = try #require(bot.decisions.last { $0.kind == .opened }?.message.chart)
        #expect(chart.title == "Usuarios sin fallos, último día")
        #expect(chart.limit?.words == "alerta por debajo de 99,5\u{A0}%")
        #expect(chart.usual?.words == "lo habitual: 99,90\u{A0}%")
        #expect(
            chart.words == "Usuarios sin fallos, último día: entre 98,00\u{A0}% y 99,90\u{A0}%, al final "
                + "98,00\u{A0}%; alerta por debajo de 99,5\u{A0}%; lo habitual: 99,90\u{A0}%")
    }

    @Test func `where no channel shows charts, no message has one`() {
        var bot = bot(ChannelPlan(name: "team"))
        see(crashed: 400, in: &bot)
        #expect(bot.decisions.contains { $0.kind == .opened })
        #expect(bot.decisions.allSatisfy { $0.message.chart == nil })
    }

    @Test func `a message comes back from the journal with its chart, in few bytes`() throws {
        var bot = bot(ChannelPlan(name: "team", hasCharts: true))
        see(crashed: 400, in: &bot)
        let message = try #require(bot.decisions.last { $0.kind == .opened }?.message)
        #expect(try Message(JSONReader(message.json)) == message)
        var without = message
        without.chart = nil
        #expect(message.bytes.count - without.bytes.count < 1000)
        // However many numbers somebody writes into a journal, no drawing has to bear them.
        var many = try #require(message.chart)
        many.values = Array(repeating: 0.5, count: 100_000)
        #expect(try Chart(JSONReader(many.json)).values.count == 48)
        many.values = [nil, 1, nil]
        #expect(try Chart(JSONReader(many.json)) == many)
    }
}
