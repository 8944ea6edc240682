/// A plugin that knows a channel's payloads and answers.
public protocol Channel: Plugin {
    init(options: Options, context: ChannelContext) throws(ProblemList)

    /// How fast messages may follow each other.
    var pace: Pace { get }
    /// Whether the channel takes the same delivery twice as one: then a lost answer is no trouble.
    var isIdempotent: Bool { get }
    /// Whether it keeps an alert of its own for each incident and calls people until somebody answers: then it hears of
    /// each incident by itself, of its beginning, of getting worse, of who is on it and of its end, and of nothing
    /// else. False for every channel that does not say so.
    var isPager: Bool { get }

    /// Whether its messages may carry a picture of the figures; false for every channel that does not say so.
    var hasCharts: Bool { get }

    /// What of its address names its chat, and is no secret, where messages are answered or edited and no option names it;
    /// nil for every channel that does not say so.
    var home: String? { get }

    /// What is asked of the service before the first message, and now and then after; nil for every channel that has
    /// nothing to ask. An answer that does not come keeps no message back.
    var inquiry: HTTPRequest? { get }
    /// Why nothing may be posted, by the answer to `inquiry`; nil where it may.
    func refusal(from answer: HTTPResponse) -> String?

    /// What in its options works and is not wise, for `check`.
    var cautions: [Problem] { get }

    /// How the message is posted.
    func post(_ posting: Posting) -> ChannelAction
    /// Brings the message that opened the incident up to date, once the posting has been delivered; nil where there is
    /// nothing to do, as in every channel that does not say so. What comes of it changes nothing for the delivery.
    func update(after posting: Posting) -> HTTPRequest?
    /// What is to be done for the picture of a message that has arrived without it; nothing where the message carries
    /// its picture, or there is none. What comes of it changes nothing for the delivery.
    ///
    /// - Parameters:
    ///   - receipt: what the delivery of the message gave.
    ///   - answers: those to the requests so far, all of which ended in 2xx.
    func attach(_ image: ChartImage, to posting: Posting, receipt: String?, after answers: [HTTPResponse]) -> ImageStep
    /// How its chat shows the message, read from the payload that is posted; there is one for every channel that has no
    /// look of its own.
    func picture(of posting: Posting) -> ChatPicture
    /// What the answer to it means; only asked when `post` gave a request.
    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome
    /// The same for a mail: only asked when `post` gave one, so that no other channel has to have it.
    func judge(_ result: MailResult, of mail: Mail, at now: Moment) -> DeliveryOutcome
}

extension Channel {
    public func judge(_ result: MailResult, of mail: Mail, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let answer) where answer.isTaken: .delivered(receipt: nil)
        case .answered(let answer): .refusedChannel("answered \(answer.reply.code): \(answer.reply.text)")
        case .failed(let error): DeliveryOutcome(error)
        }
    }

    public var cautions: [Problem] { [] }
    public var isPager: Bool { false }
    public var hasCharts: Bool { false }
    public var home: String? { nil }
    public var inquiry: HTTPRequest? { nil }
    public func refusal(from answer: HTTPResponse) -> String? { nil }
    public func update(after posting: Posting) -> HTTPRequest? { nil }
    public func attach(
        _ image: ChartImage, to posting: Posting, receipt: String?, after answers: [HTTPResponse]
    ) -> ImageStep { .done }
}

extension Notification.Kind {
    /// Whether it changes how an incident stands: then the message that opened it should say so, and those should see it
    /// who do not follow its thread. Of what a digest gathers, something does mostly.
    public var changesStanding: Bool { [.escalated, .revised, .resolved, .closed, .digest].contains(self) }
}

/// What a channel plugin is told besides its options.
public struct ChannelContext: Sendable {
    /// The channel's name in the config.
    public let name: String
    /// The bot's name.
    public let bot: String
    public let zone: Zone

    public init(name: String, bot: String, zone: Zone) {
        self.name = name
        self.bot = bot
        self.zone = zone
    }
}

/// A message on its way to one channel.
public struct Posting: Sendable {
    /// The delivery's id: the same on every attempt, of letters, digits, `-` and `_`.
    public let id: String
    public let message: Message
    /// Whether an attempt before may have arrived: then people are told that it may be a repetition.
    public let possiblyRepeated: Bool
    /// The channel refused the rich form: send the plainest there is.
    public let isPlain: Bool
    /// The channel's own id of the message that opened the incident, or all that this one is about, where it gave one:
    /// what follows belongs there.
    public let thread: String?
    /// The picture of the message's chart; nil where there is none, or it could not be made.
    public let image: ChartImage?
    /// When this attempt is made.
    public let at: Moment

    /// - Parameter message: with the words of the language that it is posted in.
    public init(
        id: String, message: Message, possiblyRepeated: Bool = false, isPlain: Bool = false, thread: String? = nil,
        image: ChartImage? = nil, at: Moment
    ) {
        self.id = id
        self.image = image
        self.thread = thread
        self.message = message
        self.possiblyRepeated = possiblyRepeated
        self.isPlain = isPlain
        self.at = at
    }

    /// The message as plain text, with the notice in front where it may be a repetition.
    public var plainText: String {
        (possiblyRepeated ? message.repeatNotice + "\n" : "") + message.plainText
    }
}

/// What the shell has to do to post a message.
public enum ChannelAction: Sendable {
    case request(HTTPRequest)
    case mail(Mail)
    /// Write to standard output.
    case print(String)
    /// Nothing leaves the bot: the message is kept in the history and shown on the bot's own page.
    case keep
}

/// A token bucket, and how many deliveries may be under way at once.
public struct Pace: Hashable, Sendable {
    /// How many deliveries a second go out in the long run.
    public let perSecond: Double
    /// How many may go out one after the other after a rest, before they have to wait.
    public let burst: Double
    /// Deliveries of one incident are always one after the other, whatever this says.
    public let atOnce: Int

    public init(perSecond: Double, burst: Double, atOnce: Int = 1) {
        self.perSecond = perSecond
        self.burst = burst
        self.atOnce = atOnce
    }

    /// For what never leaves the machine.
    public static let unlimited = Pace(perSecond: 1_000_000, burst: 1_000_000, atOnce: 64)
}

extension DeliveryOutcome {
    /// What an answer means when its service has no rules of its own: 2xx is delivered; 3xx, 401, 403, 404, 405, 410
    /// and 501 will never pass; 400, 413, 415 and 422 refuse this body; everything else may pass.
    ///
    /// - Parameter said: the service's own words, if they stand in a known place.
    public init(_ response: HTTPResponse, said: String? = nil, at now: Moment) {
        // Of a redirect nobody reads the page.
        let words = 300...399 ~= response.status ? "" : (said ?? response.excerpt(120)).tamed
        let sentence = "answered \(response.status)" + (words.isEmpty ? "" : ": \(words)")
        self.init(response, in: sentence, at: now)
    }

    /// The same in a sentence of the service's own.
    public init(_ response: HTTPResponse, in sentence: String, at now: Moment) {
        switch response.status {
        case 200...299: self = .delivered(receipt: nil)
        case 300...399:
            self = .refusedChannel(
                "\(sentence), a redirect, which is not followed; put the address that it leads to into the config")
        case 401, 403, 404, 405, 410, 501: self = .refusedChannel(sentence)
        case 400, 413, 415, 422: self = .refusedBody(sentence)
        default: self = .retry(after: response.toldWait(now: now), sentence)
        }
    }

    /// What a missing answer means: it may have arrived, or it cannot have.
    public init(_ error: TransportError) {
        switch error.cause {
        case .badAddress, .refusedScheme: self = .refusedChannel(error.description)
        default: self = error.mayHaveArrived ? .unknown(error.description) : .retry(after: nil, error.description)
        }
    }
}
