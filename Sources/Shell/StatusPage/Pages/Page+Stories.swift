import AlertModel
import Markup

/// Pages about one thing: an incident, an app; and what was said of all.
extension Page {
    func incident(_ story: IncidentStory, health: BotHealth) -> HTML {
        let now: HTML =
            story.incident.map { incident in
                """
                <div class="message \(Page.tone(incident.message))"><article>
                <p class="kind">\(Page.word(incident.state)) · \(incident.message.severity.rawValue)</p>
                <h1\(tongue)>\(incident.message.headline)</h1><p class="since">\(Page.standing(incident))</p>
                \(details(incident.message, heading: "h2"))\(actions(incident, .below))</article></div>
                """
            } ?? #"<h1\#(tongue)>\#(story.headline)</h1><p class="calm">It is over.</p>"#
        let chart: HTML? = story.chart.map {
            "<section><h2>Around that time</h2>\(Page.figure($0))</section>"
        }
        let content: HTML = """
            <div class="board">
            \(now)
            \(chart)
            <section><h2>What was sent</h2>\(timeline(story.deliveries, .below, hasForgotten: story.hasForgotten))</section>
            \(why(story.why))
            <p class="footer">Incident \(story.id)</p>
            </div>
            """
        return frame(story.headline, nil, .below, health, refreshes: true, content)
    }

    func app(_ story: AppStory, health: BotHealth) -> HTML {
        let charts = story.pictures.map(Page.figure)
        let rows = story.apps.flatMap { appRows($0, .below, linked: false) }
        let issues: HTML? =
            story.issues.isEmpty ? nil : "<section>\(self.issues(story.issues))</section>"
        let open: HTML =
            story.incidents.isEmpty
            ? #"<p class="calm">No incident is open.</p>"# : "\(story.incidents.map { incident($0, .below) })"
        let content: HTML = """
            <div class="board">
            <h1>\(story.name)</h1>
            <section><h2>Wrong now</h2>\(open)</section>
            <section><h2>How each rule judges it</h2>\
            \(Page.table("Verdicts", ["Source", "Rule", "Figure", "Limit", "Last day", "Seen"], rows))</section>
            \(charts.isEmpty ? nil : "<section><h2>The last day</h2>\(charts)</section>")
            \(issues)
            <section><h2>What was sent</h2>\(timeline(story.deliveries, .below, hasForgotten: story.hasForgotten))</section>
            \(why(story.why))
            </div>
            """
        return frame(story.name, nil, .below, health, refreshes: true, content)
    }

    func history(_ deliveries: [PageDelivery], matching words: String?, limit: Int, health: BotHealth) -> HTML {
        let more: HTML? =
            deliveries.count == limit
            ? #"<p class="hint">These are the newest \#(limit); search for older ones.</p>"# : nil
        let content: HTML = """
            <div class="board">
            <h1>History</h1>
            <form method="get" action="history" role="search"><label>Containing <input name="q" type="search" maxlength="80" \
            value="\(words ?? "")"></label> <button type="submit">Search</button></form>
            \(timeline(deliveries, .top))
            \(more)
            </div>
            """
        return frame("History", .history, .top, health, refreshes: words == nil, content)
    }

    /// What was said, line by line.
    ///
    /// - Parameter hasForgotten: whether more may have been said than is remembered.
    private func timeline(_ deliveries: [PageDelivery], _ depth: Depth, hasForgotten: Bool = false) -> HTML {
        guard !deliveries.isEmpty else {
            let none: HTML = hasForgotten ? "Nothing in the history." : "Nothing."
            return #"<p class="calm">\#(none)</p>"#
        }
        let rows = deliveries.map { delivery in
            let headline: HTML =
                delivery.incidents.count == 1
                ? #"<a href="\#(depth.root)incidents/\#(delivery.incidents[0])"\#(tongue)>\#(delivery.headline)</a>"#
                : "<span\(tongue)>\(delivery.headline)</span>"
            let retry: HTML? =
                isInteractive && delivery.isDead
                ? #" <a href="\#(depth.root)retry?delivery=\#(delivery.id)">Retry …</a>"# : nil
            let why: HTML? = delivery.why.map { #"<p class="trouble">\#($0)</p>"# }
            let kind = delivery.isOfMute ? "mute" : delivery.kind.rawValue
            return Row(
                tone: delivery.isDead ? "warning" : "fine",
                cells: [
                    Cell("\(time(delivery.at))"), Cell("\(delivery.channel)"), Cell("\(kind)"),
                    Cell("\(headline)\(why)"), Cell(#"<b class="verdict">\#(delivery.outcome)</b>\#(retry)"#),
                ])
        }
        return Page.table("Messages", ["When", "Channel", "Kind", "Message", "Outcome"], rows)
    }

    private func why(_ paragraphs: [String]) -> HTML? {
        guard !paragraphs.isEmpty else { return nil }
        return
            "<section><h2>Why</h2>\(paragraphs.map { paragraph -> HTML in #"<pre class="because">\#(whole: paragraph)</pre>"# })</section>"
    }
}
