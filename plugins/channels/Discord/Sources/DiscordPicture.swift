internal import ChatKit
internal import PluginKit

/// How Discord shows a payload: read back from it by Discord's own rules.
enum DiscordPicture {
    private typealias Run = ChatPicture.Run

    static func of(_ payload: JSON) -> ChatPicture {
        ChatPicture(.discord, paragraphs(payload["content"]) + (payload["embeds"]?.array ?? []).map(embed))
    }

    private static func embed(_ embed: JSON) -> ChatPicture.Block {
        var blocks = paragraphs(embed["description"])
        let fields = embed["fields"]?.array ?? []
        let short = fields.filter { $0["inline"] == true }
        if !short.isEmpty { blocks.append(.fields(short.map(runs))) }
        blocks += fields.filter { $0["inline"] != true }.map { .paragraph(runs($0)) }
        if let footer = embed["footer"]?["text"]?.string { blocks.append(.small([Run(footer)])) }
        var color = ChatPicture.Color.discordGrey
        if let number = embed["color"]?.number, let written = ChatPicture.Color(number: number) { color = written }
        return .bar(color, blocks)
    }

    /// The name in bold above the value.
    private static func runs(_ field: JSON) -> [ChatPicture.Run] {
        ChatMarkdown.discord.read(field["name"]?.string).map { Run($0.text, .bold) } + [Run("\n")]
            + ChatMarkdown.discord.read(field["value"]?.string)
    }

    private static func paragraphs(_ text: JSON?) -> [ChatPicture.Block] {
        (text?.string ?? "").split(separator: "\n").map { .paragraph(ChatMarkdown.discord.read(String($0))) }
    }
}

extension ChatPicture.Color {
    /// The bar of an embed that names no colour.
    fileprivate static let discordGrey = ChatPicture.Color.of(.closed)
}
