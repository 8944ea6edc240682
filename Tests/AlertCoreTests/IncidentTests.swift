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
        bot.advance(by: .hours(5))
        #expect(bot.decisions.map(\.mark) == ["O"])
        #expect(bot.state.incidents.all.map(\.subject.app) == ["alertbot"])
        isDown = false
        bot.advance(by: .hours(1))
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
    }

    @Test func `a source that fails once is nobody's trouble`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.suspend(for: .hours(10))
        bot.fail()
        #expect(bot.decisions.isEmpty)
    }

    @Test func `a source whose figures stay old is told of like one that fails`() {
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
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a release is judged by itself only where nobody sees the whole, or a rule asks for it`() {
        let detectors = [
            DetectorPlan(name: "apps", detector: ScriptedDetector()),
            DetectorPlan(name: "releases", detector: ScriptedDetector(), match: .on(["release": "5.*"])),
        ]
        var bot = Rehearsal(.rehearsed(detectors: detectors))
        bot.start()
        bot.see([(release, .warning)])
        #expect(Set(bot.state.incidents.all.map(\.rule)) == ["apps", "releases"])

        bot = Rehearsal(.rehearsed(detectors: detectors))
        bot.start()
        bot.see([(whole, .warning), (release, .warning)])
        let seen = bot.state.incidents.all.map { "\($0.rule) \($0.subject.release ?? "all")" }
        #expect(Set(seen) == ["apps all", "releases 5.2.0"])
    }

    @Test func `the incident of a release ends when its app is seen as a whole`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.see([(release, .warning)])
        bot.see([(whole, .fine), (release, .warning)])
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
        bot.advance(by: .days(2))
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a subject that nobody hears of for a week is let go with its incident`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.start()
        bot.see([(release, .warning)])
        bot.advance(by: .days(6))
        #expect(bot.state.figures.series[release] != nil)
        bot.advance(by: .days(2))
        #expect(bot.state.figures.series[release] == nil)
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
        #expect(bot.state.incidents.isEmpty)
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

    @Test(arguments: ["w?????????", "wxxxxxxxxx", "w,,,,,,,,,"])
    func `nobody is reminded of what is not known to last`(seen: String) {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        let told = bot.play(seen, every: .hours(1))
        #expect(told.hasPrefix("O"))
        #expect(!told.contains("M"))
    }

    @Test func `what a source says is as before is known to last`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.comparesReplay = true
        bot.start()
        #expect(bot.play("w============", every: .hours(1)) == "O...M...M...M")
    }

    @Test func `an app that the last figures left out is not known to last, though the rest is as before`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        #expect(bot.play("w", every: .hours(1)) == "O")
        bot.see(.fine, of: Subject(source: "ios", app: "other"))
        #expect(bot.play("============", every: .hours(1)) == "............")
    }

    @Test func `what is known again after a gap is reminded of at once`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4)))
        bot.start()
        #expect(bot.play("w?????w", every: .hours(1)) == "O.....M")
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
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a rule that does not look at the app any more ends its incident there`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.see(.warning)
        let other = DetectorPlan(name: "look", detector: ScriptedDetector(), match: .on(["app": "other"]))
        bot.reload(.rehearsed(detectors: [other]))
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
    }

    @Test func `a source that leaves the config ends the incidents of its apps`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.see(.warning)
        bot.reload(.rehearsed(sources: [SourcePlan(name: "android")]))
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
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
        #expect(bot.play("wwwwwww", every: .hours(1)) == "..M...M")
    }

    @Test func `figures from a future that was taken back do not hide new ones`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        bot.see(.fine)
        bot.setClock(by: .days(-2))
        bot.see(.warning)
        #expect(bot.decisions.map(\.mark) == ["O"])
    }

    @Test func `a figure from a time that was taken back is not the newest again when that time comes`() {
        var bot = Rehearsal(.rehearsed(for: .minutes(3)))
        bot.start()
        bot.see(.warning)
        bot.setClock(by: .minutes(-30))
        #expect(bot.play(".") == ".")
        bot.advance(by: .hours(2))
        #expect(bot.decisions.isEmpty)
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a poll that began before the clock was set back brings the newest figures`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        let late = Observation.cue(.warning, at: bot.now)
        bot.setClock(by: .minutes(-30))
        bot.see([late])
        #expect(bot.play(".") == "R")
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
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

    @Test func `incidents are told where the routes lead`() {
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
