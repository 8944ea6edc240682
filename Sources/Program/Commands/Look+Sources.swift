internal import AlertCore
internal import PluginKit
internal import Runtime
internal import StatusPage

// What the page shows of sources, channels and mutes.

extension Bot.Look {
    func isWell(_ source: SourcePlan) -> Bool {
        guard let record = state.schedule.sources[source.name] else { return true }
        return record.stopped == nil && record.failure == nil && record.silentSince == nil && record.warnings.isEmpty
    }

    func source(_ source: SourcePlan) -> PageSource {
        let record = state.schedule.sources[source.name] ?? SourceRecord()
        let isPolling = state.schedule.isPolling(source.name)
        let isUntouched = record.isUntouched(source)
        let word =
            record.stopped != nil
            ? "stopped" : isUntouched ? "nothing pushed yet" : record.lastOutcome?.word ?? "not polled yet"
        let lastData = record.lastChanged.map { "last data \(plan.zone.words($0))" } ?? "no data yet"
        var pace = source.isPushed ? "receives pushes; \(lastData)" : "every \(source.every.short)"
        if let due = state.schedule.nextPoll(of: source) {
            pace += isPolling ? "; polling now" : "; next poll in \(max(.zero, due - now).rough)"
            if !isPolling, let holder = state.schedule.holder(of: source) {
                pace += SourceWords.waits(for: holder.name)
            }
        }
        if !record.reasons.isEmpty { pace += " (\(record.reasons.map(\.words).joined(separator: ", ")))" }
        let failure = record.failure.map { failure in
            "\(failure.sentence) (\(failure.count.counted("time")) since \(plan.zone.words(failure.since)))"
        }
        let silence = record.silentSince.map { "no usable answer since \(plan.zone.words($0))" }
        return PageSource(
            name: source.name, state: word,
            isWell: isWell(source),
            pace: pace, trouble: record.stopped ?? failure ?? silence ?? record.warnings.first,
            lastGood: record.lastAnswer(of: source))
    }

    var channels: [PageChannel] {
        var queued: [String: Int] = [:]
        for delivery in state.outbox.deliveries.values { queued[delivery.channel, default: 0] += 1 }
        let ended = Dictionary(grouping: state.outbox.history, by: \.delivery.channel)
        let failed = Dictionary(grouping: state.failedDeliveries, by: \.delivery.channel)
        return plan.channels.map { channel in
            let record = state.outbox.channels[channel.name] ?? ChannelRecord()
            let entries = ended[channel.name] ?? []
            let dead = failed[channel.name] ?? []
            // One of some seconds would read as one until now.
            let pause =
                record.pausedUntil.flatMap {
                    $0 - now >= .minutes(1) ? "; paused until \(plan.zone.words($0))" : nil
                } ?? ""
            let trouble = record.lastError.map {
                "\(record.failures.counted("failed attempt")), the last: \($0)\(pause)"
            }
            let missing = missingPictures[channel.name].map { SourceWords.missingCharts($0.count, why: $0.why) }
            return PageChannel(
                name: channel.name, isInbox: inboxes.contains(channel.name),
                lastDelivered: entries.last { if case .delivered = $0.end { true } else { false } }?.at,
                hasForgotten: state.outbox.hasForgotten, queued: queued[channel.name] ?? 0,
                dead: dead.suffix(Most.dead).map(PageDelivery.init),
                deadCount: dead.count, trouble: trouble ?? missing)
        }
    }

    var mutes: [PageMute] {
        let set = state.mutes.inForce(at: now).map { mute in
            let nothing = plan.whyCoversNothing(mute).map { "covers nothing: \($0)" }
            return PageMute(
                id: mute.id, name: mute.id, covers: mute.match.sentence, from: mute.from, until: mute.until,
                isInForce: mute.from <= now && nothing == nil, by: mute.by,
                reason: [nothing, mute.reason].compactMap(\.self).joined(separator: "; "))
        }
        let written = plan.gates.filter { $0.gate.stage == .mutes || $0.gate.stage == .quietHours }.flatMap { gate in
            (gate.calendar?.schedule(from: now, count: 1) ?? []).map { span in
                PageMute(
                    id: nil, name: gate.name, covers: covers(gate), from: span.from, until: span.to.ifKnown,
                    isInForce: span.from <= now && now < span.to, by: nil, reason: gate.gate.purpose)
            }
        }
        return set + written
    }

    /// What a gate concerns, and what passes it whatever it says.
    private func covers(_ gate: GatePlan) -> String {
        [gate.match.sentence, gate.whereItHolds, gate.gate.except?.passing].compactMap(\.self).joined(separator: "; ")
    }
}

extension SourceRecord.Outcome {
    fileprivate var word: String {
        switch self {
        case .values: "answers"
        case .noData: "answers without figures"
        case .stale: "answers with old figures"
        case .unchanged: "answers, nothing new"
        case .failed: "fails"
        }
    }
}

extension PollReason {
    fileprivate var words: String {
        switch self {
        case .failing: "failing"
        case .unchanged: "unchanged"
        case .calm: "calm"
        case .idle: "idle: nobody would be notified"
        case .lowPower: "low power"
        case .near: "near a limit"
        case .told: "asked to wait"
        }
    }
}
