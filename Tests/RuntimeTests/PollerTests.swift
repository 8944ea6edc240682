internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Runtime
internal import Synchronization
internal import Testing

private let secretKey = Secret("0123456789abcdefGH")
private let secretWord = Secret("acme-shop-for-android")
private let secretAddress = Secret("https://s.example/echo/all?key=0123456789abcdefGH&app=ShopForAndroid2026")

/// A source whose conversation the test writes.
private struct TalkingSource: Source {
    static let manifest = PluginManifest(name: "talking", summary: "Talks.", options: [])

    let talk: @Sendable (Poll) -> PollStep

    init(_ talk: @escaping @Sendable (Poll) -> PollStep) { self.talk = talk }
    init(options: Options, context: SourceContext) throws(ProblemList) {
        self.init { _ in .finish(PollReport(.noData)) }
    }

    var host: String? { nil }
    var metrics: Set<Metric>? { nil }
    func poll(_ poll: Poll) -> PollStep { talk(poll) }
}

@Suite(.timeLimit(.minutes(5))) struct PollerTests {
    private typealias Validators = [String: SourceRecord.Validator]

    private let stage = Stage()
    private let clock: ManualClock
    private let tokens = TokenVault()
    private let plan = Plan.rehearsed(
        sources: [SourcePlan(name: "ios", every: .minutes(5), timeout: .seconds(20), jitter: 0, slowsWhen: [])])

    init() { clock = ManualClock(stage) }

    /// The order that the core gives for the next poll, with what the poll before it left.
    private func order(_ validators: Validators = [:], cursor: JSON? = nil) throws -> PollOrder {
        var rehearsal = Rehearsal(plan, at: clock.now())
        rehearsal.start()
        let report = PollReport(.noData, cursor: cursor)
        var (state, now) = (rehearsal.state, clock.now())
        let core = Core(plan: plan)
        _ = core.step(&state, .polled(source: "ios", report, validators: validators), at: now)
        now = now + .minutes(5)
        for case .poll(let order) in core.step(&state, .tick, at: now).effects { return order }
        Issue.record("no poll is due")
        return plan.previewOrder(for: plan.sources[0], state)
    }

    private func poll(
        _ source: some Source, _ order: PollOrder, secrets: [Secret] = [], faults: Faults? = nil,
        _ answer: @escaping ScriptedWeb.Answer
    ) async throws -> (report: PollReport, validators: Validators) {
        var ports = Ports.staged(stage, clock, answer)
        ports.faults = faults
        let input = await Poller(ports: ports, redactor: Redactor(secrets), tokens: tokens).poll(order, source)
        guard case .polled("ios", let report, let validators) = input else {
            Issue.record("\(input) is no answer to a poll")
            return (PollReport(.noData), [:])
        }
        return (report, validators)
    }

    private func failure(_ report: PollReport) throws -> PollFailure {
        guard case .failed(let failure) = report.outcome else {
            Issue.record("\(report.outcome) is no failure")
            return PollFailure(.refused, "")
        }
        return failure
    }

    @Test func `a conditional request says what the answer before said`() async throws {
        let headers = Mutex<[[String: String]]>([])
        let answer: ScriptedWeb.Answer = { request, _ throws(TransportError) in
            let sent = Dictionary(request.headers.map { ($0.name, $0.value.reveal()) }) { $1 }
            headers.withLock { $0.append(sent) }
            return sent["If-None-Match"] == nil
                ? .says("w", [("ETag", "\"v1\""), ("last-modified", "Fri, 20 Nov 2026 11:00:00 GMT")])
                : HTTPResponse(status: 304)
        }
        let first = try await poll(LookSource("ios"), try order(), answer)
        #expect(first.validators.count == 1)
        #expect(!first.validators.keys.contains { $0.contains("ios.example") })
        let second = try await poll(LookSource("ios"), try order(first.validators), answer)
        #expect(second.report.outcome == .unchanged)
        #expect(second.validators == first.validators)
        #expect(
            headers.withLock { $0 } == [
                [:], ["If-None-Match": "\"v1\"", "If-Modified-Since": "Fri, 20 Nov 2026 11:00:00 GMT"],
            ])
    }

    @Test func `an answer without validators forgets those before, and a failed one keeps them`() async throws {
        let first = try await poll(LookSource("ios"), try order()) { _, _ throws(TransportError) in
            .says("w", [("ETag", "\"v1\"")])
        }
        let failed = try await poll(LookSource("ios"), try order(first.validators)) { _, _ throws(TransportError) in
            .says("out of order", status: 503)
        }
        #expect(failed.validators == first.validators)
        let bare = try await poll(LookSource("ios"), try order(first.validators)) { _, _ throws(TransportError) in
            .says("w")
        }
        #expect(bare.validators.isEmpty)
    }

    @Test func `what no header can say is not said again, also where a journal holds it`() async throws {
        let sent = Mutex<[[String]]>([])
        let answer: ScriptedWeb.Answer = { request, _ throws(TransportError) in
            sent.withLock { $0.append(request.headers.map(\.name)) }
            return .says("w", [("ETag", "\"v\u{1}\""), ("Last-Modified", "Fri, 20 Nov 2026 11:00:00\u{7F}")])
        }
        let first = try await poll(LookSource("ios"), try order(), answer)
        #expect(first.validators.isEmpty)
        let address = try await poll(LookSource("ios"), try order()) { _, _ throws(TransportError) in
            .says("w", [("ETag", "\"v1\"")])
        }
        let kept = address.validators.mapValues { _ in
            SourceRecord.Validator(etag: "\"v\u{1}\"", lastModified: "Fri\u{7F}")
        }
        #expect(kept.count == 1)
        let second = try await poll(LookSource("ios"), try order(kept), answer)
        #expect(second.validators.isEmpty)
        #expect(sent.withLock { $0 } == [[], []])
    }

    @Test func `a token is had for a conversation, kept for the next, and never repeated to people`() async throws {
        let order = TokenOrder(
            key: "a", request: { _ in .success(HTTPRequest(.post, "https://tokens.example")) },
            read: { result, _ in
                guard case .answered(let response) = result else { return .failure(PollFailure(.refused, "")) }
                return .success(AccessToken(Secret(response.excerpt()), lasts: .hours(1)))
            })
        let source = TalkingSource { _ in
            .authorize(order) { token in
                let secret = (try? token.get())?.secret ?? Secret("")
                let request = HTTPRequest(.get, "https://ios.example", headers: [.init("A", "Bearer \(secret)")])
                return .fetch(request) { result in
                    guard case .answered(let response) = result else { return .finish(PollReport(.noData)) }
                    return .finish(PollReport(.noData, warnings: [response.excerpt()], notes: [response.excerpt()]))
                }
            }
        }
        let asked = Mutex<[String]>([])
        for _ in 1...2 {
            let answer = try await poll(source, try self.order()) { request, _ throws(TransportError) in
                asked.withLock { $0.append(request.url.reveal()) }
                return .says(request.method == .post ? "token-7" : request.headers.first?.value.reveal() ?? "")
            }
            #expect(answer.report.warnings == ["Bearer ***"])
            #expect(answer.report.notes == ["Bearer ***"])
        }
        #expect(
            asked.withLock { $0 } == ["https://tokens.example", "https://ios.example", "https://ios.example"])
    }

    @Test func `a conversation that asks for nothing but tokens ends`() async throws {
        let order = TokenOrder(
            key: "a", request: { _ in .failure(PollFailure(.refused, "no key")) },
            read: { _, _ in .failure(PollFailure(.refused, "")) })
        @Sendable func again() -> PollStep { .authorize(order) { _ in again() } }
        let answer = try await poll(TalkingSource { _ in again() }, try self.order()) { _, _ throws(TransportError) in
            .says("")
        }
        #expect(try failure(answer.report).description == PollerTests.tooMany)
    }

    @Test func `a source is told what it left to remember`() async throws {
        let source = TalkingSource { poll in
            .finish(PollReport(.noData, warnings: ["\(poll.cursor?.text ?? "") \(poll.spans.map(\.short))"]))
        }
        let answer = try await poll(source, try order(cursor: ["page": 7])) { _, _ throws(TransportError) in .says("") }
        #expect(answer.report.warnings == [#"{"page":7} ["5 min"]"#])
    }

    @Test func `a poll that never ends is ended`() async throws {
        let asked = Mutex(0)
        let answer = try await poll(TalkingSource { _ in PollerTests.again() }, try order()) {
            _, _ throws(TransportError) in
            asked.withLock { $0 += 1 }
            return .says("more")
        }
        #expect(try failure(answer.report).reason == .badAnswer)
        #expect(try failure(answer.report).description == PollerTests.tooMany)
        #expect(asked.withLock { $0 } <= 200)
    }

    private static let tooMany = "the poll did not end after 200 requests; split the source"
    private static let tooLate =
        "the whole poll took longer than 1 min 40 s, 5 times 'timeout'; raise it, or split the source"

    /// Asks until it gets no answer, and remembers how often it got one.
    private static func ask(_ count: Int64) -> PollStep {
        .fetch(HTTPRequest(.get, "https://ios.example/")) { result in
            switch result {
            case .answered: ask(count + 1)
            case .failed(let error):
                .finish(
                    PollReport(.noData, cursor: ["asked": .int(count)], warnings: [PollFailure(error).description]))
            }
        }
    }

    @Test(arguments: [(15, 7, tooLate), (0, 200, tooMany)] as [(Int64, Int64, String)])
    func `a source for which there is no room any more finishes with what it has`(
        _ seconds: Int64, _ count: Int64, _ words: String
    ) async throws {
        let answer = try await poll(TalkingSource { _ in PollerTests.ask(0) }, try order()) {
            [clock] _, _ throws(TransportError) in
            clock.advance(by: .seconds(seconds))
            return .says("more")
        }
        #expect(answer.report.outcome == .noData)
        #expect(answer.report.cursor == ["asked": .int(count)])
        #expect(answer.report.warnings == [words])
    }

    @Test func `a source that asks for a token when there is no time left finishes, too`() async throws {
        let order = TokenOrder(
            key: "a", request: { _ in .failure(PollFailure(.refused, "no key")) },
            read: { _, _ in .failure(PollFailure(.refused, "")) })
        let source = TalkingSource { _ in
            .fetch(HTTPRequest(.get, "https://ios.example/")) { _ in
                .authorize(order) { given in
                    guard case .failure(let failure) = given else { return .finish(PollReport(.noData)) }
                    return .finish(PollReport(.noData, warnings: [failure.description]))
                }
            }
        }
        let answer = try await poll(source, try self.order()) { [clock] _, _ throws(TransportError) in
            clock.advance(by: .minutes(2))
            return .says("late")
        }
        #expect(answer.report.warnings == [PollerTests.tooLate])
    }

    private static func again() -> PollStep { .fetch(HTTPRequest(.get, "https://ios.example/")) { _ in again() } }

    @Test func `all requests of a poll share one deadline`() async throws {
        let timeouts = Mutex<[Duration]>([])
        let source = TalkingSource { _ in PollerTests.again() }
        let answer = try await poll(source, try order()) { [clock] _, timeout throws(TransportError) in
            timeouts.withLock { $0.append(timeout) }
            clock.advance(by: .seconds(15))
            return .says("more")
        }
        #expect(try failure(answer.report).reason == .timeout)
        #expect(try failure(answer.report).description == PollerTests.tooLate)
        // Six whole ones of 15 s leave 10 s for the seventh.
        #expect(timeouts.withLock { $0 } == Array(repeating: .seconds(20), count: 6) + [.seconds(10)])
    }

    @Test func `a request that fails is the source's to judge`() async throws {
        let answer = try await poll(LookSource("ios"), try order()) { _, _ throws(TransportError) in
            throw TransportError(.timeout, mayHaveArrived: true, "no answer within 20 s")
        }
        #expect(try failure(answer.report) == PollFailure(.timeout, "no answer within 20 s"))
    }

    @Test func `files are read through their port`() async throws {
        let source = TalkingSource { _ in
            .read(FileRequest(path: "/data/seen.jsonl", bytesMax: 100)) { result in
                guard case .failed(let sentence) = result else { return .finish(PollReport(.noData)) }
                return .fail(PollFailure(.unreadable, sentence))
            }
        }
        let answer = try await poll(source, try order()) { _, _ throws(TransportError) in .says("") }
        #expect(try failure(answer.report).description == "there is no /data/seen.jsonl")
    }

    @Test func `a wait counts from the answer, not from the begin of the poll`() async throws {
        let retryAt = clock.now() + .minutes(3)
        let slow = TalkingSource { _ in
            .fetch(HTTPRequest(.get, "https://example.com")) { _ in
                .fail(PollFailure(.rateLimited, "slow down", retryAt: retryAt))
            }
        }
        let answer = try await poll(slow, try order()) { [clock] _, _ throws(TransportError) in
            clock.advance(by: .seconds(7))
            return .says("")
        }
        // A millisecond more makes up for the parts that moments cut.
        #expect(try failure(answer.report).retryAt == retryAt + .milliseconds(7001))
    }

    @Test func `the last answer of a limit keeps the source waiting, whatever it says`() async throws {
        let reset = clock.now() + .seconds(90)
        let answer = try await poll(LookSource("ios"), try order()) { _, _ throws(TransportError) in
            HTTPResponse(
                status: 200, headers: [("RateLimit-Remaining", "0"), ("RateLimit-Reset", "90")], body: Array("w".utf8))
        }
        #expect(answer.report.wait == reset + .milliseconds(1))
        #expect(answer.report.limit == answer.report.wait, "nobody else of the account asks before, either")
        guard case .values = answer.report.outcome else {
            Issue.record("its figures count: \(answer.report.outcome)")
            return
        }
    }

    @Test func `secrets in failures and warnings are masked`() async throws {
        let secrets = [Secret("s3cr3t-token"), Secret("s3cr3t")]
        let failing = TalkingSource { _ in
            .fail(PollFailure(.refused, "token s3cr3t-token and s3cr3t"))
        }
        let failed = try await poll(failing, try order(), secrets: secrets) { _, _ throws(TransportError) in .says("") }
        let told = try failure(failed.report)
        #expect(told.reason == .refused && told.description == "token *** and ***")
        let warning = TalkingSource { _ in .finish(PollReport(.noData, warnings: ["half of s3cr3t-token"])) }
        let warned = try await poll(warning, try order(), secrets: secrets) { _, _ throws(TransportError) in .says("") }
        #expect(warned.report.warnings == ["half of ***"])
    }

    @Test(arguments: [
        #"{"message":"invalid token kJ8\/aZ\u002BqLm9Pw2xR7t=="}"#, "<title>No kJ8&#47;aZ+qLm9Pw2xR7t&#61;=</title>",
    ])
    func `a secret that comes back with escapes is masked`(body: String) async throws {
        let source = TalkingSource { poll in
            .fetch(HTTPRequest(.get, "https://s.example")) { result in
                guard case .answered(let answer) = result, let failure = PollFailure(answer, now: poll.now) else {
                    return .finish(PollReport(.noData))
                }
                return .fail(failure)
            }
        }
        let secrets = [Secret("kJ8/aZ+qLm9Pw2xR7t==")]
        let failed = try await poll(source, try order(), secrets: secrets) { _, _ throws(TransportError) in
            .says(body, status: 401)
        }
        let sentence = try failure(failed.report).description
        #expect(sentence.contains("***") && !sentence.contains("Pw2xR7t"), "\(sentence)")
    }

    @Test(arguments: [
        HTTPRequest(
            .get, "https://s.example", headers: [.init("Authorization", "Basic \(Secret("dXM6U0VLUklUcHc1"))")]),
        HTTPRequest(.get, "https://us:\(Secret("SEKRITpw5"))@s.example"),
    ])
    func `a login that comes back in base64 is masked`(request: HTTPRequest) async throws {
        let source = TalkingSource { poll in
            .fetch(request) { result in
                guard case .answered(let answer) = result, let failure = PollFailure(answer, now: poll.now) else {
                    return .finish(PollReport(.noData))
                }
                return .fail(failure)
            }
        }
        let failed = try await poll(source, try order(), secrets: [Secret("SEKRITpw5")]) {
            _, _ throws(TransportError) in
            .says("Bad request: Authorization: Basic dXM6U0VLUklUcHc1", status: 400)
        }
        let sentence = try failure(failed.report).description
        #expect(sentence.contains("Basic ***") && !sentence.contains("dXM6"), "\(sentence)")
    }

    @Test func `a secret in the title of an issue is masked, a link with one left out, and names are as they were`()
        async throws
    {
        let secrets = [Secret("a-token-of-24-characters"), Secret("acme-shop")]
        func observation(_ title: String, url: String?) -> Observation {
            Observation(
                subject: Subject(source: "ios", app: "acme-shop"),
                span: TimeSpan(lasting: .hours(1), until: clock.now()), seen: clock.now(), metrics: ["users": 1],
                issues: [
                    Issue(id: "1", title: title, url: "https://acme-shop.example/1"),
                    Issue(id: "2", title: "b", url: url),
                ])
        }
        let said = observation(
            "acme-shop: GET /hooks/a-token-of-24-characters failed",
            url: "https://acme-shop.example/2?key=a-token-of-24-characters")
        let source = TalkingSource { _ in .finish(PollReport(.values([said]))) }
        let seen = try await poll(source, try order(), secrets: secrets) { _, _ throws(TransportError) in .says("") }
        #expect(seen.report.outcome == .values([observation("acme-shop: GET /hooks/*** failed", url: nil)]))
    }

    @Test func `a credential that comes back as a name is masked, and a word of another header is not`() async throws {
        let (token, word) = (Secret("a-token-of-24-characters"), Secret("acme-shop-for-android"))
        let request = HTTPRequest(
            .get, "https://s.example",
            headers: [.init("Authorization", "Bearer \(token)"), .init("X-Project", "\(word)")])
        func observation(_ name: String) -> Observation {
            Observation(
                subject: Subject(source: "ios", app: "Bearer \(name)", release: "5.2 \(name)", environment: name),
                span: TimeSpan(lasting: .hours(1), until: clock.now()), seen: clock.now(), metrics: ["users": 1],
                issues: [Issue(id: name, title: "a crash", release: name, status: "by \(name)")],
                labels: ["owner": name, "project": word.reveal()])
        }
        let said = observation(token.reveal())
        let source = TalkingSource { _ in .fetch(request) { _ in .finish(PollReport(.values([said]))) } }
        let seen = try await poll(source, try order()) { _, _ throws(TransportError) in .says("") }
        #expect(seen.report.outcome == .values([observation("***")]))
    }

    @Test(arguments: [
        ("X-App-Key", "com.acme.shop.android", false), ("X-Project-Key", "acme-shop-android-2026", false),
        ("X-Api-Key", "com.acme.shop.android2", false), ("Api-Key", "acme-shop-for-android", false),
        ("X-Api-Key", "0123456789abcdef", true), ("X_API_KEY", "ShopKeyWithoutDigits", true),
        ("X-Auth", "0123456789abcdef", true), ("X-Pwd", "0123456789abcdef", true),
        ("X-Author", "acme-shop-2026-android", false),
        ("X-Access-Token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", true),
        ("Cookie", "session=0123456789abcdef", true),
    ])
    func `an app's name stays, though a header says it`(header: String, value: String, isMasked: Bool) async throws {
        let request = HTTPRequest(
            .get, "https://s.example", headers: [.init(header, GuardedText(Secret(value)))])
        let said = Observation(
            subject: Subject(source: "ios", app: value), span: TimeSpan(lasting: .hours(1), until: clock.now()),
            seen: clock.now(), metrics: ["users": 1])
        let source = TalkingSource { _ in .fetch(request) { _ in .finish(PollReport(.values([said]))) } }
        let seen = try await poll(source, try order()) { _, _ throws(TransportError) in .says("") }
        guard case .values(let observations) = seen.report.outcome else {
            Issue.record("there are no figures")
            return
        }
        #expect(observations.map(\.subject.app) == [isMasked ? "***" : value])
    }

    @Test(
        arguments: [
            ("https://s.example/x?key=\(secretKey)&b=x", "GET /x?key=0123456789abcdefGH&b=x", "GET /x?key=***&b=x"),
            ("https://s.example/x?a=b&api_token=\(secretKey)", "0123456789abcdefGH", "***"),
            ("https://s.example/\(secretKey)/stats", "/0123456789abcdefGH/", "/***/"),
            ("https://s.example/x?project=\(secretKey)", "0123456789abcdefGH", "0123456789abcdefGH"),
            ("https://s.example/x?key=\(secretWord)", "acme-shop-for-android", "acme-shop-for-android"),
            ("\(secretAddress)", "0123456789abcdefGH", "***"),
            (
                "\(secretAddress)", "GET /echo/all?key=0123456789abcdefGH&app=ShopForAndroid2026 HTTP/1.1",
                "GET *** HTTP/1.1"
            ),
            ("\(secretAddress)", "ShopForAndroid2026", "ShopForAndroid2026"),
        ] as [(GuardedText, String, String)])
    func `a credential of an address that comes back as a name is masked, and what names the app is not`(
        address: GuardedText, name: String, seen: String
    ) async throws {
        let said = Observation(
            subject: Subject(source: "ios", app: name), span: TimeSpan(lasting: .hours(1), until: clock.now()),
            seen: clock.now(), metrics: ["users": 1])
        let source = TalkingSource { _ in
            .fetch(HTTPRequest(.get, address)) { _ in .finish(PollReport(.values([said]))) }
        }
        let polled = try await poll(source, try order()) { _, _ throws(TransportError) in .says("") }
        guard case .values(let observations) = polled.report.outcome else {
            Issue.record("there are no figures")
            return
        }
        #expect(observations.map(\.subject.app) == [seen])
    }

    @Test func `a source hears that an answer as before is to be taken in, and no request is conditional then`()
        async throws
    {
        var rehearsal = Rehearsal(plan, at: clock.now())
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        rehearsal.step(
            .polled(
                source: "ios", PollReport(.noData, cursor: "told"),
                validators: ["a": SourceRecord.Validator(etag: "b", lastModified: nil)]))
        var state = rehearsal.state
        #expect(!plan.previewOrder(for: plan.sources[0], state).isAnew)
        #expect(!state.forgetAnswers().isEmpty)
        let heard = Mutex<[Bool]>([])
        let source = TalkingSource { poll in
            heard.withLock { $0.append(poll.isAnew) }
            return .finish(PollReport(.noData))
        }
        _ = try await poll(source, plan.previewOrder(for: plan.sources[0], state)) { _, _ throws(TransportError) in
            .says("")
        }
        #expect(heard.withLock { $0 } == [true])
        let started = Core(plan: plan).step(&state, .started, at: clock.now() + .hours(1))
        let orders = started.effects.compactMap { if case .poll(let order) = $0 { order } else { nil } }
        try #require(orders.count == 1)
        #expect(orders[0].isAnew && orders[0].validators.isEmpty && orders[0].cursor == "told")
    }

    @Test func `a poll that fails on purpose asks nobody`() async throws {
        let answer = try await poll(
            LookSource("ios"), try order(), faults: Faults(rate: 1, seed: 42)
        ) { _, _ throws(TransportError) in .says("w") }
        #expect(try failure(answer.report).description.contains("on purpose"))
        #expect(stage.asked.isEmpty)
    }
}
