public import PluginKit

extension State {
    /// The open incidents for which a config has no place any more, and why: they end with it.
    public func outdatedIncidents(under plan: Plan) -> [(incident: Incident, why: String)] {
        incidents.inOrder.filter(\.isOpen).compactMap { incident in
            whyOutdated(incident, under: plan).map { (incident, $0.english) }
        }
    }

    /// Why a config has no place any more for an incident; nil where it has one.
    func whyOutdated(_ incident: Incident, under plan: Plan) -> Phrase? {
        let name = incident.subject.source
        if let trouble = Trouble(rawValue: incident.rule) {
            let isKnown =
                switch trouble {
                case .channelFailing: plan.channel(name) != nil
                case .sourceFailing, .sourceStopped: plan.source(name) != nil
                case .templateFailing:
                    plan.channel(name)?.template != nil || plan.detector(name)?.template != nil
                case .journalFailing, .configRefused, .clockStepped: true
                }
            let id = trouble == .templateFailing ? PhraseID.closedTemplate : .closedName
            return isKnown ? nil : Phrase(id, [.name: .text(name)])
        }
        guard let rule = plan.detector(incident.rule) else {
            return Phrase(.closedRule, [.rule: .text(incident.rule)])
        }
        guard plan.source(name) != nil else { return Phrase(.closedSource, [.source: .text(name)]) }
        let isConcerned =
            rule.scope == .source
            ? rule.canConcern(source: name)
            : rule.concerns(incident.subject, labels: incident.labels)
                && (rule.scope != .app || rule.shows(release: incident.subject.release))
        guard isConcerned else { return Phrase(.closedUnmatched, [.rule: .text(incident.rule)]) }
        return canJudge(incident, rule) ? nil : Phrase(.closedChanged, [.rule: .text(incident.rule)])
    }

    /// Whether the rule looks at such things at all: under its name another plugin may have opened the incident.
    private func canJudge(_ incident: Incident, _ rule: DetectorPlan) -> Bool {
        let subject = incident.subject
        let hasFigures = figures.series[subject] != nil
        return switch rule.scope {
        case .source: subject.app == subject.source || hasFigures
        case .app: figures.hasFigures(ofWhole: subject.whole)
        case .subject: hasFigures && (incident.key == nil || rule.judge == nil)
        }
    }
}
