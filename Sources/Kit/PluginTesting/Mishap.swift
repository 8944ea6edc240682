internal import PluginKit

/// An answer that a service in trouble gives to everything, and the reasons a source may name for it.
struct Mishap {
    let name: String
    let result: FetchResult
    let reasons: Set<PollFailure.Reason>
    /// When the service wants to be left alone until.
    var until: Moment?

    static func all(at now: Moment) -> [Mishap] {
        func answer(_ status: Int, _ body: String, _ headers: [(name: String, value: String)] = []) -> FetchResult {
            .answered(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
        }
        let page = "<!DOCTYPE html><html><body>Please sign in</body></html>"
        let statuses: [(Int, PollFailure.Reason)] = [
            (400, .refused), (401, .unauthorized), (403, .forbidden), (404, .notFound), (405, .refused),
            (410, .refused), (418, .refused), (422, .refused), (429, .rateLimited), (500, .unavailable),
            (502, .unavailable), (503, .unavailable), (504, .unavailable), (599, .unavailable),
        ]
        var mishaps = statuses.flatMap { status, reason in
            [("with JSON", #"{"error":"no"}"#), ("with HTML", page), ("without a body", "")].map { with, body in
                Mishap(name: "\(status) \(with)", result: answer(status, body), reasons: [reason])
            }
        }
        for status in [429, 503] {
            mishaps.append(
                Mishap(
                    name: "\(status) with Retry-After", result: answer(status, "", [("retry-after", "120")]),
                    reasons: [status == 429 ? .rateLimited : .unavailable], until: now + .seconds(120)))
        }
        for (name, body) in [
            ("an empty answer", ""), ("HTML instead of JSON", page), ("garbage", "\u{1}\u{0}}{"),
            ("a truncated answer", #"{"data": [1, "#), ("nesting without end", String(repeating: "[", count: 5000)),
        ] {
            mishaps.append(Mishap(name: name, result: answer(200, body), reasons: [.badAnswer]))
        }
        let causes: [(TransportError.Cause, PollFailure.Reason)] = [
            (.timeout, .timeout), (.resolve, .unreachable), (.connect, .unreachable), (.tls, .unreachable),
            (.interrupted, .unreachable), (.cancelled, .unreachable), (.other, .unreachable), (.tooLarge, .tooLarge),
            (.badAddress, .refused), (.refusedScheme, .refused), (.redirect, .refused),
        ]
        mishaps += causes.map { cause, reason in
            let error = TransportError(cause, mayHaveArrived: false, "it did not work")
            return Mishap(name: "transport error '\(cause.rawValue)'", result: .failed(error), reasons: [reason])
        }
        return mishaps
    }
}
