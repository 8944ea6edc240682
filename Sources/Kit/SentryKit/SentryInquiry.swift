public import PluginKit
public import SourceKit

/// What is known of one server in the course of a poll: the names of its projects, what its limits allow, and what is to
/// be said of it all.
public struct SentryInquiry: Sendable {
    public let server: SentryServer
    /// Slugs, or ids where they are all digits; empty for all that the token can see.
    public let projects: [String]
    public let now: Moment
    public private(set) var directory: ProjectDirectory
    private var hasAskedForProjects = false
    /// Those of the projects that the token cannot see, and a sentence about each.
    private var unseen: [(project: String, failure: PollFailure)] = []
    /// Why the names of the projects could not be had, where the poll goes on without them.
    public private(set) var namelessness: PollFailure?
    /// Endpoints whose budget is used up, and until when.
    public private(set) var spent: [SentryServer.Endpoint: Moment] = [:]
    public var warnings: [String] = []

    /// Most pages of one list: 300 issues or 1,000 projects are more than anybody reads.
    private static let pagesMax: [SentryServer.Endpoint: Int] = [.projects: 10, .sessions: 5, .issues: 3]

    public init(_ server: SentryServer, projects: [String], cursor: JSON?, now: Moment) {
        self.server = server
        self.projects = projects
        self.now = now
        directory = ProjectDirectory(cursor: cursor, of: SentryInquiry.owner(server))
    }

    /// Those of the projects that can be asked about.
    public var watched: [String] { projects.filter { project in !unseen.contains { $0.project == project } } }

    /// Those of the projects that the token cannot see any more, or not yet.
    public var missing: [String] { unseen.map(\.project) }

    /// Why nothing is known of the first of them; nil where all can be seen.
    public var blindness: PollFailure? { unseen.first?.failure }

    /// Nothing more is asked of that part before then.
    public mutating func note(spent endpoint: SentryServer.Endpoint, until: Moment?) { spent[endpoint] = until }

    /// When the last of the limits ends that are used up.
    public var limit: Moment? { spent.values.filter { $0 > now }.max() }

    /// Nil, which keeps what was there, as long as nothing is known.
    public var cursor: JSON? {
        guard directory.asked != nil || directory.hasSessions else { return nil }
        return directory.json(of: SentryInquiry.owner(server))
    }

    /// Remembers that the service has told of sessions.
    public mutating func noteSessions() { directory.hasSessions = true }

    /// So that a changed config does not read another's names.
    private static func owner(_ server: SentryServer) -> String { "\(server.address) \(server.organization)" }

    // MARK: - Names of projects

    /// Goes on with the names of all projects that are watched, which are asked for when they are not known; without those that
    /// the token cannot see, unless it can see none of them.
    public func knowingProjects<Report>(
        then: @escaping @Sendable (SentryInquiry, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        let isComplete = projects.allSatisfy { directory.id(of: $0) != nil }
        return directory.isFresh(at: now) && isComplete ? then(self, nil) : learnProjects(then: then)
    }

    /// Goes on with the names of projects that an answer named by their ids: one may be newer than the list of them.
    public func naming<Report>(
        _ ids: some Sequence<String>, then: @escaping @Sendable (SentryInquiry, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        let unknown = Set(ids).filter { name(of: $0) == nil }
        let isTooEarly = directory.isPatient(at: now) && unknown.isSubset(of: directory.nameless)
        guard !unknown.isEmpty, !hasAskedForProjects, !isTooEarly else { return then(noting(unknown), nil) }
        // That nobody answered does not say that they are hidden.
        return learnProjects { inquiry, failure in
            then(failure == nil && inquiry.namelessness == nil ? inquiry.noting(unknown) : inquiry, failure)
        }
    }

    /// Remembers which of the projects stay without a name.
    private func noting(_ ids: Set<String>) -> SentryInquiry {
        var inquiry = self
        inquiry.directory.nameless.formUnion(ids.filter { name(of: $0) == nil })
        return inquiry
    }

    private func learnProjects<Report>(
        then: @escaping @Sendable (SentryInquiry, PollFailure?) -> Conversation<Report>
    ) -> Conversation<Report> {
        pages(.projects, []) { inquiry, pages in
            var inquiry = inquiry
            inquiry.hasAskedForProjects = true
            if let failure = pages.failure {
                // Without the list, slugs are sent as they are and ids stand for names: less, but not nothing.
                let isHidden = [.forbidden, .notFound].contains(failure.reason)
                let hasNames = !inquiry.directory.slugs.isEmpty && failure.reason != .unauthorized
                guard isHidden || hasNames else { return then(inquiry, failure) }
                inquiry.namelessness = failure
                inquiry.warnings.append(failure.description)
                return then(inquiry, nil)
            }
            do throws(JSONMismatch) {
                let before = inquiry.directory
                var left = LeftOut()
                inquiry.directory = try ProjectDirectory(pages.items, asked: inquiry.now, leaving: &left)
                inquiry.warn(of: left, "a project", "projects")
                inquiry.directory.hasSessions = before.hasSessions
                inquiry.directory.nameless = before.nameless.subtracting(inquiry.directory.slugs.keys)
            } catch {
                return then(inquiry, SentryInquiry.failure(.projects, error))
            }
            if !pages.isCut { inquiry.noteUnseen() }
            let isBlind = !inquiry.projects.isEmpty && inquiry.watched.isEmpty
            return then(inquiry, isBlind ? inquiry.blindness : nil)
        }
    }

    /// Says of which projects nothing will be heard: one that was renamed is no reason to leave the others alone.
    private mutating func noteUnseen() {
        let others = directory.slugs.values.filter { !projects.contains($0) }.sorted()
        unseen = projects.filter { directory.id(of: $0) == nil }.map { project in
            (project, .unseen(project, among: others))
        }
        if !watched.isEmpty { warnings += unseen.map(\.failure.description) }
    }

    /// The name of a project; nil where nobody knows it.
    public func name(of id: String) -> String? {
        if let slug = directory.slugs[id] { return slug }
        // Some servers answer with slugs where ids are promised.
        if !id.isProjectID { return id }
        guard let only = projects.first, projects.count == 1, !only.isProjectID else { return nil }
        return only
    }

    /// The one project that is watched, by its name; nil where there are several.
    public var only: String? { projects.count == 1 ? projects.first.flatMap { name(of: $0) } : nil }

    // MARK: - Pages

    /// Reads the bodies of a list's pages, as far as the budget allows.
    ///
    /// - Parameter most: the most pages; nil for as many as anybody wants of such a list.
    public func pages<Report>(
        _ endpoint: SentryServer.Endpoint,
        _ query: AddressQuery,
        most: Int? = nil,
        then: @escaping @Sendable (SentryInquiry, Listing<JSONReader>) -> Conversation<Report>
    ) -> Conversation<Report> {
        Listing<JSONReader>.read(
            pagesMax: most ?? SentryInquiry.pagesMax[endpoint, default: 1],
            { cursor, then in
                if let until = spent[endpoint], until > now {
                    return then(.failure(SentryInquiry.limited(endpoint, until: until)))
                }
                let request = server.request(endpoint, query + (cursor.map { [("cursor", $0)] } ?? []))
                return .fetch(request) { result in
                    do throws(PollFailure) {
                        let answer = try SentryAnswer(result, of: server, from: endpoint, now: now)
                        let stop = answer.spentUntil.map { SentryInquiry.limited(endpoint, until: $0) }
                        return then(.success(Page([answer.body], next: answer.next, stop: stop)))
                    } catch {
                        return then(.failure(error))
                    }
                }
            },
            then: { listing in
                var inquiry = self
                // Without a page nothing new is known of the budget.
                if listing.pageCount > 0 { inquiry.spent[endpoint] = listing.stop?.retryAt }
                return then(inquiry, listing)
            })
    }

    private static func limited(_ endpoint: SentryServer.Endpoint, until: Moment) -> PollFailure {
        PollFailure(
            .rateLimited, "\(endpoint.rawValue): the server allows no more requests until \(until)", retryAt: until)
    }

    /// An answer that is not what the API promises.
    public static func failure(_ endpoint: SentryServer.Endpoint, _ mismatch: JSONMismatch) -> PollFailure {
        PollFailure(mismatch).about(endpoint.rawValue)
    }

    /// The issues of a list, as far as it was read and makes sense.
    ///
    /// Their projects go by the names that sessions go by: of one that was renamed, the old name until the list is asked for
    /// again, or it would be two apps.
    public mutating func issues(
        in pages: Listing<JSONReader>, counts: SentryIssue.Counts = .ofWindow, link: (String) -> String? = { _ in nil }
    ) -> (issues: [SentryIssue], failure: PollFailure?) {
        var issues: [SentryIssue] = []
        var left = LeftOut()
        defer { warn(of: left, "an issue", "issues") }
        do throws(JSONMismatch) {
            for body in pages.items {
                issues += try SentryIssue.issues(in: body, counts: counts, leaving: &left, link: link)
            }
        } catch {
            return (issues, SentryInquiry.failure(.issues, error))
        }
        // A list that nobody asks for any more knows nothing of names of now.
        for index in issues.indices where directory.isFresh(at: now) {
            if let name = issues[index].projectID.flatMap({ directory.slugs[$0] }) { issues[index].project = name }
        }
        return (issues, pages.failure)
    }

    /// Says what of an answer was left out.
    public mutating func warn(of left: LeftOut, _ one: String, _ many: String) {
        if let warning = left.warning(one, many), !warnings.contains(warning) { warnings.append(warning) }
    }
}
