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

    @Test mutating func `each source has its own troubles, and what is about no source is logged always`() {
        let clock = Note(.warning, "the clock was set by 7 s")
        #expect(said([note("timeout"), clock], after: 0).count == 2)
        #expect(said([note("timeout", of: "web"), clock], of: ["web"], after: 1).count == 2)
        let both = [note("timeout"), note("timeout", of: "web"), clock]
        #expect(said(both, of: ["ios", "web"], after: 2) == [clock.text])
        // No poll has ended, so nothing has.
        #expect(said([], of: [], after: 3) == [])
    }
}
