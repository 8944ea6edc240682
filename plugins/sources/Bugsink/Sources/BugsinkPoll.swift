internal import PluginKit
internal import SentryKit
internal import SourceKit

/// One poll under way: the projects where they are not known, and then the issues of each.
struct BugsinkPoll: Sendable {
    private let source: BugsinkSource
    private let poll: Poll
    private var directory: ProjectDirectory
    /// Those of the projects that the token cannot see.
    private var missing: [String] = []
    private var observations: [Observation] = []
    private var failures: [PollFailure] = []
    private var warnings: [String] = []
    private var notes: [String] = []
    /// Why some issues could not be read, which are all that there is to read, or a project could not.
    private var broken: PollFailure?

    /// A page has 250.
    private static let projectPagesMax = 4
    /// Of the issues that happened last, a hundred are kept.
    private static let issuePagesMax = 1

    init(of source: BugsinkSource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        directory = ProjectDirectory(cursor: poll.cursor, of: BugsinkPoll.owner(source))
    }

    private static func owner(_ source: BugsinkSource) -> String { "\(source.server.address)" }

    func begin() -> PollStep {
        let isComplete = source.projects.allSatisfy { directory.id(of: $0) != nil }
        if directory.isFresh(at: poll.now), isComplete { return visit(watched(), 0) }
        let read = { @Sendable (project: JSONReader) throws(JSONMismatch) in try ProjectDirectory.Entry(project) }
        return list("projects", "projects", [], pagesMax: BugsinkPoll.projectPagesMax, read) { listing in
            var poll = self
            if let failure = listing.failure {
                // What is written as an id can be asked for without a name.
                let isHidden = [.forbidden, .notFound].contains(failure.reason)
                let isNumbered = !source.projects.isEmpty && source.projects.allSatisfy(\.isProjectID)
                guard isHidden, isNumbered else {
                    let way = failure.reason == .forbidden ? "; or write ids in 'projects'" : ""
                    return poll.fail(failure.saying("\(failure.description)\(way)"))
                }
                if failure.reason == .forbidden {
                    // Ids are how one does without that capability.
                    poll.notes.append(failure.description)
                } else {
                    poll.warnings.append(failure.description)
                }
                return poll.visit(poll.watched(), 0)
            }
            if let warning = listing.left.warning("a project", "projects") { poll.warnings.append(warning) }
            poll.directory = ProjectDirectory(listing.items, asked: poll.poll.now)
            let slugs = poll.directory.slugs
            let others = slugs.values.filter { !source.projects.contains($0) }.sorted()
            // An id may stand behind the end of a list that is cut, and can be asked for without a name.
            poll.missing = source.projects.filter { project in
                poll.directory.id(of: project).map { !listing.isCut && slugs[$0] == nil } ?? true
            }
            let failures = poll.missing.map { project in
                listing.isCut ? BugsinkPoll.beyond(project) : PollFailure.unseen(project, among: others)
            }
            // One that was renamed is no reason to leave the others alone.
            if let failure = failures.first, failures.count == source.projects.count { return poll.fail(failure) }
            poll.warnings += failures.map(\.description)
            poll.broken = failures.first
            guard !slugs.isEmpty else {
                return poll.fail(PollFailure(.forbidden, "projects: the token cannot see any"))
            }
            if source.projects.isEmpty, slugs.count > BugsinkSource.projectsMax {
                poll.warnings.append(
                    "the server has \(slugs.count) projects; only \(BugsinkSource.projectsMax) are watched; name them in "
                        + "'projects'")
            }
            return poll.visit(poll.watched(), 0)
        }
    }

    /// That a project of the config is not in what is read of a list that is longer.
    private static func beyond(_ project: String) -> PollFailure {
        PollFailure(
            .notFound,
            "no project '\(project.tamed)' is in what is read of the projects, and there are more than are read; "
                + "or write ids in 'projects'")
    }

    /// The ids of the projects that are watched, in the order of the config, or of their names.
    private func watched() -> [String] {
        guard source.projects.isEmpty else {
            var ids: [String] = []
            for project in source.projects where !missing.contains(project) {
                if let id = directory.id(of: project), !ids.contains(id) { ids.append(id) }
            }
            return ids
        }
        let all = directory.slugs.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        return all.prefix(BugsinkSource.projectsMax).map(\.key)
    }

    private func visit(_ projects: [String], _ number: Int) -> PollStep {
        guard number < projects.count else { return finish() }
        let id = projects[number]
        let app = directory.slugs[id] ?? id
        let query: AddressQuery = [("project", id), ("sort", "last_seen"), ("order", "desc")]
        let link = link
        let read = { @Sendable (issue: JSONReader) throws(JSONMismatch) in try BugsinkIssue.issue(issue, link) }
        return list("issues of \(app)", "issues", query, pagesMax: BugsinkPoll.issuePagesMax, read) { listing in
            var poll = self
            if let failure = listing.failure {
                poll.failures.append(failure)
                return failure.isOfOneThing ? poll.visit(projects, number + 1) : poll.finish()
            }
            if listing.isCut {
                poll.notes.append(
                    "\(app): more than \(listing.items.count) issues; the \(Issue.countMax) that happened last are read"
                )
            }
            if let warning = listing.left.warning("an issue of \(app)", "issues of \(app)") {
                poll.warnings.append(warning)
                poll.broken = poll.broken ?? PollFailure(.badAnswer, warning)
            }
            poll.take(listing.items, of: app)
            return poll.visit(projects, number + 1)
        }
    }

    private mutating func take(_ issues: [Issue], of app: String) {
        guard !issues.isEmpty else { return }
        observations.append(Observation(issues: issues, of: Subject(source: poll.source, app: app), in: poll))
    }

    /// What an issue's page begins with; nil where the address holds what is nobody's business.
    private var link: String? { source.server.address.linkable.map { "\($0)/issues/issue/" } }

    // MARK: - The end

    private func finish() -> PollStep {
        var report = PollReport(observations, failures: failures, warnings: warnings)
        report.cursor = cursor
        report.notes = notes
        return .finish(report.waiting(after: [broken].compactMap(\.self)))
    }

    private func fail(_ failure: PollFailure) -> PollStep {
        .finish(PollReport(.failed(failure), cursor: cursor, warnings: warnings))
    }

    private var cursor: JSON? { directory.asked.map { _ in directory.json(of: BugsinkPoll.owner(source)) } }

    private func list<Item: Sendable>(
        _ subject: String, _ name: String, _ query: AddressQuery, pagesMax: Int,
        _ read: @escaping @Sendable (JSONReader) throws(JSONMismatch) -> Item,
        then: @escaping @Sendable (Listing<Item>) -> PollStep
    ) -> PollStep {
        Listing<Item>.read(
            pagesMax: pagesMax,
            { cursor, then in
                .fetch(source.server.request(name, query, cursor: cursor)) { result in
                    then(
                        BugsinkServer.page(result, about: subject, needing: "\(name):read", now: poll.now, read))
                }
            }, then: then)
    }
}

/// One issue of the list.
enum BugsinkIssue {
    /// - Parameter link: what the address of an issue's page begins with.
    static func issue(_ reader: JSONReader, _ link: String?) throws(JSONMismatch) -> Issue {
        let id = try reader.member("id").nonEmptyString()
        let words = [
            try reader.member("calculated_type").string(), try reader.optional("calculated_value")?.string() ?? "",
        ].filter { !$0.isEmpty }
        let isResolved = try reader.member("is_resolved").bool()
        let isMuted = try reader.member("is_muted").bool()
        // Counts are of the issue's whole life, which says nothing of any span.
        return Issue(
            id: try reader.optional("friendly_id")?.nonEmptyString() ?? id,
            title: words.joined(separator: ": ").clipped(to: Issue.titleCharactersMax),
            firstSeen: try reader.member("first_seen").moment(), lastSeen: try reader.member("last_seen").moment(),
            status: isResolved ? "resolved" : isMuted ? "muted" : "unresolved",
            url: link.map { "\($0)\(id.percentEncoded)/event/last/" })
    }
}
