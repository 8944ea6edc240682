internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Runtime
internal import Synchronization
internal import Testing

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
    func image(of chart: Chart, in zone: Zone) throws(PaintTrouble) -> ChartImage {
        if let trouble { throw PaintTrouble(trouble) }
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
        return Delivery(
            id: "d-1", channel: "team", number: 1, kind: .opened, incident: "i-1", message: message,
            queued: clock.now(), attempts: 1, isPlain: isPlain)
    }

    private func courier(
        _ painter: FakePainter? = FakePainter(), _ inquiries: Inquiries = Inquiries(),
        _ answer: @escaping ScriptedWeb.Answer = { _, _ throws(TransportError) in .says("ok") }
    ) -> Courier {
        var ports = Ports.staged(stage, clock, answer)
        ports.painter = painter
        return Courier(ports: ports, redactor: Redactor([Secret("s3cr3t")]), zone: .utc, inquiries: inquiries)
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

    @Test func `where a picture cannot be made, the message goes without, and the log says why`() async {
        let attempt = await courier(FakePainter(trouble: "there is no library")).attempt(delivery(), PictureChannel())
        #expect(attempt.outcome == .delivered(receipt: nil))
        #expect(attempt.picture == nil)
        #expect(asked == ["words"])
        #expect(stage.logged == ["channel team: a message goes without its chart: there is no library"])
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
