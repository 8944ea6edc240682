internal import AlertCore
internal import Journal
internal import PluginKit

/// Watches for one promise being broken.
///
/// A checker hears of everything that happens, in order, and throws when its promise does not hold. To add one: a type,
/// and its line in `allCheckers`.
protocol Checker: Sendable {
    /// Two or three words.
    static var name: String { get }
    /// The promise, in one sentence.
    static var promise: String { get }

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach)
}

/// Every promise that is watched.
func allCheckers() -> [any Checker] {
    [
        DurableFirst(), RotNoticed(), NothingLost(), NothingTwice(), ResolvedWhereOpened(), InOrder(), GatesObeyed(),
        BudgetsKept(),
        WaitsKept(), FiguresHeard(), PushesKept(), PicturesFollow(), Lively(),
    ]
}

/// A promise that does not hold, in a sentence.
struct Breach: Error {
    let sentence: String
    init(_ sentence: String) { self.sentence = sentence }
}

/// What was found wrong in a run, and when.
public struct Violation: Sendable {
    /// The checker's name.
    public let checker: String
    public let sentence: String
    /// Milliseconds since the beginning of the world.
    let at: Int64
    let wall: Moment
}

/// Something that happened in the world.
enum Happening {
    // The bot's life.
    case opened(State)
    case died
    case stopped
    case over
    case reloaded
    case clockStepped(Int64)
    case suspended(Int64)
    /// Whether the world is without faults from now on.
    case calm(Bool)
    /// Nothing is left to hear of and to say, all without faults.
    case drained

    // The journal. All of these are durable.
    case accepted(Delivery)
    /// A delivery has changed: an attempt was decided, or one that failed was taken in.
    case delivery(Delivery)
    case ended(EndedDelivery)
    case observed(Observation)
    case incident(Incident)
    /// Everything of one commit has been taken in.
    case committed

    /// A bit of a copy of the journal was turned, and the copy read.
    case rotted(place: String, whole: [[UInt8]], Result<(payloads: [[UInt8]], report: JournalReport), JournalError>)

    // The network.
    case polled(source: String)
    /// Whoever pushed it was told that it is safe.
    case pushTaken(Int)
    case departed(channel: String, delivery: String)
    case accepts(channel: String, delivery: String, ChatService.Reading)
    /// The answer is on its way to the plugin; `told` is the wait it asks for, in milliseconds.
    case answered(host: String, delivery: String?, status: Int, told: Int64?)
    /// There was no answer; unless that is certain not to be so, the server may have accepted.
    case lost(channel: String, delivery: String, isCertain: Bool)
    /// A request leaves that carries no delivery: a step of the picture of one, or an edit after it.
    case errand(channel: String, delivery: String)
    /// What came of it; `told` is the wait that it asks for, in milliseconds.
    case errandAnswered(channel: String, delivery: String, status: Int, told: Int64?)
    /// People see the picture of a delivery.
    case pictured(channel: String, delivery: String)
    /// What the channel's plugin made of an answer.
    case judged(channel: String, delivery: String, DeliveryOutcome)
}

extension Happening: CustomStringConvertible {
    var description: String {
        switch self {
        case .opened(let state):
            "the bot opens its journal: \(state.incidents.count) incidents, \(state.outbox.deliveries.count) deliveries"
        case .died: "the bot is dead"
        case .stopped: "the bot is asked to stop"
        case .over: "the bot has ended"
        case .reloaded: "the config was reloaded"
        case .clockStepped(let step): "the wall clock is set by \(step) ms"
        case .suspended(let length): "the machine sleeps for \(length) ms"
        case .calm(let isCalm): isCalm ? "faults off" : "faults on"
        case .drained: "everything is said"
        case .accepted(let delivery):
            "journal: delivery \(delivery.id) \(delivery.kind.rawValue) \(delivery.message.severity.rawValue) "
                + "of \(delivery.incident ?? "several") to \(delivery.channel)"
        case .delivery(let delivery): "journal: delivery \(delivery.id) \(delivery.progress.phase)"
        case .ended(let entry): "journal: delivery \(entry.delivery.id) \(entry.end)"
        case .observed(let observation):
            "journal: \(observation.subject.app) \(observation.metrics["look"].map { "\($0)" } ?? "nothing")"
        case .incident(let incident):
            "journal: incident \(incident.id) of \(incident.subject.app) \(incident.state.rawValue) "
                + "\(incident.severity.rawValue)\(incident.isUncertain ? " uncertain" : "")"
                + incident.standings.sorted { $0.key < $1.key }.map { name, standing in
                    " \(name): \(standing.announced?.rawValue ?? "-")"
                        + (standing.hold.map { " held \($0.kind.rawValue) by \($0.reason)" } ?? "")
                        + (standing.dropped.map { " dropped \($0.rawValue)" } ?? "")
                }.joined(separator: ";")
        case .committed: "journal: committed"
        case .rotted(let place, _, _): "a bit of \(place) turns in a copy"
        case .polled(let source): "\(source) is asked"
        case .pushTaken(let number): "push \(number) is answered as taken"
        case .departed(let channel, let delivery): "delivery \(delivery) leaves for \(channel)"
        case .accepts(let channel, let delivery, let reading):
            "\(channel) accepts delivery "
                + "\(delivery)\(reading.isShown ? "" : ", again")\(reading.isMarked ? ", marked" : "")"
        case .answered(let host, let delivery, let status, let told):
            "\(host) answers \(status)\(delivery.map { " to \($0)" } ?? "")\(told.map { ", wait \($0) ms" } ?? "")"
        case .lost(let channel, let delivery, let isCertain):
            isCertain ? "\(delivery) does not reach \(channel)" : "the answer of \(channel) to \(delivery) is lost"
        case .errand(let channel, let delivery): "\(channel) is asked for the sake of \(delivery)"
        case .errandAnswered(let channel, let delivery, let status, let told):
            "\(channel) answers \(status) for the sake of \(delivery)\(told.map { ", wait \($0) ms" } ?? "")"
        case .pictured(let channel, let delivery): "\(channel) shows the picture of \(delivery)"
        case .judged(let channel, let delivery, let outcome): "\(channel) \(delivery): \(outcome)"
        }
    }

    /// Mixes it into a digest of the run: enough to tell two runs apart, and cheap.
    func mark(_ digest: inout UInt64) {
        func mix(_ text: String) {
            for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
        switch self {
        case .opened(let state):
            mix("o\(state.incidents.count) \(state.outbox.deliveries.count) \(state.outbox.nextNumber)")
        case .died: mix("d")
        case .stopped: mix("s")
        case .over: mix("e")
        case .reloaded: mix("r")
        case .clockStepped(let step): mix("c\(step)")
        case .suspended(let length): mix("z\(length)")
        case .calm(let isCalm): mix(isCalm ? "q" : "Q")
        case .drained: mix("D")
        case .accepted(let delivery): mix(delivery.id)
        case .delivery(let delivery): mix("a\(delivery.progress.attempts)")
        case .ended(let entry): mix(entry.delivery.id)
        case .observed(let observation): mix(observation.subject.app)
        case .incident(let incident): mix(incident.id)
        case .committed: mix(",")
        case .rotted(let place, _, _): mix(place)
        case .polled(let source): mix(source)
        case .pushTaken(let number): mix("u\(number)")
        case .departed(_, let delivery): mix(delivery)
        case .accepts(_, let delivery, let reading): mix("\(delivery) \(reading.body)")
        case .answered(let host, _, let status, let told): mix("\(host) \(status) \(told ?? 0)")
        case .lost(_, let delivery, _): mix("l\(delivery)")
        case .errand(_, let delivery): mix("x\(delivery)")
        case .errandAnswered(_, let delivery, let status, _): mix("y\(delivery) \(status)")
        case .pictured(_, let delivery): mix("p\(delivery)")
        case .judged(_, let delivery, _): mix("j\(delivery)")
        }
    }
}
