internal import PluginKit
internal import SourceKit

/// One poll under way: for each environment and each span the sessions, those that crashed, and both by version.
struct DatadogPoll: Sendable {
    private let source: DatadogSource
    private let poll: Poll
    /// In the order in which they are asked.
    private let rounds: [Round]
    /// What is still to be asked.
    private var open: [DatadogQuestion] = []
    private var answers: [DatadogQuestion: [String: Double]] = [:]
    private var warnings: [String] = []
    /// Set when the budget is used up: no request before that moment.
    private var spentUntil: Moment?

    /// One environment over one span.
    private struct Round: Hashable, Sendable {
        let environment: String?
        let span: TimeSpan

        /// As the cursor has it.
        var json: JSON { ["environment": JSON(environment), "span": .string(span.length.grammar)] }
    }

    /// Most spans asked for in one poll: each is up to four requests for each environment.
    private static let spansMax = 6

    init(of source: DatadogSource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        let spans = poll.spans.prefix(DatadogPoll.spansMax).map { TimeSpan(lasting: $0, until: poll.now) }
        let environments: [String?] = source.environments.isEmpty ? [nil] : source.environments
        let all = environments.flatMap { environment in spans.map { Round(environment: environment, span: $0) } }
        // Where the poll before broke off, so that a budget too small for all of them is not always spent on the same.
        let first = all.firstIndex { $0.json == poll.cursor } ?? 0
        rounds = Array(all[first...] + all[..<first])
        if poll.spans.count > spans.count {
            warnings.append(
                "rules ask for \(poll.spans.count) different spans; only the \(spans.count) shortest are measured")
        }
        for round in rounds {
            for isByVersion in source.countsReleases ? [false, true] : [false] {
                for count in [DatadogQuestion.Count.sessions, .crashed] {
                    open.append(question(count, in: round, isByVersion: isByVersion))
                }
            }
        }
    }

    private func question(_ count: DatadogQuestion.Count, in round: Round, isByVersion: Bool) -> DatadogQuestion {
        DatadogQuestion(count: count, span: round.span, environment: round.environment, isByVersion: isByVersion)
    }

    func begin() -> PollStep { goOn() }

    private func goOn() -> PollStep {
        guard let question = open.first else { return finish() }
        if let until = spentUntil {
            return finish(
                without: PollFailure(
                    .rateLimited, "\(question.subject): Datadog allows no more requests until \(until)",
                    retryAt: until))
        }
        return .fetch(source.server.request(question)) { result in
            var poll = self
            do throws(PollFailure) {
                let answer = try DatadogAnswer(result, to: question, now: poll.poll.now)
                poll.take(answer, to: question)
                return poll.goOn()
            } catch {
                return poll.finish(without: error)
            }
        }
    }

    private mutating func take(_ answer: DatadogAnswer, to question: DatadogQuestion) {
        open.removeFirst()
        answers[question] = answer.counts
        spentUntil = answer.spentUntil
        // Where there is no session nothing has crashed, and no version is to be told apart.
        if question.count == .sessions, answer.counts.values.allSatisfy({ $0 == 0 }) {
            open.removeAll { $0.span == question.span && $0.environment == question.environment }
        }
        if question.isByVersion, question.count == .sessions, answer.counts.count >= DatadogServer.versionsMax {
            warnings.append("only \(DatadogServer.versionsMax) versions are told apart")
        }
    }

    private func finish(without failure: PollFailure? = nil) -> PollStep {
        var report = PollReport(
            observations(), failures: [failure].compactMap(\.self), spentUntil: spentUntil, warnings: warnings)
        report.cursor = cursor(after: failure)
        return .finish(report)
    }

    /// Where the next poll begins: in the round in which the budget ended, or in the one behind it where that was the first,
    /// which may need more than there ever is. Nil, which keeps what was there, where there is nothing to remember.
    private func cursor(after failure: PollFailure?) -> JSON? {
        guard failure?.reason == .rateLimited, let question = open.first,
            let index = rounds.firstIndex(where: {
                $0.environment == question.environment && $0.span == question.span
            })
        else { return poll.cursor.map { _ in [:] } }
        return rounds[max(index, 1) % rounds.count].json
    }

    private func observations() -> [Observation] {
        var observations: [Observation] = []
        for round in rounds {
            for isByVersion in [false, true] {
                // Without the crashes the sessions would say that there were none.
                guard let sessions = answers[question(.sessions, in: round, isByVersion: isByVersion)],
                    let crashed = answers[question(.crashed, in: round, isByVersion: isByVersion)]
                else { continue }
                let isCut = crashed.count >= DatadogServer.versionsMax
                for (version, count) in sessions.sorted(by: { $0.key < $1.key }) where count > 0 {
                    // Of a version beyond the last that was told apart nobody knows whether it crashed.
                    if isCut, crashed[version] == nil { continue }
                    // Both are estimates where there are many; neither may contradict the other.
                    let hits = min(crashed[version] ?? 0, count)
                    observations.append(
                        Observation(
                            subject: Subject(
                                source: poll.source, app: source.app, release: version.isEmpty ? nil : version,
                                environment: round.environment),
                            span: round.span, seen: poll.now, metrics: [.sessions: count, .crashedSessions: hits]))
                }
            }
        }
        // Wherever the round began: of spans that end together, the one told last counts as the newest.
        return observations.sorted { $0.span.from < $1.span.from }
    }
}
