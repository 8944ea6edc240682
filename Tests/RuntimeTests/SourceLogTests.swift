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

    /// What the log says of a push so many minutes after the first.
    private mutating func saidOfPush(_ notes: [Note], after minutes: Int64) -> [String] {
        log.note(.pushed(source: "ios", PollReport(.noData), id: 1))
        return log.news(in: notes, at: .minutes(minutes)).map(\.text)
    }

    @Test mutating func `pushes that come in turn say nothing of each other, and each sentence is said once an hour`() {
        let odd = ["pay1", "pay2"].map { note("alerts of one push give different crash_events for \($0)") }
        #expect(saidOfPush([odd[0]], after: 0).count == 1)
        #expect(saidOfPush([], after: 1) == [], "another group is no end")
        #expect(saidOfPush([odd[0]], after: 2) == [])
        #expect(saidOfPush([odd[0], odd[1]], after: 3) == [odd[1].text], "apps may differ by a digit")
        #expect(saidOfPush([odd[0]], after: 60).count == 1)
    }

    @Test mutating func `of pushes to one source ten sentences an hour are said, of refusals, too`() {
        let said = (0..<30).flatMap { saidOfPush([note("a value of app\($0) is left out")], after: Int64($0)) }
        #expect(said.count == 10)
        let refusals = ([("ios", 31), ("web", 31), ("ios", 60)] as [(String, Int64)]).map {
            log.isNews("refused", ofPushTo: $0, at: .minutes($1))
        }
        #expect(refusals == [false, true, true])
    }

    @Test mutating func `a push is the end of a silence`() {
        log.note(.polled(source: "ios", PollReport(.stale(measured: .earliest)), validators: [:]))
        #expect(log.news(in: [note("nobody pushed")], at: .zero).count == 1)
        #expect(saidOfPush([], after: 1) == ["source ios: answers as it should again"])
    }

    @Test mutating func `a silence that ends with a warning is not over, and the warning is said once`() {
        log.note(.polled(source: "ios", PollReport(.stale(measured: .earliest)), validators: [:]))
        #expect(log.news(in: [note("nobody pushed")], at: .zero).count == 1)
        let odd = note("an alert is left out: $.alerts[1]: expected a label, found none")
        #expect(saidOfPush([odd], after: 1) == [odd.text])
        #expect(saidOfPush([odd], after: 2) == [])
    }

    @Test mutating func `a push that is refused is said once an hour and source, and another mistake at once`() {
        let minutes: [Int64] = [0, 1, 59, 60, 61, 120]
        let ios = minutes.filter { log.isNews("no label", ofPushTo: "ios", at: .minutes($0)) }
        let web = minutes.filter { log.isNews("no label", ofPushTo: "web", at: .minutes($0)) }
        #expect(ios == [0, 60, 120])
        #expect(web == ios)
        let isOtherSaid = log.isNews("no JSON", ofPushTo: "ios", at: .minutes(121))
        #expect(isOtherSaid)
    }

    @Test mutating func `figures that change with each poll make a mismatch no news`() {
        func odd(_ found: String, of app: String = "shop") -> String {
            "\(app): a percentage is left out: $.groups[0].share: expected \(found)%, found 98.9"
        }
        #expect(said([note(odd("97.00"))], after: 0).count == 1)
        #expect(said([note(odd("8.5"))], after: 5) == [])
        #expect(said([note(odd("8.5")), note(odd("97", of: "shop2"))], after: 10).count == 1)
        #expect(said([note("the source answered 500")], after: 15).count == 1)
        #expect(said([note("the source answered 503")], after: 20).count == 1)
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
