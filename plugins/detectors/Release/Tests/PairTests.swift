import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import ReleaseDetector
import Testing

@Suite struct `The two releases that are compared` {
    private static let options: WrittenOptions = ["metric": "crash_free_sessions", "critical": "5pp"]

    private func subject(_ release: String?) -> Subject { Subject(source: "ios", app: "shop", release: release) }

    /// Releases seen once, each with its sessions and how many of them crashed, and what is thought of each.
    struct Case: Sendable, CustomTestStringConvertible {
        let why: String
        let releases: [Release]
        /// Those of which an incident is open.
        var open: [String] = []
        let thought: [String]

        var testDescription: String { why }
    }

    struct Release: Sendable {
        let name: String
        let sessions: Double
        let crashed: Double

        init(_ name: String, _ sessions: Double, _ crashed: Double) {
            self.name = name
            self.sessions = sessions
            self.crashed = crashed
        }
    }

    private static let (good, bad) = (Release("5.1", 20_000, 120), Release("5.2", 4000, 400))

    static let cases = [
        Case(
            why: "a tester's build", releases: [good, bad, Release("6.0-dev", 2, 0)],
            thought: ["5.2 critical", "6.0-dev unknown"]),
        Case(
            why: "several of them", releases: [good, bad, Release("6.0-dev", 2, 0), Release("6.1-dev", 1, 1)],
            thought: ["5.2 critical", "6.0-dev unknown", "6.1-dev unknown"]),
        Case(
            why: "the first users of the next", releases: [good, bad, Release("5.3", 49, 0)], open: ["5.2"],
            thought: ["5.2 critical", "5.3 unknown"]),
        Case(
            why: "enough users of the next", releases: [good, bad, Release("5.3", 900, 5)], open: ["5.2"],
            thought: ["5.2 over", "5.3 fine"]),
        Case(
            why: "a build between both", releases: [good, Release("5.2-beta", 3, 3), bad], thought: ["5.2 critical"]),
        Case(
            why: "builds in brackets",
            releases: [Release("5.9.0 (590)", 20_000, 120), Release("5.10.0 (600)", 4000, 400)],
            thought: ["5.10.0 (600) critical"]),
        Case(
            why: "an old one of which only the code is known",
            releases: [
                Release("580", 9000, 54), Release("5.9.0 (590)", 20_000, 120), Release("5.10.0 (600)", 4000, 400),
            ],
            thought: ["5.10.0 (600) critical"]),
        Case(
            why: "one that was taken back", releases: [Release("5.0", 9000, 54), good, Release("5.2", 30, 3)],
            open: ["5.2"], thought: ["5.1 fine", "5.2 unknown"]),
        Case(
            why: "hardly anybody has any", releases: [Release("5.1", 20, 0), Release("5.2", 30, 3)],
            thought: ["5.2 unknown"]),
        Case(
            why: "nothing before the one that has users", releases: [good, Release("5.2", 30, 3)],
            thought: ["5.2 unknown"]),
        Case(
            why: "nobody has the one before any more",
            releases: [Release("5.1", 20, 0), bad, Release("6.0-dev", 2, 0)],
            thought: ["5.2 unknown", "6.0-dev unknown"]),
    ]

    @Test(arguments: cases)
    func `are the newest with enough users and the next with enough before it`(of seen: Case) throws {
        let rule = try Self.options.detector(ReleaseDetector.self, checksPerDay: 24)
        let now = Moment.rehearsalStart
        let parts = seen.releases.map { release in
            var series = Series()
            let metrics: Metrics = ["sessions": release.sessions, "crashed_sessions": release.crashed]
            series.add(.figures(metrics, of: subject(release.name), at: now, lasting: .hours(1)), keeping: .hours(6))
            return Sight.Entry(subject(release.name), series)
        }
        let tracked = seen.open.map { Sight.Tracked(subject: subject($0), key: nil, severity: .warning, since: now) }
        let findings = rule.findings(in: Sight(subject(nil), parts: parts, tracked: tracked), at: now)
        #expect(
            findings.map { finding in
                let isOver = finding.judgement.evidence.metric == nil
                let word =
                    switch finding.judgement.verdict {
                    case .firing(let severity): severity.rawValue
                    case .ok: isOver ? "over" : "fine"
                    case .unknown: "unknown"
                    }
                return "\(finding.subject?.release ?? "") \(word)"
            } == seen.thought)
    }

    @Test func `stay the same for an incident while a higher version has hardly any users`() throws {
        let plan = DetectorPlan(
            name: "release", detector: try Self.options.detector(ReleaseDetector.self), repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [plan]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        func see(_ releases: [Release]) -> [String] {
            let before = bot.decisions.count
            bot.advance(by: .hours(1))
            bot.see(
                releases.map { release in
                    .figures(
                        ["sessions": release.sessions, "crashed_sessions": release.crashed],
                        of: subject(release.name), at: bot.now, lasting: .hours(1))
                })
            bot.advance(by: .seconds(1))
            return bot.decisions[before...].map { "\($0.kind) \($0.severity.rawValue)" }
        }
        let build = Release("6.0-dev", 2, 1)
        #expect(see([Self.good, Release("5.2", 4000, 100), build]) == ["opened warning"])
        #expect(see([Self.good, Release("5.2", 9000, 1500), build]) == ["escalated critical"])
        #expect(see([Self.good, Release("5.2", 9000, 1500), Release("6.0-dev", 30, 30)]) == [])
        let ends = (0..<6).flatMap { _ in see([Self.good, Release("5.2", 9000, 54), build]) }
        #expect(ends == ["resolved critical"])
        #expect(bot.objections == [])
    }
}
