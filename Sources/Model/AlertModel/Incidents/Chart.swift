/// What a chart in a message shows: the last day of a figure as numbers, and what is written beside them.
///
/// It waits in the journal with its message, so it holds numbers and no picture: the picture is made when the message
/// leaves, and is the same on every attempt.
public struct Chart: Hashable, Sendable {
    /// Such as `Crash-free users, last day`.
    public var title: String
    /// One for each hour, oldest first; nil where nothing is known.
    public var values: [Double?]
    /// When the first hour begins.
    public var from: Moment
    public var isRate: Bool
    /// Where an alert begins.
    public var limit: Line?
    /// What the figure usually is.
    public var usual: Line?
    /// What the picture shows, for those who do not see it.
    public var words: String

    /// A value that is drawn as a line across, and what it is called.
    public struct Line: Hashable, Sendable {
        public var value: Double
        /// Such as `alert below 99%`.
        public var words: String

        public init(_ value: Double, _ words: String) {
            self.value = value
            self.words = words
        }
    }

    public init(
        title: String, values: [Double?], from: Moment, isRate: Bool, limit: Line? = nil, usual: Line? = nil,
        words: String
    ) {
        self.title = title
        self.values = Array(values.prefix(Chart.valuesMax))
        self.from = from
        self.isRate = isRate
        self.limit = limit
        self.usual = usual
        self.words = words
    }

    /// Two days, twice as many as there are.
    static let valuesMax = 48
}

extension Chart: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("title", title)
            json.member("values", values)
            json.member("from", from)
            if isRate { json.member("rate", true) }
            json.member("limit", ifAny: limit)
            json.member("usual", ifAny: usual)
            json.member("words", words)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        var values: [Double?] = []
        for value in try reader.member("values").elements() {
            values.append(value.value == .null ? nil : try value.number())
        }
        self.init(
            title: try reader.member("title").string(), values: values, from: try reader.member("from").moment(),
            isRate: try reader.optional("rate")?.bool() ?? false, words: try reader.member("words").string())
        if let limit = try reader.optional("limit") { self.limit = try Line(limit) }
        if let usual = try reader.optional("usual") { self.usual = try Line(usual) }
    }
}

extension Chart.Line: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("value", value)
            json.member("words", words)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(try reader.member("value").number(), try reader.member("words").string())
    }
}
