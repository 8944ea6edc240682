import AlertCore
import AlertTesting
import DropDetector
import NewIssueDetector
import PluginKit
import PluginTesting
import Testing

/// Fires from a share of bad sessions on, or below a number of them.
private struct Floor: SubjectDetector {
    static let manifest = PluginManifest(name: "floor", summary: "", options: [])
    init(options: Options, context: RuleContext) throws(ProblemList) { self.init(.crashFreeSessions) }

    init(_ metric: Metric, below limit: Double = 0.98, lookback: Duration = .hours(1)) {
        metrics = [metric]
        self.limit = limit
        self.lookback = lookback
    }

    let metrics: [Metric]
    let limit: Double
    let lookback: Duration
    let spans: [Duration] = []
    let holdTime = Duration.zero

    func judge(_ series: Series, at now: Moment) -> Judgement {
        guard let measured = series.measured(metrics[0], over: .minutes(5)) else {
            return Judgement(.unknown("nothing"), .far, Evidence(sentence: "nothing"))
        }
        let value = measured.figure.value
        let evidence = Evidence(
            metric: metrics[0].name, figure: measured.figure, span: measured.span, sentence: value.plain)
        return Judgement(value < limit ? .firing(.warning) : .ok(recovered: true), .far, evidence)
    }
}

/// Where a source names a release on every line and gives no app as a whole.
@Suite struct `Sessions are summed over releases` {
    private let start = Moment.rehearsalStart
    private let whole = Subject(source: "ios", app: "shop", environment: "production")

    private func release(_ name: String) -> Subject {
        Subject(source: "ios", app: "shop", release: name, environment: "production")
    }

    private func bot(_ rules: DetectorPlan...) -> Rehearsal {
        var bot = Rehearsal(.rehearsed(detectors: rules))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    private let floor = DetectorPlan(name: "floor", detector: Floor(.crashFreeSessions), repeat: nil)

    /// What a line says of a release: its sessions and how many of them crashed.
    private func line(
        _ name: String?, _ sessions: Double, _ crashed: Double = 0, at moment: Moment, seen: Moment? = nil,
        lasting length: Duration = .minutes(5), labels: [String: String] = [:]
    ) -> Observation {
        Observation(
            subject: name.map(release) ?? whole, span: TimeSpan(lasting: length, until: moment),
            seen: seen ?? moment, metrics: [.sessions: sessions, .crashedSessions: crashed], labels: labels)
    }

    /// Lets five minutes pass; at their end one answer has these lines.
    private func see(
        _ bot: inout Rehearsal, _ lines: KeyValuePairs<String, Double>, crashed: [String: Double] = [:]
    ) {
        bot.advance(by: .minutes(5))
        bot.see(lines.map { line($0.key, $0.value, crashed[$0.key] ?? 0, at: bot.now) })
    }

    private func sums(_ bot: Rehearsal) -> [Double?] {
        bot.state.figures.series[whole]?.samples.map { $0.metrics[.sessions] } ?? []
    }

    private func opened(_ bot: Rehearsal) -> [String] {
        bot.state.incidents.all.map { "\($0.rule) \($0.subject.release ?? "whole")" }
    }

    // MARK: - The sum

    @Test func `sessions and crashed sessions of one span are summed, users are not`() throws {
        var bot = bot(floor)
        let span = TimeSpan(lasting: .minutes(5), until: bot.now)
        bot.see([
            Observation(
                subject: release("1"), span: span, seen: bot.now,
                metrics: [.sessions: 900, .crashedSessions: 3, .users: 400, .crashedUsers: 2]),
            // Where only the rate is given, the count follows from it.
            Observation(
                subject: release("2"), span: span, seen: bot.now,
                metrics: [.sessions: 100, .crashFreeSessions: 0.98, .users: 80]),
            Observation(subject: release("3"), span: span, seen: bot.now, metrics: [.sessions: 0]),
        ])
        let series = try #require(bot.state.figures.series[whole])
        #expect(series.samples.map(\.metrics) == [[.sessions: 1000, .crashedSessions: 5]])
        #expect(series.releasesSummed == 3)
        #expect(bot.objections == [])
    }

    @Test func `the sum says so, survives a crash and a snapshot, and is the same in any order of lines`() throws {
        func played(_ names: [String]) -> Rehearsal {
            var bot = self.bot(floor)
            for step in 1...30 {
                bot.advance(by: .minutes(5))
                bot.see(
                    names.map { name in
                        line(
                            name, name == "2" ? 0.1 : 0.3 * Double(step), at: bot.now,
                            labels: ["team": "a", "of": name])
                    })
            }
            return bot
        }
        var bot = played(["1", "2", "3"])
        let before = try #require(bot.state.figures.series[whole])
        #expect(before.labels == ["team": "a"])
        #expect(before.releasesSummed == 3)
        #expect(played(["3", "1", "2"]).state.figures.series[whole] == before)
        bot.crash()
        #expect(bot.state.figures.series[whole] == before)
        #expect(try bot.stateFromSnapshot().figures.series == bot.state.figures.series)
        see(&bot, ["1": 10, "2": 10, "3": 10])
        #expect(sums(bot).last == 30)
        #expect(bot.objections == [])
    }

    /// Lets five minutes pass; at their end an answer has these lines and lacks others.
    private func see(
        _ bot: inout Rehearsal, _ lines: KeyValuePairs<String, Double>, crashed: [String: Double] = [:],
        without unread: Unread
    ) {
        bot.advance(by: .minutes(5))
        let seen = lines.map { line($0.key, $0.value, crashed[$0.key] ?? 0, at: bot.now) }
        bot.step(.polled(source: "ios", PollReport(.values(seen), unread: unread), validators: [:]))
    }

    /// Else an app that burns would be well as soon as the row of its bad release makes no sense.
    @Test(arguments: [Unread.apps(["shop"]), .anything])
    func `of an app of which a part is missing there is no sum, and what is open stays so`(_ unread: Unread) {
        var bot = bot(floor)
        for _ in 1...2 { see(&bot, ["1": 1000, "2": 1000], crashed: ["1": 900]) }
        #expect(opened(bot) == ["floor whole"])
        for _ in 1...12 { see(&bot, ["2": 1000], without: unread) }
        #expect(sums(bot) == [2000, 2000])
        #expect(opened(bot) == ["floor whole"] && bot.marks(of: "shop") == "O")
        see(&bot, ["1": 1000, "2": 1000], crashed: ["1": 900])
        #expect(sums(bot).last == 2000)
        see(&bot, ["1": 1000, "2": 1000])
        #expect(bot.marks(of: "shop") == "OR")
        #expect(bot.objections == [])
    }

    @Test(arguments: [Unread.apps(["shop"]), .anything])
    func `a part of an app that nobody knows yet is not taken for the app`(_ unread: Unread) {
        var bot = bot(floor)
        see(&bot, ["1": 4000], crashed: ["1": 400], without: unread)
        #expect(bot.state.figures.series[whole] == nil)
        #expect(opened(bot) == ["floor 1"], "it is said of the release")
    }

    /// Old releases with more crashes than sessions are in many an answer.
    @Test
    func `where something is missing, a sum of all that is known is one, and so it is without what hardly counts`() {
        var bot = bot(floor)
        see(&bot, ["1": 10_000, "2": 1000, "3": 5])
        for unread in [Unread.anything, .apps(["bank"]), .apps(["shop"])] {
            see(&bot, ["1": 10_000, "2": 500], without: unread)
        }
        for _ in 1...12 { see(&bot, ["1": 10_000], without: .apps(["shop"])) }
        #expect(sums(bot) == [11_005, 10_500, 10_500, 10_500], "500 of them may all have crashed")
    }

    @Test func `a release that is missing in one answer makes no smaller sum, one that has gone does`() {
        var bot = bot(floor)
        for _ in 0..<4 { see(&bot, ["1": 300, "2": 100]) }
        see(&bot, ["1": 300])
        see(&bot, ["1": 300, "2": 100])
        #expect(sums(bot) == [400, 400, 400, 400, 400])
        for _ in 0..<4 { see(&bot, ["1": 300]) }
        #expect(sums(bot).suffix(3) == [400, 300, 300])
    }

    @Test func `nobody has gone while the source itself was away`() {
        var bot = bot(floor)
        for _ in 0..<3 { see(&bot, ["1": 300, "2": 100]) }
        bot.advance(by: .hours(5))
        see(&bot, ["1": 300])
        #expect(sums(bot) == [400, 400, 400])
        see(&bot, ["1": 310, "2": 100])
        #expect(sums(bot).last == 410)
    }

    @Test func `a small release without sessions in a span is left out at once`() {
        var bot = bot(floor)
        for _ in 0..<3 { see(&bot, ["1": 300, "2": 9]) }
        see(&bot, ["1": 300])
        #expect(sums(bot).suffix(2) == [309, 300])
    }

    @Test func `lines that come one by one are summed when the last has come`() {
        var bot = bot(floor)
        for _ in 0..<3 { see(&bot, ["1": 300, "2": 100, "3": 50]) }
        bot.advance(by: .minutes(5))
        let end = bot.now
        for (index, name) in ["1", "2", "3"].enumerated() {
            #expect(sums(bot).count == 3)
            bot.advance(by: .seconds(1))
            bot.see([line(name, [200, 80, 40][index], at: end, seen: bot.now)])
        }
        #expect(sums(bot) == [450, 450, 450, 320])
    }

    @Test func `a correction of one release corrects the sum of that span`() throws {
        var bot = bot(floor)
        for _ in 0..<4 { see(&bot, ["1": 300, "2": 100]) }
        let span = bot.now - .minutes(10)
        bot.see([line("2", 140, 7, at: span, seen: bot.now)])
        #expect(sums(bot) == [400, 440, 400, 400])
        let corrected = try #require(bot.state.figures.series[whole]?.samples[1])
        #expect(corrected.metrics[.crashedSessions] == 7)
        #expect(bot.objections == [])
    }

    @Test func `a correction of what is kept of no other release makes no sum`() {
        var bot = bot(floor)
        for _ in 0..<40 { see(&bot, ["1": 300, "2": 100]) }
        let known = bot.state.figures.series[whole]?.lastSeen
        bot.advance(by: .minutes(1))
        bot.see([line("2", 140, at: bot.now - .minutes(121), seen: bot.now)])
        #expect(bot.state.figures.series[whole]?.lastSeen == known)
    }

    @Test func `spans that differ between releases are not mixed, and each release is judged`() {
        var bot = bot(floor)
        for _ in 0..<40 {
            bot.advance(by: .minutes(2))
            bot.see([line("1", 300, at: bot.now)])
            bot.advance(by: .minutes(3))
            bot.see([line("2", 300, 30, at: bot.now)])
        }
        // The very first line could not know of the other.
        #expect(sums(bot) == [300])
        #expect(opened(bot) == ["floor 2"])
    }

    @Test func `where one release stops saying how many crashed, nothing is said of all`() {
        var bot = bot(floor)
        for _ in 0..<3 { see(&bot, ["1": 300, "2": 100]) }
        for _ in 0..<30 {
            bot.advance(by: .minutes(5))
            let span = TimeSpan(lasting: .minutes(5), until: bot.now)
            bot.see([
                line("1", 300, 30, at: bot.now),
                Observation(subject: release("2"), span: span, seen: bot.now, metrics: [.sessions: 100]),
            ])
        }
        #expect(sums(bot) == [400, 400, 400])
        // After two hours each is judged by itself again.
        #expect(opened(bot) == ["floor 1"])
    }

    @Test func `what has more than a thousand names within a week is no release, and is not summed`() {
        var bot = bot(floor)
        bot.comparesReplay = false
        bot.see((0..<1000).map { line("\($0)", 2, at: bot.now) })
        #expect(sums(bot) == [2000])
        bot.advance(by: .minutes(5))
        bot.see((0..<1001).map { line("\($0)", 2, at: bot.now) })
        #expect(sums(bot) == [2000])
    }

    // MARK: - Who judges what

    @Test func `a rule on sessions judges the sum alone, and says of how many releases it is`() throws {
        var bot = bot(floor)
        see(&bot, ["1": 900, "2": 100])
        see(&bot, ["1": 900, "2": 100], crashed: ["1": 27, "2": 3])
        #expect(opened(bot) == ["floor whole"])
        let incident = try #require(bot.state.incidents.inOrder.first)
        #expect(incident.evidence.sentence == "0.97; summed over 2 releases")
        #expect(bot.kindsSent(to: "team") == [.opened])
        let explained = bot.core.explain(bot.state, at: bot.now) { _, _ in true }.explanations
        #expect(explained.map(\.judgement.evidence.sentence) == ["0.97; summed over 2 releases"])
        #expect(explained.map(\.subject) == [whole])
        #expect(bot.core.assessments(bot.state, at: bot.now).map(\.subject) == [whole])
    }

    @Test func `rules on users, on issues or for releases judge each release as ever`() {
        var bot = bot(
            DetectorPlan(name: "users", detector: Floor(.crashFreeUsers), repeat: nil),
            DetectorPlan(
                name: "releases", detector: Floor(.crashFreeSessions), match: .on(["release": "*"]), repeat: nil),
            floor)
        let span = TimeSpan(lasting: .minutes(5), until: bot.now)
        bot.see(
            ["1", "2"].map { name in
                Observation(
                    subject: release(name), span: span, seen: bot.now,
                    metrics: [
                        .sessions: 900, .crashedSessions: name == "1" ? 90 : 0, .users: 400,
                        .crashedUsers: name == "1" ? 90 : 0,
                    ])
            })
        #expect(Set(opened(bot)) == ["users 1", "releases 1", "floor whole"])
        #expect(bot.state.incidents.all.count == 3)
        let explained = bot.core.explain(bot.state, at: bot.now) { _, _ in true }.explanations
        #expect(
            Set(explained.map { "\($0.rule) \($0.subject.release ?? "whole")" }) == [
                "users 1", "users 2", "releases 1", "releases 2", "floor whole",
            ])
    }

    @Test func `what a source says of the whole itself counts, also where it begins to late`() throws {
        var bot = bot(floor)
        for _ in 0..<3 { see(&bot, ["1": 300, "2": 100]) }
        bot.advance(by: .minutes(5))
        bot.see([line("1", 300, at: bot.now), line(nil, 410, at: bot.now), line("2", 100, at: bot.now)])
        see(&bot, ["1": 300, "2": 100])
        #expect(sums(bot) == [400, 400, 400, 410])
        let series = try #require(bot.state.figures.series[whole])
        #expect(series.releasesSummed == nil)
        #expect(try bot.stateFromSnapshot().figures.series == bot.state.figures.series)
        #expect(bot.objections == [])
    }

    @Test func `issues of the whole are no figures of it: releases are summed and judged as ever`() {
        let users = DetectorPlan(name: "users", detector: Floor(.users, below: 10), repeat: nil)
        var bot = bot(floor, users)
        for _ in 0..<4 {
            bot.advance(by: .minutes(5))
            var known = [line("5.1.0", 100, 5, at: bot.now), line("5.2.0", 100, 5, at: bot.now)]
            known[0].metrics[.users] = 3
            let span = TimeSpan(lasting: .minutes(5), until: bot.now)
            var issues = Observation(subject: whole, span: span, seen: bot.now, metrics: [:])
            issues.issues = [Issue(id: "A-1", title: "Crash")]
            bot.see([issues] + known)
        }
        #expect(sums(bot) == [200, 200, 200, 200])
        #expect(opened(bot).sorted() == ["floor whole", "users 5.1.0"])
        #expect(bot.state.figures.series[whole]?.issues.map(\.id) == ["A-1"])
        #expect(bot.objections == [])
    }

    @Test func `a rule on issues judges those of the whole, though its sessions are a sum`() throws {
        let news = DetectorPlan(
            name: "news", detector: try (["min_users": "2"] as WrittenOptions).detector(NewIssueDetector.self))
        var bot = bot(floor, news)
        let begin = bot.now
        func look(_ ids: [String], hours: Int) {
            for _ in 0..<(hours * 12) {
                bot.advance(by: .minutes(5))
                var issues = Observation(
                    subject: whole, span: TimeSpan(lasting: .minutes(5), until: bot.now), seen: bot.now, metrics: [:])
                issues.issues = ids.map {
                    Issue(
                        id: $0, title: "Crash \($0)", users: 40,
                        firstSeen: $0 == "A-1" ? begin - .days(9) : begin + .hours(2))
                }
                bot.see([issues, line("5.1.0", 100, at: bot.now), line("5.2.0", 100, at: bot.now)])
            }
        }
        look(["A-1"], hours: 2)
        #expect(sums(bot).last == 200)
        #expect(
            bot.state.incidents.all.filter { $0.rule == "news" }.isEmpty, "what was there from the beginning is not new"
        )
        bot.crash()
        look(["A-1", "A-2"], hours: 1)
        #expect(bot.state.incidents.all.filter { $0.rule == "news" }.map(\.key) == ["A-2"])
        #expect(bot.decisions.filter { $0.message.incidents[0].rule == "news" }.map(\.kind) == [.opened])
        // Those of a release are news beside them.
        bot.advance(by: .minutes(5))
        var known = line("5.2.0", 100, at: bot.now)
        known.issues = [Issue(id: "A-3", title: "Crash A-3", users: 40, firstSeen: bot.now)]
        bot.see([line("5.1.0", 100, at: bot.now), known])
        #expect(bot.state.incidents.all.filter { $0.rule == "news" }.compactMap(\.key).sorted() == ["A-2", "A-3"])
        #expect(bot.objections == [])
    }

    @Test func `an app that vanishes has no sessions, and that is told once`() {
        var bot = bot(DetectorPlan(name: "silence", detector: Floor(.sessions, below: 10), repeat: nil))
        for _ in 0..<4 { see(&bot, ["1": 300, "2": 100]) }
        for _ in 0..<60 {
            bot.advance(by: .minutes(5))
            bot.see([Observation.cue(.fine, of: Subject(source: "ios", app: "game"), at: bot.now)])
        }
        #expect(opened(bot) == ["silence whole"])
    }

    @Test func `an app has not vanished for as long as answers said 'as before' of it`() {
        var bot = bot(DetectorPlan(name: "silence", detector: Floor(.sessions, below: 10), repeat: nil))
        for _ in 0..<4 { see(&bot, ["1": 300]) }
        _ = bot.play(String(repeating: "=", count: 60), every: .minutes(5))
        func seeOthers(_ count: Int) {
            for _ in 0..<count {
                bot.advance(by: .minutes(5))
                bot.see([Observation.cue(.fine, of: Subject(source: "ios", app: "game"), at: bot.now)])
            }
        }
        seeOthers(3)
        #expect(opened(bot) == [])
        seeOthers(60)
        #expect(opened(bot) == ["silence whole"])
        #expect(bot.objections == [])
    }

    @Test func `the last row of an app that has vanished, named again, is no news of now`() throws {
        var bot = bot(DetectorPlan(name: "silence", detector: Floor(.sessions, below: 10), repeat: nil))
        for _ in 0..<4 { see(&bot, ["1": 300]) }
        let last = bot.now
        for step in 0..<60 {
            bot.advance(by: .minutes(5))
            let game = Observation.cue(.fine, of: Subject(source: "ios", app: "game"), at: bot.now)
            bot.see(step % 3 == 0 ? [game] : [game, line("1", 300, at: last, seen: last)])
        }
        #expect(bot.decisions.map(\.kind) == [.opened])
        // Whoever asks why is told of what it rests on, and not of the figures of then.
        let asked = bot.core.explain(bot.state, at: bot.now) { $1.app == "shop" }
        let explained = try #require(asked.explanations.first { $0.incident != nil })
        #expect(explained.judgement.verdict == .firing(.warning) && explained.noNewsSince == nil)
        #expect(explained.judgement.evidence.figure?.value == 0)
        // When it is back, it is over.
        see(&bot, ["1": 300])
        #expect(bot.decisions.map(\.kind) == [.opened, .resolved])
        #expect(bot.objections == [])
    }

    @Test func `a message about the sum names the release and the issues behind it`() throws {
        var bot = bot(floor)
        see(&bot, ["1": 900, "2": 100])
        bot.advance(by: .minutes(5))
        var worse = line("2", 100, 60, at: bot.now)
        worse.issues = [Issue(id: "a", title: "Cart", users: 20), Issue(id: "b", title: "Pay", users: 3)]
        var better = line("1", 900, 2, at: bot.now)
        better.issues = [Issue(id: "a", title: "Cart", users: 1), Issue(id: "c", title: "Login", users: 9)]
        bot.see([better, worse])
        let message = try #require(bot.decisions.last?.message)
        #expect(message.issues.map(\.title) == ["Cart", "Login", "Pay"])
        #expect(message.fields.contains { $0.label == "Stands out" && $0.value.hasPrefix("release 2:") })
    }

    // MARK: - drop

    private func drop() throws -> DetectorPlan {
        let detector = try (["metric": "crash_free_sessions"] as WrittenOptions).detector(DropDetector.self)
        return DetectorPlan(name: "drop", detector: detector, repeat: nil)
    }

    /// An app of 1,200 sessions in five minutes, of which one in a thousand crashes: mostly in one release.
    private func live(_ bot: inout Rehearsal, days: Double, _ share: (Int) -> [String: (of: Double, crashes: Double)]) {
        for step in 0..<Int(days * 288) {
            bot.advance(by: .minutes(5))
            bot.see(
                share(step).sorted { $0.key < $1.key }.map { name, part in
                    let sessions = (1200 * part.of).rounded()
                    // Evenly, so that what is known is exact.
                    let crashed =
                        (sessions * part.crashes * Double(step + 1)).rounded(.down)
                        - (sessions * part.crashes * Double(step)).rounded(.down)
                    return line(name, sessions, crashed, at: bot.now)
                })
        }
    }

    @Test func `drop learns the sum, and finds at once what a new release does to it`() throws {
        var bot = bot(try drop())
        bot.comparesReplay = false
        live(&bot, days: 4) { _ in ["1": (0.8, 0.001), "2": (0.2, 0.001)] }
        let memories = bot.state.figures.series.mapValues { $0.memories(DropMemory.self).count }
        #expect(memories == [whole: 1, release("1"): 0, release("2"): 0])
        #expect(opened(bot) == [])
        // One in ten has the new release in its first minutes, and a tenth of its sessions crash.
        live(&bot, days: 1.0 / 24) { _ in ["1": (0.7, 0.001), "2": (0.2, 0.001), "3": (0.1, 0.1)] }
        #expect(opened(bot) == ["drop whole"])
    }

    @Test func `what was learned of releases one by one is handed to the sum`() throws {
        let rule = try drop()
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        // One of them does not say how many sessions it has, until it has gone.
        for step in 0..<(4 * 288) {
            bot.advance(by: .minutes(5))
            let span = TimeSpan(lasting: .minutes(5), until: bot.now)
            bot.see([
                line("1", 1000, step % 5 == 0 ? 5 : 0, at: bot.now), line("2", 300, step % 3 == 0 ? 1 : 0, at: bot.now),
                Observation(subject: release("3"), span: span, seen: bot.now, metrics: [.users: 10]),
            ])
        }
        #expect(bot.state.figures.series[release("1")]?.memories(DropMemory.self).first?.isReady == true)
        #expect(bot.state.figures.series[whole] == nil)
        for _ in 0..<4 { see(&bot, ["1": 1000, "2": 300]) }
        #expect(bot.state.figures.series[whole]?.memories(DropMemory.self).first?.isReady == true)
        #expect(bot.state.figures.series[release("1")]?.memories(DropMemory.self).isEmpty == true)
    }
}
