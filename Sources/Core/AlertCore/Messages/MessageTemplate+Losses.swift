internal import Mustache
public import PluginKit

// What people hear of in a template's words alone, and would not: it gives a message for everything, but not what it is about.

extension MessageTemplate {
    /// A warning where the lines are left out that say what a message about several is about; nil where they are not.
    public func lossOfLines(in zone: Zone, words: Words) -> Problem? {
        // Who tells of each incident by itself needs no lines.
        let tellsOfEach = parts.values.contains { $0.names.contains { $0.path.first == "incidents" } }
        let isLost = told(in: zone, words).contains { message, text in
            message.lines.contains { !text.contains($0.tamed) }
        }
        guard isLost, !tellsOfEach else { return nil }
        return Problem(
            position(of: .body), "this leaves out the lines of a digest, which say what it is about",
            advice: "write {{#lines}}, {{.}} and {{/lines}}, each on its own line", level: .warning)
    }

    /// The same where the headline leaves out why the bot itself is in trouble: nothing else says that.
    public func lossOfCause(in zone: Zone, words: Words) -> Problem? {
        let isLost = told(in: zone, words).contains { message, text in
            message.headline.contains(MessageSamples.cause) && !text.contains(MessageSamples.cause)
        }
        guard isLost else { return nil }
        return Problem(
            position(of: .headline), "this leaves out why the bot itself is in trouble",
            advice: "write {{title}} where there is no figure: {{^incident.figure}}{{title}}{{/incident.figure}}",
            level: .warning)
    }

    /// What it makes of a message of every kind, as plain text.
    private func told(in zone: Zone, _ words: Words) -> [(message: Message, text: String)] {
        let view = MessageView(bot: "alertbot", channel: "team", zone: zone, words: words)
        return MessageSamples(zone: zone, words: words).all.compactMap { sample in
            (try? dress(sample.message, view)).map { (message: sample.message, text: $0.plainText) }
        }
    }
}
