internal import AlertCore
internal import AlertTesting
internal import Chance
internal import PluginKit
internal import Runtime

/// A source that is told what the apps of the world are like: lines of an app and its cue, under the number of the push.
struct PushedStory: PushedSource {
    static let manifest = PluginManifest(name: "pushed", summary: "Is told what the world is like.", options: [])
    /// Its name in every world that has one.
    static let name = "pushed"
    /// Carries the number of the push into the journal.
    static let number: Metric = "push_number"
    private static let token = "t0ken"

    private let slowest: Duration

    init(slowest: Duration) { self.slowest = slowest }
    init(options: Options, context: SourceContext) throws(ProblemList) { self.init(slowest: context.slowest) }

    var host: String? { nil }
    var metrics: Set<Metric>? { [Cue.metric, PushedStory.number] }
    /// Fewer than a pusher in a hurry sends, so that it is told to wait now and then.
    var pushRate: Rate { Rate(3, per: .minutes(10)) }

    static let headers = PushHeaders([("Authorization", "Bearer \(token)")])

    static func body(_ number: Int, _ text: String) -> [UInt8] { Array("\(number)\n\(text)".utf8) }

    func isAuthentic(_ headers: PushHeaders) -> Bool { headers.bearer == PushedStory.token }

    func read(_ push: Push) throws(PushMistake) -> PollReport {
        let lines = String(decoding: push.body, as: UTF8.self).split(separator: "\n")
        guard let number = lines.first.flatMap({ Double($0) }) else { throw PushMistake(line: 1, "no number") }
        let observations = lines.dropFirst().compactMap { line -> Observation? in
            let words = line.split(separator: " ")
            guard words.count == 2, let cue = words[1].first.flatMap(Cue.init(rawValue:)) else { return nil }
            var observation = Observation.cue(
                cue, of: Subject(source: push.source, app: String(words[0])), at: push.now)
            observation.metrics[PushedStory.number] = number
            return observation
        }
        guard observations.count == lines.count - 1, !observations.isEmpty else { throw PushMistake("no list of apps") }
        return PollReport(.values(observations))
    }

    /// Nobody has pushed anything for as long as it may go without.
    func poll(_ poll: Poll) -> PollStep {
        .finish(PollReport(.stale(measured: poll.now - slowest)))
    }
}

/// Somebody who pushes what the apps are like, time after time, and tries again a little later where it was not taken.
struct Pusher {
    /// Pushes that were begun, and so the number of the last one.
    private(set) var count = 0
    /// When the next is due, in milliseconds of the machine's time.
    private(set) var due: Int64
    private var random: SeededRandom

    /// Between two pushes that are taken. Longer than a rule looks back, so that each is judged by itself.
    private static let intervals: [Int64] = [6, 10, 15].map { $0 * 60_000 }
    private static let pause: Int64 = 60_000

    init(seed: UInt64) {
        random = SeededRandom(seed: seed ^ 0x9054)
        due = Int64(random.below(600_000))
    }

    /// The next push leaves; gives back its number.
    mutating func push(at uptime: Int64) -> Int {
        count += 1
        due = uptime + (random.pick(Pusher.intervals) ?? Pusher.pause)
        return count
    }

    /// It is tried again a little later.
    mutating func postpone(at uptime: Int64) { due = uptime + Pusher.pause }
}

extension World {
    /// Pushes what the apps are like to the bot of the present life, and notes what it answers.
    func push(to bot: Bot) async {
        let (number, life) = (pusher.push(at: time.uptime), life)
        counts.pushes += 1
        if sabotage == .pushesEarly { tell(.pushTaken(number)) }
        let body = PushedStory.body(number, figures.text(of: PushedStory.name))
        do {
            _ = try await bot.push(for: PushedStory.name, PushedStory.headers, body)
            // An answer that was not sent when the process died has never been given.
            if isAlive(life) { tell(.pushTaken(number)) }
        } catch {
            counts.pushRefusals[error.name, default: 0] += 1
            if isAlive(life) { pusher.postpone(at: time.uptime) }
        }
    }
}

extension Intake.Refusal {
    fileprivate var name: String {
        switch self {
        case .nobody: "no such source"
        case .unauthorized: "not known"
        case .ambiguous: "ambiguous"
        case .misnamed: "for another source"
        case .tooMany: "too many"
        case .mistaken: "mistaken"
        case .unsafe: "not safe now"
        case .stopping: "stopping"
        }
    }
}

/// What was pushed and answered as safe is.
struct PushesKept: Checker {
    static let name = "pushes kept"
    static let promise =
        "A push is answered as taken only when the journal has it, and what the journal has of pushes is there after "
        + "every start."

    /// Those in the journal of which nobody has been told yet.
    private var durable: Set<Int> = []

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        case .observed(let observation):
            if let number = observation.metrics[PushedStory.number] { durable.insert(Int(number)) }
        case .pushTaken(let number):
            guard durable.remove(number) != nil else {
                throw Breach("push \(number) was answered as taken, and the journal does not have it")
            }
        case .opened(let found):
            for (subject, known) in world.truth.figures.series where subject.source == PushedStory.name {
                guard let last = known.samples.last?.metrics[PushedStory.number] else { continue }
                let kept = found.figures.series[subject]?.samples.last?.metrics[PushedStory.number]
                // What was appended and not synced may have come to pass all the same.
                guard let kept, kept >= last else {
                    throw Breach("push \(Int(last)) of \(subject.app) was durable, and is gone")
                }
            }
        case .drained: durable = []
        default: break
        }
    }
}
