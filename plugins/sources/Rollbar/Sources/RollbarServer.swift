internal import PluginKit
internal import SourceKit

/// Where and as whom to ask.
struct RollbarServer: Sendable {
    private let address: GuardedText
    private let token: GuardedText
    private let allowsPlainHTTP: Bool

    init(address: GuardedText, token: GuardedText, allowsPlainHTTP: Bool) {
        self.address = address.droppingLast(anyOf: ["/", "/api/1"])
        self.token = token
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// The host without port and without credentials; nil when the address has none or goes beyond a path.
    var host: String? { address.serverHost }

    /// Whose budget requests are counted on: a token has one of its own.
    var account: String? { Account.name(at: host, [token]) }

    /// Asks for a page of active items, the first for 1. No conditional requests: Rollbar documents no ETag.
    func request(environment: String?, page: Int) -> HTTPRequest {
        let place = environment.map { "&environment=\($0.percentEncoded)" } ?? ""
        return HTTPRequest(
            .get, "\(address)/api/1/items/?status=active\(place)&page=\(page)",
            headers: [.init("X-Rollbar-Access-Token", token), .init("Accept", "application/json")],
            allowsPlainHTTP: allowsPlainHTTP)
    }
}

/// A usable answer: its items, and what its headers say about going on.
struct RollbarAnswer: Sendable {
    let items: [RollbarItem]
    /// Those that make no sense.
    let left: LeftOut
    /// How many there are on all pages.
    let total: Double?
    /// Set when no request is left of the limit.
    let spentUntil: Moment?

    init(_ result: FetchResult, now: Moment) throws(PollFailure) {
        do throws(PollFailure) {
            let response = try result.response()
            let budget = RequestBudget(
                response, remaining: "X-Rate-Limit-Remaining", seconds: "X-Rate-Limit-Remaining-Seconds", now: now)
            let words = (try? JSON(parsing: response.body))?["message"]?.string
            if let failure = PollFailure(response, detail: words, now: now) {
                guard failure.reason != .rateLimited else { throw budget.refusal(failure) }
                throw failure.advised(by: RollbarAnswer.advice(about: failure.reason))
            }
            let body = try response.json()
            spentUntil = budget.spentUntil
            do throws(JSONMismatch) {
                // A refusal may come with a status that says nothing of it.
                let error = try body.member("err")
                guard try error.int() == 0 else {
                    throw error.mismatch(
                        expected: "0, for an answer without an error (\((words ?? "").tamed.clipped(to: 200)))")
                }
                let result = try body.member("result")
                var left = LeftOut()
                items = try result.member("items").elements(leaving: &left) { element throws(JSONMismatch) in
                    try RollbarItem(element)
                }
                self.left = left
                total = try result.optional("total_count")?.count()
            } catch {
                throw PollFailure(error)
            }
        } catch {
            throw error.about("items")
        }
    }

    private static func advice(about reason: PollFailure.Reason) -> String? {
        switch reason {
        case .unauthorized: "check 'token'"
        case .forbidden: "the token needs the scope read"
        case .notFound: "check 'url'"
        default: nil
        }
    }
}

/// An item with the environment that it occurred in.
struct RollbarItem: Hashable, Sendable {
    let issue: Issue
    let environment: String?
    /// Whether it is as bad as a crash.
    let isCritical: Bool

    init(_ reader: JSONReader) throws(JSONMismatch) {
        let counter = try reader.member("counter")
        let number = try counter.count()
        let resolved = try reader.optional("last_resolved_timestamp").map(RollbarItem.moment)
        let activated = try reader.optional("last_activated_timestamp").map(RollbarItem.moment)
        // Rollbar keeps when it was resolved last: what has been active since is back.
        let isBack = resolved.flatMap { resolved in activated.map { $0 > resolved } } ?? false
        let status = try reader.optional("status")?.string() ?? "active"
        let isReopened = isBack && status == "active"
        // Counts are of the item's whole life, which says nothing of any span.
        issue = Issue(
            id: "#\(number.plain.filter(\.isNumber))",
            title: try reader.member("title").string().clipped(to: Issue.titleCharactersMax),
            firstSeen: try reader.optional("first_occurrence_timestamp").map(RollbarItem.moment),
            lastSeen: try reader.optional("last_occurrence_timestamp").map(RollbarItem.moment),
            returned: isReopened ? activated : nil, status: isReopened ? "reopened" : status)
        let environment = try reader.optional("environment")?.string()
        self.environment = environment.flatMap { $0.isEmpty ? nil : $0 }
        isCritical = try reader.optional("level").map(RollbarItem.isCritical) ?? false
    }

    /// Seconds since 1970.
    private static func moment(_ reader: JSONReader) throws(JSONMismatch) -> Moment {
        let seconds = try reader.number()
        guard seconds >= 0, let moment = Moment(unixSeconds: seconds) else {
            throw reader.mismatch(expected: "seconds since 1970")
        }
        return moment
    }

    /// Levels are words, and numbers in some answers.
    private static func isCritical(_ reader: JSONReader) throws(JSONMismatch) -> Bool {
        if case .int(let level) = reader.value { return level >= criticalLevel }
        return try reader.string() == "critical"
    }

    private static let criticalLevel: Int64 = 50

    /// What is critical first, then what happened last.
    static func worseFirst(_ left: RollbarItem, _ right: RollbarItem) -> Bool {
        if left.isCritical != right.isCritical { return left.isCritical }
        let (late, later) = (left.issue.lastSeen ?? .earliest, right.issue.lastSeen ?? .earliest)
        return late != later ? late > later : left.issue.id < right.issue.id
    }
}
