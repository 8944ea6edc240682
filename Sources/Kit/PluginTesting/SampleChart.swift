public import PluginKit

extension SampleMessages {
    /// A day with a gap and a fall at its end.
    public static let chart = Chart(
        title: "Crash-free users, last day", values: (0..<24).map { $0 == 7 ? nil : $0 < 20 ? 0.998 : 0.97 },
        from: ChannelConformance.now - .hours(24), isRate: true, limit: Chart.Line(0.99, "alert below 99%"),
        usual: Chart.Line(0.998, "usually 99.80%"),
        words: "Crash-free users, last day: between 97.00% and 99.80%, 97.00% at its end; alert below 99%")

    /// As a picture of it is handed to channels; not one that could be looked at.
    public static let image = ChartImage(
        bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF], width: 960, height: 400, words: chart.words
    )

    /// The same with words that somebody means badly.
    public static let hostileImage = ChartImage(
        bytes: image.bytes, width: 960, height: 400,
        words: hostileTitle + "\u{202E}\r\n--alertbot\r\n\"" + String(repeating: "👨‍👩‍👧‍👦", count: 2000))

    /// An opening that shows a chart.
    public static let charted: Message = {
        var message = opened
        message.chart = chart
        return message
    }()
}

extension Channel {
    /// What it does for a message with a picture.
    public func action(
        _ message: Message = SampleMessages.charted, _ image: ChartImage? = SampleMessages.image, isPlain: Bool = false
    ) -> ChannelAction { post(.sample(message, image, isPlain: isPlain)) }

    /// The next request for a picture whose message has arrived; nil where there is none.
    public func attachment(
        _ image: ChartImage = SampleMessages.image, receipt: String?, thread: String? = nil,
        after answers: [String] = []
    ) -> HTTPRequest? {
        let answers = answers.map { HTTPResponse(status: 200, body: Array($0.utf8)) }
        guard
            case .request(let request) = attach(
                image, to: .sample(SampleMessages.charted, image, thread: thread), receipt: receipt, after: answers)
        else { return nil }
        return request
    }
}

extension Posting {
    fileprivate static func sample(
        _ message: Message, _ image: ChartImage?, isPlain: Bool = false, thread: String? = nil
    ) -> Posting {
        Posting(
            id: "d-1", message: message, isPlain: isPlain, thread: thread, image: image, at: ChannelConformance.now)
    }
}

extension HTTPRequest {
    /// The parts of a form with files, by their names.
    public var parts: [String: FormPart.Content] {
        guard case .parts(let parts) = body else { return [:] }
        return Dictionary(parts.map { ($0.name, $0.content) }) { first, _ in first }
    }
}

/// As it goes over the wire; nil where nothing leaves the bot.
public func bytes(of action: ChannelAction) -> [UInt8]? { Parcel(action)?.bytes }
