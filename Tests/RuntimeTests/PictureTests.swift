internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Synchronization
internal import Testing

@testable internal import Runtime

/// A channel whose pictures follow their messages, in as many steps as it is told.
private struct PictureChannel: Channel {
    static let manifest = PluginManifest(name: "picture", summary: "For tests.", options: [])
    var steps = 2
    var asks = false
    var pace: Pace { .unlimited }
    var isIdempotent: Bool { false }
    var hasCharts: Bool { true }

    init(options: Options, context: ChannelContext) {}
    init(steps: Int = 2, asks: Bool = false) {
        self.steps = steps
        self.asks = asks
    }

    private func request(_ name: String) -> HTTPRequest { HTTPRequest(.post, GuardedText("https://a.example/\(name)")) }

    var inquiry: HTTPRequest? { asks ? request("ask") : nil }
    func refusal(from answer: HTTPResponse) -> String? { answer.excerpt() == "no" ? "it may not" : nil }
    func post(_ posting: Posting) -> ChannelAction {
        .request(request(posting.image == nil ? "words" : "words-and-picture"))
    }
    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let answer): DeliveryOutcome(answer, at: now)
        case .failed(let error): DeliveryOutcome(error)
        }
    }
    func attach(
        _ image: ChartImage, to posting: Posting, receipt: String?, after answers: [HTTPResponse]
    ) -> ImageStep { answers.count < steps ? .request(request("step-\(answers.count)")) : .done }
}

private struct FakePainter: Painter {
    var trouble: String?
    var language = Words.Language.english
    func image(of chart: Chart, in zone: Zone, words: Words) throws(PaintTrouble) -> ChartImage {
        if let trouble { throw PaintTrouble(trouble) }
        guard words.language == language else { throw PaintTrouble("it is in another language") }
        return ChartImage(bytes: [1], width: 1, height: 1, words: chart.words)
    }
}

@Suite struct `Pictures of messages` {
    private let stage = Stage()
    private let clock: ManualClock

    init() { clock = ManualClock(stage) }

    private func delivery(charted: Bool = true, isPlain: Bool = false) -> Delivery {
        var message = Message(kind: .opened, severity: .warning, at: clock.now(), headline: "It crashes")
        if charted {
            message.chart = Chart(title: "t", values: [1, 2], from: clock.now(), isRate: false, words: "w")
        }
        var delivery = Delivery(
            id: "d-1", channel: "team", number: 1, kind: .opened, incident: "i-1", message: message,
            queued: clock.now())
        delivery.progress.attempts = 1
        delivery.progress.isPlain = isPlain
        return delivery
    }

    private func courier(
        _ painter: FakePainter? = FakePainter(), _ inquiries: Inquiries = Inquiries(),
        desk: PictureDesk = PictureDesk(),
        _ answer: @escaping ScriptedWeb.Answer = { _, _ throws(TransportError) in .says("ok") }
    ) -> Courier {
        var ports = Ports.staged(stage, clock, answer)
        ports.painter = painter
        return Courier(
            ports: ports, redactor: Redactor([Secret("s3cr3t")]), zone: .utc, inquiries: inquiries, pictures: desk)
    }

    private var asked: [String] { stage.asked.map { String($0.dropFirst("https://a.example/".count)) } }

    @Test func `a picture is made for the message, and what must follow it follows when it has arrived`() async throws {
        let courier = courier()
        let attempt = await courier.attempt(delivery(), PictureChannel())
        #expect(attempt.outcome == .delivered(receipt: nil))
        #expect(asked == ["words-and-picture"])
        #expect(await courier.send(try #require(attempt.picture)) == nil)
        #expect(asked == ["words-and-picture", "step-0", "step-1"])
    }

    @Test func `a message that did not arrive gets no picture`() async {
        for status in [500, 400, 404] {
            let attempt = await courier { _, _ throws(TransportError) in .says("", status: status) }
                .attempt(delivery(), PictureChannel())
            #expect(attempt.picture == nil)
        }
    }

    @Test func `without a chart, in its plain form, or without a painter, a message has no picture`() async {
        for (delivery, painter) in [
            (delivery(charted: false), FakePainter()), (delivery(isPlain: true), FakePainter()), (delivery(), nil),
        ] {
            #expect(await courier(painter).attempt(delivery, PictureChannel()).picture == nil)
        }
        #expect(asked == ["words", "words", "words"])
    }

    @Test func `a picture is in the language of its message`() async {
        var delivery = delivery()
        delivery.message.words = .spanish
        let attempt = await courier(FakePainter(language: .spanish)).attempt(delivery, PictureChannel())
        #expect(attempt.picture != nil)
        #expect(stage.logged == [])
    }

    @Test func `where a picture cannot be made, the message goes without, and the log says why`() async {
        let attempt = await courier(FakePainter(trouble: "there is no library")).attempt(delivery(), PictureChannel())
        #expect(attempt.outcome == .delivered(receipt: nil))
        #expect(attempt.picture == nil)
        #expect(asked == ["words"])
        #expect(stage.logged == ["channel team: sending a message without its chart: there is no library"])
    }

    @Test func `a picture that is refused is left out, and the log says why, without secrets`() async throws {
        let courier = courier { request, _ throws(TransportError) in
            request.url.reveal().hasSuffix("step-1") ? .says("no s3cr3t", status: 403) : .says("ok")
        }
        let attempt = await courier.attempt(delivery(), PictureChannel())
        #expect(attempt.outcome == .delivered(receipt: nil))
        #expect(await courier.send(try #require(attempt.picture)) == "answered 403: no ***")
        #expect(asked == ["words-and-picture", "step-0", "step-1"])
        #expect(stage.logged == ["channel team: the chart of a message did not arrive: answered 403: no ***"])
    }

    /// Asks to come back for as often as told, and takes the picture then.
    private func busy(_ times: Int, status: Int = 429, wait: String? = "20") -> ScriptedWeb.Answer {
        let left = Mutex(times)
        return { request, _ throws(TransportError) in
            let isBusy =
                request.url.reveal().hasSuffix("step-1")
                && left.withLock { left in
                    left -= 1
                    return left >= 0
                }
            guard isBusy else { return .says("ok") }
            return HTTPResponse(status: status, headers: wait.map { [("Retry-After", $0)] } ?? [])
        }
    }

    /// Sends a picture with the clock moved on as soon as anybody waits, by so much each time.
    private func send(
        _ courier: Courier, by step: Duration, times: Int, _ desk: PictureDesk
    ) async throws -> String? {
        let picture = try #require(await courier.attempt(delivery(), PictureChannel()).picture)
        async let sent = courier.send(picture)
        for _ in 0..<times {
            while clock.sleepersCount == 0 { await Task.yield() }
            clock.advance(by: step)
        }
        return await sent
    }

    @Test(arguments: [429, 503]) func `a picture comes back when its service asks for that, and its message does not`(
        status: Int
    ) async throws {
        let desk = PictureDesk()
        let courier = courier(desk: desk, busy(2, status: status))
        #expect(try await send(courier, by: .seconds(20), times: 2, desk) == nil)
        #expect(asked == ["words-and-picture", "step-0", "step-1", "step-1", "step-1"])
        #expect(desk.missing.isEmpty && stage.logged.isEmpty)
    }

    @Test func `it waits as told, and not less`() async throws {
        let courier = courier(desk: PictureDesk(), busy(1))
        let picture = try #require(await courier.attempt(delivery(), PictureChannel()).picture)
        async let sent = courier.send(picture)
        while clock.sleepersCount == 0 { await Task.yield() }
        clock.advance(by: .milliseconds(19_999))
        for _ in 0..<100 { await Task.yield() }
        #expect(asked.count == 3 && clock.sleepersCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await sent == nil)
        #expect(asked.count == 4)
    }

    @Test func `a picture does not come back for ever, and what is missing can be asked for`() async throws {
        let desk = PictureDesk()
        let courier = courier(desk: desk, busy(100, wait: nil))
        #expect(try await send(courier, by: .seconds(5), times: 3, desk) == "answered 429: ")
        #expect(asked.count { $0 == "step-1" } == 4)
        let missing = try #require(desk.missing["team"])
        #expect(missing.count == 1 && missing.why == "answered 429: " && missing.at == clock.now())
        // The next that arrives makes an end of it.
        #expect(
            await self.courier(desk: desk).send(
                try #require(await self.courier(desk: desk).attempt(delivery(), PictureChannel()).picture)) == nil)
        #expect(desk.missing.isEmpty)
    }

    @Test(arguments: ["301", "86400"]) func `a picture does not wait for longer than anybody looks for it`(
        wait: String
    ) async throws {
        let courier = courier(desk: PictureDesk(), busy(1, wait: wait))
        let trouble = await courier.send(try #require(await courier.attempt(delivery(), PictureChannel()).picture))
        #expect(trouble?.contains("longer than the bot waits for a chart") == true)
        #expect(clock.sleepersCount == 0)
    }

    @Test func `few pictures of a channel wait at once`() {
        let desk = PictureDesk()
        let places = (0..<20).count { _ in desk.beginWait("team") }
        #expect(places == PictureDesk.waitingMax)
        #expect(desk.beginWait("other"))
        desk.endWait("team")
        #expect(desk.beginWait("team"))
        #expect(!desk.beginWait("team"))
    }

    @Test func `a way without an end is left`() async throws {
        let courier = courier()
        let attempt = await courier.attempt(delivery(), PictureChannel(steps: 1000))
        #expect(await courier.send(try #require(attempt.picture)) == "it takes more than 4 requests")
        #expect(stage.asked.count == 5)
    }

    @Test func `a service is asked once whether it may be posted to, and its no is a failed delivery`() async {
        let inquiries = Inquiries()
        let courier = courier(nil, inquiries)
        for _ in 0..<3 { _ = await courier.attempt(delivery(), PictureChannel(asks: true)) }
        #expect(asked == ["ask", "words", "words", "words"])
        let refused = await self.courier(nil) { _, _ throws(TransportError) in .says("no") }
            .attempt(delivery(), PictureChannel(asks: true))
        #expect(refused.outcome == .refusedChannel("it may not"))
        #expect(asked.suffix(1) == ["ask"])
    }

    @Test func `who cannot be asked is sent the message, and asked again with the next`() async {
        let courier = courier(nil) { request, _ throws(TransportError) in
            if request.url.reveal().hasSuffix("ask") {
                throw TransportError(.timeout, mayHaveArrived: true, "no answer")
            }
            return .says("ok")
        }
        for _ in 0..<2 {
            #expect(await courier.attempt(delivery(), PictureChannel(asks: true)).outcome == .delivered(receipt: nil))
        }
        #expect(asked == ["ask", "words", "ask", "words"])
    }
}
