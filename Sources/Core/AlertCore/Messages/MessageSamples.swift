public import PluginKit

// Messages of every kind as the bot writes them, about nothing that happened: what templates are tried on.

extension MessageTemplate {
    /// What it makes of a message of every kind: a phrase for each kind of which it makes none.
    public func trial(in zone: Zone, words: Words = .english) -> [String] {
        var seen: Set<String> = []
        return MessageSamples(zone: zone, words: words).all.compactMap { sample in
            do throws(Failure) {
                _ = try dress(sample.message, MessageView(bot: "alertbot", channel: "team", zone: zone, words: words))
                return nil
            } catch {
                guard seen.insert(error.sentence).inserted else { return nil }
                return "\(name.tamed) fails when \(sample.name): \(error.sentence)"
            }
        }
    }
}

/// One message for each thing that can be said.
public struct MessageSamples {
    private let zone: Zone
    private let words: Words
    private let now = Moment(milliseconds: 1_795_298_400_000)
    /// Why the bot itself is in trouble.
    static let cause = "no answer within 20 s"

    public init(zone: Zone, words: Words = .english) {
        self.zone = zone
        self.words = words
    }

    /// Each with what it says, as a clause.
    public var all: [(name: String, message: Message)] {
        let open = incident(until: nil)
        let over = incident(until: now)
        var closed = over
        closed.state = .closed
        closed.isUncertain = true
        closed.evidence.say(Phrase(.closedVanished, [.moment: .moment(now - .days(7))]))
        var stayed = over
        stayed.evidence.say(Phrase(.reasonStayed, [.period: .period(.days(14))]))
        let trouble = Incident(
            rule: Trouble.sourceFailing.rawValue, subject: Subject(source: "ios", app: Subject.botApp), labels: [:],
            severity: .critical, since: now - .hours(1),
            evidence: Evidence(
                saying: Phrase(
                    .troubleFailing,
                    [.source: .text("ios"), .moment: .moment(now - .hours(1)), .cause: .text(MessageSamples.cause)]))
        )
        let kinds: [(String, Incident, Notification.Kind)] = [
            ("an incident opens", open, .opened), ("it gets worse", open, .escalated), ("it goes on", open, .reminder),
            ("a figure is corrected", open, .revised), ("somebody is on it", open, .acknowledged),
            ("it resolves", over, .resolved), ("it is closed without news", closed, .closed),
            ("it counts as usual", stayed, .resolved), ("a figure is corrected after the end", over, .revised),
            ("the bot has a problem of its own", trouble, .opened),
        ]
        let samples =
            kinds.map { ($0.0, writer.message(story(of: $0.1), $0.2)) } + [
                ("nothing is known any more", writer.message(silent, .reminder)),
                ("a figure that was said was wrong", corrected), ("it was corrected after its end", correctedEnd),
                ("an issue is new", writer.message(story(of: issue), .opened)),
                ("an app has fallen below its usual", writer.message(story(of: fallen), .opened)),
                ("a release is worse", writer.message(story(of: worseRelease), .opened)),
                ("several open together", together),
                ("a budget held several", held),
                ("several are summarised", writer.summary(of: Portion(of: over), reason: .quietHours("nights"))),
                ("somebody mutes it", writer.message(of: mute, covering: [(open, nil)])),
            ]
        return samples.map { sample in
            var message = sample.1
            message.words = words
            return (sample.0, message)
        }
    }

    private var writer: MessageWriter {
        MessageWriter(zone: zone, words: words, publicURL: "https://alerts.example.com", now: now)
    }

    private func incident(until: Moment?) -> Incident {
        var incident = Incident(
            rule: "crash-free-floor",
            subject: Subject(source: "ios", app: "shop-ios", release: "5.2.0", environment: "production"),
            labels: ["owner": "checkout"], severity: .critical, since: now - .hours(1),
            evidence: Evidence(
                metric: Metric.crashFreeUsers.name, figure: Figure(value: 0.9832, share: Share(hits: 1_809, of: 1_840)),
                limit: Comparison(.less, 0.99, isPercentage: true), confidence: 0.95, bound: 0.9887,
                span: TimeSpan(lasting: .hours(1), until: now),
                sentence:
                    "crash-free users 98.32% of 1,840 users, below 99% over the last 1 h; at best 98.87% with 95% "
                    + "confidence across all of a day's checks", phrase: Phrase(.reasonAtMost)))
        incident.state = until == nil ? .firing : .resolved
        incident.until = until
        if until != nil {
            incident.evidence.figure = Figure(value: 0.9971, share: Share(hits: 1_795, of: 1_800))
            incident.evidence.bound = nil
            incident.evidence.phrase = .nothing
        }
        incident.acknowledgement = Acknowledgement(at: now, by: "ana")
        return incident
    }

    private var silent: Story {
        var story = story(of: incident(until: nil))
        story.silence = Silence(since: now - .minutes(40), cause: .vanished)
        return story
    }

    private var corrected: Message { corrected(incident(until: nil)) }

    private var correctedEnd: Message {
        var over = incident(until: now)
        over.worst = Sighting(over.worst)?.correctedEvidence ?? over.worst
        return corrected(over)
    }

    private func corrected(_ incident: Incident) -> Message {
        let writer = writer
        var message = writer.message(story(of: incident), .revised)
        let said = Said(
            metric: Metric.crashFreeUsers.name, value: 0.981, span: TimeSpan(lasting: .hours(1), until: now),
            limit: incident.evidence.limit)
        message.fields.append(writer.field(Correction(said: said, now: 0.9832, isOfEnd: !incident.isOpen)))
        return message
    }

    private var issue: Incident {
        var incident = Incident(
            rule: "news", subject: Subject(source: "ios", app: "shop-ios"), key: "SHOP-12", labels: [:],
            severity: .warning, since: now,
            evidence: Evidence(
                saying: Phrase(
                    .issueNewHit,
                    [
                        .issue: .text("NullPointerException in CartView (SHOP-12)"),
                        .users: .phrase(Phrase(.countUsers, [.count: .count(29)])),
                    ])))
        incident.state = .firing
        return incident
    }

    private var fallen: Incident {
        var incident = incident(until: nil)
        incident.evidence.reference = .usual(0.9981)
        incident.evidence.say(
            Phrase(
                .reasonYoung,
                [
                    .reason: .phrase(Phrase(.reasonFall, [.count: .count(1), .period: .period(.days(30))])),
                    .age: .period(.days(9)),
                ]))
        incident.worst = incident.evidence
        return incident
    }

    private var worseRelease: Incident {
        var incident = incident(until: nil)
        incident.evidence.reference = .olderRelease(0.9961)
        incident.evidence.say(
            Phrase(
                .reasonReleaseWorse,
                [
                    .comparison: .phrase(
                        Phrase(.releaseWorse, [.difference: .points(0.0129), .release: .text("5.1.0")])),
                    .basis: .phrase(Phrase(.releaseSameHours, [.span: .period(.hours(6))])),
                ]))
        incident.worst = incident.evidence
        return incident
    }

    private var together: Message {
        let why = Phrase(.gateGroup, [.period: .period(.seconds(30)), .gate: .text("bursts")])
        return writer.message(
            opened, Gathering(gate: "bursts", style: .group), why: why, issues: [])
    }

    private var held: Message {
        writer.message(opened, Gathering(gate: "calm-down", style: .digest), why: nil, issues: [])
    }

    private var opened: Portion<Member> {
        let members = [incident(until: nil), fallen].map { incident in
            Member(
                notification: Notification(.opened, of: incident, Standing(), in: "team"), standing: Standing(),
                reason: .first)
        }
        return Portion(members: members[...], number: 1, count: 1)
    }

    /// With every property that may stand in one.
    private var mute: Mute {
        let patterns = Match.properties.map { property in
            switch property {
            case "app": ["shop-*", "till"]
            case "severity": [Severity.warning.rawValue, Severity.critical.rawValue]
            default: ["*"]
            }
        }
        let match = Match(
            zip(Match.properties, patterns).map { Match.Condition(property: $0, patterns: $1.map(Glob.init)) }
                + [Match.Condition(property: "owner", patterns: [Glob("checkout")])])
        return Mute(id: "a1b2c3", match: match, from: now, until: now + .hours(2), reason: "5.2.1", by: "ana")
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
