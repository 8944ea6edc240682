internal import PluginKit

/// What a receiver's answers mean: the status counts, but for some words of well-known services whose status says
/// something else than they mean. Whoever puts this channel in front of one of them, or of a relay that hands their
/// answers on, is told the truth then.
enum WebhookAnswer {
    /// - Parameter knowsIDs: whether the receiver is one that knows deliveries by their ids.
    static func outcome(of response: HTTPResponse, knowsIDs: Bool, at now: Moment) -> DeliveryOutcome {
        switch Words(response) {
        case .plain where response.status == 409 && knowsIDs:
            // The receiver has this id already.
            .delivered(receipt: nil)
        case .plain: plain(DeliveryOutcome(response, at: now), to: response.status)
        case .delivered: .delivered(receipt: nil)
        case .forNow(let sentence): .retry(after: response.toldWait(now: now), sentence)
        case .nothingToReferTo: .refusedBody("answered \(response.status): \(response.excerpt(120))")
        case .wrongAddress(let advice): .refusedChannel("answered \(response.status); \(advice)")
        }
    }

    /// What the status alone means, and where to look when it means that nothing will ever arrive there.
    private static func plain(_ outcome: DeliveryOutcome, to status: Int) -> DeliveryOutcome {
        guard case .refusedChannel(let said) = outcome else { return outcome }
        return switch status {
        case 401, 403: .refusedChannel("\(said); check the token or the login in 'url' or 'headers'")
        case 404, 410: .refusedChannel("\(said); check 'url': is what it leads to still there?")
        case 405, 501: .refusedChannel("\(said); check 'url': nothing takes a POST there")
        default: outcome
        }
    }

    /// Words that change what the status means.
    private enum Words {
        case plain
        case delivered
        case forNow(String)
        case nothingToReferTo
        case wrongAddress(String)

        init(_ response: HTTPResponse) {
            guard response.body.count <= bodyBytesMax else {
                self = .plain
                return
            }
            let text = String(decoding: response.body, as: UTF8.self)
            if response.isSuccess {
                // The connectors of Microsoft Teams told the errors of what stood behind them under status 200.
                self = text.hasPrefix(connectorFailure) ? .forNow(response.excerpt(120)) : .plain
            } else {
                self = (try? JSON(parsing: response.body)).map { Words(status: response.status, $0) } ?? .plain
            }
        }

        private init(status: Int, _ body: JSON) {
            let telegram = body["description"]?.string ?? ""
            switch status {
            case 404 where body["code"] == .int(discordUnknownMessage):
                self = .nothingToReferTo
            case 400 where body["code"].map(discordForumErrors.contains) == true:
                self = .wrongAddress("Discord wants a thread for a forum: add ?thread_id=… to the address")
            case 400 where body["id"]?.string == "web.incoming_webhook.invalid.app_error",
                400 where body["error"]?.string == "Invalid hook ID":
                self = .wrongAddress("the receiver knows no such webhook: make a new one and configure it")
            case 400 where telegram.hasSuffix("chat not found"):
                self = .wrongAddress("Telegram knows no such chat: check the chat's id, and that the bot is a member")
            case 400 where telegram.contains("message is not modified"):
                self = .delivered
            case 400:
                guard let chat = body["parameters"]?["migrate_to_chat_id"]?.number else {
                    self = .plain
                    return
                }
                self = .wrongAddress("the Telegram chat has moved: its id is \(JSON(chat).text) now")
            default: self = .plain
            }
        }
    }

    /// Error answers are far smaller; a proxy's page may be of any size.
    private static let bodyBytesMax = 65_536
    private static let connectorFailure = "Webhook message delivery failed with error"
    /// Discord, "JSON Error Codes": the message to edit or answer is gone.
    private static let discordUnknownMessage: Int64 = 10_008
    /// The same: webhooks in forum channels need a thread's name or id, and may not have both.
    private static let discordForumErrors: [JSON] = [220_001, 220_003]
}
