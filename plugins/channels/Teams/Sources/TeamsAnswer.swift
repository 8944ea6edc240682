internal import ChatKit
internal import PluginKit

/// What the gateway in front of workflows answers: 202 when the workflow was started, and JSON with a code when not.
enum TeamsAnswer {
    static func outcome(of answer: ChatAnswer) -> DeliveryOutcome {
        if answer.response.isSuccess { return success(answer) }
        let error = answer.json?["error"]
        let code = error?["code"]?.string
        let said = answer.said(code, error?["message"]?.string)
        switch code {
        case "TriggerInputSchemaMismatch": return .refusedBody(said)
        case "WorkflowTriggerIsNotEnabled", "WorkflowDisabled", "FlowDisabled":
            return .refusedChannel("\(said); turn the workflow on again")
        default: break
        }
        switch answer.response.status {
        case 401, 403:
            return .refusedChannel(
                "\(said); let \"Anyone\" trigger the workflow, and copy its whole address again: it ends in a signature"
            )
        case 404, 410:
            return .refusedChannel(
                "\(said); the workflow is gone, perhaps with the account that made it: make a new one and configure its address"
            )
        default: return answer.outcome(said)
        }
    }

    private static func success(_ answer: ChatAnswer) -> DeliveryOutcome {
        // So the connectors of old told of errors, and relays that stand for them still may.
        let text = answer.response.excerpt()
        if text.contains("Webhook message delivery failed") {
            let said = "\(TeamsChannel.chat) answered \(answer.response.status): \(text.clipped(to: 120))"
            return text.contains("HTTP error 429") ? answer.retry(said) : .refusedBody(said)
        }
        return answer.isPage ? answer.strange(insteadOf: "202 and nothing") : answer.delivered()
    }
}
