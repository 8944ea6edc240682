package import Mustache

/// What a template sees of a message. It only grows: what a template was written for stays, and `version` says which
/// names there are.
///
/// Everything is text on one line: crash titles cannot make lines of their own.
public struct MessageView: Sendable {
    /// Of the names below; another one when one of them changes its meaning.
    package static let version = "1"

    private let bot: String
    private let channel: String
    private let zone: Zone
    /// The language of figures, limits and times.
    var words: Words

    public init(bot: String, channel: String, zone: Zone, words: Words = .english) {
        self.words = words
        self.bot = bot
        self.channel = channel
        self.zone = zone
    }

    /// Values whose members are named by whoever writes the config.
    package static let open: Set<String> = ["labels"]

    package func value(of message: Message) -> Value {
        let incidents = message.incidents.map { value(of: $0) }
        var members: [String: Value] = [
            "version": .text(MessageView.version), "bot": text(bot), "channel": text(channel),
            "kind": .text(message.kind.rawValue), "severity": .text(message.severity.rawValue),
            "mark": .text(message.mark.rawValue),
            "headline": text(message.headline), "title": text(message.unmarkedHeadline),
            "fields": .list(message.fields.map { .members(["label": text($0.label), "value": text($0.value)]) }),
            "reason": text(message.reason),
            "issues": .list(
                message.issues.map {
                    .members(["title": text($0.title), "detail": text($0.detail), "url": text($0.url)])
                }),
            "trend": text(message.sparkline), "lines": .list(message.lines.map { text($0) }),
            "links": .list(message.links.map { .members(["title": text($0.title), "url": text($0.url)]) }),
            "footer": text(message.footer), "at": .text(zone.words(message.at, in: words)), "zone": .text(zone.name),
            "incident": incidents.first ?? .flag(false), "incidents": .list(incidents),
            "labels": .members(message.labels.mapValues { text($0) }), "is_over": .flag(message.isOver),
        ]
        for kind in Notification.Kind.allCases { members["is_\(kind.rawValue)"] = .flag(kind == message.kind) }
        for severity in Severity.allCases { members["is_\(severity.rawValue)"] = .flag(severity == message.severity) }
        return .members(members)
    }

    private func value(of incident: IncidentSummary) -> Value {
        let evidence = incident.evidence
        let metric = evidence.metric.map { Metric($0) }
        func figure(_ value: Double?) -> Value {
            guard let value, let metric else { return .flag(false) }
            return .text(words.figure(value, of: metric.name, by: evidence.limit))
        }
        var usual: Double?
        if case .usual(let value) = evidence.reference { usual = value }
        return .members([
            "id": .text(incident.id), "rule": text(incident.rule), "source": text(incident.subject.source),
            "app": text(incident.subject.app), "release": text(incident.subject.release),
            "environment": text(incident.subject.environment), "issue": text(incident.key ?? evidence.issue?.id),
            "severity": .text(incident.severity.rawValue), "state": .text(incident.state.rawValue),
            "since": .text(zone.words(incident.since, in: words)),
            "until": text(incident.until.map { zone.words($0, in: words) }),
            "metric": text(metric.map(words.title)), "figure": figure(evidence.figure?.value), "usual": figure(usual),
            "limit": text(evidence.limit.map(words.limit)), "sentence": text(evidence.sentence),
        ])
    }

    /// Nothing that people write is longer; of a longer one the middle goes.
    private static let textMax = 1_000

    private func text(_ text: String?) -> Value {
        Value(
            text.map {
                $0.roughlyCut(to: MessageView.textMax).tamed.cutInTheMiddle(to: MessageView.textMax, markCost: 1) { _ in
                    1
                }
            })
    }
}

extension MessageView {
    private static let sampleTime = Moment(milliseconds: 0)

    /// A message that has everything there can be, to hold templates against.
    package static let sample: Value = {
        var incident = Incident(
            rule: "crash-free-floor",
            subject: Subject(source: "ios", app: "shop-ios", release: "5.2.0", environment: "production"),
            key: "SHOP-12", labels: [:], severity: .critical, since: MessageView.sampleTime,
            evidence: Evidence(
                metric: Metric.crashFreeUsers.name, figure: Figure(value: 0.98, share: nil),
                limit: Comparison(.less, 0.99, isPercentage: true),
                reference: .usual(0.998), sentence: "A sentence."))
        incident.until = MessageView.sampleTime + .hours(1)
        let message = Message(
            kind: .opened, severity: .critical, at: MessageView.sampleTime, headline: "🔴 shop-ios",
            fields: [Message.Field("a", "b")],
            reason: "A sentence.",
            issues: [Message.IssueLine(title: "a", detail: "b", url: "https://example.com")], sparkline: "▁█",
            lines: ["a"], links: [Message.Link("a", "https://example.com")], footer: "a",
            incidents: [IncidentSummary(incident)])
        return MessageView(bot: "alertbot", channel: "team", zone: .utc).value(of: message)
    }()
}
