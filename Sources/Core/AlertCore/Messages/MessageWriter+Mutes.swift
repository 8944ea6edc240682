internal import PluginKit

// What a channel reads of a mute: that it is in force, that it has ended, and what it covers.

extension MessageWriter {
    /// What is muted, until when, by whom and why; then what goes on meanwhile, the worst first.
    ///
    /// - Parameter covered: what goes on, and since when nothing is known of it, where that is so.
    func message(of mute: Mute, covering covered: [(incident: Incident, silence: Silence?)]) -> Message {
        begin()
        let incidents = covered.map(\.incident)
        let what = words.sentence(of: mute.match)
        let headline =
            mute.by.map { words(.muteHeadlineBy, [.who: $0, .what: what]) } ?? words(.muteHeadline, [.what: what])
        var message = digest(
            of: incidents.prefix(MessageWriter.membersMax), incidents.map(\.severity).max(), headline,
            reason: words[.muteWhy])
        message.isOfMute = true
        message.fields = [Message.Field(words[.fieldUntil], clock(mute.until))]
        if let reason = mute.reason, !reason.isEmpty {
            message.fields.append(Message.Field(words[.fieldReason], reason))
        }
        let lines = covered.map { incident, silence in
            // What is getting better is not still so bad: what was reported of it is said once more.
            let kind: Notification.Kind = incident.state == .recovering && silence == nil ? .opened : .reminder
            let mark = Message.mark(kind: kind, severity: incident.severity)
            return "\(mark) \(self.headline(incident, kind, silence))"
        }
        list(lines, in: &message)
        message.links = statusLinks
        message.footer = words(.muteFooter, [.name: mute.id])
        return message
    }

    /// That a mute has ended before its time; what is wrong is said by itself.
    func message(ofEnded mute: Mute, covering incidents: [Incident]) -> Message {
        begin()
        var message = digest(
            of: incidents.prefix(MessageWriter.membersMax), incidents.map(\.severity).max(),
            words(.muteEnded, [.what: words.sentence(of: mute.match)]))
        message.isOfMute = true
        message.footer = words(.muteFooter, [.name: mute.id])
        return message
    }
}

extension Words {
    /// `app shop-*, rule floor`, or `everything`; names stay as they are written, whatever language is around them.
    func sentence(of match: Match) -> String {
        guard !match.conditions.isEmpty else { return self[.muteEverything] }
        return match.conditions.map(clause).joined(separator: ", ")
    }

    private func clause(_ condition: Match.Condition) -> String {
        let names = condition.patterns.map { pattern -> String in
            let severity = condition.property == "severity" ? Severity(rawValue: pattern.pattern) : nil
            return severity.map(name(of:)) ?? pattern.pattern.tamed
        }
        let all = names.dropFirst().reduce(names.first ?? "") { self(.muteOr, [.name: $0, .other: $1]) }
        guard let id = Words.properties[condition.property] else {
            return self(.muteLabel, [.name: condition.property.tamed, .names: all])
        }
        return self(id, [.names: all])
    }

    /// Other names are a team's own labels.
    private static let properties: [String: PhraseID] = [
        "source": .muteSource, "app": .muteApp, "release": .muteRelease, "environment": .muteEnvironment,
        "rule": .muteRule, "severity": .muteSeverity, "issue": .muteIssue,
    ]
}
