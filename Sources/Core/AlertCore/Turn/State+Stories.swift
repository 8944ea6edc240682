public import PluginKit

extension State {
    /// What a message would say now of an open incident; nil when no such incident is open.
    public func message(about id: String, _ plan: Plan, at now: Moment) -> Message? {
        guard let incident = incidents[id], incident.isOpen else { return nil }
        return MessageWriter(zone: plan.zone, words: plan.words, publicURL: plan.publicURL, now: now)
            // Of what is not sure yet nothing has been said that could still be so.
            .message(story(of: incident, plan, at: now), incident.state == .pending ? .opened : .reminder)
    }

    /// The issues named last of an app, in the words of a message: worst first as its source ranks them, and where several
    /// name some, the largest first.
    public func issueLines(ofApp name: String, _ plan: Plan, at now: Moment) -> [Message.IssueLine] {
        let writer = MessageWriter(zone: plan.zone, words: plan.words, publicURL: plan.publicURL, now: now)
        let apps = Set(figures.series.keys.lazy.filter { $0.app == name }.map(\.whole)).sorted()
        let lists = apps.flatMap { app -> [[(source: String, issue: Issue)]] in
            let own = issues(about: app)
            let all = own.isEmpty ? figures.releases(of: app).map { issues(about: $0) } : [own]
            return all.filter { !$0.isEmpty }.map { $0.map { (app.source, $0) } }
        }
        var named = lists.flatMap(\.self)
        if lists.count > 1 { named.sort { $0.issue.isLarger(than: $1.issue) } }
        // Several releases may have the same one.
        var known: Set<[String]> = []
        return named.filter { known.insert([$0.source, $0.issue.id]).inserted }
            .prefix(MessageWriter.issuesInMessage).map { writer.issueLine($0.issue) }
    }

    /// Where there is more about an incident: its page on the bot first, where the bot has an address, then what the config
    /// says and the issue that stands out.
    public func links(about incident: Incident, _ plan: Plan) -> [Message.Link] {
        let page = plan.address(ofPage: incident.id).map { Message.Link(plan.words[.linkIncident], $0) }
        let issue = issues(about: incident.subject, orNamed: incident.key).first {
            incident.key == nil || incident.key == $0.id
        }
        let top = issue.flatMap { issue in issue.webURL.map { Message.Link(issue.id, $0) } }
        return [page].compactMap(\.self) + plan.links(about: incident) + [top].compactMap(\.self)
    }

    /// The issues that may explain a subject's newest figures. A source that has nothing new to name leaves those that it
    /// named last, however old they are.
    ///
    /// - Parameter key: The issue that an incident is about, which is named in any case.
    func issues(about subject: Subject, orNamed key: String? = nil) -> [Issue] {
        let issues = figures.issues(of: subject)
        guard let begin = figures.series[subject]?.samples.last?.span.from else { return issues }
        return issues.filter { issue in
            guard let lastSeen = issue.lastSeen, issue.id != key else { return true }
            return begin - lastSeen <= State.issueAgeMax
        }
    }

    /// How long before the figures an issue may have been seen last: some services know the day only, in a zone of their own.
    private static let issueAgeMax = Duration.days(1)

    /// Deliveries that failed for good and of which something has not been said again, oldest first: people may retry these.
    public var failedDeliveries: [EndedDelivery] {
        var (failed, said): ([EndedDelivery], [String: Set<String>]) = ([], [:])
        for entry in outbox.history.reversed() {
            let delivery = entry.delivery
            switch entry.end {
            case .delivered: said[delivery.channel, default: []].formUnion(delivery.incidents)
            case .replaced: break
            case .dead: if !isSaidAgain(entry, by: said[delivery.channel] ?? []) { failed.append(entry) }
            }
        }
        return failed.reversed()
    }

    /// Whether all that it opens has been told there by others since, or is on its way.
    ///
    /// - Parameter said: the incidents of what has been delivered there since.
    private func isSaidAgain(_ entry: EndedDelivery, by said: Set<String>) -> Bool {
        let delivery = entry.delivery
        let incidents = Set(delivery.message.incidents.map(\.id))
        guard delivery.kind == .opened || delivery.kind == .digest, !incidents.isEmpty else { return false }
        return incidents.subtracting(said).allSatisfy { id in
            guard let standing = self.incidents[id]?.standings[delivery.channel], standing.announced != nil else {
                return false
            }
            // Of one that may have arrived the channel counts as having heard, and it is the failure that says it has not.
            return !delivery.progress.mayHaveArrived && standing.firstSaid.map { $0 >= entry.at } ?? false
        }
    }

    func story(of incident: Incident, _ plan: Plan, at now: Moment) -> Story {
        let subject = incident.subject
        return Story(
            incident: incident, series: figures.series[subject], issues: issues(about: subject, orNamed: incident.key),
            whole: subject.release == nil ? nil : figures.series[subject.whole],
            releases: subject.release == nil
                ? (incident.evidence.span ?? figures.series[subject]?.samples.last?.span)
                    .map { sessions(ofReleasesOf: subject, in: $0) } ?? [] : [],
            links: plan.links(about: incident), silence: silence(of: incident, plan, at: now),
            again: incidents.again(incident), unwatched: unwatched(while: incident, plan))
    }

    /// The apps that nobody watches while a source gives no answers: those of it that a rule judges.
    private func unwatched(while incident: Incident, _ plan: Plan) -> [String] {
        guard incident.isOpen, incident.isOfSilentSource else { return [] }
        let rules = plan.rules(of: incident.subject.source)
        let watched = figures.unordered(of: incident.subject.source).filter { subject in
            let labels = figures.series[subject]?.labels ?? [:]
            return rules.contains { $0.concerns(subject, labels: labels) }
        }
        return Set(watched.map(\.app)).sorted()
    }
}
