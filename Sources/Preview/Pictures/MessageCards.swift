internal import Charts
internal import Markup
internal import PluginKit

/// Chats' pictures of messages, in HTML: each looks like the chat that it is of.
struct MessageCards {
    let botName: String
    let zone: Zone
    /// Those of the messages.
    let words: Words

    /// One message in the window of its chat.
    func card(_ picture: ChatPicture, at moment: Moment) -> HTML {
        let name = HTML.chat(picture.chat)
        let body = blocks(picture.blocks)
        guard picture.chat.hasSender else { return #"<div class="chat \#(name)">\#(body)</div>"# }
        return """
            <div class="chat \(name)"><span class="face" aria-hidden="true"></span><div class="said"><p class="by">\
            <b>\(botName)</b>\(picture.chat.badge.map { "<i>\($0)</i>" }) <time datetime="\(moment.description)">\
            \(zone.civil(moment).clockText)</time></p>\(body)</div></div>
            """
    }

    private func blocks(_ blocks: [ChatPicture.Block]) -> [HTML] {
        blocks.map { block in
            switch block {
            case .heading(let runs): #"<p class="heading">\#(self.runs(runs))</p>"#
            case .paragraph(let runs): "<p>\(self.runs(runs))</p>"
            case .fields(let fields):
                #"<div class="fields">\#(fields.map { field -> HTML in "<p>\(self.runs(field))</p>" })</div>"#
            case .list(let items): "<ul>\(items.map { item -> HTML in "<li>\(self.runs(item))</li>" })</ul>"
            case .small(let runs): #"<p class="small">\#(self.runs(runs))</p>"#
            case .code(let code): "<pre>\(whole: code)</pre>"
            case .chart(let chart):
                #"<div class="chart">\#(ChartDrawing(chart, in: zone, words: words).drawing.svg(chart.words))</div>"#
            case .bar(let color, let inner):
                #"<div class="bar" style="--bar: \#(color.text)">\#(self.blocks(inner))</div>"#
            }
        }
    }

    private func runs(_ runs: [ChatPicture.Run]) -> [HTML] {
        runs.map { run in
            let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false)
            var piece: HTML =
                "\(lines.enumerated().map { index, line -> HTML in "\(index > 0 ? "<br>" : nil)\(String(line))" })"
            if run.style.contains(.code) { piece = "<code>\(piece)</code>" }
            if run.style.contains(.strike) { piece = "<s>\(piece)</s>" }
            if run.style.contains(.italic) { piece = "<em>\(piece)</em>" }
            if run.style.contains(.bold) { piece = "<strong>\(piece)</strong>" }
            return HTML.link(piece, to: run.link)
        }
    }
}

extension HTML {
    /// The class of a chat's window.
    fileprivate static func chat(_ chat: ChatPicture.Chat) -> HTML { "\(chat.rawValue)" }
}

extension ChatPicture.Chat {
    /// Whether the chat shows who speaks.
    fileprivate var hasSender: Bool {
        switch self {
        case .pagerduty, .terminal, .program: false
        default: true
        }
    }

    /// What stands beside the name of a sender that is no person.
    fileprivate var badge: HTML? {
        switch self {
        case .slack, .discord, .googleChat: "APP"
        case .mattermost, .rocketchat: "BOT"
        default: nil
        }
    }
}
