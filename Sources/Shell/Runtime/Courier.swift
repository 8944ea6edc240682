public import AlertCore
public import PluginKit

/// Makes one attempt of a delivery.
public struct Courier: Sendable {
    private let ports: Ports
    private let redactor: Redactor
    /// Of the hours in pictures.
    private let zone: Zone
    private let inquiries: Inquiries
    private let pictures: PictureDesk
    private let seal: Seal?

    /// What is done to a message as it leaves, and stands nowhere else: its links are sealed.
    public typealias Seal = @Sendable (Message) -> Message

    /// For an attempt as a whole: Standard Webhooks advises 15 to 30 seconds.
    public static let attemptTimeout = Duration.seconds(30)
    /// The same for a mail: servers that look at it, or keep strangers waiting, answer late, and one that has taken it and is
    /// not waited for gets it twice. RFC 5321 (4.5.3.2) has a client wait for minutes.
    public static let mailTimeout = Duration.minutes(2)
    /// For what is only nice to have, and what the next message of the incident waits for.
    static let updateTimeout = Duration.seconds(5)
    /// For all edits behind one message: the next message of its channel waits for them.
    static let updatesTimeout = Duration.seconds(8)
    /// For all that a picture takes once its message has arrived, which nothing waits for; waits that the service asks
    /// for come on top.
    static let imageTimeout = Duration.seconds(30)
    /// How long a picture waits in all for a service that asks to come back: a while later nobody looks for it.
    static let imagePatience = Duration.minutes(5)
    /// How often it comes back.
    static let imageReturnsMax = 3
    /// Where the service does not say how long.
    private static let imageWait = Duration.seconds(5)
    /// No service takes more requests for a picture.
    private static let imageStepsMax = 4

    public init(
        ports: Ports, redactor: Redactor, zone: Zone = .utc, inquiries: Inquiries = Inquiries(),
        pictures: PictureDesk = PictureDesk(), seal: Seal? = nil
    ) {
        self.ports = ports
        self.seal = seal
        self.redactor = redactor
        self.zone = zone
        self.inquiries = inquiries
        self.pictures = pictures
    }

    /// What came of an attempt.
    public struct Attempt: Sendable {
        /// Secrets masked.
        public let outcome: DeliveryOutcome
        /// Where the message has arrived and its picture is still to follow.
        public let picture: Picture?
        /// For how long the service wants to be left alone, where an edit of an older message was answered so.
        public let askedToWait: Duration?
    }

    /// A picture on its way to a message that has arrived without it.
    public struct Picture: Sendable {
        fileprivate let image: ChartImage
        fileprivate let posting: Posting
        fileprivate let receipt: String?
        fileprivate let channel: any Channel
        fileprivate let name: String
        fileprivate let connection: Connection
    }

    /// Delivers, gives the input that tells the core, and only then sees to a picture that is to follow: the message has
    /// arrived, whatever becomes of it, and no other waits for it, nor does a stop. Where older messages are edited first, it
    /// gives an input before that, too, so that a bot that is killed meanwhile does not send again what has arrived.
    public func deliver(
        _ order: SendOrder, _ channel: any Channel, over connection: Connection, _ tell: @Sendable (Input) -> Void
    ) async {
        let attempt = await attempt(
            order.delivery, channel, thread: order.thread, isThreadOwn: order.isThreadOwn, edits: order.edits,
            over: connection
        ) { tell(.arrived(id: order.delivery.id, $0)) }
        tell(.delivered(id: order.delivery.id, attempt.outcome, askedToWait: attempt.askedToWait))
        if let picture = attempt.picture { await send(picture) }
    }

    /// Makes one attempt and says what came of it.
    ///
    /// - Parameters:
    ///   - isThreadOwn: whether the message that opened the thread is about no other incident; it is left as it was
    ///     otherwise, for it says of others how they are.
    ///   - edits: what is to be done with other messages, once this one has arrived.
    ///   - arrived: hears that it has, before others are edited.
    public func attempt(
        _ delivery: Delivery, _ channel: any Channel, thread: String? = nil, isThreadOwn: Bool = true,
        edits: [SendOrder.Edit] = [], over connection: Connection = .usual,
        arrived: @Sendable (DeliveryOutcome) -> Void = { _ in }
    ) async -> Attempt {
        let now = ports.clock.now()
        let image = image(of: delivery, channel)
        var leaving = delivery
        if let seal { leaving.message = seal(delivery.message) }
        let posting = Posting(leaving, thread: thread, image: image, at: now)
        let updates = (isThreadOwn ? [posting] : []) + edits.map { Posting($0, behind: delivery, seal, at: now) }
        let (outcome, wait) = await self.outcome(of: delivery, posting, channel, connection, updates: updates, arrived)
        guard let image else { return Attempt(outcome: outcome, picture: nil, askedToWait: wait) }
        switch outcome {
        case .delivered(let receipt), .partly(let receipt, _):
            return Attempt(
                outcome: outcome,
                picture: Picture(
                    image: image, posting: posting, receipt: receipt, channel: channel, name: delivery.channel,
                    connection: connection),
                askedToWait: wait)
        default: return Attempt(outcome: outcome, picture: nil, askedToWait: wait)
        }
    }

    /// The picture of the message's chart. Whoever cannot have it gets the message without.
    private func image(of delivery: Delivery, _ channel: any Channel) -> ChartImage? {
        guard let chart = delivery.message.chart, channel.hasCharts, !delivery.progress.isPlain,
            let painter = ports.painter
        else { return nil }
        do throws(PaintTrouble) {
            return try painter.image(of: chart, in: zone, words: delivery.message.words)
        } catch {
            ports.host.log(
                Note(
                    .warning, "channel \(delivery.channel): sending a message without its chart: \(error.sentence)",
                    ["channel": delivery.channel]))
            return nil
        }
    }

    /// Sends a picture after its message. Nobody misses anything where that fails: the message has all words.
    ///
    /// - Returns: why it did not arrive; nil where it did, or where nothing was to be done.
    @discardableResult
    public func send(_ picture: Picture) async -> String? {
        guard let trouble = await trouble(sending: picture) else {
            pictures.arrived(picture.name)
            return nil
        }
        let sentence = redactor.redact(trouble).tamed.clipped(to: 300)
        pictures.miss(picture.name, sentence, at: ports.clock.now())
        ports.host.log(
            Note(
                .warning, "channel \(picture.name): the chart of a message did not arrive: \(sentence)",
                ["channel": picture.name]))
        return sentence
    }

    /// Goes all steps of a picture; where the service asks to come back, it does.
    private func trouble(sending picture: Picture) async -> String? {
        var answers: [HTTPResponse] = []
        var (left, patience, returns) = (Courier.imageTimeout, Courier.imagePatience, 0)
        while true {
            let step = picture.channel.attach(
                picture.image, to: picture.posting, receipt: picture.receipt, after: answers)
            guard case .request(var request) = step else {
                if case .failed(let why) = step { return why }
                return nil
            }
            guard answers.count < Courier.imageStepsMax else {
                return "it takes more than \(Courier.imageStepsMax) requests"
            }
            guard left > .zero else { return "it took longer than \(Courier.imageTimeout.short)" }
            request.connection = picture.connection
            let begun = ports.clock.uptime()
            let answer: HTTPResponse
            do throws(TransportError) {
                answer = try await ports.web.perform(request, timeout: left)
            } catch {
                return error.description
            }
            left -= ports.clock.uptime() - begun
            guard !answer.isSuccess else {
                answers.append(answer)
                continue
            }
            let said = redactor.masking(request.ownSecrets)
                .redact("answered \(answer.status): \(answer.excerpt(120))")
            // Nothing of it has arrived, and there is a time at which it may.
            guard [429, 503].contains(answer.status), returns < Courier.imageReturnsMax else { return said }
            returns += 1
            let wait = told(by: answer, to: picture.channel)
            guard wait <= patience else {
                return "\(said); it asked to wait \(wait.short), longer than the bot waits for a chart"
            }
            patience -= wait
            if let why = await pause(picture, for: wait) { return "\(said); \(why)" }
        }
    }

    /// How long the service wants to be left alone, as its plugin reads that.
    private func told(by answer: HTTPResponse, to channel: any Channel) -> Duration {
        guard case .retry(let told?, _) = channel.judge(.answered(answer), at: ports.clock.now()), told > .zero else {
            return Courier.imageWait
        }
        return told
    }

    /// - Returns: why the wait did not come to its end.
    private func pause(_ picture: Picture, for wait: Duration) async -> String? {
        guard pictures.beginWait(picture.name) else { return "other pictures of the channel are already waiting" }
        defer { pictures.endWait(picture.name) }
        do {
            try await ports.clock.sleep(until: ports.clock.uptime() + wait)
            return nil
        } catch {
            return "the bot stopped before it could try again"
        }
    }

    /// What came of it, and for how long the service wants to be left alone where an edit was answered so.
    private func outcome(
        of delivery: Delivery, _ posting: Posting, _ channel: any Channel, _ connection: Connection,
        updates: [Posting], _ arrived: @Sendable (DeliveryOutcome) -> Void
    ) async -> (DeliveryOutcome, askedToWait: Duration?) {
        if let faults = ports.faults, faults.strikes("\(delivery.id)#\(delivery.progress.attempts)", at: posting.at) {
            return (.retry(after: nil, Faults.sentence), nil)
        }
        switch channel.post(posting) {
        case .keep: return (.delivered(receipt: nil), nil)
        case .print(let text):
            switch await ports.host.print(text, within: Courier.attemptTimeout) {
            case .done: return (.delivered(receipt: nil), nil)
            case .failed(let why): return (.retry(after: nil, why), nil)
            case .stuck: return (.unknown("whoever reads standard output has stopped in the middle of it"), nil)
            }
        case .mail(var mail):
            mail.connection = connection
            return (await send(mail, for: channel), nil)
        case .request(var request):
            request.connection = connection
            if let why = await refusal(delivery.channel, channel, connection) { return (.refusedChannel(why), nil) }
            let outcome = await perform(request, for: channel, within: Courier.attemptTimeout)
            guard case .delivered = outcome else { return (outcome, nil) }
            let requests = updates.compactMap { channel.update(after: $0) }
            guard !requests.isEmpty else { return (outcome, nil) }
            // Another attempt would be seen. Where it would not, it edits what a kill has left unedited.
            if !channel.isIdempotent { arrived(outcome) }
            return (outcome, await update(requests, of: delivery, channel, connection))
        }
    }

    /// Why the channel may be sent nothing, where its service has to be asked for that. Who cannot be asked is sent the
    /// message: it is wanted more than the answer.
    private func refusal(_ name: String, _ channel: any Channel, _ connection: Connection) async -> String? {
        guard var request = channel.inquiry, inquiries.isDue(name, at: ports.clock.uptime()) else { return nil }
        request.connection = connection
        do throws(TransportError) {
            let answer = try await ports.web.perform(request, timeout: Courier.updateTimeout)
            if let why = channel.refusal(from: answer) { return redactor.masking(request.ownSecrets).redact(why) }
            if answer.status < 500, answer.status != 429 { inquiries.note(name, at: ports.clock.uptime()) }
        } catch {
            return nil
        }
        return nil
    }

    private func perform(
        _ request: HTTPRequest, for channel: any Channel, within timeout: Duration
    ) async -> DeliveryOutcome {
        let result = await ports.web.fetch(request, timeout: timeout)
        // Words in an address that stands in the file are masked nowhere else.
        return redacted(
            channel.judge(result, at: ports.clock.now()),
            request.ownSecrets
                + request.url.secrets.map { Secret($0.reveal()) }.filter {
                    $0.reveal().utf8.count >= String.tokenBytesMin
                })
    }

    private func send(_ mail: Mail, for channel: any Channel) async -> DeliveryOutcome {
        let result: MailResult
        do {
            result = .answered(try await ports.web.send(mail, timeout: Courier.mailTimeout))
        } catch {
            result = .failed(error)
        }
        return redacted(channel.judge(result, of: mail, at: ports.clock.now()), mail.ownSecrets)
    }

    /// Brings opening messages up to date. Nobody misses anything where that fails: what was to be said has been said.
    ///
    /// - Returns: for how long the service wants to be left alone, if it said so.
    private func update(
        _ updates: [HTTPRequest], of delivery: Delivery, _ channel: any Channel, _ connection: Connection
    ) async -> Duration? {
        var requests = updates[...]
        var left = Courier.updatesTimeout
        while var request = requests.popFirst() {
            request.connection = connection
            let begun = ports.clock.uptime()
            let outcome = await perform(request, for: channel, within: min(left, Courier.updateTimeout))
            left -= ports.clock.uptime() - begun
            switch outcome {
            case .delivered: break
            // The others may be there all the same.
            case .partly(_, let why), .refusedBody(let why): note(1, of: delivery, left: why)
            case .retry(let told, let why):
                note(1 + requests.count, of: delivery, left: why)
                return told
            case .unknown(let why), .refusedChannel(let why):
                note(1 + requests.count, of: delivery, left: why)
                return nil
            }
            if left <= .zero, !requests.isEmpty {
                note(requests.count, of: delivery, left: "it took longer than \(Courier.updatesTimeout.short)")
                return nil
            }
        }
        return nil
    }

    /// Says that so many opening messages could not be brought up to date.
    private func note(_ count: Int, of delivery: Delivery, left why: String) {
        let what = count == 1 ? "the opening message stays as it was" : "\(count) opening messages stay as they were"
        ports.host.log(
            Note(.info, "channel \(delivery.channel): \(what): \(why)", ["channel": delivery.channel]))
    }

    /// - Parameter own: secrets of what was sent alone.
    private func redacted(_ outcome: DeliveryOutcome, _ own: @autoclosure () -> [Secret]) -> DeliveryOutcome {
        if case .delivered = outcome { return outcome }
        let redact = redactor.masking(own()).redact
        return switch outcome {
        case .delivered: outcome
        case .partly(let receipt, let sentence): .partly(receipt: receipt, redact(sentence))
        case .retry(let after, let sentence): .retry(after: after, redact(sentence))
        case .unknown(let sentence): .unknown(redact(sentence))
        case .refusedBody(let sentence): .refusedBody(redact(sentence))
        case .refusedChannel(let sentence): .refusedChannel(redact(sentence))
        }
    }
}

extension Posting {
    /// What brings a message up to date that opened something which the delivery is about. The same on every attempt,
    /// its id too: a channel that takes two as one does so with edits.
    fileprivate init(_ edit: SendOrder.Edit, behind delivery: Delivery, _ seal: Courier.Seal?, at moment: Moment) {
        self.init(
            id: "\(delivery.id)-\(edit.incident)", message: seal?(edit.message) ?? edit.message,
            isPlain: delivery.progress.isPlain, thread: edit.opening, at: moment)
    }

    /// The posting that an attempt of a delivery makes.
    public init(_ delivery: Delivery, thread: String? = nil, image: ChartImage? = nil, at moment: Moment) {
        self.init(
            id: delivery.id, message: delivery.message, possiblyRepeated: delivery.progress.possiblyRepeated,
            isPlain: delivery.progress.isPlain, thread: thread, image: image, at: moment)
    }
}
