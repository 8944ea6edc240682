internal import AlertCore
public import BotConfig
public import PluginKit
internal import Runtime
public import SystemPorts

/// One message to one channel that says that nothing is wrong, and what came of it.
public struct TestMessage: Sendable {
    private let name: String
    private let channel: any Channel
    private let config: Config
    private let format: TextOrJSON
    private let machine: Machine

    /// - Parameters:
    ///   - name: the channel's, in the config.
    ///   - path: the config's, for people.
    public init(
        to name: String, _ config: Config, _ path: String, _ format: TextOrJSON, on machine: Machine
    ) throws(Failure) {
        guard let channel = config.channels[name] else {
            throw Failure(noSuch: "channel", name, in: path, known: config.channels.keys)
        }
        self.name = name
        self.channel = channel
        self.config = config
        self.format = format
        self.machine = machine
    }

    /// Sends it and says what came of it.
    ///
    /// - Parameter memories: what the bot's journal is read with: a channel that has asked it to wait is sent nothing. Nil
    ///   for a bot that has not begun.
    public func send(heeding memories: MemoryKinds? = nil) async throws(Failure) {
        var machine = machine
        if let memories, let refusal = refusal(memories, at: machine.clock.now()) {
            return try report(refusal, isDelivered: false)
        }
        // Standard output holds the JSON and nothing else.
        if format == .json { machine.terminal = machine.terminal.onlyErrors }
        let courier = Courier(
            ports: machine.ports(stateFolder: config.bot.stateFolder), redactor: Redactor(config.secrets),
            zone: config.plan.zone)
        var delivery = delivery(at: machine.clock.now())
        do throws(MessageTemplate.Failure) {
            delivery.message = try config.plan.dressed(test: delivery.message, for: name)
        } catch {
            machine.terminal.error(
                "alertbot: warning: the template of \(name) fails: \(error.sentence); sending the built-in text"
            )
        }
        let attempt = await courier.attempt(
            delivery, channel, over: config.plan.channel(name)?.connection ?? .usual)
        if let picture = attempt.picture { await courier.send(picture) }
        try report(attempt.outcome, isKept: channel.keeps(delivery, at: delivery.queued))
    }

    /// About no incident, so it opens, ends and follows nothing.
    func delivery(at now: Moment) -> Delivery {
        let words = config.plan.words
        var message = Message(
            kind: .test, severity: .info, at: now,
            headline: "\(Message.mark(kind: .test, severity: .info)) "
                + words(.testHeadline, [.name: config.bot.name]),
            fields: [Message.Field(words[.testChannel], name)], reason: words(.testWhy, [.channel: name]),
            footer: "alertbot \(Version.text)")
        message.words = words
        if channel.hasCharts { message.chart = .sample(until: now, words) }
        var hash = StableHash()
        hash.add(name)
        hash.add(now.description)
        return Delivery(
            id: "test-\(hash.text)", channel: name, number: 0, kind: .test, incident: nil, message: message,
            queued: now)
    }

    /// Why nothing is sent while the channel wants to be left alone: some services have whoever writes all the same wait
    /// for longer.
    private func refusal(_ memories: MemoryKinds, at now: Moment) -> String? {
        // A journal that cannot be read keeps nobody from trying a channel.
        guard let state = try? State.inJournal(config.bot.stateFolder, memories).state,
            let record = state.outbox.channels[name], let until = record.askedPause(at: now)
        else { return nil }
        let why = record.lastError.map { ": \($0.tamed)" } ?? ""
        return "nothing was sent to \(name), which asks to wait until \(config.plan.zone.words(until, readAt: now)), "
            + "\((until - now).short) from now\(why); "
            + "try again then; if it has a new address or credential, a running bot forgets the wait after 'alertbot reload'"
    }

    private func report(_ outcome: DeliveryOutcome, isKept: Bool) throws(Failure) {
        let sentence: String
        // Nil where nobody knows.
        let isDelivered: Bool?
        switch outcome {
        case .delivered(let receipt):
            isDelivered = true
            sentence =
                isKept
                ? "\(name) keeps its messages in the running bot and shows them on its page; nothing had to be sent"
                : "delivered to \(name)" + (receipt.map { " as \($0)" } ?? "")
        case .partly(_, let why):
            isDelivered = true
            sentence = "delivered to \(name), but not to everybody: \(why)"
        case .unknown(let why):
            isDelivered = nil
            sentence = "it is unknown whether it arrived at \(name): \(why)"
        case .retry(let told?, let why) where told > .zero:
            isDelivered = false
            sentence = "not delivered to \(name): \(why); try again in \(max(told, .seconds(1)).short)"
        case .retry(_, let why), .refusedBody(let why), .refusedChannel(let why):
            isDelivered = false
            sentence = "not delivered to \(name): \(why)"
        }
        try report(sentence, isDelivered: isDelivered)
    }

    /// - Parameter isDelivered: nil where nobody knows.
    private func report(_ sentence: String, isDelivered: Bool?) throws(Failure) {
        switch format {
        case .json:
            let json: JSON = [
                "channel": .string(name), "delivered": isDelivered.map(JSON.bool) ?? .null,
                "sentence": .string(sentence),
            ]
            try machine.terminal.line(json.prettyText)
        case .text where isDelivered == true: try machine.terminal.line(sentence)
        case .text: machine.terminal.error(sentence)
        }
        if isDelivered != true { throw Failure(.impossible) }
    }
}

extension Chart {
    /// A day that never was, to see what a chart looks like.
    fileprivate static func sample(until now: Moment, _ words: Words) -> Chart? {
        let hour: Int64 = 3_600_000
        let values = (0..<24).map { index -> Double? in
            let fall = index > 20 ? Double(index - 20) * 0.004 : 0
            return 0.997 + Double(index * 7 % 5) * 0.0004 - fall
        }
        return words.chart(
            .testChart, of: Metric.crashFreeUsers.name, values,
            from: Moment(milliseconds: (now.milliseconds / hour - 23) * hour),
            limit: Comparison(.less, 0.99, isPercentage: true), reference: .usual(0.998))
    }
}

extension Channel {
    /// Whether messages to this channel never leave the bot.
    fileprivate func keeps(_ delivery: Delivery, at now: Moment) -> Bool {
        if case .keep = post(Posting(delivery, at: now)) { true } else { false }
    }
}
