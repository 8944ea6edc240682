internal import ChatKit
internal import PluginKit

/// What Discord's answers mean: its JSON has a `code`, which counts before the status.
enum DiscordAnswer {
    static func outcome(of answer: ChatAnswer) -> DeliveryOutcome {
        if answer.response.isSuccess { return success(answer) }
        let code = answer.json?["code"]?.number.flatMap { Int(exactly: $0) }
        let flaw = answer.json.flatMap { firstFlaw(in: $0["errors"]) }
        let said = answer.said(
            answer.json?["message"]?.string, flaw.map { "\($0.place): \($0.words)" }, code.map { "code \($0)" })
        switch code {
        case 10015, 50027:
            return .refusedChannel(
                "\(said); the webhook is gone: make a new one in the channel's settings and configure it")
        case 10003:
            return .refusedChannel("\(said); the channel or thread is gone: make a webhook for another one")
        case 160005:
            return .refusedChannel("\(said); unlock the thread, or name another one in the webhook's address")
        case 220001, 220003:
            return .refusedChannel(
                "\(said); the channel is a forum: add ?thread_id= and the id of one of its posts to the webhook's address"
            )
        case 40333:
            return .refusedChannel(
                "\(said); Discord's firewall blocks this machine: is there a proxy in between that changes the "
                    + "User-Agent?")
        case nil where answer.response.status == 403 && answer.json == nil:
            // Discord itself always answers with JSON; a new webhook would be refused in the same way.
            return .refusedChannel(
                "\(said); Discord's firewall or a proxy in between blocks this machine, the webhook may be good")
        case 50035 where flaw?.place == "thread_id":
            return .refusedChannel("\(said); correct thread_id in the webhook's address")
        case 10008, 40005, 50006, 50035: return .refusedBody(said)
        case 20028, 40062, 130000: return retry(answer, said)
        default: return answer.response.status == 429 ? retry(answer, said) : answer.outcome(said)
        }
    }

    /// With `wait=true` the answer is the message, which names its webhook. Without it, which only a relay can have taken
    /// away, it is empty.
    private static func success(_ answer: ChatAnswer) -> DeliveryOutcome {
        if let id = answer.json?["id"]?.string, !id.isEmpty {
            let ids = [id, answer.json?["webhook_id"]?.string].compactMap(\.self)
            return answer.delivered(receipt: ids.joined(separator: ":"))
        }
        return answer.response.status == 204 ? answer.delivered() : answer.strange(insteadOf: "the message")
    }

    /// The header rounds up what the body says to the millisecond.
    private static func retry(_ answer: ChatAnswer, _ said: String) -> DeliveryOutcome {
        answer.retry(said, after: answer.json?["retry_after"]?.number)
    }

    /// Where the first of the mistakes is that Discord found in the body, and what it says of it:
    /// `{"embeds": {"0": {"description": {"_errors": [{"message": …}]}}}}`.
    private static func firstFlaw(in errors: JSON?) -> (place: String, words: String)? {
        var place: [String] = []
        var errors = errors
        while let object = errors?.object, place.count < depthMax {
            if let words = object["_errors"]?.array?.first?["message"]?.string {
                return (place.joined(separator: "."), words)
            }
            guard let member = object.members.first else { return nil }
            place.append(member.name)
            errors = member.value
        }
        return nil
    }

    /// The deepest place in a payload of ours is `embeds.0.fields.0.value`.
    private static let depthMax = 8
}
