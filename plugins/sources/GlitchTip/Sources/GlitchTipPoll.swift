internal import PluginKit
internal import SentryKit
internal import SourceKit

/// One poll under way: the ids of projects where they are needed, and then the issues of each environment.
struct GlitchTipPoll: Sendable {
    private let source: GlitchTipSource
    private let poll: Poll
    private var inquiry: SentryInquiry
    private var observations: [Observation] = []
    private var notes: [String] = []
    private var homeless = 0

    init(of source: GlitchTipSource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        inquiry = SentryInquiry(source.server, projects: source.projects, cursor: poll.cursor, now: poll.now)
    }

    func begin() -> PollStep {
        // Issues name their project; ids are needed only to ask for some.
        guard source.projects.contains(where: { !$0.isProjectID }) else { return ask(0) }
        return inquiry.knowingProjects { inquiry, failure in
            var poll = self
            poll.inquiry = inquiry
            if let failure { return poll.fail(failure) }
            guard inquiry.watched.allSatisfy({ inquiry.directory.id(of: $0) != nil }) else {
                let failure = inquiry.namelessness ?? PollFailure(.notFound, "projects: more than are read")
                return poll.fail(failure.saying("\(failure.description); or write ids in 'projects'"))
            }
            return poll.ask(0)
        }
    }

    /// Asks for the issues of each environment by itself, because the answer does not say where an issue occurred.
    ///
    /// Those that are resolved are read too, so that one that is back is known to be. There is no span to ask for: what
    /// GlitchTip calls `start` is about when an issue was first seen.
    private func ask(_ number: Int) -> PollStep {
        let scopes: [String?] = source.environments.isEmpty ? [nil] : source.environments
        guard number < scopes.count else { return finish() }
        let environment = scopes[number]
        var query: AddressQuery = inquiry.watched.map { ("project", inquiry.directory.id(of: $0) ?? $0) }
        if let environment { query.append(("environment", environment)) }
        query += [("sort", "-last_seen"), ("limit", "100")]
        return inquiry.pages(.issues, query) { [links] inquiry, pages in
            var poll = self
            poll.inquiry = inquiry
            let (issues, failure) = poll.inquiry.issues(in: pages, counts: .ofLife) { id in
                links.map { $0 + id.percentEncoded }
            }
            if let failure {
                // Half of the environments are better than none, but half a list would look like an end of issues.
                guard !poll.observations.isEmpty else { return poll.fail(failure) }
                poll.inquiry.warnings.append(failure.description)
                return poll.finish(after: [failure])
            }
            if pages.isCut {
                poll.notes.append(
                    "more than \(issues.count) issues\(environment.map { " of \($0)" } ?? ""): those seen last are read"
                )
            }
            poll.take(issues, of: environment)
            return poll.ask(number + 1)
        }
    }

    /// What the addresses begin with at which people look at issues; nil where that holds what is nobody's business.
    private var links: String? {
        let organization = source.server.organization
        guard let address = source.server.address.linkable, !organization.hasSecret else { return nil }
        return "\(address)/\(organization.percentEncoded)/issues/"
    }

    private mutating func take(_ issues: [SentryIssue], of environment: String?) {
        let (apps, strays) = SentryIssue.byApp(issues, only: inquiry.only)
        homeless += strays
        observations += apps.map { app, issues in
            Observation(issues: issues, of: Subject(source: poll.source, app: app, environment: environment), in: poll)
        }
    }

    private func finish(after failures: [PollFailure] = []) -> PollStep {
        let strays = homeless > 0 ? ["\(homeless.counted("issue")) left out because no project is named"] : []
        return .finish(
            PollReport(
                observations.isEmpty ? .noData : .values(observations), cursor: inquiry.cursor,
                limit: inquiry.limit, warnings: inquiry.warnings + strays, notes: notes
            ).waiting(after: [inquiry.blindness].compactMap(\.self) + failures))
    }

    private func fail(_ failure: PollFailure) -> PollStep {
        .finish(PollReport(.failed(failure), cursor: inquiry.cursor, warnings: inquiry.warnings))
    }
}
