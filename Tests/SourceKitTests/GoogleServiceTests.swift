import PluginKit
import PluginTesting
import SourceKit
import Testing

/// A source that asks one thing of a service, which is not to be a text, and reports what it was told.
private struct AskingSource: Source {
    static let manifest = PluginManifest(name: "asking", summary: "Asks.", options: [])

    let service: GoogleService
    let call: GoogleService.Call

    init(options: Options, context: SourceContext) throws(ProblemList) { throw ProblemList([]) }
    init(_ service: GoogleService, _ call: GoogleService.Call) {
        self.service = service
        self.call = call
    }

    var host: String? { service.host }
    var metrics: Set<Metric>? { nil }

    func poll(_ poll: Poll) -> PollStep {
        let read = { @Sendable (body: JSONReader) throws(JSONMismatch) -> String in
            guard body.value.string == nil else { throw body.mismatch(expected: "no text") }
            return body.value.text
        }
        return service.ask(call, at: poll.now, reading: read) { answer in
            switch answer {
            case .success(let text): .finish(PollReport(.noData, warnings: [text]))
            case .failure(let failure): .fail(failure)
            }
        }
    }
}

@Suite struct `Calls of Google's services` {
    private let now = Moment(milliseconds: 1_795_219_260_000)
    private let service: GoogleService

    init() throws {
        let account = try ServiceAccount(keyFile: GuardedText(Secret(SampleServiceAccount.keyFile)))
        service = GoogleService(at: "https://api.example.com/", as: account, scope: "https://example.com/scope") {
            $0.reason == .notFound ? "look elsewhere" : nil
        }
    }

    private func play(
        _ call: GoogleService.Call = .init("things", get: "/v1/things"), _ answer: (HTTPRequest) -> FetchResult
    ) -> PlayedPoll {
        PlayedPoll(AskingSource(service, call), Poll(source: "x", now: now, cursor: nil, spans: [.hours(1)])) {
            request in
            request.url.description.hasSuffix("/token") ? Self.token("t1") : answer(request)
        }
    }

    private static func token(_ name: String) -> FetchResult {
        says(#"{"access_token": "\#(name)", "expires_in": 3599, "token_type": "Bearer"}"#)
    }

    private static func says(
        _ body: String, _ status: Int = 200, _ headers: [(name: String, value: String)] = []
    ) -> FetchResult {
        .answered(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    @Test func `a token is had first and shown with the request`() throws {
        let played = play(.init("things", get: "/v1/things", [("a b", "c&d")])) { _ in Self.says("[1]") }
        #expect(played.report?.warnings == ["[1]"])
        #expect(
            played.requests.map(\.url.description) == [
                "https://oauth2.googleapis.com/token", "https://api.example.com/v1/things?a%20b=c%26d",
            ])
        let exchange = try #require(played.requests.first)
        #expect(exchange.method == .post)
        guard case .form(let fields) = exchange.body else {
            Issue.record("the exchange has no form")
            return
        }
        #expect(fields.first?.value.reveal() == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        #expect(fields.last?.value.reveal().split(separator: ".").count == 3)
        #expect(fields.last?.value.description == "***")
        #expect(played.requests.last?.headers.first?.value.reveal() == "Bearer t1")
        #expect(played.requests.last?.headers.first?.value.description == "Bearer ***")
    }

    @Test func `a body goes as JSON`() throws {
        let played = play(.init("things", post: "/v1/things:query", ["a": 1])) { _ in Self.says("{}") }
        #expect(played.requests.last?.body == .json(["a": 1]))
        #expect(played.requests.last?.method == .post)
    }

    @Test func `a token that is refused is replaced once`() {
        var asked = 0
        let recovered = play { _ in
            asked += 1
            return asked == 1 ? Self.says("", 401) : Self.says("[2]")
        }
        #expect(recovered.report?.warnings == ["[2]"])
        #expect(recovered.tokenRequests == 2)
        let refused = play { _ in Self.says(#"{"error": {"message": "Bad token"}}"#, 401) }
        #expect(refused.tokenRequests == 2)
        #expect(refused.requests.count == 4)
        #expect(failure(refused)?.reason == .unauthorized)
        #expect(
            failure(refused)?.description == "things: the source answered 401: Bad token "
                + "(the token of \(SampleServiceAccount.email) was refused twice; check 'key')")
    }

    @Test(arguments: [
        (403, #"{"error": {"message": "No", "status": "PERMISSION_DENIED"}}"#, PollFailure.Reason.forbidden, "lacks"),
        (404, #"{"error": {"message": "No"}}"#, .notFound, "things: the source answered 404: No (look elsewhere)"),
        (429, "", .rateLimited, "429"), (503, "<html>", .unavailable, "503: <html>"),
        (403, refusal("rateLimitExceeded"), .rateLimited, "403"), (403, refusal("quotaExceeded"), .rateLimited, "403"),
        (400, refusal("backendError"), .unavailable, "400"), (403, refusal("accessDenied"), .forbidden, "403"),
        (400, refusal("invalidQuery"), .refused, "400: No"),
        (200, "<html>", .badAnswer, "things: the answer is an HTML page"),
        (
            200, #""odd""#, .badAnswer,
            "things: the answer is not what was expected: $: expected no text, found the string"
        ),
        (
            403,
            #"""
            {"error": {"message": "Off", "details": [{"@type": "x"}, {"reason": "SERVICE_DISABLED", "metadata":
            {"service": "a.googleapis.com", "consumer": "projects/12"}}]}}
            """#, .forbidden,
            "enable the API: https://console.cloud.google.com/apis/library/a.googleapis.com?project=12"
        ),
    ]) func `refusals keep their words, and what to do stands behind`(
        _ status: Int, _ body: String, _ reason: PollFailure.Reason, _ words: String
    ) {
        let found = failure(play { _ in Self.says(body, status) })
        #expect(found?.reason == reason)
        #expect(found?.description.contains(words) == true, "\(found?.description ?? "")")
        #expect(reason != .rateLimited || found?.retryAt == now + .minutes(1))
    }

    @Test func `a wait that is told is kept`() {
        let told = failure(play { _ in Self.says("", 429, [("Retry-After", "7")]) })
        #expect(told?.retryAt == now + .seconds(7))
    }

    private static func refusal(_ word: String) -> String {
        #"{"error": {"message": "No", "errors": [{"reason": "\#(word)"}]}}"#
    }

    private func failure(_ played: PlayedPoll) -> PollFailure? {
        if case .failed(let failure) = played.report?.outcome { failure } else { nil }
    }

    // MARK: - Tokens

    private func exchange(_ answer: FetchResult) -> PollFailure? {
        let played = PlayedPoll(
            AskingSource(service, .init("things", get: "/v1/things")),
            Poll(source: "x", now: now, cursor: nil, spans: [.hours(1)])
        ) { _ in answer }
        #expect(played.requests.count == 1, "nothing is asked without a token")
        return failure(played)
    }

    private static let clock =
        #"{"error": "invalid_grant", "error_description": "Invalid JWT: Token must be a short-lived token (60 minutes) "#
        + #"and in a reasonable timeframe. Check your iat and exp values in the JWT claim."}"#

    @Test func `a clock that is wrong is told from a key that is gone`() throws {
        let wrong = try #require(exchange(Self.says(Self.clock, 400, [("Date", "Sat, 21 Nov 2026 00:21:00 GMT")])))
        // Refused, and not unauthorized: a source whose credential is refused twice is not polled any more.
        #expect(wrong.reason == .refused)
        #expect(wrong.description.hasPrefix("token: the source answered 400: invalid_grant: Invalid JWT"))
        #expect(wrong.description.hasSuffix("(this machine's clock is 20 min behind; set it)"), "\(wrong)")
        let unsure = try #require(exchange(Self.says(Self.clock, 400, [("Date", "Sat, 21 Nov 2026 00:02:00 GMT")])))
        #expect(unsure.reason == .refused)
        #expect(unsure.description.hasSuffix("(check this machine's clock)"))
        let gone = try #require(
            exchange(Self.says(#"{"error": "invalid_grant", "error_description": "Account not found"}"#, 400)))
        #expect(gone.reason == .unauthorized)
        #expect(gone.description.contains("may have been deleted"))
        let audience = #"{"error": "invalid_grant", "error_description": "Invalid JWT: Failed audience check."}"#
        let elsewhere = try #require(exchange(Self.says(audience, 400)))
        #expect(elsewhere.reason == .unauthorized)
        #expect(elsewhere.description.contains("(token_uri in the key file leads elsewhere than to Google"))
    }

    @Test(arguments: [
        (
            #"{"error": "invalid_scope", "error_description": "Invalid OAuth scope or ID token audience provided."}"#,
            400,
            PollFailure.Reason.refused, "token: the source answered 400: invalid_scope: Invalid OAuth scope"
        ), (#"{"error": "unauthorized_client"}"#, 401, .unauthorized, "unauthorized_client"),
        ("", 500, .unavailable, "token: the source answered 500"), ("[]", 200, .badAnswer, "$.token_type: expected"),
        (#"{"access_token": "secret7", "expires_in": 3599, "tok"#, 200, .badAnswer, "token: the answer is not JSON"),
        (#"{"access_token": "secret7", "expires_in": 3599}"#, 403, .forbidden, "token: the source answered 403"),
        (
            #"{"access_token": "secret7", "expires_in": 3599, "token_type": "mac"}"#, 200, .badAnswer,
            "$.token_type: expected \"Bearer\", found something else"
        ),
        (
            #"{"access_token": "secret7", "expires_in": 0, "token_type": "Bearer"}"#, 200, .badAnswer,
            "$.expires_in: expected seconds from 1 on, found something else"
        ),
        (
            #"{"access_token": "secret7\r\nX: y", "expires_in": 9, "token_type": "Bearer"}"#, 200, .badAnswer,
            "$.access_token: expected a token, found something else"
        ), (#"{"expires_in": 9, "token_type": "Bearer"}"#, 200, .badAnswer, "$.access_token: expected a token"),
    ]) func `an answer without a token fails and quotes none`(
        _ body: String, _ status: Int, _ reason: PollFailure.Reason, _ words: String
    ) throws {
        let found = try #require(exchange(Self.says(body, status)))
        #expect(found.reason == reason)
        #expect(found.description.contains(words), "\(found)")
        #expect(!found.description.contains("secret7"))
    }
}
