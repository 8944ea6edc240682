internal import AlertCore
internal import PluginKit

/// What one candidate said of one app, counted while it is said and forgotten then.
struct Tally: Sendable {
    private(set) var messages = 0
    private(set) var atNight = 0
    /// Incidents that were told of.
    private(set) var incidents = 0
    private(set) var brief = 0
    /// Incidents that last, by their id.
    private var open: [String: Detection.Told] = [:]
    /// Those that are over, where somebody wants to hold them against the truth.
    private var over: [Detection.Told] = []

    /// Incidents kept to be held against the truth; what rings oftener in any span is no suggestion.
    static let toldMax = 100

    /// Whether it told of more than is kept.
    var isBeyondMeasure: Bool { incidents > Tally.toldMax }

    mutating func take(_ record: DecisionRecord, about incident: IncidentSummary, isNight: Bool) {
        messages += 1
        if isNight { atNight += 1 }
        guard open[incident.id] == nil, !record.kind.isEnd else { return }
        incidents += 1
        open[incident.id] = Detection.Told(
            app: incident.subject.app, since: incident.since, until: nil, opening: record.at)
    }

    mutating func end(_ incident: Incident, isKept: Bool) {
        guard let told = open.removeValue(forKey: incident.id) else { return }
        if let until = incident.until, until - told.opening <= RuleFigures.briefMax { brief += 1 }
        guard isKept, over.count < Tally.toldMax else { return }
        over.append(Detection.Told(app: told.app, since: told.since, until: incident.until, opening: told.opening))
    }

    /// - Parameters:
    ///   - from: when the first of the app was seen.
    ///   - to: when the last was.
    func detection(_ truth: [TrueIncident], from: Moment, to: Moment) -> Detection {
        let told = over + open.values.sorted { ($0.opening, $0.since) < ($1.opening, $1.since) }
        return Detection(truth, told, from: from, to: to)
    }
}
