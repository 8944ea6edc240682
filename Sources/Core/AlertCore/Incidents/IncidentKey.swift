internal import PluginKit

/// What identifies an open incident.
struct IncidentKey: Hashable, Sendable, Comparable {
    let rule: String
    let subject: Subject
    var key: String?

    static func < (left: IncidentKey, right: IncidentKey) -> Bool {
        (left.rule, left.subject, left.key ?? "") < (right.rule, right.subject, right.key ?? "")
    }
}

extension Incident {
    var identity: IncidentKey { IncidentKey(rule: rule, subject: subject, key: key) }

    /// Whether a rule that watches sources says it of its source as a whole, which goes by the source's name. An app may
    /// have that name, too: what is said tells which is meant, also in journals of earlier versions.
    var isOfWholeSource: Bool {
        subject == Subject(source: subject.source, app: subject.source)
            && ![.staleApp, .staleAppSilent, .staleAppOver].contains(evidence.phrase?.id)
    }

    /// Whether it fires or has fired.
    var hasFired: Bool { state != .pending }
}

extension IncidentSummary {
    var identity: IncidentKey { IncidentKey(rule: rule, subject: subject, key: key) }
}

extension [Incident] {
    /// By the time they began; the id settles ties, so that every run agrees.
    var inOrder: [Incident] { sorted { ($0.since, $0.id) < ($1.since, $1.id) } }
}

/// Finds open incidents by what identifies them; first by the subject, for of most nothing is open.
struct IncidentIndex: Sendable {
    /// By subject, rule and key.
    private var ids: [Subject: [String: [String?: String]]] = [:]

    subscript(_ identity: IncidentKey) -> String? {
        get { ids[identity.subject]?[identity.rule]?[identity.key] }
        set {
            ids[identity.subject, default: [:]][identity.rule, default: [:]][identity.key] = newValue
            guard newValue == nil, self[identity.subject, identity.rule].isEmpty else { return }
            ids[identity.subject]?[identity.rule] = nil
            guard ids[identity.subject]?.isEmpty == true else { return }
            ids[identity.subject] = nil
        }
    }

    /// The ids of what a rule has open about a subject, by key.
    subscript(_ subject: Subject, _ rule: String) -> [String?: String] { ids[subject]?[rule] ?? [:] }

    /// The ids of all that is open about a subject, in no order.
    func ids(of subject: Subject) -> [String] { ids[subject]?.values.flatMap(\.values) ?? [] }

    /// Whether any rule has anything open about the subject.
    func isOpen(_ subject: Subject) -> Bool { ids[subject] != nil }
}
