import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing

@testable import ReleaseDetector

/// Nine days of an app, hour by hour: 1.0 alone for two days, then 1.1 comes to nearly all within three.
///
/// Of 1.0 three sessions in a thousand crash, one time in three two at once; what is left of it are some four in a
/// hundred.
private struct SimulatedRelease {
    let sessions: Double
    /// How many times as often 1.1 crashes, by the hour since it came out.
    let badness: (Int) -> Double

    static let hours = 9 * 24
    static let rollout = 48

    /// What is said of 1.1, and how many hours after it came out.
    struct Said: Equatable {
        var opened: [Int] = []
        var over: [Int] = []
        var fine: [Int] = []
    }

    func said(by rule: ReleaseDetector, _ random: inout SeededRandom) -> Said {
        var said = Said()
        var parts = ["1.0", "1.1"].map { Sight.Entry(subject($0), Series()) }
        var (open, wasFine): (Sight.Tracked?, Bool) = (nil, false)
        for hour in 0..<Self.hours {
            let now = Moment.rehearsalStart + .hours(Int64(hour))
            let out = hour - Self.rollout
            let share = out < 0 ? 0 : min(0.96, 0.02 + 0.94 * Double(out) / 72)
            for (index, part) in [(1 - share, 1), (share, badness(out))].enumerated() where part.0 > 0 {
                let total = (sessions * part.0).rounded()
                let bad = crashes(among: total, rate: 0.003 * part.1, &random)
                var series = parts[index].series
                series.remember(rule.needs)
                series.add(
                    .figures(
                        ["sessions": total, "crashed_sessions": bad], of: parts[index].subject, at: now,
                        lasting: .hours(1)), keeping: .hours(6))
                parts[index] = Sight.Entry(parts[index].subject, series)
            }
            let fine = wasFine ? [Sight.Tracked(subject: subject("1.1"), key: "fine", severity: .info, since: now)] : []
            let present = parts.filter { !$0.series.samples.isEmpty }
            let sight = Sight(subject(nil), parts: present, tracked: fine + (open.map { [$0] } ?? []))
            for finding in rule.findings(in: sight, at: now) where finding.subject?.release == "1.1" {
                if finding.key == ReleaseDetector.fineKey {
                    wasFine = finding.judgement.verdict == .firing(.info)
                    if wasFine { said.fine.append(out) }
                } else {
                    follow(finding.judgement, &open, out, at: now, &said)
                }
            }
        }
        return said
    }

    /// What the core makes of it.
    private func follow(
        _ judgement: Judgement, _ open: inout Sight.Tracked?, _ out: Int, at now: Moment, _ said: inout Said
    ) {
        let value = judgement.evidence.figure?.value ?? 1
        switch judgement.verdict {
        case .firing:
            if open == nil { said.opened.append(out) }
            open = tracked(since: open?.since ?? now, worst: min(value, open?.worst?.value ?? 1))
        case .ok(recovered: true):
            if open != nil { said.over.append(out) }
            open = nil
        case .ok(recovered: false):
            open = open.map {
                tracked(
                    since: $0.since, worst: $0.worst?.value ?? 1,
                    better: $0.betterSince ?? judgement.evidence.span?.to)
            }
        case .unknown: open = open.map { tracked(since: $0.since, worst: $0.worst?.value ?? 1) }
        }
    }

    private func tracked(since: Moment, worst: Double, better: Moment? = nil) -> Sight.Tracked {
        Sight.Tracked(
            subject: subject("1.1"), key: nil, severity: .warning, since: since,
            worst: Sight.Tracked.Depth(.crashFreeSessions, worst), betterSince: better)
    }

    private func subject(_ release: String?) -> Subject { Subject(source: "ios", app: "shop", release: release) }
}

@Suite struct `Good news of a release` {
    private static let options: WrittenOptions = [
        "metric": "crash_free_sessions", "worse_by": "0.2pp", "report_fine": "true",
    ]

    private func apps(
        _ count: Int, _ sessions: Double, seed: UInt64, badness: @escaping (Int) -> Double
    ) throws -> [SimulatedRelease.Said] {
        let rule = try Self.options.detector(ReleaseDetector.self, checksPerDay: 24)
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in SimulatedRelease(sessions: sessions, badness: badness).said(by: rule, &random) }
    }

    @Test func `is not told of a release that stays bad while the one before it fades away`() throws {
        let said = try apps(10, 3000, seed: 31) { _ in 2.5 }
        #expect(said.allSatisfy { $0.opened.count == 1 && $0.over == [] && $0.fine == [] }, "\(said), seed 31")
    }

    @Test func `is not told of a bad release in a small app either`() throws {
        let said = try apps(20, 200, seed: 32) { _ in 2.5 }
        #expect(said.allSatisfy { $0.over == [] && $0.fine == [] }, "\(said), seed 32")
    }

    /// On the server, say, while the release stays the newest.
    @Test(arguments: [72, 132], [33, 34] as [UInt64])
    func `is told within a day of a fix under the same name, whether or not many have the old one`(
        fixed: Int, seed: UInt64
    ) throws {
        let said = try apps(10, 3000, seed: seed) { $0 < fixed ? 4 : 1 }
        #expect(
            said.allSatisfy { $0.opened.count == 1 && $0.over.count == 1 && (fixed...fixed + 24).contains($0.over[0]) },
            "\(said), seed \(seed)")
    }

    @Test func `is told within two days of a deep fall in a small app that is over`() throws {
        let said = try apps(10, 200, seed: 35) { $0 < 96 ? 12 : 1 }
        let ends = said.flatMap(\.over)
        #expect(said.allSatisfy { $0.opened.count == 1 } && ends.allSatisfy { $0 >= 96 }, "\(said), seed 35")
        #expect(ends.count { $0 < 144 } >= 8, "\(said), seed 35")
    }

    @Test func `is told of a good release when enough have used both`() throws {
        let said = try apps(10, 3000, seed: 36) { _ in 1 }
        #expect(said.allSatisfy { $0.opened == [] && $0.fine.count == 1 && $0.fine[0] < 60 }, "\(said), seed 36")
    }

    @Test func `is hardly ever told of a release that is worse by just worse_by`() throws {
        let said = try apps(40, 3000, seed: 37) { _ in 5.0 / 3 }
        #expect(said.count { !$0.fine.isEmpty } <= 2, "\(said), seed 37")
    }

    /// Old sessions that nobody has any more.
    @Test func `is told of a fix after the last user of the old release is gone`() throws {
        let rule = try Self.options.detector(ReleaseDetector.self, checksPerDay: 24)
        let bad = Sight.Tracked(
            subject: subject("1.1"), key: nil, severity: .critical, since: .rehearsalStart + .hours(40),
            worst: Sight.Tracked.Depth(.crashFreeSessions, 0.985))
        let parts = [
            part("1.0", hours: 0..<60, crashing: 0.003, rule), part("1.1", hours: 30..<100, crashing: 0.015, rule),
        ]
        func judgement(_ fixed: Range<Int>) throws -> Judgement {
            let parts = [parts[0], part("1.1", hours: fixed, crashing: 0.003, rule, after: parts[1])]
            let now = Moment.rehearsalStart + .hours(Int64(fixed.upperBound))
            return try #require(rule.findings(in: Sight(subject(nil), parts: parts, tracked: [bad]), at: now).first)
                .judgement
        }
        let before = try judgement(100..<101)
        #expect(before.verdict == .firing(.critical))
        #expect(
            before.evidence.sentence.hasPrefix(
                "crash-free sessions 98.70% of 12,000 sessions, 1pp worse than 1.0 (99.70% of 120,000 sessions) over "
                    + "its last 2 d 12 h, with 95% confidence"), "\(before.evidence.sentence)")
        #expect(try judgement(100..<106).verdict == .ok(recovered: true))
        // Without an incident there is nothing to go on with.
        let now = Moment.rehearsalStart + .hours(100)
        let alone = rule.findings(in: Sight(subject(nil), parts: parts), at: now)
        #expect(alone.map(\.judgement.verdict) == [.unknown("no earlier release has figures for the same hours")])
    }

    private func subject(_ release: String?) -> Subject { Subject(source: "ios", app: "shop", release: release) }

    private func part(
        _ release: String, hours: Range<Int>, crashing rate: Double, _ rule: ReleaseDetector,
        after earlier: Sight.Entry? = nil
    ) -> Sight.Entry {
        var series = earlier?.series ?? Series()
        series.remember(rule.needs)
        for hour in hours {
            series.add(
                .figures(
                    ["sessions": 2000, "crashed_sessions": 2000 * rate], of: subject(release),
                    at: .rehearsalStart + .hours(Int64(hour + 1)), lasting: .hours(1)), keeping: .hours(6))
        }
        return Sight.Entry(subject(release), series)
    }
}
