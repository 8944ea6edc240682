import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import Testing

private func template(_ text: String) throws -> MessageTemplate { try MessageTemplate(text, name: "team.mustache") }

private let view = MessageView(bot: "shop-alerts", channel: "team", zone: .utc)

extension MessageTemplate {
    fileprivate func dress(_ message: Message) throws -> Message {
        var message = message
        message.labels = ["owner": "checkout"]
        return try dress(message, view)
    }
}

@Suite struct `Messages in a team's own words` {
    @Test func `the built-in template leaves messages as they are`() throws {
        let builtIn = try template(MessageTemplate.builtIn())
        for (name, message) in MessageSamples(zone: .utc).all {
            let dressed = try builtIn.dress(message)
            #expect(dressed.headline == message.headline.tamed, "\(name)")
            #expect(dressed.fields == message.fields, "\(name)")
            #expect(dressed.issues == message.issues, "\(name)")
            #expect(dressed.plainText == message.plainText, "\(name)")
        }
    }

    @Test(arguments: [
        ("it counts as usual", "⚪", "closed"), ("a figure is corrected after the end", "✅", "resolved"),
        ("a budget held several", "🔴", "critical"),
    ])
    func `the mark is the headline's own, and stays the message's in other words`(
        _ name: String, _ mark: String, _ tone: String
    ) throws {
        let message = try #require(MessageSamples(zone: .utc).all.first { $0.name == name }?.message)
        #expect(message.headline.hasPrefix("\(mark) "))
        let dressed = try template("[headline]\n{{channel}} {{mark}} {{incident.app}}").dress(message)
        #expect(dressed.headline == "team \(mark) shop-ios")
        #expect("\(dressed.mark)" == tone)
    }

    @Test func `a part that is not there stays as it is`() throws {
        let message = SampleMessages.opened
        let dressed = try template("[headline]\n{{mark}} {{incident.app}} is crashing: {{incident.figure}}").dress(
            message)
        #expect(dressed.headline == "🔴 shop-ios is crashing: 98.31%")
        #expect(dressed.fields == message.fields)
        #expect(dressed.reason == message.reason)
        #expect(dressed.issues == message.issues)
        #expect(dressed.links == message.links)
    }

    @Test func `a body takes the place of reason, issues, sparkline and lines, and links stay`() throws {
        let dressed = try template("[body]\nOwner: {{labels.owner}}\n\nSee {{#issues}}{{title}}, {{/issues}}").dress(
            SampleMessages.opened)
        #expect(
            dressed.body == [
                "Owner: checkout", "See EXC_BAD_ACCESS in Renderer.draw(_:), NSRangeException in -[Feed item:],",
            ])
        #expect((dressed.reason, dressed.issues, dressed.sparkline, dressed.lines) == ("", [], nil, []))
        #expect(dressed.links == SampleMessages.opened.links)
        #expect(dressed.headline == SampleMessages.opened.headline)
    }

    @Test func `top issues stay with their links, unless the body has words for them`() throws {
        let message = SampleMessages.opened
        #expect(try template("[body]\nOwner: {{labels.owner}}").dress(message).issues == message.issues)
        let without = try template("[body]\nOwner: {{labels.owner}}{{#issues}}{{/issues}}").dress(message)
        #expect(without.issues == [])
        #expect(without.body == ["Owner: checkout"])
        #expect(try template("{{title}}").dress(message).issues == [])
    }

    @Test func `fields are lines with a label`() throws {
        let dressed = try template("[fields]\nRegel: {{incident.rule}}\nURL: https://x: y\n").dress(
            SampleMessages.opened)
        #expect(dressed.fields.map(\.label) == ["Regel", "URL"])
        #expect(dressed.fields.last?.value == "https://x: y")
        let failure = #expect(throws: MessageTemplate.Failure.self) {
            try template("[fields]\nno label here").dress(SampleMessages.opened)
        }
        #expect(failure?.sentence == "its field 'no label here' is not of the form 'Label: value'")
        let odd = try template("[fields]\nTitle: Cannot open:\nOwner: {{labels.nope}}\n").dress(SampleMessages.opened)
        #expect(odd.fields == [Message.Field("Title", "Cannot open:")], "only what has no value is left out")
    }

    @Test func `without marks the first line is the headline and the rest the body`() throws {
        let dressed = try template("{{! ours }}\n{{mark}} {{channel}}\nof {{bot}}").dress(SampleMessages.opened)
        #expect(dressed.headline == "🔴 team")
        #expect(dressed.body == ["of shop-alerts"])
        #expect(dressed.fields == [])
    }

    @Test func `an end can have other words than a beginning`() throws {
        let words = try template(
            "[headline]\n{{#is_resolved}}Over: {{/is_resolved}}{{incident.app}}{{#is_critical}}!{{/is_critical}}")
        #expect(try words.dress(SampleMessages.resolved).headline == "Over: shop-ios!")
        #expect(try words.dress(SampleMessages.opened).headline == "shop-ios!")
    }

    @Test(arguments: SampleMessages.nasty.map(\.name))
    func `a hostile title makes no line, field or headline of its own`(_ name: String) throws {
        let message = try #require(SampleMessages.nasty.first { $0.name == name }?.message)
        let words = try template(
            "[headline]\nX {{title}}\n[fields]\nTitle: {{reason}}\n[body]\n{{#issues}}\n- {{title}}\n{{/issues}}")
        let dressed: Message
        do {
            dressed = try words.dress(message)
        } catch let failure as MessageTemplate.Failure {
            #expect(failure.sentence == "its body has more than 64 KiB")
            return
        }
        #expect(dressed.headline.hasPrefix("X"))
        #expect(dressed.fields.count == (message.reason.tamed.trimmed.isEmpty ? 0 : 1))
        #expect(dressed.body.count == message.issues.count)
    }

    @Test(arguments: [
        ("[headline]\n{{ap}}", "2:1: a message has no 'ap' -> at"),
        ("[headline]\n{{wotnot}}", "2:1: a message has no 'wotnot' ('alertbot template show' names all that it has)"),
        ("{{#fields}}\n{{lable}}\n{{/fields}}", "2:1: a message has no 'lable' -> label"),
        ("{{incident.ap}}", "1:1: a message has no 'incident.ap' -> incident.app"),
        ("{{fields}}", "1:1: 'fields' is more than a text (write {{#fields}}…{{/fields}} with what it has in between)"),
        (
            "[body]\n{{issues.title}}",
            "2:1: 'issues' is a list, so there is no 'issues.title' (write {{#issues}}{{title}}{{/issues}})"
        ),
        ("[body]\n{{#issues}}", "2:1: the section 'issues' is never closed; write {{/issues}}"),
        ("[header]\nx", "1:1: there is no part 'header' (the parts are headline, fields or body)"),
        ("[headlin]\nx", "1:1: there is no part 'headlin' -> [headline]"),
        ("[body]\nx\n[body]\ny", "3:1: [body] is there twice"),
        ("Hello\n[body]\nx", "1:1: this comes before the first part (write [headline] above it)"),
    ])
    func `a mistake is named with its place and what to do`(_ text: String, _ expected: String) {
        let problems = #expect(throws: ProblemList.self) { try template(text) }?.problems ?? []
        let lines = problems.map { problem in
            "\(problem.position.line):\(problem.position.column): \(problem.message)"
                + (problem.suggestion.map { " -> \($0)" } ?? problem.advice.map { " (\($0))" } ?? "")
        }
        #expect(lines == [expected])
        #expect(problems.allSatisfy { $0.position.file == "team.mustache" })
    }

    @Test func `a trial finds the kinds of messages that a template has no words for`() throws {
        #expect(try template(MessageTemplate.builtIn()).trial(in: .utc) == [])
        #expect(
            try template("[headline]\n{{incident.figure}}").trial(in: .utc)
                == ["team.mustache fails when the bot has a problem of its own: its headline is empty"])
        #expect(
            try template("[fields]\n{{kind}}").trial(in: .utc).first
                == "team.mustache fails when an incident opens: its field 'opened' is not of the form 'Label: value'")
    }

    @Test(
        arguments: [
            ("{{mark}} {{title}}\n{{reason}}", 1, nil),
            ("{{mark}} {{incident.app}}\n{{#lines}}\n{{.}}\n{{/lines}}", nil, 1),
            ("[headline]\n{{title}}\n[body]\n{{reason}}", 3, nil), ("[headline]\n{{incident.rule}}", nil, 1),
            // Of what opens together, the kind is that of one.
            ("[fields]\n[body]\n{{#is_digest}}\n{{#lines}}\n{{.}}\n{{/lines}}\n{{/is_digest}}", 2, nil),
            ("[body]\n{{#incidents}}\n{{app}} {{figure}}\n{{/incidents}}", nil, nil),
            ("[headline]\n{{incident.rule}}: {{incident.sentence}}", nil, nil),
            ("[headline]\n{{incident.figure}}{{^incident.figure}}{{title}}{{/incident.figure}}", nil, nil),
        ] as [(String, Int?, Int?)])
    func `words that lose a digest's lines, or why the bot is in trouble, are warned of where they begin`(
        _ text: String, lines: Int?, cause: Int?
    ) throws {
        let template = try template(text)
        for words in [Words.english, .spanish] {
            let losses = [template.lossOfLines(in: .utc, words: words), template.lossOfCause(in: .utc, words: words)]
            #expect(losses.map { $0?.position.line } == [lines, cause])
            let told = losses.compactMap(\.self)
            #expect(told.allSatisfy { $0.level == .warning && $0.position.file == "team.mustache" })
        }
    }

    @Test(arguments: [Words.english, .spanish])
    func `the built-in template loses nothing`(_ words: Words) throws {
        let builtIn = try template(MessageTemplate.builtIn(in: words))
        #expect(builtIn.lossOfLines(in: .utc, words: words) == nil)
        #expect(builtIn.lossOfCause(in: .utc, words: words) == nil)
    }
}

@Suite struct `A bot with templates` {
    private func bot(channel: String? = nil, rule: String? = nil, reportTo: String? = nil) throws -> Rehearsal {
        var plan = Plan.rehearsed(channels: [
            ChannelPlan(name: "team", template: try channel.map(template)), ChannelPlan(name: "ops"),
        ])
        let words = try rule.map(template)
        plan.detectors = plan.detectors.map {
            DetectorPlan(name: $0.name, detector: $0.detector, match: $0.match, repeat: $0.repeat, template: words)
        }
        plan.reportTo = reportTo
        return .checked(plan)
    }

    @Test func `only the channel's own messages have its words`() throws {
        var bot = try bot(channel: "[headline]\nTEAM {{title}}")
        bot.see(.critical)
        let said = Dictionary(grouping: bot.decisions, by: \.channel).mapValues { $0.map(\.message.headline) }
        #expect(said["team"]?.first?.hasPrefix("TEAM ") == true)
        #expect(said["ops"]?.first?.hasPrefix("🔴 ") == true)
        #expect(bot.objections == [])
    }

    @Test func `a rule's words come first, and the channel has the last word`() throws {
        var bot = try bot(channel: "[headline]\n<{{headline}}>", rule: "[headline]\nRULE")
        bot.see(.critical)
        #expect(bot.decisions.map(\.message.headline) == ["<RULE>", "RULE"])
    }

    @Test func `a template that gives no message costs none: the built-in text leaves, and the trouble is told once`()
        throws
    {
        // There is nothing to say while nobody is on it.
        var bot = try bot(channel: "[headline]\n{{#is_resolved}}over{{/is_resolved}}", reportTo: "ops")
        bot.see(.warning)
        bot.advance(by: .minutes(5))
        bot.see(.critical)
        bot.advance(by: .minutes(5))
        let team = bot.decisions.filter { $0.channel == "team" }
        #expect(team.map(\.kind) == [.opened, .escalated])
        #expect(team.allSatisfy { $0.message.headline.contains("shop") })
        let troubles = bot.decisions.filter { $0.message.incidents.first?.rule == "template-failing" }
        #expect(troubles.map(\.channel) == ["ops"])
        #expect(
            troubles.first?.message.plainText.contains(
                "The template team.mustache of team fails: its headline is empty") == true)
        bot.see(.fine)
        #expect(bot.decisions.last { $0.channel == "team" }?.message.headline == "over")
        #expect(bot.objections == [])
    }

    @Test func `a template that fails for every other message is reported once a day, and not reminded of`() throws {
        var bot = try bot(channel: "[headline]\n{{#is_resolved}}over{{/is_resolved}}", reportTo: "ops")
        func reports() -> [Notification.Kind] {
            bot.decisions.filter { $0.message.incidents.first?.rule == "template-failing" }.map(\.kind)
        }
        for _ in 0..<3 {
            bot.see(.critical)
            bot.advance(by: .hours(2))
            bot.see(.fine)
            bot.advance(by: .hours(2))
        }
        #expect(
            bot.decisions.filter { $0.channel == "team" }.map(\.message.headline).filter { $0 == "over" }.count == 3)
        #expect(reports() == [.opened])
        bot.advance(by: .hours(14))
        bot.see(.critical)
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        #expect(reports() == [.opened, .resolved])
        #expect(bot.decisions.last?.message.plainText.contains("The template works again.") == true)
        #expect(bot.objections == [])
    }

    @Test func `a template that fails in the channel of troubles makes no circle`() throws {
        var bot = try bot(
            channel: "[headline]\n{{release}}{{#is_test}}x{{/is_test}}".replacing("{{release}}", with: ""),
            reportTo: "team")
        bot.see(.critical)
        for _ in 0..<10 { bot.advance(by: .minutes(1)) }
        let rules = bot.decisions.filter { $0.channel == "team" }.map { $0.message.incidents.first?.rule }
        #expect(rules.count == 2)
        #expect(bot.objections == [])
    }

    @Test func `an end has its labels when what it is about is forgotten, after a start too`() throws {
        var bot = try bot()
        func see(_ cue: Cue) { bot.see([.cue(cue, at: bot.now, labels: ["owner": "checkout"])]) }
        see(.critical)
        bot.advance(by: .minutes(5))
        bot.sendAnswer = { _, _ in (.retry(after: nil, "503"), .zero) }
        see(.fine)
        bot.advance(by: .minutes(1))
        #expect(bot.state.incidents.isEmpty)
        bot.crash()
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .minutes(30))
        let ends = bot.sends.filter { $0.delivery.kind == .resolved && $0.delivery.channel == "team" }
        #expect(ends.count > 1)
        #expect(ends.allSatisfy { $0.delivery.message.labels == ["owner": "checkout"] })
        #expect(bot.objections == [])
    }

    @Test func `what is accepted is read from the journal as it was written`() throws {
        var bot = try bot(channel: "[body]\nown words")
        bot.see(.critical)
        #expect(bot.decisions.first?.message.body == ["own words"])
        #expect(bot.objections == [])
    }
}
