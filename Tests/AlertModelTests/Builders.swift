import Chance
import Testing

@testable import AlertModel

// Values made at random, with everything optional sometimes there and sometimes not.
extension SeededRandom {
    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    mutating func maybe<Value>(_ make: (inout SeededRandom) -> Value) -> Value? { happens(0.6) ? make(&self) : nil }

    mutating func list<Value>(upTo count: Int, _ make: (inout SeededRandom) -> Value) -> [Value] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in make(&self) }
    }

    mutating func moment() -> Moment {
        Moment(milliseconds: Int64.random(in: 0...4_102_444_800_000, using: &self))
    }

    mutating func span() -> TimeSpan {
        TimeSpan(lasting: .milliseconds(Int64.random(in: 1...86_400_000, using: &self)), until: moment())
    }

    mutating func word() -> String { text() + one(of: ["a", "b", "c-1"]) }

    mutating func words() -> [String: String] {
        Dictionary(list(upTo: 3) { ($0.word(), $0.text()) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func subject() -> Subject {
        Subject(source: word(), app: word(), release: maybe { $0.text() }, environment: maybe { $0.text() })
    }

    mutating func count() -> Double { Double(Int.random(in: 0...1_000_000, using: &self)) }

    mutating func metrics() -> Metrics {
        var metrics: Metrics = ["users": 1_000_001, "sessions": 1_000_001]
        if happens(0.5) { metrics["crashed_users"] = count() }
        if happens(0.5) { metrics["crash_free_sessions"] = Double.random(in: 0...1, using: &self) }
        if happens(0.5) { metrics[word()] = double() }
        return metrics
    }

    mutating func issue() -> AlertModel.Issue {
        AlertModel.Issue(
            id: word(), title: text(), events: maybe { $0.count() }, users: maybe { $0.count() },
            firstSeen: maybe { $0.moment() }, lastSeen: maybe { $0.moment() }, returned: maybe { $0.moment() },
            release: maybe { $0.text() },
            status: maybe { $0.text() }, url: maybe { $0.text() })
    }

    mutating func observation() -> Observation {
        let span = span()
        return Observation(
            subject: subject(), span: span, seen: span.to + .seconds(.random(in: -3600...86_400, using: &self)),
            isComplete: happens(0.5), metrics: metrics(), issues: list(upTo: 4) { $0.issue() }, labels: words())
    }

    /// A limit as a config can write it.
    mutating func comparison() -> Comparison {
        let relation = one(of: Comparison.Relation.allCases)
        guard happens(0.5) else { return Comparison(relation, happens(0.5) ? count() : double(), isPercentage: false) }
        return Comparison(relation, Double(Int.random(in: 0...1_000_000, using: &self)) / 1_000_000, isPercentage: true)
    }

    mutating func evidence() -> Evidence {
        Evidence(
            metric: maybe { $0.word() },
            figure: maybe { random in
                Figure(value: random.double(), share: random.maybe { Share(hits: $0.count(), of: $0.count()) })
            }, limit: maybe { $0.comparison() }, confidence: maybe { Double.random(in: 0.5..<1, using: &$0) },
            bound: maybe { $0.double() }, span: maybe { $0.span() }, issue: maybe { $0.issue() }, sentence: text())
    }

    mutating func reason() -> Reason {
        let name = one(of: ["nights", "a:b", "é"])
        return one(of: [
            .first, .escalated, .repeat, .revised, .resolved, .muted(name), .quietHours(name), .flapping,
            .gate(plugin: "budget", name: name), .unannounced, .overtaken,
        ])
    }

    mutating func hold() -> Hold {
        var hold = Hold(
            kind: one(of: Notification.Kind.allCases), severity: one(of: Severity.allCases), reason: reason(),
            since: moment(), until: moment(), checkAgain: moment(), summarizes: happens(0.5),
            isForSummary: happens(0.5),
            gathering: maybe { Gathering(gate: $0.word(), key: $0.text(), style: $0.one(of: Gathering.Style.allCases)) }
        )
        hold.earlier = list(upTo: 2) { $0.reason() }
        return hold
    }

    mutating func standing() -> Standing {
        Standing(
            announced: maybe { $0.one(of: Severity.allCases) }, dropped: maybe { $0.one(of: Severity.allCases) },
            droppedBy: maybe { $0.reason() }, firstSaid: maybe { $0.moment() }, lastSaid: maybe { $0.moment() },
            reminders: Int(count()),
            said: maybe {
                Said(metric: $0.word(), value: $0.double(), span: $0.span(), limit: $0.maybe { $0.comparison() })
            }, hold: maybe { $0.hold() })
    }

    mutating func incident() -> Incident {
        var incident = Incident(
            rule: word(), subject: subject(), labels: words(), severity: one(of: Severity.allCases), since: moment(),
            evidence: evidence())
        incident.state = one(of: Incident.State.allCases)
        incident.until = maybe { $0.moment() }
        incident.worst = evidence()
        incident.isUncertain = happens(0.5)
        if happens(0.5) { incident.worsened[one(of: Severity.allCases)] = moment() }
        for channel in list(upTo: 3, { $0.word() }) { incident.standings[channel] = standing() }
        return incident
    }

    mutating func message() -> Message {
        let mark = maybe { "\($0.one(of: Message.Mark.allCases).rawValue) " } ?? ""
        var message = Message(
            kind: one(of: Notification.Kind.allCases), severity: one(of: Severity.allCases), at: moment(),
            headline: mark + text(),
            fields: list(upTo: 3) { .init($0.text(), $0.text()) }, reason: text(),
            issues: list(upTo: 3) { random in
                .init(title: random.text(), detail: random.text(), url: random.maybe { $0.text() })
            }, sparkline: maybe { $0.text() }, lines: list(upTo: 3) { $0.text() },
            links: list(upTo: 3) { .init($0.text(), $0.text(), isOwn: $0.happens(0.5)) }, footer: text(),
            incidents: list(upTo: 2) { IncidentSummary($0.incident()) })
        message.announces = maybe { $0.one(of: Severity.allCases) }
        message.labels = words()
        // What a team's own template says in its place.
        if happens(0.3) { message.headline = text() }
        message.isOfMute = happens(0.2)
        message.linesLeftOut = happens(0.2) ? Int.random(in: 1...999, using: &self) : 0
        return message
    }

    mutating func delivery() -> Delivery {
        let phase: Delivery.Phase = happens(0.5) ? .waiting(notBefore: moment()) : .attempting(since: moment())
        var delivery = Delivery(
            id: word(), channel: word(), number: Int.random(in: 0...Int.max, using: &self),
            kind: one(of: Notification.Kind.allCases), incident: maybe { $0.word() }, message: message(),
            queued: moment())
        delivery.progress.attempts = Int.random(in: 0...99, using: &self)
        delivery.progress.phase = phase
        delivery.progress.possiblyRepeated = happens(0.5)
        delivery.progress.isPlain = happens(0.5)
        delivery.isAgain = happens(0.2)
        delivery.escalated = happens(0.2) ? [word(), word()] : []
        return delivery
    }

    mutating func historyEntry() -> EndedDelivery {
        let end: DeliveryEnd = one(of: [
            .delivered(receipt: nil), .delivered(receipt: text()), .replaced, .dead(text()),
        ])
        return EndedDelivery(delivery: delivery(), end: end, at: moment())
    }

    /// What comes of some observations around one day, in any order.
    mutating func series() -> Series {
        var series = Series()
        let day = moment()
        for _ in 0..<Int.random(in: 1...12, using: &self) {
            var observation = observation()
            observation.span = TimeSpan(
                lasting: .minutes(.random(in: 1...90, using: &self)),
                until: day + .minutes(.random(in: 0...1440, using: &self)))
            series.add(observation, keeping: .hours(6))
        }
        return series
    }

    /// The value with one of its parts replaced or removed, somewhere inside.
    mutating func damaged(_ value: JSON) -> JSON {
        switch value {
        case .array(var elements) where !elements.isEmpty && happens(0.8):
            let index = Int.random(in: elements.indices, using: &self)
            elements[index] = damaged(elements[index])
            return .array(elements)
        case .object(var object) where !object.members.isEmpty && happens(0.9):
            let member = one(of: object.members)
            object[member.name] = happens(0.2) ? nil : damaged(member.value)
            return .object(object)
        default:
            return happens(0.5)
                ? json(depth: 2)
                : one(of: [.null, -1, .int(.max), .double(-1e308), "", "0001-01-01T00:00:00Z", [], [:]])
        }
    }
}
