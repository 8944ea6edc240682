internal import IssueKit
public import PluginKit

/// A detector that fires while one issue touches more than a share of all sessions or users.
///
/// The share is judged over the very span that the source named its issues for: distinct users never add up, so spans
/// are not pooled.
public struct VelocityDetector: Detector {
    public static let manifest = PluginManifest(
        name: "velocity", summary: "Fires when one issue affects more than a share of sessions or users.",
        options: [share, critical, of, minUsers, window, severity])

    // `share` and `min_users` are the defaults of Crashlytics' velocity alerts.
    static let share = Setting("share", .percentage, default: 0.01, "The share above which an issue is reported.")
    static let critical = Setting("critical", .percentage, "The share above which it is critical.")
    static let of = Setting(
        "of", .metric([.sessions, .users]), default: .sessions,
        "What the share is of: a crash ends a session, so events are counted against sessions.")
    static let minUsers = Setting(
        "min_users", .integer(0...1_000_000_000), default: 25, "An issue that affects fewer is not reported.")
    static let window = Setting(
        "window", .duration(.minutes(5) ... .days(7)), default: .minutes(30), "The span to judge.")
    static let severity = Setting("severity", .severity, default: .warning, "The severity below 'critical'.")

    private let share: Double
    private let critical: Double?
    private let whole: Metric
    private let usersMin: Double
    private let window: Duration
    private let severity: Severity
    private let zone: Zone

    public var severities: Set<Severity>? { critical == nil ? [severity] : [severity, .critical] }

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        share = options[Self.share]
        critical = options[Self.critical]
        whole = options[Self.of]
        usersMin = Double(options[Self.minUsers])
        window = options[Self.window]
        severity = options[Self.severity]
        zone = context.zone
        var problems: [Problem] = []
        let shares: [(any SettingDeclaration, Double)] = [(Self.share, share), (Self.critical, critical ?? 0)]
        for (setting, fraction) in shares where fraction >= 1 {
            problems.append(
                Problem(
                    options.position(of: setting), "no issue affects more than 100% of \(whole.name)",
                    advice: "the default of 'share' is \(Self.share.default.percentTrimmed)"))
        }
        if let critical, critical <= share {
            problems.append(
                Problem(
                    options.position(of: Self.critical),
                    "'critical' (\(critical.percentTrimmed)) must be above 'share' (\(share.percentTrimmed))"))
        }
        if critical != nil, severity == .critical {
            problems.append(
                Problem(
                    options.position(of: Self.severity), "with 'severity: critical' every share is critical",
                    advice: "leave 'critical' or 'severity' out"))
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    public static var memories: [MemoryKind] { [MemoryKind(IssueMemory.self)] }
    public var metrics: [Metric] { [whole] }
    public var readsIssues: Bool { true }
    public var lookback: Duration { window }
    public var spans: [Duration] { [window] }
    public var holdTime: Duration { .zero }

    /// A span so many times longer than the window says nothing of how quickly an issue spreads.
    private static let stretchMax = 4.0
    /// An incident is over when the share falls below half of the limit, so that one at the limit does not flap.
    private static let recovery = 0.5

    public func findings(in sight: Sight, at now: Moment) -> [Finding] {
        let memory = sight.series.memory(IssueMemory.self)
        guard let reading = memory.reading else { return [silence("no issue has been reported yet")] }
        var findings = endings(sight, memory)
        let ended = Set(findings.compactMap(\.key))
        guard now - reading.seen < quietTime else { return findings }
        guard reading.seen - reading.span.to <= Observation.historyAfter else {
            return findings + [Finding(.history(until: reading.span.to, of: whole, in: zone, at: now))]
        }
        guard reading.isComplete else { return findings + [silence("the span is not complete yet")] }
        guard reading.span.length <= window.scaled(by: VelocityDetector.stretchMax) else {
            return findings + [
                silence(
                    "issues are reported for \(reading.span.length.short) at a time, too long to judge how fast they spread"
                )
            ]
        }
        guard let total = total(reading, sight.series) else {
            return findings + [silence("there is no figure for \(whole.name) over the span of the issues")]
        }
        let open = Set(sight.tracked.compactMap(\.key))
        for issue in reading.issues where !ended.contains(issue.id) {
            let status = memory[issue.id]?.status ?? .open
            guard status == .open else { continue }
            findings.append(judge(issue, total, reading, isTold: open.contains(issue.id)))
        }
        return findings
    }

    private func judge(_ issue: Issue, _ total: Double, _ reading: IssueMemory.Reading, isTold: Bool) -> Finding {
        func finding(
            _ verdict: Judgement.Verdict, _ closeness: Judgement.Closeness, _ phrase: Phrase, part: Double? = nil
        ) -> Finding {
            var evidence = Evidence(span: reading.span, issue: issue, saying: phrase)
            // By the share is known when it was worst; people read the sentence.
            evidence.figure = part.map { Figure(value: $0, share: nil) }
            evidence.limit = Comparison(.greater, share, isPercentage: true)
            return Finding(Judgement(verdict, closeness, evidence), key: issue.id)
        }
        guard let touched = whole == .users ? issue.users : issue.events else {
            let lack = "\(issue.called) comes without the number of \(whole == .users ? "users" : "events")"
            return finding(.unknown(lack), .between, Phrase(verbatim: lack))
        }
        guard let users = issue.users ?? (usersMin == 0 ? 0 : nil) else {
            let lack = "\(issue.called) comes without the number of users; only 'min_users: 0' judges it"
            return finding(.unknown(lack), .between, Phrase(verbatim: lack))
        }
        // An issue can have more events than there are sessions, where one session reports many.
        let part = min(touched / total, 1)
        func words(limit: Double? = nil) -> Phrase {
            let all = Phrase(whole == .users ? .countUsers : .countSessions, [.count: .count(total)])
            let known: [Phrase.Part] = [
                (.issue, .text(issue.called)), (.share, .percent(part)), (.total, .phrase(all)),
                (.span, .period(reading.span.length)),
            ]
            let hit = issue.users.map { [(.users, .users($0))] as [Phrase.Part] } ?? []
            guard let limit else { return Phrase(hit.isEmpty ? .issueSpreads : .issueSpreadsHit, known + hit) }
            return Phrase(hit.isEmpty ? .issueFast : .issueFastHit, known + hit + [(.limit, .share(limit))])
        }
        if part > share, users >= usersMin {
            let isCritical = critical.map { part > $0 } ?? false
            return finding(
                .firing(isCritical ? .critical : severity), .between,
                words(limit: isCritical ? critical ?? share : share), part: part)
        }
        let isOver = part <= share * VelocityDetector.recovery || users < usersMin * VelocityDetector.recovery
        let closeness: Judgement.Closeness = part > share * 0.75 ? .near : part < share * 0.5 ? .far : .between
        return finding(.ok(recovered: isOver || !isTold), closeness, words(), part: part)
    }

    /// How long what was said of issues is news, and how long after it was last named one counts as gone.
    private var quietTime: Duration { max(window, .minutes(30)) }

    /// Whether an issue was named last so long ago that it is gone: by answers whose issues were read. Where none of these comes
    /// without any, as from a source that tells of issues only where there are some, by figures after twice their span.
    private func isGone(since last: Moment, _ memory: IssueMemory, _ sight: Sight) -> Bool {
        let seen = sight.series.lastSeen
        // Answers that are as the newest name what that named, and could be read as far as that.
        let isSilent = last < seen && memory.unread.map { $0 < seen } ?? true
        let known = isSilent ? max(seen, sight.knownUntil) : seen
        if let read = memory.read, (read >= seen ? max(read, known) : read) - last >= quietTime { return true }
        let span = memory.reading?.span.length ?? .zero
        return known - max(last, memory.unread ?? last) >= (span > quietTime ? span * 2 : quietTime)
    }

    /// What is over: issues not named any more, and such as people have taken care of.
    private func endings(_ sight: Sight, _ memory: IssueMemory) -> [Finding] {
        sight.tracked.compactMap { tracked in
            guard let key = tracked.key else { return nil }
            let record = memory[key]
            let phrase: Phrase
            switch record?.status {
            case .closed?: phrase = Phrase(.issueOverClosed)
            case .ignored?: phrase = Phrase(.issueOverIgnored)
            // Only fresh figures without it show that it is gone, and only where issues came with them.
            case .open?:
                guard let last = record?.lastNamed, isGone(since: last, memory, sight) else { return nil }
                phrase = Phrase(.issueOverUnseen, [.period: .period(quietTime)])
            case nil: phrase = Phrase(.issueOverLong)
            }
            return Finding(Judgement(.ok(recovered: true), .far, Evidence(saying: phrase)), key: key)
        }
    }

    /// All sessions or users of the span, from the same answer or else from figures of a span of like length.
    private func total(_ reading: IssueMemory.Reading, _ series: Series) -> Double? {
        if let total = reading.metrics[whole] { return total > 0 ? total : nil }
        guard let measured = series.measured(whole, over: reading.span.length), measured.isComplete,
            measured.span.to >= reading.span.from
        else { return nil }
        let stretch = measured.span.length.inSeconds / max(reading.span.length.inSeconds, 1)
        guard (0.5...2).contains(stretch), measured.figure.value > 0 else { return nil }
        return measured.figure.value / stretch
    }

    private func silence(_ sentence: String) -> Finding {
        Finding(Judgement(.unknown(sentence), .far, Evidence(sentence: sentence)))
    }
}
