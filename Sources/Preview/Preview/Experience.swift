public import AlertCore
public import PluginKit

/// What a config makes of a stretch of the past, in a few figures: for a look at a config before it is used.
public struct Experience: Sendable {
    public let from: Moment
    public let to: Moment
    public let zone: Zone
    /// What each rule could judge and what it could not, in the order of the config.
    public let outlooks: [RuleOutlook]
    /// Incidents that no route leads to a channel.
    public let unrouted: Int
    /// In the order of the config.
    public let rules: [RuleMessages]
    /// Detectors that no figures of the stretch concern.
    public let unmatched: [String]
    /// Why figures of the stretch were left out.
    public let leftOut: Unplayed

    /// How much one rule would have said.
    public struct RuleMessages: Hashable, Sendable {
        public let rule: String
        /// Over all channels.
        public let messages: Int
        /// Nil where the stretch is too short to tell.
        public let perWeek: Double?

        public var text: String {
            messages.counted("message")
                + (perWeek.map { ", \((($0 * 10).rounded() / 10).plain) a week" } ?? "")
        }
    }

    /// Of less than a day nothing is said of a week.
    private static let weekLeast = Duration.days(1)

    fileprivate init(_ report: BacktestReport, unmatched: [String], leftOut: Unplayed) {
        from = report.from
        to = report.to
        zone = report.zone
        self.unmatched = unmatched
        self.leftOut = leftOut
        outlooks = report.preview.outlooks
        unrouted = report.preview.unrouted.count
        let length = report.to - report.from
        let weeks = length.inSeconds / Duration.days(7).inSeconds
        rules = report.rules.map { rule in
            RuleMessages(
                rule: rule.rule, messages: rule.messages,
                perWeek: length < Experience.weekLeast ? nil : Double(rule.messages) / weeks)
        }
    }

    public var json: JSON {
        [
            "from": JSON(from), "to": JSON(to),
            "rules": .array(
                rules.map {
                    ["name": .string($0.rule), "messages": JSON($0.messages), "messages_per_week": JSON($0.perWeek)]
                }),
            "unmatched_rules": .array(unmatched.map(JSON.string)), "unrouted": JSON(unrouted),
        ]
    }

    /// An experience being made.
    public struct Intake: Sendable {
        private var playback: Playback
        private var unmatched: [DetectorPlan]

        public init(_ plan: Plan) {
            playback = Playback(plan, gathersOutlook: true)
            unmatched = plan.detectors
        }

        /// Takes in what one source saw at one moment.
        public mutating func feed(_ batch: ObservationReader.Batch) {
            if !unmatched.isEmpty {
                for case .observed(let observation) in batch.lines {
                    unmatched.removeAll { $0.watches(observation.subject, labels: observation.labels) }
                }
            }
            playback.feed(batch)
        }

        /// - Returns: nil when nothing came.
        public consuming func finish(channels: [String: any Channel]) -> Experience? {
            guard playback.lineCount > 0 else { return nil }
            let unmatched = self.unmatched.map(\.name)
            let preview = playback.finish(now: .earliest)
            return Experience(
                BacktestReport(preview, channels: channels), unmatched: unmatched, leftOut: preview.leftOut)
        }
    }
}
