public import AlertCore
public import PluginKit

/// Makes one attempt of a delivery.
public struct Courier: Sendable {
    private let ports: Ports
    private let redactor: Redactor

    /// For an attempt as a whole: Standard Webhooks advises 15 to 30 seconds.
    public static let attemptTimeout = Duration.seconds(30)
    /// For what is only nice to have, and what the next message of the incident waits for.
    static let updateTimeout = Duration.seconds(5)

    public init(ports: Ports, redactor: Redactor) {
        self.ports = ports
        self.redactor = redactor
    }

    /// Delivers, and gives back the input that tells the core.
    public func deliver(
        _ order: SendOrder, _ channel: any Channel, over connection: Connection = .usual
    ) async -> Input {
        .delivered(
            id: order.delivery.id, await attempt(order.delivery, channel, thread: order.thread, over: connection))
    }

    /// Makes one attempt and says what came of it, secrets masked.
    public func attempt(
        _ delivery: Delivery, _ channel: any Channel, thread: String? = nil, over connection: Connection = .usual
    ) async -> DeliveryOutcome {
        redacted(await outcome(of: delivery, channel, thread, connection))
    }

    private func outcome(
        of delivery: Delivery, _ channel: any Channel, _ thread: String?, _ connection: Connection
    ) async -> DeliveryOutcome {
        let now = ports.clock.now()
        if let faults = ports.faults, faults.strikes("\(delivery.id)#\(delivery.attempts)", at: now) {
            return .retry(after: nil, "failed on purpose (--fault-rate)")
        }
        let posting = Posting(delivery, thread: thread, at: now)
        switch channel.post(posting) {
        case .keep: return .delivered(receipt: nil)
        case .print(let text):
            ports.host.print(text)
            return .delivered(receipt: nil)
        case .mail(var mail):
            mail.connection = connection
            return await send(mail, for: channel)
        case .request(var request):
            request.connection = connection
            let outcome = await perform(request, for: channel, within: Courier.attemptTimeout)
            if case .delivered = outcome { await update(after: posting, of: delivery, channel, connection) }
            return outcome
        }
    }

    private func perform(
        _ request: HTTPRequest, for channel: any Channel, within timeout: Duration
    ) async -> DeliveryOutcome {
        do {
            let response = try await ports.web.perform(request, timeout: timeout)
            return channel.judge(.answered(response), at: ports.clock.now())
        } catch {
            return channel.judge(.failed(error), at: ports.clock.now())
        }
    }

    private func send(_ mail: Mail, for channel: any Channel) async -> DeliveryOutcome {
        let result: MailResult
        do {
            result = .answered(try await ports.web.send(mail, timeout: Courier.attemptTimeout))
        } catch {
            result = .failed(error)
        }
        return channel.judge(result, of: mail, at: ports.clock.now())
    }

    /// Brings the opening message up to date. Nobody misses anything where that fails: what was to be said has been said.
    private func update(
        after posting: Posting, of delivery: Delivery, _ channel: any Channel, _ connection: Connection
    ) async {
        guard var request = channel.update(after: posting) else { return }
        request.connection = connection
        switch redacted(await perform(request, for: channel, within: Courier.updateTimeout)) {
        case .delivered: break
        case .partly(_, let why), .retry(_, let why), .unknown(let why), .refusedBody(let why),
            .refusedChannel(let why):
            ports.host.log(
                Note(.info, "channel \(delivery.channel): the opening message stays as it was: \(why)"))
        }
    }

    private func redacted(_ outcome: DeliveryOutcome) -> DeliveryOutcome {
        switch outcome {
        case .delivered: outcome
        case .partly(let receipt, let sentence): .partly(receipt: receipt, redactor.redact(sentence))
        case .retry(let after, let sentence): .retry(after: after, redactor.redact(sentence))
        case .unknown(let sentence): .unknown(redactor.redact(sentence))
        case .refusedBody(let sentence): .refusedBody(redactor.redact(sentence))
        case .refusedChannel(let sentence): .refusedChannel(redactor.redact(sentence))
        }
    }
}

extension Posting {
    /// The posting that an attempt of a delivery makes.
    public init(_ delivery: Delivery, thread: String? = nil, at moment: Moment) {
        self.init(
            id: delivery.id, message: delivery.message, possiblyRepeated: delivery.possiblyRepeated,
            isPlain: delivery.isPlain, thread: thread, at: moment)
    }
}
