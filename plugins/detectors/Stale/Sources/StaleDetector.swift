public import PluginKit

/// A detector that fires while a source answers, but with figures that are too old: of everything, or of single apps.
///
/// It judges how old the newest figures were at the last usable answer. A source that gives no answer at all is the
/// bot's own trouble, which is told without any rule; this one then knows nothing, so that no trouble is told twice.
public struct StaleDetector: Detector {
    public static let manifest = PluginManifest(
        name: "stale", summary: "Fires when a source answers, but its newest figures are older than allowed.",
        example: """
            after: 2h
            """,
        options: [after, severity])

    static let after = Setting(
        "after",
        .duration(
            .minutes(1) ... .days(6), advice: "what has been silent for 7d is forgotten, and could not be reported"),
        default: .hours(2), "How old the end of the newest span may be.")
    static let severity = Setting("severity", .severity, default: .warning, "The severity of its incidents.")

    private let after: Duration
    private let severity: Severity
    private let zone: Zone

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        after = options[Self.after]
        severity = options[Self.severity]
        zone = context.zone
    }

    public var metrics: [Metric] { [] }
    // Figures that have gone out of what is kept must not look like figures that never came.
    public var lookback: Duration { after }
    public var spans: [Duration] { [] }
    public var holdTime: Duration { .zero }
    public var evidenceTime: Duration? { after }
    public var scope: DetectorScope { .source }

    // While no app is old, the source as a whole is not either.
    public func wellUntil(_ parts: [Sight.Entry]) -> Moment? {
        StaleDetector.newest(of: parts).values.map { $0.to + after }.min()
    }

    public func findings(in sight: Sight, at now: Moment) -> [Finding] {
        let parts = StaleDetector.figured(sight.parts)
        guard let newest = parts.compactMap(\.series.samples.last?.span).max(by: { $0.to < $1.to }),
            let lastGood = sight.lastGood
        else { return [Finding(unknown("no figures have arrived yet", nil))] }
        let apps = StaleDetector.newest(of: sight.parts)
        let isAllOld = lastGood - newest.to >= after
        if isAllOld, !sight.isPartial {
            let evidence = silence(newest, for: lastGood - newest.to, .staleSource, .staleSourceSilent)
            // Of what had gone silent before, it is still to say for how long.
            let known = Set(sight.tracked.map(\.subject)).subtracting([sight.subject])
            return [Finding(Judgement(.firing(severity), .between, evidence))]
                + findings(of: apps.filter { known.contains($0.key) }, in: sight, lastGood)
        }
        if !isAllOld, now - newest.to >= after {
            let sentence = "no usable answer since \(clock(lastGood)): source-failing reports that if it lasts"
            return [Finding(unknown(sentence, newest))]
        }
        guard !sight.isPartial else { return findings(of: apps, in: sight, lastGood) }
        // An app may be named like its source. The two are one incident, which is over when neither is silent.
        let isSilent = apps[sight.subject].map { lastGood - $0.to >= after } ?? false
        let evidence = Evidence(
            span: newest, saying: Phrase(.staleSourceOver, [.age: .period(max(.zero, lastGood - newest.to))]))
        return (isSilent ? [] : [Finding(Judgement(.ok(recovered: true), .far, evidence))])
            + findings(of: apps, in: sight, lastGood)
    }

    /// What is to say of single apps: which the source does not name any more, and which are back. Where nothing is said of
    /// the source as a whole, also which are as fresh as they should be: a rule that says nothing would seem to judge nothing.
    private func findings(of apps: [Subject: TimeSpan], in sight: Sight, _ lastGood: Moment) -> [Finding] {
        // That the one named like the source is back is said with the source, where that is spoken of.
        let tracked = Set(sight.tracked.map(\.subject)).subtracting(sight.isPartial ? [] : [sight.subject])
        return apps.sorted { $0.key < $1.key }.compactMap { app, span in
            let age = lastGood - span.to
            guard age < StaleDetector.ageMax else { return nil }
            if age >= after {
                let evidence = silence(span, for: age, .staleApp, .staleAppSilent)
                return Finding(Judgement(.firing(severity), .between, evidence), about: app)
            }
            if tracked.contains(app) {
                let evidence = Evidence(span: span, saying: Phrase(.staleAppOver, [.age: .period(max(.zero, age))]))
                return Finding(Judgement(.ok(recovered: true), .far, evidence), about: app)
            }
            guard sight.isPartial else { return nil }
            // Nobody is sent this: nothing is open.
            let sentence =
                "its figures are fresh: \(max(.zero, age).short) old at the source's last answer; "
                + "the limit is \(after.short)"
            return Finding(
                Judgement(.ok(recovered: true), .far, Evidence(span: span, sentence: sentence)), about: app)
        }
    }

    /// That nothing has come for so long: with all that it rests on, and as people read it, below which the moment of the
    /// newest figures stands by itself.
    private func silence(_ newest: TimeSpan, for age: Duration, _ whole: PhraseID, _ short: PhraseID) -> Evidence {
        func phrase(_ id: PhraseID) -> Phrase {
            Phrase(id, [.moment: .moment(newest.to), .age: .period(age), .limit: .period(after)])
        }
        var evidence = Evidence(span: newest, saying: phrase(whole), clock: clock)
        evidence.phrase = phrase(short)
        return evidence
    }

    /// The newest span of each app, which is as young as the youngest of its releases.
    private static func newest(of parts: [Sight.Entry]) -> [Subject: TimeSpan] {
        var newest: [Subject: TimeSpan] = [:]
        for (app, parts) in Dictionary(grouping: parts, by: { app(of: $0.subject) }) {
            newest[app] = figured(parts).compactMap(\.series.samples.last?.span).max { $0.to < $1.to }
        }
        return newest
    }

    /// Those with figures, and all where none has any: issues that go on are no news of figures that have stopped.
    private static func figured(_ parts: [Sight.Entry]) -> [Sight.Entry] {
        let figured = parts.filter(\.series.hasFigures)
        return figured.isEmpty ? parts : figured
    }

    private static func app(of subject: Subject) -> Subject {
        Subject(source: subject.source, app: subject.app, environment: subject.environment)
    }

    /// As long as figures are kept of what a source does not name any more. What has been silent for longer is not announced
    /// again, though its issues go on.
    private static let ageMax = Duration.days(7)

    private func clock(_ moment: Moment) -> String { zone.words(moment) }

    private func unknown(_ sentence: String, _ span: TimeSpan?) -> Judgement {
        Judgement(.unknown(sentence), .far, Evidence(span: span, sentence: sentence))
    }
}

extension StaleDetector {
    public var severities: Set<Severity>? { [severity] }
}
