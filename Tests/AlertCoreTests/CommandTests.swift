import AlertCore
import AlertTesting
import PluginKit
import Testing

/// What people tell the bot while it runs.
@Suite struct `Commands` {
    private let start = Moment.rehearsalStart

    private func mute(_ conditions: KeyValuePairs<String, String> = ["app": "shop"], for length: Duration) -> Command {
        .mute(.on(conditions), until: .after(length), reason: "hotfix", by: "ada")
    }

    private func bot(_ plan: Plan = .rehearsed()) -> Rehearsal {
        var bot = Rehearsal(plan)
        bot.comparesReplay = true
        bot.start()
        return bot
    }

    private func tell(_ bot: inout Rehearsal, _ command: Command) -> CommandAnswer? {
        bot.step(.command(command, id: 1))
        return bot.answers.last
    }

    // MARK: mutes

    @Test func `what a mute covers is held, and said when it ends if it is still wrong`() {
        var bot = bot()
        guard case .done(let sentence, let details) = tell(&bot, mute(for: .minutes(4))) else {
            Issue.record("the mute was refused")
            return
        }
        #expect(sentence.hasPrefix("muted app shop until Fri 20 Nov 12:04 UTC ("))
        #expect(details["by"]?.string == "ada")
        #expect(bot.play("ww  w w") == "h...O..")
        #expect(bot.decisions.first?.reason == .muted(details["id"]?.string ?? ""))
        #expect(bot.objections == [])
    }

    @Test func `what is named twice is muted once`() {
        var bot = bot()
        let twice = Match([Match.Condition(property: "app", patterns: [Glob("shop"), Glob("bank"), Glob("shop")])])
        guard case .done(let sentence, _) = tell(&bot, .mute(twice, until: .after(.hours(1)), reason: nil, by: nil))
        else {
            Issue.record("the mute was refused")
            return
        }
        #expect(sentence.hasPrefix("muted app shop or bank until "), "\(sentence)")
    }

    @Test func `what begins and ends under a mute is dropped, and others are not covered`() {
        var bot = bot()
        _ = tell(&bot, mute(for: .minutes(4)))
        #expect(bot.play("w.    ") == "h(xx)....")
        #expect(bot.play("w", of: Subject(source: "ios", app: "other")) == "O")
    }

    @Test func `ending a mute says at once what it held`() {
        var bot = bot()
        guard case .done(_, let details) = tell(&bot, mute(for: .hours(9))) else {
            Issue.record("the mute was refused")
            return
        }
        #expect(bot.play("ww") == "h.")
        let id = details["id"]?.string ?? ""
        #expect(tell(&bot, .unmute(.id(id))) == .done("the mute of app shop has ended", .array([details])))
        #expect(bot.decisions.last?.decision == .send)
        #expect(bot.state.mutes.isEmpty)
    }

    @Test func `a mute is named by the first letters of its id, unless others begin so, too`() throws {
        var bot = bot()
        var ids: [String] = []
        for number in 0..<40 {
            guard case .done(_, let details)? = tell(&bot, mute(["app": "shop-\(number)"], for: .hours(9))) else {
                Issue.record("the mute was refused")
                return
            }
            ids.append(details["id"]?.string ?? "")
        }
        let first = String(ids[0].prefix(1))
        let alike = ids.filter { $0.hasPrefix(first) }.sorted()
        let least = try #require(
            (1...ids[0].count).map { String(ids[0].prefix($0)) }.first { begin in
                ids.count { $0.hasPrefix(begin) } == 1
            })
        if alike.count > 1 {
            #expect(
                tell(&bot, .unmute(.id(first)))
                    == .refused("'\(first)' is ambiguous: \(alike.joined(separator: " or ")); type more of the id"))
        }
        guard case .done(let sentence, _)? = tell(&bot, .unmute(.id(least))) else {
            Issue.record("it was refused")
            return
        }
        #expect(sentence == "the mute of app shop-0 has ended")
        #expect(bot.state.mutes[ids[0]] == nil)
        #expect(bot.state.mutes.count == 39)
        guard case .refused? = tell(&bot, .unmute(.id(""))) else {
            Issue.record("nothing is no name")
            return
        }
    }

    @Test func `the end of what was announced is held by a mute, and then said`() {
        var bot = bot()
        #expect(bot.play("w") == "O")
        _ = tell(&bot, mute(for: .minutes(3)))
        #expect(bot.play("....") == "h..R")
    }

    @Test func `a mute survives a kill, and the end of it too`() {
        var bot = bot()
        _ = tell(&bot, mute(for: .hours(2)))
        bot.crash(after: .minutes(1))
        #expect(bot.play("w") == "h")
        bot.crash()
        _ = tell(&bot, .unmute(.all))
        bot.advance(by: .seconds(1))
        bot.crash()
        #expect(bot.kindsSent(to: "team") == [.opened])
        #expect(bot.state.mutes.isEmpty)
    }

    @Test func `of two mutes the longer one counts`() {
        var bot = bot()
        _ = tell(&bot, mute(for: .minutes(5)))
        _ = tell(&bot, mute(["severity": "warning"], for: .minutes(3)))
        #expect(bot.play("wwwwww") == "h....O")
    }

    @Test func `mutes that are over are let go within a day and an hour, and none that is over can be ended`() {
        var bot = bot()
        _ = tell(&bot, mute(for: .minutes(5)))
        let id = bot.state.mutes.inOrder[0].id
        bot.advance(by: .hours(2))
        #expect(bot.state.mutes.inForce(at: bot.now).isEmpty)
        #expect(tell(&bot, .unmute(.id(id))) == .refused("there is no mute '\(id)'; none is set"))
        bot.advance(by: .hours(24))
        #expect(bot.state.mutes.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a mute survives a clock that is wrong for a while`(restarts: Bool) {
        var bot = bot()
        _ = tell(&bot, mute(for: .hours(2)))
        bot.advance(by: .seconds(1))
        func set(by step: Duration) {
            if restarts { bot.crash(after: step) } else { bot.setClock(by: step) }
            bot.advance(by: .seconds(9))
        }
        set(by: .days(10))
        #expect(bot.state.mutes.inForce(at: bot.now).isEmpty)
        set(by: .days(-10))
        #expect(bot.state.mutes.inForce(at: bot.now).count == 1)
        _ = bot.play("w")
        #expect(bot.marks(of: "shop") == "h")
        #expect(bot.objections == [])
    }

    @Test func `so it does where the clock is less than a day ahead for longer than an hour`() {
        var bot = bot()
        _ = tell(&bot, mute(for: .hours(2)))
        bot.advance(by: .seconds(1))
        bot.setClock(by: .hours(3))
        bot.advance(by: .minutes(90))
        #expect(bot.state.mutes.inForce(at: bot.now).isEmpty)
        bot.setClock(by: .hours(-3))
        bot.advance(by: .seconds(1))
        #expect(bot.state.mutes.inForce(at: bot.now).count == 1)
    }

    @Test func `who ends all mutes by a clock that is wrong has ended them for good`() {
        var bot = bot()
        _ = tell(&bot, mute(for: .hours(2)))
        bot.advance(by: .seconds(1))
        bot.setClock(by: .days(10))
        bot.advance(by: .seconds(1))
        _ = tell(&bot, .unmute(.all))
        bot.setClock(by: .days(-10))
        bot.advance(by: .seconds(1))
        _ = bot.play("w")
        #expect(bot.marks(of: "shop") == "O")
    }

    @Test func `there are never more mutes than the bound`() {
        var bot = bot()
        bot.comparesReplay = false
        for number in 0..<Mute.countMax { _ = tell(&bot, mute(["app": "app-\(number)"], for: .hours(1))) }
        #expect(bot.state.mutes.count == Mute.countMax)
        guard case .refused(let sentence, .command) = tell(&bot, mute(for: .hours(1))) else {
            Issue.record("one mute too many")
            return
        }
        #expect(sentence == "there are 1000 mutes already; end some with 'alertbot unmute'")
    }

    // MARK: acknowledgements

    @Test func `an acknowledged incident is not reminded of, but its end is announced`() {
        var bot = bot(.rehearsed(for: .zero, repeat: .minutes(3)))
        #expect(bot.play("wwww") == "O..M")
        let id = bot.state.incidents.inOrder[0].id
        #expect(
            tell(&bot, .acknowledge([String(id.prefix(6))], by: "ada"))
                == .done(
                    "acknowledged \(id) (look, shop): no more reminders unless it gets worse", .array([.string(id)])))
        #expect(bot.play("wwwwwwww.") == "........R")
        #expect(bot.objections == [])
    }

    @Test func `what gets worse is said, and reminded of again`() {
        var bot = bot(.rehearsed(for: .zero, repeat: .minutes(3)))
        #expect(bot.play("w") == "O")
        _ = tell(&bot, .acknowledge([bot.state.incidents.inOrder[0].id], by: nil))
        #expect(bot.play("wwwwccccc") == "....E..M.")
        #expect(bot.state.incidents.inOrder[0].acknowledgement == nil)
    }

    @Test func `whoever acknowledges second is added, and told who was first`() {
        var bot = bot()
        #expect(bot.play("w") == "O")
        let id = bot.state.incidents.inOrder[0].id
        _ = tell(&bot, .acknowledge([id], by: "ada"))
        bot.advance(by: .minutes(5))
        guard case .done(let sentence, _)? = tell(&bot, .acknowledge([id], by: "ben")) else {
            Issue.record("the second was refused")
            return
        }
        #expect(
            sentence
                == "acknowledged \(id) (look, shop; acknowledged before by ada, first at Fri 20 Nov 12:01 UTC): "
                + "no more reminders unless it gets worse")
        #expect(bot.state.incidents.inOrder[0].acknowledgement?.names == "ada and ben")
    }

    @Test func `whoever names an incident twice acknowledges it once, and others hear of it once`() {
        var bot = bot()
        #expect(bot.play("w") == "O")
        let id = bot.state.incidents.inOrder[0].id
        guard case .done(let sentence, _)? = tell(&bot, .acknowledge([id, String(id.prefix(6)), id], by: "ada")) else {
            Issue.record("it was refused")
            return
        }
        #expect(sentence == "acknowledged \(id) (look, shop): no more reminders unless it gets worse")
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count { $0.delivery.message.kind == .acknowledged } == 1)
    }

    @Test func `a mute for longer than a year is a slip, and is refused; a date is meant`() {
        var bot = bot()
        guard case .refused(let why, _)? = tell(&bot, .mute(.all, until: .after(.days(5000)), reason: nil, by: nil))
        else {
            Issue.record("it was taken")
            return
        }
        #expect(why.hasPrefix("a mute for 5000 d is longer than a year; give the date on which it ends"), "\(why)")
        #expect(bot.state.mutes.count == 0)
        _ = tell(&bot, .mute(.all, until: .at(.utc("2099-01-01 00:00")), reason: nil, by: nil))
        #expect(bot.state.mutes.count == 1)
    }

    @Test func `an acknowledgement survives a kill`() {
        var bot = bot(.rehearsed(for: .zero, repeat: .minutes(3)))
        #expect(bot.play("w") == "O")
        _ = tell(&bot, .acknowledge([bot.state.incidents.inOrder[0].id], by: "ada"))
        bot.crash()
        #expect(
            bot.state.incidents.inOrder[0].acknowledgement
                == Acknowledgement(at: start + .minutes(1), by: "ada", of: .warning))
        #expect(bot.play("wwwwww") == "......")
    }

    // MARK: dead letters

    private func withDeadLetter() -> Rehearsal {
        var bot = bot()
        bot.sendAnswer = { _, _ in (.refusedChannel("answered 410"), .zero) }
        #expect(bot.play("w") == "O")
        #expect(bot.state.outbox.history.map(\.end.name) == ["dead"])
        return bot
    }

    @Test func `what is still being tried is not retried by hand`() throws {
        var bot = bot()
        bot.sendAnswer = { _, _ in (.retry(after: .hours(1), "busy"), .zero) }
        #expect(bot.play("w") == "O")
        let id = try #require(bot.state.outbox.deliveries.values.first?.id)
        guard case .refused(let why, _) = tell(&bot, .retry(id)) else { return #expect(Bool(false)) }
        #expect(why.hasSuffix("it is waiting for channel team, after 1 attempt"), "\(why)")
    }

    @Test func `a dead letter is tried again under its id, and the history tells its end once`() {
        var bot = withDeadLetter()
        let id = bot.state.outbox.history[0].delivery.id
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        #expect(
            tell(&bot, .retry(id)) == .done("delivery \(id) is queued again for channel team", ["id": .string(id)])
        )
        bot.advance(by: .seconds(1))
        #expect(bot.state.outbox.history.filter { $0.delivery.id == id }.map(\.end.name) == ["delivered"])
        #expect(bot.state.outbox.deliveries.isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `a dead letter is named by the first letters of its id, unless others begin so, too`() throws {
        // More than there are letters and digits.
        let channels = (0..<40).map { ChannelPlan(name: "team-\($0)") }
        var bot = Rehearsal(.rehearsed(channels: channels, reportTo: "team-0"))
        bot.sendAnswer = { _, _ in (.refusedChannel("answered 410"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        let ids = Set(bot.state.failedDeliveries.map(\.delivery.id)).sorted()
        func alike(_ begin: String) -> [String] { ids.filter { $0.hasPrefix(begin) } }
        let first = try #require(ids.map { String($0.prefix(1)) }.first { alike($0).count > 1 })
        #expect(
            tell(&bot, .retry(first))
                == .refused("'\(first)' is ambiguous: \(alike(first).joined(separator: " or ")); type more of the id"))
        let id = alike(first)[0]
        let short = try #require((1..<id.count).map { String(id.prefix($0)) }.first { alike($0).count == 1 })
        guard case .done(let sentence, _)? = tell(&bot, .retry(short)) else {
            Issue.record("the retry is refused")
            return
        }
        #expect(sentence.hasPrefix("delivery \(id) is queued again for channel team-"), "\(sentence)")
    }

    @Test func `what has been opened again is not retried by hand as well`() {
        var bot = Rehearsal.checked(.rehearsed())
        bot.sendAnswer = { _, _ in (.refusedChannel("gone"), .zero) }
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        let dead = bot.sends.first { $0.delivery.channel == "team" }?.delivery.id ?? ""
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.reload(.rehearsed())
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team") == [.opened, .opened])
        guard case .refused(let why, _) = tell(&bot, .retry(dead)) else { return #expect(Bool(false)) }
        #expect(why.contains("again since it failed"))
        // Nor once it is over.
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team") == [.opened, .opened, .resolved])
        guard case .refused = tell(&bot, .retry(dead)) else { return #expect(Bool(false)) }
    }

    @Test func `a dead letter of what is over by now is announced as over, for no end would follow it`() throws {
        var bot = withDeadLetter()
        let id = bot.state.outbox.history[0].delivery.id
        #expect(bot.play("...") == "x..")
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        _ = tell(&bot, .retry(id))
        bot.advance(by: .minutes(1))
        let told = try #require(bot.state.outbox.history.last { $0.delivery.id == id }?.delivery)
        #expect(told.kind == .digest)
        #expect(told.message.headline == "🗒 Resolved in the meantime: shop: The script says w.")
        #expect(told.message.incidents.map(\.state) == [.resolved])
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }

    @Test(arguments: [true, false])
    func `a dead letter that is tried again has its end told, whether it arrives before or after`(isSlow: Bool) throws {
        var bot = withDeadLetter()
        let id = bot.state.outbox.history[0].delivery.id
        bot.sendAnswer = { _, _ in
            isSlow ? (.retry(after: .seconds(90), "later"), .zero) : (.delivered(receipt: nil), .zero)
        }
        _ = tell(&bot, .retry(id))
        bot.advance(by: .seconds(1))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        #expect(bot.play("...").contains(isSlow ? "D" : "R"))
        bot.advance(by: .minutes(3))
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.state.outbox.deliveries.isEmpty)
        let ends = bot.state.outbox.history.filter { $0.end.name == "delivered" }.map(\.delivery.kind)
        #expect(ends == (isSlow ? [.digest] : [.opened, .resolved]))
        #expect(bot.objections == [])
    }

    @Test func `a retried dead letter survives a kill`() {
        var bot = withDeadLetter()
        let id = bot.state.outbox.history[0].delivery.id
        bot.sendAnswer = { _, _ in nil }
        _ = tell(&bot, .retry(id))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.crash(after: .seconds(1))
        bot.advance(by: .minutes(1))
        #expect(bot.state.outbox.history.filter { $0.delivery.id == id }.map(\.end.name) == ["delivered"])
    }

    // MARK: refusals

    @Test func `whoever acknowledges what is over hears since when`() throws {
        var bot = bot()
        _ = bot.play("ww")
        let incident = try #require(bot.state.incidents.inOrder.first)
        _ = bot.play("......")
        let isOpen = bot.state.incidents[incident.id]?.isOpen == true
        #expect(!isOpen)
        guard case .refused(let why, _)? = tell(&bot, .acknowledge([incident.id], by: nil)) else {
            Issue.record("it was acknowledged")
            return
        }
        let start = "incident \(incident.id) (\(incident.rule), \(incident.subject.app)) ended at Fri 20 Nov 12:"
        #expect(why.hasPrefix(start) && why.hasSuffix(" UTC: there is nothing to acknowledge"), "\(why)")
    }

    @Test func `whoever sends what is no command hears of all that there are`() {
        let mismatch = #expect(throws: JSONMismatch.self) { try Command(["command": "dance"]) }
        for name in ["mute", "unmute", "ack", "retry", "reload", "why"] {
            #expect(mismatch?.expected.contains("\"\(name)\"") == true, "\(name)")
        }
    }

    @Test func `what cannot be done is refused with what would help`() {
        var bot = withDeadLetter()
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        let dead = bot.state.outbox.history[0].delivery.id
        _ = tell(&bot, .retry(dead))
        bot.advance(by: .seconds(1))
        let incidents = bot.state.incidents.inOrder.filter(\.isOpen)
        let open = incidents.map { "\($0.id) (\($0.rule), \($0.subject.app))" }
        let slip = String(incidents[0].id.dropLast()) + "~"
        let table: [(Command, String)] = [
            (.unmute(.id("x")), "there is no mute 'x'; none is set"),
            (
                .acknowledge(["zz"], by: nil),
                "there is no open incident 'zz'; those open are \(open.joined(separator: ", "))"
            ),
            (
                .acknowledge([slip], by: nil),
                "there is no open incident '\(slip)'; those open are \(open.joined(separator: ", "))"
                    + "; did you mean \(incidents[0].id)?"
            ),
            (
                .acknowledge(["shop"], by: nil),
                "there is no open incident 'shop'; those of that name are "
                    + open.filter { $0.hasSuffix(" shop)") }.joined(separator: ", ")
            ),
            (.retry("zz"), "there is no delivery 'zz'; 'alertbot history --dead' lists failed deliveries"),
            (.retry(dead), "delivery \(dead) has not failed: it was delivered at Fri 20 Nov 12:01 UTC"),
            (
                .mute(.all, until: .at(start), reason: nil, by: nil),
                "a mute that ends at Fri 20 Nov 12:00 UTC would already be over"
            ),
        ]
        for (command, sentence) in table { #expect(tell(&bot, command) == .refused(sentence)) }
    }

    @Test(arguments: [
        ("app", "shpo", "; no figures of app shpo have arrived so far; did you mean shop?"),
        ("app", "wallet", "; no figures of app wallet have arrived so far"),
        ("app", "sh*", ""), ("app", "alertbot", ""),
        ("release", "9.*", "; no figures of release 9.* have arrived so far"),
        ("environment", "prod", "; no figures of environment prod have arrived so far"),
        ("environment", "*", ""),
        ("sevrity", "warning", "; no figures with a label sevrity have arrived so far; did you mean severity?"),
    ])
    func `a mute of what nothing was heard of says so`(_ property: String, _ pattern: String, _ what: String) {
        var bot = bot()
        _ = bot.play("w")
        guard case .done(let sentence, _)? = tell(&bot, mute([property: pattern], for: .hours(1))) else {
            Issue.record("the mute is refused")
            return
        }
        #expect(what.isEmpty ? !sentence.contains("arrived") : sentence.hasSuffix(what), "\(sentence)")
    }

    @Test(arguments: [
        ("rule", "lok", "there is no rule 'lok'; did you mean look?"), ("rule", "nope", "there is no rule 'nope'"),
        ("source", "ioss", "there is no source 'ioss'; did you mean ios?"),
    ])
    func `a mute of a source or a rule that is none is a slip, and is refused`(
        _ property: String, _ name: String, _ why: String
    ) {
        var bot = bot()
        #expect(tell(&bot, mute([property: name], for: .hours(1))) == .refused(why))
        #expect(bot.state.mutes.count == 0)
    }

    /// The page mutes what is like an incident; of a channel that fails the channel stands where a source does.
    @Test func `a mute of what is like an open incident is taken, whatever that is about`() throws {
        var bot = Rehearsal(
            .rehearsed(channels: [ChannelPlan(name: "team"), ChannelPlan(name: "ops")], reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .refusedChannel("404") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        let trouble = try #require(bot.state.incidents.inOrder.first { $0.rule == "channel-failing" })
        _ = tell(&bot, .mute(trouble.likeness, until: .after(.hours(1)), reason: nil, by: nil))
        #expect(bot.state.mutes.count == 1)
    }

    @Test(arguments: [("rule", "lo*"), ("source", "ios"), ("rule", "source-failing")])
    func `a mute of what there is is taken`(_ property: String, _ name: String) {
        var bot = bot()
        _ = tell(&bot, mute([property: name], for: .hours(1)))
        #expect(bot.state.mutes.count == 1)
    }

    @Test func `commands and answers come back from their JSON as they were`() throws {
        let commands: [Command] = [
            mute(for: .hours(2)), .mute(.all, until: .at(start), reason: nil, by: nil), .unmute(.all),
            .unmute(.id("abc")), .acknowledge(["a", "b"], by: "ada"), .acknowledge([], by: nil), .retry("d1"),
        ]
        for command in commands { #expect(try Command(JSON(parsing: command.json.bytes)) == command) }
        for answer in [
            CommandAnswer.done("fine", ["a": 1]), .refused("no"), .refused("stopping", .unavailable),
            .refused("no room", .unsaved),
        ] {
            #expect(try CommandAnswer(JSON(parsing: answer.json.bytes)) == answer)
        }
        #expect(throws: JSONMismatch.self) { try Command(["command": "explode"]) }
    }
}
