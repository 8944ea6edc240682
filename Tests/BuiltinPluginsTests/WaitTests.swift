import PluginKit
import PluginTesting
import SourceFakes
import Testing

/// What a service asks for is kept to, whichever answer says so.
@Suite struct `A wait that a service asks for` {
    @Test(arguments: SourceFake.polled.filter { $0.bodies.isEmpty }, [429, 503])
    func `is kept to, whichever answer of a poll it comes with`(_ fake: SourceFake, _ status: Int) throws {
        let (source, poll, respond) = (try fake.source(), try fake.poll(), try fake.responder())
        let right = PlayedPoll(source, poll) { .answered(respond($0)) }
        let count = right.requests.count - right.tokenRequests
        let wait = Duration.seconds(3600)
        let busy = HTTPResponse(status: status, headers: [("Retry-After", "\(wait.components.seconds)")])
        for first in 0..<count {
            var number = 0
            let played = PlayedPoll(source, poll, token: { .answered(respond($0)) }) { request in
                defer { number += 1 }
                return .answered(number < first ? respond(request) : busy)
            }
            let until = try #require(played.report?.wait, "answer \(first + 1) of \(count)")
            #expect(until >= poll.now + wait, "answer \(first + 1) of \(count)")
        }
    }
}
