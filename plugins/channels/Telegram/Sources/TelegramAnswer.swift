internal import ChatKit
internal import PluginKit

/// What Telegram's answers mean: JSON says `ok`, and in `description` what went wrong.
enum TelegramAnswer {
    static func outcome(of answer: ChatAnswer) -> DeliveryOutcome {
        if answer.response.isSuccess, answer.json?["ok"] == true {
            let message = answer.json?["result"]?["message_id"]?.number
            return answer.delivered(receipt: message.flatMap { Int64(exactly: $0) }.map { String($0) })
        }
        let description = answer.json?["description"]?.string ?? ""
        let said = answer.said(description)
        if answer.response.isSuccess {
            return answer.json?["ok"] == false ? .refusedBody(said) : answer.strange(insteadOf: "\"ok\": true")
        }
        if let chat = answer.json?["parameters"]?["migrate_to_chat_id"]?.number.flatMap({ Int64(exactly: $0) }) {
            return .refusedChannel("\(said); the group's id has changed: set 'chat' to \(chat)")
        }
        switch answer.response.status {
        case 429: return answer.retry(said, after: answer.json?["parameters"]?["retry_after"]?.number)
        case 400 where description.contains("message is not modified"): return answer.delivered()
        case 400 where description.contains("chat not found"):
            return .refusedChannel("\(said); check 'chat', and add the bot to it")
        case 400 where description.contains("thread not found") || description.contains("TOPIC_DELETED"):
            return .refusedChannel("\(said); check 'topic'")
        case 400 where description.contains("TOPIC_CLOSED"):
            return .refusedChannel("\(said); open the topic again, or set 'topic' to another one")
        case 400 where forbidden.contains(where: { description.contains($0) }):
            return .refusedChannel("\(said); let the bot write there: in a channel it must be an administrator")
        case 401, 404: return .refusedChannel("\(said); check 'token': BotFather shows it")
        case 403: return .refusedChannel("\(said); add the bot to the chat again, and let it write there")
        case 405, 410, 501: return .refusedChannel("\(said); is 'url' the address of the Bot API?")
        default: return answer.outcome(said)
        }
    }

    /// What is in those descriptions that speak of rights and come with 400 all the same: the Bot API's own sentences, "not
    /// enough rights to send text messages to the chat", and words of Telegram's servers, `CHAT_WRITE_FORBIDDEN`.
    private static let forbidden = [
        "rights", "write access", "_FORBIDDEN", "CHAT_ADMIN_REQUIRED", "CHAT_RESTRICTED", "USER_BANNED_IN_CHANNEL",
    ]
}
