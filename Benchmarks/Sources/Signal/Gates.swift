internal import AlertCore
internal import AlertModel
internal import Measuring
internal import Preview

/// What gates spare and what they cost: the same world, with one gate at a time.
struct GateReport {
    /// A gate with what the config says of it.
    private struct Entry {
        let title: String
        let rules: String
    }

    private static let entries = [
        Entry(title: "no gate", rules: ""),
        Entry(
            title: "`mute`, ten days of `shop-ios`",
            rules: "freeze: {plugin: mute, match: {app: shop-ios}, from: 2026-11-01, until: 2026-11-11}"),
        Entry(title: "`quiet_hours`", rules: "nights: {plugin: quiet_hours, between: 22:00-07:00}"),
        Entry(
            title: "`quiet_hours`, `except: critical`",
            rules: "nights: {plugin: quiet_hours, between: 22:00-07:00, except: critical}"),
        Entry(title: "`repeat`, `every: 1h`", rules: "nag: {plugin: repeat, every: 1h}"),
        Entry(title: "`repeat`, `every: 8h`", rules: "nag: {plugin: repeat, every: 8h}"),
        Entry(title: "`flapping`", rules: "wobble: {plugin: flapping}"),
        Entry(title: "`budget`, `10 per 1h`", rules: "calm: {plugin: budget, at_most: 10 per 1h}"),
        Entry(
            title: "`budget`, `3 per 1h`, `except: critical`",
            rules: "calm: {plugin: budget, at_most: 3 per 1h, except: critical}"),
        Entry(title: "`group`", rules: "together: {plugin: group}"),
        Entry(title: "`group`, `by: [source]`, `wait: 10m`", rules: together),
        Entry(title: "`depends_on` the backend", rules: backendFirst),
        Entry(title: "the two above in this order", rules: together + "\n" + backendFirst),
        Entry(title: "`escalate`", rules: "wake-up: {plugin: escalate, to: oncall}"),
    ]
    private static let together = "together: {plugin: group, by: [source], wait: 10m}"
    private static let backendFirst =
        "backend-first: {plugin: depends_on, match: {app: shop-*}, when: {app: backend}}"

    private static let ruleSets = [
        (
            "The example rules",
            """
            crash-free-floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 99.0%"}
            crash-free-drop: {plugin: drop}
            """
        ),
        (
            "The bare number of the last five minutes below 99 %",
            """
            bare: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 5m, confidence: off, min_volume: 0}
            """
        ),
    ]

    static func write(days: Int, seed: UInt64) {
        let world = GateWorld(days: days, seed: seed)
        print("\n## Gates")
        for (title, rules) in ruleSets {
            print("\n### \(title)\n")
            print(
                "\(days) days of \(GateWorld.names.count) apps; \(world.troubles.count) true troubles, "
                    + "\(world.outages.count) outages that hit them all.\n")
            let table = Table(
                "gates, \(title)",
                [
                    "gate", "messages an app-month", "of them 22 to 7", "reminders", "an outage", "a wobbling fall",
                    "most in an hour",
                    "reported later, %", "later by, min", "reported only when over, or never, %", "to `oncall`",
                ])
            var without: [Moment?] = []
            for entry in entries {
                let told = Told(world.played(rules: rules + "\n" + entry.rules).decisions, world)
                if without.isEmpty { without = told.firsts }
                table.add(told.row(entry.title, without))
            }
        }
    }
}

/// What a channel was told in the world.
private struct Told {
    private let sent: [DecisionRecord]
    private let world: GateWorld
    private let toOthers: Int
    /// For each true trouble, when the channel first heard of it while it went on; nil where it never did.
    let firsts: [Moment?]

    init(_ decisions: [DecisionRecord], _ world: GateWorld) {
        let begin = Panel.end(of: GateWorld.learningDays * 288)
        let all = decisions.filter { $0.decision == .send && $0.at >= begin }
        let sent = all.filter { $0.channel == "team" }
        self.sent = sent
        self.world = world
        toOthers = all.count - sent.count
        var byApp: [String: [(at: Moment, since: Moment)]] = [:]
        for record in sent where record.kind != .resolved {
            for incident in record.message.incidents {
                byApp[incident.subject.app, default: []].append((record.at, incident.since))
            }
        }
        firsts = world.troubles.map { trouble in
            byApp[trouble.app]?.first { $0.since >= trouble.begin && $0.since <= trouble.end + .minutes(30) }?.at
        }
    }

    private var mostInAnHour: Int {
        var (most, first) = (0, 0)
        for (index, record) in sent.enumerated() {
            while record.at - sent[first].at >= .hours(1) { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    func row(_ title: String, _ without: [Moment?]) -> [String] {
        let months = Double(world.days * GateWorld.names.count) / 30
        let night = sent.count { record in
            let hour = record.at.milliseconds / 3_600_000 % 24
            return hour >= 22 || hour < 7
        }
        let inOutages = sent.count { record in
            world.outages.contains { $0.lowerBound <= record.at && record.at <= $0.upperBound + .hours(3) }
        }
        let wobbling = world.troubles.filter(\.wobbles)
        let inWobbles = wobbling.map { trouble in
            sent.count { record in
                trouble.begin <= record.at && record.at <= trouble.end + .hours(1)
                    && record.message.incidents.contains { $0.subject.app == trouble.app }
            }
        }
        var (later, known, lost) = ([Double](), 0, 0)
        for (trouble, (with, plain)) in zip(world.troubles, zip(firsts, without)) {
            guard let plain else { continue }
            known += 1
            if let with, with <= max(trouble.end, plain) {
                if with > plain { later.append((with - plain).inSeconds / 60) }
            } else {
                lost += 1
            }
        }
        return [
            title, fixed(Double(sent.count) / months, 1), fixed(Double(night) / months, 1),
            fixed(Double(sent.count { $0.kind == .reminder }) / months, 1),
            world.outages.isEmpty ? "–" : fixed(Double(inOutages) / Double(world.outages.count), 1),
            wobbling.isEmpty ? "–" : fixed(Double(inWobbles.reduce(0, +)) / Double(wobbling.count), 1),
            "\(mostInAnHour)", percent(later.count, of: known),
            later.isEmpty ? "–" : [0.5, 0.9].map { fixed(quantile(later, $0) ?? 0, 1) }.joined(separator: " "),
            percent(lost, of: known), fixed(Double(toOthers) / months, 1),
        ]
    }
}
