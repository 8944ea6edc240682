import AlertModel
import Markup
import TimeZones

extension Page {
    /// One story of the chat: its latest message in full, what happened before in a line, and the earlier messages
    /// folded. The same text stands in the page and in the stream of events.
    func card(_ story: InboxStory) -> HTML {
        let latest = story.latest
        let message = latest.message
        let topic = latest.incident.map { "\(latest.channel) \($0)" }
        return """
            <li class="message \(Page.tone(message))" id="m-\(latest.id)" data-day="\(day(latest.at))"\(topic.map { #" data-story="\#($0)""# })>\
            <span class="avatar"></span>\
            <div class="said"><p class="by"><b>\(botName)</b> <span class="channel">\(latest.channel)</span> \
            <a class="when" href="#m-\(latest.id)">\(clock(latest.at))</a></p>\
            <article aria-labelledby="h-\(latest.id)"><p class="kind">\(Page.kind(message))</p>\
            <h2 id="h-\(latest.id)"\(tongue)>\(message.headline)</h2>\(course(story))\
            \(details(message))\(places(latest))\(footer(message.footer))\(earlier(story))</article></div></li>
            """
    }

    /// Where all that is known of its incident stands, and what can be done about it, by the address by which whoever reads it
    /// came: by the public one, to which the message's own links lead, the bot may not know who they are.
    private func places(_ latest: InboxMessage) -> HTML? {
        let members = latest.message.incidents
        guard let incident = latest.incident ?? (members.count == 1 ? members[0].id : nil) else { return nil }
        let isOpen = latest.incident != nil && !latest.isOver
        let errands = isInteractive && isOpen ? Page.errands(about: incident, .top) : nil
        return #"<p class="links"><a href="incidents/\#(incident)">Incident</a>\#(errands)</p>"#
    }

    /// `opened 03:10 · worse 03:40 · resolved 04:20`; nothing where there is one message only.
    private func course(_ story: InboxStory) -> HTML? {
        guard !story.earlier.isEmpty else { return nil }
        let day = wall.zone.civil(story.latest.at).day
        let steps = story.course.map { step -> HTML in
            let times: HTML? = step.count > 1 ? " \(step.count) times, last" : nil
            let at = step.message.at
            let time = clock(at, withDay: wall.zone.civil(at).day != day)
            return "<li>\(step.message.message.kind.step)\(times) \(time)</li>"
        }
        return #"<ol class="course" aria-label="What happened so far">\#(steps)</ol>"#
    }

    /// What was said before, newest first as the card itself is; a browser opens it for who comes by a link to one.
    private func earlier(_ story: InboxStory) -> HTML? {
        guard !story.earlier.isEmpty else { return nil }
        let day = wall.zone.civil(story.latest.at).day
        // What the latest message leads to is at hand already.
        let known = Set(story.latest.message.links.map(\.url))
        let rows = story.earlier.reversed().map { earlier -> HTML in
            var message = earlier.message
            message.links.removeAll { known.contains($0.url) }
            return """
                <li id="m-\(earlier.id)"><p class="kind">\(Page.kind(earlier.message)) · \
                \(clock(earlier.at, withDay: wall.zone.civil(earlier.at).day != day))</p>\
                <h3\(tongue)>\(message.headline)</h3>\(details(message))</li>
                """
        }
        let title: HTML = story.earlier.count == 1 ? "Earlier message" : "\(story.earlier.count) earlier messages"
        return #"<details class="earlier"><summary>\#(title)</summary><ol reversed>\#(rows)</ol></details>"#
    }

    /// A time of day, with the day where that is not the card's.
    private func clock(_ moment: Moment, withDay: Bool = false) -> HTML {
        guard !withDay else { return time(moment) }
        return #"<time datetime="\#(moment.description)">\#(wall.time(moment))</time>"#
    }

    /// The class that colours the card.
    static func tone(_ message: Message) -> String {
        switch message.tone {
        case .resolved: "resolved"
        case .closed, .acknowledged: "closed"
        case .digest: "digest"
        case .critical: "critical"
        case .warning: "warning"
        case .info, .test: "info"
        }
    }

    /// All that a message says below its headline, with the links that lead elsewhere than to the bot.
    ///
    /// - Parameter heading: the element of a heading in it, one level below the one that it stands under.
    func details(_ message: Message, heading: HTML = "h3") -> HTML {
        """
        \(facts(message.fields))\(paragraphs(message.body))\(sparkline(message.sparkline))\(lines(message.lines))\
        \(reason(message.reason))\(issues(message.issues, heading: heading))\(links(message.links.filter { !$0.isOwn }))
        """
    }

    /// What people need before they decide: how bad it is, what it is, and how it is now.
    func summary(_ message: Message) -> HTML {
        """
        <p class="kind">\(message.severity.rawValue)</p><h1\(tongue)>\(message.headline)</h1>\(facts(message.fields))\
        \(reason(message.reason))
        """
    }

    /// In words what the colour says, for those who do not see it.
    private static func kind(_ message: Message) -> HTML {
        switch message.kind {
        case .opened: "New · \(message.severity.rawValue)"
        case .escalated: "Got worse · \(message.severity.rawValue)"
        case .reminder: "Still firing · \(message.severity.rawValue)"
        case .revised: message.isOver ? "Corrected" : "Corrected · \(message.severity.rawValue)"
        case .acknowledged: "Acknowledged · \(message.severity.rawValue)"
        case .resolved: message.mark == .closed ? "Ended" : "Resolved"
        case .closed: "Closed"
        case .digest: message.isOfMute ? "Mute" : "Summary"
        case .test: "Test"
        }
    }

    private func facts(_ facts: [Message.Field]) -> HTML? {
        guard !facts.isEmpty else { return nil }
        let rows = facts.map { fact -> HTML in "<div><dt>\(fact.label)</dt><dd>\(fact.value)</dd></div>" }
        return #"<dl class="facts"\#(tongue)>\#(rows)</dl>"#
    }

    func sparkline(_ sparkline: String?) -> HTML? {
        // What it shows stands in words beside it; read out, it would be the names of seventy blocks.
        let caption = wall.words[.captionLastDay]
        return sparkline.map {
            #"<p class="spark" aria-hidden="true"><span>\#(caption)</span> <code>\#($0)</code></p>"#
        }
    }

    /// What a template says, in whatever language.
    private func paragraphs(_ texts: [String]) -> HTML? {
        guard !texts.isEmpty else { return nil }
        return "\(texts.map { text -> HTML in "<p>\(text)</p>" })"
    }

    private func lines(_ lines: [String]) -> HTML? {
        guard !lines.isEmpty else { return nil }
        return #"<ul class="lines"\#(tongue)>\#(lines.map { line -> HTML in "<li>\(line)</li>" })</ul>"#
    }

    private func reason(_ reason: String) -> HTML? {
        reason.isEmpty ? nil : #"<p class="why"\#(tongue)>\#(reason)</p>"#
    }

    func issues(_ issues: [Message.IssueLine], heading: HTML = "h3") -> HTML? {
        guard !issues.isEmpty else { return nil }
        let rows = issues.map { issue -> HTML in
            "<li>\(HTML.link(issue.title, to: issue.url)) <small\(tongue)>\(issue.detail)</small></li>"
        }
        let title = wall.words[.captionIssues]
        return #"<\#(heading) class="part"\#(tongue)>\#(title)</\#(heading)><ul class="issues">\#(rows)</ul>"#
    }

    private func links(_ links: [Message.Link]) -> HTML? {
        guard !links.isEmpty else { return nil }
        return #"<p class="links"\#(tongue)>\#(links.map { HTML.link($0.title, to: $0.url) })</p>"#
    }

    private func footer(_ footer: String) -> HTML? {
        footer.isEmpty ? nil : #"<p class="footer"\#(tongue)>\#(footer)</p>"#
    }
}

extension Notification.Kind {
    /// What happened, in a word or two of a line.
    fileprivate var step: String {
        switch self {
        case .opened: "opened"
        case .escalated: "worse"
        case .reminder: "reminder"
        case .revised: "corrected"
        case .acknowledged: "acknowledged"
        case .resolved: "resolved"
        case .closed: "closed"
        case .digest: "summary"
        case .test: "test"
        }
    }
}
