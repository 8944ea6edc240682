import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

/// Sources whose figures are days late: who reads of an alarm must not take it for today's.
@Suite struct `Spans that ended long before they are judged` {
    private static let floor: WrittenOptions = ["metric": "crash_free_users", "warning": "< 99.5%"]

    private func evidence(_ age: Duration) throws -> Evidence {
        let series = Series(["users": 10_000, "crashed_users": 90], to: .noon - age)
        return try Self.floor.rule().judge(series, at: .noon).evidence
    }

    @Test(arguments: [Duration.zero, .days(1)])
    func `are the last hour for a day`(age: Duration) throws {
        let evidence = try evidence(age)
        #expect(evidence.sentence.contains(", below 99.5% over the last 1 h; at best "), "\(evidence.sentence)")
        #expect(evidence.phrase == Phrase(.reasonAtMost))
    }

    @Test func `are told with their end after that`() throws {
        let evidence = try evidence(.hours(25))
        #expect(
            evidence.sentence.contains(", below 99.5% over 1 h until Thu 19 Nov 11:00 UTC; at best "),
            "\(evidence.sentence)")
        let phrase = try #require(evidence.phrase)
        let text = Words.english.text(phrase, of: evidence) { $0.description }
        #expect(
            text.hasSuffix("% over 1 h until 2026-11-19T11:00:00Z, even on a generous count."), "\(text)")
    }
}
