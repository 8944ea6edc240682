internal import AlertCore
public import PluginKit

/// What is proposed for one app, with what it would have said.
public struct AppSuggestion: Sendable {
    public let app: String
    public let from: Moment
    public let to: Moment
    public let floor: Floor?
    public let drop: Drop?
    /// What people should know of the history, and why something is not proposed.
    public let notes: [String]

    /// What a setting would have said by itself, over the whole span.
    public struct Figures: Hashable, Sendable {
        public let messages: Int
        /// Those between 22 and 7 in the bot's zone.
        public let atNight: Int
        public let incidents: Int
        /// Those of them that were over within ten minutes of being told.
        public let brief: Int
        /// How it did against what really happened; nil where nobody said what did.
        public let detection: Detection?
    }

    /// Limits for a `threshold`.
    public struct Floor: Hashable, Sendable {
        public let warning: Comparison
        /// Nil where nothing that never rang is twice as bad.
        public let critical: Comparison?
        public let figures: Figures
    }

    /// Settings for a `drop`.
    public struct Drop: Hashable, Sendable {
        public let by: String
        public let falseAlarms: String
        public let figures: Figures
    }

    /// A month, in days: what is proposed would have rung about once in it.
    static let monthDays = 30.0
    /// Below this, nothing is proposed: the figures of a day say little of the next one.
    static let leastLength = Duration.days(2)
    /// What a drop needs before it judges at all, and what it needs to judge well.
    private static let dropLeast = Duration.days(3)
    private static let dropWell = Duration.days(22)
    /// How much worse than usual a limit must be, so that the app's ordinary hours are inside it.
    private static let usualMargin = 1.5
    /// How much worse than the warning a critical limit is.
    private static let criticalStep = 2.0
    /// The share of spans that must have enough users, or a threshold would be silent nearly always.
    private static let judgedLeast = 0.1

    init(_ app: String, _ past: AppPast, _ metric: String, _ candidates: [Candidate], _ truth: [TrueIncident]?) {
        self.app = app
        from = past.first
        to = past.last
        let noun = Metric(metric).denominator?.name ?? "cases"
        let volume = past.volume
        let days = past.length.inSeconds / 86_400
        let allowed = Int((days / AppSuggestion.monthDays).rounded())
        var notes: [String] = []
        var tried: [(candidate: Candidate, figures: Figures)] = []
        for (candidate, tally) in zip(candidates, past.tallies) where !tally.isBeyondMeasure {
            tried.append((candidate, Figures(tally, truth, from: past.first, to: past.last)))
        }
        guard volume.counted > 0 else {
            self.notes = ["no span gives the number of \(noun) behind \(metric)"]
            (floor, drop) = (nil, nil)
            return
        }
        guard past.length >= AppSuggestion.leastLength else {
            self.notes = [
                "only \(past.length.short) of history; suggestions need at least \(AppSuggestion.leastLength.short)"
            ]
            (floor, drop) = (nil, nil)
            return
        }
        if days < AppSuggestion.monthDays {
            notes.append(
                "\(past.length.short) of history is too little to show what fires once a month: "
                    + "what is proposed \(allowed == 0 ? "never fired in it" : "fired in it at most once")")
        }
        if volume.judged * 2 < volume.counted {
            notes.append(
                "\(volume.counted - volume.judged) of \(volume.counted) spans have fewer than "
                    + "\(Int(AppPast.volumeMin)) "
                    + "\(noun)\(Metric(metric).adds ? " in an hour" : ""); a longer 'window' or 'widen_to' "
                    + "gathers more"
            )
        }
        floor = AppSuggestion.floor(tried, volume, allowed, noun, &notes)
        drop = AppSuggestion.drop(tried, past, allowed, &notes)
        self.notes = notes
    }

    private static func floor(
        _ tried: [(candidate: Candidate, figures: Figures)], _ volume: AppPast.Volume, _ allowed: Int, _ noun: String,
        _ notes: inout [String]
    ) -> Floor? {
        guard Double(volume.judged) >= judgedLeast * Double(volume.counted) else {
            notes.append("no limit is proposed: a threshold would hardly ever have enough \(noun) to judge")
            return nil
        }
        let usual = volume.spread.usual
        let limits = tried.compactMap { entry -> (limit: Comparison, bad: Double, figures: Figures)? in
            guard case .floor(let limit) = entry.candidate.setting, let bad = entry.candidate.badRate else {
                return nil
            }
            return (limit, bad, entry.figures)
        }
        let ordinary = limits.filter { $0.bad >= usual * usualMargin }
        guard !ordinary.isEmpty else {
            notes.append(
                "no limit is proposed: \((1 - usual).percent) is usual, too close to every limit tried")
            return nil
        }
        guard let warning = ordinary.first(where: { $0.figures.alarms <= allowed }) else {
            notes.append("no limit is proposed: every limit tried fired more than once a month")
            return nil
        }
        let critical = limits.first { $0.bad >= warning.bad * criticalStep && $0.figures.alarms == 0 }
        return Floor(warning: warning.limit, critical: critical?.limit, figures: warning.figures)
    }

    private static func drop(
        _ tried: [(candidate: Candidate, figures: Figures)], _ past: AppPast, _ allowed: Int, _ notes: inout [String]
    ) -> Drop? {
        guard past.length >= dropLeast, past.volume.short > 0 else {
            notes.append(
                past.volume.short > 0
                    ? "no drop is proposed: it needs \(dropLeast.short) of history before it judges"
                    : "no drop is proposed: it needs spans of at most an hour")
            return nil
        }
        for (candidate, figures) in tried {
            guard case .drop(let by, let falseAlarms) = candidate.setting, figures.alarms <= allowed else { continue }
            if past.length < dropWell {
                notes.append(
                    "a drop judges well with three weeks of history; with less it is slower, so it may fire more often "
                        + "later")
            }
            return Drop(by: by, falseAlarms: falseAlarms, figures: figures)
        }
        notes.append("no drop is proposed: every setting tried fired more than once a month")
        return nil
    }
}

extension AppSuggestion.Figures {
    init(_ tally: Tally, _ truth: [TrueIncident]?, from: Moment, to: Moment) {
        messages = tally.messages
        atNight = tally.atNight
        incidents = tally.incidents
        brief = tally.brief
        detection = truth.map { tally.detection($0, from: from, to: to) }
    }

    /// Incidents that were told of though nothing was wrong; without the truth, all of them may be such.
    var alarms: Int { detection?.falseAlarms ?? incidents }

    var json: JSON {
        [
            "messages": JSON(messages), "at_night": JSON(atNight), "incidents": JSON(incidents),
            "over_within_10_min": JSON(brief),
            "detection": detection.map {
                [
                    "incidents": JSON($0.cases.count), "found": JSON($0.found),
                    "median_delay": JSON($0.medianDelay?.grammar), "false_alarms": JSON($0.falseAlarms),
                    "left_out": JSON($0.leftOut),
                ]
            } ?? .null,
        ]
    }

    /// The figures in one line.
    var text: String {
        var text =
            "\(messages.counted("message")), \(atNight) at night, \(incidents.counted("incident")), "
            + "\(brief) over within 10 min"
        if let detection {
            text +=
                "; found \(detection.found) of \(detection.cases.count)"
                + detection.delayWords
                + ", \(detection.falseAlarms.counted("false alarm"))" + detection.leftOutWords
        }
        return text
    }
}
