internal import PluginKit

extension ChannelConformance {
    /// Words that no server should answer with, and some do.
    private static let oddWords = [
        "", " ", "2.0.0 OK", "\u{202E}\u{1B}[31mred", String(repeating: "a", count: 3000), "4.7.1 \u{2028}later",
    ]

    /// What it makes of a mail server's answers, at every step and with every number.
    func mailJudgeViolations(_ mail: Mail) -> [String] {
        func judge(_ answer: MailAnswer) -> DeliveryOutcome {
            channel.judge(.answered(answer), of: mail, at: ChannelConformance.now)
        }
        var found = lossViolations { channel.judge(.failed($0), of: mail, at: ChannelConformance.now) }
        guard case .delivered = judge(MailAnswer(MailReply(.message, 250, "2.0.0 queued"))) else {
            return found + ["a mail that the server has is not delivered"]
        }
        let refusal = MailAnswer.Refusal(mail.to.first?.address ?? "", MailReply(.recipient, 550, "5.1.1 unknown"))
        if case .partly(_, let sentence) = judge(MailAnswer(MailReply(.message, 250), refusals: [refusal])) {
            if !sentence.contains(refusal.address) { found.append("it is not said who does not get the mail") }
        } else {
            found.append("that somebody does not get the mail is not said")
        }
        for step in MailReply.Step.allCases {
            for code in [0] + Array(200...599) {
                for words in ChannelConformance.oddWords {
                    let reply = MailReply(step, code, words)
                    let refusals = step == .recipient ? mail.to.map { MailAnswer.Refusal($0.address, reply) } : []
                    let answer = MailAnswer(reply, refusals: refusals)
                    found += flaws(of: judge(answer), for: answer).map { "\(code) to the \(step.rawValue) \($0)" }
                }
            }
        }
        return found
    }

    private func flaws(of outcome: DeliveryOutcome, for answer: MailAnswer) -> [String] {
        var flaws: [String] = []
        switch outcome {
        case .delivered: if !answer.isTaken { flaws.append("is taken for success") }
        case .partly(_, let sentence):
            if !answer.isTaken { flaws.append("is taken for success") }
            flaws += sentenceViolations(sentence)
        case .retry(let after, let sentence):
            if answer.isTaken { flaws.append("is tried again") }
            if let after, after <= .zero { flaws.append("waits for \(after)") }
            flaws += sentenceViolations(sentence)
        case .unknown(let sentence), .refusedBody(let sentence), .refusedChannel(let sentence):
            if answer.reply.mayPass { flaws.append("is never tried again") }
            flaws += sentenceViolations(sentence)
        }
        return flaws
    }
}
