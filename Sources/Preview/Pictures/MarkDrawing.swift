internal import AlertCore
internal import Charts
internal import Markup
internal import PluginKit
internal import Preview

/// What stands at a time or lasts for one: closed gates, incidents, messages. What would share a column is one mark.
struct MarkDrawing {
    let time: TimeAxis
    let zone: Zone
    /// By the ids of incidents.
    let worst: [String: Severity]

    // MARK: what lasts

    /// Shades over everything while a gate is closed by the calendar.
    func closures(_ closures: [BacktestReport.GateClosures], top: Double, bottom: Double) -> [HTML] {
        closures.compactMap { gate -> HTML? in
            let height = bottom - top
            let path = merged(gate.spans.map { ($0.from, $0.to) }).map { stretch -> HTML in
                let width = stretch.to - stretch.from
                return "M\(stretch.from),\(top)h\(width)v\(height)h\(-width)Z"
            }
            let whom = gate.channels.isEmpty ? "" : ", in \(gate.channels.listed)"
            return path.isEmpty ? nil : #"<path class="q" d="\#(path)"><title>\#(gate.name + whom)</title></path>"#
        }
    }

    /// A tint over the figures while an incident lasts.
    func troubles(_ incidents: [Incident], top: Double, bottom: Double) -> [HTML] {
        stretches(incidents).map { severity, stretch, _ in
            """
            <rect class="\(HTML.tone(severity)) i" x="\(stretch.from)" y="\(top)" width="\(stretch.to - stretch.from)" \
            height="\(bottom - top)"/>
            """
        }
    }

    /// Bars in the lane of incidents.
    func incidents(_ incidents: [Incident], y: Double, height: Double) -> [HTML] {
        stretches(incidents).map { severity, stretch, words in
            """
            <rect class="\(HTML.tone(severity))" x="\(stretch.from)" y="\(y + height * 0.3)" \
            width="\(stretch.to - stretch.from)" height="\(height * 0.4)" rx="2"><title>\(words)</title></rect>
            """
        }
    }

    private struct Stretch {
        var from: Double
        var to: Double
        var count = 1
    }

    private func stretches(_ incidents: [Incident]) -> [(Severity, Stretch, String)] {
        Severity.allCases.flatMap { severity in
            let own = incidents.filter { (worst[$0.id] ?? $0.severity) == severity }
            let spans = own.map { ($0.since, $0.until ?? time.to) }
            return merged(spans).map { stretch in
                let first = own.first { time.x($0.since) >= stretch.from - 0.01 && time.x($0.since) <= stretch.to }
                let words =
                    stretch.count > 1
                    ? "\(stretch.count) incidents, \(severity.rawValue)"
                    : first.map { incident in
                        // At its end the figures are fine again: they are not what it was about.
                        let evidence = incident.worst.figure == nil ? incident.evidence : incident.worst
                        return "\(incident.rule), \(severity.rawValue), since \(zone.words(incident.since)): "
                            + evidence.sentence
                    }
                return (severity, stretch, words ?? severity.rawValue)
            }
        }
    }

    /// The spans in the order of time, those that touch on a screen as one, none narrower than a column.
    private func merged(_ spans: [(from: Moment, to: Moment)]) -> [Stretch] {
        var result: [Stretch] = []
        for span in spans.sorted(by: { $0.from < $1.from }) where span.to > time.from && span.from < time.to {
            let from = time.x(span.from)
            let to = max(time.x(span.to), from + AppPicture.column)
            if let last = result.indices.last, from <= result[last].to + 0.5 {
                result[last].to = max(result[last].to, to)
                result[last].count += 1
            } else {
                result.append(Stretch(from: from, to: to))
            }
        }
        return result
    }

    // MARK: messages

    /// A sign for each message: up for trouble, a disc for its end, a square for a summary; a ring for what was held, a
    /// cross for what was dropped.
    func messages(_ records: [DecisionRecord], y: Double, height: Double) -> [HTML] {
        var places: [(x: Double, records: [DecisionRecord])] = []
        for record in records {
            let x = time.x(record.at)
            if let last = places.indices.last, x - places[last].x < 3 * AppPicture.column {
                places[last].records.append(record)
            } else {
                places.append((x, [record]))
            }
        }
        return places.compactMap { place in
            // Of several, what says the most: sent before held before dropped, and the worst of those.
            let loudest = place.records.max { ($0.loudness, $0.severity) < ($1.loudness, $1.severity) }
            return loudest.map { "\(sign($0, place.x, y + height / 2, words(place.records)))" }
        }
    }

    private func words(_ records: [DecisionRecord]) -> String {
        let shown = records.prefix(3).map {
            "\(zone.words($0.at)) \($0.kind.rawValue), \($0.decision.name) (\($0.reason)): \($0.message.headline)"
        }
        let rest = records.count - shown.count
        return shown.joined(separator: " — ") + (rest > 0 ? " — and \(rest) more" : "")
    }

    private func sign(_ record: DecisionRecord, _ x: Double, _ y: Double, _ words: String) -> HTML {
        switch record.decision {
        case .hold: #"<circle class="h" cx="\#(x)" cy="\#(y)" r="4"><title>\#(words)</title></circle>"#
        case .drop:
            #"<path class="n" d="M\#(x - 4),\#(y - 4)l8,8m0,-8l-8,8"><title>\#(words)</title></path>"#
        case .send:
            switch record.kind {
            case .resolved:
                #"<circle class="resolved" cx="\#(x)" cy="\#(y)" r="5"><title>\#(words)</title></circle>"#
            case .closed:
                #"<circle class="closed" cx="\#(x)" cy="\#(y)" r="5"><title>\#(words)</title></circle>"#
            case .digest, .acknowledged:
                #"<path class="digest" d="M\#(x - 4.5),\#(y - 4.5)h9v9h-9Z"><title>\#(words)</title></path>"#
            case .opened, .escalated, .reminder, .revised, .test:
                """
                <path class="\(HTML.tone(record.severity))" d="M\(x),\(y - 6)l6,11h-12Z"><title>\(words)</title></path>
                """
            }
        }
    }
}

extension DecisionRecord {
    fileprivate var loudness: Int {
        switch decision {
        case .send: kind.isEnd ? 2 : 3
        case .hold: 1
        case .drop: 0
        }
    }
}

extension HTML {
    /// The class of a severity.
    static func tone(_ severity: Severity) -> HTML { "\(severity.rawValue)" }
}
