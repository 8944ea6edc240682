public import PluginKit

/// A detector at work without a bot: it is shown what a source saw, poll by poll, as the core would show it.
///
///     var rehearsal = DetectorRehearsal(try WrittenOptions(…).detector(BusyDetector.self))
///     rehearsal.see(["sessions": 1200])
///     #expect(rehearsal.verdict == .firing(.warning))
///
/// Only what the core keeps is shown: figures that make no sense are left out, and of the past the rule sees what its
/// `lookback` and its `earlierPolls` ask for. How long something must hold, and who is told, is no matter of a
/// detector.
public struct DetectorRehearsal: Sendable {
    private let rule: any Detector
    private let retention: Retention
    private var series: [Subject: Series] = [:]
    private var open: [Finding.Thing: Sight.Tracked] = [:]
    private var lastGood: [String: Moment] = [:]

    /// The time at which the rule was asked last.
    public private(set) var now: Moment
    /// What the rule said then; each names its subject.
    public private(set) var findings: [Finding] = []

    /// - Parameter start: when the first poll may come.
    public init(_ rule: some Detector, at start: Moment = DetectorConformance.now) {
        self.init(rule, at: start, keeping: Retention(rule.lookback, earlierPolls: rule.earlierPolls))
    }

    /// - Parameter retention: what is kept; other rules of a bot may ask for more.
    init(_ rule: some Detector, at start: Moment, keeping retention: Retention) {
        self.rule = rule
        self.retention = retention
        now = start
    }

    // MARK: What the source saw

    /// Lets a poll see figures of one subject, of the span from the last poll to this one.
    @discardableResult
    public mutating func see(
        _ metrics: Metrics, issues: [Issue] = [], of subject: Subject = .rehearsed,
        after pause: Duration = .minutes(5), isComplete: Bool = true
    ) -> [Finding] {
        let time = now + pause
        return see([
            Observation(
                subject: subject, span: TimeSpan(lasting: pause, until: time), seen: time, isComplete: isComplete,
                metrics: metrics, issues: issues)
        ])
    }

    /// Lets one poll see observations; asks the rule about everything that it concerns, and gives back what it says.
    @discardableResult
    public mutating func see(_ observations: [Observation]) -> [Finding] {
        take(observations)
        let subjects = observations.map(\.subject)
        ask(about: subjects)
        return findings
    }

    /// Lets time pass without a poll, and asks about everything again.
    @discardableResult
    public mutating func wait(_ time: Duration) -> [Finding] {
        now = now + time
        ask(about: series.keys.sorted())
        return findings
    }

    /// Writes down all that is kept, and reads it again, as a bot does that is restarted.
    public mutating func restart() throws(RestartError) {
        let kinds = kinds
        for (subject, kept) in series {
            do {
                series[subject] = try Series(JSONReader(JSON(parsing: kept.bytes)), kinds)
            } catch {
                throw RestartError(description: "\(error)")
            }
        }
    }

    /// What is kept cannot be read again.
    public struct RestartError: Error, CustomStringConvertible {
        public let description: String
    }

    // MARK: What the rule says

    /// The worst that the rule said last: the severest alarm, else that it cannot judge, else that all is well; nil
    /// when it said nothing at all.
    public var verdict: Judgement.Verdict? {
        let verdicts = findings.map(\.judgement.verdict)
        let alarms = verdicts.compactMap { if case .firing(let severity) = $0 { severity } else { nil } }
        if let worst = alarms.max() { return .firing(worst) }
        return verdicts.first { if case .unknown = $0 { true } else { false } } ?? verdicts.first
    }

    /// Why, as people read it: of the worst that the rule said last.
    public var sentence: String? {
        findings.first { $0.judgement.verdict == verdict }?.judgement.evidence.sentence
    }

    // MARK: As the core does it

    private var kinds: MemoryKinds { MemoryKinds(type(of: rule).memories) }

    /// - Parameter wild: whether figures are taken that the core would never let through.
    mutating func take(_ observations: [Observation], wild: Bool = false) {
        for observation in observations {
            now = max(now, observation.seen)
            lastGood[observation.subject.source] = now
            guard let kept = wild ? observation : try? observation.written(),
                wild || kept.metrics.exaggeration == nil
            else { continue }
            var known = series[kept.subject] ?? Series(remembering: kinds)
            known.remember(rule.needs)
            known.add(kept, keeping: retention, after: kept.issues.isEmpty ? .none : elders(of: kept.subject))
            series[kept.subject] = known
        }
    }

    private func elders(of subject: Subject) -> Elders {
        let others = series.filter { $0.key.source == subject.source }
        return Elders(
            others.filter { $0.key.whole == subject.whole && $0.key != subject }.map(\.value),
            sourceBegan: others.compactMap(\.value.firstSeen).min())
    }

    mutating func ask(about subjects: [Subject]) {
        findings = answers(to: sights(of: subjects))
        for finding in findings {
            let thing = finding.thing
            switch finding.judgement.verdict {
            case .firing(let severity):
                let since = open[thing]?.since ?? now
                open[thing] = Sight.Tracked(subject: thing.subject, key: thing.key, severity: severity, since: since)
            case .ok(recovered: true): open[thing] = nil
            case .ok, .unknown: break
            }
        }
    }

    /// What the rule says of these sights now, each finding with its subject; nothing changes.
    func answers(to sights: [Sight]) -> [Finding] {
        sights.flatMap { sight in
            rule.findings(in: sight, at: now).map { finding in
                Finding(finding.judgement, key: finding.key, about: finding.subject ?? sight.subject)
            }
        }
    }

    /// What the rule is shown after a poll that brought figures of these.
    func sights(of subjects: [Subject]) -> [Sight] {
        func part(_ subject: Subject) -> Sight.Entry? { series[subject].map { Sight.Entry(subject, $0) } }
        func tracked(_ subjects: [Subject]) -> [Sight.Tracked] {
            open.values.filter { subjects.contains($0.subject) }
                .sorted { ($0.since, $0.subject, $0.key ?? "") < ($1.since, $1.subject, $1.key ?? "") }
        }
        switch rule.scope {
        case .subject:
            return subjects.once.compactMap { subject in
                // One release of an app that is also seen as a whole is not judged by itself.
                guard let kept = series[subject], subject.release == nil || series[subject.whole] == nil else {
                    return nil
                }
                return Sight(
                    subject, kept, tracked: tracked([subject]), lastGood: lastGood[subject.source])
            }
        case .app:
            return subjects.map(\.whole).once.map { app in
                let releases = series.keys.filter { $0.release != nil && $0.whole == app }.sorted()
                return Sight(
                    app, series[app] ?? Series(remembering: kinds), parts: releases.compactMap(part),
                    tracked: tracked([app] + releases), lastGood: lastGood[app.source])
            }
        case .source:
            return subjects.map(\.source).once.map { source in
                let whole = Subject(source: source, app: source)
                let all = series.keys.filter { $0.source == source }.sorted()
                return Sight(
                    whole, parts: all.compactMap(part), tracked: tracked([whole] + all), lastGood: lastGood[source])
            }
        }
    }
}

extension Finding {
    /// What makes an incident of its own.
    struct Thing: Hashable {
        let subject: Subject
        let key: String?
    }

    fileprivate var thing: Thing { Thing(subject: subject ?? .rehearsed, key: key) }
}

extension Subject {
    /// The app that rehearsals are about unless told otherwise.
    public static let rehearsed = Subject(source: "ios", app: "shop")

    /// The app with all its releases.
    fileprivate var whole: Subject { Subject(source: source, app: app, environment: environment) }
}

extension [Observation] {
    /// What a source saw of one subject, one span after the other without a gap, the last of them up to `end`.
    public static func seen(
        _ metrics: [Metrics], issues: [Issue] = [], of subject: Subject = .rehearsed,
        every span: Duration = .minutes(5),
        until end: Moment = DetectorConformance.now
    ) -> [Observation] {
        metrics.enumerated().map { index, figures in
            let time = end - span * (metrics.count - 1 - index)
            return Observation(
                subject: subject, span: TimeSpan(lasting: span, until: time), seen: time, metrics: figures,
                issues: issues)
        }
    }

    /// The same figures so many times.
    public static func seen(
        _ metrics: Metrics, times: Int = 1, issues: [Issue] = [], of subject: Subject = .rehearsed,
        every span: Duration = .minutes(5), until end: Moment = DetectorConformance.now
    ) -> [Observation] {
        seen(Array<Metrics>(repeating: metrics, count: times), issues: issues, of: subject, every: span, until: end)
    }
}

extension [Subject] {
    /// Each once, where it came first.
    fileprivate var once: [Subject] {
        var seen: Set<Subject> = []
        return filter { seen.insert($0).inserted }
    }
}
