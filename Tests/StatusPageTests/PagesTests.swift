import AlertModel
import Markup
import Testing
import TimeZones

@testable import StatusPage

/// What people read on the pages.
@Suite struct `The pages` {
    private let page = Page(botName: "shop-alerts")
    private let health = BotHealth(
        isAlive: true, isReady: true, sentence: "Watching 3 sources.", open: [.critical: 1, .warning: 3])

    private var all: [HTML] {
        [
            page.overview(.sample(), health: health, apps: nil), page.incident(.sample(), health: health),
            page.app(.sample("shop/ios"), health: health),
            page.history([.sample("d-2", isDead: true)], matching: nil, limit: 200, health: health),
            page.inbox(messages: [.sample("a")], health: health, channels: .sample),
        ]
    }

    @Test func `the header says what is wrong before that the bot lives`() {
        for page in all {
            #expect(
                page.text.contains(
                    #"<p class="state alarm critical"><span class="dot"></span><b role="status">1 critical, 3 warnings</b>"#
                ))
        }
        #expect(
            page.state(BotHealth(isAlive: true, isReady: true, sentence: "x", open: [.info: 2])).text.contains(
                #"<b role="status">2 info</b>"#))
    }

    @Test func `no incident is not yet all well: without figures the header says so`() {
        func state(_ open: [Severity: Int], _ doubt: String?) -> String {
            page.state(BotHealth(isAlive: true, isReady: true, sentence: "x", open: open, doubt: doubt)).text
        }
        #expect(
            state([:], "No figures yet").hasPrefix(
                #"<p class="state unsure"><span class="dot"></span><b role="status">No figures yet</b>"#))
        #expect(state([.critical: 1], "1 of 2 sources is failing").contains("1 critical"))
        #expect(state([:], nil).contains("All well"))
    }

    @Test func `what is read out is the word, and nothing that changes with every poll`() {
        let text = page.state(health).text
        #expect(text.ranges(of: "role=").count == 1 && text.contains(#"<b role="status">"#))
        #expect(page.overview(.sample(), health: health, apps: nil).text.ranges(of: #"role="status""#).count == 1)
    }

    @Test func `what is wrong stands first, with since when, who is on it and what can be done`() {
        let text = page.overview(.sample(), health: health, apps: nil).text
        let order = [
            "Wrong now", "Firing · critical", #"<a href="incidents/3f9a">🔴 shop/ios: 98.3 %</a>"#, "for 12 min",
            "<b>ana</b> on it", "<b>muted until Sat 21 Nov 00:05 UTC by bo</b>",
            #"href="ack?incident=3f9a""#, #"href="mute?incident=3f9a&amp;for=2h""#,
            #"<a href="incidents">And 3 more</a>"#, "<h2>Apps</h2>",
            #"<a href="apps/shop%2Fios">"#, "98.30%", "below 99%", "cannot judge", "And 6 more", "<h2>Sources</h2>",
            "503 Service Unavailable", "every 1 min; next poll in 20 s (failing)", "And 11 more, 2 of them in trouble",
            "<h2>Channels</h2>",
            "3 failed attempts, the last: 503", #"href="retry?delivery=d-2""#, "Mutes and quiet hours", "app shop-*",
            "hotfix, by ana",
            #"href="unmute?mute=a1b2c3""#, "night", "it is removed",
        ].map { text.firstRange(of: $0)?.lowerBound }
        #expect(order.allSatisfy { $0 != nil })
        #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
    }

    @Test func `who is on call stands there, and until when`() {
        var overview = Overview.sample()
        #expect(!page.overview(overview, health: health, apps: nil).text.contains("On call"))
        overview.onCall = [
            PageWatch(rotation: "mobile", person: "ana<b>", until: Moment(milliseconds: 1_795_424_400_000)),
            PageWatch(rotation: "web", person: "bo", until: nil),
        ]
        let text = page.overview(overview, health: health, apps: nil).text
        for part in ["<h2>On call</h2>", "ana&lt;b&gt;", "2026-11-23T09:00:00Z", "always"] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test
    func `of many incidents the worst are cards and the others a line each, and what stands below is a jump away`() {
        var many = Overview.sample()
        func cards(_ count: Int) -> (cards: Int, lines: Int) {
            many.incidents = Array(repeating: .sample(), count: count)
            let text = page.overview(many, health: health, apps: nil).text
            for place in ["apps", "sources", "channels", "mutes"] {
                #expect(text.contains("<a href=\"#\(place)\">") && text.contains("<section id=\"\(place)\">"))
            }
            return (
                text.split(separator: #"<p class="kind">"#).count - 1,
                text.split(separator: #"<li class="critical"><a href="incidents/3f9a">"#).count - 1
            )
        }
        #expect(cards(Page.cardsMax) == (Page.cardsMax, 0))
        #expect(cards(Page.cardsMax + 5) == (Page.cardsMax, 5))
    }

    @Test func `each cell says what it is, for telephones, and each table what it holds`() {
        let overview = page.overview(.sample(), health: health, apps: nil).text
        for part in [
            #"<div class="wide" tabindex="0" role="group" aria-label="Apps"><table aria-label="Apps">"#,
            #"<table aria-label="Sources">"#, #"<table aria-label="Channels">"#,
            #"<table aria-label="Mutes and quiet hours">"#, #"<td data-label="Figure"><b class="verdict">98.30%</b>"#,
            #"<td data-label="Limit">below 99%</td>"#, #"<td data-label="Seen" class="age""#,
        ] {
            #expect(overview.contains(part), "\(part)")
        }
        #expect(
            page.history([.sample("d", isDead: false)], matching: nil, limit: 9, health: health).text.contains(
                #"<td data-label="Message"><a href="incidents/3f9a">"#))
    }

    private func text(of apps: PageApp...) -> String {
        var overview = Overview.sample()
        overview.apps = apps
        return page.overview(overview, health: health, apps: nil).text
    }

    @Test func `an app without rules has its age where the others have it`() {
        let text = text(of: PageApp(name: "shop", source: "ios", seen: nil, age: "2 min ago", verdicts: []))
        #expect(
            text.contains(#"<td data-label="Rule" colspan="4">No rule has anything to say about it.</td>"#), "\(text)")
        #expect(text.contains(#"<td data-label="Seen" class="age">2 min ago</td>"#))
        let unwatched = self.text(
            of: PageApp(name: "shop", source: "ios", seen: nil, age: "", verdicts: [], isWatched: false))
        #expect(unwatched.contains(">No rule judges it; check 'match'.<"), "\(unwatched)")
    }

    /// A link is cut to what people can read, and half an address leads nowhere.
    @Test(arguments: [(222, true), (223, false)])
    func `an app whose name is too long for a link has none`(length: Int, isLinked: Bool) {
        let name = String(repeating: "店", count: length)
        let page = text(of: PageApp(name: name, source: "ios", seen: nil, age: "now", verdicts: []))
        #expect(page.contains(name))
        #expect(page.contains("href=\"apps/\(name.percentEncoded)\"") == isLinked)
        #expect(page.contains("href=\"apps/") == isLinked)
    }

    @Test func `what a table has no room for is said, and how it is`() {
        let verdicts = PageApp.sample().verdicts
        func app(_ verdicts: [PageVerdict], _ unlisted: Int, well: Int) -> String {
            text(
                of: PageApp(
                    name: "shop", source: "ios", seen: nil, age: "now", verdicts: verdicts, unlisted: unlisted,
                    unlistedWell: well))
        }
        #expect(app(verdicts, 12, well: 12).contains(">And 12 more, all fine; <code>alertbot why</code> lists each.<"))
        #expect(app(verdicts, 12, well: 9).contains(">And 12 more, 3 not known to be fine; "))
        let none = app([], 6, well: 6)
        #expect(none.contains(">6, all fine; ") && !none.contains("No rule has anything to say about it."))
    }

    @Test func `what is fine only by figures that have stopped says so instead`() {
        func verdict(_ tone: PageVerdict.Tone, _ figure: String?) -> String {
            let verdict = PageVerdict(
                rule: "floor", about: nil, tone: tone, metric: nil, figure: figure, limit: nil, chart: nil,
                noNews: "no news since <17:48>")
            return text(of: PageApp(name: "shop", source: "ios", seen: nil, age: "now", verdicts: [verdict]))
        }
        let known = #"<b class="verdict">99.8%</b> <small>no news since &lt;17:48&gt;</small>"#
        #expect(verdict(.unknown, "99.8%").contains("\(known)</td>"))
        #expect(verdict(.firing(.critical), "99.8%").contains("\(known)<span class=\"unseen\"> critical</span></td>"))
        #expect(verdict(.unknown, nil).contains(#"<b class="verdict">no news since &lt;17:48&gt;</b></td>"#))
    }

    @Test func `a quiet bot says so`() {
        let text = page.overview(Overview(), health: BotHealth(isAlive: true, isReady: true, sentence: "x"), apps: nil)
            .text
        for part in [
            "Nothing. No incident is open.", "No source has named an app yet.", "None now, and none scheduled.",
            #"<b role="status">All well</b>"#,
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(
            page.overview(.sample(apps: "nothing"), health: health, apps: "x<").text.contains(
                "No app has 'x&lt;' in its name."))
    }

    @Test func `a list that is too long for a page says how many there are besides`() {
        let hint = "And 1002 more; <code>alertbot incidents</code> lists every one."
        #expect(page.openIncidents([.sample()], of: 1003, health: health).text.contains(hint))
        #expect(!page.openIncidents([.sample()], of: 1, health: health).text.contains("more;"))
    }

    @Test func `where nobody may act, no link leads to it`() {
        let page = Page(botName: "shop-alerts", isInteractive: false)
        for html in [
            page.overview(.sample(), health: health, apps: nil), page.incident(.sample(), health: health),
            page.app(.sample("shop/ios"), health: health),
            page.history([.sample("d-2", isDead: true)], matching: nil, limit: 200, health: health),
        ] {
            for errand in ["ack?", "/mute?", "unmute?", "retry?"] { #expect(!html.text.contains(errand)) }
        }
    }

    @Test func `what a page leads to at the bot is reached by the address that the reader came by`() {
        for html in [page.incident(.sample(), health: health), page.app(.sample("shop/ios"), health: health)] {
            #expect(html.text.contains(#"href="../ack?incident=3f9a""#))
            #expect(!html.text.contains("https://alerts.example.com"))
        }
        #expect(page.incident(.sample(), health: health).text.contains("https://dash.example.com/shop"))
    }

    @Test func `news of a mute is no digest in the history`() {
        let news = PageDelivery(
            id: "d-3", at: .friday, channel: "team", kind: .digest, isOfMute: true, headline: "🗒 Muted: everything",
            incidents: ["3f9a"], outcome: "delivered", isDead: false, why: nil)
        let text = page.history([news], matching: nil, limit: 200, health: health).text
        #expect(text.contains(">mute<") && !text.contains(">digest<"))
    }

    @Test func `what messages say has its language where that is not the page's`() {
        let wall = WallClock(now: .friday, zone: .utc, words: .spanish)
        let spanish = Page(botName: "shop-alerts", wall: wall)
        func texts(_ page: Page) -> [String] {
            var message = Message(kind: .opened, severity: .critical, at: .friday, headline: "🔴 shop: 98,3 %")
            message.fields = [Message.Field("Usuarios afectados", "41 de 1.881")]
            message.reason = "No es casualidad."
            message.sparkline = "▁▂█"
            message.issues = [Message.IssueLine(title: "NPE", detail: "40 eventos", url: nil)]
            let inbox = InboxMessage(id: "a", channel: "team", message: message, at: .friday)
            return [
                page.inbox(messages: [inbox], health: health, channels: .sample).text,
                page.overview(.sample(), health: health, apps: nil).text, page.incident(.sample(), health: health).text,
                page.app(.sample("shop/ios"), health: health).text,
                page.history([.sample("d-2", isDead: true)], matching: nil, limit: 200, health: health).text,
            ]
        }
        for text in texts(page) { #expect(!text.contains(#"lang="es""#)) }
        for text in texts(spanish) { #expect(text.contains(#"lang="es""#) && text.contains(#"<html lang="en">"#)) }
        for part in [
            #"<h2 id="h-a" lang="es">🔴 shop: 98,3 %</h2>"#, #"<dl class="facts" lang="es">"#,
            #"<p class="why" lang="es">No es casualidad.</p>"#, "<span>Último día</span>",
            #"<h3 class="part" lang="es">Problemas principales</h3>"#, #"<small lang="es">40 eventos</small>"#,
        ] {
            #expect(texts(spanish)[0].contains(part), "\(part)")
        }
    }

    @Test func `hostile words are harmless on every page`() {
        let hostile = "<img src=x onerror=alert(1)>\" onfocus=alert(2) x=\""
        let pages = [
            page.incident(.sample(headline: hostile), health: health), page.app(.sample(hostile), health: health),
            page.history([.sample("d", isDead: true, headline: hostile)], matching: hostile, limit: 1, health: health),
            page.overview(.sample(apps: "nothing"), health: health, apps: hostile),
        ]
        for page in pages {
            #expect(!page.text.contains("<img"))
            #expect(!page.text.contains("\" onfocus"))
        }
    }

    @Test func `nothing on any page needs what the policy forbids`() {
        for page in all {
            for inline in ["<style", " style=", "<script>", " onclick", "javascript:", "src=\"http"] {
                #expect(!page.text.contains(inline), "\(inline)")
            }
        }
    }

    @Test func `pages below the top lead back to it`() {
        for html in [page.incident(.sample(), health: health), page.app(.sample("a"), health: health)] {
            for part in [
                #"href="../style.css""#, #"src="../app.js""#, #"href=".././""#, #"href="../inbox""#,
                #"href="../ack?incident=3f9a""#,
            ] {
                #expect(html.text.contains(part), "\(part)")
            }
        }
    }

    @Test func `what has left the history is not denied`() {
        func channels(hasForgotten: Bool) -> String {
            var overview = Overview.sample()
            overview.channels = [PageChannel(name: "team", isInbox: false, hasForgotten: hasForgotten)]
            return page.overview(overview, health: health, apps: nil).text
        }
        #expect(channels(hasForgotten: false).contains("none yet"))
        #expect(channels(hasForgotten: true).contains("none in the history"))
        func incident(hasForgotten: Bool) -> String {
            let story = IncidentStory(
                id: "3f9a", incident: nil, headline: "shop", chart: nil, why: [], deliveries: [],
                hasForgotten: hasForgotten)
            return page.incident(story, health: health).text
        }
        #expect(incident(hasForgotten: false).contains(#"<p class="calm">Nothing.</p>"#))
        #expect(incident(hasForgotten: true).contains(#"<p class="calm">Nothing in the history.</p>"#))
    }

    @Test func `failed deliveries are unfolded by a word and not by a number alone`() {
        var overview = Overview.sample()
        #expect(
            page.overview(overview, health: health, apps: nil).text.contains("<summary>1 failed delivery</summary>"))
        overview.channels = [
            PageChannel(name: "team", isInbox: false, dead: [.sample("d-2", isDead: true)], deadCount: 7)
        ]
        #expect(
            page.overview(overview, health: health, apps: nil).text.contains("<summary>7 failed deliveries</summary>"))
    }

    @Test func `nobody has the blocks of a sparkline read out`() {
        #expect(page.sparkline("▁▂█")?.text.contains(#"<p class="spark" aria-hidden="true">"#) == true)
    }

    @Test func `on paper stands the whole page, and not what fits on a screen`() throws {
        let paper = try #require(Page.style.firstMatch(of: #/@media print \{([^@]*)@/#)).output.1
        for rule in ["body { display: block; height: auto; }", "#page, #room { display: block; overflow: visible; }"] {
            #expect(paper.contains(rule))
        }
    }

    // MARK: Drawings

    @Test func `a drawing in a table has the figures, the limit and what is usual`() {
        let text = Page.drawing(.sample()).text
        for part in [#"class="line" d="M"#, #"class="limit""#, #"class="usual""#, "aria-label"] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains("<text"))
    }

    @Test func `a picture shows releases, limits, incidents and messages, and says what they are`() {
        let text = Page.figure(.sample()).text
        for part in [
            #"class="line l0" d="M"#, #"class="line l1" d="M"#, #"class="limit" d="M58"#, #"class="usual" d="M58"#,
            #"class="wrong critical""#, #"class="message" d="M"#, "<title>opened: &lt;b&gt;fell&lt;/b&gt;</title>",
            ">99%</text>", ">5.2.0</text>", ">18:00</text>", "all releases</li>", "below 99% (floor)</li>",
            "usually 99.50%</li>", #"href="../incidents/3f9a""#, #"class="chart broad""#, #"class="chart slim""#,
        ] {
            #expect(text.contains(part), "\(part)")
        }
        // Two releases came at once: there is room for one name, and both have their lines.
        #expect(text.matches(of: #/class="release"/#).count == 4)
        #expect(text.matches(of: #/class="name"/#).count == 2)
    }

    @Test(arguments: [
        [], [0.5], [0, 0, 0], [.infinity, .nan, 0.9], [-1e300, 1e300], [1e-300, 2e-300],
        Array(repeating: 0.99, count: 5000),
    ])
    func `figures of any kind make drawings inside their frames`(figures: [Double]) throws {
        for (text, width, height) in [
            (Page.drawing(.sample(figures, limit: figures.first)).text, 120.0, 28.0),
            (Page.figure(.sample(figures, limit: figures.first ?? .nan)).text, 760.0, 220.0),
        ] {
            #expect(!text.contains("nan") && !text.contains("inf"), "\(text.prefix(2000))")
            for number in text.matches(of: #/[ML](-?[0-9.]+),(-?[0-9.]+)/#) {
                let (x, y) = (try #require(Double(number.output.1)), try #require(Double(number.output.2)))
                #expect((0...width).contains(x) && (0...height).contains(y))
            }
        }
    }

    @Test func `where figures are missing there is no line`() {
        let chart = PageChart(
            points: [1, 2, 3, 9, 10].map { .init(at: .friday - .hours(12 - $0), figure: 0.99) }, limit: nil, usual: nil,
            isRate: true, from: .friday - .hours(24), to: .friday, title: "x")
        let line = Page.drawing(chart).text.firstMatch(of: #/class="line" d="([^"]*)"/#)?.output.1 ?? ""
        #expect(line.filter { $0 == "M" }.count == 2)
    }
}
