internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Runtime
internal import Synchronization
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct CourierTests {
    private let stage = Stage()
    private let clock: ManualClock

    init() { clock = ManualClock(stage) }

    private func attempt(
        _ channel: HookChannel = HookChannel(), secrets: [Secret] = [], faults: Faults? = nil,
        possiblyRepeated: Bool = false, isPlain: Bool = false, thread: String? = nil, isThreadOwn: Bool = true,
        edits: [SendOrder.Edit] = [], printing: Printing = .done, _ answer: @escaping ScriptedWeb.Answer
    ) async -> DeliveryOutcome {
        var ports = Ports.staged(stage, clock, answer)
        ports.host = FakeHost(stage: stage, printing: printing)
        ports.faults = faults
        let message = Message(kind: .opened, severity: .warning, at: clock.now(), headline: "It crashes")
        var delivery = Delivery(
            id: "d-1", channel: "team", number: 1, kind: .opened, incident: "i-1", message: message,
            queued: clock.now())
        delivery.progress.attempts = 1
        delivery.progress.possiblyRepeated = possiblyRepeated
        delivery.progress.isPlain = isPlain
        return await Courier(ports: ports, redactor: Redactor(secrets)).attempt(
            delivery, channel, thread: thread, isThreadOwn: isThreadOwn, edits: edits
        ).outcome
    }

    @Test(arguments: [
        (HTTPResponse.says("ok"), DeliveryOutcome.delivered(receipt: nil)),
        (.says("later", status: 429, [("Retry-After", "30")]), .retry(after: .seconds(30), "answered 429: later")),
        (.says("", status: 500), .retry(after: nil, "answered 500")),
        (.says("too long", status: 413), .refusedBody("answered 413: too long")),
        (.says("gone", status: 410), .refusedChannel("answered 410: gone")),
    ])
    func `the channel says what an answer means`(response: HTTPResponse, outcome: DeliveryOutcome) async {
        let result = await attempt { _, timeout throws(TransportError) in
            #expect(timeout == Courier.attemptTimeout)
            return response
        }
        #expect(result == outcome)
        #expect(stage.asked == [HookChannel.address + "d-1"])
    }

    @Test(arguments: [
        ("Cannot POST /services/T0A/B0B/key-abc-123?sig=a-long-signature-of-it#x", "Cannot POST ***"),
        ("no service at /services/T0A/B0B/key-abc-123", "no service at ***"),
        ("unknown signature 'a-long-signature-of-it'", "unknown signature '***'"),
        ("services are up", "services are up"),
    ])
    func `what of a secret address would do to use it is masked as well`(said: String, masked: String) async {
        let secret = Secret("https://chat.example.com/services/T0A/B0B/key-abc-123?sig=a-long-signature-of-it")
        let outcome = await attempt(secrets: [secret]) { _, _ throws(TransportError) in .says(said, status: 410) }
        guard case .refusedChannel(let sentence) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(sentence.hasPrefix("answered 410: \(masked)"), "\(sentence)")
        #expect(!sentence.contains("key-abc-123") && !sentence.contains("a-long-signature"))
    }

    @Test(arguments: [
        (true, DeliveryOutcome.unknown("no answer")), (false, .retry(after: nil, "no answer")),
    ])
    func `without an answer it matters whether the request may have arrived`(
        mayHaveArrived: Bool, outcome: DeliveryOutcome
    ) async {
        let result = await attempt { _, _ throws(TransportError) in
            throw TransportError(.timeout, mayHaveArrived: mayHaveArrived, "no answer")
        }
        #expect(result == outcome)
    }

    @Test(arguments: [429, 413, 410]) func `secrets that a service sends back are masked`(status: Int) async throws {
        let outcome = await attempt(secrets: [Secret("s3cr3t")]) { _, _ throws(TransportError) in
            .says("no room s3cr3t here", status: status)
        }
        #expect(!"\(outcome)".contains("s3cr3t"))
        #expect("\(outcome)".contains("no room *** here"))
    }

    @Test func `a login that comes back in base64 is masked`() async {
        let login: HTTPRequest.Header = .init("Authorization", "Basic \(Secret("dXM6U0VLUklUcHc1"))")
        for request in [
            HTTPRequest(.post, "https://chat.example", headers: [login]),
            HTTPRequest(.post, "https://us:SEKRITpw5@chat.example"),
        ] {
            let outcome = await attempt(HookChannel { _ in .request(request) }) { _, _ throws(TransportError) in
                .says("Authorization: Basic dXM6U0VLUklUcHc1", status: 413)
            }
            #expect(outcome == .refusedBody("answered 413: Authorization: Basic ***"))
        }
    }

    @Test func `half a secret that is left of a long answer is masked, too`() async {
        let token = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        for length in 20..<140 {
            let outcome = await attempt(secrets: [Secret(token)]) { _, _ throws(TransportError) in
                .says(String(repeating: "w ", count: length / 2) + token + " was not found on this server", status: 404)
            }
            #expect(!"\(outcome)".contains(token.prefix(8)) && !"\(outcome)".contains(token.suffix(8)), "\(outcome)")
        }
    }

    @Test func `secrets in the words of the network are masked`() async {
        let outcome = await attempt(secrets: [Secret("s3cr3t")]) { _, _ throws(TransportError) in
            throw TransportError(.connect, mayHaveArrived: true, "no way to s3cr3t.example")
        }
        #expect(outcome == .unknown("no way to ***.example"))
    }

    @Test func `a mail is handed to its server, and the channel says what came of it`() async throws {
        let server = MailServer(
            host: "mail.example.com", port: 587, security: .starttls,
            login: MailServer.Login(user: "us", password: GuardedText(Secret("SEKRITpw5"))))
        let someone = try #require(MailAddress("a@example.com"))
        let mail = Mail(
            by: server, from: someone, to: [someone], subject: "It crashes", date: clock.now(), id: "d-1@example.com",
            text: "It crashes")
        let message = Message(kind: .opened, severity: .warning, at: clock.now(), headline: "It crashes")
        let delivery = Delivery(
            id: "d-1", channel: "team", number: 1, kind: .opened, incident: "i-1", message: message,
            queued: clock.now())
        func attempt(_ answer: @escaping ScriptedWeb.MailAnswering) async -> DeliveryOutcome {
            var ports = Ports.staged(stage, clock) { _, _ throws(TransportError) in .says("") }
            var web = ScriptedWeb(stage: stage) { _, _ throws(TransportError) in .says("") }
            web.mail = answer
            ports.web = web
            return await Courier(ports: ports, redactor: Redactor([Secret("s3cr3t")]))
                .attempt(delivery, HookChannel { _ in .mail(mail) }).outcome
        }
        let taken = await attempt { sent, timeout throws(TransportError) in
            #expect(sent == mail)
            #expect(timeout == Courier.mailTimeout)
            return MailAnswer(MailReply(.message, 250))
        }
        #expect(taken == .delivered(receipt: nil))
        #expect(stage.asked == ["smtp://mail.example.com:587"])
        let refused = await attempt { _, _ throws(TransportError) in MailAnswer(MailReply(.login, 535, "s3cr3t")) }
        #expect(refused == .refusedChannel("answered 535: ***"))
        // As AUTH PLAIN and AUTH LOGIN send it.
        for sent in ["AHVzAFNFS1JJVHB3NQ==", "U0VLUklUcHc1"] {
            let repeated = await attempt { _, _ throws(TransportError) in
                MailAnswer(MailReply(.login, 535, "what is \(sent)?"))
            }
            #expect(repeated == .refusedChannel("answered 535: what is ***?"))
        }
        let lost = await attempt { _, _ throws(TransportError) in
            throw TransportError(.timeout, mayHaveArrived: true, "no answer")
        }
        #expect(lost == .unknown("no answer"))
    }

    @Test(
        arguments: [
            (.failed("full"), .retry(after: nil, "full")),
            (.stuck, .unknown("whoever reads standard output has stopped in the middle of it")),
        ] as [(Printing, DeliveryOutcome)])
    func `what standard output does not take is tried again`(printing: Printing, outcome: DeliveryOutcome) async {
        let found = await attempt(HookChannel { .print($0.plainText) }, printing: printing) {
            _, _ throws(TransportError) in .says("")
        }
        #expect(found == outcome)
    }

    @Test func `what is printed goes to standard output, and what is kept goes nowhere`() async {
        let printed = await attempt(HookChannel { .print($0.plainText) }) { _, _ throws(TransportError) in .says("") }
        #expect(printed == .delivered(receipt: nil))
        #expect(
            stage.happenings.contains { if case .printed(let text) = $0 { text.contains("It crashes") } else { false } }
        )
        let kept = await attempt(HookChannel { _ in .keep }) { _, _ throws(TransportError) in .says("") }
        #expect(kept == .delivered(receipt: nil))
        #expect(stage.asked.isEmpty)
    }

    @Test func `the channel is told all there is to know of the attempt`() async {
        let postings = Mutex<[Posting]>([])
        let channel = HookChannel { posting in
            postings.withLock { $0.append(posting) }
            return .keep
        }
        _ = await attempt(
            channel, possiblyRepeated: true, isPlain: true, thread: "t-9"
        ) { _, _ throws(TransportError) in .says("") }
        let posting = postings.withLock { $0.first }
        #expect(posting?.id == "d-1")
        #expect(posting?.possiblyRepeated == true)
        #expect(posting?.isPlain == true)
        #expect(posting?.thread == "t-9")
        #expect(posting?.at == clock.now())
    }

    @Test(arguments: [200, 500, 404])
    func `the opening message is brought up to date, and failing at that costs nothing`(
        status: Int
    ) async {
        var channel = HookChannel()
        channel.updated = "https://hooks.example/update"
        let outcome = await attempt(channel, secrets: [Secret("s3cr3t")]) { request, timeout throws(TransportError) in
            guard request.url.reveal().hasSuffix("update") else { return .says("ok") }
            #expect(timeout < Courier.attemptTimeout)
            return .says("about s3cr3t", status: status)
        }
        #expect(outcome == .delivered(receipt: nil))
        #expect(stage.asked == [HookChannel.address + "d-1", HookChannel.address + "update"])
        let told = stage.logged
        #expect(told.isEmpty == (status == 200))
        #expect(
            told.allSatisfy { $0.contains("channel team: the opening message stays as it was: answered \(status)") })
        #expect(told.allSatisfy { !$0.contains("s3cr3t") })
    }

    @Test func `an opening message that tells of others, too, is left as it was`() async {
        var channel = HookChannel()
        channel.updated = "https://hooks.example/update"
        _ = await attempt(channel, isThreadOwn: false) { _, _ throws(TransportError) in .says("ok") }
        #expect(stage.asked == [HookChannel.address + "d-1"])
    }

    private func edits(_ count: Int) -> [SendOrder.Edit] {
        (1...count).map { number in
            SendOrder.Edit(
                incident: "i\(number)", opening: "o\(number)",
                message: Message(kind: .resolved, severity: .warning, at: clock.now(), headline: "✅ It is well"))
        }
    }

    @Test func `a message for many brings each of the openings up to date, under ids of their own`() async {
        let postings = Mutex<[Posting]>([])
        var channel = HookChannel()
        channel.updated = "https://hooks.example/update"
        channel.updating = { posting in postings.withLock { $0.append(posting) } }
        let outcome = await attempt(channel, isThreadOwn: false, edits: edits(3)) { _, _ throws(TransportError) in
            .says("ok")
        }
        #expect(outcome == .delivered(receipt: nil))
        let told = postings.withLock { $0 }
        #expect(told.map(\.id) == ["d-1-i1", "d-1-i2", "d-1-i3"])
        #expect(told.map(\.thread) == ["o1", "o2", "o3"])
        #expect(told.allSatisfy { $0.message.kind == .resolved })
        #expect(stage.asked.count == 4)
    }

    @Test(arguments: [
        (413, 3, ["the opening message stays as it was: answered 413"]),
        (429, 1, ["3 opening messages stay as they were: answered 429"]),
        (500, 1, ["3 opening messages stay as they were: answered 500"]),
    ])
    func `a service that wants no more edits is left alone, one that has lost a message is not`(
        status: Int, asked: Int, said: [String]
    ) async {
        var channel = HookChannel()
        channel.updated = "https://hooks.example/update"
        let first = Mutex(true)
        let outcome = await attempt(channel, isThreadOwn: false, edits: edits(3)) { request, _ throws(TransportError) in
            guard request.url.reveal().hasSuffix("update") else { return .says("ok") }
            let isFirst = first.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst ? .says("", status: status) : .says("ok")
        }
        #expect(outcome == .delivered(receipt: nil))
        #expect(stage.asked.count == 1 + asked)
        #expect(stage.logged.count == said.count)
        for (line, sentence) in zip(stage.logged, said) { #expect(line.contains(sentence), "\(line)") }
    }

    @Test(arguments: [(429, 30), (503, 30), (200, nil), (404, nil)] as [(Int, Int?)])
    func `a wait that an edit is answered with is told with the message that has arrived`(
        status: Int, seconds: Int?
    ) async {
        var channel = HookChannel()
        channel.updated = "https://hooks.example/update"
        let ports = Ports.staged(stage, clock) { request, _ throws(TransportError) in
            request.url.reveal().hasSuffix("update")
                ? .says("", status: status, [("Retry-After", "30")]) : .says("ok")
        }
        let message = Message(kind: .resolved, severity: .warning, at: clock.now(), headline: "✅ It is well")
        let delivery = Delivery(
            id: "d-1", channel: "team", number: 1, kind: .resolved, incident: "i-1", message: message,
            queued: clock.now())
        let attempt = await Courier(ports: ports, redactor: Redactor([])).attempt(delivery, channel)
        #expect(attempt.outcome == .delivered(receipt: nil))
        #expect(attempt.askedToWait == seconds.map { Duration.seconds($0) })
    }

    @Test(arguments: [500, 413, 410]) func `what has not arrived updates nothing`(status: Int) async {
        var channel = HookChannel()
        channel.updated = "https://hooks.example/update"
        _ = await attempt(channel, edits: edits(2)) { _, _ throws(TransportError) in .says("", status: status) }
        #expect(stage.asked == [HookChannel.address + "d-1"])
    }

    @Test func `an attempt that fails on purpose asks nobody`() async {
        let outcome = await attempt(faults: Faults(rate: 1, seed: 42)) { _, _ throws(TransportError) in .says("") }
        #expect(outcome == .retry(after: nil, "failed on purpose (--fault-rate)"))
        #expect(stage.asked.isEmpty)
    }
}

@Suite struct RedactorTests {
    @Test func `longer secrets are masked before those they hold`() {
        let redactor = Redactor([Secret("abcd"), Secret("abcdefgh")])
        #expect(redactor.redact("abcdefgh abcd abcdabcd xabcd") == "*** *** ****** x***")
    }

    @Test func `words too short to be secrets are left alone`() {
        #expect(Redactor([Secret("abc"), Secret("")]).redact("abc alphabet") == "abc alphabet")
    }
}

@Suite struct FaultsTests {
    @Test func `about as many things fail as were asked for, the same for the same seed`() {
        let moments = (0..<2000).map { Moment.rehearsalStart + .seconds($0) }
        let seeded = moments.map { Faults(rate: 0.3, seed: 42).strikes("ios", at: $0) }
        #expect((500...700).contains(seeded.count { $0 }))
        #expect(seeded == moments.map { Faults(rate: 0.3, seed: 42).strikes("ios", at: $0) })
        #expect(seeded != moments.map { Faults(rate: 0.3, seed: 43).strikes("ios", at: $0) })
        #expect(!moments.contains { Faults(rate: 0, seed: 1).strikes("ios", at: $0) })
        #expect(moments.allSatisfy { Faults(rate: 1, seed: 1).strikes("ios", at: $0) })
    }
}
