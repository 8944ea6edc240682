internal import AlertCore
internal import AlertTesting
internal import Glibc
internal import PluginKit
internal import Preview
internal import Runtime
internal import Testing

@Suite struct PreviewTests {
    private let start = Moment.utc("2026-11-20 12:00")

    private func cue(_ cue: Cue, at moment: Moment) -> [ObservationLine] { [.observed(.cue(cue, at: moment))] }

    private func told(_ preview: Preview) -> [String] {
        preview.decisions.map { "\($0.at) \($0.kind.rawValue) \($0.decision.name) \($0.reason)" }
    }

    @Test func `what no route takes is wrong and reported nowhere, and a report says so`() {
        let routes = [Route(match: .on(["app": "bank"]), to: ["team"])]
        var preview = Preview(plan: .rehearsed(routes: routes), state: State(), start: .rehearsalStart)
        for app in ["shop", "bank"] {
            let observation = Observation.cue(.warning, of: Subject(source: "ios", app: app), at: .rehearsalStart)
            preview.feed([.observed(observation)], at: .rehearsalStart)
        }
        let report = PreviewReport(preview, channels: [:])
        #expect(report.unrouted.map(\.subject.app) == ["shop"])
        #expect(report.decisions.count == 1)
        #expect(report.json["unrouted"] == 1)
        #expect(report.summary == "1 sent, 0 held, 0 dropped, 1 incident that no route takes")
        let later = start + .minutes(10)
        let over = Observation.cue(.fine, of: Subject(source: "ios", app: "shop"), at: later)
        preview.feed([.observed(over)], at: later)
        #expect(PreviewReport(preview, channels: [:]).unrouted.map(\.state) == [.resolved], "it counts when it is over")
    }

    @Test func `figures that were seen when time itself ends are taken in`() {
        var preview = Preview(plan: .rehearsed(), state: State(), start: .latest)
        preview.feed(cue(.critical, at: .latest), at: .latest)
        preview.advance(to: .latest)
        #expect(preview.now == .latest)
    }

    /// Of ten thousand apps that no rule could judge, each cost a copy of what was known of all.
    @Test func `to ask what rules can judge costs less than to play what they see`() {
        let apps = (0..<2500).map { Subject(source: "ios", app: "app-\($0)") }
        func seconds(gathering: Bool) -> Double {
            let began = processorSeconds()
            var preview = Preview(plan: .rehearsed(), state: State(), start: start, gathersOutlook: gathering)
            for hour in 0..<3 {
                let now = start + .hours(Int64(hour))
                preview.feed(apps.map { .observed(.cue(.unknown, of: $0, at: now)) }, at: now)
            }
            #expect(preview.outlooks.first?.unknown.count == apps.count)
            return processorSeconds() - began
        }
        #expect(seconds(gathering: true) < 2 * seconds(gathering: false))
    }

    /// What this thread has had of a processor: what else runs does not count.
    private func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func `what a rule cannot judge is reported, and what it could judge once only where that counts`() {
        func outlook(gathering: Bool) -> RuleOutlook? {
            var preview = Preview(plan: .rehearsed(), state: State(), start: start, gathersOutlook: gathering)
            preview.feed(cue(.warning, at: start), at: start)
            let later = start + .hours(2)
            preview.feed(cue(.unknown, at: later), at: later)
            return PreviewReport(preview, channels: [:]).outlooks.first
        }
        let once = outlook(gathering: true)
        #expect(once?.judged == 1)
        #expect(once?.firing == 1)
        #expect(once?.unknown == [])
        let now = outlook(gathering: false)
        #expect(now?.judged == 0)
        #expect(now?.firing == 0)
        #expect(now?.unknown.map(\.name) == ["shop from ios"])
        #expect(now?.unknown.map(\.reason) == ["The script says ?."])
    }

    @Test func `a source of which nothing came is reported of every rule that could judge it`() {
        var plan = Plan.rehearsed(sources: [SourcePlan(name: "ios"), SourcePlan(name: "web")])
        plan.detectors.append(
            DetectorPlan(name: "ios-only", detector: ScriptedDetector(), match: .on(["source": "ios"])))
        var preview = Preview(plan: plan, state: State(), start: start)
        preview.feed(cue(.fine, at: start), at: start)
        preview.take(
            .polled(source: "web", PollReport(.failed(PollFailure(.timeout, "it took too long"))), validators: [:]))
        let outlooks = PreviewReport(preview, channels: [:]).outlooks
        #expect(outlooks.map(\.judged) == [1, 1])
        #expect(outlooks.map { $0.unknown.map(\.name) } == [["source web"], []])
        #expect(outlooks.first?.unknown.first?.reason == "the last poll failed: it took too long")
    }

    @Test func `a for runs by the clock alone up to now`() {
        var preview = Preview(plan: .rehearsed(for: .minutes(10)), state: State(), start: start)
        preview.feed(cue(.warning, at: start), at: start)
        #expect(preview.decisions.isEmpty)
        preview.advance(to: start + .minutes(10) - .milliseconds(1))
        #expect(preview.decisions.isEmpty)
        preview.advance(to: start + .minutes(10))
        #expect(told(preview) == ["2026-11-20T12:10:00Z opened send first"])
        #expect(preview.now == start + .minutes(10))
        #expect(preview.state.outbox.deliveries.isEmpty)
    }

    @Test func `figures of the last day that can be written come to an end`() {
        let end = Moment.latest - .seconds(1)
        var preview = Preview(plan: .rehearsed(for: .zero), state: State(), start: end)
        preview.feed(cue(.warning, at: end), at: end)
        preview.advance(to: .latest)
        #expect(preview.now == .latest)
    }

    @Test func `what a quiet window held is listed when it ends`() {
        let plan = Plan.rehearsed(gates: [.quiet(from: "2026-11-20 11:00", until: "2026-11-20 13:00")])
        var preview = Preview(plan: plan, state: State(), start: start)
        preview.feed(cue(.warning, at: start), at: start)
        #expect(told(preview) == ["2026-11-20T12:00:00Z opened hold quiet_hours:nights"])
        preview.feed(cue(.warning, at: start + .minutes(59)), at: start + .minutes(59))
        preview.advance(to: .utc("2026-11-20 13:00"))
        #expect(
            told(preview) == [
                "2026-11-20T12:00:00Z opened hold quiet_hours:nights", "2026-11-20T13:00:00Z opened send first",
            ])
        let report = PreviewReport(preview, channels: [:])
        #expect((report.count("send"), report.count("hold"), report.count("drop")) == (1, 1, 0))
    }

    @Test func `an answer without figures counts as a poll, too`() throws {
        for outcome in [EmptyPoll.Outcome.unchanged, .failed(.init(reason: "timeout", sentence: "no answer"))] {
            var preview = Preview(plan: .rehearsed(), state: State(), start: start)
            preview.feed(cue(.warning, at: start), at: start)
            let later = start + .hours(1)
            preview.feed([.empty(EmptyPoll(source: "ios", outcome, seen: later))], at: later)
            let next = try #require(PreviewReport(preview, channels: [:]).polls.first?.at)
            #expect(next > later, "\(outcome)")
        }
    }

    /// What `ios` and `web` give, as `minute source outcome`, and what is said of sources by half past six.
    private static let endings: [(lines: [String], told: [String])] = [
        (["0 ios fine", "2 ios failed"], ["12:32 ios opened", "16:32 ios reminder"]),
        (["0 ios failed", "5 ios failed"], ["12:55 ios opened", "16:55 ios reminder"]),
        (["0 ios fine", "2 ios failed", "5 ios fine"], []),
        // It may have been removed, or the bot away.
        (["0 ios fine", "2 ios failed", "180 web fine"], []),
        (
            ["0 ios fine", "0 web fine", "2 ios failed", "3 web failed"],
            ["12:32 ios opened", "12:33 web opened", "16:32 ios reminder", "16:33 web reminder"]
        ),
        // What it gives after the end is not looked at.
        (["0 ios fine", "2 ios failed", "400 ios fine"], []),
    ]

    @Test(arguments: endings)
    func `a source whose last line says that it failed goes on failing until that is reported`(
        lines: [String], told expected: [String]
    ) {
        let plan = Plan.rehearsed(sources: ["ios", "web"].map { SourcePlan(name: $0, jitter: 0) })
        var playback = Playback(plan, until: start + .minutes(390))
        for line in lines {
            let words = line.split(separator: " ")
            let (now, source) = (start + .minutes(Int64(words[0]) ?? 0), String(words[1]))
            let seen: [ObservationLine] =
                words[2] == "fine"
                ? [.observed(.cue(.fine, of: Subject(source: source, app: "shop"), at: now))]
                : [.failed(source: source, reason: "timeout", seen: now)]
            playback.feed(ObservationReader.Batch(seen: now, lines: seen))
        }
        let told = playback.finish(pollsOn: true, now: start).decisions.compactMap { record in
            record.message.incidents.first.map { incident in
                "\("\(record.at)".dropFirst(11).prefix(5)) \(incident.subject.source) \(record.kind)"
            }
        }
        #expect(told == expected)
    }

    @Test func `a poll that fails on purpose is no source that goes on failing`() {
        var playback = Playback(.rehearsed(), until: start + .minutes(390), faults: Faults(rate: 1, seed: 1))
        playback.feed(ObservationReader.Batch(seen: start, lines: cue(.fine, at: start)))
        #expect(playback.finish(pollsOn: true, now: start).decisions.isEmpty)
    }

    @Test func `what the bot holds already is listed, though nothing is decided of it`() {
        let plan = Plan.rehearsed(
            gates: [.quiet(from: "2026-11-20 11:00", until: "2026-11-20 13:00")],
            channels: ["team", "ops"].map { ChannelPlan(name: $0) })
        var before = Preview(plan: plan, state: State(), start: start)
        before.feed(cue(.warning, at: start), at: start)
        let first = PreviewReport(before, channels: [:])
        #expect(first.heldBefore.isEmpty)
        #expect(first.json["held_before"] == nil)
        var preview = Preview(plan: plan, state: before.state, start: start + .minutes(5))
        preview.advance(to: start + .minutes(10))
        let report = PreviewReport(preview, channels: [:], only: "team")
        #expect(report.decisions.isEmpty)
        #expect(
            report.heldBefore.map(report.words(for:)) == [
                "opened, in team until Fri 20 Nov 13:00 UTC (quiet_hours:nights)"
            ])
        #expect(report.summary == "0 sent, 0 held, 0 dropped, 1 held before")
        #expect(report.json["held_before"]?.array?.first?["until"] == "2026-11-20T13:00:00Z")
        preview.advance(to: .utc("2026-11-20 13:00"))
        #expect(PreviewReport(preview, channels: [:]).heldBefore.isEmpty)
    }

    @Test func `what is due before a line happens before it, at its own time`() {
        var preview = Preview(plan: .rehearsed(for: .minutes(10)), state: State(), start: start)
        preview.feed(cue(.warning, at: start), at: start)
        preview.feed(cue(.critical, at: start + .minutes(20)), at: start + .minutes(20))
        #expect(
            told(preview) == [
                "2026-11-20T12:10:00Z opened send first", "2026-11-20T12:20:00Z escalated send escalated",
            ])
    }

    @Test func `an incident that came and went is still listed as it was last`() {
        var preview = Preview(plan: .rehearsed(), state: State(), start: start)
        preview.feed(cue(.warning, at: start), at: start)
        preview.feed(cue(.fine, at: start + .minutes(5)), at: start + .minutes(5))
        #expect(told(preview).map { $0.split(separator: " ")[1] } == ["opened", "resolved"])
        #expect(preview.incidents.map(\.state) == [.resolved])
        #expect(PreviewReport(preview, channels: [:]).incidents.map(\.state) == [.resolved])
    }

    @Test func `a suspicion that came to nothing is not listed`() {
        var preview = Preview(plan: .rehearsed(for: .minutes(10)), state: State(), start: start)
        preview.feed(cue(.warning, at: start), at: start)
        preview.feed(cue(.fine, at: start + .minutes(5)), at: start + .minutes(5))
        preview.advance(to: start + .minutes(30))
        #expect(preview.decisions.isEmpty)
        #expect(PreviewReport(preview, channels: [:]).incidents.isEmpty)
    }

    @Test func `the state that a preview begins with stays as it was`() {
        var before = Preview(plan: .rehearsed(), state: State(), start: start)
        before.feed(cue(.warning, at: start), at: start)
        let state = before.state
        var preview = Preview(plan: .rehearsed(), state: state, start: start + .minutes(5))
        preview.feed(cue(.fine, at: start + .minutes(5)), at: start + .minutes(5))
        #expect(told(preview).map { $0.split(separator: " ")[1] } == ["resolved"])
        #expect(state.durable == before.state.durable)
    }

    @Test func `deliveries that fail on purpose are tried again, and the same seed fails the same`() {
        func play(_ rate: Double, seed: UInt64) -> Preview {
            var preview = Preview(
                plan: .rehearsed(), state: State(), start: start, faults: Faults(rate: rate, seed: seed))
            // As a poll brings it that has been made: none of them fails here.
            preview.take(.observed(cue(.warning, at: start), asked: nil))
            return preview
        }
        #expect(play(0, seed: 1).state.outbox.deliveries.isEmpty)
        var failing = play(1, seed: 1)
        #expect(failing.state.outbox.deliveries.count == 1)
        #expect(failing.state.outbox.channels["team"]?.lastError?.contains("failed on purpose") == true)
        #expect(failing.leftOut.remarks == [], "no figures were left out")
        failing.advance(to: start + .minutes(1))
        #expect(failing.state.outbox.deliveries.values.map(\.progress.attempts).allSatisfy { $0 >= 2 })
        #expect(play(0.5, seed: 7).state.durable == play(0.5, seed: 7).state.durable)
    }

    @Test func `figures of long ago are named once, however often they are seen`() {
        var preview = Preview(plan: .rehearsed(), state: State(), start: start)
        for minute in 0..<3 as Range<Int64> {
            let now = start + .minutes(minute)
            // Another end each time is no other news.
            let span = TimeSpan(lasting: .hours(1), until: now - .days(400))
            let seen = Observation(subject: .shop, span: span, seen: now, metrics: ["users": 1000])
            preview.feed([.observed(seen)], at: now)
        }
        #expect(preview.leftOut.remarks.count == 1)
        let remark = preview.leftOut.remarks.first ?? ""
        #expect(
            remark.hasPrefix("source ios: figures of shop ended more than 92 d before they were seen: "), "\(remark)")
    }

    @Test func `why figures were left out is kept, each reason once and the first ten in words`() {
        var preview = Preview(plan: .rehearsed(), state: State(), start: start)
        var now = start
        func see(_ metrics: Metrics) {
            // One span, seen again and again.
            let seen = Observation(
                subject: .shop, span: TimeSpan(lasting: .hours(1), until: start), seen: now, metrics: metrics)
            preview.feed([.observed(seen)], at: now)
            now = now + .minutes(1)
        }
        see(["users": 1000])
        preview.feed([.empty(EmptyPoll(source: "ios", .noData, seen: now))], at: now)
        preview.feed([.failed(source: "ios", reason: "timeout", seen: now)], at: now)
        #expect(preview.leftOut.remarks == [])
        for _ in 1...3 { see(["users": 400]) }
        see(["users": 1e13])
        #expect(preview.leftOut.remarks.count == 2, "\(preview.leftOut)")
        #expect(
            preview.leftOut.remarks.first
                == "source ios: shop had 1,000 users from 2026-11-20T11:00:00Z to 2026-11-20T12:00:00Z, and has 400 "
                + "now; the earlier figures are kept")
        #expect(preview.leftOut.remarks.last?.contains("an implausible observation was left out: 'users' is ") == true)
        for users in 1...9 { see(["users": Double(users)]) }
        #expect(preview.leftOut.remarks.count == 11)
        #expect(preview.leftOut.remarks.last == "and 1 more observation was left out")
        see(["users": 10])
        #expect(preview.leftOut.remarks.last == "and 2 more observations were left out")
    }

    @Test func `polls that fail on purpose bring nothing, and their source fails as it would`() {
        func play(_ rate: Double, _ seed: UInt64 = 1) -> Preview {
            var preview = Preview(
                plan: .rehearsed(), state: State(), start: start, faults: Faults(rate: rate, seed: seed))
            for poll in 0..<12 {
                let at = start + .minutes(5) * poll
                preview.feed(cue(poll < 6 ? .warning : .fine, at: at), at: at)
            }
            return preview
        }
        #expect(play(0).faultyPolls == (0, 12))
        let none = play(1)
        #expect(none.faultyPolls == (12, 12))
        #expect(none.state.figures.series.isEmpty)
        #expect(none.state.schedule.sources["ios"]?.failure?.sentence.contains("failed on purpose") == true)
        let some = play(0.5)
        #expect((1..<12).contains(some.faultyPolls.failed))
        #expect(told(some) == told(play(0.5)) && some.faultyPolls == play(0.5).faultyPolls)
        #expect((2...9).contains { play(0.5, $0).faultyPolls != some.faultyPolls })
    }

    @Test func `what became of a delivery is told where things fail on purpose, and nowhere else`() throws {
        func play(_ rate: Double?) throws -> (preview: Preview, delivery: String) {
            var preview = Preview(
                plan: .rehearsed(), state: State(), start: start, faults: rate.map { Faults(rate: $0, seed: 1) })
            // The poll itself is a live one here, which has failed or not before.
            preview.take(.observed(cue(.warning, at: start), asked: nil))
            return (preview, try #require(preview.decisions.first?.delivery))
        }
        let plain = try play(nil)
        #expect(plain.preview.trial(plain.delivery) == nil)
        let fine = try play(0)
        let arrived = try #require(fine.preview.trial(fine.delivery))
        #expect(arrived.failures.isEmpty && arrived.end?.how == .delivered(receipt: nil))
        #expect(arrived.sentence(in: .utc) == nil)
        var stuck = try play(1)
        stuck.preview.advance(to: start + .minutes(1))
        let trial = try #require(stuck.preview.trial(stuck.delivery))
        #expect(trial.failures.count >= 2 && trial.end == nil)
        #expect(trial.next.map { $0 > start + .minutes(1) } == true)
        let sentence = try #require(trial.sentence(in: .utc))
        #expect(
            sentence.hasPrefix("\(trial.failures.count) attempts failed on purpose; tried again at Fri 20 Nov 12:0"))
        let json = try #require(PreviewReport(stuck.preview, channels: [:]).json["notifications"]?.array?.first)
        #expect(json["delivery"]?["outcome"] == "waiting")
        #expect(json["delivery"]?["failed_attempts"]?.array?.count == trial.failures.count)
        stuck.preview.advance(to: start + .days(2))
        let overtaken = stuck.preview.trial(stuck.delivery)
        #expect(overtaken?.end?.how == .replaced)
        #expect(overtaken?.sentence(in: .utc)?.hasSuffix("; replaced by a newer message before it arrived") == true)
        #expect(PreviewReport(plain.preview, channels: [:]).json["notifications"]?.array?.first?["delivery"] == nil)
    }
}
