internal import PluginKit
internal import SourceKit

/// One poll under way: the active items of each environment, page by page.
struct RollbarPoll: Sendable {
    private let source: RollbarSource
    private let poll: Poll
    private var items: [RollbarItem] = []
    private var warnings: [String] = []
    /// Why some items could not be read, which are all that there is to read.
    private var broken: PollFailure?
    /// Set when the budget is used up: no request before that moment.
    private var spentUntil: Moment?

    /// Most pages of one environment: three hundred items are more than anybody reads.
    private static let pagesMax = 3
    /// What a page has that need not be the last.
    private static let itemsPerPage = 100

    init(of source: RollbarSource, _ poll: Poll) {
        self.source = source
        self.poll = poll
    }

    func begin() -> PollStep { ask(0, page: 1, read: 0) }

    /// - Parameter read: how many items of this environment have been read.
    private func ask(_ number: Int, page: Int, read: Double) -> PollStep {
        let scopes: [String?] = source.environments.isEmpty ? [nil] : source.environments
        guard number < scopes.count else { return finish() }
        if let until = spentUntil {
            return finish(
                without: PollFailure(
                    .rateLimited, "items: Rollbar allows no more requests until \(until)", retryAt: until))
        }
        return .fetch(source.server.request(environment: scopes[number], page: page)) { result in
            var poll = self
            do throws(PollFailure) {
                let answer = try RollbarAnswer(result, now: poll.poll.now)
                poll.items += answer.items
                poll.spentUntil = answer.spentUntil
                if let warning = answer.left.warning("an item", "items") {
                    poll.warnings.append(warning)
                    poll.broken = poll.broken ?? PollFailure(.badAnswer, warning)
                }
                let found = answer.items.count + answer.left.count
                let read = read + Double(found)
                // Where nobody says how many there are, a full page is taken for one of several.
                let isLast = answer.total.map { read >= $0 } ?? (found < RollbarPoll.itemsPerPage)
                guard !isLast, found > 0 else { return poll.ask(number + 1, page: 1, read: 0) }
                guard page < RollbarPoll.pagesMax else {
                    let active = answer.total.map { "\($0.plain) items are" } ?? "more than \(read.plain) items may be"
                    poll.warnings.append("\(active) active; \(read.plain) are read")
                    return poll.ask(number + 1, page: 1, read: 0)
                }
                return poll.ask(number, page: page + 1, read: read)
            } catch {
                return poll.finish(without: error)
            }
        }
    }

    private func finish(without failure: PollFailure? = nil) -> PollStep {
        .finish(
            PollReport(
                observations(), failures: [failure].compactMap(\.self), spentUntil: spentUntil, warnings: warnings
            ).waiting(after: [broken].compactMap(\.self)))
    }

    private func observations() -> [Observation] {
        var byPlace: [String: [Issue]] = [:]
        var taken: Set<String> = []
        for item in items.sorted(by: RollbarItem.worseFirst) where taken.insert(item.issue.id).inserted {
            byPlace[item.environment ?? "", default: []].append(item.issue)
        }
        return byPlace.sorted { $0.key < $1.key }.map { environment, issues in
            let subject = Subject(
                source: poll.source, app: source.app, environment: environment.isEmpty ? nil : environment)
            return Observation(issues: issues, of: subject, in: poll)
        }
    }
}
