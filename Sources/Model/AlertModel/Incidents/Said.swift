/// The figure that a channel was told, so that it can be put right when late figures show that it was another.
public struct Said: Hashable, Sendable {
    public let metric: String
    /// A fraction for rates, a plain number for counts.
    public let value: Double
    /// The span that the figure was of.
    public let span: TimeSpan
    /// The limit that it was said to be beyond, where there was one.
    public let limit: Comparison?

    public init(metric: String, value: Double, span: TimeSpan, limit: Comparison?) {
        self.metric = metric
        self.value = value
        self.span = span
        self.limit = limit
    }

    /// The least change of what goes wrong that is worth a message, as a share of the larger of both figures. It is a
    /// choice: a quarter more or fewer people hit is another story, the last stragglers of a span are not.
    public static let changeMin = 0.25

    /// Whether the figure of the same span is now such that what was said misleads: on the other side of its limit, or
    /// much more or much less that goes wrong.
    public func isOvertaken(by now: Double) -> Bool {
        if let limit, limit.holds(value) != limit.holds(now) { return true }
        let (old, new) = (amiss(value), amiss(now))
        return old != new && abs(new - old) >= Said.changeMin * max(abs(old), abs(new))
    }

    /// The part that goes wrong: of 99 % crash-free users, 1 %.
    private func amiss(_ value: Double) -> Double { Metric(metric).failures == nil ? value : 1 - value }
}

extension Said: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("metric", metric)
            json.member("value", value)
            json.member("from", span.from)
            json.member("to", span.to)
            json.member("limit", ifAny: limit?.description)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        var limit: Comparison?
        if let written = try reader.optional("limit") {
            let text = try written.string()
            guard let comparison = try? Comparison(grammar: text) else {
                throw written.mismatch(expected: "a comparison such as \"< 99.5%\"")
            }
            limit = comparison
        }
        self.init(
            metric: try reader.member("metric").string(), value: try reader.member("value").number(),
            span: try TimeSpan(reader), limit: limit)
    }
}
