internal import PluginKit

/// What can be wrong with the bot itself. Its troubles are incidents like any other, of the app `alertbot`.
public enum Trouble: String, Hashable, Sendable, CaseIterable {
    /// A source has given no usable answer for too long.
    case sourceFailing = "source-failing"
    /// A source is not polled any more because its credential was refused.
    case sourceStopped = "source-stopped"
    /// A message could not be delivered and never will be, or waits for too long.
    case channelFailing = "channel-failing"
    /// The journal can not be written: the disk is full, or broken.
    case journalFailing = "journal-failing"

    /// What a trouble of the journal is about, where others name a source or a channel.
    static let journal = "journal"

    /// The time between reminders of a trouble.
    public static let repeatInterval = Duration.hours(24)
}

extension Turn {
    /// Opens an incident about a source or a channel of the bot, unless there is one already.
    mutating func raiseTrouble(_ trouble: Trouble, about name: String, severity: Severity, _ sentence: String) {
        let subject = Subject(source: name, app: Subject.botApp)
        let identity = IncidentKey(rule: trouble.rawValue, subject: subject)
        if var known = state.incidentIDs[identity].flatMap({ state.incidents[$0] }) {
            guard severity > known.severity else { return }
            known.severity = severity
            // Somebody took care of something that was not as bad.
            known.acknowledgement = nil
            known.evidence = Evidence(sentence: sentence)
            record(.incident(known))
            revisit(known.id)
            return
        }
        var incident = Incident(
            rule: trouble.rawValue, subject: subject, labels: [:], severity: severity, since: now,
            evidence: Evidence(sentence: sentence))
        incident.state = .firing
        record(.incident(incident))
        revisit(incident.id)
    }

    /// What is accepted must be safe, so while the journal can not be written nothing is accepted; polls and rules go on.
    /// Only the message that says so leaves all the same.
    mutating func takeJournal(_ trouble: String?) {
        let wasFailing = state.journalTrouble != nil
        state.journalTrouble = trouble
        if let trouble {
            raiseTrouble(
                .journalFailing, about: Trouble.journal, severity: .critical,
                "The journal can not be written, so nothing new is told until it can be: \(trouble)")
        } else {
            clearTrouble(.journalFailing, about: Trouble.journal)
            guard wasFailing else { return }
            for incident in state.incidentsInOrder { revisit(incident.id) }
            // What was accepted before could not leave.
            for channel in plan.channels { dispatchSoon(channel.name) }
        }
    }

    /// Whether an incident is about the journal itself.
    func isAboutJournal(_ incident: String?) -> Bool {
        incident.flatMap { state.incidents[$0] }?.rule == Trouble.journalFailing.rawValue
    }

    /// Whether people were told that the channel fails.
    func isFailing(_ channel: String) -> Bool {
        let subject = Subject(source: channel, app: Subject.botApp)
        return state.incidentIDs[IncidentKey(rule: Trouble.channelFailing.rawValue, subject: subject)] != nil
    }

    /// Ends a trouble; gives back whether there was one.
    @discardableResult
    mutating func clearTrouble(_ trouble: Trouble, about name: String) -> Bool {
        let subject = Subject(source: name, app: Subject.botApp)
        guard let id = state.incidentIDs[IncidentKey(rule: trouble.rawValue, subject: subject)],
            let incident = state.incidents[id]
        else { return false }
        resolve(incident, because: "It works again.")
        return true
    }
}
