public import PluginKit

// Messages of every kind as the bot writes them, about nothing that happened: what templates are tried on.

extension MessageTemplate {
    /// What it makes of a message of every kind: a phrase for each kind of which it makes none.
    public func trial(in zone: Zone) -> [String] {
        var seen: Set<String> = []
        return MessageSamples(zone: zone).all.compactMap { sample in
            do throws(Failure) {
                _ = try dress(sample.message, MessageView(bot: "alertbot", channel: "team", zone: zone))
                return nil
            } catch {
                guard seen.insert(error.sentence).inserted else { return nil }
                return "\(name.tamed) gives no message where \(sample.name): \(error.sentence)"
            }
        }
    }
}

/// One message for each thing that can be said.
public struct MessageSamples {
    private let zone: Zone
    private let now = Moment(milliseconds: 1_795_298_400_000)

    public init(zone: Zone) { self.zone = zone }

    /// Each with what it says, as a clause.
    public var all: [(name: String, message: Message)] {
        let open = incident(until: nil)
        let over = incident(until: now)
        let trouble = Incident(
            rule: Trouble.sourceFailing.rawValue, subject: Subject(source: "ios", app: Subject.botApp), labels: [:],
            severity: .critical, since: now - .hours(1),
            evidence: Evidence(sentence: "The source ios gives no usable answer: timeout."))
        let kinds: [(String, Incident, Notification.Kind)] = [
            ("an incident opens", open, .opened), ("it gets worse", open, .escalated), ("it goes on", open, .reminder),
            ("a figure is corrected", open, .revised), ("somebody is on it", open, .acknowledged),
            ("it resolves", over, .resolved), ("it is closed without news", over, .closed),
            ("the bot has a trouble of its own", trouble, .opened),
        ]
        return kinds.map { ($0.0, writer.message(story(of: $0.1), $0.2)) }
            + [
                (
                    "several are summarised",
                    writer.summary(of: Portion(of: over), reason: .quietHours("nights"))
                )
            ]
    }

    private var writer: MessageWriter { MessageWriter(zone: zone, publicURL: "https://alerts.example.com", now: now) }

    private func incident(until: Moment?) -> Incident {
        var incident = Incident(
            rule: "crash-free-floor",
            subject: Subject(source: "ios", app: "shop-ios", release: "5.2.0", environment: "production"),
            labels: ["owner": "checkout"], severity: .critical, since: now - .hours(1),
            evidence: Evidence(
                metric: Metric.crashFreeUsers.name, figure: Figure(value: 0.9832, share: Share(hits: 1_809, of: 1_840)),
                limit: Comparison(.less, 0.99, isPercentage: true), confidence: 0.95, bound: 0.9887,
                span: TimeSpan(lasting: .hours(1), until: now),
                sentence: "1,809 of 1,840 users were free of crashes; even generously counted, at most 98.87 %."))
        incident.state = until == nil ? .firing : .resolved
        incident.until = until
        incident.acknowledgement = Acknowledgement(at: now, by: "ana")
        return incident
    }

    private func story(of incident: Incident) -> Story {
        var story = Story(incident: incident, series: nil, whole: nil)
        story.issues = [
            Issue(
                id: "SHOP-12", title: "NullPointerException in CartView", events: 40, users: 29,
                firstSeen: now - .hours(1), lastSeen: now, release: "5.2.0", url: "https://sentry.example.com/12")
        ]
        return story
    }
}
