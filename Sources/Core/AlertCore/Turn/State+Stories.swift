public import PluginKit

extension State {
    /// What a message would say now of an open incident; nil when no such incident is open.
    public func message(about id: String, _ plan: Plan, at now: Moment) -> Message? {
        guard let incident = incidents[id], incident.isOpen else { return nil }
        return MessageWriter(zone: plan.zone, words: plan.words, publicURL: plan.publicURL, now: now)
            // Of what is not sure yet nothing has been said that could still be so.
            .message(story(of: incident, plan, at: now), incident.state == .pending ? .opened : .reminder)
    }

    /// The issues named last of the subject, worst first as its source ranks them, in the words of a message.
    public func issueLines(of subject: Subject, _ plan: Plan, at now: Moment) -> [Message.IssueLine] {
        let writer = MessageWriter(zone: plan.zone, words: plan.words, publicURL: plan.publicURL, now: now)
        return figures.issues(of: subject).prefix(MessageWriter.issuesInMessage).map { writer.issueLine($0) }
    }

    /// Where there is more about an incident: its page on the bot first, where the bot has an address, then what the config
    /// says and the issue that stands out.
    public func links(about incident: Incident, _ plan: Plan) -> [Message.Link] {
        let page = plan.address(ofPage: incident.id).map { Message.Link(plan.words[.linkIncident], $0) }
        let issue = figures.issues(of: incident.subject).first { incident.key == nil || incident.key == $0.id }
        let top = issue.flatMap { issue in issue.url.map { Message.Link(issue.id, $0) } }
        return [page].compactMap(\.self) + plan.links(about: incident) + [top].compactMap(\.self)
    }

    func story(of incident: Incident, _ plan: Plan, at now: Moment) -> Story {
        let subject = incident.subject
        return Story(
            incident: incident, series: figures.series[subject], issues: figures.issues(of: subject),
            whole: subject.release == nil ? nil : figures.series[subject.whole],
            releases: subject.release == nil ? newestFigures(ofReleasesOf: subject) : [],
            links: plan.links(about: incident), silence: silence(of: incident, plan, at: now))
    }
}
