internal import PluginKit
internal import SourceKit

/// One poll under way: for each environment and each span the sessions, those that crashed, and both by version.
struct DatadogPoll: Sendable {
    private let source: DatadogSource
    private let poll: Poll
    /// What is still to be asked.
    private var open: [DatadogQuestion] = []
    private var answers: [DatadogQuestion: [String: Double]] = [:]
    private var warnings: [String] = []
    /// Set when the budget is used up: no request before that moment.
    private var spentUntil: Moment?

    init(of source: DatadogSource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        for environment in environments {
            for span in spans {
                for isByVersion in source.countsReleases ? [false, true] : [false] {
                    for count in [DatadogQuestion.Count.sessions, .crashed] {
                        open.append(
                            DatadogQuestion(
                                count: count, span: span, environment: environment, isByVersion: isByVersion))
                    }
                }
            }
        }
    }

    private var environments: [String?] { source.environments.isEmpty ? [nil] : source.environments }
    private var spans: [TimeSpan] { poll.spans.map { TimeSpan(lasting: $0, until: poll.now) } }

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
        .finish(
            PollReport(
                observations(), failures: [failure].compactMap(\.self), spentUntil: spentUntil, warnings: warnings))
    }

    private func observations() -> [Observation] {
        var observations: [Observation] = []
        for environment in environments {
            for span in spans {
                for isByVersion in [false, true] {
                    func counts(_ count: DatadogQuestion.Count) -> [String: Double]? {
                        answers[
                            DatadogQuestion(
                                count: count, span: span, environment: environment, isByVersion: isByVersion)]
                    }
                    // Without the crashes the sessions would say that there were none.
                    guard let sessions = counts(.sessions), let crashed = counts(.crashed) else { continue }
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
                                    environment: environment),
                                span: span, seen: poll.now,
                                metrics: [.sessions: count, .crashedSessions: hits]))
                    }
                }
            }
        }
        return observations
    }
}
