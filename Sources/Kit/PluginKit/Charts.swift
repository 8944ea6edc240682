/// A picture of a message's chart, ready to be sent.
public struct ChartImage: Hashable, Sendable {
    /// A PNG.
    public let bytes: [UInt8]
    /// In pixels.
    public let width: Int
    public let height: Int
    /// What it shows, in one sentence, for those who do not see it.
    public let words: String

    /// What such pictures are called where a name must be given.
    public static let fileName = "chart.png"
    public static let contentType = "image/png"

    public init(bytes: [UInt8], width: Int, height: Int, words: String) {
        self.bytes = bytes
        self.width = width
        self.height = height
        self.words = words
    }
}

/// What comes next on the way of a picture to its message.
public enum ImageStep: Sendable {
    case request(HTTPRequest)
    case done
    /// It cannot go on, for a reason that people are told.
    case failed(String)
}

extension Setting where Value == Bool {
    /// Shared by all channels whose chat shows pictures.
    public static var chart: Setting {
        Setting(
            "chart", .flag, default: false,
            "Show the last day's figures as a picture, with limit and usual; needs libcairo (Debian: libcairo2).")
    }
}
