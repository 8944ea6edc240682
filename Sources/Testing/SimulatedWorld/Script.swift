internal import AlertTesting
internal import Chance

/// One thing that happens to the bot from outside, at a moment of the machine's time.
struct Event: Sendable {
    /// Counted from the beginning of the run, so that a script can leave one out.
    let id: Int
    /// Milliseconds since the beginning of the world.
    let at: Int64
    let what: Adversity
}

/// What can happen to a bot.
enum Adversity: Sendable {
    /// The process dies at the `after`-th passing of the boundary from now on; with the power, unsynced bytes go too.
    case kill(Boundary, after: Int, powerCut: Bool, downtime: Int64)
    /// The process is asked to end, and is started again later.
    case stop(downtime: Int64)
    /// The next requests to one host meet this.
    case web(host: Int, WebFault, requests: Int)
    case disk(DiskFaultKind, length: Int64)
    /// Somebody sets the wall clock.
    case setClock(by: Int64)
    case suspend(Int64)
    /// The config is changed and loaded anew.
    case reload(UInt64)
    case lowPower(Bool)
    /// What the figures of one app say from now on.
    case figures(app: Int, Cue)
}

/// Where a process can die: before and after everything that has an effect outside of it.
enum Boundary: String, CaseIterable, Sendable {
    /// Between two jobs.
    case job
    case beforeAppend = "before an append"
    case afterAppend = "after an append"
    case beforeSync = "before a sync"
    case afterSync = "after a sync"
    /// Renames, removals and creations of files.
    case beforeChange = "before a change of the folder"
    case beforeArrival = "before the server accepts"
    case afterArrival = "after the server accepted"
    case beforeOutcome = "before the outcome is taken in"
}

/// What a request can meet.
enum WebFault: Sendable {
    case refused
    /// The connection breaks after the request was sent; whether the server acted on it is the question.
    case reset(accepted: Bool)
    case timeout(accepted: Bool)
    case slow
    /// Too many requests, or unavailable for now: with a wait in seconds in the form given, or none.
    case busy(status: Int, wait: Int64, WaitForm)
    case status(Int)
    /// A success that does not say what it should.
    case garbage(accepted: Bool)

    enum WaitForm: String, CaseIterable, Sendable { case none, seconds, date, milliseconds }
}

enum DiskFaultKind: String, CaseIterable, Sendable {
    case full = "no room"
    case syncFails = "EIO on sync"
    case appendFails = "EIO on append"
    /// Everything fails, even cutting off what was written by halves.
    case dead = "EIO on everything"
}

/// The script of a run: made hour by hour from the seed, so that a long run needs no more memory than a short one.
struct Script: Sendable {
    let seed: UInt64
    /// When set, only these events happen; a failing run is made shorter so.
    var only: Set<Int>?

    private static let hour: Int64 = 3_600_000
    /// More events than this an hour are never made.
    private static let eventsPerHourMax = 1 << 10

    /// How lively each kind of trouble is, in events an hour; every seed mixes its own world.
    private let rates: Rates

    private struct Rates: Sendable {
        var kills: Double
        var web: Double
        var disk: Double
        var clock: Double
        var reloads: Double
        var stories: Double
    }

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed: seed ^ 0x5EED)
        func lively(_ most: Double) -> Double {
            let levels: [Double] = [0, 0.1, 0.3, 1]
            let level = random.pick(levels) ?? 1
            return level * most
        }
        rates = Rates(
            kills: lively(1.5), web: lively(4), disk: lively(0.5), clock: lively(0.15), reloads: lively(0.3),
            stories: max(0.1, lively(1)))
    }

    /// The events of one hour, in order.
    func events(ofHour number: Int64) -> [Event] {
        // Seeds that differ by a multiple of the generator's step would give the same numbers, shifted.
        var mixer = SeededRandom(seed: seed ^ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
        var random = SeededRandom(seed: mixer.next())
        var made: [(at: Int64, what: Adversity)] = []
        func happens(_ rate: Double, _ make: (inout SeededRandom) -> Adversity) {
            var left = rate
            while random.happens(min(left, 1)) {
                made.append((number * Script.hour + Int64(random.below(Int(Script.hour))), make(&random)))
                left /= 2
            }
        }
        happens(rates.kills, Script.kill)
        happens(rates.kills / 10) {
            .stop(downtime: Int64($0.below(600_000)))
        }
        happens(rates.web, Script.web)
        happens(rates.disk) { .disk($0.pick(DiskFaultKind.allCases) ?? .full, length: $0.length(upTo: 7_200_000)) }
        happens(rates.clock) { .setClock(by: ($0.happens(0.5) ? 1 : -1) * (3000 + $0.length(upTo: 7_200_000))) }
        happens(rates.clock) { .suspend($0.length(upTo: 14_400_000)) }
        happens(rates.reloads) { .reload($0.next()) }
        happens(rates.reloads / 4) { .lowPower($0.happens(0.5)) }
        happens(rates.stories) { .figures(app: $0.below(64), $0.pick(Cue.allCases) ?? .fine) }
        happens(rates.stories) { .figures(app: $0.below(64), .fine) }
        return made.sorted { $0.at < $1.at }.prefix(Script.eventsPerHourMax).enumerated().map { place, event in
            Event(id: Int(number) * Script.eventsPerHourMax + place, at: event.at, what: event.what)
        }.filter { only?.contains($0.id) != false }
    }

    private static func kill(_ random: inout SeededRandom) -> Adversity {
        .kill(
            random.pick(Boundary.allCases) ?? .job, after: random.below(4), powerCut: random.happens(0.3),
            downtime: random.happens(0.1) ? random.length(upTo: 7_200_000) : Int64(random.below(30_000)))
    }

    private static func web(_ random: inout SeededRandom) -> Adversity {
        let fault: WebFault =
            switch random.below(12) {
            case 0: .refused
            case 1, 2: .reset(accepted: random.happens(0.5))
            case 3, 4: .timeout(accepted: random.happens(0.5))
            case 5: .slow
            case 6, 7:
                .busy(
                    status: random.happens(0.7) ? 429 : 503, wait: 1 + random.length(upTo: 7_200_000) / 1000,
                    random.pick(WebFault.WaitForm.allCases) ?? .none)
            case 8: .status(random.pick([500, 502, 504, 408]) ?? 500)
            case 9: .status(random.pick([400, 413]) ?? 400)
            case 10: .status(random.pick([401, 403, 404, 410]) ?? 410)
            default: .garbage(accepted: random.happens(0.5))
            }
        let few = random.happens(0.8)
        return .web(host: random.below(6), fault, requests: 1 + random.below(few ? 3 : 40))
    }
}

extension SeededRandom {
    /// A length in milliseconds of which the short ones are as likely as the long ones, order by order.
    mutating func length(upTo most: Int64) -> Int64 {
        let bits = 63 - most.leadingZeroBitCount
        return 1 + Int64(next() >> 1) % min(most, 2 << Int64(below(bits + 1)))
    }
}
