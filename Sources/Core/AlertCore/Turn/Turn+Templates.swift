public import PluginKit

// Messages in a team's own words. A template that gives no message must not cost the message: it leaves in the built-in
// words, and that is a trouble like any other.

extension Turn {
    /// The message as the channel's readers see it: first in the words of the rule's template, then in those of the
    /// channel's.
    mutating func dressed(_ message: Message, for channel: String) -> Message {
        var dressed = message
        for dressing in plan.dressings(of: message, for: channel) {
            do throws(MessageTemplate.Failure) {
                dressed = try dressing.template.dress(dressed, plan.view(for: channel))
                // One that fails for some messages and not for others is reported once a day, not in turn.
                clearTrouble(.templateFailing, about: dressing.owner, ifOlderThan: Trouble.templateLifetime)
            } catch {
                raiseTrouble(
                    .templateFailing, about: dressing.owner,
                    Phrase(
                        .troubleTemplate,
                        [
                            .file: .text(dressing.template.name), .name: .text(dressing.owner),
                            .cause: .text(error.sentence),
                        ]))
            }
        }
        return dressed
    }
}

extension Plan {
    /// The templates that a message goes through, with the names of what they belong to.
    fileprivate func dressings(
        of message: Message, for channel: String
    ) -> [(template: MessageTemplate, owner: String)] {
        guard hasTemplates else { return [] }
        // What is about several rules is in no rule's words.
        let rule = message.incidents.first.flatMap { first in
            message.incidents.allSatisfy { $0.rule == first.rule } ? detector(first.rule) : nil
        }
        return [
            rule.flatMap { rule in rule.template.map { ($0, rule.name) } },
            self.channel(channel).flatMap { channel in channel.template.map { ($0, channel.name) } },
        ].compactMap(\.self)
    }

    fileprivate func view(for channel: String) -> MessageView {
        MessageView(bot: botName, channel: channel, zone: zone, words: words)
    }

    /// What would be read of a message that does not leave.
    func dressed(_ message: Message, for channel: String) -> Message {
        dressings(of: message, for: channel).reduce(message) { dressed, dressing in
            (try? dressing.template.dress(dressed, view(for: channel))) ?? dressed
        }
    }

    /// A message that is about no incident as the channel's readers see it.
    ///
    /// - Throws: `MessageTemplate.Failure` where the channel's template gives none.
    public func dressed(test message: Message, for channel: String) throws(MessageTemplate.Failure) -> Message {
        guard let template = self.channel(channel)?.template else { return message }
        return try template.dress(message, view(for: channel))
    }
}
