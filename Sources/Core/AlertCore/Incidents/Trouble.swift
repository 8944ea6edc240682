public import PluginKit

/// What can be wrong with the bot itself. Its troubles are incidents like any other, of the app `alertbot`.
public enum Trouble: String, Hashable, Sendable, CaseIterable {
    /// A source has given no usable answer for too long.
    case sourceFailing = "source-failing"
    /// A source is not polled any more because its credential was refused.
    case sourceStopped = "source-stopped"
    /// The answers of a source have lacked a part for too long. Its name is like none of the two above: whatever waits while a
    /// source gives no figures does not wait for this.
    case partialAnswers = "partial-answers"
    /// A message could not be delivered and never will be, or waits for too long.
    case channelFailing = "channel-failing"
    /// The journal cannot be written: the disk is full, or broken.
    case journalFailing = "journal-failing"
    /// The journal had damage when the bot started: it knows less than it did.
    case journalDamaged = "journal-damaged"
    /// The config on the disk has errors, so the bot goes on with the one it has.
    case configRefused = "config-refused"
    /// A template gives no message, so the built-in text was sent.
    case templateFailing = "template-failing"
    /// The wall clock was set: what counts time moved along, what follows the calendar did not.
    case clockStepped = "clock-stepped"

    /// What a trouble of the journal is about, where others name a source or a channel.
    static let journal = "journal"
    /// The same for the config.
    static let config = "config"
    /// The same for the clock.
    static let clock = "clock"
    /// What troubles can be about besides sources and channels.
    public static let things = [journal, config, clock]

    /// How long a clock that was set stays an open incident, so that who comes back to work sees it: as long as a clock
    /// that is set again and again takes to show.
    static let clockLifetime = Duration.hours(1)
    /// The same for a journal that was damaged, which nobody may notice before the next working day: a day.
    static let damageLifetime = Duration.days(1)
    /// How long a template that failed stays an open incident, whatever it gives meanwhile.
    static let templateLifetime = Duration.days(1)
    /// Smaller steps are adjustments, which are only logged: no rule, window or reminder is shorter than a minute.
    static let clockStepMin = Duration.minutes(1)

    /// The time between reminders, as of any other incident; nil for what has happened and does not last.
    public var repeatInterval: Duration? {
        switch self {
        case .clockStepped, .journalDamaged, .templateFailing: nil
        case .sourceFailing, .sourceStopped, .partialAnswers, .channelFailing, .journalFailing, .configRefused:
            RuleSettings.remindsAfter
        }
    }

    /// How bad it is when it begins. Only a channel gets worse: it is critical once a message was given up.
    public var leastSeverity: Severity {
        switch self {
        case .sourceStopped, .journalFailing: .critical
        case .sourceFailing, .partialAnswers, .channelFailing, .journalDamaged, .configRefused, .templateFailing,
            .clockStepped:
            .warning
        }
    }

    /// Whether there is only one thing that it can be about, so that its name says all.
    var isOfOne: Bool {
        switch self {
        case .journalFailing, .journalDamaged, .configRefused, .clockStepped: true
        case .sourceFailing, .sourceStopped, .partialAnswers, .channelFailing, .templateFailing: false
        }
    }

    /// What is said at its end.
    fileprivate var end: Phrase {
        switch self {
        case .clockStepped: Phrase(.overClock)
        case .templateFailing: Phrase(.overTemplate)
        case .configRefused: Phrase(.overConfig)
        case .journalDamaged: Phrase(.overDamage)
        case .partialAnswers: Phrase(.overLack)
        case .sourceFailing, .sourceStopped, .channelFailing, .journalFailing: Phrase(.overWorks)
        }
    }

    /// What else may be open about the same failure: one broken source is one incident.
    fileprivate var twin: Trouble? {
        switch self {
        case .sourceFailing: .sourceStopped
        case .sourceStopped: .sourceFailing
        case .partialAnswers, .channelFailing, .journalFailing, .journalDamaged, .configRefused, .templateFailing,
            .clockStepped:
            nil
        }
    }

    /// What identifies the incident of a trouble with something of that name.
    func identity(about name: String) -> IncidentKey {
        IncidentKey(rule: rawValue, subject: Subject(source: name, app: Subject.botApp))
    }
}

extension Incidents {
    /// Opens an incident about a source or a channel of the bot, unless there is one already that is as bad. One that is not
    /// as bad gets worse, and goes on under this trouble's name; so does, without a word, what was as bad for another
    /// reason, or has another cause by now: its reminders say what is wrong now.
    ///
    /// - Parameter since: when it began. What is late to be noticed began before now.
    mutating func raise(
        _ trouble: Trouble, about name: String, severity: Severity, since: Moment,
        _ evidence: Evidence, at now: Moment, _ output: inout Output
    ) -> Touch? {
        let identity = trouble.identity(about: name)
        let same = self[identity: identity]
        if var known = same ?? trouble.twin.flatMap({ self[identity: $0.identity(about: name)] }) {
            let isWorse = severity > known.severity
            guard isWorse || same == nil else {
                // That a message is late is not why others were given up; what is wrong with a source is said last.
                let isCause = severity == known.severity || trouble.twin != nil
                if isCause, evidence != known.evidence {
                    record(.seen(incident: known.id, known.state, evidence, isWorst: true), &output)
                }
                return nil
            }
            known.goOn(under: trouble.rawValue)
            known.evidence = evidence
            if isWorse {
                known.become(severity, at: now)
                // Somebody took care of something that was not as bad.
                known.leaveUnattended(at: now)
            }
            record(.incident(known), &output)
            return isWorse ? .revisit(known.id) : nil
        }
        var incident = Incident(
            rule: trouble.rawValue, subject: identity.subject, labels: [:], severity: severity, since: since,
            openedAt: now, evidence: evidence)
        incident.state = .firing
        record(.incident(incident), at: now, &output)
        return .revisit(incident.id)
    }

    /// Ends a trouble; nil where there was none.
    mutating func clear(_ trouble: Trouble, about name: String, at now: Moment, _ output: inout Output) -> Touch? {
        self[identity: trouble.identity(about: name)].map {
            resolve($0, because: trouble.end, at: now, &output)
        }
    }

    /// The channels that gave a message up, and have taken none since.
    func deadChannels(_ plan: Plan) -> Set<String> {
        Set(
            plan.channels.map(\.name).filter {
                self[identity: Trouble.channelFailing.identity(about: $0)]?.severity == .critical
            })
    }

    /// The same, where they change who hears of an incident.
    func deadChannels(for incident: Incident, _ plan: Plan) -> Set<String> {
        incident.subject.app == Subject.botApp ? deadChannels(plan) : []
    }

    /// Whether an incident is about the journal itself.
    func isAboutJournal(_ id: String) -> Bool { self[id]?.rule == Trouble.journalFailing.rawValue }
}
