internal import AlertCore
internal import PluginKit
internal import Testing

@testable import Runtime

@Suite struct SourceLogTests {
    private var log = SourceLog()

    private func note(_ text: String, of source: String = "ios") -> Note {
        Note(.warning, "source \(source): \(text)", ["source": source])
    }

    /// What the log says of polls that end so many minutes after the first.
    private mutating func said(_ notes: [Note], of polled: Set<String> = ["ios"], after minutes: Int64) -> [String] {
        for source in polled.sorted() { log.note(.polled(source: source, PollReport(.noData), validators: [:])) }
        return log.news(in: notes, at: .minutes(minutes)).map(\.text)
    }

    @Test mutating func `a trouble that lasts is logged when it begins, and once an hour`() {
        let minutes = [0, 5, 30, 59, 60, 65, 119, 120].filter { !said([note("timeout")], after: $0).isEmpty }
        #expect(minutes == [0, 60, 120])
    }

    @Test mutating func `what changes and what ends is logged at once`() {
        #expect(said([note("timeout")], after: 0) == ["source ios: timeout"])
        #expect(said([note("timeout"), note("refused")], after: 1) == ["source ios: refused"])
        #expect(said([note("timeout")], after: 2) == [])
        #expect(said([note("refused")], after: 3) == ["source ios: refused"])
        #expect(said([], after: 4) == ["source ios: answers as it should again"])
        #expect(said([], after: 5) == [])
        #expect(said([note("timeout")], after: 6) == ["source ios: timeout"])
    }

    @Test mutating func `an answer like the one before is as bad, and after a failure it is the end`() {
        func poll(_ outcome: PollOutcome) -> Input {
            .polled(source: "ios", PollReport(outcome), validators: [:])
        }
        #expect(said([note("a row is left out")], after: 0) == ["source ios: a row is left out"])
        log.note(poll(.unchanged))
        #expect(log.news(in: [], at: .minutes(1)).isEmpty)
        log.note(poll(.failed(PollFailure(.timeout, "timeout"))))
        #expect(log.news(in: [note("timeout")], at: .minutes(2)).map(\.text) == ["source ios: timeout"])
        log.note(poll(.unchanged))
        #expect(log.news(in: [], at: .minutes(3)).map(\.text) == ["source ios: answers as it should again"])
    }

    @Test mutating func `each source has its own troubles, and what is about no source is logged always`() {
        let clock = Note(.warning, "the clock was moved by 7 s")
        #expect(said([note("timeout"), clock], after: 0).count == 2)
        #expect(said([note("timeout", of: "web"), clock], of: ["web"], after: 1).count == 2)
        let both = [note("timeout"), note("timeout", of: "web"), clock]
        #expect(said(both, of: ["ios", "web"], after: 2) == [clock.text])
        // No poll has ended, so nothing has.
        #expect(said([], of: [], after: 3) == [])
    }
}
