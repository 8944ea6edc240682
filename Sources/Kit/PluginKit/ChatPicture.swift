/// How a chat shows a message, for previews: a channel makes it from the very payload that it would post, so that what
/// a preview shows is what people will see.
public struct ChatPicture: Hashable, Sendable {
    /// What people look at.
    public enum Chat: String, Hashable, Sendable, CaseIterable {
        case slack, matrix, discord, teams, mattermost, rocketchat, pagerduty, telegram, email, ntfy
        case googleChat = "google_chat"
        /// The bot's own page.
        case page
        case terminal
        /// Nobody: the payload is for programs.
        case program
    }

    public let chat: Chat
    /// From top to bottom.
    public let blocks: [Block]

    public init(_ chat: Chat, _ blocks: [Block]) {
        self.chat = chat
        self.blocks = blocks
    }

    /// What stands in lines of its own.
    public enum Block: Hashable, Sendable {
        case heading([Run])
        /// May be several lines.
        case paragraph([Run])
        /// Short texts, two beside each other where there is room.
        case fields([[Run]])
        case list([[Run]])
        /// Small and grey.
        case small([Run])
        /// Text whose every space and line counts.
        case code(String)
        /// A picture of figures.
        case chart(Chart)
        /// Blocks beside a coloured bar.
        indirect case bar(Color, [Block])
    }

    /// A piece of text that looks one way.
    public struct Run: Hashable, Sendable {
        public var text: String
        public var style: Style
        /// As it stands in the payload: whoever shows it decides whether it may be followed.
        public var link: String?

        public init(_ text: String, _ style: Style = [], link: String? = nil) {
            self.text = text
            self.style = style
            self.link = link
        }
    }

    /// How letters look; several may hold at once.
    public struct Style: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let bold = Style(rawValue: 1)
        public static let italic = Style(rawValue: 2)
        public static let strike = Style(rawValue: 4)
        public static let code = Style(rawValue: 8)
    }

    /// A colour as payloads name it: each part from 0 to 255.
    public struct Color: Hashable, Sendable {
        public let red: UInt8
        public let green: UInt8
        public let blue: UInt8

        /// Reads `#B00020`; nil for anything else.
        public init?(_ text: String) {
            let digits = text.utf8.dropFirst()
            guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
                !digits.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }),
                let number = UInt32(text.dropFirst(), radix: 16)
            else { return nil }
            self.init(number)
        }

        private init(_ number: UInt32) {
            red = UInt8(truncatingIfNeeded: number >> 16)
            green = UInt8(truncatingIfNeeded: number >> 8)
            blue = UInt8(truncatingIfNeeded: number)
        }

        /// `#B00020`.
        public var text: String {
            let number = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
            let digits = String(number, radix: 16, uppercase: true)
            return "#" + String(repeating: "0", count: 6 - digits.count) + digits
        }

        /// What a message's bar has where a channel has no colours of its own.
        public static func of(_ message: Message) -> Color { of(message.tone) }

        /// - Parameter tone: a mark of a message that has a colour.
        public static func of(_ tone: Message.Mark) -> Color {
            switch tone {
            case .resolved: Color(0x2DA44E)
            case .closed, .acknowledged: Color(0x8C959F)
            case .digest: Color(0x6E7781)
            case .critical: Color(0xB00020)
            case .warning: Color(0xF2A600)
            case .info, .test: Color(0x2F81F7)
            }
        }
    }
}

extension ChatPicture {
    /// The same with the chart below, where there is one: what is sent as a picture cannot be read back from a payload.
    public func showing(_ chart: Chart?) -> ChatPicture {
        guard let chart else { return self }
        guard case .bar(let color, let inner)? = blocks.last else { return ChatPicture(chat, blocks + [.chart(chart)]) }
        return ChatPicture(chat, blocks.dropLast() + [.bar(color, inner + [.chart(chart)])])
    }

    /// All its words, a block a line.
    public var text: String { blocks.map(\.text).joined(separator: "\n") }

    /// A message as the bot's own page shows it: everything there is, beside a bar in the colour of its severity.
    public init(_ message: Message) {
        func run(_ text: String, _ style: Style = [], link: String? = nil) -> Run {
            Run(text.clipped(to: ChatPicture.wordsMax), style, link: link)
        }
        var blocks: [Block] = [.heading([run(message.headline)])]
        if !message.fields.isEmpty {
            blocks.append(.fields(message.fields.map { [run($0.label, .bold), Run("\n"), run($0.value)] }))
        }
        for paragraph in message.body { blocks.append(.paragraph([run(paragraph)])) }
        if let sparkline = message.sparkline {
            blocks.append(
                .paragraph([Run("\(message.words[.captionLastDay]):", .bold), Run(" "), run(sparkline, .code)]))
        }
        if !message.lines.isEmpty { blocks.append(.list(message.lines.map { [run($0)] })) }
        if !message.reason.isEmpty {
            blocks.append(
                .paragraph([Run("\(message.words[.captionWhy]):", .bold), Run(" "), run(message.reason)]))
        }
        if !message.issues.isEmpty {
            blocks.append(.paragraph([Run(message.words[.captionIssues], .bold)]))
            blocks.append(
                .list(
                    message.issues.map { issue in
                        [run(issue.title, link: issue.url)]
                            + (issue.detail.isEmpty ? [] : [Run(" — "), run(issue.detail)])
                    }))
        }
        if !message.links.isEmpty {
            let links = message.links.map { [run($0.title, link: $0.url)] }
            blocks.append(.paragraph(Array(links.joined(separator: [Run("  ·  ")]))))
        }
        if !message.footer.isEmpty { blocks.append(.small([run(message.footer)])) }
        self.init(.page, [.bar(.of(message), blocks)])
    }

    /// The longest text that is shown in full, as on the page: whole stack traces have no place in a chat.
    private static let wordsMax = 2000
}

extension ChatPicture.Block {
    fileprivate var text: String {
        switch self {
        case .heading(let runs), .paragraph(let runs), .small(let runs): runs.map(\.text).joined()
        case .fields(let rows), .list(let rows): rows.map { $0.map(\.text).joined() }.joined(separator: "\n")
        case .code(let text): text
        case .chart(let chart): chart.words
        case .bar(_, let inner): inner.map(\.text).joined(separator: "\n")
        }
    }
}

extension Channel {
    /// JSON for a program, text in a terminal, or the bot's own page, whatever the channel does with the message.
    public func picture(of posting: Posting) -> ChatPicture {
        switch post(posting) {
        case .mail(let mail): ChatPicture(.email, [.code(mail.text.withoutLineEnds)])
        case .request(let request): ChatPicture(.program, [.code(request.body?.shown.wholeText ?? "")])
        case .print(let text): ChatPicture(.terminal, [.code(text.withoutLineEnds)])
        case .keep: ChatPicture(posting.message)
        }
    }
}

extension String {
    /// The text without line ends at its end: they only part it from what comes next.
    fileprivate var withoutLineEnds: String {
        var text = self[...]
        while text.last?.isNewline ?? false { text.removeLast() }
        return String(text)
    }
}

extension JSON {
    /// What a program gets to read: a text as it is, and anything else as JSON.
    fileprivate var wholeText: String { string ?? prettyText }
}
