internal import AlertCore
public import PluginKit

/// How noisy one rule was over a span, and how quick.
public struct RuleFigures: Hashable, Sendable {
    public let rule: String
    /// Messages about it, over all channels.
    public let messages: Int
    /// Those between 22 and 7 in the bot's zone.
    public let atNight: Int
    /// What it wanted said: each notification counts once for each channel, however often it was held.
    public let notifications: Int
    /// Those of them that a gate held or dropped. What only waited for company and was sent is none of them.
    public let gated: Int
    /// By which gates, by the reasons that these give; what several held counts for each.
    public let gates: [String: Int]
    /// Incidents that at least one channel was told of.
    public let incidents: Int
    /// Those of them that were over within ten minutes of being told; of those that were over before, the ones that had not
    /// lasted for longer.
    public let brief: Int
    /// The longest time without a message, the beginning and the end of the span included.
    public let longestSilence: Duration
    /// How it did against what really happened; nil where nobody said what did.
    public let detection: Detection?

    /// An incident shorter than this was noise, or nothing that people could have done anything about.
    public static let briefMax = Duration.minutes(10)

    /// A decision, and what of it is about one rule: that of a summary is about many.
    struct Said {
        let record: DecisionRecord
        let incidents: [IncidentSummary]
    }

    /// The decisions about each rule, in their order.
    static func said(_ decisions: [DecisionRecord]) -> [String: [Said]] {
        var said: [String: [Said]] = [:]
        for record in decisions {
            for (rule, incidents) in Dictionary(grouping: record.message.incidents, by: \.rule) {
                said[rule, default: []].append(Said(record: record, incidents: incidents))
            }
        }
        return said
    }

    /// - Parameters:
    ///   - said: the decisions about the rule.
    ///   - incidents: those of the rule.
    init(
        _ rule: String, _ said: [Said], _ incidents: [Incident], from: Moment, to: Moment, _ zone: Zone,
        _ truth: [TrueIncident]?
    ) {
        self.rule = rule
        let messages = said.filter(\.record.isMessage)
        let night = Night(zone)
        self.messages = messages.count
        atNight = messages.count { night.covers($0.record.at) }
        let gating = Gating(said)
        notifications = gating.notifications
        gated = gating.gated
        gates = gating.gates
        let openings = messages.reduce(into: [String: Moment]()) { openings, said in
            for incident in said.incidents where openings[incident.id] == nil {
                openings[incident.id] = said.record.at
            }
        }
        let told = incidents.filter { openings[$0.id] != nil }
        self.incidents = told.count
        brief = told.count { incident in
            guard let until = incident.until, let opening = openings[incident.id] else { return false }
            // How long a gate held it says nothing of the rule.
            return until - (opening <= until ? opening : incident.since) <= RuleFigures.briefMax
        }
        let marks = [from] + messages.map(\.record.at) + [max(from, to)]
        longestSilence = zip(marks, marks.dropFirst()).map { $1 - $0 }.max() ?? .zero
        detection = truth.map { truth in
            Detection(
                truth,
                told.compactMap { incident in
                    openings[incident.id].map {
                        Detection.Told(
                            app: incident.subject.app, since: incident.since, until: incident.until, opening: $0)
                    }
                }, from: from, to: to)
        }
    }

    public var json: JSON {
        var object = JSONObject()
        object["rule"] = .string(rule)
        object["messages"] = JSON(messages)
        object["at_night"] = JSON(atNight)
        object["notifications"] = JSON(notifications)
        object["held_or_dropped"] = JSON(gated)
        object["incidents"] = JSON(incidents)
        object["over_within_10m"] = JSON(brief)
        object["longest_silence"] = .string(longestSilence.grammar)
        object["detection"] = detection?.json
        return .object(object)
    }
}

/// How a rule did against what really happened.
public struct Detection: Hashable, Sendable {
    /// A true incident and how long the first message about it took; nil when it was never told of.
    public struct Case: Hashable, Sendable {
        public let incident: TrueIncident
        public let delay: Duration?
    }

    public let cases: [Case]
    /// True incidents that were over before the span or began after it: nobody could have told of them.
    public let leftOut: Int
    /// Incidents that were told of while nothing was wrong with their app.
    public let falseAlarms: Int

    /// An incident that was told of.
    struct Told: Hashable, Sendable {
        let app: String
        let since: Moment
        /// Nil while it lasts.
        let until: Moment?
        /// When the first message was.
        let opening: Moment
    }

    /// - Parameters:
    ///   - truth: what really happened, whenever.
    ///   - told: what was told of in the span that begins with `from` and ends with `to`.
    init(_ truth: [TrueIncident], _ told: [Told], from: Moment, to: Moment) {
        let within = truth.filter { $0.span.from <= to && from <= $0.span.to }
        leftOut = truth.count - within.count
        let apps = Dictionary(grouping: told, by: \.app).mapValues { told in
            Stretches(told.map { (from: $0.opening, to: $0.until ?? .latest) })
        }
        cases = within.map { known in
            let told = apps[known.app] ?? Stretches([])
            let first = told.firstBegin(from: known.span.from).flatMap { $0 <= known.span.to ? $0 : nil }
            // What was told of before it began and still holds has told of it, too.
            let standing = told.anyLasts(beyond: known.span.from, begunBefore: known.span.from)
            return Case(incident: known, delay: standing ? .zero : first.map { $0 - known.span.from })
        }
        let troubles = Dictionary(grouping: truth, by: \.app).mapValues { truth in
            Stretches(truth.map { (from: $0.span.from, to: $0.span.to) })
        }
        falseAlarms = told.count { incident in
            let until = incident.until ?? .latest
            return troubles[incident.app]?.anyLasts(beyond: incident.since, begunBefore: until) != true
        }
    }

    public var found: Int { cases.count { $0.delay != nil } }

    /// The delay that half of those found kept within; nil when none was found.
    public var medianDelay: Duration? {
        let delays = cases.compactMap(\.delay).sorted()
        return delays.isEmpty ? nil : delays[(delays.count - 1) / 2]
    }

    /// How soon, as the end of a phrase; empty where nothing was found.
    public var delayWords: String {
        medianDelay.map { found == 1 ? ", after \($0.short)" : ", half of them within \($0.short)" } ?? ""
    }

    /// What was left out, as the end of a sentence; empty where nothing was.
    public var leftOutWords: String {
        leftOut == 0 ? "" : "; \(leftOut.counted("incident")) outside the replayed span left out"
    }

    var json: JSON {
        [
            "incidents": JSON(cases.count), "found": JSON(found), "median_delay": JSON(medianDelay?.grammar),
            "false_alarms": JSON(falseAlarms), "left_out": JSON(leftOut),
            "cases": .array(
                cases.map {
                    [
                        "app": .string($0.incident.app), "from": JSON($0.incident.span.from),
                        "to": JSON($0.incident.span.to), "delay": JSON($0.delay?.grammar),
                    ]
                }),
        ]
    }
}
