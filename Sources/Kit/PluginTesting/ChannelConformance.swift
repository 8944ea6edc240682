public import PluginKit

/// What every channel must do, whatever its service: post anything within its limits, say the same thing on every
/// attempt, keep its secrets, and make sense of every answer.
public struct ChannelConformance: Sendable {
    /// Whether the body is shown to people, who must not be deceived by it, or read by programs.
    public enum Audience: Sendable { case people, programs }

    let channel: any Channel
    private let audience: Audience
    private let bodyBytesMax: Int
    private let secrets: [String]
    private let success: HTTPResponse
    private let deliveredStatuses: Set<Int>
    private let keepsFirstBody: Bool
    private let mergesByIncident: Bool
    private let wordlessKinds: Set<Notification.Kind>
    private let shown: @Sendable (Posting) -> Message
    private let bodyFlaws: @Sendable (JSON) -> [String]

    /// - Parameters:
    ///   - audience: who reads the body.
    ///   - bodyBytesMax: the most that the service takes.
    ///   - secrets: the values of the secrets in the channel's options, which nobody may see.
    ///   - success: an answer of the service by which a message is delivered.
    ///   - deliveredStatuses: statuses besides 2xx by which a message is delivered.
    ///   - keepsFirstBody: whether the service answers an id it knows by what first came with it, whatever comes now.
    ///   - mergesByIncident: whether the service takes all deliveries about one incident as one.
    ///   - wordlessKinds: the kinds of message of which the service takes no words.
    ///   - shown: the message without what the service has no place for.
    ///   - bodyFlaws: what is wrong with a body by the service's own rules, as sentences.
    public init(
        _ channel: some Channel,
        audience: Audience,
        bodyBytesMax: Int,
        secrets: [String] = [],
        success: HTTPResponse = HTTPResponse(status: 200),
        deliveredStatuses: Set<Int> = [],
        keepsFirstBody: Bool = false,
        mergesByIncident: Bool = false,
        wordlessKinds: Set<Notification.Kind> = [],
        shown: @escaping @Sendable (Posting) -> Message = { $0.message },
        bodyFlaws: @escaping @Sendable (JSON) -> [String] = { _ in [] }
    ) {
        self.channel = channel
        self.audience = audience
        self.bodyBytesMax = bodyBytesMax
        self.secrets = secrets
        self.success = success
        self.deliveredStatuses = deliveredStatuses
        self.keepsFirstBody = keepsFirstBody
        self.mergesByIncident = mergesByIncident
        self.wordlessKinds = wordlessKinds
        self.shown = shown
        self.bodyFlaws = bodyFlaws
    }

    /// Everything wrong with the channel; empty when it may be used.
    public func violations() -> [String] {
        manifestViolations + paceViolations + postViolations + cutViolations + pictureViolations
            + judgeViolations
    }

    /// A moment for tests.
    public static let now = Moment(milliseconds: 1_795_219_200_000)

    // MARK: What it says of itself

    private var manifestViolations: [String] {
        type(of: channel).manifest.flaws(
            reserved: ["plugin", ChannelSettings.acknowledged.name, ChannelSettings.template.name]
                + ConnectionSettings.all.map(\.name), kind: "channel")
    }

    private var paceViolations: [String] {
        let pace = channel.pace
        let isSound = pace.perSecond > 0 && pace.perSecond.isFinite && pace.burst >= 1 && pace.burst.isFinite
        return isSound && pace.atOnce >= 1 ? [] : ["the pace \(pace) lets nothing pass"]
    }

    // MARK: What it posts

    private var postViolations: [String] {
        (SampleMessages.usual + SampleMessages.nasty).flatMap { name, message in
            let rich = Posting(id: "d-1", message: message, at: ChannelConformance.now)
            let plain = Posting(id: "d-1", message: message, isPlain: true, at: ChannelConformance.now)
            let (richAction, plainAction) = (channel.post(rich), channel.post(plain))
            let found = formViolations(rich, richAction) + formViolations(plain, plainAction)
            return (found + pairViolations(richAction, plainAction)).map { "\(name): \($0)" }
        }
    }

    /// One form by itself.
    private func formViolations(_ posting: Posting, _ action: ChannelAction) -> [String] {
        let again = channel.post(posting)
        switch action {
        case .keep: return []
        case .print(let text):
            guard case .print(text) = again else { return ["the same posting printed two texts"] }
            return textViolations(text, mayBreakLines: true)
        case .request(let request):
            guard case .request(request) = again else { return ["the same posting made two requests"] }
            return requestViolations(request) + repeatViolations(posting, .request(request))
        case .mail(let mail):
            guard case .mail(mail) = again else { return ["the same posting made two mails"] }
            return mailViolations(mail) + repeatViolations(posting, .mail(mail))
        }
    }

    /// What is too long is cut, but never within a character as people see it: of whole ones, nothing but whole ones is
    /// left.
    private var cutViolations: [String] {
        SampleMessages.longCharacters.flatMap { character -> [String] in
            let message = SampleMessages.everywhere(String(repeating: character, count: 3000), issues: 5)
            // Letters of ours stand elsewhere, too.
            let parts = Set(character.unicodeScalars.filter { !$0.isASCII })
            return [false, true].compactMap { isPlain -> String? in
                let posting = Posting(id: "d-1", message: message, isPlain: isPlain, at: ChannelConformance.now)
                let broken = texts(of: channel.post(posting)).lazy.flatMap(\.self).first {
                    $0 != character && $0.unicodeScalars.contains(where: parts.contains)
                }
                return broken.map {
                    "\(isPlain ? "plain" : "rich") text is cut within '\(character)': \(String($0).debugDescription)"
                }
            }
        }
    }

    /// All texts that leave the bot.
    private func texts(of action: ChannelAction) -> [String] {
        switch action {
        case .keep: []
        case .print(let text): [text]
        case .request, .mail: Parcel(action)?.words?.strings ?? []
        }
    }

    private func mailViolations(_ mail: Mail) -> [String] {
        var found = secretViolations(mail, "the mail") + mail.wireFlaws
        let count = mail.wireMessage().count
        if count > bodyBytesMax { found.append("the mail has \(count) bytes, at most \(bodyBytesMax) are taken") }
        if mail.to.isEmpty { found.append("the mail is for nobody") }
        if mail.subject.isEmpty { found.append("the mail has no subject") }
        found += textViolations(mail.subject, mayBreakLines: false)
        found += [mail.text, mail.html ?? ""].flatMap { textViolations($0, mayBreakLines: true) }
        return found + bodyFlaws(mail.words)
    }

    /// Whether any way of printing a value shows a secret.
    private func secretViolations(_ value: some Any, _ what: String) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return secrets.flatMap { secret in
            [String(describing: value), String(reflecting: value), dumped].filter { $0.contains(secret) }
                .map { _ in "a description of \(what) shows the secret '\(secret)'" }
        }
    }

    private func requestViolations(_ request: HTTPRequest) -> [String] {
        var found = secretViolations(request, "the request")
        let address = request.url.reveal()
        if !address.hasPrefix("https://") && !address.hasPrefix("http://")
            || address.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F })
        {
            found.append("the address '\(address)' is none")
        }
        for header in request.headers where header.value.reveal().utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            found.append("the header '\(header.name)' has a control character in its value")
        }
        guard let (bytes, contentType) = request.wireBody() else { return found + ["the request has no body"] }
        if bytes.count > bodyBytesMax {
            found.append("the body has \(bytes.count) bytes, at most \(bodyBytesMax) are taken")
        }
        let text = request.body?.shown.text ?? ""
        for secret in secrets where text.contains(secret) { found.append("the body shows the secret '\(secret)'") }
        guard contentType.hasPrefix("application/json") else { return found }
        do {
            let json = try JSON(parsing: bytes)
            if audience == .people {
                found += json.strings.flatMap { textViolations($0, mayBreakLines: true) }
            }
            found += bodyFlaws(json)
        } catch {
            found.append("the body is not JSON: \(error)")
        }
        return found
    }

    /// A preview shows what people will see: of usual messages every word, in either form. What programs read has at least the
    /// headline.
    private var pictureViolations: [String] {
        SampleMessages.usual.filter { !wordlessKinds.contains($0.message.kind) }.flatMap { name, message in
            [false, true].flatMap { isPlain -> [String] in
                let posting = Posting(id: "d-1", message: message, isPlain: isPlain, at: ChannelConformance.now)
                // A zero-width space keeps words from being links or somebody's name, and nobody sees it.
                let picture = channel.picture(of: posting).text.replacing("\u{200B}", with: "")
                return words(of: shown(posting)).filter { !$0.isEmpty && !picture.contains($0) }.map {
                    "\(name): its \(isPlain ? "plain" : "rich") picture does not show '\($0)'"
                }
            }
        }
    }

    private func words(of message: Message) -> [String] {
        guard audience == .people else { return [message.unmarkedHeadline] }
        let fields = message.fields.map(\.label) + message.fields.map(\.value)
        let titles = message.issues.map(\.title) + message.links.map(\.title)
        return [message.unmarkedHeadline, message.reason, message.footer] + fields + titles + message.lines
    }

    /// The same delivery on later attempts.
    private func repeatViolations(_ posting: Posting, _ first: Parcel) -> [String] {
        func request(of posting: Posting) -> Parcel? { Parcel(channel.post(posting)) }
        var found: [String] = []
        let later = request(
            of: Posting(id: posting.id, message: posting.message, isPlain: posting.isPlain, at: posting.at + .hours(7)))
        if later?.bytes != first.bytes || later?.address != first.address {
            found.append("a later attempt is another message or goes elsewhere")
        }
        let repeated = request(
            of: Posting(
                id: posting.id, message: posting.message, possiblyRepeated: true, isPlain: posting.isPlain,
                at: posting.at))
        if keepsFirstBody, repeated != first { found.append("a repetition has the same id and another body") }
        if !channel.isIdempotent, repeated?.bytes == first.bytes {
            found.append("a message that may have been shown before does not say so")
        }
        let other = request(of: Posting(id: "d-2", message: posting.message, isPlain: posting.isPlain, at: posting.at))
        if channel.isIdempotent, !mergesByIncident, other == first {
            found.append("two deliveries cannot be told apart")
        }
        return found
    }

    /// The rich form against the plain one.
    private func pairViolations(_ rich: ChannelAction, _ plain: ChannelAction) -> [String] {
        guard let first = Parcel(rich), let second = Parcel(plain), let richBody = first.bytes,
            let plainBody = second.bytes
        else { return [] }
        var found: [String] = []
        if plainBody.count > richBody.count {
            found.append("the plain form has \(plainBody.count) bytes, the rich one only \(richBody.count)")
        }
        if keepsFirstBody, richBody != plainBody, first.address == second.address {
            found.append("the plain form has the rich form's id: the service would drop it")
        }
        return found
    }

    /// What could steer a terminal or show a text in another order than it is written in.
    private func textViolations(_ text: String, mayBreakLines: Bool) -> [String] {
        let bad = text.unicodeScalars.first { scalar in
            switch scalar.value {
            case 0x0A: !mayBreakLines
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
        return bad.map { ["a text for people holds U+\(String($0.value, radix: 16, uppercase: true))"] } ?? []
    }
}

extension JSON {
    /// Every text in it.
    fileprivate var strings: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.strings)
        case .object(let object): object.members.flatMap { [$0.name] + $0.value.strings }
        default: []
        }
    }
}

extension ChannelConformance {
    // MARK: What it makes of answers

    /// Bodies that no service should answer with, and some do.
    private static let oddBodies: [String] = [
        "", " ", "ok", "<html><body>Bad Gateway</body></html>", "{", "{}", "[]", "null", "5", "\"\"",
        "{\"error\":null}",
        "{\"error\":{\"a\":[1]},\"errcode\":5,\"event_id\":7,\"ok\":\"no\"}",
        "{\"retry_after\":-1,\"retry_after_ms\":-1,\"parameters\":{\"retry_after\":\"soon\"}}",
        "{\"retry_after\":1e300,\"retry_after_ms\":1e300}", "\u{FEFF}{}", "\u{202E}\u{1B}[31mred",
        String(repeating: "[", count: 3000), String(repeating: "a", count: 3000),
    ]

    /// What the header says, and the seconds it asks for.
    private static let waits: [(header: String, seconds: Double?)] = [
        ("7", 7), ("1.5", 1.5), ("86400", 86_400), ("Sat, 21 Nov 2026 00:05:00 GMT", 300), ("0", nil), ("-3", nil),
        ("soon", nil), ("", nil), ("1e400", nil), ("Thu, 01 Jan 1970 00:00:00 GMT", nil),
    ]

    private var judgeViolations: [String] {
        switch channel.post(Posting(id: "d-1", message: SampleMessages.opened, at: ChannelConformance.now)) {
        case .print, .keep: return []
        case .mail(let mail): return mailJudgeViolations(mail)
        case .request: break
        }
        var found = lossViolations { channel.judge(.failed($0), at: ChannelConformance.now) }
        if case .delivered = judge(success) {} else { found.append("the service's own success is not a delivery") }
        for status in 100...599 {
            for body in ChannelConformance.oddBodies + ["\u{FF}"] {
                // Of the last body the second byte is cut: no text at all.
                let bytes = body == "\u{FF}" ? [0xC3] : Array(body.utf8)
                found += statusViolations(HTTPResponse(status: status, body: bytes))
            }
        }
        for status in [429, 503] {
            for (header, seconds) in ChannelConformance.waits {
                let response = HTTPResponse(status: status, headers: [("retry-after", header)])
                found += waitViolations(response, seconds: seconds).map { "\(status), Retry-After '\(header)': \($0)" }
            }
        }
        return found
    }

    private func judge(_ response: HTTPResponse) -> DeliveryOutcome {
        channel.judge(.answered(response), at: ChannelConformance.now)
    }

    private func statusViolations(_ response: HTTPResponse) -> [String] {
        let outcome = judge(response)
        var found: [String] = []
        switch outcome {
        case .delivered(let receipt):
            if !response.isSuccess, !deliveredStatuses.contains(response.status) {
                found.append("is taken for success")
            }
            if let receipt, receipt.count > 300 { found.append("gives a receipt of \(receipt.count) characters") }
        case .partly(_, let sentence):
            if !response.isSuccess { found.append("is taken for success") }
            found += sentenceViolations(sentence)
        case .retry(let after, let sentence):
            if response.isSuccess { found.append("is tried again") }
            if let after, after <= .zero { found.append("waits for \(after)") }
            found += sentenceViolations(sentence)
        case .unknown(let sentence), .refusedBody(let sentence), .refusedChannel(let sentence):
            found += sentenceViolations(sentence)
        }
        return found.map { "\(response.status) with '\(response.excerpt(40))' \($0)" }
    }

    func sentenceViolations(_ sentence: String) -> [String] {
        var found = textViolations(sentence, mayBreakLines: false)
        if sentence.isEmpty { found.append("gives no reason") }
        if sentence.count > 500 { found.append("gives a reason of \(sentence.count) characters") }
        for secret in secrets where sentence.contains(secret) { found.append("shows the secret '\(secret)'") }
        return found
    }

    private func waitViolations(_ response: HTTPResponse, seconds: Double?) -> [String] {
        guard case .retry(let after, _) = judge(response) else { return ["is not tried again"] }
        guard let seconds else { return after.map { ["waits for \($0), which nobody said"] } ?? [] }
        guard let after, after.inSeconds >= seconds else {
            return ["asks for \(seconds) s, but \(after as Any) is waited"]
        }
        return []
    }

    /// Answers that never came.
    func lossViolations(_ judge: (TransportError) -> DeliveryOutcome) -> [String] {
        let causes: [TransportError.Cause] = [
            .badAddress, .refusedScheme, .resolve, .connect, .tls, .timeout, .redirect, .tooLarge, .interrupted,
            .cancelled, .other,
        ]
        return causes.flatMap { cause in
            [true, false].compactMap { mayHaveArrived in
                let error = TransportError(cause, mayHaveArrived: mayHaveArrived, "lost")
                switch (judge(error), mayHaveArrived) {
                case (.delivered, _), (.partly, _): return "\(cause) is taken for success"
                case (.refusedBody, _): return "\(cause) is blamed on the body"
                case (.unknown, false): return "\(cause) cannot have arrived, but is called unknown"
                case (.retry, true): return "\(cause) may have arrived, but is simply tried again"
                default: return nil
                }
            }
        }
    }
}
