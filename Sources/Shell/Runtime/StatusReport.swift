public import AlertCore
public import PluginKit

/// What the bot sees, tracks and has said, as JSON: for the status page, for `status` and for `history`.
public struct StatusReport: Sendable {
    private let state: State
    private let plan: Plan
    private let now: Moment

    public init(_ state: State, _ plan: Plan, at now: Moment) {
        self.state = state
        self.plan = plan
        self.now = now
    }

    /// - Parameters:
    ///   - isRunning: whether the answer comes from a bot at work, or from its journal.
    ///   - recordingTrouble: what keeps observations from being recorded, if anything does.
    ///   - configTrouble: what is wrong with the config on the disk, where the bot goes on with another.
    ///   - journalTrouble: what keeps the journal from being written, if anything does: then nothing leaves. Of a journal
    ///     that is read for a bot that does not run, what is lost.
    ///   - missingPictures: the channels whose messages have arrived without their pictures.
    ///   - refusedPushes: the last pushes that were refused, by source.
    public func status(
        isRunning: Bool, recordingTrouble: String? = nil, configTrouble: String? = nil,
        journalTrouble: String? = nil, missingPictures: [String: PictureDesk.Missing] = [:],
        refusedPushes: [String: Intake.Mistaken] = [:]
    ) -> JSON {
        let judged = Core(plan: plan).judged(state, at: now, most: StatusReport.rulesMax)
        return [
            "bot": .string(plan.botName), "now": JSON(now), "running": .bool(isRunning),
            "sources": .array(plan.sources.map { source($0, refusedPushes[$0.name]) }), "incidents": incidents,
            "channels": channels(missingPictures), "mutes": mutes,
            "rules": .array(judged.kept.map(rule)),
            "rules_left_out": judged.leftOutByVerdict,
            "silent_apps": .array(
                state.silentApps(plan, at: now).sorted().prefix(StatusReport.rulesMax).map {
                    ["source": .string($0.source), "app": .string($0.app)]
                }),
            "oncall": onCall, "ended_calendars": endedCalendars,
            "subjects": JSON(state.figures.series.count), "recording_trouble": JSON(recordingTrouble),
            "config_trouble": JSON(configTrouble), "journal_trouble": JSON(journalTrouble),
        ]
    }

    public var incidents: JSON {
        .array(
            state.incidents.inOrder.map { incident in
                guard case .object(var object) = IncidentSummary(incident).json else { return .null }
                object["channels"] = .object(
                    JSONObject(
                        incident.standings.sorted { $0.key < $1.key }.map { name, standing in
                            (name, self.standing(standing))
                        }))
                object["acknowledged"] = incident.acknowledgement?.json ?? .null
                object["links"] = .array(
                    state.links(about: incident, plan).map { ["title": .string($0.title), "url": .string($0.url)] })
                return .object(object)
            })
    }

    /// Who is on call now, and until when.
    private var onCall: JSON {
        .array(
            plan.rotations.map { rotation in
                [
                    "rotation": .string(rotation.name), "person": .string(rotation.person(on: now).name),
                    "until": JSON(rotation.nextChange(after: now)),
                ]
            })
    }

    /// The calendars that rules follow and that have no days left.
    private var endedCalendars: JSON {
        .array(
            plan.gates.flatMap { gate in
                (gate.calendar?.calendars ?? []).compactMap { calendar in
                    calendar.exhaustion(at: now).map { why in
                        ["rule": .string(gate.name), "calendar": .string(calendar.name), "why": .string(why)]
                    }
                }
            })
    }

    /// What a rule thinks of a thing that it judges.
    private func rule(_ judged: Judged) -> JSON {
        let subject = judged.subject
        return [
            "rule": .string(judged.rule), "source": .string(subject.source), "app": .string(subject.app),
            "release": JSON(subject.release), "environment": JSON(subject.environment),
            "key": JSON(judged.key), "verdict": .string(judged.judgement.verdict.name),
            "sentence": .string(judged.judgement.evidence.sentence), "no_news_since": JSON(judged.noNewsSince),
        ]
    }

    /// More than fits on any screen; `why` has a word for each.
    private static let rulesMax = 500

    /// Mutes in force, those set by hand first, and those that the config has in store.
    public var mutes: JSON {
        let set = state.mutes.inForce(at: now).map { mute -> JSON in
            guard case .object(var object) = mute.json else { return .null }
            object["origin"] = "command"
            if let why = plan.whyCoversNothing(mute) { object["covers_nothing"] = .string(why) }
            return .object(object)
        }
        let written = plan.gates.filter { $0.gate.stage == .mutes }.compactMap { gate in
            gate.window(at: now).map { span -> JSON in
                [
                    "id": .string(gate.name), "match": gate.match.json,
                    "channels": .array((gate.calendar?.channels ?? []).map(JSON.string)),
                    "except": JSON(gate.gate.except?.rawValue),
                    "from": JSON(span.from > .earliest ? span.from : nil),
                    "until": JSON(span.to.ifKnown), "reason": JSON(gate.gate.purpose), "by": .null,
                    "origin": "config",
                ]
            }
        }
        return .array(set + written)
    }

    private func standing(_ standing: Standing) -> JSON {
        [
            "announced": JSON(standing.announced?.rawValue), "last_said": JSON(standing.saidLast),
            "held": standing.hold.map { hold in
                [
                    "kind": .string(hold.kind.rawValue), "reason": .string(hold.reason.description),
                    "until": JSON(hold.until.ifKnown),
                ]
            } ?? .null,
            "dropped": standing.dropping ?? .null,
        ]
    }

    private func source(_ source: SourcePlan, _ refused: Intake.Mistaken?) -> JSON {
        let record = state.schedule.sources[source.name] ?? SourceRecord()
        let condition =
            record.stopped != nil
            ? "stopped"
            : state.schedule.isPolling(source.name) ? "polling" : record.lastOutcome?.rawValue ?? "waiting"
        return [
            "name": .string(source.name), "state": .string(condition), "last_polled": JSON(record.lastPolled),
            "last_good": JSON(record.lastAnswer(of: source)), "last_changed": JSON(record.lastChanged),
            "no_answer_since": JSON(record.silentSince),
            "next_poll": JSON(state.schedule.nextPoll(of: source)),
            "waits_for": JSON(record.stopped == nil ? state.schedule.holder(of: source)?.name : nil),
            "reasons": .array(record.reasons.map { .string($0.rawValue) }),
            "every": source.isPushed ? .null : .string(source.every.grammar),
            "failure": record.failure.map { failure in
                [
                    "reason": .string(failure.reason.rawValue), "sentence": .string(failure.sentence),
                    "since": JSON(failure.since), "count": JSON(failure.count),
                ]
            } ?? .null,
            "warnings": .array(record.warnings.map(JSON.string)),
            "refused_push": refused?.json ?? .null,
        ]
    }

    private func channels(_ missingPictures: [String: PictureDesk.Missing]) -> JSON {
        let queues = Dictionary(grouping: state.outbox.inOrder, by: \.channel)
        let dead = Dictionary(grouping: state.failedDeliveries, by: \.delivery.channel)
        return .array(
            plan.channels.map { channel in
                let name = channel.name
                return self.channel(channel, queues[name] ?? [], dead: dead[name] ?? [], missingPictures[name])
            })
    }

    private func channel(
        _ channel: ChannelPlan, _ queue: [Delivery], dead: [EndedDelivery], _ missing: PictureDesk.Missing?
    ) -> JSON {
        let record = state.outbox.channels[channel.name] ?? ChannelRecord()
        var lastError = record.lastError
        if lastError == nil, case .dead(let why) = dead.last?.end { lastError = why }
        return [
            "name": .string(channel.name), "queued": JSON(queue.count), "failures": JSON(record.failures),
            "paused_until": JSON(record.pausedUntil.flatMap { $0 > now ? $0 : nil }),
            "oldest": JSON(queue.first?.queued), "dead": JSON(dead.count), "last_error": JSON(lastError),
            "missing_charts": missing.map { missing in
                ["count": JSON(missing.count), "at": JSON(missing.at), "why": .string(missing.why)]
            } ?? .null,
        ]
    }

    /// The last deliveries that ended, newest last.
    ///
    /// - Parameter deadOnly: only those that failed for good and that people may retry.
    public static func history(_ state: State, limit: Int, deadOnly: Bool = false, words: Words = .english) -> JSON {
        let entries = deadOnly ? state.failedDeliveries : state.outbox.history
        return .array(entries.suffix(limit).map { entry($0, words) })
    }

    private static func entry(_ entry: EndedDelivery, _ words: Words) -> JSON {
        var delivery = entry.delivery
        delivery.message.words = words
        var sentence: String?
        if case .dead(let why) = entry.end { sentence = why }
        return [
            "at": JSON(entry.at), "id": .string(delivery.id), "channel": .string(delivery.channel),
            "kind": .string(delivery.kind.rawValue), "severity": .string(delivery.message.severity.rawValue),
            "incident": JSON(delivery.incident), "outcome": .string(entry.end.name), "why": JSON(sentence),
            "attempts": JSON(delivery.progress.attempts), "queued": JSON(delivery.queued),
            "text": .string(delivery.message.plainText),
        ]
    }
}

extension Judgements {
    /// How many are missing, by what their rules say.
    var leftOutByVerdict: JSON {
        [
            "firing": JSON(leftOut(.firing)), "unknown": JSON(leftOut(.unknown)),
            "ok": JSON(leftOut(.silent) + leftOut(.fine)),
        ]
    }
}

extension Intake.Mistaken {
    fileprivate var json: JSON { ["at": JSON(at), "why": .string(why)] }
}

extension Standing {
    /// When the channel last heard of it; nil where it never did, also where the time of a reminder has begun.
    var saidLast: Moment? { announced == nil ? nil : lastSaid }

    /// That a gate dropped it, and when, where the channel never heard of it and nothing waits.
    var dropping: JSON? {
        guard announced == nil, dropped != nil, hold == nil else { return nil }
        return ["reason": JSON(droppedBy?.description), "at": JSON(lastSaid)]
    }
}
