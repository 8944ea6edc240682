import PluginKit
import SourceKit
import Testing

@Suite struct `The order in which a poll visits` {
    @Test(arguments: [(nil, "abc"), ("a", "abc"), ("b", "bca"), ("c", "cab"), ("gone", "abc")] as [(String?, String)])
    func `begins where the poll before broke off`(_ next: String?, _ order: String) {
        let tour = Tour<String>(["a", "b", "c"]) { $0 == next }
        #expect(tour.stops.joined() == order)
        let empty = Tour<String>([]) { $0 == next }
        #expect(empty.stops.isEmpty)
    }

    @Test(arguments: [
        (PollFailure.Reason.rateLimited, 0, "b"), (.rateLimited, 1, "b"), (.rateLimited, 2, "c"),
        (.unavailable, 0, "b"), (.unavailable, 1, "c"), (.timeout, 2, "a"),
    ]) func `goes on where a budget ended, or behind what failed`(
        _ reason: PollFailure.Reason, _ number: Int, _ next: String
    ) {
        let failure = PollFailure(reason, "no")
        #expect(Tour(["a", "b", "c"]).next(after: failure, at: number) == next)
        #expect(Tour(["a"]).next(after: failure, at: 0) == "a")
    }

    @Test func `hears nothing of the rest, unless the failure is of one alone`() {
        #expect(Tour(["a", "b", "c"]).unread(at: 1, isOwn: true) == ["b"])
        #expect(Tour(["a", "b", "c"]).unread(at: 1, isOwn: false) == ["b", "c"])
    }
}
