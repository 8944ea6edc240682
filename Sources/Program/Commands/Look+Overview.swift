internal import AlertCore
internal import PluginKit
internal import Runtime
internal import StatusPage

// What the overview shows at first sight: what is open, and the rest in the order in which people want it.

extension Bot.Look {
    /// What a page shows of a list that may be of any length: some screens full.
    enum Most {
        static let incidents = 50
        static let listed = 1000
        static let apps = 100
        static let sources = 100
        static let verdicts = 400
        static let deliveries = 50
        static let dead = 20
        static let paragraphs = 40
    }

    func overview(apps asked: String?) -> Overview {
        let open = open
        var overview = Overview()
        overview.incidents = openIncidents(most: Most.incidents)
        overview.open = state.incidents.openBySeverity
        let wanted = asked?.lowercased()
        var worst: [Subject: Severity] = [:]
        for incident in open where incident.state != .pending {
            let app = AppKey(incident.subject).subject
            worst[app] = max(worst[app] ?? .info, incident.severity)
        }
        let apps = Set(state.figures.series.keys.map { AppKey($0).subject })
            .filter { app in wanted.map { app.app.lowercased().contains($0) } ?? true }
        let shown = apps.sorted { left, right in
            let (mine, other) = (worst[left], worst[right])
            guard mine == other else {
                return (mine.map { Severity.allCases.firstIndex(of: $0) ?? 0 } ?? -1)
                    > (other.map { Severity.allCases.firstIndex(of: $0) ?? 0 } ?? -1)
            }
            return left < right
        }.prefix(Most.apps)
        overview.appCount = apps.count
        overview.apps = self.apps(Array(shown))
        // Whoever has trouble stands first, in the order of the config as all others.
        let (ill, well) = (plan.sources.filter { !isWell($0) }, plan.sources.filter(isWell))
        overview.sources = (ill + well).prefix(Most.sources).map(source)
        overview.sourceCount = plan.sources.count
        overview.illSourceCount = ill.count
        overview.channels = channels
        overview.mutes = mutes
        overview.onCall = plan.rotations.map {
            PageWatch(
                rotation: $0.name, person: $0.person(on: now).name, until: $0.nextChange(after: now))
        }
        return overview
    }

    private var open: [Incident] { state.incidents.all.filter(\.isOpen).sorted(by: isFirst) }

    func openIncidents(most: Int) -> [PageIncident] { open.prefix(most).compactMap(incident) }

    /// What is sure before what is not, then the worst first.
    func isFirst(_ left: Incident, _ right: Incident) -> Bool {
        if (left.state == .pending) != (right.state == .pending) { return right.state == .pending }
        return left.isWorse(than: right)
    }

    func incident(_ incident: Incident) -> PageIncident? {
        guard let message = state.message(about: incident.id, plan, at: now) else { return nil }
        return PageIncident(
            id: incident.id, message: message, state: incident.state,
            lasting: "since \(plan.zone.words(incident.since)), for \((now - incident.since).rough)",
            carers: incident.acknowledgement?.names,
            muted: mute(of: incident).map { "muted \(words(of: $0))" } ?? held(incident))
    }

    /// That nobody has been told of it yet, and what holds or dropped it: it looks as bad as what everybody knows of.
    private func held(_ incident: Incident) -> String? {
        let heard = incident.standings.filter { plan.channel($0.key) != nil }.sorted { $0.key < $1.key }.map(\.value)
        guard !heard.contains(where: { $0.announced != nil }) else { return nil }
        guard let hold = heard.compactMap(\.hold).min(by: { $0.until < $1.until }) else {
            return heard.compactMap(\.droppedBy).first.map { "nobody notified, dropped (\($0))" }
        }
        let until = hold.until < .latest ? " until \(plan.zone.words(hold.until, readAt: now))" : ""
        return "nobody notified yet, held\(until) (\(hold.reason))"
    }

    /// The mute that somebody set and that keeps it quiet for longest; those of the config stand in the list of mutes.
    func mute(of incident: Incident) -> Mute? {
        state.mutes.inOrder.last { $0.from <= now && now < $0.until && $0.match.fits(incident.property) }
    }

    /// `until Fri 20 Nov 23:00 CET by ana`.
    func words(of mute: Mute) -> String {
        "until \(plan.zone.words(mute.until, readAt: now))\(mute.by.map { " by \($0)" } ?? "")"
    }
}
