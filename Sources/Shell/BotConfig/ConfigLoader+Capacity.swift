internal import AlertCore
internal import PluginKit
internal import YAMLKit

// Whether the polls that a config asks for fit into the limits that it sets: a warning, for how fast services answer is
// known only when they are asked.

extension ConfigLoader {
    /// What an answer may well take. Public APIs need some tenths of a second, and who is nearer has room to spare.
    private static let answerTime = Duration.milliseconds(500)

    mutating func checkCapacity(_ entries: [Entry], _ plan: Plan) {
        guard !reader.problems.contains(where: { $0.level == .error }) else { return }
        var hosts: [String: (rate: Double, count: Int)] = [:]
        var all = 0.0
        for source in plan.sources where !source.isPushed {
            let rate = 1 / source.every.inSeconds
            all += rate
            guard let host = source.host else { continue }
            hosts[host, default: (0, 0)].rate += rate
            hosts[host, default: (0, 0)].count += 1
        }
        let position =
            (entries.first { $0.key == "polling" } ?? entries.first { $0.key == "sources" })?.keyMark.position
        guard let position else { return }
        for (host, asked) in hosts.sorted(by: { $0.key < $1.key }) {
            let sources = asked.count == 1 ? "one source polls" : "\(asked.count) sources poll"
            checkFit(
                "\(sources) \(host)", asked.rate, plan.pollsMax(to: host), PollingSettings.perHost.name, at: position)
        }
        let sources = plan.sources.count == 1 ? "the source polls" : "all sources poll"
        checkFit(sources, all, plan.concurrency, PollingSettings.concurrency.name, at: position)
    }

    private mutating func checkFit(_ who: String, _ rate: Double, _ atOnce: Int, _ key: String, at position: Position) {
        let room = Double(atOnce) / rate
        guard room < ConfigLoader.answerTime.inSeconds else { return }
        let times = rate == 1 ? "once" : "\((rate < 10 ? (rate * 10).rounded() / 10 : rate.rounded()).plain) times"
        reader.report(
            Problem(
                position,
                "\(who) \(times) a second, \(atOnce) at a time: polls run late unless each is answered within "
                    + "\(Int(room * 1000)) ms",
                advice: "raise '\(key)', or poll less often", level: .warning))
    }
}
