internal import PluginKit
internal import SourceKit

/// The lists of errors of one project.
enum BugsnagError {
    /// What is asked for.
    enum Wish: Sendable {
        /// Open ones, those with the most events.
        case open
        /// Open ones, those that happened first not long ago: they may be rare, and stand behind the last page of the others.
        case newest
        /// Those that happened last, so that one that comes back is known to have been fixed: Bugsnag does not say so.
        case fixed

        /// What a failure is about.
        var name: String {
            switch self {
            case .open: "errors"
            case .newest: "newest errors"
            case .fixed: "fixed errors"
            }
        }

        fileprivate var status: String { self == .fixed ? "fixed" : "open" }

        fileprivate var sort: String {
            switch self {
            case .open: "events"
            case .newest: "first_seen"
            case .fixed: "last_seen"
            }
        }
    }

    /// The words that ask for those that had events since a moment.
    static func query(for wish: Wish, in stage: String, since: Moment) -> AddressQuery {
        var query: AddressQuery = []
        for (field, value) in [
            ("event.since", since.description), ("error.status", wish.status), ("app.release_stage", stage),
        ] {
            query.append(("filters[\(field)][][type]", "eq"))
            query.append(("filters[\(field)][][value]", value))
        }
        return query + [("sort", wish.sort), ("direction", "desc"), ("per_page", "30")]
    }

    /// The errors of one page.
    struct Found: Sendable {
        let issues: [Issue]
        /// Those that make no sense.
        let left: LeftOut

        /// - Parameter dashboard: where people look at the project's errors; nil where that is not known.
        init(_ page: JSONReader, dashboard: String?) throws(JSONMismatch) {
            var left = LeftOut()
            issues = try page.elements(leaving: &left) { element throws(JSONMismatch) in
                try BugsnagError.issue(element, dashboard)
            }
            self.left = left
        }
    }

    private static func issue(_ reader: JSONReader, _ dashboard: String?) throws(JSONMismatch) -> Issue {
        let id = try reader.member("id").nonEmptyString()
        let words = [
            try reader.member("error_class").string(), try reader.optional("message")?.string() ?? "",
        ].filter { !$0.isEmpty }
        // Those without a filter are of the error's whole life; the others begin with what was asked for.
        func seen(_ member: String) throws(JSONMismatch) -> Moment? {
            if let whole = try reader.optional(member + "_unfiltered") { return try whole.moment() }
            return try reader.optional(member)?.moment()
        }
        return Issue(
            id: id, title: words.joined(separator: ": ").clipped(to: Issue.titleCharactersMax),
            events: try reader.optional("events")?.count(), users: try reader.optional("users")?.count(),
            firstSeen: try seen("first_seen"), lastSeen: try seen("last_seen"),
            status: try reader.optional("status")?.string(),
            url: dashboard.map { "\($0)/errors/\(id.percentEncoded)" })
    }
}

extension Listing where Item == BugsnagError.Found {
    /// The errors of all its pages.
    var issues: [Issue] { items.flatMap(\.issues) }
}
