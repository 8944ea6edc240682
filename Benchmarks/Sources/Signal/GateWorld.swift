internal import AlertModel
internal import Glibc
internal import PluginKit
internal import Preview

/// Something that truly went wrong.
struct TrueTrouble {
    let app: String
    let begin: Moment
    let end: Moment
    /// Whether it comes and goes every ten minutes.
    let wobbles: Bool
}

/// A team's apps, with a backend that they need, and what goes wrong with them.
///
/// Two apps of 1,000,000 users a day, four of 20,000, five of 500, and the backend, of 200,000. Each falls by itself
/// every twelve days on average, by 1, 3 or 10 points, for an hour in the median (a quarter of an hour to twelve
/// hours); one fall in five comes and goes every ten minutes. Every ten days the backend fails for 20 minutes to 3
/// hours, by 30 points, and five to ten minutes later all apps lose 10.
struct GateWorld {
    static let names =
        ["shop-ios", "shop-android"] + (1...4).map { "shop-mid-\($0)" } + (1...5).map { "shop-small-\($0)" } + [
            "backend"
        ]
    static let backend = names.count - 1
    static let learningDays = 21

    let days: Int
    let troubles: [TrueTrouble]
    let outages: [ClosedRange<Moment>]

    private struct Fall {
        let app: Int
        let steps: Range<Int>
        let depth: Double
        let wobbles: Bool
    }

    private let seed: UInt64
    private let falls: [Fall]

    static func users(of app: Int) -> Double { app < 2 ? 1_000_000 : app < 6 ? 20_000 : app < 11 ? 500 : 200_000 }

    init(days: Int, seed: UInt64) {
        self.days = days
        self.seed = seed
        var chance = Chance(seed: seed &* 32_452_843)
        var falls: [Fall] = []
        var troubles: [TrueTrouble] = []
        var outages: [ClosedRange<Moment>] = []
        let (first, last) = (GateWorld.learningDays * 288, (GateWorld.learningDays + days) * 288)
        func add(_ fall: Fall) {
            falls.append(fall)
            troubles.append(
                TrueTrouble(
                    app: GateWorld.names[fall.app], begin: Panel.end(of: fall.steps.lowerBound - 1),
                    end: Panel.end(of: fall.steps.upperBound - 1), wobbles: fall.wobbles))
        }
        var step = first
        while true {
            step += 288 + Int(-log(1 - chance.unit()) * 9 * 288)
            guard step < last - 36 else { break }
            let length = 4 + Int(chance.unit() * 32)
            for app in GateWorld.names.indices {
                let begin = app == GateWorld.backend ? step : step + 1 + Int(chance.unit() * 2)
                add(
                    Fall(
                        app: app, steps: begin..<step + length + 1, depth: app == GateWorld.backend ? 0.3 : 0.1,
                        wobbles: false))
            }
            outages.append(Panel.end(of: step - 1)...Panel.end(of: step + length))
        }
        for app in GateWorld.names.indices {
            var step = first
            while true {
                step += Int(-log(1 - chance.unit()) * 12 * 288)
                let length = Int(min(144, max(3, 12 * exp(chance.normal()))))
                guard step + length < last else { break }
                let depth = [0.01, 0.03, 0.1][Int(chance.unit() * 3)]
                let fall = Fall(app: app, steps: step..<step + length, depth: depth, wobbles: chance.unit() < 0.2)
                step += length + 144
                let isClear = !falls.contains {
                    $0.app == app && $0.steps.overlaps(fall.steps.lowerBound - 72..<fall.steps.upperBound + 72)
                }
                if isClear { add(fall) }
            }
        }
        self.falls = falls
        self.troubles = troubles
        self.outages = outages
    }

    /// Plays the whole stream through rules.
    func played(rules: String) -> Preview {
        var preview = playback(rules: rules)
        var apps = GateWorld.names.indices.map {
            // The night of the world is the apps' own.
            App(
                usersPerDay: GateWorld.users(of: $0), visits: 3, seed: seed &* 977 &+ UInt64($0), phase: 0,
                noise: .slight)
        }
        var windows = GateWorld.names.map { _ in [Tally]() }
        let subjects = GateWorld.names.map { Subject(source: "world", app: $0) }
        for step in 0..<(GateWorld.learningDays + days) * 288 {
            let now = Panel.end(of: step)
            let seen = now + .seconds(30)
            var lines: [ObservationLine] = []
            for app in apps.indices {
                let extra =
                    falls.filter { $0.app == app && $0.steps.contains(step) }
                    .map { $0.wobbles && (step - $0.steps.lowerBound) / 2 % 2 == 1 ? 0 : $0.depth }.max() ?? 0
                windows[app].append(apps[app].next(extra: extra, extraInOneIssue: false))
                if windows[app].count > 12 { windows[app].removeFirst() }
                lines.append(line(windows[app].suffix(1), .minutes(5), subjects[app], now, seen))
                lines.append(line(windows[app][...], .hours(1), subjects[app], now, seen))
            }
            preview.feed(ObservationReader.Batch(seen: seen, lines: lines))
        }
        return preview.finish(now: worldBegin)
    }

    private func line(
        _ tallies: ArraySlice<Tally>, _ length: Duration, _ subject: Subject, _ now: Moment, _ seen: Moment
    ) -> ObservationLine {
        .observed(
            Observation(
                subject: subject, span: TimeSpan(lasting: length, until: now), seen: seen,
                metrics: [
                    .users: tallies.reduce(0) { $0 + $1.users },
                    .crashedUsers: tallies.reduce(0) { $0 + $1.crashed },
                ]))
    }
}
