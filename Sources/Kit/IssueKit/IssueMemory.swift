// IssueKit is what detectors that judge single issues share: what is remembered of issues, and when one is news. It is
// no part of PluginKit, for a detector of figures needs none of it.

public import PluginKit

/// Which issues a source has ever named of one subject: what tells a new one from an old one, and one that is back from
/// one that was never away.
///
/// It is fed by every observation, whatever rules there are, so that a rule added later does not take the past for
/// news. What was there when the bot began to poll the source is the past. Sources that tell when an issue was first
/// seen make that exact; of others, all that they name within the first day of an app is held to be old, because most
/// name only issues that occur, and old ones occur seldom.
///
/// A release is no beginning: of an issue that it names for the first time, what is known of the app as a whole and of
/// its other releases is known of it, too (`Elders`). How often an issue was named, and whom it hit, each keeps for
/// itself.
public struct IssueMemory: StandingMemory {
    public static let name = "issue_memory"

    /// What is remembered of one issue.
    public struct Record: Hashable, Sendable {
        /// When the issue began: as the source says, or else when it was first named here.
        public fileprivate(set) var born: Moment
        /// When it was last named.
        public fileprivate(set) var lastNamed: Moment
        /// Whether it was there before the bot polled.
        public fileprivate(set) var isPast: Bool
        public fileprivate(set) var status: Status
        /// When it came back after it was resolved; nil while it never has.
        public fileprivate(set) var returned: Moment?
        /// The most users that one poll of it showed; nil where the source tells no users.
        public fileprivate(set) var usersMost: Double?
        /// Whether the source itself called it back when it was last named.
        fileprivate var isCalledBack: Bool
        /// Since when it has stood like that: what one release was told later than another is the last word of both.
        fileprivate var turned: Moment
    }

    /// What the people who look after an issue have said of it, as far as its status tells.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case open
        /// Resolved, fixed or closed.
        case closed
        /// Archived, ignored, snoozed or muted: somebody wants to hear no more of it.
        case ignored
    }

    /// The newest observation that named issues.
    public struct Reading: Hashable, Sendable {
        public let span: TimeSpan
        public let seen: Moment
        public let isComplete: Bool
        /// Sessions and users of that very span, as far as they came with it.
        public let metrics: Metrics
        /// As the source ordered them, ids and texts cut to what `Issue.kept` allows.
        public let issues: [Issue]
        /// The ids of those beyond them that were news.
        public let others: [String]
    }

    /// When the app was first seen, as a whole or in any release; nil while it never was.
    public private(set) var began: Moment?
    /// When an answer last had figures and nobody could read its issues; nil while that never was.
    public private(set) var unread: Moment?
    /// When issues were last read, also where none was named; nil before the first.
    public private(set) var read: Moment?
    // An array of at most one, which keeps the figures of the many subjects without issues small.
    private var readings: [Reading] = []
    /// By the hash of the issue's id.
    private var records: [UInt64: Record] = [:]

    /// Issues remembered of one subject; beyond it those go that have not been named for longest. With what comes on
    /// top before they go, that is at most 55 kB of JSON.
    public static let recordsMax = 400
    /// Issues kept of the newest poll, by the source's own order, news before the rest: 12 kB of JSON where titles
    /// and addresses are of ordinary length, and at most 90 kB.
    public static let readingIssuesMax = 40
    /// So many of the source's own order are among them, however many are news: a source names the worst first, and of
    /// those that touch a share of all sessions that is worth an alarm there are hardly more.
    static let readingFirstMin = 10
    /// The longest that an issue may be news for a rule. Beyond it, what was born under the bot's eyes is as old as the rest.
    public static let newsMax = Duration.days(30)
    /// Records that may pile up above `recordsMax` before the oldest go, so that not every poll has to search them.
    static let recordsSlack = 40
    /// How far the source's clock may be ahead of the bot's, or behind.
    static let clockSlack = Duration.minutes(5)
    /// How long issues of sources that do not tell when they were first seen are taken for old ones.
    public static let learningTime = Duration.days(1)

    public init() {}

    /// The newest poll that named issues; nil when none ever did.
    public var reading: Reading? { readings.first }

    /// What is remembered of an issue, by its id as `reading` gives it.
    public subscript(_ id: String) -> Record? { records[IssueMemory.hash(id)] }

    /// What is remembered of all issues besides those of some ids, in no order.
    func remembered(besides ids: [String]) -> [Record] {
        let left = Set(ids.map { IssueMemory.hash($0) })
        return records.filter { !left.contains($0.key) }.map(\.value)
    }

    /// How many issues are remembered, for tests.
    var count: Int { records.count }

    private static func hash(_ id: String) -> UInt64 {
        var hash = StableHash()
        hash.add(id)
        return hash.value
    }

    /// Takes in what an observation says of issues.
    public mutating func add(_ observation: Observation) { add(observation, after: .none) }

    public mutating func add(_ observation: Observation, after elders: Elders) {
        let kin = elders.memories(IssueMemory.self)
        let began = kin.reduce(began ?? observation.seen) { min($0, $1.began ?? $0) }
        self.began = began
        guard !observation.issues.isEmpty else {
            noteNone(observation)
            return
        }
        // Also where the clock was set back: what is named now was not read later.
        read = observation.seen
        let beginnings = Beginnings(app: began, source: min(began, elders.sourceBegan ?? began))
        var kept: [Named] = []
        var taken: Set<UInt64> = []
        for issue in observation.issues.prefix(Issue.countMax) {
            let issue = issue.kept
            let hash = IssueMemory.hash(issue.id)
            guard taken.insert(hash).inserted else { continue }
            let elder = kin.lazy.compactMap { $0.records[hash] }.max { $0.word < $1.word }
            if records[hash] == nil, let elder {
                records[hash] = Record(issue, seen: observation.seen, beginnings, knownAs: elder)
            }
            if records[hash] == nil {
                records[hash] = Record(issue, seen: observation.seen, beginnings)
            } else {
                records[hash]?.take(issue, seen: observation.seen, after: elder)
            }
            kept.append(Named(issue: issue, news: records[hash]?.news(at: observation.seen)))
        }
        if isNewest(observation) {
            readings = [
                Reading(
                    span: observation.span, seen: observation.seen, isComplete: observation.isComplete,
                    metrics: observation.metrics.volumes, kept)
            ]
        }
        forgetOldest()
    }

    /// Takes in an observation that names no issue. Figures of far shorter spans than issues come with tell nothing of these:
    /// some sources read them by the hour, and figures every five minutes.
    private mutating func noteNone(_ observation: Observation) {
        if observation.issuesUnread {
            unread = observation.seen
        } else if let reading, observation.span.length >= reading.span.length.scaled(by: IssueMemory.likeSpan) {
            read = observation.seen
        }
    }

    private static let likeSpan = 0.75

    /// An issue that a poll names, and since when it is news; nil where it is none.
    fileprivate struct Named {
        let issue: Issue
        let news: Moment?
    }

    /// The issues of a poll that are kept: of those that are news the newest and those that hit the most users, then the others,
    /// as the source orders them.
    ///
    /// What the source names first is kept whatever else is news: an old issue that spreads is none of the newest. One that is
    /// reported for the users whom it hits by now need be none of them either, and is reported with its title.
    fileprivate static func chosen(of named: [Named]) -> (kept: [Issue], others: [String]) {
        let freshMax = readingIssuesMax - readingFirstMin
        let newest = named.enumerated().compactMap { place, named in named.news.map { (place: place, since: $0) } }
            .sorted { ($1.since, $0.place) < ($0.since, $1.place) }.map(\.place)
        let worst = newest.dropFirst(freshMax / 2).enumerated()
            .map { (place: $1, rank: $0, users: named[$1].issue.users ?? 0) }
            .sorted { ($1.users, $0.rank) < ($0.users, $1.rank) }.map(\.place)
        let fresh = newest.prefix(freshMax / 2) + worst.prefix(freshMax - freshMax / 2)
        let isFresh = Set(fresh)
        let order = fresh.sorted() + named.indices.filter { !isFresh.contains($0) }
        return (
            order.prefix(readingIssuesMax).map { named[$0].issue },
            order.dropFirst(readingIssuesMax).filter { named[$0].news != nil }.map { named[$0].issue.id }
        )
    }

    /// Takes over which issues were named of a release that is forgotten, so that they are known as long as the app is.
    public mutating func inherit(_ gone: IssueMemory) {
        began = [began, gone.began].compactMap(\.self).min()
        for (hash, record) in gone.records {
            if records[hash] == nil {
                records[hash] = record
                records[hash]?.usersMost = nil
            } else {
                records[hash]?.hear(record)
            }
        }
        forgetOldest()
    }

    /// When the bot first saw the app, and when anything of the source that it is of.
    fileprivate struct Beginnings {
        let app: Moment
        let source: Moment

        /// Whether issues of unknown age are held to be old.
        func isLearning(at seen: Moment) -> Bool { seen < app + IssueMemory.learningTime }
    }

    /// Whether nothing newer has named issues: an older sight of a span may still come after the newer one. Of spans
    /// that end together the shorter says more of now, and an answer may name them in any order.
    private func isNewest(_ observation: Observation) -> Bool {
        guard let reading, observation.span.to <= reading.span.to else { return true }
        guard observation.span.to == reading.span.to else { return false }
        return observation.span == reading.span
            ? observation.seen >= reading.seen : observation.span.length < reading.span.length
    }

    private mutating func forgetOldest() {
        guard records.count > IssueMemory.recordsMax + IssueMemory.recordsSlack else { return }
        let byAge = records.sorted { ($0.value.lastNamed, $0.key) < ($1.value.lastNamed, $1.key) }
        for (hash, _) in byAge.prefix(records.count - IssueMemory.recordsMax) { records[hash] = nil }
    }
}

extension IssueMemory.Reading {
    fileprivate init(
        span: TimeSpan, seen: Moment, isComplete: Bool, metrics: Metrics, _ named: [IssueMemory.Named]
    ) {
        let (kept, others) = IssueMemory.chosen(of: named)
        self.init(
            span: span, seen: seen, isComplete: isComplete, metrics: metrics, issues: kept, others: others)
    }
}

extension IssueMemory.Record {
    /// Since when it is news, that it began or that it is back; nil where it is none, or has been for longest.
    fileprivate func news(at seen: Moment) -> Moment? {
        guard let since = returned ?? (isPast ? nil : born), seen - since < IssueMemory.newsMax else { return nil }
        return since
    }

    /// An issue that is named for the first time.
    fileprivate init(_ issue: Issue, seen: Moment, _ beginnings: IssueMemory.Beginnings) {
        let isLearning = beginnings.isLearning(at: seen)
        born = min(issue.firstSeen ?? seen, seen)
        // An app may join its source late, but what began since the bot has looked there is no past.
        isPast = issue.firstSeen.map { $0 <= beginnings.source } ?? isLearning
        lastNamed = seen
        status = IssueMemory.Status(named: issue.status)
        isCalledBack = issue.isCalledBack
        // What came back before the bot looked there is the past, too.
        let comeback = issue.comeback(by: seen)
        let isPastComeback = comeback.map { $0 <= beginnings.source } ?? isLearning
        returned = isCalledBack && !isPastComeback ? comeback ?? seen : nil
        usersMost = issue.users
        turned = status == .open ? min(returned ?? born, seen) : seen
    }

    /// An issue that is named here for the first time, and is known of the app; it is yet to be taken in.
    fileprivate init(
        _ issue: Issue, seen: Moment, _ beginnings: IssueMemory.Beginnings, knownAs elder: IssueMemory.Record
    ) {
        self = elder
        usersMost = nil
        lastNamed = min(elder.lastNamed, seen)
        // Of what the first poll says of several releases nothing is older than the rest.
        if elder.lastNamed == seen, beginnings.isLearning(at: seen) { isCalledBack = issue.isCalledBack }
    }

    /// The issue is named again. An older sight of it tells nothing of how it stands.
    fileprivate mutating func take(_ issue: Issue, seen: Moment, after elder: IssueMemory.Record?) {
        let isOlder = seen < lastNamed
        if !isOlder, let elder { hear(elder) }
        if let users = issue.users { usersMost = max(usersMost ?? 0, users) }
        guard !isOlder else { return }
        let comeback = newComeback(of: issue, seen: seen)
        lastNamed = seen
        guard seen >= turned else { return }
        let next = IssueMemory.Status(named: issue.status)
        // Where one poll says different things of several releases, that is no change.
        let isBack = (status == .closed && next == .open && turned < seen) || comeback != nil
        if isBack {
            returned = comeback ?? seen
            // What it did before it was resolved is no measure of what it does now.
            usersMost = issue.users
        }
        if isBack || status != next { turned = seen }
        status = next
        // A hook that says nothing of how the issue stands does not say that it was not called back.
        if issue.status != nil { isCalledBack = issue.isCalledBack }
    }

    /// When the issue came back by its source's word, if it has since it was last named; nil if not.
    ///
    /// Sources that name only open issues never name one as resolved, so that the word alone is the same the second time: it
    /// counts when it is new. Where they say when, another moment is another return.
    private func newComeback(of issue: Issue, seen: Moment) -> Moment? {
        guard let comeback = issue.comeback(by: seen) else { return issue.isCalledBack && !isCalledBack ? seen : nil }
        let known = isCalledBack ? lastNamed : lastNamed - IssueMemory.clockSlack
        return comeback > max(returned ?? .earliest, known) ? comeback : nil
    }

    /// Takes over how the issue stands elsewhere, where that has changed since it was last named here.
    fileprivate mutating func hear(_ elder: IssueMemory.Record) {
        guard lastNamed < elder.turned else { return }
        if returned != elder.returned {
            returned = elder.returned
            usersMost = nil
        }
        (status, isCalledBack, turned) = (elder.status, elder.isCalledBack, elder.turned)
    }

    /// Of several releases' records, the one with the highest has the last word. All that is taken over is in it, so
    /// that it does not matter in which order they are looked at.
    fileprivate var word: (Moment, String, Moment, Int, Int, Moment) {
        (turned, status.rawValue, returned ?? .earliest, isCalledBack ? 1 : 0, isPast ? 1 : 0, born)
    }
}

extension IssueMemory.Status {
    /// The status by the words that trackers use; a word that is not known is an open issue.
    init(named status: String?) {
        let word = status?.lowercased() ?? ""
        let ignored = ["ignored", "archived", "snoozed", "muted"]
        if ["resolved", "closed", "fixed"].contains(word) {
            self = .closed
        } else if ignored.contains(where: word.hasPrefix) {
            self = .ignored
        } else {
            self = .open
        }
    }
}

extension Issue {
    /// Whether the source itself says that it was resolved and is back.
    fileprivate var isCalledBack: Bool { ["regressed", "reopened"].contains(status?.lowercased() ?? "") }

    /// When it came back, where the source says that it has and when; a moment that is yet to come is none.
    fileprivate func comeback(by seen: Moment) -> Moment? {
        guard isCalledBack, let returned, returned <= seen + IssueMemory.clockSlack else { return nil }
        return returned
    }

    /// The issue as it is remembered: a hostile id or title of kilobytes does not fill the state.
    var kept: Issue {
        var issue = self
        if id.utf8.count > Issue.keptIDBytesMax {
            var hash = StableHash()
            hash.add(id)
            issue.id = "\(id.begin(Issue.keptIDBytesMax / 4))-\(hash.text)"
        }
        issue.title = title.clippedToScalars(Issue.keptTitleMax)
        issue.release = release?.clippedToScalars(Issue.keptTitleMax)
        issue.status = status?.clippedToScalars(Issue.keptStatusMax)
        // A cut address leads nowhere.
        if (url?.utf8.count ?? 0) > Issue.keptURLBytesMax { issue.url = nil }
        return issue
    }

    /// Ids are some dozen bytes long wherever they were met.
    static let keptIDBytesMax = 120
    /// Unicode scalars: what fits on two lines of a message.
    static let keptTitleMax = 160
    static let keptStatusMax = 40
    static let keptURLBytesMax = 300
}

extension String {
    /// The first characters that have so many code points together.
    fileprivate func begin(_ length: Int) -> Substring {
        var left = length
        return prefix { character in
            left -= character.unicodeScalars.count
            return left >= 0
        }
    }

    /// The text with its middle cut out where it has more code points than that.
    fileprivate func clippedToScalars(_ length: Int) -> String {
        guard utf8.count > length else { return self }
        return cutInTheMiddle(to: length, markCost: 1) { (_: Unicode.Scalar) in 1 }
    }
}

extension Metrics {
    /// The counts that shares of issues are taken of.
    fileprivate var volumes: Metrics {
        var volumes = Metrics()
        for metric in [Metric.sessions, .users] { volumes[metric] = self[metric] }
        return volumes
    }
}

extension IssueMemory {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            guard let began else { return }
            json.member("began", began)
            if !records.isEmpty {
                json.array("issues", records.sorted { $0.key < $1.key }) { $1.value.put(hash: $1.key, into: &$0) }
            }
            json.member("look", ifAny: reading)
            json.member("unread", ifAny: unread)
            json.member("read", ifAny: read)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        began = try reader.optional("began")?.moment()
        for element in try reader.optional("issues")?.elements() ?? [] {
            let (hash, record) = try Record.read(element)
            records[hash] = record
        }
        if let reading = try reader.optional("look") { readings = [try Reading(reading)] }
        unread = try reader.optional("unread")?.moment()
        read = try reader.optional("read")?.moment()
    }
}

extension IssueMemory.Record {
    /// A row rather than an object: there are hundreds of them.
    fileprivate func put(hash: UInt64, into json: inout JSONWriter) {
        json.array { json in
            json.put(String(hash, radix: 36))
            json.put(born)
            json.put(lastNamed)
            isPast.put(into: &json)
            json.put(status.rawValue)
            isCalledBack.put(into: &json)
            returned.put(into: &json)
            usersMost.put(into: &json)
            // Of most, that follows from the rest.
            if turned != returned ?? born { json.put(turned) }
        }
    }

    fileprivate static func read(_ reader: JSONReader) throws(JSONMismatch) -> (UInt64, IssueMemory.Record) {
        let row = try reader.elements()
        guard row.count >= 8, let hash = UInt64(try row[0].string(), radix: 36),
            let status = IssueMemory.Status(rawValue: try row[4].string())
        else { throw reader.mismatch(expected: "a remembered issue of eight values") }
        let born = try row[1].moment()
        let returned = row[6].value == .null ? nil : try row[6].moment()
        return (
            hash,
            IssueMemory.Record(
                born: born, lastNamed: try row[2].moment(), isPast: try row[3].bool(), status: status,
                returned: returned, usersMost: row[7].value == .null ? nil : try row[7].number(),
                isCalledBack: try row[5].bool(),
                // Journals from before releases knew of each other do not say it.
                turned: row.count > 8 ? try row[8].moment() : returned ?? born)
        )
    }
}

extension IssueMemory.Reading: JSONPuttable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("from", span.from)
            json.member("to", span.to)
            json.member("seen", seen)
            json.member("complete", isComplete)
            json.member("metrics", metrics)
            json.member("issues", issues)
            if !others.isEmpty { json.member("others", others) }
        }
    }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        var issues: [Issue] = []
        for issue in try reader.member("issues").elements() { issues.append(try Issue(issue)) }
        // Earlier programs did not keep it.
        var others: [String] = []
        for id in try reader.optional("others")?.elements() ?? [] { others.append(try id.string()) }
        self.init(
            span: try TimeSpan(reader), seen: try reader.member("seen").moment(),
            isComplete: try reader.member("complete").bool(), metrics: try Metrics(reader.member("metrics")),
            issues: issues, others: others)
    }
}
