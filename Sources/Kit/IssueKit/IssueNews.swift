public import PluginKit

/// A detector that tells once of every issue of which there is news. What is news differs from one to the other; what
/// follows from it does not.
public protocol IssueNewsDetector: Detector {}

extension IssueNewsDetector {
    /// That something is new, or back, is said once.
    public static var isWorthReminding: Bool { false }

    public static var memories: [MemoryKind] { [MemoryKind(IssueMemory.self)] }
    public var metrics: [Metric] { [] }
    public var readsIssues: Bool { true }
    // What it needs of the past is in the memory of issues, which is kept anyway.
    public var lookback: Duration { .zero }
    public var spans: [Duration] { [] }
    public var holdTime: Duration { .zero }
}

/// What rules that tell of single issues share: how many users make one worth telling, and for how long it is news.
public struct IssueNews: Sendable {
    public static let settings: [any SettingDeclaration] = [minUsers, freshFor, severity]

    static let minUsers = Setting(
        "min_users", .integer(0...1_000_000_000), default: 10,
        "How many users it must affect, in a single poll, to be reported.")
    static let freshFor = Setting(
        "fresh_for", .duration(.hours(1)...IssueMemory.newsMax), default: .days(1),
        "How long it is news that an issue is new or back: it must reach min_users in that time, and its incident ends afterwards."
    )
    static let severity = Setting("severity", .severity, default: .warning, "The severity of its incidents.")

    private let usersMin: Double
    private let freshFor: Duration
    public let severity: Severity

    public init(_ options: Options) {
        usersMin = Double(options[Self.minUsers])
        freshFor = options[Self.freshFor]
        severity = options[Self.severity]
    }

    /// So many issues that become news with one poll are reported together. It is a choice: nobody reads forty messages
    /// about a source that groups its issues anew, and five that come at once may well be five troubles.
    public static let togetherMin = 6
    /// Issues named where many are told together.
    private static let namedMax = 3
    /// How the key of what tells of many ends.
    private static let togetherMark = " more at once"

    /// One finding for each issue that is news, and for each that was and is not any more; but of `togetherMin` and
    /// more that become news with one poll, one finding for all.
    ///
    /// - Parameters:
    ///   - since: since when what is remembered of an issue is news; nil when it is none.
    ///   - many: what to say of many at once: how many, the names of some, and how many more there are.
    ///   - one: what to say of one.
    ///   - hit: the same with the users that it affects.
    public func findings(
        in sight: Sight, at now: Moment, since: (IssueMemory.Record) -> Moment?, many: PhraseID,
        one: PhraseID, hit: PhraseID
    ) -> [Finding] {
        let memory = sight.series.memory(IssueMemory.self)
        let isTogether = { (tracked: Sight.Tracked) in tracked.key?.hasSuffix(IssueNews.togetherMark) ?? false }
        let together = sight.tracked.filter(isTogether)
        let open = sight.tracked.filter { !isTogether($0) }.compactMap(\.key)
        let ended =
            open.compactMap { key -> Finding? in why(isOver: memory[key], since, now).map { end(of: key, $0) } }
            + together.compactMap { told -> Finding? in
                why(areOver: told, in: sight, since, now).map { end(of: told.key, $0) }
            }
        guard let reading = memory.reading else {
            return ended + [silence("no issue has been reported yet")]
        }
        var findings = ended
        var news: [(issue: Issue, finding: Finding)] = []
        var lacksUsers = false
        let over = Set(ended.compactMap(\.key))
        // Of those that are too many to be kept, only the id is known: what was told of them had their titles.
        let others = reading.others.filter { !open.contains($0) }.map { Issue(id: $0, title: "") }
        for issue in reading.issues + others where !over.contains(issue.id) {
            guard let record = memory[issue.id], record.status == .open, let began = since(record),
                isFresh(began, now)
            else { continue }
            let isTold = open.contains(issue.id)
            // Of many at once, those that nobody asked for would decide over the others.
            guard isTold || sight.concerns(issue: issue.id) else { continue }
            // Those that one message has told of, and what was small when it did.
            guard isTold || !together.contains(where: { began <= $0.since }) else { continue }
            guard isTold || usersMin == 0 || record.usersMost != nil else {
                lacksUsers = true
                continue
            }
            let evidence = evidence(on: issue, hitting: record.usersMost, reading.span, one: one, hit: hit)
            // What has been reported stays reported, though later polls show fewer users.
            let isWorthTelling = isTold || (record.usersMost ?? 0) >= usersMin
            let finding =
                isWorthTelling
                ? Finding(Judgement(.firing(severity), .between, evidence), key: issue.id)
                : Finding(Judgement(.ok(recovered: true), .near, evidence), key: issue.id)
            if isWorthTelling, !isTold { news.append((issue, finding)) } else { findings.append(finding) }
        }
        findings +=
            news.count < IssueNews.togetherMin
            ? news.map(\.finding) : [self.together(news.map(\.issue), many, reading.span)]
        if lacksUsers {
            findings.append(
                silence("issues come without the number of affected users; only 'min_users: 0' reports those"))
        }
        return findings
    }

    private func end(of key: String?, _ phrase: Phrase) -> Finding {
        Finding(Judgement(.ok(recovered: true), .far, Evidence(saying: phrase)), key: key)
    }

    private func evidence(
        on issue: Issue, hitting users: Double?, _ span: TimeSpan, one: PhraseID, hit: PhraseID
    ) -> Evidence {
        let name = Phrase.Value.text(issue.called)
        let phrase =
            users.map { Phrase(hit, [.issue: name, .users: .users($0)]) } ?? Phrase(one, [.issue: name])
        var evidence = Evidence(span: span, issue: issue, saying: phrase)
        // By it is known when it was worst; people read the sentence.
        evidence.figure = users.map { Figure(value: $0, share: nil) }
        evidence.limit = Comparison(.greaterOrEqual, usersMin, isPercentage: false)
        return evidence
    }

    private func together(_ issues: [Issue], _ many: PhraseID, _ span: TimeSpan) -> Finding {
        let named = issues.prefix(IssueNews.namedMax).map(\.called).joined(separator: ", ")
        let rest = issues.count - IssueNews.namedMax
        var evidence = Evidence(
            span: span, issue: issues.first,
            saying: Phrase(
                many, [.count: .count(Double(issues.count)), .names: .text(named), .rest: .count(Double(rest))]))
        evidence.otherIssues = Array(issues.prefix(IssueNews.namedMax).dropFirst())
        let key = "\(issues.first?.id ?? "") and \(issues.count - 1)\(IssueNews.togetherMark)"
        return Finding(Judgement(.firing(severity), .between, evidence), key: key)
    }

    private var noNewsAnyMore: Phrase { Phrase(.issueOverKnown, [.period: .period(freshFor)]) }

    private func isFresh(_ began: Moment, _ now: Moment) -> Bool {
        (.zero - IssueMemory.clockSlack..<freshFor).contains(now - began)
    }

    /// Why an issue that was told of is news no more; nil while it is.
    private func why(
        isOver record: IssueMemory.Record?, _ since: (IssueMemory.Record) -> Moment?, _ now: Moment
    ) -> Phrase? {
        guard let record else { return Phrase(.issueOverForgotten) }
        switch record.status {
        case .closed: return Phrase(.issueOverClosed)
        case .ignored: return Phrase(.issueOverIgnored)
        case .open: break
        }
        guard let began = since(record) else { return Phrase(.issueOverBack) }
        return now - began >= freshFor ? noNewsAnyMore : nil
    }

    /// The same of issues that were told of together. Which ones they were is not kept, but since when each is news.
    private func why(
        areOver told: Sight.Tracked, in sight: Sight, _ since: (IssueMemory.Record) -> Moment?, _ now: Moment
    ) -> Phrase? {
        guard now - told.since < freshFor else { return noNewsAnyMore }
        let memory = sight.series.memory(IssueMemory.self)
        let named = memory.reading.map { $0.issues.map(\.id) + $0.others } ?? []
        let besides = named.filter { !sight.concerns(issue: $0) } + sight.tracked.compactMap(\.key)
        let records = memory.remembered(besides: besides)
        func wasNews(_ began: Moment) -> Bool { began <= told.since && told.since - began < freshFor }
        let news = records.filter { ($0.usersMost ?? 0) >= usersMin && since($0).map(wasNews) ?? false }
        guard !news.contains(where: { $0.status == .open }) else { return nil }
        // What was resolved and is back goes on, though it is another rule's to tell, and whomever it has hit since: how many
        // it hit before is forgotten.
        let isBack = records.contains { record in
            record.status == .open && !record.isPast && since(record) == nil && wasNews(record.born)
                && record.returned.map { $0 > told.since } ?? false
        }
        if isBack { return Phrase(.issueOverBack) }
        // None is known: they were forgotten, and nobody knows more of them.
        guard !news.isEmpty else { return nil }
        return Phrase(news.contains { $0.status == .ignored } ? .issueOverIgnored : .issueOverClosed)
    }

    private func silence(_ sentence: String) -> Finding {
        Finding(Judgement(.unknown(sentence), .far, Evidence(sentence: sentence)))
    }
}

extension Phrase.Value {
    /// So many users: `29 users`.
    public static func users(_ count: Double) -> Phrase.Value {
        .phrase(Phrase(.countUsers, [.count: .count(count)]))
    }
}
