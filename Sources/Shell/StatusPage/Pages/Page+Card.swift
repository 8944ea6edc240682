import AlertModel
import Markup

extension Page {
    /// One message of the chat. The same text stands in the page and in the stream of events.
    func card(_ inbox: InboxMessage) -> HTML {
        let message = inbox.message
        let civil = CivilTime(inbox.at)
        return """
            <li class="message \(Page.tone(message))" id="m-\(inbox.id)">\
            <span class="avatar"></span>\
            <div class="said"><p class="by"><b>\(botName)</b> <span class="channel">\(inbox.channel)</span> \
            <a class="when" href="#m-\(inbox.id)"><time datetime="\(inbox.at.description)">\
            \(civil.hour.padded(2)):\(civil.minute.padded(2)) UTC</time></a></p>\
            <article><p class="kind">\(Page.kind(message))</p><h2>\(message.headline)</h2>\
            \(Page.facts(message.fields))\(Page.paragraphs(message.body))\(Page.sparkline(message.sparkline))\
            \(Page.lines(message.lines))\(Page.reason(message.reason))\(Page.issues(message.issues))\(Page.links(Page.useful(inbox)))\
            \(Page.footer(message.footer))</article></div></li>
            """
    }

    /// The class that colours the card.
    static func tone(_ message: Message) -> String {
        switch message.kind {
        case .resolved: "resolved"
        case .closed: "closed"
        case .digest: "digest"
        case .test: "info"
        case .opened, .escalated, .reminder, .revised, .acknowledged: message.severity.rawValue
        }
    }

    /// All that a message says below its headline, with the links that lead elsewhere.
    static func details(_ message: Message) -> HTML {
        """
        \(facts(message.fields))\(paragraphs(message.body))\(sparkline(message.sparkline))\(lines(message.lines))\
        \(reason(message.reason))\(issues(message.issues))\(links(message.links.filter(\.leadsElsewhere)))
        """
    }

    /// What people need before they decide: how bad it is, what it is, and how it is now.
    static func summary(_ message: Message) -> HTML {
        """
        <p class="kind">\(message.severity.rawValue)</p><h1>\(message.headline)</h1>\(Page.facts(message.fields))\
        \(Page.reason(message.reason))
        """
    }

    /// In words what the colour says, for those who do not see it.
    private static func kind(_ message: Message) -> HTML {
        switch message.kind {
        case .opened: "New · \(message.severity.rawValue)"
        case .escalated: "Got worse · \(message.severity.rawValue)"
        case .reminder: "Still firing · \(message.severity.rawValue)"
        case .revised: "Corrected · \(message.severity.rawValue)"
        case .acknowledged: "Acknowledged · \(message.severity.rawValue)"
        case .resolved: "Resolved"
        case .closed: "Closed"
        case .digest: "Summary"
        case .test: "Test"
        }
    }

    private static func facts(_ facts: [Message.Field]) -> HTML? {
        guard !facts.isEmpty else { return nil }
        let rows = facts.map { fact -> HTML in "<div><dt>\(fact.label)</dt><dd>\(fact.value)</dd></div>" }
        return #"<dl class="facts">\#(rows)</dl>"#
    }

    static func sparkline(_ sparkline: String?) -> HTML? {
        sparkline.map { #"<p class="spark"><span>Last day</span> <code>\#($0)</code></p>"# }
    }

    /// What a template says.
    private static func paragraphs(_ texts: [String]) -> HTML? {
        guard !texts.isEmpty else { return nil }
        return "\(texts.map { text -> HTML in "<p>\(text)</p>" })"
    }

    private static func lines(_ lines: [String]) -> HTML? {
        guard !lines.isEmpty else { return nil }
        return #"<ul class="lines">\#(lines.map { line -> HTML in "<li>\(line)</li>" })</ul>"#
    }

    private static func reason(_ reason: String) -> HTML? {
        reason.isEmpty ? nil : #"<p class="why">\#(reason)</p>"#
    }

    static func issues(_ issues: [Message.IssueLine]) -> HTML? {
        guard !issues.isEmpty else { return nil }
        let rows = issues.map { issue -> HTML in
            "<li>\(HTML.link(issue.title, to: issue.url)) <small>\(issue.detail)</small></li>"
        }
        return #"<h3>Top issues</h3><ul class="issues">\#(rows)</ul>"#
    }

    /// The links that still lead somewhere.
    private static func useful(_ inbox: InboxMessage) -> [Message.Link] {
        inbox.isOver ? inbox.message.links.filter(\.leadsElsewhere) : inbox.message.links
    }

    private static func links(_ links: [Message.Link]) -> HTML? {
        guard !links.isEmpty else { return nil }
        return #"<p class="links">\#(links.map { HTML.link($0.title, to: $0.url) })</p>"#
    }

    private static func footer(_ footer: String) -> HTML? {
        footer.isEmpty ? nil : #"<p class="footer">\#(footer)</p>"#
    }
}

extension Message.Link {
    /// Whether it is for reading, and not for doing something here.
    fileprivate var leadsElsewhere: Bool {
        !CareDesk.Errand.allCases.contains { url.contains($0.rawValue + "?") }
    }
}
