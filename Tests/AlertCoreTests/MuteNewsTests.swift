import AlertTesting
import PluginKit
import QuietHoursGate
import Testing

@testable import AlertCore

/// A silence that somebody has made must not look like an end.
@Suite struct `News of mutes` {
    private func plan(
        _ channels: [ChannelPlan] = [ChannelPlan(name: "team"), ChannelPlan(name: "oncall")], gates: [GatePlan] = []
    ) -> Plan {
        .rehearsed(
            detectors: [DetectorPlan(name: "look", detector: ScriptedDetector(for: .zero, lookback: .minutes(5)))],
            gates: gates, channels: channels, routes: [Route(to: channels.map(\.name))])
    }

    private func bot(
        _ channels: [ChannelPlan] = [ChannelPlan(name: "team"), ChannelPlan(name: "oncall")], gates: [GatePlan] = []
    ) -> Rehearsal {
        .checked(plan(channels, gates: gates))
    }

    private func mute(
        _ match: Match = .all, reason: String? = "hotfix on its way", by: String? = "ana"
    ) -> Input {
        .command(.mute(match, until: .after(.hours(2)), reason: reason, by: by), id: 1)
    }

    @Test func `every channel that has heard of what is muted hears who muted it, until when and why`() throws {
        var bot = bot()
        _ = bot.play("ww")
        let before = bot.decisions.count
        bot.step(mute())
        let news = bot.decisions.dropFirst(before)
        #expect(news.map(\.channel) == ["team", "oncall"])
        for record in news {
            #expect(record.decision == .send && record.kind == .digest && record.reason.description.hasPrefix("muted:"))
            #expect(record.message.headline.contains("Muted by ana: everything"))
            #expect(record.message.isOfMute)
            #expect(record.message.fields.map(\.label) == ["Until", "Reason"])
            #expect(record.message.fields.last?.value == "hotfix on its way")
            #expect(record.message.lines.count == 1)
            #expect(record.message.incidents.count == 1)
        }
        // It is news once; what was told of the incident is as before.
        _ = bot.play("wwww", every: .minutes(10))
        #expect(bot.decisions.count == before + 2)
        #expect(bot.objections == [])
    }

    @Test func `what has no news is not said to be still so, and what is getting better neither`() throws {
        var bot = bot([ChannelPlan(name: "team")])
        bot.see(.critical)
        bot.advance(by: .hours(3))
        bot.step(mute())
        let silent = try #require(bot.decisions.last?.message.lines.first)
        #expect(silent.contains("no news for") && !silent.contains("still"), "\(silent)")
        bot.step(.command(.unmute(.all), id: 2))
        bot.see(.critical)
        bot.see(.recovering)
        bot.step(mute())
        let better = try #require(bot.decisions.last?.message.lines.first)
        #expect(!better.contains("still"), "\(better)")
    }

    @Test func `who has heard of nothing that it covers hears nothing`() {
        var bot = bot()
        _ = bot.play("..")
        bot.step(mute())
        #expect(bot.decisions.isEmpty)
        _ = bot.play("ww")
        #expect(!bot.decisions.contains { $0.decision == .send })
    }

    @Test func `a mute of something else is no news`() {
        var bot = bot()
        _ = bot.play("ww")
        let before = bot.decisions.count
        bot.step(mute(.on(["app": "other"])))
        #expect(bot.decisions.count == before)
    }

    @Test func `news of a mute that covers one incident goes into its thread, and the opening stays as it was`() {
        var bot = bot([ChannelPlan(name: "team")])
        bot.sendAnswer = { delivery, _ in (.delivered(receipt: "r-\(delivery.number)"), .zero) }
        _ = bot.play("ww")
        bot.step(mute())
        bot.advance(by: .seconds(1))
        #expect(bot.sends.map(\.delivery.kind) == [.opened, .digest])
        #expect(bot.sends.last?.delivery.progress.thread == "r-1")
        #expect(bot.sends.last?.isThreadOwn == false)
    }

    @Test func `a pager, and a channel that wants no acknowledgements, hear nothing`() {
        var bot = bot([
            ChannelPlan(name: "pager", isPager: true), ChannelPlan(name: "quiet", hearsAcknowledgements: false),
            ChannelPlan(name: "team"),
        ])
        _ = bot.play("ww")
        let before = bot.decisions.count
        bot.step(mute())
        #expect(bot.decisions.dropFirst(before).map(\.channel) == ["team"])
    }

    @Test func `what is muted for as long already is muted again without a word`() {
        var bot = bot()
        _ = bot.play("ww")
        bot.step(mute())
        let before = bot.decisions.count
        bot.step(.command(.mute(.all, until: .after(.hours(1)), reason: nil, by: nil), id: 2))
        #expect(!bot.decisions.dropFirst(before).contains { $0.decision == .send })
    }

    /// Who was told of two hours takes what is silent for two days for over.
    @Test(arguments: [false, true])
    func `a mute that lasts longer than the one before is news, but not in quiet hours`(isQuiet: Bool) throws {
        let quiet = try GatePlan.rule(QuietHoursGate.self, "quiet", ["between": "12:30-13:00"])
        var bot = bot(gates: isQuiet ? [quiet] : [])
        _ = bot.play("ww")
        bot.step(mute())
        bot.advance(by: .minutes(45))
        let before = bot.decisions.count
        bot.step(.command(.mute(.all, until: .after(.hours(48)), reason: nil, by: "bo"), id: 2))
        let news = bot.decisions.dropFirst(before).filter { $0.decision == .send }
        #expect(news.map(\.channel) == (isQuiet ? [] : ["team", "oncall"]))
        #expect(news.allSatisfy { $0.message.headline.contains("Muted by bo: everything") })
        #expect(bot.objections == [])
    }

    @Test func `who clicks twice is told once, and of what ends together one end`() {
        var bot = bot([ChannelPlan(name: "team")])
        _ = bot.play("ww")
        bot.step(mute())
        bot.advance(by: .seconds(2))
        let before = bot.decisions.count
        bot.step(mute())
        #expect(!bot.decisions.dropFirst(before).contains { $0.decision == .send })
        bot.step(.command(.mute(.all, until: .after(.hours(9)), reason: nil, by: nil), id: 2))
        bot.advance(by: .seconds(2))
        bot.step(.command(.unmute(.all), id: 3))
        let ends = bot.decisions.filter { $0.decision == .send && $0.message.headline.contains("Mute ended") }
        #expect(ends.count == 1, "\(ends.map(\.message.headline))")
        #expect(bot.objections == [])
    }

    @Test func `news that still waits for its channel when the mute ends is not sent`() {
        var bot = bot([ChannelPlan(name: "team")])
        _ = bot.play("ww")
        bot.sendAnswer = { _, _ in (.retry(after: .minutes(10), "answered 503"), .zero) }
        bot.step(mute())
        bot.advance(by: .seconds(1))
        let before = bot.sends.count
        bot.step(.command(.mute(.on(["app": "*"]), until: .after(.hours(9)), reason: nil, by: nil), id: 2))
        bot.step(.command(.unmute(.id(bot.state.mutes.inOrder[0].id)), id: 3))
        let waiting = bot.state.outbox.inOrder.map(\.message.headline)
        #expect(waiting.count == 1 && waiting[0].hasSuffix("Muted: app *"), "it is muted still: \(waiting)")
        bot.step(mute())
        bot.step(.command(.unmute(.all), id: 4))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .minutes(20))
        #expect(!bot.sends.dropFirst(before).contains { $0.delivery.kind == .digest })
        #expect(bot.state.outbox.history.last { $0.delivery.kind == .digest }?.end == .replaced)

        // Nor is it once the mute has ended by itself.
        bot.sendAnswer = { delivery, _ in
            delivery.kind == .digest
                ? (.retry(after: .hours(5), "answered 503"), .zero) : (.delivered(receipt: nil), .zero)
        }
        bot.step(mute())
        bot.advance(by: .hours(4))
        #expect(!bot.state.outbox.inOrder.contains { $0.kind == .digest })
        #expect(bot.objections == [])
    }

    @Test(arguments: [true, false])
    func `news of a mute that has ended meanwhile is not tried again, nor after a start`(starts: Bool) {
        var bot = bot([ChannelPlan(name: "team")])
        bot.comparesReplay = true
        _ = bot.play("ww")
        bot.sendAnswer = { _, _ in (.retry(after: .minutes(10), "answered 503"), .zero) }
        bot.step(.command(.mute(.all, until: .after(.minutes(5)), reason: nil, by: nil), id: 2))
        bot.advance(by: .seconds(1))
        let before = bot.sends.count
        #expect(bot.sends.last?.delivery.kind == .digest)
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        if starts { bot.crash(after: .minutes(6)) }
        bot.advance(by: .minutes(20))
        #expect(!bot.sends.dropFirst(before).contains { $0.delivery.kind == .digest })
        #expect(bot.state.mutes.inForce(at: bot.now).isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `who has heard of a mute hears when it ends before its time, unless another covers the same`() {
        var bot = bot()
        _ = bot.play("ww")
        bot.step(mute())
        bot.advance(by: .seconds(1))
        bot.step(.command(.mute(.on(["app": "*"]), until: .after(.hours(2)), reason: nil, by: nil), id: 2))
        let before = bot.decisions.count
        let mutes = bot.state.mutes.inOrder
        bot.step(.command(.unmute(.id(mutes[1].id)), id: 3))
        #expect(bot.decisions.count == before, "the first covers it still, and of the second nobody was told")
        bot.step(.command(.unmute(.id(mutes[0].id)), id: 4))
        let news = bot.decisions.dropFirst(before).filter { $0.kind == .digest }
        #expect(news.map(\.channel) == ["team", "oncall"])
        for record in news {
            #expect(record.message.headline.hasSuffix(" Mute ended: everything"), "\(record.message.headline)")
        }
        #expect(bot.objections == [])
    }

    @Test func `who heard of a mute hears of its end, though what is withdrawn pushes that news out of the history`() {
        var bot = Rehearsal(plan(), historyMax: 1)
        bot.comparesReplay = true
        bot.start()
        _ = bot.play("ww")
        bot.sendAnswer = { delivery, _ in
            delivery.channel == "team"
                ? (.retry(after: .minutes(10), "answered 503"), .zero) : (.delivered(receipt: nil), .zero)
        }
        bot.step(mute())
        bot.advance(by: .seconds(1))
        #expect(bot.state.outbox.history.map(\.delivery.channel) == ["oncall"])
        let before = bot.decisions.count
        bot.step(.command(.unmute(.all), id: 2))
        #expect(bot.state.outbox.history.first?.delivery.channel == "team", "it is pushed out")
        let news = bot.decisions.dropFirst(before).filter { $0.kind == .digest }
        #expect(news.map(\.channel) == ["oncall"])
        #expect(news.allSatisfy { $0.message.headline.hasSuffix(" Mute ended: everything") })
        #expect(bot.objections == [])
    }

    @Test func `of a mute that ends when it was to end nothing is said`() {
        var bot = bot()
        _ = bot.play("ww")
        bot.step(mute())
        bot.advance(by: .hours(3))
        #expect(!bot.decisions.contains { $0.message.headline.contains("Mute ended") })
    }

    @Test(arguments: [
        (Words.Language.english, "Muted by ana: app shop-* or till, rule floor, severity warning, owner checkout"),
        (.spanish, "Silenciado por ana: app shop-* o till, regla floor, gravedad advertencia, owner checkout"),
    ])
    func `what is muted is said in the language of the messages`(language: Words.Language, sentence: String) {
        let match = Match(
            [("app", ["shop-*", "till"]), ("rule", ["floor"]), ("severity", ["warning"]), ("owner", ["checkout"])].map {
                Match.Condition(property: $0, patterns: $1.map { Glob($0) })
            })
        let writer = MessageWriter(
            zone: .utc, words: .builtIn(language), publicURL: nil, now: Moment(milliseconds: 1_795_298_400_000))
        let mute = Mute(id: "a1b2c3", match: match, from: writer.now, until: writer.now + .hours(2), by: "ana")
        #expect(writer.message(of: mute, covering: []).headline.hasSuffix(sentence))
    }

    @Test(arguments: [
        (Words.Language.english, Duration.days(373), "Wed 1 Dec 2027 00:00 UTC"),
        (.spanish, .days(373), "mié 1 dic 2027 00:00 UTC"),
        (.english, .days(8), "Tue 1 Dec 00:00 UTC"),
        // Of the next year, and so near that nobody takes it for another.
        (.english, .days(40), "Sat 2 Jan 00:00 UTC"),
    ])
    func `an end so far away that its day is taken for another year's has its year`(
        language: Words.Language, length: Duration, end: String
    ) {
        let writer = MessageWriter(
            zone: .utc, words: .builtIn(language), publicURL: nil, now: .utc("2026-11-23 00:00"))
        let mute = Mute(id: "a1b2c3", match: .all, from: writer.now, until: writer.now + length, by: "ana")
        #expect(writer.message(of: mute, covering: []).fields.map(\.value) == [end])
    }

    @Test func `so has what began long ago, alone and as the begin of a stretch`() throws {
        let writer = MessageWriter(zone: .utc, words: .english, publicURL: nil, now: .utc("2026-11-23 00:00"))
        let began = writer.now - .days(400)
        #expect(writer.clock(began) == "Sun 19 Oct 2025 00:00 UTC")
        #expect(writer.stretch(from: began, to: writer.now) == "Sun 19 Oct 2025 00:00 to Mon 23 Nov 00:00")
    }
}
