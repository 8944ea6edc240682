import AlertModel
import Markup
import Testing
import TimeZones

@testable import StatusPage

@Suite struct RenderingTests {
    let page = Page(botName: "shop-alerts")
    let health = BotHealth(isAlive: true, isReady: true, sentence: "Watching 3 sources.")

    func card(
        _ kind: Notification.Kind = .opened,
        _ severity: Severity = .critical,
        headline: String = "headline",
        edit: (inout Message) -> Void = { _ in }
    ) -> String {
        let sample = InboxMessage.sample("d-1")
        var message = Message(kind: kind, severity: severity, at: sample.at, headline: headline)
        edit(&message)
        return page.card(.of(InboxMessage(id: "d-1", channel: "team", message: message, at: sample.at))).text
    }

    @Test func `what is no web address stays words`() {
        let text = card { $0.links = [Message.Link("title", "javascript:alert(1)")] }
        #expect(text.contains("title") && !text.contains("<a href=\"javascript"))
    }

    @Test func `hostile words are harmless in every part of a card`() {
        let hostile = "<img src=x onerror=alert(1)>"
        let text = card(headline: hostile) { message in
            message.fields = [Message.Field(hostile, hostile)]
            message.reason = hostile
            message.issues = [Message.IssueLine(title: hostile, detail: hostile, url: hostile)]
            message.sparkline = hostile
            message.lines = [hostile]
            message.links = [Message.Link(hostile, hostile), Message.Link(hostile, "https://x.example/" + hostile)]
            message.footer = hostile
        }
        #expect(!text.contains("<img"))
        #expect(text.ranges(of: "&lt;img src=x onerror=alert(1)&gt;").count == 11)

        let sample = InboxMessage.sample("x")
        let named = Page(botName: hostile)
        let strange = InboxMessage(id: hostile, channel: hostile, message: sample.message, at: sample.at)
        let html = named.inbox(
            messages: [strange], health: BotHealth(isAlive: true, isReady: true, sentence: hostile),
            channels: [PageChannel(name: hostile, isInbox: false)])
        #expect(!html.text.contains("<img"))
    }

    @Test func `a card shows everything that the message has`() {
        let text = card { message in
            message.fields = [Message.Field("Users hit", "31 of 1,840")]
            message.reason = "It fell."
            message.issues = [
                Message.IssueLine(title: "NPE", detail: "40 events", url: "https://sentry.io/1"),
                Message.IssueLine(title: "OOM", detail: "2 events", url: nil),
            ]
            message.sparkline = "▁▂█"
            message.lines = ["one line"]
            message.links = [Message.Link("Open", "https://sentry.io/2")]
            message.footer = "rule crash-free"
        }
        for part in [
            #"<li class="message critical" id="m-d-1" data-day="Friday, 20 November 2026">"#,
            #"<time datetime="2026-11-20T22:05:00Z">22:05 UTC</time>"#,
            "<b>shop-alerts</b>", #"<span class="channel">team</span>"#, #"<h2 id="h-d-1">headline</h2>"#,
            "<dt>Users hit</dt><dd>31 of 1,840</dd>", "<code>▁▂█</code>", "<li>one line</li>",
            #"<p class="why">It fell.</p>"#, #">NPE</a> <small>40 events</small>"#, "<li>OOM <small>2 events</small>",
            #"<a href="https://sentry.io/2""#, #"<p class="footer">rule crash-free</p>"#,
        ] {
            #expect(text.contains(part))
        }
    }

    @Test func `a card has links to what is elsewhere, and none to the bot's public address`() {
        let sample = InboxMessage.sample("d-1")
        var message = sample.message
        message.links = [
            Message.Link("Open", "https://sentry.io/mute"),
            Message.Link("Mute 2 h", "https://alerts.example.com/bot/mute?incident=3f9a&for=2h", isOwn: true),
            Message.Link("Runbook", "https://wiki.example.com/retry?incident=shop"),
        ]
        let text = page.card(.of(InboxMessage(id: "d-1", channel: "team", message: message, at: sample.at))).text
        #expect(text.contains("Open") && !text.contains("Mute 2 h"))
        #expect(text.contains("Runbook"), "what only looks like one of ours stays")
    }

    @Test func `news of a mute is no summary`() {
        let text = card(.digest, .critical) { $0.isOfMute = true }
        #expect(text.contains(#"<p class="kind">Mute</p>"#))
    }

    @Test func `a bare message makes no empty boxes`() {
        let text = card()
        for tag in ["<dl", "<ul", "<ol", "<h3", "<code", "why", "footer", "links", "<details"] {
            #expect(!text.contains(tag))
        }
    }

    @Test(arguments: [
        (Notification.Kind.opened, Severity.critical, "critical", "New · critical"),
        (.escalated, .warning, "warning", "Got worse · warning"),
        (.reminder, .info, "info", "Still firing · info"),
        (.revised, .warning, "warning", "Corrected · warning"),
        (.resolved, .critical, "resolved", "Resolved"),
        (.digest, .critical, "digest", "Summary"), (.test, .info, "info", "Test"),
    ])
    func `colour and words tell what it is`(
        kind: Notification.Kind,
        severity: Severity,
        tone: String,
        word: String
    ) {
        let text = card(kind, severity)
        #expect(text.hasPrefix(#"<li class="message \#(tone)""#))
        #expect(text.contains(#"<p class="kind">\#(word)</p>"#))
    }

    @Test func `an end in grey is not shown as if anything were better`() {
        let message = Message(
            kind: .resolved, severity: .critical, at: .friday, headline: "⚪ shop: news has ended")
        let html = page.inbox(
            messages: [InboxMessage(id: "a", channel: "team", message: message, at: .friday)], health: health,
            channels: .sample
        ).text
        #expect(html.contains(#"<li class="message closed""#))
        #expect(html.contains(#"<p class="kind">Ended</p>"#))
    }

    @Test func `a line stands between days`() {
        let first = InboxMessage.sample("a")
        let second = InboxMessage(id: "b", channel: "team", message: first.message, at: first.at + .hours(1))
        let third = InboxMessage(id: "c", channel: "team", message: first.message, at: first.at + .hours(2))
        let html = page.inbox(messages: [first, second, third], health: health, channels: .sample).text
        let days = html.split(separator: #"<li class="day"><span>"#).dropFirst().map { $0.prefix { $0 != "<" } }
        #expect(days == ["Friday, 20 November 2026", "Saturday, 21 November 2026"])
        let order = ["20 November", "m-a", "m-b", "21 November", "m-c"].map { html.firstRange(of: $0)?.lowerBound }
        #expect(order.allSatisfy { $0 != nil })
        #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
    }

    @Test func `times and days are those of the bot's zone, which is named`() throws {
        let madrid = Page(
            botName: "shop-alerts", wall: WallClock(now: .friday, zone: try ZoneDatabase().zone("Europe/Madrid")))
        let late = InboxMessage(
            id: "b", channel: "team", message: InboxMessage.sample("b").message, at: .friday + .hours(1))
        let html = madrid.inbox(messages: [.sample("a"), late], health: health, channels: .sample).text
        for part in [
            #"<time datetime="2026-11-20T22:05:00Z">23:05 CET</time>"#, ">00:05 CET</time>",
            "<span>Friday, 20 November 2026</span>", "<span>Saturday, 21 November 2026</span>",
        ] {
            #expect(html.contains(part), "\(part)")
        }
        let history = madrid.history([.sample("d", isDead: false)], matching: nil, limit: 9, health: health).text
        #expect(history.contains(">Fri 20 Nov 23:05 CET</time>"))
    }

    @Test func `an empty page says what is going on`() {
        let html = page.inbox(messages: [], health: health, channels: .sample).text
        #expect(html.contains(#"<section id="empty">"#))
        #expect(html.contains("shop-alerts polls its sources and will write here"))
        #expect(html.contains("Watching 3 sources."))
        #expect(
            page.inbox(messages: [.sample("a")], health: health, channels: .sample).text.contains(
                #"<section id="empty" hidden>"#))
    }

    @Test func `a page on which nothing will ever stand says where messages go`() {
        let channels = ["team", "on<call>"].map { PageChannel(name: $0, isInbox: false) }
        let html = page.inbox(messages: [], health: health, channels: channels).text
        #expect(html.contains(#"<section id="empty">"#))
        #expect(html.contains("shop-alerts writes to team, on&lt;call&gt;. A channel with <code>plugin: inbox</code>"))
        #expect(!html.contains("No messages yet") && !html.contains("will write here"))
    }

    @Test(arguments: [(true, true, "live"), (true, false, "unready"), (false, false, "down"), (false, true, "down")])
    func `the dot tells the state`(isAlive: Bool, isReady: Bool, tone: String) {
        let state = page.state(BotHealth(isAlive: isAlive, isReady: isReady, sentence: "As <ever>."))
        #expect(state.text.hasPrefix(#"<p class="state \#(tone)">"#))
        #expect(state.text.contains("As &lt;ever&gt;."))
    }

    @Test func `nothing on the page needs what the policy forbids`() {
        let html = page.inbox(messages: [.sample("a")], health: health, channels: .sample).text
        for inline in ["<style", " style=", "<script>", " onclick", "javascript:", "http://", "https://"] {
            #expect(!html.contains(inline))
        }
    }
}
