public import PluginKit

/// Asks one source for its past, politely: one request at a time, with a rest as long as the answer took, and with
/// every wait that the service asks for.
public struct Recaller: Sendable {
    private let ports: Ports
    private var redactor: Redactor
    /// Masks what may come back as a name.
    private var credentials = Redactor([])
    private let tokens: TokenVault
    private let source: PastSource

    /// The longest stretch asked for at once; it shrinks where the service cannot give so much.
    private var piece = Duration.days(1)
    private var cursor: JSON?
    private var notBefore: Duration?

    /// Requests of one piece: those of a poll that asks for as much as it may.
    private static let requestsMax = 200
    /// Tokens of one piece: before every request, and once more where a service refuses one.
    private static let tokensMax = 2 * requestsMax
    /// A service that cannot tell of a quarter of an hour is not asked for less.
    static let pieceMin = Duration.minutes(15)
    /// Longest rest between two requests: a service that needs longer than this has a load of its own to look after.
    private static let restMax = Duration.seconds(10)
    /// Tries of one piece before the source is given up.
    static let triesMax = 4
    /// Longest wait that a service may ask for: nobody sits before a command for longer.
    static let waitMax = Duration.minutes(15)
    /// The wait after a failure that names none; doubled each time.
    private static let patience = Duration.seconds(2)
    /// Lines of one stretch: a day of minutes of some seven hundred apps, in a few hundred megabytes.
    private static let linesMax = 1_000_000

    /// - Parameter tokens: shared by all sources that recall.
    public init(_ source: PastSource, ports: Ports, redactor: Redactor, tokens: TokenVault) {
        self.source = source
        self.ports = ports
        self.redactor = redactor
        self.tokens = tokens
    }

    /// What a stretch of the past holds.
    public struct Recalled: Sendable {
        /// In the order in which they would have been seen.
        public var lines: [ObservationLine] = []
        /// Sentences about answers that are usable but not whole.
        public var warnings: [String] = []
    }

    /// Recalls what was known after `from` and not after `to`.
    ///
    /// - Throws: a `PollFailure` when the source cannot tell, or `CancellationError`.
    public mutating func recall(from: Moment, to: Moment) async throws -> Recalled {
        var recalled = Recalled()
        var (at, tries) = (from, 0)
        while at < to {
            let end = min(at + piece, to)
            let report = try await converse(from: at, to: end)
            switch report.outcome {
            case .lines(let lines):
                recalled.lines += lines.map(redacted)
                for warning in report.warnings.map(redactor.redact) where !recalled.warnings.contains(warning) {
                    recalled.warnings.append(warning)
                }
                guard recalled.lines.count <= Recaller.linesMax else {
                    throw PollFailure(.tooLarge, "more than \(Recaller.linesMax) observations from \(from) to \(to)")
                }
                (at, tries) = (end, 0)
            case .failed(let failure):
                if [.tooLarge, .timeout].contains(failure.reason), shorten(end - at) { continue }
                tries += 1
                try await wait(after: failure, tries)
            }
        }
        return recalled
    }

    /// Asks for half as much from now on; false when that would be too little.
    private mutating func shorten(_ length: Duration) -> Bool {
        let half = Duration.milliseconds(length.wholeMilliseconds / 2)
        guard half >= max(Recaller.pieceMin, source.every) else { return false }
        piece = half
        return true
    }

    /// Waits before the next try, as long as told or longer each time; throws when there should be none.
    private func wait(after failure: PollFailure, _ tries: Int) async throws {
        let mayPass = [.timeout, .unreachable, .rateLimited, .unavailable].contains(failure.reason)
        let told = failure.retryAt.map { $0 - ports.clock.now() + .milliseconds(1) }
        let wait = max(told ?? .zero, Recaller.patience * (1 << (tries - 1)))
        guard mayPass, tries < Recaller.triesMax, wait <= Recaller.waitMax else {
            throw failure.saying(redactor.redact(failure.description))
        }
        try await ports.clock.sleep(until: ports.clock.uptime() + wait)
    }

    // MARK: - One conversation

    private mutating func converse(from: Moment, to: Moment) async throws -> RecallReport {
        if let notBefore { try await ports.clock.sleep(until: notBefore) }
        notBefore = nil
        let recall = Recall(
            source: source.name, now: ports.clock.now(), from: from, to: to, every: source.every, spans: source.spans,
            cursor: cursor)
        var step = source.plugin.recall(recall)
        var (requestsLeft, tokensLeft) = (Recaller.requestsMax, Recaller.tokensMax)
        while requestsLeft > 0, tokensLeft > 0 {
            switch step {
            case .finish(var report):
                if let cursor = report.cursor { self.cursor = cursor }
                notBefore = report.notBefore.map { until in
                    ports.clock.uptime() + min(until - recall.now, Recaller.waitMax)
                }
                if case .failed(let failure) = report.outcome {
                    report.outcome = .failed(failure.waitingLonger(by: ports.clock.now() - recall.now))
                }
                return report
            case .read(let request, let then):
                requestsLeft -= 1
                step = then(await ports.files.read(request))
            case .authorize(let order, let then):
                tokensLeft -= 1
                let token = await tokens.token(for: order, ports, timeout: source.timeout, over: source.connection)
                try Task.checkCancellation()
                if case .success(let token) = token { redactor = redactor.masking(token.secret) }
                step = then(token)
            case .fetch(var request, let then):
                requestsLeft -= 1
                request.connection = source.connection
                redactor = redactor.masking(request.ownSecrets)
                credentials = credentials.masking(credentialsOf: request)
                let began = ports.clock.uptime()
                let result = await ports.web.fetch(request, timeout: source.timeout)
                try Task.checkCancellation()
                let took = ports.clock.uptime() - began
                try await ports.clock.sleep(until: ports.clock.uptime() + took.clamped(to: .zero...Recaller.restMax))
                step = then(result)
            }
        }
        return RecallReport(
            .failed(PollFailure(.badAnswer, "recalling did not end after \(Recaller.requestsMax) requests")))
    }

    private func redacted(_ line: ObservationLine) -> ObservationLine {
        if case .observed(let observation) = line {
            return .observed(redactor.redacted(observation, namesBy: credentials))
        }
        guard let failure = line.failure else { return line }
        return .failed(source: line.source, reason: redactor.redact(failure.reason), seen: line.seen)
    }
}
