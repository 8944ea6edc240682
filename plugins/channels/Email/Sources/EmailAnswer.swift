internal import PluginKit

/// What a mail server's answers mean: at which step it said so, and then its number.
enum EmailAnswer {
    /// What passes by itself passes in minutes: servers that want to see somebody twice ask for one to five.
    static let wait = Duration.minutes(2)
    /// Those who are refused are named, but not a whole list of them.
    private static let namesMax = 3

    static func outcome(of answer: MailAnswer, to mail: Mail) -> DeliveryOutcome {
        if answer.isTaken {
            guard !answer.refusals.isEmpty else { return .delivered(receipt: mail.id) }
            return .partly(
                receipt: mail.id,
                "\(answer.refusals.count) of \(mail.to.count) recipients did not get it: "
                    + "\(names(answer.refusals)); \(advice(answer.refusals))")
        }
        let reply = answer.reply
        let said = "\(mail.server.host) answered \(said(reply))"
        // A server that closes, is too busy or has never seen this sender says so with 4xx at any step. With several
        // recipients one that may be taken later keeps the mail alive.
        if reply.mayPass || answer.refusals.contains(where: \.reply.mayPass) { return .retry(after: wait, said) }
        switch reply.step {
        case .greeting: return .refusedChannel("\(said) before anything was sent; check 'server'")
        case .login where reply.code == 0:
            return .refusedChannel(
                "\(mail.server.host) offers no login with a password (only others, such as XOAUTH2); "
                    + "use a server or a relay that does")
        case .login: return .refusedChannel("\(said) to the login; check 'username' and 'password'")
        case .sender where reply.code == 530:
            return .refusedChannel("\(said) to the sender; it wants 'username' and 'password'")
        case .sender where reply.code == 552: return .refusedBody(said)
        case .sender: return .refusedChannel("\(said) to the sender \(mail.from.address); check 'from'")
        case .recipient:
            return .refusedChannel(
                "\(mail.server.host) takes mail for none of the recipients: \(names(answer.refusals)); check 'to'")
        case .message: return .refusedBody(said)
        }
    }

    /// What to do for those who were refused beside others who were taken. The mail has arrived, so it is not sent again;
    /// of those who may be taken later nobody has to look at 'to'.
    private static func advice(_ refusals: [MailAnswer.Refusal]) -> String {
        let forNow = refusals.count(where: \.reply.mayPass)
        let lost = "this mail is not sent to them again, the next one is"
        return switch forNow {
        case 0: "check 'to'"
        case refusals.count: "refused only for now: \(lost)"
        default: "check 'to'; some are refused only for now (4xx): \(lost)"
        }
    }

    private static func names(_ refusals: [MailAnswer.Refusal]) -> String {
        let named = refusals.prefix(namesMax).map { "\($0.address) (\(said($0.reply)))" }
        let rest = refusals.count - named.count
        return named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    private static func said(_ reply: MailReply) -> String {
        let words = reply.text.tamed.clipped(to: 80)
        return "\(reply.code)" + (words.isEmpty ? "" : ": \(words)")
    }
}
