internal import PluginKit

/// What a query gave: series of samples, and what the server thinks of them.
struct QueryAnswer: Sendable {
    struct Series: Hashable, Sendable {
        /// Without the metric's own name.
        let labels: [String: String]
        let samples: [Sample]
    }

    struct Sample: Hashable, Sendable {
        let at: Moment
        /// Nil when the server computed that there is none: NaN, such as 0 divided by 0.
        let value: Double?
    }

    private(set) var series: [Series] = []
    private(set) var warnings: [String] = []
    /// Whether series may be missing.
    private(set) var isPartial = false

    /// Most series of one query: each becomes a subject with incidents of its own.
    static let seriesMax = 1000
    /// Most samples of one query that reads on in steps, or recalls the past: some 3 MB of answer.
    static let samplesMax = 100_000
    /// Warnings repeated from one answer; beyond these they say the same of other stores.
    private static let warningsMax = 3

    init(series: [Series]) { self.series = series }

    init(_ result: FetchResult, isRange: Bool, now: Moment) throws(PollFailure) {
        let response = try result.response()
        if let failure = PollFailure(response, detail: QueryAnswer.detail(of: response), now: now) { throw failure }
        let body = try response.json()
        do throws(JSONMismatch) {
            let status = try body.member("status")
            switch try status.string() {
            case "success": break
            case "error":
                let detail = QueryAnswer.detail(of: response) ?? "no reason given"
                throw status.mismatch(expected: "\"success\" (the server says: \(detail.tamed.clipped(to: 200)))")
            default: throw status.mismatch(expected: "\"success\" or \"error\"")
            }
            (warnings, isPartial) = try QueryAnswer.warnings(body)
            series = try QueryAnswer.series(body.member("data"), isRange: isRange)
        } catch {
            throw PollFailure(error)
        }
        guard series.count <= QueryAnswer.seriesMax else {
            throw PollFailure(
                .tooLarge,
                "\(series.count) series are more than \(QueryAnswer.seriesMax); aggregate, as in sum by (app) (…)"
            )
        }
        let samples = series.reduce(0) { $0 + $1.samples.count }
        guard samples <= QueryAnswer.samplesMax else {
            throw PollFailure(.tooLarge, "\(samples) samples are more than \(QueryAnswer.samplesMax)")
        }
    }

    /// `errorType` and `error` of the envelope.
    private static func detail(of response: HTTPResponse) -> String? {
        guard let json = try? JSON(parsing: response.body), let error = json["error"]?.string else { return nil }
        return (json["errorType"]?.string).map { "\($0): \(error)" } ?? error
    }

    /// What the server says against its answer, and whether it is that series may be missing: what Prometheus thinks of the
    /// query itself begins with "PromQL" (`util/annotations`); Thanos and remote reads warn of stores that did not answer.
    private static func warnings(_ body: JSONReader) throws(JSONMismatch) -> ([String], isPartial: Bool) {
        var warnings: [String] = []
        var isPartial = try body.optional("isPartial")?.bool() ?? false
        if isPartial {
            warnings.append("the answer is partial: some of the stores did not answer")
        }
        let given = try body.optional("warnings")?.elements() ?? []
        for (number, warning) in given.enumerated() {
            if number < warningsMax { warnings.append(try warning.string().tamed.clipped(to: 200)) }
            if warning.value.string?.hasPrefix("PromQL") != true { isPartial = true }
        }
        if given.count > warningsMax { warnings.append("and \((given.count - warningsMax).counted("more warning"))") }
        return (warnings, isPartial)
    }

    private static func series(
        _ data: JSONReader,
        isRange: Bool
    ) throws(JSONMismatch) -> [Series] {
        let type = try data.member("resultType")
        let result = try data.member("result")
        switch try type.string() {
        case "matrix" where isRange:
            return try list(result) { series throws(JSONMismatch) in
                var samples: [Sample] = []
                for sample in try series.numbers("values").elements() {
                    samples.append(try sample.sample())
                }
                return samples
            }
        case "vector" where !isRange:
            return try list(result) { series throws(JSONMismatch) in [try series.numbers("value").sample()] }
        case "scalar" where !isRange:
            return [Series(labels: [:], samples: [try result.sample()])]
        case "matrix":
            throw type.mismatch(
                expected: "\"vector\" or \"scalar\"; the query gives a range: wrap it, as in increase(…[30m])"
            )
        case "string":
            throw type.mismatch(expected: "figures; the query gives a text")
        default:
            throw type.mismatch(expected: isRange ? "\"matrix\"" : "\"vector\" or \"scalar\"")
        }
    }

    private static func list(
        _ result: JSONReader,
        _ samples: (JSONReader) throws(JSONMismatch) -> [Sample]
    ) throws(JSONMismatch) -> [Series] {
        var all: [Series] = []
        for series in try result.elements() {
            var labels: [String: String] = [:]
            for (name, value) in try series.member("metric").members() where name != "__name__" {
                // A label with an empty value is the same as none.
                let text = try value.string()
                labels[name] = text.isEmpty ? nil : text
            }
            all.append(Series(labels: labels, samples: try samples(series)))
        }
        return all
    }
}

extension JSONReader {
    /// The member with plain numbers of a series.
    fileprivate func numbers(_ name: String) throws(JSONMismatch) -> JSONReader {
        for histogram in ["histogram", "histograms"] where try optional(name) == nil {
            guard let found = try optional(histogram) else { continue }
            throw found.mismatch(
                expected: "'\(name)' with plain numbers; make one of the histogram, as in histogram_count(…)"
            )
        }
        return try member(name)
    }

    /// A pair of Unix seconds and a number in quotes, which may be infinite: that is a flaw of one series.
    fileprivate func sample() throws(JSONMismatch) -> QueryAnswer.Sample {
        let pair = try elements()
        guard pair.count == 2 else { throw mismatch(expected: "a time and a value") }
        guard let at = Moment(unixSeconds: try pair[0].number()) else {
            throw pair[0].mismatch(expected: "Unix seconds")
        }
        let text = try pair[1].string()
        if text == "NaN" { return QueryAnswer.Sample(at: at, value: nil) }
        guard let value = Double(text) else { throw pair[1].mismatch(expected: "a number in quotes") }
        return QueryAnswer.Sample(at: at, value: value)
    }
}
