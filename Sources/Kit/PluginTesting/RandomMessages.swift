internal import Chance
internal import Glibc
public import PluginKit

/// Messages whose titles are made by chance of what means something to chats: thousands find what no list of examples
/// does.
public enum RandomMessages {
    /// Tries a channel with such messages, in both of its forms.
    ///
    /// - Parameters:
    ///   - count: how many; `RANDOM_MESSAGES` in the environment says otherwise.
    ///   - bodyFlaws: what is wrong with a body by the service's own rules, as sentences.
    /// - Returns: what is wrong with the first body that has a flaw, and which message it is of.
    public static func flaws(
        of channel: some Channel, count: Int = 300, bodyFlaws: (JSON) -> [String]
    ) -> [String] {
        for number in 0..<self.count(orElse: count) {
            let message = message(number)
            for isPlain in [false, true] {
                let posting = Posting(id: "d-1", message: message, isPlain: isPlain, at: ChannelConformance.now)
                var flaws: [String]
                switch channel.post(posting) {
                case .print(let text): flaws = bodyFlaws(.string(text))
                case let action:
                    guard let parcel = Parcel(action), let json = parcel.words else {
                        return ["message \(number) has no body of JSON"]
                    }
                    flaws = bodyFlaws(json)
                    if case .mail(let mail) = parcel { flaws += mail.wireFlaws }
                }
                if !flaws.isEmpty {
                    let form = isPlain ? "plain" : "rich"
                    return flaws.map {
                        "message \(number), \(form): \($0); its title is \(message.headline.debugDescription)"
                    }
                }
            }
        }
        return []
    }

    static func count(orElse count: Int) -> Int {
        getenv("RANDOM_MESSAGES").flatMap { Int(String(cString: $0)) } ?? count
    }

    /// The message of that number, always the same.
    static func message(_ number: Int) -> Message {
        var chance = SeededRandom(seed: UInt64(number))
        let title = title(&chance)
        return Message(
            kind: .opened, severity: .critical, at: ChannelConformance.now, headline: title,
            fields: (0..<chance.below(4)).map { _ in Message.Field("Release", RandomMessages.title(&chance)) },
            reason: RandomMessages.title(&chance),
            issues: (0..<chance.below(6)).map { _ in
                Message.IssueLine(
                    title: RandomMessages.title(&chance), detail: "3 events",
                    url: chance.below(2) == 0 ? nil : "https://crashes.example.com/" + RandomMessages.title(&chance))
            },
            lines: (0..<chance.below(3)).map { _ in RandomMessages.title(&chance) },
            links: [Message.Link("Mute 2 h", "https://alerts.example.com/mute?for=2h")],
            footer: RandomMessages.title(&chance))
    }

    private static func title(_ chance: inout SeededRandom) -> String {
        let length = chance.below(8) == 0 ? 400 : 12
        return (0...chance.below(length)).map { _ in pieces[chance.below(pieces.count)] }.joined()
    }

    private static let pieces = [
        "a", "b ", "Renderer.draw", "com.shop.app", " ", "  ", "\n", "\t", "0", "1. ", "- ", "# ", "> ", "+ ", "* ",
        "*", "**", "_", "__", "~", "~~", "`", "```", "|", "||", "[", "]", "(", ")", "](", "![", "<", ">", "</", "<b>",
        "&", "&amp;", "&#64;", "\\", "\\\\", "\"", "'", "{", "}", "$", "%", "^", "=", ":", "://",
        "https://evil.example",
        "http://e.example/(x)", "HTTPS://E.EXAMPLE", "www.evil.example", "discord.gg/abc", "mailto:a@b.example", "@",
        "@all",
        "@everyone", "@Here", "@channel", "@room", "@kim.lee", "<@123>", "<@&123>", "<#5>", "<!channel>", "<!here>",
        "<users/all>", "<at>kim</at>", "<t:1:R>", ":smile:", "#general", "{{x}}", "\u{202E}", "\u{2066}", "\u{200F}",
        "\u{0}", "\u{1B}[31m", "\u{7F}", "\u{2028}", "\u{200B}", "\u{200D}", "\u{FE0F}", "\u{301}", "e\u{301}\u{323}",
        "👨‍👩‍👧‍👦", "🇪🇸", "🏳️‍🌈", "שגיאה", "خطأ", "例外", "\u{1112}\u{1161}\u{11AB}", "https://a.example/x|y",
    ]
}
