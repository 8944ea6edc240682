internal import AlertCore
internal import PluginKit
internal import Runtime
internal import StatusPage

// What the pages of one incident and of one app tell: how it is, why, and what was said of it.

extension Bot.Look {
    /// Whether there is a story of it: what has ended is soon forgotten, but for what was said of it.
    func knows(incident id: String) -> Bool {
        state.incidents[id] != nil || state.outbox.deliveries.values.contains { $0.isAbout(id) }
            || state.outbox.history.contains { $0.delivery.isAbout(id) }
    }

    func story(ofIncident id: String) -> IncidentStory? {
        let queued = state.outbox.inOrder.filter { $0.isAbout(id) }.map(PageDelivery.init)
        let ended = state.outbox.history.filter { $0.delivery.isAbout(id) }
        let incident = state.incidents[id]
        guard incident != nil || !ended.isEmpty || !queued.isEmpty else { return nil }
        let now = incident.flatMap(self.incident)
        return IncidentStory(
            id: id, incident: now,
            headline: now?.message.headline ?? ended.last?.delivery.message.headline ?? queued.last?.headline ?? id,
            chart: incident.flatMap(picture),
            why: incident.map { WhyReport(state, plan, at: self.now, of: $0).paragraphs } ?? [],
            deliveries: ended.suffix(Most.deliveries).map(PageDelivery.init) + queued.prefix(Most.deliveries),
            hasForgotten: state.outbox.hasForgotten)
    }

    func story(ofApp name: String) -> AppStory? {
        let apps = Set(state.figures.series.keys.filter { $0.app == name }.map { AppKey($0).subject }).sorted()
        let incidents = state.incidents.all.filter { $0.isOpen && $0.subject.app == name }.sorted(by: isFirst)
        let said = state.outbox.history.filter { entry in
            entry.delivery.message.incidents.contains { $0.subject.app == name }
        }
        guard !apps.isEmpty || !incidents.isEmpty || !said.isEmpty else { return nil }
        var judged: [Judged] = []
        let seen = self.apps(apps) { judged.append($0) }
        let why = WhyReport(state, plan, at: now, most: Most.paragraphs) { $1.app == name }
        let paragraphs = why.paragraphs
        let more = paragraphs.count + why.leftOut - Most.paragraphs
        return AppStory(
            name: name, apps: seen,
            incidents: incidents.prefix(Most.incidents).compactMap(incident), pictures: pictures(of: apps, judged),
            issues: state.issueLines(ofApp: name, plan, at: now),
            deliveries: said.suffix(Most.deliveries).reversed().map(PageDelivery.init),
            hasForgotten: state.outbox.hasForgotten,
            why: paragraphs.prefix(Most.paragraphs) + (more > 0 ? [SourceWords.more(more)] : []))
    }
}

extension PageDelivery {
    init(_ entry: EndedDelivery) {
        var why: String?
        if case .dead(let reason) = entry.end { why = reason }
        // As the command line says it; the API keeps the journal's word.
        let outcome = entry.end.isDead ? "failed" : entry.end.name
        self.init(entry.delivery, at: entry.at, outcome: outcome, isDead: entry.end.isDead, why: why)
    }

    init(_ delivery: Delivery) {
        self.init(delivery, at: delivery.queued, outcome: "queued", isDead: false, why: nil)
    }

    private init(_ delivery: Delivery, at moment: Moment, outcome: String, isDead: Bool, why: String?) {
        self.init(
            id: delivery.id, at: moment, channel: delivery.channel, kind: delivery.kind,
            isOfMute: delivery.message.isOfMute, headline: delivery.message.headline,
            incidents: delivery.message.incidents.map(\.id), outcome: outcome, isDead: isDead, why: why)
    }
}

extension Delivery {
    fileprivate func isAbout(_ id: String) -> Bool { incident == id || message.incidents.contains { $0.id == id } }
}
