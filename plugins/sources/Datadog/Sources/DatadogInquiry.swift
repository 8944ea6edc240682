internal import PluginKit

/// What is still to be asked of Datadog, and what it has counted so far, put together to observations.
struct DatadogInquiry: Sendable {
    /// The source's name.
    private let source: String
    private let app: String
    private(set) var open: [DatadogQuestion]
    private(set) var warnings: [String]
    /// Set when the budget is used up: no request before that moment.
    private(set) var spentUntil: Moment?
    private var counts: [DatadogQuestion: DatadogCount] = [:]
    /// Where sessions were counted, in that order.
    private var counted: [DatadogQuestion] = []

    init(source: String, app: String, _ questions: [DatadogQuestion], warnings: [String]) {
        self.source = source
        self.app = app
        open = questions
        self.warnings = warnings
    }

    /// Why the next question cannot be asked now; nil where it can.
    var refusal: PollFailure? {
        guard let question = open.first, let until = spentUntil else { return nil }
        return PollFailure(
            .rateLimited, "\(question.subject): Datadog allows no more requests until \(until)", retryAt: until)
    }

    /// Asks nothing more of that environment and that span.
    ///
    /// - Parameter warning: what is said of it.
    mutating func leave(_ question: DatadogQuestion, saying warning: String? = nil) {
        open.removeAll { $0.span == question.span && $0.environment == question.environment }
        if let warning { warnings.append(warning) }
    }

    /// Takes in what was counted, and whether more requests are allowed.
    ///
    /// - Returns: why not everything may be counted, so that nothing was taken in; nil where it was.
    mutating func take(_ answer: DatadogAnswer, to question: DatadogQuestion) -> PollFailure? {
        spentUntil = answer.spentUntil
        if let partiality = answer.partiality { return partiality }
        open.removeFirst()
        if question.count == .sessions {
            // Where there is no session nothing has crashed, and no version is to be told apart.
            if answer.isEmpty { leave(question) }
            if let warning = answer.warning, !warnings.contains(warning) { warnings.append(warning) }
        }
        for span in question.spans {
            let part = question.part(span)
            if question.count == .sessions { counted.append(part) }
            counts[part] = answer.counts[span]
        }
        return nil
    }

    /// - Parameter seen: when a span would have been seen.
    func observations(seen: (TimeSpan) -> Moment) -> [Observation] {
        var observations: [Observation] = []
        for question in counted {
            // Without the crashes the sessions would say that there were none.
            guard let sessions = counts[question], let crashed = counts[question.counting(.crashed)] else { continue }
            for (version, count) in sessions.values.sorted(by: { $0.key < $1.key }) where count > 0 {
                // Of a version beyond the last that was told apart nobody knows whether it crashed.
                if let told = crashed.told, !told.contains(version) { continue }
                // Both are estimates where there are many; neither may contradict the other.
                let hits = min(crashed.values[version] ?? 0, count)
                observations.append(
                    Observation(
                        subject: Subject(
                            source: source, app: app, release: version.isEmpty ? nil : version,
                            environment: question.environment),
                        span: question.span, seen: seen(question.span),
                        metrics: [.sessions: count, .crashedSessions: hits]))
            }
        }
        // Wherever the asking began: of spans that end together, the one told last counts as the newest.
        let order = observations.indices.sorted {
            (observations[$0].seen, observations[$0].span.from, $0) < (
                observations[$1].seen, observations[$1].span.from, $1
            )
        }
        return order.map { observations[$0] }
    }
}
