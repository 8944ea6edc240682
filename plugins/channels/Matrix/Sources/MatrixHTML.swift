internal import PluginKit

/// A message in the HTML that Matrix allows: few tags, no styles, colours only on spans.
///
/// No tables: some clients run their cells together.
enum MatrixHTML {
    static func of(_ message: Message, headline: String) -> String {
        let color = color(of: message)
        let title =
            "<p><strong><span data-mx-color=\"\(color)\">"
            + headline.html(to: MatrixLimits.headlineMax) + "</span></strong></p>"
        let facts = facts(message.facts)
        let reason = paragraph(message.reason.html(to: MatrixLimits.reasonMax)) { "<b>Why:</b> \($0)" }
        let sparkline = paragraph((message.sparkline ?? "").html(to: MatrixLimits.sparklineMax)) {
            "<b>Last day:</b> <code>\($0)</code>"
        }
        let links = links(message.links)
        let footer = paragraph(message.footer.html(to: MatrixLimits.footerMax)) {
            "<span data-mx-color=\"\(footerColor)\">\($0)</span>"
        }
        // What can be long gets what the rest leaves; the issues first, because they say where to look.
        var room = MatrixLimits.htmlMax - (title + facts + reason + sparkline + links + footer).wireCost
        let issues = list("<p><b>Top issues</b></p>", message.issues.map(row), room: &room)
        let lines = list("", message.lines.map { $0.html(to: MatrixLimits.lineMax) }, room: &room)
        return title + facts + lines + reason + issues + sparkline + links + footer
    }

    private static func color(of message: Message) -> String {
        switch (message.kind, message.severity) {
        case (.resolved, _): "#2DA44E"
        case (_, .critical): "#B00020"
        case (_, .warning): "#F2A600"
        case (_, .info): "#2F81F7"
        }
    }

    /// Grey enough to step back on a dark ground as on a light one.
    private static let footerColor = "#808080"

    private static func paragraph(_ text: String, _ dress: (String) -> String) -> String {
        text.isEmpty ? "" : "<p>\(dress(text))</p>"
    }

    private static func facts(_ facts: [Message.Fact]) -> String {
        let rows = facts.prefix(MatrixLimits.factsMax).compactMap { fact -> String? in
            let label = fact.label.html(to: MatrixLimits.factLabelMax)
            let value = fact.value.html(to: MatrixLimits.factValueMax)
            return label.isEmpty && value.isEmpty ? nil : "<b>\(label):</b> \(value)"
        }
        return paragraph(rows.joined(separator: "<br />")) { $0 }
    }

    private static func links(_ links: [Message.Link]) -> String {
        var text = ""
        for link in links {
            guard let anchor = anchor(link.title.html(to: MatrixLimits.linkTitleMax), link.url) else { continue }
            let longer = text.isEmpty ? anchor : "\(text) · \(anchor)"
            if longer.wireCost <= MatrixLimits.linksMax { text = longer }
        }
        return paragraph(text) { $0 }
    }

    private static func row(_ issue: Message.IssueLine) -> String {
        let written = issue.title.html(to: MatrixLimits.issueTitleMax)
        let title = written.isEmpty ? "(without a title)" : written
        let detail = issue.detail.html(to: MatrixLimits.issueDetailMax)
        return (issue.url.flatMap { anchor(title, $0) } ?? title) + (detail.isEmpty ? "" : " — \(detail)")
    }

    /// Nil when the address is none that a person should be led to, or longer than the limit.
    private static func anchor(_ title: String, _ url: String) -> String? {
        let scheme = url.prefix(8).lowercased()
        guard scheme.hasPrefix("https://") || scheme.hasPrefix("http://") else { return nil }
        guard url.utf8.count <= MatrixLimits.linkURLMax else { return nil }
        let address = url.tamed.html(to: .max)
        return "<a href=\"\(address)\">\(title.isEmpty ? "link" : title)</a>"
    }

    /// As many rows as there is room for, and how many are left out.
    private static func list(_ title: String, _ rows: [String], room: inout Int) -> String {
        /// What the last row and the tags around the list need at most.
        let restMax = 100
        guard !rows.isEmpty, title.wireCost + 2 * restMax <= room else { return "" }
        room -= title.wireCost + restMax
        var items = ""
        for (index, row) in rows.enumerated() {
            let item = "<li>\(row)</li>"
            guard item.wireCost <= room else {
                items += "<li>… and \(rows.count - index) more</li>"
                break
            }
            room -= item.wireCost
            items += item
        }
        return "\(title)<ul>\(items)</ul>"
    }
}

extension String {
    /// The text on one line, without what could deceive a reader, cut to the limit and escaped; the limit is in bytes
    /// of the JSON.
    fileprivate func html(to limit: Int) -> String {
        tamed.trimmed.fitted(to: limit) { $0.escaped.wireCost }.escaped
    }

    private var escaped: String {
        // Most texts hold none of them.
        guard utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
