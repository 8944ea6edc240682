internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import Glibc
internal import PluginKit
internal import Runtime

struct SendTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send-test", abstract: "Sends one test message to a channel and says what came of it.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Argument(help: "The channel's name in the config.") var channel: String

    func run() async throws {
        let config = try ConfigFile(common.config).config()
        guard let plugin = config.channels[channel] else {
            let near = channel.nearest(in: config.channels.keys).map { "; did you mean \($0)?" } ?? ""
            throw Failure(
                .wrongUsage,
                "there is no channel '\(channel)' in \(common.config); known: "
                    + config.channels.keys.sorted().joined(separator: ", ") + near)
        }
        let clock = SystemClock()
        let now = clock.now()
        let message = Message(
            kind: .opened, severity: .info, at: now,
            headline: "🔵 \(config.bot.name): this is a test message",
            facts: [Message.Fact("Channel", channel)],
            reason: "somebody ran 'alertbot send-test \(channel)'; nothing is wrong",
            footer: "alertbot \(Version.text)")
        let web = CurlWeb()
        let ports = Ports(
            clock: clock, web: web, files: SystemFiles(),
            // Standard output holds the JSON and nothing else.
            host: SystemHost(
                stateFolder: config.bot.stateFolder, output: format == .json ? STDERR_FILENO : STDOUT_FILENO))
        var hash = StableHash()
        hash.add(channel)
        hash.add(now.description)
        let delivery = Delivery(
            id: "test-\(hash.text)", channel: channel, number: 0, kind: .opened, incident: nil, message: message,
            queued: now)
        let outcome = await Courier(ports: ports, redactor: Redactor(config.secrets))
            .attempt(delivery, plugin)
        await web.close()
        try report(outcome, isKept: plugin.keeps(delivery, at: now))
    }

    private func report(_ outcome: DeliveryOutcome, isKept: Bool) throws {
        let sentence: String
        let isDelivered: Bool
        switch outcome {
        case .delivered(let receipt):
            isDelivered = true
            sentence =
                isKept
                ? "\(channel) keeps its messages in the running bot and shows them on its page; nothing had to be sent"
                : "delivered to \(channel)" + (receipt.map { " as \($0)" } ?? "")
        case .retry(_, let why), .unknown(let why), .refusedBody(let why), .refusedChannel(let why):
            isDelivered = false
            sentence = "not delivered to \(channel): \(why)"
        }
        switch format {
        case .json:
            Output.line(
                JSON.object(
                    JSONObject([
                        ("channel", .string(channel)), ("delivered", .bool(isDelivered)),
                        ("sentence", .string(sentence)),
                    ])
                ).prettyText)
        case .text where isDelivered: Output.line(sentence)
        case .text: Output.error(sentence)
        }
        if !isDelivered { throw Failure(.impossible) }
    }
}

extension Channel {
    /// Whether messages to this channel never leave the bot.
    fileprivate func keeps(_ delivery: Delivery, at now: Moment) -> Bool {
        if case .keep = post(Posting(delivery, at: now)) { true } else { false }
    }
}
