internal import PluginKit

/// What of an answer makes no sense. It is named and left out while the rest counts: one broken row says nothing of the
/// others, and must not blind the bot to them.
struct BadRows {
    private var count = 0
    private var first: JSONMismatch?
    /// Whose they are.
    private(set) var unread = Unread.nothing
    /// Why the first could not be read: a part of the answer that is missing.
    private(set) var broken: PollFailure?
    /// What is said of them, the first some.
    private var sentences: [String] = []
    /// Things of which nothing more is said than that they are there.
    private var unnamed = 0
    /// How many rows have spans that are not over, and when the first of them is.
    private(set) var unfinishedCount = 0
    private var firstEnd: Moment?

    /// Beyond this share of an answer's rows it is the mapping or the service that is wrong, not a row: what is left
    /// would be a choice that nobody has made. At half of two rows there is still one that nobody doubts.
    static let shareMax = 0.5
    /// Warnings are for people.
    static let warningsMax = 5
    /// Names of apps are of any length; longer ones are not needed to find the row.
    private static let nameCharactersMax = 80

    static func areTooMany(_ bad: Int, beside good: Int) -> Bool {
        bad > 0 && Double(bad) > Double(bad + good) * shareMax
    }

    /// - Parameters:
    ///   - app: of which it is, where that can be told.
    ///   - rows: how many are bad for the same reason.
    mutating func add(_ mismatch: JSONMismatch, of app: String?, rows: Int = 1) {
        count += rows
        unread.add(app.flatMap { $0.isEmpty ? nil : $0 })
        if first == nil { first = mismatch }
        let what = rows == 1 ? "a row\(BadRows.name(app)) is" : "\(rows) rows\(BadRows.name(app)) are"
        broken = broken ?? PollFailure(.badAnswer, BadRows.sentence(what, mismatch))
        say(what, mismatch)
    }

    /// An issue of a row that is not bad itself.
    mutating func addIssue(_ mismatch: JSONMismatch, of app: String) {
        say("an issue\(BadRows.name(app)) is", mismatch)
    }

    /// A row that is not bad, but whose span is far from over.
    mutating func addUnfinished(until end: Moment) {
        unfinishedCount += 1
        firstEnd = min(firstEnd ?? end, end)
    }

    /// What is said of such rows where there are no others.
    var unfinished: String? {
        firstEnd.map { "no row covers a span that is over yet: none counts before \($0)" }
    }

    private mutating func say(_ what: String, _ mismatch: JSONMismatch) {
        if sentences.count < BadRows.warningsMax {
            sentences.append(BadRows.sentence(what, mismatch))
        } else {
            unnamed += 1
        }
    }

    private static func sentence(_ what: String, _ mismatch: JSONMismatch) -> String {
        "\(what) left out: \(mismatch)"
    }

    private static func name(_ app: String?) -> String {
        app.map { $0.isEmpty ? "" : " of \($0.tamed.clipped(to: nameCharactersMax))" } ?? ""
    }

    var warnings: [String] { sentences + (unnamed > 0 ? ["and \(unnamed) more"] : []) }

    /// What they make of the poll; nil while the rest counts.
    ///
    /// - Parameter good: how many rows make sense.
    func failure(beside good: Int, isStrict: Bool) -> PollFailure? {
        guard let first, isStrict || BadRows.areTooMany(count, beside: good) else { return nil }
        let mismatch = PollFailure(first)
        guard count > 1 else { return mismatch }
        return PollFailure(mismatch.reason, "\(mismatch) (and \(count - 1) more of \(count + good) rows)")
    }
}
