internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Preview
internal import Testing

/// A channel that posts to an address with a secret in it, or posts nothing.
private struct FakeChannel: Channel {
    static let manifest = PluginManifest(name: "fake", summary: "Posts.", options: [])

    let posts: Bool

    init(posts: Bool) { self.posts = posts }
    init(options: Options, context: ChannelContext) throws(ProblemList) { self.init(posts: true) }

    var pace: Pace { .unlimited }
    var isIdempotent: Bool { true }

    func post(_ posting: Posting) -> ChannelAction {
        guard posts else { return .keep }
        return .request(
            HTTPRequest(
                .post, "https://hooks.example/\(Secret("s3cr3t"))", headers: [.init("X-Delivery", "\(posting.id)")],
                body: .json(["at": JSON(posting.at), "thread": JSON(posting.thread)])))
    }

    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}

@Suite struct PreviewReportTests {
    private let start = Moment.utc("2026-11-20 12:00")
    private let channels: [String: any Channel] = [
        "team": FakeChannel(posts: true), "page": FakeChannel(posts: false),
    ]

    /// A warning that one channel hears at once, one keeps to itself and one is not told before the night is over.
    private func preview() -> Preview {
        let quiet = GatePlan.quiet(
            from: "2026-11-20 11:00", until: "2026-11-20 13:00", match: .on(["app": "sleepy"]))
        let plan = Plan.rehearsed(
            gates: [quiet], channels: [ChannelPlan(name: "team"), ChannelPlan(name: "page")])
        var preview = Preview(plan: plan, state: State(), start: start)
        preview.feed(
            [
                .observed(.cue(.warning, at: start)),
                .observed(.cue(.critical, of: Subject(source: "ios", app: "sleepy"), at: start)),
            ], at: start)
        return preview
    }

    private func members(_ json: JSON) throws -> [String] {
        try JSONReader(json).members().map { $0.0 }
    }

    @Test func `the report has the promised members in the promised order`() throws {
        let json = PreviewReport(preview(), channels: channels).json
        #expect(try members(json) == ["now", "incidents", "notifications", "summary", "rules", "unrouted"])
        #expect(json["now"] == "2026-11-20T12:00:00Z")
        #expect(json["summary"]?.text == #"{"sent":2,"held":2,"dropped":0}"#)
        #expect(
            json["rules"]?.text == #"[{"rule":"look","judged":2,"firing":2,"unknown":[]}]"#,
            "what each rule could judge")
        #expect(json["unrouted"] == 0)
        let reader = JSONReader(json)
        let notifications = try reader.member("notifications").elements()
        #expect(notifications.count == 4)
        for notification in notifications {
            #expect(
                try members(notification.value) == [
                    "at", "incident", "kind", "severity", "channel", "decision", "reason", "until", "text", "request",
                ])
        }
        let incidents = try reader.member("incidents").elements()
        #expect(incidents.count == 2)
        for incident in incidents {
            let names = try members(incident.value)
            let promised = ["id", "rule", "source", "app", "severity", "state", "since", "evidence"]
            #expect(names.filter(promised.contains) == promised)
        }
    }

    @Test func `a request is shown only of what is sent and posted`() throws {
        let report = PreviewReport(preview(), channels: channels)
        let notifications = try JSONReader(report.json).member("notifications").elements().map(\.value)
        let shown = notifications.map { notification in
            let isShown = notification["request"] != .null
            return "\(notification["channel"]?.text ?? "") \(notification["decision"]?.text ?? "") \(isShown)"
        }
        #expect(
            Set(shown) == [
                #""team" "send" true"#, #""page" "send" false"#, #""team" "hold" false"#, #""page" "hold" false"#,
            ])
        for notification in notifications {
            let until: JSON = notification["decision"] == "hold" ? "2026-11-20T13:00:00Z" : .null
            #expect(notification["until"] == until)
        }
        #expect(!report.json.text.contains("s3cr3t"))
        let request = try #require(notifications.first { $0["request"] != .null }?["request"])
        #expect(try members(request) == ["method", "url", "headers", "body"])
        #expect(request["url"] == "https://hooks.example/***")
        #expect(request["body"]?.text == #"{"at":"2026-11-20T12:00:00Z","thread":null}"#)
    }

    @Test func `what follows a message that was posted is shown in its thread`() throws {
        let plan = Plan.rehearsed()
        var bot = Rehearsal(plan)
        bot.sendAnswer = { _, _ in (.delivered(receipt: "r-1"), .zero) }
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count == 1)
        var preview = Preview(plan: plan, state: bot.state, start: bot.now)
        preview.feed([.observed(.cue(.critical, at: bot.now))], at: bot.now)
        let notifications = PreviewReport(preview, channels: channels).json["notifications"]?.array
        #expect(notifications?.map { $0["kind"] } == ["escalated"])
        #expect(notifications?.first?["request"]?["body"]?["thread"] == "r-1")
    }

    @Test func `what waited for its channel before the preview is shown as what is sent`() throws {
        let plan = Plan.rehearsed(channels: ["team", "page"].map { ChannelPlan(name: $0) })
        var bot = Rehearsal(plan)
        bot.sendAnswer = { delivery, _ in
            (.retry(after: delivery.channel == "page" ? .minutes(30) : nil, "HTTP 503"), .zero)
        }
        bot.see(.warning)
        bot.advance(by: .seconds(1))
        let state = try bot.stateFromSnapshot()
        var preview = Preview(plan: plan, state: state, start: bot.now + .minutes(10))
        preview.advance(to: bot.now + .minutes(10))
        #expect(preview.queuedBefore.allSatisfy { $0.sent == nil }, "what their source answers may be the end")
        preview.expectNoMoreAnswers()
        let report = PreviewReport(preview, channels: channels)
        #expect(report.decisions.isEmpty)
        #expect(report.summary == "0 sent, 0 held, 0 dropped, 2 waiting from before")
        let queued = try #require(report.json["queued_before"]?.array)
        #expect(queued.map { $0["channel"] } == ["team", "page"])
        #expect(
            try members(queued[0]) == ["incident", "kind", "channel", "queued", "at", "until", "text", "request"])
        #expect(queued.map { $0["at"] == .null } == [false, true])
        #expect(queued.map { $0["until"] == .null } == [true, false])
        #expect(queued[0]["request"]?["url"] == "https://hooks.example/***")
        #expect(queued[0]["text"]?.string?.isEmpty == false)
        #expect(PreviewReport(preview, channels: channels, only: "page").json["queued_before"]?.array?.count == 1)
        // What is over before it could leave is waited for no more.
        preview.feed([.observed(.cue(.fine, at: preview.now))], at: preview.now)
        #expect(PreviewReport(preview, channels: channels, only: "page").json["queued_before"] == nil)
    }

    @Test func `what a paused channel gets later is not shown as sent now`() throws {
        let plan = Plan.rehearsed(channels: [ChannelPlan(name: "team")])
        var bot = Rehearsal(plan)
        bot.sendAnswer = { _, _ in (.retry(after: .hours(1), "HTTP 429"), .zero) }
        bot.see(.warning)
        bot.advance(by: .seconds(1))
        var preview = Preview(plan: plan, state: bot.state, start: bot.now)
        preview.feed([.observed(.cue(.warning, of: Subject(source: "ios", app: "b"), at: bot.now))], at: bot.now)
        let report = PreviewReport(preview, channels: channels)
        #expect(report.summary == "1 sent (1 not delivered by then), 0 held, 0 dropped, 1 waiting from before")
        let notification = try #require(report.json["notifications"]?.array?.first)
        #expect(notification["decision"] == "send")
        #expect(notification["delivery"]?["outcome"] == "waiting")
        #expect(notification["delivery"]?["next_attempt"] == "2026-11-20T13:00:00Z")
        let trial = report.decisions.first.flatMap { report.trial($0) }
        #expect(trial?.sentence(in: .utc)?.hasPrefix("waits for the channel until ") == true)
    }

    @Test func `a channel alone is shown with what concerns it`() {
        let report = PreviewReport(preview(), channels: channels, only: "page")
        #expect(report.decisions.map(\.channel) == ["page", "page"])
        #expect((report.count("send"), report.count("hold")) == (1, 1))
    }

    @Test func `every secret of a request is masked, wherever it stands`() {
        let secret = Secret("s3cr3t")
        let bodies: [(HTTPRequest.Body?, String)] = [
            (nil, "null"),
            (.text("a \(secret) b", contentType: "text/plain"), #""a *** b""#),
            (.form([.init("token", "\(secret)"), .init("text", "hello")]), #"{"token":"***","text":"hello"}"#),
            (.json(["text": "hello"]), #"{"text":"hello"}"#),
        ]
        for (body, shown) in bodies {
            let request = HTTPRequest(
                .put, "https://\(secret).example/x?t=\(secret)", headers: [.init("Authorization", "Bearer \(secret)")],
                body: body,
                signature: .standardWebhooks(id: "d-1", timestamp: start, secret: GuardedText(secret)))
            let json = request.shownJSON
            #expect(!json.text.contains("s3cr3t"))
            #expect(json["method"] == "PUT")
            #expect(json["url"] == "https://***.example/x?t=***")
            #expect(json["headers"]?["Authorization"] == "Bearer ***")
            #expect(json["headers"]?["webhook-id"] == "d-1")
            #expect(json["headers"]?["webhook-timestamp"] == .string(String(start.unixSeconds)))
            #expect(json["headers"]?["webhook-signature"] == "v1,***")
            #expect(json["body"]?.text == shown)
        }
    }

    @Test func `the content type is shown unless a header says another`() {
        let plain = HTTPRequest(.post, "https://h.example", body: .json([:]))
        #expect(plain.shownJSON["headers"]?["Content-Type"] == "application/json; charset=utf-8")
        let own = HTTPRequest(
            .post, "https://h.example", headers: [.init("Content-Type", "application/x-own")], body: .json([:]))
        #expect(own.shownJSON["headers"]?["Content-Type"] == "application/x-own")
        #expect(HTTPRequest(.get, "https://h.example").shownJSON["headers"]?.text == "{}")
    }
}
