/// What a rule saw of an incident over one span while it fired: a figure that can be measured anew.
public struct Sighting: Hashable, Sendable {
    public let metric: String
    public let figure: Figure
    public let span: TimeSpan
    public let limit: Comparison?
    public let reference: Evidence.Reference?

    private init(
        metric: String, figure: Figure, span: TimeSpan, limit: Comparison?, reference: Evidence.Reference?
    ) {
        self.metric = metric
        self.figure = figure
        self.span = span
        self.limit = limit
        self.reference = reference
    }

    /// Nil for evidence without a figure of a span.
    public init?(_ evidence: Evidence) {
        guard let metric = evidence.metric, let figure = evidence.figure, let span = evidence.span else { return nil }
        self.init(
            metric: metric, figure: figure, span: span, limit: evidence.limit, reference: evidence.reference)
    }

    /// The same span with what late figures make of it.
    public func corrected(to figure: Figure) -> Sighting {
        Sighting(metric: metric, figure: figure, span: span, limit: limit, reference: reference)
    }

    /// What it says as evidence; what the rule said of it is not kept.
    public func evidence(_ sentence: String) -> Evidence {
        Evidence(
            metric: metric, figure: figure, limit: limit, span: span, reference: reference, sentence: sentence)
    }

    /// Whether more than half of the shorter of both spans is in the other one too.
    public func isNear(_ other: Sighting) -> Bool {
        guard metric == other.metric else { return false }
        let shared = min(span.to, other.span.to) - max(span.from, other.span.from)
        return shared.scaled(by: 2) > min(span.length, other.span.length)
    }
}

extension Sighting: JSONWritable {
    public func put(into json: inout JSONWriter) { evidence("").put(into: &json) }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        guard let sighting = Sighting(try Evidence(reader)) else {
            throw reader.mismatch(expected: "a figure of a span")
        }
        self = sighting
    }
}
