public import AlertModel

/// Who takes what tools push.
public protocol BotIntake: Sendable {
    /// The most bytes of a body that are worth reading, going by what comes before it.
    func bodyBytesMax(_ push: PushedRequest) -> Int
    /// Why it would not be taken whatever its body says; nil where that depends on the body.
    func refusal(_ push: PushedRequest) -> PushAnswer?
    /// Takes it in, and answers once it is safe.
    func take(_ push: PushedRequest, _ body: [UInt8]) async -> PushAnswer
}

/// What comes before the body of a push.
public struct PushedRequest: Sendable {
    /// The source that it is for, where the address says so.
    public let source: String?
    public let headers: [(name: String, value: String)]

    public init(source: String?, headers: [(name: String, value: String)]) {
        self.source = source
        self.headers = headers
    }
}

/// What whoever pushes hears: a status that programs go by, and a sentence for people.
public enum PushAnswer: Hashable, Sendable {
    /// It is safe.
    case taken(String, JSON)
    case refused(Refusal, String)
    case tooMany(wait: Duration, String)

    public enum Refusal: Hashable, Sendable {
        /// What it says makes no sense: sending it again will not help.
        case mistaken
        case unauthorized
        case nobody
        /// It may well be taken later.
        case notNow
    }
}

/// The one address to which tools push: `POST /api/v1/observations`.
struct PushDesk: Sendable {
    static let path = "/api/v1/observations"
    private let intake: any BotIntake

    init(_ intake: any BotIntake) { self.intake = intake }

    /// Whether the request is for it, whatever its method.
    static func isMeant(by request: Request) -> Bool { request.path == path }

    func bodyBytesMax(_ request: Request) -> Int { intake.bodyBytesMax(PushDesk.pushed(request)) }

    func answer(_ request: Request) async -> Response {
        guard request.method == "POST" else {
            return .refused(.methodNotAllowed, "Send observations with POST.").with("Allow", "POST")
        }
        // What is packed would have to be unpacked to be bounded.
        guard request.headers("content-encoding").allSatisfy({ $0.lowercased() == "identity" }) else {
            return .refused(.badRequest, "The body is compressed; send it as it is.")
        }
        // A service may add parameters of its own to the address that it was given. Only where ours is missing is one that is
        // nearly so a slip.
        let names = request.parameters
        if !names.contains("source"), let name = names.first(where: { !$0.guess(in: ["source"]).isEmpty }) {
            return .refused(
                .badRequest,
                "'\(name.tamed.clipped(to: 40))' is not known; known: source\(name.guess(in: ["source"]))")
        }
        let push = PushDesk.pushed(request)
        if let excess = request.excess {
            return intake.refusal(push).map(PushDesk.response) ?? .refused(.contentTooLarge, excess)
        }
        return PushDesk.response(await intake.take(push, request.body))
    }

    private static func response(_ answer: PushAnswer) -> Response {
        switch answer {
        case .taken(let sentence, let details):
            return .json(["done": true, "sentence": .string(sentence), "details": details])
        case .refused(let refusal, let sentence):
            let response = Response.refused(PushDesk.status(of: refusal), sentence)
            return refusal == .unauthorized ? response.with("WWW-Authenticate", "Bearer") : response
        case .tooMany(let wait, let sentence):
            let seconds = (wait.wholeMilliseconds + 999) / 1000
            return .refused(.tooManyRequests, sentence).with("Retry-After", String(max(1, seconds)))
        }
    }

    private static func status(of refusal: PushAnswer.Refusal) -> Response.Status {
        switch refusal {
        case .mistaken: .badRequest
        case .unauthorized: .unauthorized
        case .nobody: .notFound
        case .notNow: .serviceUnavailable
        }
    }

    private static func pushed(_ request: Request) -> PushedRequest {
        PushedRequest(
            source: request.parameter("source"), headers: request.fields.map { ($0.name, $0.value) })
    }
}
