import AlertTesting
import Chance
import DependsOnGate
import PluginKit
import PluginTesting
import Testing

@testable import AlertCore

/// What is looked up instead of looked for: the answers must be those of a plain look at everything.
@Suite struct `What is looked up` {
    private let start = Moment.rehearsalStart

    // MARK: What explains others

    private static let causes = [
        "source=ios", "app=b*", "app=bank severity=critical", "rule=floor", "issue=7", "team=core",
    ]

    private func gates(_ causes: [String]) throws -> [GatePlan] {
        try causes.enumerated().map { try GatePlan.rule(DependsOnGate.self, "because-\($0)", ["when": $1]) }
    }

    private func evidence(_ random: inout SeededRandom) -> Evidence {
        random.happens(0.3) ? Evidence(issue: Issue(id: "7", title: "crash"), sentence: "") : Evidence(sentence: "")
    }

    private func incident(_ random: inout SeededRandom) -> Incident {
        var incident = Incident(
            rule: random.pick(["floor", "drop"]) ?? "floor",
            subject: Subject(
                source: random.pick(["ios", "web"]) ?? "ios", app: random.pick(["bank", "bar", "shop"]) ?? "shop"),
            labels: random.happens(0.5) ? ["team": "core"] : [:],
            severity: random.pick(Severity.allCases) ?? .warning, since: start + .minutes(Int64(random.below(6))),
            evidence: evidence(&random))
        incident.state = random.pick([.pending, .firing, .firing, .recovering, .resolved, .closed]) ?? .firing
        if incident.state == .recovering { incident.betterSince = start + .minutes(Int64(random.below(120))) }
        return incident
    }

    @Test func `what explains others is what a look at all incidents finds`() throws {
        var random = SeededRandom(printedFor: "what explains others")
        var incidents = State().incidents
        let plans = try [Self.causes, Array(Self.causes.prefix(2)), []].map { Plan.rehearsed(gates: try gates($0)) }
        let matches = try gates(Self.causes).compactMap(\.gate.waitsFor)
        let now = start + .hours(2)
        for _ in 0..<600 {
            let known = random.pick(incidents.all.map(\.id).sorted())
            switch (random.below(8), known) {
            case (0, let id?): incidents.apply(.ended(id: id))
            case (1, let id?):
                let state: Incident.State = random.happens(0.5) ? .firing : .recovering
                if incidents[id]?.isOpen == true, incidents[id]?.state != .pending {
                    incidents.apply(.seen(incident: id, state, evidence(&random), isWorst: random.happens(0.5)))
                }
            case (2, let id?):
                incidents.apply(.standing(incident: id, channel: "team", Standing(announced: .warning)))
            case (3, _): if let plan = random.pick(plans) { incidents.serve(plan) }
            default: incidents.apply(.incident(incident(&random)))
            }
            for match in matches {
                let expected = incidents.all.filter { incident in
                    incident.isOpen && incident.state != .pending && match.fits(incident.property)
                        && incident.betterSince.map { now < $0 + Duration.hours(1) } ?? true
                }
                #expect(Set(incidents.explaining(match, at: now).map(\.id)) == Set(expected.map(\.id)))
                let (isAny, isWarned) = (!expected.isEmpty, expected.contains { $0.severity == .warning })
                let isExplained = incidents.isExplained(by: match, at: now) { _ in true }
                let isExplainedByWarning = incidents.isExplained(by: match, at: now) { $0.severity == .warning }
                #expect(isExplained == isAny && isExplainedByWarning == isWarned)
            }
        }
    }

    @Test func `of thousands that explain it is enough to look at one`() throws {
        var incidents = State().incidents
        incidents.serve(.rehearsed(gates: try gates(["app=b*"])))
        for number in 0..<2000 {
            var incident = Incident(
                rule: "floor", subject: Subject(source: "ios", app: "b\(number)"), labels: [:], severity: .critical,
                since: start, evidence: Evidence(sentence: ""))
            incident.state = .firing
            incidents.apply(.incident(incident))
        }
        var asked = 0
        let isExplained = incidents.isExplained(by: .on(["app": "b*"]), at: start) { _ in
            asked += 1
            return true
        }
        #expect(isExplained && asked == 1)
    }

    // MARK: What is gathered

    @Test func `the first of what is gathered is the first of all, whoever comes and goes`() {
        var random = SeededRandom(printedFor: "what is gathered")
        var gathered = Timers<String>()
        var plain: [String: Moment] = [:]
        for _ in 0..<5000 {
            let id = "i\(random.below(40))"
            let since = random.happens(0.6) ? start + .seconds(Int64(random.below(20))) : nil
            gathered.set(id, since)
            plain[id] = since
            #expect(gathered.first?.due == plain.values.min())
            #expect(gathered.first.flatMap { plain[$0.key] } == gathered.first?.due)
            #expect(Set(gathered.keys) == Set(plain.keys) && gathered.isEmpty == plain.isEmpty)
        }
    }

    // MARK: Rules of a source

    private func rule(_ number: Int, _ match: Match) -> DetectorPlan {
        let detector = ScriptedDetector(lookback: .minutes(Int64(number + 1)))
        return DetectorPlan(name: "rule-\(number)", detector: detector, match: match)
    }

    @Test func `the rules of a source are those of all that may concern it, in their order`() {
        var random = SeededRandom(printedFor: "rules of a source")
        let names = (0..<6).map { "s\($0)" }
        for _ in 0..<100 {
            let rules = (0..<random.below(12)).map { number in
                var patterns = (0..<1 + random.below(3)).map { _ in random.pick(names + ["s*", "s?", "*2"]) ?? "s1" }
                if random.happens(0.2) { patterns = [] }
                let condition = Match.Condition(property: "source", patterns: patterns.map { Glob($0) })
                return rule(number, random.happens(0.3) ? .all : Match([condition]))
            }
            let plan = Plan.rehearsed(sources: names.map { .steady($0) }, detectors: rules)
            for name in names + ["stranger"] {
                let expected = rules.filter { $0.canConcern(source: name) }.map(\.name)
                #expect(plan.rules(of: name).filter { $0.canConcern(source: name) }.map(\.name) == expected)
                let lookback = rules.filter { $0.canConcern(source: name) }.map(\.detector.lookback).max() ?? .zero
                #expect(plan.retention(of: name) == Retention(lookback, earlierPolls: 0))
            }
            for rule in rules {
                #expect(plan.sources(of: rule).map(\.name) == names.filter { rule.canConcern(source: $0) })
            }
        }
    }

    @Test func `a poll looks at the rules of its own source, however many others there are`() {
        let names = (0..<1000).map { "s\($0)" }
        var rules = names.indices.map { rule($0, .on(["source": names[$0]])) }
        rules.insert(rule(1000, .all), at: 500)
        let plan = Plan.rehearsed(sources: names.map { .steady($0) }, detectors: rules)
        #expect(plan.rules(of: "s7").map(\.name) == ["rule-7", "rule-1000"])
        #expect(plan.rules(of: "s700").map(\.name) == ["rule-1000", "rule-700"])
        #expect(plan.rules(of: "stranger").map(\.name) == ["rule-1000"])
    }

    // MARK: Mutes

    @Test func `mutes stand in the order in which they end, and the last that covers something counts`() {
        var random = SeededRandom(printedFor: "mutes")
        var mutes = State().mutes
        var plain: [String: Mute] = [:]
        for _ in 0..<1000 {
            let id = "m\(random.below(20))"
            if random.happens(0.3) {
                mutes.apply(.ended(id: id))
                plain[id] = nil
            } else {
                let from = start + .minutes(Int64(random.below(10)))
                let match = Match.on(["app": random.pick(["shop", "b*", "bank"]) ?? "shop"])
                let mute = Mute(id: id, match: match, from: from, until: from + .minutes(1 + Int64(random.below(10))))
                mutes.apply(.mute(mute))
                plain[id] = mute
            }
            let order = plain.values.sorted { ($0.until, $0.id) < ($1.until, $1.id) }
            #expect(mutes.inOrder == order)
            let now = start + .minutes(Int64(random.below(20)))
            for app in ["shop", "bank"] {
                let incident = Incident(
                    rule: "floor", subject: Subject(source: "ios", app: app), labels: [:], severity: .warning,
                    since: start, evidence: Evidence(sentence: ""))
                let notification = Notification(
                    incident: incident, kind: .opened, severity: .warning, channel: "team")
                let expected = order.last {
                    $0.from <= now && now < $0.until && $0.match.fits(notification.property)
                }
                #expect(mutes.closure(for: notification, at: now)?.reason == expected.map { Reason.muted($0.id) })
            }
        }
    }

    // MARK: Promises

    /// Each poll looks at all that is open, and promises anew to remind of it in hours.
    @Test func `promises of many that are made again at every poll do not pile up`() {
        var timers = Timers<Int>()
        let far = start + .days(1)
        for minute in 0..<6 {
            let now = start + .minutes(Int64(minute))
            for key in 0..<1000 { timers.set(key, now) }
            for _ in 0..<1000 { #expect(timers.popDue(now) != nil) }
            for key in 0..<1000 { timers.set(key, far) }
            #expect(timers.entryCount <= 2 * 1000 + 64)
        }
        #expect(timers.next == far)
    }
}
