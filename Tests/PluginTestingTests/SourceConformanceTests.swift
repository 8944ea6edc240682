import PluginKit
import PluginTesting
import Testing

/// A source that makes the mistakes it is told to make.
private struct Sloppy: Source {
    enum Mistake: CaseIterable {
        case none, endless, leakInRequest, leakInFailure, leakInCursor, wrongName, noApp, flaw, undeclaredMetric, post,
            emptyValues, swallows, wrongReason, forgetsRetryAfter, impure, failsOnCursor,
            leakInDashboard, loginInDashboard, strangeDashboard, noWebDashboard, undeclaredLabel
    }

    static let manifest = PluginManifest(name: "sloppy", summary: "Sloppy.", options: [])
    let host: String? = nil
    let metrics: Set<Metric>? = ["users"]
    let givesLabels = false
    var mistake = Mistake.none
    var dashboard: String? {
        switch mistake {
        case .none: "https://x.example/{app}?r={release}&e={environment}&by=me@x"
        case .leakInDashboard: "https://x.example/{app}?k=s3cret%2F1"
        case .loginInDashboard: "https://me@x.example/{app}"
        case .strangeDashboard: "https://x.example/{project}"
        case .noWebDashboard: "ftp://x.example/{app}"
        default: nil
        }
    }

    init(options: Options, context: SourceContext) throws(ProblemList) {}
    init(_ mistake: Mistake) { self.mistake = mistake }

    func poll(_ poll: Poll) -> PollStep {
        var request = HTTPRequest(.get, "https://x.example/\(Secret("s3cret"))")
        if mistake == .leakInRequest { request.url = "https://x.example/s3cret" }
        if mistake == .post { request.method = .post }
        if mistake == .impure { request.url = "https://x.example/\(Int.random(in: 0 ... .max))" }
        return .fetch(request) { result in read(result, poll) }
    }

    private func read(_ result: FetchResult, _ poll: Poll) -> PollStep {
        if mistake == .endless { return self.poll(poll) }
        do throws(PollFailure) {
            if mistake == .failsOnCursor, poll.cursor != nil { throw PollFailure(.refused, "again?") }
            let response: HTTPResponse
            switch result {
            case .failed(let error): throw PollFailure(error)
            case .answered(let answer): response = answer
            }
            if let failure = PollFailure(response, now: poll.now) { throw failure }
            guard let users = try response.json().value["users"]?.number, users >= 0 else {
                throw PollFailure(.badAnswer, "no users")
            }
            var observation = Observation(
                subject: Subject(source: mistake == .wrongName ? "x" : poll.source, app: mistake == .noApp ? "" : "a"),
                span: TimeSpan(lasting: .hours(1), until: poll.now), seen: poll.now, metrics: ["users": users])
            if mistake == .flaw { observation.metrics["users"] = -1 }
            if mistake == .undeclaredMetric { observation.metrics["sessions"] = 1 }
            if mistake == .undeclaredLabel { observation.labels["team"] = "pay" }
            return .finish(
                PollReport(
                    .values(mistake == .emptyValues ? [] : [observation]),
                    cursor: .string(mistake == .leakInCursor ? "s3cret" : "c")))
        } catch {
            switch mistake {
            case .swallows: return .finish(PollReport(.noData))
            case .leakInFailure: return .fail(PollFailure(error.reason, "s3cret", retryAt: error.retryAt))
            case .wrongReason: return .fail(PollFailure(.refused, "no", retryAt: error.retryAt))
            case .forgetsRetryAfter: return .fail(PollFailure(error.reason, "no"))
            default: return .fail(error)
            }
        }
    }
}

@Suite struct `Conformance of sources` {
    @Test(arguments: Sloppy.Mistake.allCases) private func `every mistake is found, and nothing else`(
        _ mistake: Sloppy.Mistake
    ) {
        let poll = Poll(source: "s", now: Moment(milliseconds: 1_795_219_200_000), cursor: nil, spans: [.hours(1)])
        let violations = SourceConformance(Sloppy(mistake), poll: poll, secrets: ["s3cret", "s3cret/1"]) { _ in
            .answered(HTTPResponse(status: 200, body: Array(#"{"users": 5}"#.utf8)))
        }.violations()
        let words =
            switch mistake {
            case .none: ""
            case .endless: "not finished after 100 steps"
            case .leakInRequest: "the description of a request shows a secret"
            case .leakInFailure: "the report shows a secret"
            case .leakInCursor: "the cursor shows a secret"
            case .wrongName: "the source is called 'x' instead of 's'"
            case .noApp: "the app has no name"
            case .flaw: "a count is never negative"
            case .undeclaredMetric: "'sessions' is not among those declared"
            case .undeclaredLabel: "the label 'team' is given, although the source says that it gives none"
            case .post: "a POST to https://x.example/***, which was not declared"
            case .emptyValues: "no observations are 'no data'"
            case .swallows: "instead of a failure"
            case .wrongReason: "the reason is refused instead of"
            case .forgetsRetryAfter: "does not wait until"
            case .impure: "asked for other things the second time"
            case .failsOnCursor: "the poll after: failed: again?"
            case .leakInDashboard: "the dashboard shows a secret"
            case .loginInDashboard: "the dashboard holds a login"
            case .strangeDashboard, .noWebDashboard: "the dashboard is not a web address that leaves open only {app}"
            }
        #expect(violations.isEmpty == (mistake == .none), "\(violations.prefix(3))")
        #expect(violations.contains { $0.contains(words) } || mistake == .none, "\(violations.prefix(3))")
    }
}
