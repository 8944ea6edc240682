internal import AlertCore
internal import Markup
internal import PluginKit
public import Preview

/// A preview as one page: every message as its chat shows it.
public struct DryRunPage {
    private let report: PreviewReport
    private let cards: MessageCards

    public init(_ report: PreviewReport) {
        self.report = report
        cards = MessageCards(botName: report.botName, zone: report.zone, words: report.words)
    }

    /// Messages drawn for one channel: more than anybody looks through, and with their requests some megabytes.
    public static let entriesMax = 300

    /// The whole page; it asks for nothing from outside.
    public var text: String {
        let counts: [HTML] = [
            PageFrame.chip("\(report.count("send")) sent", "send"),
            PageFrame.chip("\(report.count("hold")) held", "hold"),
            PageFrame.chip("\(report.count("drop")) dropped", "drop"),
        ]
        let lead: HTML = """
            <p class="lead">What would be sent at \(report.zone.words(report.now)) (\(report.zone.name))\(report.watch.map { ". \($0)" } ?? "")</p>\
            <div class="counts">\(counts)</div>
            """
        let channels = report.channelNames.map(channel)
        // What one message looks like in each chat is seen best side by side.
        var parts: [HTML] = channels.count > 1 ? [#"<div class="channels">\#(channels)</div>"#] : channels
        if report.isSilent { parts.append("<h2>Nothing would be sent</h2>") }
        return PageFrame.page(
            title: "Dry run of \(report.botName)", lead: lead,
            parts
                + [queuedBefore, OutlookText.section(report.outlooks), unrouted, heldBefore, pending, polls]
                .compactMap(\.self)
        ).text + "\n"
    }

    private func channel(_ name: String) -> HTML {
        let records = report.decisions.filter { $0.channel == name }
        let chat = records.first.map { report.picture($0).chat.title } ?? ""
        let left = records.count - DryRunPage.entriesMax
        let rest: HTML? =
            left > 0
            ? #"<p class="legend">… and \#(left) more; --channel and --now show less at once.</p>"# : nil
        return """
            <section><h2>\(name) <small>\(chat)</small></h2>
            \(records.prefix(DryRunPage.entriesMax).map(entry))\(rest)</section>
            """
    }

    private func entry(_ record: DecisionRecord) -> HTML {
        let times = report.times(of: record)
        let until: HTML? = times.until.map { #" <span class="why">until \#($0)</span>"# }
        let about: HTML = """
            <div class="about"><time datetime="\(record.at.description)">\(times.at)</time> \
            \(PageFrame.chip(record.decision.name, "\(record.decision.name)")) \
            <span class="why">\(record.reason.description)</span>\(until)</div>
            """
        let picture = cards.card(report.picture(record), at: record.at)
        guard case .send = record.decision else {
            return """
                <article class="entry">\(about)<p class="headline">\(record.message.headline)</p>\
                <details><summary>How it would look</summary>\(picture)</details></article>

                """
        }
        let request = report.request(record).map(exact)
        let trial: HTML? = report.trial(record)?.sentence(in: report.zone).map { #"<p class="why">\#($0)</p>"# }
        return #"<article class="entry">\#(about)\#(trial)\#(picture)\#(request)</article>"#
    }

    private func exact(_ request: JSON) -> HTML {
        "<details><summary>The exact request</summary><pre>\(whole: request.prettyText)</pre></details>"
    }

    private var queuedBefore: HTML? {
        let queued = report.queuedBefore
        guard !queued.isEmpty else { return nil }
        let entries = queued.prefix(DryRunPage.entriesMax).map { queued -> HTML in
            let picture = cards.card(report.picture(queued), at: queued.sent ?? report.now)
            return """
                <article class="entry"><div class="about">\(queued.channel) \
                <span class="why">\(report.words(for: queued))</span></div>\
                \(picture)\(report.request(queued).map(exact))</article>

                """
        }
        let left = queued.count - DryRunPage.entriesMax
        let rest: HTML? = left > 0 ? #"<p class="legend">… and \#(left) more.</p>"# : nil
        return "<section><h2>Waiting from before</h2>\n\(entries)\(rest)</section>"
    }

    private var unrouted: HTML? {
        section("Firing, but not routed to any channel", report.unrouted.filter(\.isOpen))
    }

    private var heldBefore: HTML? {
        guard !report.heldBefore.isEmpty else { return nil }
        let table = PageFrame.table(
            "Held before", head: ["app", "rule", "what"],
            rows: report.heldBefore.map {
                ["\($0.incident.subject.app)", "\($0.incident.rule)", "\(report.words(for: $0))"]
            }, isWordy: true)
        return "<section><h2>Held before</h2>\(table)</section>"
    }

    private var pending: HTML? {
        section("Pending, not sent yet", report.incidents.filter { $0.state == .pending })
    }

    private func section(_ title: String, _ incidents: [Incident]) -> HTML? {
        guard !incidents.isEmpty else { return nil }
        let table = PageFrame.table(
            title, head: ["app", "rule", "since", "why"],
            rows: incidents.map { incident in
                [
                    "\(incident.subject.app)", "\(incident.rule)", "\(report.zone.words(incident.since))",
                    "\(incident.evidence.sentence)",
                ]
            }, isWordy: true)
        return "<section><h2>\(title)</h2>\(table)</section>"
    }

    private var polls: HTML? {
        guard !report.polls.isEmpty else { return nil }
        let table = PageFrame.table(
            "Next polls", head: ["source", "next poll"],
            rows: report.polls.map { ["\($0.source)", "\(report.words(for: $0))"] }, isWordy: true)
        return "<section><h2>Next polls</h2>\(table)</section>"
    }
}
