public import AlertCore
public import PluginKit
internal import Runtime

/// What a preview found, for people and for programs.
public struct PreviewReport: Sendable {
    public let now: Moment
    public let incidents: [Incident]
    public let decisions: [DecisionRecord]
    /// When each source is polled next, in the order of the config.
    public let polls: [NextPoll]
    /// What each rule could judge and what it could not, in the order of the config.
    public let outlooks: [RuleOutlook]
    /// Incidents that no channel hears of, since no route leads them to one; those that are over, too.
    public let unrouted: [Incident]
    /// What was held before the preview began and is held still: nothing was decided of it.
    public let heldBefore: [HeldNotification]
    /// What was accepted before the preview began and waited for its channel: sent by now, or waiting still.
    public let queuedBefore: [QueuedMessage]
    /// Who is on call at `now`, by the names of rotations.
    public let onCall: [(rotation: String, person: String)]
    public let botName: String
    public let zone: Zone
    /// Those of the messages.
    public let words: Words
    private let channels: [String: any Channel]
    /// What became of deliveries, by their ids, where things fail on purpose.
    private let trials: [String: DeliveryTrial]
    /// The threads that deliveries go into, by their ids.
    private let threads: [String: String]

    /// What a gate holds of an incident for one channel.
    public struct HeldNotification: Hashable, Sendable {
        public let incident: Incident
        public let channel: String
        public let hold: Hold
    }

    /// When a source is polled next, and why then.
    public struct NextPoll: Hashable, Sendable {
        public let source: String
        /// Nil when it is not polled any more.
        public let at: Moment?
        /// Why it is not polled any more.
        public let stopped: String?
        /// Why the interval is not the usual one.
        public let reasons: [PollReason]
        public let every: Duration
    }

    /// - Parameter channel: only what concerns this channel; nil for all.
    public init(_ preview: Preview, channels: [String: any Channel], only channel: String? = nil) {
        now = preview.now
        self.channels = channels
        decisions = preview.decisions.filter { channel == nil || $0.channel == channel }
        let decided = Set(decisions.map { [$0.incident, $0.channel] })
        heldBefore = preview.state.incidents.inOrder.flatMap { incident in
            incident.standings.sorted { $0.key < $1.key }.compactMap { name, standing in
                guard let hold = standing.hold, channel == nil || name == channel,
                    !decided.contains([incident.id, name])
                else { return nil }
                return HeldNotification(incident: incident, channel: name, hold: hold)
            }
        }
        queuedBefore = preview.queuedBefore.filter { channel == nil || $0.channel == channel }
        let ids = decisions.compactMap(\.delivery)
        trials = Dictionary(ids.compactMap { id in preview.trial(id).map { (id, $0) } }) { first, _ in first }
        let posted = ids + queuedBefore.map(\.delivery.id)
        threads = Dictionary(posted.compactMap { id in preview.thread(of: id).map { (id, $0) } }) { first, _ in first }
        botName = preview.plan.botName
        onCall = preview.plan.rotations.map { ($0.name, $0.person(on: preview.now).name) }
        zone = preview.plan.zone
        words = preview.plan.words
        polls = preview.plan.sources.filter { !$0.isPushed }.map { source in
            let record = preview.state.schedule.sources[source.name] ?? SourceRecord()
            return NextPoll(
                // Where recorded figures are played nobody is polled, and time may have passed what was due.
                source: source.name, at: preview.state.schedule.nextPoll(of: source).map { max($0, preview.now) },
                stopped: record.stopped,
                reasons: record.reasons, every: source.every)
        }
        outlooks = preview.outlooks
        unrouted = preview.incidents.filter { $0.state != .pending && !preview.plan.leads($0) }
        let named = Set(decisions.compactMap(\.incident))
        // Whatever never was more than a suspicion and is gone by now is nobody's business.
        incidents = preview.incidents.filter { incident in
            preview.state.incidents[incident.id] != nil || named.contains(incident.id)
        }
    }

    public func count(_ name: String) -> Int { decisions.count { $0.decision.name == name } }

    /// How many were sent, held and dropped, how many were held or waited before, and how many incidents no route takes, in a
    /// phrase.
    public var summary: String {
        "\(count("send")) sent\(failed), \(count("hold")) held, \(count("drop")) dropped"
            + (heldBefore.isEmpty ? "" : ", \(heldBefore.count) held before")
            + (queuedBefore.isEmpty ? "" : ", \(queuedBefore.count) waiting from before")
            + (unrouted.isEmpty ? "" : ", \(unrouted.count.counted("incident")) that no route takes")
    }

    /// How many of those sent have not arrived at once, or not at all: things fail on purpose, or a channel is paused.
    private var failed: String {
        guard !trials.isEmpty else { return "" }
        func isDelivered(_ trial: DeliveryTrial) -> Bool {
            if case .delivered? = trial.end?.how { true } else { false }
        }
        let late = trials.values.count { isDelivered($0) && !$0.failures.isEmpty }
        let missing = trials.values.count { !isDelivered($0) }
        let parts = [
            late > 0 || missing == 0 ? "\(late) after failed attempts" : nil, "\(missing) not delivered by then",
        ]
        return " (\(parts.compactMap(\.self).joined(separator: ", ")))"
    }

    /// What became of a message that was sent; nil where nothing fails on purpose, and nothing keeps it.
    public func trial(_ record: DecisionRecord) -> DeliveryTrial? {
        guard case .send = record.decision else { return nil }
        return record.delivery.flatMap { trials[$0] }
    }

    /// Who is on call, in a phrase; nil without rotations.
    public var watch: String? {
        onCall.isEmpty ? nil : "On call: " + onCall.map { "\($0.person) (\($0.rotation))" }.joined(separator: ", ")
    }

    public var json: JSON {
        var members = JSONObject([
            ("now", JSON(now)),
            ("incidents", .array(incidents.map { IncidentSummary($0).json })),
            ("notifications", .array(decisions.map(notification))),
            ("summary", ["sent": JSON(count("send")), "held": JSON(count("hold")), "dropped": JSON(count("drop"))]),
            ("rules", .array(outlooks.map(\.json))), ("unrouted", JSON(unrouted.count)),
        ])
        if !heldBefore.isEmpty {
            members["held_before"] = .array(
                heldBefore.map { held in
                    [
                        "incident": .string(held.incident.id), "channel": .string(held.channel),
                        "kind": .string(held.hold.kind.rawValue), "reason": .string(held.hold.reason.description),
                        "until": JSON(held.hold.until.ifKnown),
                    ]
                })
        }
        if !queuedBefore.isEmpty { members["queued_before"] = .array(queuedBefore.map(json)) }
        if !onCall.isEmpty {
            members["oncall"] = .array(onCall.map { ["rotation": .string($0.rotation), "person": .string($0.person)] })
        }
        return .object(members)
    }

    private func notification(_ record: DecisionRecord) -> JSON {
        var until: Moment?
        if case .hold(let moment) = record.decision { until = moment.ifKnown }
        let object: JSON = [
            "at": JSON(record.at), "incident": JSON(record.incident), "kind": .string(record.kind.rawValue),
            "severity": .string(record.severity.rawValue), "channel": .string(record.channel),
            "decision": .string(record.decision.name), "reason": .string(record.reason.description),
            "until": JSON(until), "text": .string(record.message.plainText),
            "request": request(record) ?? .null,
        ]
        guard let trial = trial(record), case .object(var members) = object else { return object }
        members["delivery"] = trial.json
        return .object(members)
    }

    private func json(_ queued: QueuedMessage) -> JSON {
        let delivery = queued.delivery
        return [
            "incident": JSON(delivery.incident), "kind": .string(delivery.kind.rawValue),
            "channel": .string(delivery.channel), "queued": JSON(delivery.queued), "at": JSON(queued.sent),
            "until": JSON(queued.next), "text": .string(delivery.message.plainText),
            "request": request(queued) ?? .null,
        ]
    }

    /// When a message that waited before is sent, or until when it waits, and since when, in a phrase.
    public func words(for queued: QueuedMessage) -> String {
        let since = "waiting since \(zone.words(queued.delivery.queued, readAt: now))"
        if let sent = queued.sent { return "\(zone.words(sent)) send (\(since))" }
        return queued.next.map { "waits until \(zone.words($0, readAt: now)) (\(since))" } ?? since
    }

    /// What is held, for whom, until when and why, in a phrase.
    public func words(for held: HeldNotification) -> String {
        let what = held.hold.isForSummary ? "a line of a summary" : held.hold.kind.rawValue
        let until = held.hold.until.ifKnown.map { " until \(zone.words($0, readAt: now))" } ?? ""
        return "\(what), in \(held.channel)\(until) (\(held.hold.reason))"
    }

    /// The request or the mail that would post the message, as people may see it; nil when nothing is posted.
    public func request(_ record: DecisionRecord) -> JSON? {
        guard case .send = record.decision, record.delivery != nil, let channel = channels[record.channel]
        else { return nil }
        return channel.post(posting(record)).shownJSON
    }

    /// How the message looks in its chat; for what is held or dropped, how it would.
    public func picture(_ record: DecisionRecord) -> ChatPicture {
        channels[record.channel]?.picture(of: posting(record)) ?? ChatPicture(record.message)
    }

    /// The request that posts a message that waited before, as people may see it; nil when nothing is posted.
    public func request(_ queued: QueuedMessage) -> JSON? {
        channels[queued.channel]?.post(posting(queued)).shownJSON
    }

    /// How a message that waited before looks in its chat.
    public func picture(_ queued: QueuedMessage) -> ChatPicture {
        channels[queued.channel]?.picture(of: posting(queued)) ?? ChatPicture(queued.delivery.message)
    }

    private func posting(_ queued: QueuedMessage) -> Posting {
        let delivery = queued.delivery
        var message = delivery.message
        message.words = words
        return Posting(
            id: delivery.id, message: message, possiblyRepeated: delivery.progress.possiblyRepeated,
            isPlain: delivery.progress.isPlain, thread: threads[delivery.id] ?? delivery.progress.thread,
            at: queued.sent ?? now)
    }

    private func posting(_ record: DecisionRecord) -> Posting {
        let thread = record.delivery.flatMap { threads[$0] }
        return Posting(id: record.delivery ?? "preview", message: record.message, thread: thread, at: record.at)
    }
}

extension ChannelAction {
    /// What leaves the bot, as people may see it; nil where nothing does.
    public var shownJSON: JSON? {
        switch self {
        case .request(let request): request.shownJSON
        case .mail(let mail): mail.shownJSON
        case .print, .keep: nil
        }
    }
}

extension Mail {
    /// The mail in the shape of a request, read rather than encoded: every secret masked.
    public var shownJSON: JSON {
        var login = JSONObject()
        if let written = server.login {
            login = JSONObject([
                ("user", .string(written.user.description)), ("password", .string(written.password.description)),
            ])
        }
        var body = JSONObject([("text", .string(text))])
        if let html { body["html"] = .string(html) }
        return [
            "method": "SMTP", "url": .string(server.url), "security": .string(server.security.rawValue),
            "login": server.login == nil ? .null : .object(login),
            "from": .string(from.address), "to": .array(to.map { .string($0.address) }),
            "headers": .object(JSONObject(shownHeaders.map { ($0.name, .string($0.value)) })), "body": .object(body),
        ]
    }
}

extension HTTPRequest {
    /// The request as people may see it: every secret masked.
    public var shownJSON: JSON {
        var shown = JSONObject()
        for header in headers { shown[header.name] = .string(header.value.description) }
        if let type = wireBody()?.contentType, shown["Content-Type"] == nil { shown["Content-Type"] = .string(type) }
        if case .standardWebhooks(let id, let timestamp, _) = signature {
            shown["webhook-id"] = .string(id)
            shown["webhook-timestamp"] = .string(String(timestamp.unixSeconds))
            shown["webhook-signature"] = .string("v1,\(Secret.mask)")
        }
        return [
            "method": .string(method.rawValue), "url": .string(url.description), "headers": .object(shown),
            "body": body?.shown ?? .null,
        ]
    }
}
