internal import PluginKit
internal import SentryKit
internal import SourceKit

/// The past of an organization, in the buckets in which the service counts.
///
/// A span of up to a day becomes the shortest bucket that covers it, an hour at the least, and is seen when it has
/// ended. Longer spans are asked for as a poll at midnight would have asked. Issues are not recalled: the service knows
/// what they are now, not what they were.
struct SentryRecall: Sendable {
    /// One request, or the first page of one.
    private struct Question: Sendable {
        let from: Moment
        let to: Moment
        let interval: Duration
        /// Whether every interval is a span of its own, or all of them one.
        let isSplit: Bool
        let hasReleases: Bool

        /// How many spans it brings of each group.
        var spans: Int { isSplit ? intervals : 1 }

        var intervals: Int { Int((to - from).wholeMilliseconds / max(interval.wholeMilliseconds, 1)) }

        var query: AddressQuery {
            [
                ("start", from.wholeSecond), ("end", to.wholeSecond),
                ("interval", "\(interval.wholeMilliseconds / 3_600_000)h"),
            ]
        }
    }

    private let recall: Recall
    private let questions: [Question]
    /// Knows the projects, the pages and what the server allows.
    private let poll: SentryPoll

    init(of source: SentrySource, _ recall: Recall) {
        self.recall = recall
        let poll = Poll(source: recall.source, now: recall.now, cursor: recall.cursor, spans: recall.spans)
        self.poll = SentryPoll(of: source, poll)
        questions = SentryRecall.stretches(recall).flatMap { stretch in
            source.passes.map { hasReleases in
                Question(
                    from: stretch.span.from,
                    to: stretch.span.to,
                    interval: stretch.interval,
                    isSplit: stretch.isSplit,
                    hasReleases: hasReleases
                )
            }
        }
    }

    private typealias Stretch = (span: TimeSpan, interval: Duration, isSplit: Bool)

    /// What to ask for, the shortest spans first.
    private static func stretches(_ recall: Recall) -> [Stretch] {
        var stretches: [Stretch] = []
        var buckets: [Duration] = []
        let kept = recall.now - Window.spanMax
        for span in recall.spans.prefix(Window.countMax) {
            if let bucket = Window.bucket(covering: span) {
                let ends = recall.multiples(of: bucket).filter { $0 - bucket >= kept }
                guard !buckets.contains(bucket), let first = ends.first, let last = ends.last,
                    let whole = TimeSpan(from: first - bucket, to: last)
                else { continue }
                buckets.append(bucket)
                stretches.append((whole, bucket, true))
            } else {
                for midnight in recall.multiples(of: .days(1)) {
                    let window = Window(covering: span, until: midnight)
                    guard window.from >= kept, let whole = TimeSpan(from: window.from, to: midnight) else { continue }
                    stretches.append((whole, window.interval, false))
                }
            }
        }
        return stretches
    }

    func begin() -> RecallStep {
        guard !questions.isEmpty else { return .finish(RecallReport(.lines([]))) }
        return poll.knowingProjects { poll, failure in failure.map { .fail($0) } ?? ask(0, poll) }
    }

    private func ask(_ number: Int, _ poll: SentryPoll) -> RecallStep {
        guard number < questions.count else {
            return poll.namingMeasured { poll, failure in failure.map { .fail($0) } ?? finish(poll) }
        }
        let question = questions[number]
        let query = poll.sessionsQuery(question.query, hasReleases: question.hasReleases, hasSeries: question.isSplit)
        return poll.pages(.sessions, query) { poll, pages in
            var poll = poll
            if let failure = pages.failure { return .fail(failure) }
            do throws(JSONMismatch) {
                var (left, rates) = (LeftOut(), LeftOut())
                poll.measured.append(try groups(pages, question, leaving: &left, rates: &rates))
                poll.inquiry.warn(of: left, "a group of sessions", "groups of sessions")
                poll.inquiry.warn(of: rates, "a crash-free rate", "crash-free rates")
            } catch {
                return .fail(SentryInquiry.failure(.sessions, error))
            }
            if isCut(pages, question) {
                let what = "sessions: more \(question.hasReleases ? "releases" : "apps") than one answer holds"
                // In a shorter stretch there is room for more of them, unless it is one whole already.
                guard question.spans < 2 else { return .fail(PollFailure(.tooLarge, what)) }
                poll.inquiry.warnings.append("\(what): those with the fewest sessions are left out")
            }
            return ask(number + 1, poll)
        }
    }

    /// Whether the service left out groups: it does so without a word.
    private func isCut(_ pages: Listing<JSONReader>, _ question: Question) -> Bool {
        let last = pages.items.last.flatMap { try? $0.optional("groups")?.elements() }
        return pages.isCut || (last?.count ?? 0) >= Window.groupsMax(intervals: question.intervals)
    }

    private func groups(
        _ pages: Listing<JSONReader>, _ question: Question, leaving left: inout LeftOut, rates: inout LeftOut
    ) throws(JSONMismatch) -> [SessionGroup] {
        var groups: [SessionGroup] = []
        // Nobody is said to have vanished from the past.
        var projects: Set<String?> = []
        for body in pages.items {
            groups +=
                question.isSplit
                ? try SessionGroup.buckets(
                    in: body, of: question.interval, hasReleases: question.hasReleases, leaving: &left,
                    rates: &rates)
                : try SessionGroup.groups(
                    in: body, hasReleases: question.hasReleases, now: question.to, leaving: &left,
                    rates: &rates, of: &projects)
        }
        // The service widens what it is asked for to whole intervals; what has not ended is not known yet.
        return groups.filter { $0.span.to <= question.to && $0.span.from >= question.from }
    }

    /// A bucket is seen by the first poll after its end.
    private func finish(_ poll: SentryPoll) -> RecallStep {
        var poll = poll
        let observations = poll.sessionObservations(after: recall.every)
        let order = observations.indices.sorted { (observations[$0].seen, $0) < (observations[$1].seen, $1) }
        return .finish(
            RecallReport(
                .lines(order.map { .observed(observations[$0]) }),
                cursor: poll.inquiry.cursor,
                limit: poll.inquiry.limit,
                warnings: poll.inquiry.warnings
            )
        )
    }
}
