internal import ChatKit
internal import PluginKit

/// What ntfy's answers mean: the message as it was published, or a number of five digits that says more than the status.
enum NtfyAnswer {
    /// A day's messages are used up: the next day may be hours away, and asking often does not bring it.
    private static let dailyWait = Duration.hours(3)

    static func outcome(of answer: ChatAnswer) -> DeliveryOutcome {
        if answer.response.isSuccess {
            guard let id = answer.json?["id"]?.string, answer.json?["event"] == "message" else {
                return answer.strange(insteadOf: "the message")
            }
            return answer.delivered(receipt: id)
        }
        let code = answer.json?["code"]?.number.flatMap { Int(exactly: $0) }
        let said = answer.said(answer.json?["error"]?.string, code.map { "code \($0)" })
        switch (answer.response.status, code) {
        case (_, 42908): return answer.retry(said, after: dailyWait.inSeconds)
        case (429, _): return answer.retry(said)
        case (_, 40009), (_, 40010): return .refusedChannel("\(said); choose another 'topic'")
        case (401, _): return .refusedChannel("\(said); check 'token', or 'username' and 'password'")
        case (403, _): return .refusedChannel("\(said); allow this user to write to the topic, or choose another")
        case (404, _), (405, _), (410, _), (501, _):
            return .refusedChannel("\(said); is 'url' the address of an ntfy server?")
        default: return answer.outcome(said)
        }
    }
}
