import PluginKit
import Testing

@testable import PushSource

@Suite struct `The first push of alerts` {
    /// From when on the app is known, by the observation that stands before its alerts; nil where there is none.
    private func beginning(ofAlertsSince starts: [String]) throws -> String? {
        let alerts = starts.enumerated().map { number, start in
            #"{"status":"firing","labels":{"alertname":"n"},"fingerprint":"\#(number)","startsAt":"\#(start)"}"#
        }
        let source = try source(["format": "grafana", "app": "a"])
        let report = try source.read(push(#"{"alerts":[\#(alerts.joined(separator: ","))]}"#))
        guard case .values(let seen) = report.outcome else { return nil }
        #expect(seen.flatMap(\.issues).count == starts.count)
        return seen.first { $0.issues.isEmpty }?.seen.description
    }

    @Test(
        arguments: [
            (["2026-11-20T23:31:00Z"], "2026-11-20T23:30:59.999Z"),
            (["2026-11-20T07:01:00Z", "2026-11-20T23:31:00Z"], "2026-11-20T07:00:59.999Z"),
            (["2026-11-18T23:31:00Z", "2026-11-20T23:31:00Z"], "2026-11-20T23:30:59.999Z"),
            (["2026-11-20T23:31:00Z", "2026-11-18T23:31:00Z", "2026-11-20T07:01:00Z"], "2026-11-20T07:00:59.999Z"),
            (["2026-11-18T23:31:00Z", "2026-11-19T23:31:00Z"], nil),
            (["2026-11-21T00:02:00Z"], "2026-11-21T00:00:59.999Z"),
        ] as [([String], String?)])
    func `begins before the oldest of the last day, so that one that has burnt for longer hides none`(
        _ starts: [String], _ expected: String?
    ) throws {
        #expect(try beginning(ofAlertsSince: starts) == expected)
    }
}
