internal import AlertCore
internal import Markup
internal import PluginKit
public import Preview

/// A backtest as one page: a drawing for each app, every message, and how noisy each rule was.
public struct BacktestPage {
    private let report: BacktestReport
    private let other: Other?

    /// Another config that was played over the same span.
    private struct Other {
        let name: String
        let report: BacktestReport
        let difference: Difference
    }

    public init(_ report: BacktestReport) {
        self.report = report
        other = nil
    }

    /// - Parameter name: what people call the other config: its file.
    public init(_ report: BacktestReport, against other: BacktestReport, named name: String, _ difference: Difference) {
        self.report = report
        self.other = Other(name: name, report: other, difference: difference)
    }

    /// Apps that are drawn; what more there are is in a list. Those that something is said of come first.
    public static let picturesMax = 150
    /// Messages that are written out for one app.
    public static let messagesMax = 50
    /// Changes that are written out.
    public static let changesMax = 500
    /// Incidents of one app that are drawn from near.
    static let closeUpsOfApp = 6
    /// Incidents of all apps that are drawn from near: each is some kilobytes.
    public static let closeUpsMax = 60
    /// Apps that are named in a list.
    private static let namesMax = 1000

    /// The whole page; it asks for nothing from outside.
    public var text: String {
        let zone = report.zone
        let lead: HTML = """
            <p class="lead">\(zone.words(report.from)) to \(zone.words(report.to)) (\(zone.name))</p>\
            <div class="counts">\(counts)</div>
            """
        let body =
            other.map(compared) ?? [rules] + [OutlookText.section(report.preview.outlooks)].compactMap(\.self) + [apps]
        return PageFrame.page(title: "Backtest of \(report.preview.botName)", lead: lead, body).text + "\n"
    }

    private var counts: [HTML] {
        guard let difference = other?.difference else {
            return [
                PageFrame.chip("\(report.preview.count("send")) sent", "send"),
                PageFrame.chip("\(report.preview.count("hold")) held", "hold"),
                PageFrame.chip("\(report.preview.count("drop")) dropped", "drop"),
            ]
        }
        return [
            PageFrame.chip("\(difference.count("new")) new", "send"),
            PageFrame.chip("\(difference.count("gone")) gone", "drop"),
            PageFrame.chip("\(difference.count("moved")) moved", "hold"),
            PageFrame.chip("\(difference.severityCount) with another severity", "hold"),
            PageFrame.chip("\(difference.sameCount) the same", "same"),
        ]
    }

    // MARK: one config

    private var rules: HTML {
        let table = PageFrame.table(
            "Rules",
            head: [
                "rule", "messages", "at night", "held or dropped", "incidents", "over within 10 min", "longest silence",
            ],
            rows: report.rules.map { rule in
                [
                    "\(rule.rule)", "\(rule.messages)", "\(rule.atNight)", "\(rule.gated) of \(rule.notifications)",
                    "\(rule.incidents)", "\(rule.brief)", "\(rule.longestSilence.short)",
                ]
            })
        let gates: HTML? = report.gatesWords.map { #"<p class="legend">Held or dropped by: \#($0).</p>"# }
        let detections = report.rules.compactMap { rule -> HTML? in
            guard let detection = rule.detection else { return nil }
            return """
                <p class="legend">\(rule.rule) found \(detection.found) of \(detection.cases.count.counted("true incident"))\
                \(detection.delayWords); \(detection.falseAlarms.counted("false alarm"))\(detection.leftOutWords).</p>
                """
        }
        return "<section><h2>Rules</h2>\(table)\(gates)\(detections)</section>"
    }

    private var apps: HTML {
        let stories = PlayedApp.all(report)
        var room = BacktestPage.closeUpsMax
        let drawn = stories.prefix(BacktestPage.picturesMax).enumerated().map { index, story in
            let near = CloseUp.all(story, report, most: min(room, BacktestPage.closeUpsOfApp))
            room -= near.count
            return section(story, [figure(story, report, "\(index)", nil), closeUps(near, of: story, "\(index)")])
        }
        let others = BacktestPage.names("Not drawn", stories.dropFirst(BacktestPage.picturesMax))
        return "\(drawn)\(BacktestPage.legend)\(others)"
    }

    private func section(_ story: PlayedApp, _ figures: [HTML]) -> HTML {
        let source = story.key.source
        return """
            <section><h2>\(story.key.title) <small>source \(source)</small></h2>
            \(figures)\(messages(story))\(StoryTable(story, report).piece)</section>

            """
    }

    private func figure(_ story: PlayedApp, _ report: BacktestReport, _ id: String, _ caption: String?) -> HTML {
        let picture = AppPicture(story, report, id: id, caption == nil ? .whole : .half)
        let words: HTML? = caption.map { "<figcaption>\($0)</figcaption>" }
        let left = story.panelCount - story.panels.count
        let watch = left == 1 ? "watches" : "watch"
        let rest: HTML? =
            left > 0
            ? #"<p class="legend">\#(left.counted("more rule")) \#(watch) this app; those that fired are drawn first.</p>"#
            : nil
        return """
            <figure>\(words)<div class="drawing" tabindex="0" role="region" \
            aria-label="Time line of \(story.key.title)">\
            \(picture.svg)</div>\(rest)</figure>
            """
    }

    private func closeUps(_ near: [CloseUp], of story: PlayedApp, _ id: String) -> HTML {
        let figures = near.enumerated().map { index, closeUp in closeUp.figure(report, id: "\(id)i\(index)") }
        let left = story.incidents.count - near.count
        let rest: HTML? =
            left > 0
            ? #"<p class="legend">\#(left.counted("incident")) of \#(story.incidents.count) not drawn from near.</p>"#
            : nil
        let grid: HTML? = figures.isEmpty ? nil : #"<div class="near">\#(figures)</div>"#
        return "\(grid)\(rest)"
    }

    private func messages(_ story: PlayedApp) -> HTML? {
        let messages = SharedMessage.all(story.records)
        guard !messages.isEmpty else { return nil }
        let rows = messages.prefix(BacktestPage.messagesMax).map { message -> [HTML] in
            let record = message.record
            let reason = record.reason.description
            var cells: [HTML] = [
                "\(report.zone.words(record.at))", "\(message.channels.joined(separator: ", "))",
                "\(PageFrame.chip(record.decision.name, "\(record.decision.name)")) \(reason)",
                "\(record.kind.rawValue)", "\(record.message.headline)",
            ]
            if report.namesRules { cells.insert("\(record.rules.joined(separator: ", "))", at: 3) }
            return cells
        }
        let head = ["when", "channels", "decision"] + (report.namesRules ? ["rule"] : []) + ["kind", "message"]
        let left = messages.count - rows.count
        let rest: HTML? = left > 0 ? #"<p class="legend">… and \#(left) more.</p>"# : nil
        let table = PageFrame.table(
            "Messages of \(story.key.title)", head: head, rows: rows, isWordy: true)
        let open: HTML? = rows.count <= BacktestPage.openRowsMax ? " open" : nil
        return "<details\(open)><summary>Messages (\(messages.count))</summary>\(table)\(rest)</details>"
    }

    /// More rows than these hide the next picture, so they are folded.
    private static let openRowsMax = 8

    private static let legend: HTML = """
        <p class="legend">Solid: the figure, with a band where several polls share a column. Dots: the best \
        (or worst) it may really be. Thin: what is usual. Dashes: the limit. Grey: quiet hours and mutes. \
        ▲ sent, ● resolved, ■ summary, ○ held, × dropped.</p>
        """

    private static func names(_ title: String, _ stories: ArraySlice<PlayedApp>) -> HTML? {
        guard !stories.isEmpty else { return nil }
        let names = stories.prefix(namesMax).map(\.key.title).joined(separator: ", ")
        let left = stories.count - namesMax
        let rest: HTML? = left > 0 ? " and \(left) more" : nil
        return "<section><h2>\(title)</h2><p>\(whole: names)\(rest)</p></section>"
    }

    // MARK: two configs

    private func compared(_ other: Other) -> [HTML] {
        let channels = PageFrame.table(
            "Messages for each channel", head: ["channel", "messages", "at night"],
            rows: other.difference.channels.map { count in
                [
                    "\(count.channel)", "\(count.before.messages) → \(count.after.messages)",
                    "\(count.before.atNight) → \(count.after.atNight)",
                ]
            })
        return [
            "<section><h2>Channels <small>this config → \(other.name)</small></h2>\(channels)</section>",
            changes(other), pairs(other),
        ]
    }

    private func changes(_ other: Other) -> HTML {
        guard !other.difference.isEmpty else {
            return "<section><h2>No differences</h2><p>Both configs send the same messages.</p></section>"
        }
        let changes = SharedChange.all(other.difference.changes)
        let namesRules = other.difference.namesRules
        let table = PageFrame.table(
            "Differences", head: ["change", "channels", "this config", other.name],
            rows: changes.prefix(BacktestPage.changesMax).map { change in
                let (before, after) = change.change.records
                return [
                    PageFrame.chip(change.change.name, BacktestPage.tone(change.change)),
                    "\(change.channels.joined(separator: ", "))", side(before, namesRules), side(after, namesRules),
                ]
            }, isWordy: true)
        let left = changes.count - BacktestPage.changesMax
        let rest: HTML? = left > 0 ? #"<p class="legend">… and \#(left) more.</p>"# : nil
        return "<section><h2>Differences</h2>\(table)\(rest)</section>"
    }

    private func side(_ record: DecisionRecord?, _ namesRules: Bool) -> HTML {
        guard let record else { return "—" }
        let rules = namesRules ? ", rule " + record.rules.joined(separator: ", ") : ""
        return """
            \(report.zone.words(record.at)) <b>\(record.kind.rawValue)</b>, \(record.severity.rawValue)\(rules)\
            <br>\(record.message.headline)
            """
    }

    private static func tone(_ change: Difference.Change) -> HTML {
        switch change {
        case .new: "send"
        case .gone: "drop"
        case .moved, .severity: "hold"
        }
    }

    /// The apps that the configs speak of differently, beside each other.
    private func pairs(_ other: Other) -> HTML {
        let changed = Set(
            other.difference.changes.flatMap { change in
                [change.records.before, change.records.after].compactMap(\.self).flatMap { record in
                    record.message.incidents.map { PlayedApp.Key($0.subject) }
                }
            })
        let (old, new) = (PlayedApp.all(report), PlayedApp.all(other.report))
        let counterparts = Dictionary(new.map { ($0.key, $0) }) { first, _ in first }
        let known = Set(old.map(\.key))
        let stories = old + new.filter { !known.contains($0.key) }
        let shown = stories.filter { changed.contains($0.key) }
        let drawn = shown.prefix(BacktestPage.picturesMax / 2).enumerated().map { index, story -> HTML in
            let after = counterparts[story.key] ?? story.emptied
            let before = known.contains(story.key) ? story : story.emptied
            let source = story.key.source
            return """
                <section><h2>\(story.key.title) <small>source \(source)</small></h2>
                <div class="pair">\(figure(before, report, "\(index)a", "This config"))\
                \(figure(after, other.report, "\(index)b", other.name))</div></section>

                """
        }
        let rest = shown.dropFirst(BacktestPage.picturesMax / 2)
        let same = stories.filter { !changed.contains($0.key) }
        return """
            \(drawn)\(drawn.isEmpty ? nil : BacktestPage.legend)\(BacktestPage.names("Not drawn", rest))\
            \(BacktestPage.names("No difference", same[...]))
            """
    }
}
