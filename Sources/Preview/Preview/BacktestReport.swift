public import AlertCore
public import PluginKit

/// What a config would have said over a span, with the figures that tell noise from news.
public struct BacktestReport: Sendable {
    public let from: Moment
    public var to: Moment { preview.now }
    public let zone: Zone
    public let preview: PreviewReport
    /// In the order of the config; rules that said nothing too. The bot's own troubles come last, if there were any.
    public let rules: [RuleFigures]
    /// In the order of the config.
    public let channels: [ChannelFigures]
    /// What rules thought over time, where the preview was asked to keep it.
    public let traces: Traces?
    /// When gates were closed by the calendar.
    public let closures: [GateClosures]
    /// Whether there are several rules, so that a message alone does not tell which it is of.
    public let namesRules: Bool

    /// A gate and when it was closed.
    public struct GateClosures: Hashable, Sendable {
        public let name: String
        /// The channels that it was closed to; none for all of them.
        public let channels: [String]
        public let spans: [TimeSpan]
    }

    /// What one channel would have heard.
    public struct ChannelFigures: Hashable, Sendable {
        public let name: String
        public let messages: Int
        public let atNight: Int
    }

    /// Spans of one gate looked at: ten years of nights.
    private static let closuresMax = 4000

    /// - Parameters:
    ///   - truth: what really happened, if somebody knows.
    ///   - channel: only what concerns this channel; nil for all.
    public init(
        _ preview: Preview, channels: [String: any Channel], truth: [TrueIncident]? = nil, only channel: String? = nil
    ) {
        from = preview.start
        zone = preview.plan.zone
        let report = PreviewReport(preview, channels: channels, only: channel)
        self.preview = report
        traces = preview.traces
        let plan = preview.plan
        let said = RuleFigures.said(report.decisions)
        let known = plan.detectors.map(\.name)
        namesRules = known.count > 1
        let others = Set(said.keys).subtracting(known).sorted()
        let span = (preview.start, preview.now)
        let incidents = Dictionary(grouping: report.incidents, by: \.rule)
        rules = (known + others).map { name in
            RuleFigures(
                name, said[name] ?? [], incidents[name] ?? [], from: span.0, to: span.1, plan.zone, truth)
        }
        let night = Night(plan.zone)
        let sent = Dictionary(grouping: report.decisions.filter(\.isMessage), by: \.channel)
        self.channels = plan.channels.filter { channel == nil || $0.name == channel }.map { channel in
            let messages = sent[channel.name] ?? []
            return ChannelFigures(
                name: channel.name, messages: messages.count, atNight: messages.count { night.covers($0.at) })
        }
        closures = plan.gates.compactMap { gate in
            guard let calendar = gate.calendar else { return nil }
            let spans = calendar.schedule(from: span.0, count: BacktestReport.closuresMax)
            return GateClosures(
                name: gate.name, channels: calendar.channels, spans: spans.filter { $0.from < span.1 })
        }
    }

    /// The messages that would have been sent, in their order.
    public var messages: [DecisionRecord] { preview.decisions.filter(\.isMessage) }

    /// What held or dropped something and how much, the busiest gate first, in a phrase; nil where nothing did.
    public var gatesWords: String? {
        let counts = rules.reduce(into: [String: Int]()) { $0.merge($1.gates, uniquingKeysWith: +) }
        guard !counts.isEmpty else { return nil }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }

    /// The preview's JSON, and a `figures` object.
    public var json: JSON {
        guard case .object(var object) = preview.json else { return preview.json }
        object["figures"] = [
            "from": JSON(from), "to": JSON(to), "rules": .array(rules.map(\.json)),
            "channels": .array(
                channels.map {
                    ["channel": .string($0.name), "messages": JSON($0.messages), "at_night": JSON($0.atNight)]
                }),
        ]
        return .object(object)
    }
}

/// The hours in which nobody wants to be woken: 22 to 7, on the clock of the bot's zone.
public struct Night: Sendable {
    private let zone: Zone

    public init(_ zone: Zone) { self.zone = zone }

    public func covers(_ moment: Moment) -> Bool {
        let hour = zone.civil(moment).hour
        return hour >= 22 || hour < 7
    }
}

extension DecisionRecord {
    /// Whether it became a message.
    public var isMessage: Bool { decision == .send }

    /// The rules that it is about: one, or for a summary each of them.
    public var rules: [String] {
        var seen: Set<String> = []
        return message.incidents.map(\.rule).filter { seen.insert($0).inserted }
    }
}
