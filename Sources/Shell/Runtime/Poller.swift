public import AlertCore
public import PluginKit

/// Leads the conversation with a source to its end.
public struct Poller: Sendable {
    private let ports: Ports
    private let redactor: Redactor
    private let tokens: TokenVault

    /// Steps of one conversation: pages of issues, spans and environments stay far below.
    private static let stepsMax = 200
    /// Tokens of one conversation: before every request, and once more where a service refuses one.
    private static let tokensMax = 2 * stepsMax
    /// So often a source is told that there is no room for more before it is taken not to listen.
    private static let refusalsMax = 200
    /// Addresses of which validators are kept.
    private static let validatorsMax = 16

    /// - Parameter tokens: shared by all polls, or every one would ask for tokens of its own.
    public init(ports: Ports, redactor: Redactor, tokens: TokenVault) {
        self.ports = ports
        self.redactor = redactor
        self.tokens = tokens
    }

    /// The same for a source with other secrets.
    func masking(_ secrets: [Secret]) -> Poller {
        Poller(ports: ports, redactor: redactor.masking(secrets), tokens: tokens)
    }

    /// Polls, and gives back the input that tells the core.
    public func poll(_ order: PollOrder, _ source: any Source) async -> Input {
        let began = ports.clock.now()
        var validators = order.validators
        if let faults = ports.faults, faults.strikes(order.source, at: began) {
            let failure = PollFailure(.unreachable, Faults.sentence)
            return .polled(source: order.source, PollReport(.failed(failure)), validators: validators)
        }
        let deadline = ports.clock.uptime() + order.timeout * SourcePlan.timeoutsPerPollMax
        var step = source.poll(
            Poll(
                source: order.source, now: began, cursor: order.cursor, spans: order.spans, isAnew: order.isAnew))
        var redactor = redactor
        /// Masks what may come back as a name.
        var credentials = Redactor([])
        var (stepsLeft, tokensLeft, refusalsLeft) = (Poller.stepsMax, Poller.tokensMax, Poller.refusalsMax)
        /// Until when a limit is used up that an answer told of.
        var spentUntil: Moment?
        /// What is left of the time for a request; nil when the poll has none left.
        func timeLeft() -> Duration? {
            let left = deadline - ports.clock.uptime()
            return left > .zero ? min(order.timeout, left) : nil
        }
        let timeouts = SourcePlan.timeoutsPerPollMax
        let tooLate = PollFailure(
            .timeout,
            "the whole poll took longer than \((order.timeout * timeouts).short), \(timeouts) times 'timeout'; "
                + "raise it, or split the source")
        let tooMany = PollFailure(
            .badAnswer, "the poll did not end after \(Poller.stepsMax) requests; split the source")
        /// Why there is no room for more. The source hears of it as of a request that failed, so that what it has by
        /// then is not lost, nor where it got to.
        var end: PollFailure?
        func refusal(_ failure: PollFailure) -> PollFailure {
            end = failure
            refusalsLeft -= 1
            return PollFailure(.timeout, failure.description)
        }
        while refusalsLeft > 0 {
            if stepsLeft == 0 || tokensLeft == 0 { end = end ?? tooMany }
            switch step {
            case .finish(let report):
                let took = ports.clock.now() - began
                return .polled(
                    source: order.source,
                    report.waiting(after: [], spentUntil: spentUntil).redacted(by: redactor, namesBy: credentials)
                        .waitingLonger(by: took),
                    validators: validators)
            case .read(let request, let then):
                if let end {
                    step = then(.failed(refusal(end).description))
                    continue
                }
                stepsLeft -= 1
                step = then(await ports.files.read(request))
            case .authorize(let wanted, let then):
                guard end == nil, let timeout = timeLeft() else {
                    step = then(.failure(refusal(end ?? tooLate)))
                    continue
                }
                tokensLeft -= 1
                let token = await tokens.token(for: wanted, ports, timeout: timeout, over: order.connection)
                // A service may send back what it was sent, tokens too.
                if case .success(let token) = token { redactor = redactor.masking(token.secret) }
                step = then(token)
            case .fetch(var request, let then):
                guard end == nil, let timeout = timeLeft() else {
                    let sentence = refusal(end ?? tooLate).description
                    step = then(.failed(TransportError(.timeout, mayHaveArrived: false, sentence)))
                    continue
                }
                stepsLeft -= 1
                request.connection = order.connection
                redactor = redactor.masking(request.ownSecrets)
                credentials = credentials.masking(credentialsOf: request)
                let result = await fetch(request, timeout: timeout, &validators)
                if case .answered(let response) = result, let wait = response.spentLimitWait(now: began) {
                    spentUntil = max(spentUntil ?? .earliest, began + wait)
                }
                step = then(result)
            }
        }
        return .polled(source: order.source, PollReport(.failed(end ?? tooMany)), validators: validators)
    }

    private func fetch(
        _ request: HTTPRequest, timeout: Duration, _ validators: inout [String: SourceRecord.Validator]
    ) async -> FetchResult {
        var request = request
        var hash = StableHash()
        hash.add(request.url.reveal())
        let key = hash.text
        if request.isConditional, let validator = validators[key] {
            // A journal of before may hold what no header can.
            if let etag = validator.etag, etag.isHeaderValue {
                request.headers.append(.init("If-None-Match", GuardedText(etag)))
            }
            if let date = validator.lastModified, date.isHeaderValue {
                request.headers.append(.init("If-Modified-Since", GuardedText(date)))
            }
        }
        let result = await ports.web.fetch(request, timeout: timeout)
        guard request.keepsValidators, case .answered(let response) = result, response.isSuccess else { return result }
        // Cut, they would match nothing; and a service can send what no request may carry.
        func kept(_ name: String, _ bytesMax: Int) -> String? {
            response.header(name).flatMap { $0.isHeaderValue && $0.utf8.count <= bytesMax ? $0 : nil }
        }
        let validator = SourceRecord.Validator(etag: kept("ETag", 300), lastModified: kept("Last-Modified", 60))
        if validator.etag == nil, validator.lastModified == nil {
            validators[key] = nil
        } else {
            if validators.count >= Poller.validatorsMax { validators = [:] }
            validators[key] = validator
        }
        return result
    }
}

extension PollReport {
    /// The same without secrets that have come back.
    ///
    /// - Parameter credentials: what of them is masked in names, too.
    func redacted(by redactor: Redactor, namesBy credentials: Redactor = Redactor([])) -> PollReport {
        var report = saying(redactor.redact)
        switch outcome {
        case .failed(let failure): report.outcome = .failed(failure.saying(redactor.redact(failure.description)))
        case .values(let observations):
            report.outcome = .values(observations.map { redactor.redacted($0, namesBy: credentials) })
        case .noData, .stale, .unchanged: break
        }
        return report
    }

    /// The report with its waits counted from the answer instead of from the poll's begin: a wait that a service asks
    /// for is never cut short by the time its answer took.
    fileprivate func waitingLonger(by took: Duration) -> PollReport {
        var report = self
        // Moments are cut to milliseconds; one more makes up for it.
        let longer = max(.zero, took) + .milliseconds(1)
        report.notBefore = notBefore.map { $0 + longer }
        report.limit = limit.map { $0 + longer }
        if case .failed(let failure) = outcome { report.outcome = .failed(failure.waitingLonger(by: longer)) }
        return report
    }
}

extension PollFailure {
    /// The failure with its wait counted from the answer instead of from the begin of the conversation.
    func waitingLonger(by took: Duration) -> PollFailure {
        var failure = self
        failure.retryAt = retryAt.map { $0 + took }
        return failure
    }
}
