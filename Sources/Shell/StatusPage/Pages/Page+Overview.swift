import AlertModel
import Markup

/// What is wrong now, worst first; then how everything else is.
extension Page {
    func overview(_ overview: Overview, health: BotHealth, apps asked: String?) -> HTML {
        let content: HTML = """
            <div class="board">
            <h1 class="unseen">Overview</h1>
            \(Page.jumps)
            \(wrong(overview))
            \(apps(overview, asked))
            <section id="sources"><h2>Sources</h2>\(Page.table("Sources", ["Source", "State", "Pace", "Last answer"], overview.sources.map { row($0) }))\
            \(Page.beyond(overview))</section>
            <section id="channels"><h2>Channels</h2>\
            \(Page.table("Channels", ["Channel", "Last delivery", "Waiting", "Failed"], overview.channels.map { row($0) }))\
            </section>
            \(onCall(overview))
            \(mutes(overview.mutes))
            <p class="hint">For programs: <a href="api/status">status</a>, <a href="api/incidents">incidents</a>, \
            <a href="api/history">history</a>, <a href="metrics">metrics</a></p>
            </div>
            """
        return frame(nil, .overview, .top, health, refreshes: true, content)
    }

    /// To what stands below, past any number of incidents and apps.
    private static let jumps: HTML = """
        <nav class="jumps" aria-label="On this page"><a href="#apps">Apps</a> <a href="#sources">Sources</a> \
        <a href="#channels">Channels</a> <a href="#mutes">Mutes</a></nav>
        """

    // MARK: - What is wrong

    private func wrong(_ overview: Overview) -> HTML {
        guard !overview.incidents.isEmpty else {
            return #"<section><h2>Wrong now</h2><p class="calm">Nothing. No incident is open.</p></section>"#
        }
        let pending = overview.incidents.count { $0.state == .pending }
        let beyond = overview.open.values.reduce(0, +) - (overview.incidents.count - pending)
        let more: HTML? =
            beyond > 0 ? #"<p class="hint"><a href="incidents">And \#(beyond) more</a></p>"# : nil
        let lines = overview.incidents.dropFirst(Page.cardsMax).map(line)
        let list: HTML? = lines.isEmpty ? nil : #"<ul class="rest">\#(lines)</ul>"#
        return """
            <section><h2>Wrong now</h2>
            <div class="cards">\(overview.incidents.prefix(Page.cardsMax).map { incident($0, .top) })</div>
            \(list)\(more)</section>
            """
    }

    /// Incidents with all that can be done about them, six beside six on a wide screen; of the others each is a line, for nobody
    /// scrolls through forty cards at night.
    static let cardsMax = 12

    /// Open incidents, a line each, and how many more there are.
    func openIncidents(_ incidents: [PageIncident], of count: Int, health: BotHealth) -> HTML {
        let beyond = count - incidents.count
        let more: HTML? =
            beyond > 0
            ? #"<p class="hint">And \#(beyond) more; <code>alertbot incidents</code> lists every one.</p>"# : nil
        let list: HTML =
            incidents.isEmpty
            ? #"<p class="calm">Nothing. No incident is open.</p>"#
            : #"<ul class="rest">\#(incidents.map(line))</ul>"#
        let content: HTML = #"<div class="board"><h1>Open incidents</h1>\#(list)\#(more)</div>"#
        return frame("Open incidents", nil, .top, health, refreshes: true, content)
    }

    private func line(_ incident: PageIncident) -> HTML {
        return """
            <li class="\(Page.tone(incident.message))">\
            <a href="incidents/\(incident.id)"\(tongue)>\(incident.message.headline)</a> \
            <small>\(Page.standing(incident))</small></li>

            """
    }

    /// An open incident in a few lines, with what can be done about it.
    func incident(_ incident: PageIncident, _ depth: Depth) -> HTML {
        let message = incident.message
        return """
            <div class="message \(Page.tone(message))"><article>
            <p class="kind">\(Page.word(incident.state)) · \(message.severity.rawValue)</p>
            <h3\(tongue)><a href="\(depth.root)incidents/\(incident.id)">\(message.headline)</a></h3>
            <p class="since">\(Page.standing(incident))</p>
            \(sparkline(message.sparkline))\(actions(incident, depth))
            </article></div>

            """
    }

    /// How long it has lasted, who takes care of it, and whether it is muted.
    static func standing(_ incident: PageIncident) -> HTML {
        let carers: HTML? = incident.carers.map { #" · <b>\#($0)</b> on it"# }
        let muted: HTML? = incident.muted.map { #" · <b>\#($0)</b>"# }
        return "\(incident.lasting)\(carers)\(muted)"
    }

    func actions(_ incident: PageIncident, _ depth: Depth) -> HTML? {
        guard isInteractive, incident.state != .pending else { return nil }
        return #"<p class="links">\#(Page.errands(about: incident.id, depth))</p>"#
    }

    /// Each leads to a page that asks: a GET changes nothing.
    static func errands(about incident: String, _ depth: Depth) -> HTML {
        """
        <a href="\(depth.root)ack?incident=\(incident)">Acknowledge</a>\
        <a href="\(depth.root)mute?incident=\(incident)&amp;for=2h">Mute …</a>
        """
    }

    static func word(_ state: Incident.State) -> String {
        switch state {
        case .pending: "Not sure yet"
        case .firing: "Firing"
        case .recovering: "Getting better"
        case .resolved: "Resolved"
        case .closed: "Closed"
        }
    }

    // MARK: - Apps

    private func apps(_ overview: Overview, _ asked: String?) -> HTML {
        let beyond = overview.appCount - overview.apps.count
        let search: HTML? =
            asked == nil && beyond == 0
            ? nil
            : """
            <form method="get" action="./" role="search"><label>Apps named <input name="apps" type="search" maxlength="80" \
            value="\(asked ?? "")"></label> <button type="submit">Show</button></form>
            """
        let more: HTML? = beyond > 0 ? #"<p class="hint">And \#(beyond) more; search by a part of the name.</p>"# : nil
        let rows = overview.apps.flatMap { app in appRows(app, .top, linked: true) }
        let table = Page.table("Apps", ["App", "Rule", "Figure", "Limit", "Last day", "Seen"], rows)
        let nothing: HTML =
            asked == nil
            ? #"<p class="hint">No source has named an app yet.</p>"#
            : #"<p class="hint">No app has '\#(asked ?? "")' in its name.</p>"#
        return
            #"<section id="apps"><h2>Apps</h2>\#(search)\#(overview.apps.isEmpty ? nothing : table)\#(more)</section>"#
    }

    /// The app's name, which leads to its page. Of one that is too long to stand whole in a link, only the name: half of an
    /// address leads nowhere.
    private static func link(_ app: PageApp, _ depth: Depth) -> HTML {
        let address = app.name.percentEncoded
        guard address.utf8.count <= HTML.wordsMax else { return "\(app.name)" }
        return #"<a href="\#(depth.root)apps/\#(address)">\#(app.name)</a>"#
    }

    /// A line for each verdict; the name stands in the first.
    func appRows(_ app: PageApp, _ depth: Depth, linked: Bool) -> [Row] {
        let link: HTML = linked ? Page.link(app, depth) : "\(app.source)"
        let name: HTML = "\(link)\(linked ? #" <small>\#(app.source)</small>"# : nil)"
        let age = Cell("\(app.age)", style: "age", hint: app.seen?.description)
        let same: HTML = #"<span class="unseen">\#(app.name)</span>"#
        var rows = app.verdicts.enumerated().map { index, verdict in
            Row(
                tone: Page.tone(verdict.tone),
                cells: [index == 0 ? .head(name) : Cell(same, style: "same")] + figures(verdict) + [age])
        }
        if rows.isEmpty || app.unlisted > 0 {
            let head = rows.isEmpty ? Cell.head(name) : Cell(same, style: "same")
            let words: HTML =
                app.unlisted > 0
                ? beyond(app)
                : app.isWatched ? "No rule has anything to say about it." : "No rule judges it; check 'match'."
            rows.append(Row(tone: "", cells: [head, Cell(words, columns: 4), age]))
        }
        return rows
    }

    /// What the table has no room for.
    private func beyond(_ app: PageApp) -> HTML {
        let number = "\(app.verdicts.isEmpty ? "" : "And ")\(app.unlisted)\(app.verdicts.isEmpty ? "" : " more")"
        let trouble = app.unlisted - app.unlistedWell
        let how = trouble == 0 ? "all fine" : "\(trouble) not known to be fine"
        return "\(number), \(how); <code>alertbot why</code> lists each."
    }

    private func figures(_ verdict: PageVerdict) -> [Cell] {
        let about: HTML? = verdict.about.map { #" <small>\#($0)</small>"# }
        let metric: HTML? = verdict.metric.map { #" <small>\#($0)</small>"# }
        // That nothing is known any more takes the place of that nothing can be said, and stands beside what is.
        let silence = verdict.tone == .unknown ? verdict.noNews : nil
        let word = silence ?? Page.word(verdict.tone)
        let noNews: HTML? =
            verdict.figure == nil && silence != nil ? nil : verdict.noNews.map { " <small>\($0)</small>" }
        let spoken: HTML? = silence == nil ? #"<span class="unseen"> \#(word)</span>"# : nil
        return [
            Cell("\(verdict.rule)\(about)"),
            Cell(#"<b class="verdict">\#(verdict.figure ?? word)</b>\#(metric)\#(noNews)\#(spoken)"#),
            Cell("\(verdict.limit ?? "")"), Cell("\(verdict.chart.map { Page.drawing($0) })"),
        ]
    }

    static func tone(_ tone: PageVerdict.Tone) -> String {
        switch tone {
        case .fine: "fine"
        case .firing(let severity): severity.rawValue
        case .unknown: "unknown"
        }
    }

    static func word(_ tone: PageVerdict.Tone) -> String {
        switch tone {
        case .fine: "fine"
        case .firing(let severity): severity.rawValue
        case .unknown: "cannot judge"
        }
    }

    // MARK: - Sources, channels, mutes

    private static func beyond(_ overview: Overview) -> HTML? {
        let (more, ill) = (
            overview.sourceCount - overview.sources.count, max(0, overview.illSourceCount - overview.sources.count)
        )
        guard more > 0 else { return nil }
        let trouble = ill > 0 ? "\(ill) of them in trouble" : "all well"
        return #"<p class="hint">And \#(more) more, \#(trouble); <code>alertbot status</code> lists every one.</p>"#
    }

    private func row(_ source: PageSource) -> Row {
        let trouble: HTML? = source.trouble.map { #"<p class="trouble">\#($0)</p>"# }
        return Row(
            tone: source.isWell ? "fine" : "warning",
            cells: [
                .head("\(source.name)"), Cell(#"<b class="verdict">\#(source.state)</b>\#(trouble)"#),
                Cell("\(source.pace)"), Cell(time(source.lastGood) ?? "never"),
            ])
    }

    private func row(_ channel: PageChannel) -> Row {
        let trouble: HTML? = channel.trouble.map { #"<p class="trouble">\#($0)</p>"# }
        let dead = channel.dead.reversed().map { delivery -> HTML in
            let retry: HTML? = isInteractive ? #" <a href="retry?delivery=\#(delivery.id)">Retry …</a>"# : nil
            return
                "<li>\(time(delivery.at)) \(delivery.headline) <small>\(delivery.why ?? "")</small>\(retry)</li>"
        }
        let failed = channel.deadCount == 1 ? "1 failed delivery" : "\(channel.deadCount) failed deliveries"
        let list: HTML? =
            dead.isEmpty
            ? nil : #"<details><summary>\#(failed)</summary><ul class="dead">\#(dead)</ul></details>"#
        let none: HTML = channel.hasForgotten ? "none in the history" : "none yet"
        return Row(
            tone: channel.trouble == nil && channel.deadCount == 0 ? "fine" : "warning",
            cells: [
                .head(channel.isInbox ? #"<a href="inbox">\#(channel.name)</a>"# : "\(channel.name)"),
                Cell("\(time(channel.lastDelivered) ?? none)\(trouble)"), Cell("\(channel.queued)"),
                Cell(list ?? "0"),
            ])
    }

    private func onCall(_ overview: Overview) -> HTML? {
        guard !overview.onCall.isEmpty else { return nil }
        let rows = overview.onCall.map { watch in
            Row(
                tone: "fine",
                cells: [.head("\(watch.rotation)"), Cell("\(watch.person)"), Cell(time(watch.until) ?? "always")])
        }
        return "<section><h2>On call</h2>\(Page.table("On call", ["Rotation", "Who", "Until"], rows))</section>"
    }

    private func mutes(_ mutes: [PageMute]) -> HTML {
        let rows = mutes.map { mute in
            let end: HTML? =
                isInteractive ? mute.id.map { #" <a href="unmute?mute=\#($0)">Unmute …</a>"# } : nil
            let reason = [mute.reason, mute.by.map { "by \($0)" }].compactMap(\.self).joined(separator: ", ")
            let until: HTML = time(mute.until) ?? "it is removed"
            return Row(
                tone: mute.isInForce ? "info" : "fine",
                cells: [
                    .head("\(mute.name)"), Cell("\(mute.covers)"),
                    Cell(mute.isInForce ? "now, until \(until)" : "from \(time(mute.from)) until \(until)"),
                    Cell("\(reason)\(end)"),
                ])
        }
        let table: HTML =
            rows.isEmpty
            ? #"<p class="calm">None now, and none scheduled.</p>"#
            : Page.table("Mutes and quiet hours", ["Name", "Covers", "When", "Why"], rows)
        return #"<section id="mutes"><h2>Mutes and quiet hours</h2>\#(table)</section>"#
    }
}
