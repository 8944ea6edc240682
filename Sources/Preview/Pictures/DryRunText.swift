internal import AlertCore
internal import PluginKit
public import Preview

/// A preview as people see it in a terminal: each message as its chat shows it, what is held or dropped and why, and
/// when sources are polled next.
public struct DryRunText {
    private let report: PreviewReport
    private let width: Int?

    /// - Parameter width: of the terminal, in columns; nil where lines may be as long as they like.
    public init(_ report: PreviewReport, width: Int?) {
        self.report = report
        self.width = width.map { min(max($0, DryRunText.widthMin), DryRunText.widthMax) }
    }

    /// Narrower than any phone's terminal.
    private static let widthMin = 20
    /// Longer lines are hard to read.
    private static let widthMax = 100
    /// How far a title's line goes where nobody counts.
    private static let ruleWidth = 63

    public var lines: [TerminalLine] {
        var parts: [[TerminalLine]] = []
        for channel in report.channelNames {
            parts.append([title(channel)])
            parts += report.decisions.filter { $0.channel == channel }.map(entry)
        }
        if !report.queuedBefore.isEmpty {
            parts.append([TerminalLine("Waiting from before", .bold)])
            parts += report.queuedBefore.map(entry)
        }
        if report.isSilent { parts.append([TerminalLine("Nothing would be sent.")]) }
        if !report.outlooks.isEmpty {
            parts.append(
                [TerminalLine(OutlookText.title, .bold)]
                    + OutlookText.lines(report.outlooks).flatMap { line in
                        let indent = 2 + line.prefix { $0 == " " }.count
                        return TerminalLine.wrapped([TerminalLine.Piece(line.trimmed)], to: width.map { $0 - indent })
                            .map { TerminalLine(String(repeating: " ", count: indent)) + $0 }
                    })
        }
        let unrouted = report.unrouted.filter(\.isOpen)
        if !unrouted.isEmpty {
            parts.append(
                [TerminalLine("Firing, but not routed to any channel", .bold)]
                    + unrouted.flatMap {
                        indented("\($0.subject.app): \($0.evidence.sentence) (rule \($0.rule))")
                    })
        }
        if !report.heldBefore.isEmpty {
            parts.append(
                [TerminalLine("Held before", .bold)]
                    + report.heldBefore.flatMap {
                        indented("\($0.incident.subject.app): \(report.words(for: $0)), rule \($0.incident.rule)")
                    })
        }
        let pending = report.incidents.filter { $0.state == .pending }
        if !pending.isEmpty {
            parts.append(
                [TerminalLine("Pending, not sent yet", .bold)]
                    + pending.flatMap { incident in
                        indented(
                            "\(incident.subject.app): \(incident.evidence.sentence) (rule \(incident.rule), "
                                + "since \(report.zone.words(incident.since)))")
                    })
        }
        if !report.polls.isEmpty {
            parts.append(
                [TerminalLine("Next polls", .bold)]
                    + report.polls.flatMap { indented("\($0.source): \(report.words(for: $0))") })
        }
        if let watch = report.watch { parts.append(TerminalLine.wrapped([TerminalLine.Piece(watch.tamed)], to: width)) }
        let summary =
            "At \(report.zone.words(report.now)): \(report.summary). This was a preview: nothing was sent."
        parts.append(TerminalLine.wrapped([TerminalLine.Piece(summary, .dim)], to: width))
        return Array(parts.joined(separator: [TerminalLine()]))
    }

    private func title(_ channel: String) -> TerminalLine {
        let chat = report.decisions.first { $0.channel == channel }.map { report.picture($0).chat.title } ?? ""
        let text = "── \(channel) · \(chat) "
        let missing = max(0, (width ?? DryRunText.ruleWidth) - text.columns)
        return TerminalLine(text + String(repeating: "─", count: missing), .bold)
    }

    private func entry(_ record: DecisionRecord) -> [TerminalLine] {
        let (verdict, ink): (String, TerminalLine.Ink) =
            switch record.decision {
            case .send: ("send", .of(.green))
            case .hold: ("hold", .of(.yellow))
            case .drop: ("drop", .of(.red))
            }
        let (at, until) = report.times(of: record)
        let line =
            TerminalLine("\(at) ", .dim) + TerminalLine(verdict, ink)
            + TerminalLine("\(until.map { " until \($0)" } ?? "") (\(record.reason))")
        let head = TerminalLine.wrapped(line.pieces, to: width)
        guard case .send = record.decision else {
            return head + indented(record.message.headline)
        }
        let picture = drawn(report.picture(record), record.message)
        let trial = report.trial(record)?.sentence(in: report.zone).map { sentence in
            TerminalLine.wrapped([TerminalLine.Piece(sentence.tamed, .of(.yellow))], to: width.map { $0 - 2 })
        }
        return head + ((trial ?? []) + picture).map { TerminalLine("  ") + $0 }
    }

    /// A message that waited before, as it looks in its chat.
    private func entry(_ queued: QueuedMessage) -> [TerminalLine] {
        indented("\(queued.channel): \(report.words(for: queued))")
            + drawn(report.picture(queued), queued.delivery.message).map { TerminalLine("  ") + $0 }
    }

    /// A program's payload is `--format payload`; here is what it says.
    private func drawn(_ picture: ChatPicture, _ message: Message) -> [TerminalLine] {
        TerminalPicture(width: width.map { $0 - 2 }).lines(picture.chat == .program ? ChatPicture(message) : picture)
    }

    private func indented(_ text: String) -> [TerminalLine] {
        TerminalLine.wrapped([TerminalLine.Piece(text.tamed)], to: width.map { $0 - 2 }).map { TerminalLine("  ") + $0 }
    }
}

extension PreviewReport {
    /// The channels that something is decided for, in the order of their first decision.
    var channelNames: [String] {
        decisions.reduce(into: []) { names, record in
            if !names.contains(record.channel) { names.append(record.channel) }
        }
    }

    /// Whether there is nothing that would be sent, and nothing that was decided.
    var isSilent: Bool { decisions.isEmpty && queuedBefore.isEmpty }

    /// When a source is polled next, and why then.
    func words(for poll: NextPoll) -> String {
        guard let at = poll.at else { return poll.stopped.map { "no longer polled: \($0)" } ?? "not polled yet" }
        let why =
            poll.reasons.isEmpty
            ? "every \(poll.every.grammar)"
            : poll.reasons.map { "\($0.rawValue): \($0.meaning)" }.joined(separator: "; ")
        return "\(zone.words(at)), in \(max(at - now, .zero).short) (\(why))"
    }
}

extension PollReason {
    fileprivate var meaning: String {
        switch self {
        case .near: "a figure is close to a limit, or an incident is pending"
        case .failing: "the last polls failed"
        case .unchanged: "the same answer again"
        case .calm: "every figure is far from every limit"
        case .idle: "nobody would be notified"
        case .lowPower: "the machine is low on power"
        case .told: "the service asked to wait"
        }
    }
}

extension DecisionRecord {
    /// When what is held will be checked again, if that is known.
    fileprivate var knownUntil: Moment? {
        if case .hold(let until) = decision { until.ifKnown } else { nil }
    }
}

extension PreviewReport {
    /// When a decision was made, and when what it holds will be checked again, if that is known; with their seconds where
    /// both are in one minute.
    func times(of record: DecisionRecord) -> (at: String, until: String?) {
        guard let until = record.knownUntil else { return (zone.words(record.at), nil) }
        let words = (zone.words(record.at), zone.words(until, readAt: record.at))
        guard words.0 == words.1 else { return words }
        func exact(_ moment: Moment) -> String {
            "\(zone.wall(moment, readAt: record.at)):\(zone.civil(moment).second.padded(2)) \(zone.abbreviation(at: moment))"
        }
        return (exact(record.at), exact(until))
    }
}

extension ChatPicture.Chat {
    /// What people call it.
    var title: String {
        switch self {
        case .slack: "Slack"
        case .matrix: "Matrix"
        case .discord: "Discord"
        case .teams: "Teams"
        case .mattermost: "Mattermost"
        case .rocketchat: "Rocket.Chat"
        case .googleChat: "Google Chat"
        case .pagerduty: "PagerDuty"
        case .telegram: "Telegram"
        case .email: "e-mail"
        case .ntfy: "ntfy"
        case .page: "the bot's own page"
        case .terminal: "standard output"
        case .program: "for a program"
        }
    }
}
