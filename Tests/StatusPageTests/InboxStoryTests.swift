import AlertModel
import Markup
import Testing

@testable import StatusPage

/// Opened, worse and resolved of one incident are one card.
@Suite struct `The stories of the inbox` {
    private let page = Page(botName: "shop-alerts")
    private let health = BotHealth(isAlive: true, isReady: true, sentence: "Watching 3 sources.")

    private func message(
        _ id: String, _ kind: Notification.Kind, minutes: Int64, incident: String? = "3f9a", channel: String = "team",
        severity: Severity = .critical, headline: String? = nil, isOver: Bool = false
    ) -> InboxMessage {
        let at = Moment.friday + .minutes(minutes)
        var message = Message(kind: kind, severity: severity, at: at, headline: headline ?? "headline \(id)")
        message.fields = [Message.Field("Users affected", "\(id)")]
        message.links = [
            Message.Link("Dashboard", "https://dash.example.com/shop"),
            Message.Link("Acknowledge", "https://alerts.example.com/ack?incident=3f9a", isOwn: true),
        ]
        return InboxMessage(
            id: id, channel: channel, message: message, at: at, incident: incident, isOver: isOver)
    }

    private var course: [InboxMessage] {
        [
            message("a", .opened, minutes: 0, severity: .warning),
            message("x", .opened, minutes: 10, incident: "77aa", headline: "another"),
            message("b", .escalated, minutes: 35),
            message("c", .resolved, minutes: 75),
        ]
    }

    @Test func `an incident has one card, at the place of its latest message`() {
        let html = page.inbox(messages: course, health: health, channels: .sample).text
        let cards = html.split(separator: #"<li class="message "#).dropFirst().map { $0.prefix { $0 != ">" } }
        #expect(
            cards == [
                #"critical" id="m-x" data-day="Friday, 20 November 2026" data-story="team 77aa""#,
                #"resolved" id="m-c" data-day="Friday, 20 November 2026" data-story="team 3f9a""#,
            ])
        for id in ["a", "b", "c", "x"] { #expect(html.ranges(of: #"id="m-\#(id)""#).count == 1, "\(id)") }
    }

    @Test func `the card tells the course, the latest on top and the earlier ones folded, newest first`() {
        let text = page.card(.of(course[0], course[2], course[3])).text
        let order = [
            #"<p class="kind">Resolved</p>"#, "headline c", #"<ol class="course" aria-label="What happened so far">"#,
            #"<li>opened <time datetime="2026-11-20T22:05:00Z">22:05 UTC</time></li>"#,
            #"<li>worse <time datetime="2026-11-20T22:40:00Z">22:40 UTC</time></li>"#,
            #"<li>resolved <time datetime="2026-11-20T23:20:00Z">23:20 UTC</time></li></ol>"#, "<dd>c</dd>",
            "https://dash.example.com", #"<details class="earlier"><summary>2 earlier messages</summary><ol reversed>"#,
            #"<li id="m-b"><p class="kind">Got worse · critical · <time"#, "<h3>headline b</h3>", "<dd>b</dd>",
            #"<li id="m-a"><p class="kind">New · warning · <time"#, "<h3>headline a</h3>", "<dd>a</dd>",
            "</ol></details></article>",
        ].map { text.firstRange(of: $0)?.lowerBound }
        #expect(order.allSatisfy { $0 != nil })
        #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
    }

    @Test func `what can be done stands once, with the latest message, and stays where the reader is`() {
        let open = page.card(.of(course[0], course[2])).text
        #expect(open.ranges(of: "ack?incident").count == 1 && open.contains(#"<a href="ack?incident=3f9a">"#))
        #expect(open.contains(#"<a href="mute?incident=3f9a&amp;for=2h">"#))
        #expect(open.contains(#"<a href="incidents/3f9a">Incident</a>"#))
        #expect(open.ranges(of: "https://dash.example.com").count == 1 && !open.contains("https://alerts.example.com"))
        let over = page.card(.of(course[0], course[2], message("c", .resolved, minutes: 75, isOver: true))).text
        #expect(!over.contains("ack?") && !over.contains("mute?") && over.contains(#"<a href="incidents/3f9a">"#))
        let watching = Page(botName: "shop-alerts", isInteractive: false).card(.of(course[0])).text
        #expect(!watching.contains("ack?") && watching.contains(#"<a href="incidents/3f9a">"#))
    }

    @Test func `what can be done needs no public address`() {
        var plain = course[0].message
        plain.links = []
        let text = page.card(
            .of(InboxMessage(id: "a", channel: "team", message: plain, at: .friday, incident: "3f9a"))
        ).text
        #expect(text.contains(#"<a href="ack?incident=3f9a">Acknowledge</a>"#))
    }

    @Test func `a summary of one incident leads to it, and has nothing to be done`() {
        let incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: "shop"), labels: [:], severity: .warning,
            since: .friday,
            evidence: Evidence(sentence: ""))
        var summary = Message(kind: .digest, severity: .warning, at: .friday, headline: "shop: 1 came and went")
        summary.incidents = [IncidentSummary(incident)]
        func card() -> String {
            page.card(.of(InboxMessage(id: "a", channel: "team", message: summary, at: .friday))).text
        }
        #expect(card().contains(#"<a href="incidents/\#(incident.id)">Incident</a>"#) && !card().contains("ack?"))
        summary.incidents.append(IncidentSummary(incident))
        #expect(!card().contains(#"class="links""#), "of several it is not known which")
    }

    @Test func `one message needs no course`() {
        let text = page.card(.of(course[0])).text
        #expect(!text.contains("course") && !text.contains("<details"))
        #expect(page.card(.of(course[0], course[2])).text.contains("<summary>Earlier message</summary>"))
    }

    @Test func `reminders that follow each other are one step`() {
        let reminders = (1...12).map { message("r\($0)", .reminder, minutes: Int64($0) * 5) }
        let stories = InboxStory.all(in: [course[0]] + reminders + [course[3]])
        #expect(stories.count == 1)
        #expect(stories[0].course.map(\.count) == [1, 12, 1])
        let text = page.card(stories[0]).text
        #expect(
            text.contains(#"<li>reminder 12 times, last <time datetime="2026-11-20T23:05:00Z">23:05 UTC</time></li>"#))
        #expect(text.contains("13 earlier messages"))
    }

    @Test func `a step of another day says its day`() {
        let text = page.card(.of(course[0], message("z", .resolved, minutes: 180))).text
        #expect(text.contains(#"<li>opened <time datetime="2026-11-20T22:05:00Z">Fri 20 Nov 22:05 UTC</time></li>"#))
        #expect(text.contains(#"<li>resolved <time datetime="2026-11-21T01:05:00Z">01:05 UTC</time></li>"#))
    }

    @Test func `messages of other channels and about several incidents stay by themselves`() {
        let messages = [
            message("a", .opened, minutes: 0), message("b", .opened, minutes: 1, channel: "other"),
            message("c", .digest, minutes: 2, incident: nil), message("d", .digest, minutes: 3, incident: nil),
            message("e", .resolved, minutes: 4),
        ]
        #expect(InboxStory.all(in: messages).map { $0.messages.map(\.id) } == [["b"], ["c"], ["d"], ["a", "e"]])
    }

    @Test func `no message is lost or told twice, whatever order they come in`() {
        var chance = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let messages = (0..<Int.random(in: 0...40, using: &chance)).map { index in
                message(
                    "m\(index)", .opened, minutes: Int64(index),
                    incident: ["1", "2", "3", nil].randomElement(using: &chance) ?? nil,
                    channel: Bool.random(using: &chance) ? "team" : "other")
            }
            let stories = InboxStory.all(in: messages)
            #expect(stories.flatMap { $0.messages.map(\.id) }.sorted() == messages.map(\.id).sorted())
            #expect(stories.map(\.latest.at) == stories.map(\.latest.at).sorted())
            for end in messages.indices {
                let new = Set(messages[(end + 1)...].map(\.id))
                #expect(
                    InboxStory.all(in: messages, after: messages[end].id)
                        == stories.filter { story in story.messages.contains { new.contains($0.id) } })
            }
        }
    }

    @Test func `hostile words are harmless in what is folded, too`() {
        let hostile = "<img src=x onerror=alert(1)>\" onfocus=alert(2) x=\""
        let text = page.card(
            .of(
                message("a", .opened, minutes: 0, incident: hostile, channel: hostile, headline: hostile),
                message("b", .resolved, minutes: 1, incident: hostile, channel: hostile, headline: hostile))
        ).text
        #expect(!text.contains("<img") && !text.contains("\" onfocus"))
    }

    @Test(.timeLimit(.minutes(5))) func `who begins anew gets each story once, as it is now`() async throws {
        try await serving(FakeBot(course)) { port in
            var client = try Client(port: port)
            defer { client.connection.close() }
            try await client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let text = try await client.read(until: "id: c\nevent: message\n")
            #expect(text.split(separator: "\n").filter { $0.hasPrefix("id: ") } == ["id: x", "id: c"])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an open page gets the whole card again when there is news`() async throws {
        let bot = FakeBot([course[0], course[1]])
        try await serving(bot) { port in
            var client = try Client(port: port)
            defer { client.connection.close() }
            try await client.send("GET /events?after=x HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await client.read(until: "event: health")
            await bot.receive(course[2])
            let text = try await client.read(until: #"id="m-a""#)
            #expect(
                text.contains(
                    "id: b\nevent: message\ndata: <li class=\"message critical\" id=\"m-b\" data-day=\"Friday, 20 November 2026\" data-story=\"team 3f9a\""
                ))
            #expect(!text.contains("id: a\n") && !text.contains("id: x\n"))
        }
    }
}
