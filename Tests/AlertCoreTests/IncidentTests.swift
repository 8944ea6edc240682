import AlertCore
import AlertTesting
import PluginKit
import Testing

/// What happens around incidents when sources, rules, releases and time get in the way.
@Suite struct `Incidents through trouble` {
    private let whole = Subject.shop
    private let release = Subject(source: "ios", app: "shop", release: "5.2.0")

    @Test func `the wait runs out by time alone while the figures are fresh`() {
        var bot = Rehearsal(.rehearsed(for: .minutes(10)))
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(9))
        #expect(bot.decisions.isEmpty)
        bot.advance(by: .minutes(2))
        #expect(bot.decisions.map(\.at) == [.rehearsalStart + .minutes(10)])
    }

    @Test func `figures that are too old let no wait run out`() {
        var bot = Rehearsal(.rehearsed(for: .hours(2)))
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(5))
        #expect(bot.decisions.isEmpty)
        bot.see(.warning)
        #expect(bot.decisions.map(\.mark) == ["O"])
    }

    @Test func `a figure that was measured just after one poll and is read by the next is believed`() {
        let source = SourcePlan(
            name: "ios", every: .seconds(10), throttle: .seconds(10), slowest: .seconds(10), timeout: .seconds(2),
            jitter: 0)
        for (took, opens) in [(Duration.milliseconds(50), true), (.seconds(9), true), (.seconds(11), false)] {
            var bot = Rehearsal(.rehearsed(sources: [source]))
            var isFirst = true
            bot.pollAnswer = { _, now in
                defer { isFirst = false }
                if isFirst { return (PollReport(.values([.cue(.fine, at: now - .milliseconds(30))])), .zero) }
                return (PollReport(.values([.cue(.warning, at: .rehearsalStart)])), took)
            }
            bot.start()
            bot.advance(by: .seconds(25))
            #expect(bot.decisions.map(\.mark) == (opens ? ["O"] : []), "an answer after \(took)")
        }
    }

    @Test func `a rule that wants to be sure of an end is told since when it is better`() {
        var bot = Rehearsal(
            .rehearsed(detectors: [DetectorPlan(name: "look", detector: PatientDetector(), repeat: nil)]))
        bot.start()
        bot.see(.warning)
        for _ in 0..<4 {
            bot.see(.fine)
            bot.advance(by: .minutes(8))
        }
        #expect(bot.decisions.map(\.mark) == ["O"])
        // What is bad again in between begins anew, and so does nothing that a restart forgets.
        bot.see(.warning)
        bot.see(.fine)
        bot.advance(by: .minutes(20))
        bot.crash()
        bot.see(.fine)
        #expect(bot.decisions.map(\.mark) == ["O"])
        #expect(bot.state.incidents.all.map(\.state) == [.recovering])
        bot.advance(by: .minutes(11))
        bot.see(.fine)
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
    }

    @Test func `a source that fails for long is one incident of the bot, however many rules and apps it has`() {
        let detectors = ["a", "b", "c"].map { DetectorPlan(name: $0, detector: ScriptedDetector(), repeat: nil) }
        var bot = Rehearsal(.rehearsed(detectors: detectors))
        var isDown = false
        bot.pollAnswer = { _, now in
            let values = ["x", "y"].map { Observation.cue(.fine, of: Subject(source: "ios", app: $0), at: now) }
            return (PollReport(isDown ? .failed(PollFailure(.unreachable, "no route")) : .values(values)), .zero)
        }
        bot.start()
        bot.advance(by: .hours(1))
        isDown = true
        bot.advance(by: .hours(4))
        #expect(bot.decisions.map(\.mark) == ["O"])
        #expect(bot.state.incidents.all.map(\.subject.app) == ["alertbot"])
        // Like any other incident it is not forgotten.
        bot.advance(by: .hours(1))
        #expect(bot.decisions.map(\.mark) == ["O", "M"])
        isDown = false
        bot.advance(by: .hours(1))
        #expect(bot.decisions.map(\.mark) == ["O", "M", "R"])
    }

    @Test func `a source that fails once is nobody's trouble`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.suspend(for: .hours(10))
        bot.fail()
        #expect(bot.decisions.isEmpty)
    }

    @Test func `a source whose figures stay old is reported like one that fails`() {
        var bot = Rehearsal(.rehearsed())
        bot.pollAnswer = { _, _ in (PollReport(.stale(measured: .rehearsalStart - .minutes(10))), .zero) }
        bot.start()
        bot.advance(by: .minutes(15))
        #expect(bot.decisions.isEmpty)
        bot.advance(by: .hours(3))
        #expect(bot.decisions.map(\.mark) == ["O"])
        bot.see(.fine)
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
    }

    @Test func `troubles go to report_to alone`() {
        let channels = ["team", "ops"].map { ChannelPlan(name: $0) }
        var bot = Rehearsal(.rehearsed(channels: channels, reportTo: "ops"))
        bot.pollAnswer = { _, _ in (PollReport(.failed(PollFailure(.unauthorized, "401"))), .zero) }
        bot.start()
        bot.advance(by: .hours(1))
        #expect(bot.decisions.map(\.channel) == ["ops"])
    }

    @Test func `the trouble of a source that leaves the config is over`() {
        var bot = Rehearsal(.rehearsed())
        bot.pollAnswer = { _, _ in (PollReport(.failed(PollFailure(.unauthorized, "401"))), .zero) }
        bot.start()
        bot.advance(by: .hours(1))
        bot.reload(.rehearsed(sources: [SourcePlan(name: "android", slowsWhen: [])]))
        bot.pollAnswer = { _, _ in (PollReport(.noData), .zero) }
        bot.advance(by: .days(3))
        #expect(bot.decisions.map(\.mark) == ["O", "C"])
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a release is judged by itself only where nobody sees the whole, or a rule asks for it`() {
        let detectors = [
            DetectorPlan(name: "apps", detector: ScriptedDetector()),
            DetectorPlan(name: "releases", detector: ScriptedDetector(), match: .on(["release": "5.*"])),
            DetectorPlan(name: "each", detector: ScriptedDetector(), match: .on(["release": "*"])),
        ]
        var bot = Rehearsal(.rehearsed(detectors: detectors))
        bot.start()
        bot.see([(release, .warning)])
        #expect(Set(bot.state.incidents.all.map(\.rule)) == ["apps", "releases", "each"])

        bot = Rehearsal(.rehearsed(detectors: detectors))
        bot.start()
        bot.see([(whole, .warning), (release, .warning)])
        let seen = bot.state.incidents.all.map { "\($0.rule) \($0.subject.release ?? "all")" }
        #expect(Set(seen) == ["apps all", "releases 5.2.0", "each 5.2.0"])

        bot = Rehearsal(.rehearsed(detectors: detectors))
        bot.start()
        bot.see([(whole, .warning)])
        #expect(Set(bot.state.incidents.all.map(\.rule)) == ["apps", "each"], "it has no releases")
    }

    @Test func `the incident of a release ends when its app is seen as a whole`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.see([(release, .warning)])
        bot.see([(whole, .fine), (release, .warning)])
        #expect(bot.decisions.map(\.mark) == ["O", "C"])
        bot.advance(by: .days(2))
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a subject that nobody hears of for a week is let go, and its incident is closed without news`() throws {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.start()
        bot.see([(release, .warning)])
        bot.advance(by: .days(6))
        #expect(bot.state.figures.series[release] != nil)
        bot.advance(by: .days(2))
        #expect(bot.state.figures.series[release] == nil)
        #expect(bot.decisions.map(\.mark) == ["O", "C"])
        #expect(bot.state.incidents.isEmpty)
        let message = try #require(bot.decisions.last).message
        #expect(message.headline.hasPrefix("⚪ shop 5.2.0"))
        #expect(message.headline.contains("closed without news"))
        #expect(message.reason.contains("nobody knows whether it is over"))
    }

    @Test(arguments: [Duration.hours(4), .hours(24), .minutes(50)])
    func `no reminder comes with the end of what is closed without news`(_ interval: Duration) {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: interval))
        bot.start()
        bot.see([(release, .warning)])
        bot.advance(by: .days(8))
        let said = bot.decisions.suffix(2)
        #expect(said.map(\.kind) == [.reminder, .closed])
        #expect(zip(said, said.dropFirst()).allSatisfy { $1.at - $0.at >= .minutes(50) })
        #expect(bot.objections == [])
    }

    /// On a grid of polls the hold would be reached at the very instant of the next poll, which says that it is over.
    @Test(arguments: [
        ("ww...", "....."), ("ww,..", "....."), ("www..", "..OR."), ("w....", "....."), ("wwwww", "..O.."),
    ])
    func `a hold is not reached where the poll of that very instant is good`(seen: String, told: String) {
        for tick in [Duration.minutes(1), .minutes(5)] {
            var bot = Rehearsal(.rehearsed(for: tick.scaled(by: 2), repeat: nil))
            bot.start()
            #expect(bot.play(seen, every: tick) == told, "\(tick)")
        }
    }

    @Test(arguments: [".", "="])
    func `what opened a moment ago does not end in the same instant, but with the next good poll`(next: String) {
        var bot = Rehearsal(.rehearsed(for: .minutes(10), repeat: nil))
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(10))
        bot.see(.fine)
        #expect(bot.decisions.map(\.mark) == ["O"])
        bot.advance(by: .minutes(5))
        #expect(bot.play(next) == "R")
    }

    @Test func `reminders come at their interval while it fires`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        #expect(bot.play("wwwwwwwwwwww.", every: .hours(1)) == "O...M...M...R")
    }

    @Test func `an escalation starts the time to the next reminder anew`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        #expect(bot.play("wwwccccccw", every: .hours(1)) == "O..E...M..")
    }

    /// What a channel knows is what it heard last: a fall and a rise between two messages are no news, but after a
    /// reminder that it is a warning now, critical is.
    @Test(arguments: [
        ("cwc", "O.."), ("cwwwwwwc", "O...M..E"), ("cwwwwwwcwc", "O...M..E.."), ("wwwwwwc", "O...M.E"),
    ])
    func `what turns critical again is said at once where the last message said warning`(seen: String, told: String) {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        #expect(bot.play(seen, every: .hours(1)) == told)
    }

    @Test func `an end is as severe as what it ends, whatever was said in between`() throws {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        #expect(bot.play("cwwwww.", every: .hours(1)) == "O...M.R")
        #expect(bot.decisions.map(\.severity) == [.critical, .warning, .critical])
    }

    @Test(arguments: ["w,xxxxxxxxxx", "w,__________"])
    func `what was getting better when the figures stopped is reminded of, too`(seen: String) throws {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        _ = bot.play(seen, every: .hours(1))
        #expect(bot.marks(of: "shop") == "OMM")
        let reminder = try #require(bot.decisions.last { $0.message.incidents[0].subject == .shop }).message
        #expect(reminder.headline.contains("no news for"), "\(reminder.headline)")
    }

    @Test func `reminders of what was getting better end when the figures are back`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(1)))
        bot.start()
        _ = bot.play("w," + String(repeating: "x", count: 20), every: .minutes(10))
        let told = bot.marks(of: "shop")
        #expect(told.hasPrefix("OM"))
        _ = bot.play(String(repeating: ",", count: 20), every: .minutes(10))
        #expect(bot.marks(of: "shop") == told)
    }

    @Test(arguments: ["w?????????", "wxxxxxxxxx", "w_________"])
    func `reminders go on when nothing is known any more, and say since when`(seen: String) throws {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        _ = bot.play(seen, every: .hours(1))
        #expect(bot.marks(of: "shop") == "OMM")
        let reminder = try #require(bot.decisions.last { $0.message.incidents[0].subject == .shop }).message
        #expect(reminder.headline.contains("no news for 8 h"), "\(reminder.headline)")
        #expect(reminder.fields.contains { $0.label == "No news since" && $0.value.contains("12:00, for 8 h") })
    }

    @Test func `nobody is reminded of what is getting better`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .minutes(40)))
        bot.start()
        #expect(bot.play("w,,,,,,,,,", every: .minutes(10)) == "O.........")
    }

    @Test(arguments: ["w?", "wx", "w_", "w "])
    func `what nobody has heard of for a week is closed, whatever keeps it silent`(seen: String) throws {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.start()
        let silence = String(repeating: String(seen.suffix(1)), count: 7 * 24 + 2)
        _ = bot.play("w" + silence, every: .hours(1))
        #expect(bot.marks(of: "shop") == "OC")
        #expect(bot.state.incidents.all.allSatisfy { $0.subject != .shop })
        let closed = try #require(bot.decisions.last { $0.kind == .closed }).message
        #expect(closed.plainText.hasPrefix("⚪ shop"))
        #expect(!closed.plainText.contains("again"))
    }

    @Test func `what is known again after a gap goes on as before`() throws {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        #expect(bot.play("w?????www", every: .hours(1)) == "O...M...M")
        let reminder = try #require(bot.decisions.last).message
        #expect(!reminder.plainText.contains("No news"))
    }

    @Test func `without reminders there are none`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.start()
        #expect(bot.play("wwwwwwwwwwww", every: .hours(1)) == "O...........")
    }

    @Test func `a rule that leaves the config ends its incidents`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.see(.warning)
        bot.reload(.rehearsed(detectors: []))
        #expect(bot.decisions.map(\.mark) == ["O", "C"])
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a rule that does not look at the app any more ends its incident there`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.see(.warning)
        let other = DetectorPlan(name: "look", detector: ScriptedDetector(), match: .on(["app": "other"]))
        bot.reload(.rehearsed(detectors: [other]))
        #expect(bot.decisions.map(\.mark) == ["O", "C"])
    }

    @Test func `a source that leaves the config ends the incidents of its apps`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.see(.warning)
        bot.reload(.rehearsed(sources: [SourcePlan(name: "android")]))
        #expect(bot.decisions.map(\.mark) == ["O", "C"])
    }

    @Test(arguments: [
        (Duration.hours(3), "forward by 3 h"), (.minutes(-2), "back by 2 min"),
        // No two clocks are read in one instant.
        (.milliseconds(-7_199_999), "back by 2 h"), (.milliseconds(7_199_999), "forward by 2 h"),
    ])
    func `a clock that is set is an incident of the bot, which ends when it stays`(step: Duration, words: String) throws
    {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.setClock(by: step)
        let told = try #require(bot.decisions.first).message
        #expect(told.headline.contains("The clock of this machine was set \(words)"), "\(told.headline)")
        bot.advance(by: .hours(9))
        #expect(bot.marks(of: "alertbot") == "OR")
        #expect(bot.decisions.last?.message.headline == "✅ alertbot: clock-stepped is resolved")
        bot.setClock(by: .seconds(20))
        bot.advance(by: .hours(1))
        #expect(bot.marks(of: "alertbot") == "OR")
    }

    @Test func `a clock that was set ahead and back again is over after an hour, too`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.setClock(by: .days(2))
        bot.advance(by: .minutes(5))
        bot.setClock(by: .days(-2))
        bot.advance(by: .hours(3))
        #expect(bot.state.incidents.all.isEmpty)
    }

    @Test func `a journal that was damaged is told once a start, and is over after a day`() throws {
        var bot = Rehearsal(.rehearsed())
        for input in [Input.started, .journalDamaged("3 damaged lines")] { bot.step(input) }
        let told = try #require(bot.decisions.first).message
        #expect(told.headline.contains("The journal was damaged when the bot started: 3 damaged lines."))
        for input in [Input.started, .journalDamaged("3 damaged lines")] { bot.step(input) }
        bot.advance(by: .hours(22))
        #expect(bot.marks(of: "alertbot") == "O", "no reminder, and no second incident of a second start")
        bot.advance(by: .hours(3))
        #expect(bot.marks(of: "alertbot") == "OR")
    }

    @Test(arguments: [Duration.days(2), .days(-2)])
    func `a clock that is set shortens and lengthens no wait`(step: Duration) {
        var bot = Rehearsal(.rehearsed(for: .minutes(3)))
        bot.start()
        #expect(bot.play("ww") == "..")
        bot.setClock(by: step)
        #expect(bot.play("wwww") == ".O..")
    }

    @Test(arguments: [Duration.days(2), .days(-2)])
    func `a clock that is set neither hurries nor forgets reminders`(step: Duration) {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        #expect(bot.play("ww", every: .hours(1)) == "O.")
        bot.setClock(by: step)
        // The end after an hour is that of the incident about the clock.
        #expect(bot.play("wwwwwww", every: .hours(1)) == ".RM...M")
        #expect(bot.marks(of: "shop") == "OMM")
    }

    @Test func `figures from a future that was taken back do not hide new ones`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.see(.fine)
        bot.setClock(by: .days(-2))
        bot.see(.warning)
        #expect(bot.marks(of: "shop") == "O")
    }

    @Test func `a figure from a time that was taken back is not the newest again when that time comes`() {
        var bot = Rehearsal(.rehearsed(for: .minutes(3)))
        bot.start()
        bot.see(.warning)
        bot.setClock(by: .minutes(-30))
        #expect(bot.play(".") == ".")
        bot.advance(by: .hours(2))
        #expect(bot.marks(of: "shop") == "")
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a poll that began before the clock was set back brings the newest figures`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        let late = Observation.cue(.warning, at: bot.now)
        bot.setClock(by: .minutes(-30))
        bot.see([late])
        #expect(bot.play(".") == "R")
        #expect(bot.marks(of: "shop") == "OR")
    }

    @Test func `an observation that could not be read back from the journal is not taken in`() {
        var bot = Rehearsal(.rehearsed())
        bot.comparesReplay = true
        bot.start()
        bot.see([.figures(["users": -1], at: bot.now)])
        #expect(bot.state.figures.series.isEmpty)
        let long = Issue(id: "1", title: String(repeating: "long ", count: 200))
        bot.see([.figures(["users": 1], at: bot.now, issues: [long])])
        #expect(bot.state.figures.series.count == 1)
        #expect(bot.objections == [])
    }

    @Test func `incidents are announced where the routes lead`() {
        let channels = ["team", "oncall", "ops"].map { ChannelPlan(name: $0) }
        let critical = Route(match: .on(["severity": "critical"]), to: ["oncall"])
        func told(_ routes: [Route], _ look: Cue) -> [String] {
            var bot = Rehearsal(.rehearsed(channels: channels, routes: routes))
            bot.start()
            bot.see(look)
            return bot.decisions.map(\.channel)
        }
        #expect(told([], .warning) == ["team", "oncall", "ops"])
        #expect(told([critical, Route(to: ["team"])], .critical) == ["oncall"])
        #expect(told([critical, Route(to: ["team"])], .warning) == ["team"])
        let continued = Route(match: .on(["severity": "critical"]), to: ["oncall"], continues: true)
        #expect(told([continued, Route(to: ["team", "oncall"])], .critical) == ["team", "oncall"])
        #expect(told([critical], .warning) == [])
    }

    @Test func `worse reaches the channels that hear of it only then as something new`() {
        let channels = ["team", "oncall"].map { ChannelPlan(name: $0) }
        let routes = [
            Route(match: .on(["severity": "critical"]), to: ["oncall"], continues: true), Route(to: ["team"]),
        ]
        var bot = Rehearsal(.rehearsed(channels: channels, routes: routes))
        bot.start()
        #expect(bot.play("wc.") == "O(EO)(RR)")
    }
}

/// Believes in an end when it has been better for half an hour.
private struct PatientDetector: SubjectDetector {
    static let manifest = PluginManifest(name: "patient", summary: "Waits before it says that it is over.", options: [])
    private let scripted = ScriptedDetector()

    init() {}
    init(options: Options, context: RuleContext) throws(ProblemList) {}

    var metrics: [Metric] { scripted.metrics }
    var lookback: Duration { scripted.lookback }
    var spans: [Duration] { scripted.spans }
    var holdTime: Duration { .zero }

    func judge(_ series: Series, at now: Moment) -> Judgement { scripted.judge(series, at: now) }

    func judge(_ series: Series, ending incident: Sight.Tracked, at now: Moment) -> Judgement {
        let judgement = judge(series, at: now)
        guard case .ok = judgement.verdict else { return judgement }
        let isOver = incident.betterSince.map { now - $0 >= .minutes(30) } ?? false
        return Judgement(.ok(recovered: isOver), judgement.closeness, judgement.evidence)
    }
}
