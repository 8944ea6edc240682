import PluginKit
import PluginTesting
import SourceFakes
import Testing

/// Polls in which the vendor refuses some of what it is asked, whichever that is.
@Suite struct `A refusal in the middle of a poll` {
    private static let asked = SourceFake.polled.filter { $0.bodies.isEmpty }

    private let refusal = { (status: Int) in HTTPResponse(status: status, headers: [("Retry-After", "3600")]) }

    /// Polls a vendor that refuses those of its answers; tokens are no answers of its own.
    private func play(_ fake: SourceFake, refusing refused: some RangeExpression<Int>, with status: Int) throws
        -> PlayedPoll
    {
        let respond = try fake.responder()
        var number = 0
        return PlayedPoll(try fake.source(), try fake.poll(), token: { .answered(respond($0)) }) { request in
            defer { number += 1 }
            return .answered(refused.contains(number) ? refusal(status) : respond(request))
        }
    }

    private func answerCount(_ fake: SourceFake) throws -> Int {
        let right = try play(fake, refusing: 0..<0, with: 500)
        return right.requests.count - right.tokenRequests
    }

    @Test(arguments: asked, [429, 503])
    func `is kept to where it asks to wait`(_ fake: SourceFake, _ status: Int) throws {
        for first in 0..<(try answerCount(fake)) {
            let until = try #require(try play(fake, refusing: first..., with: status).report?.wait, "from \(first) on")
            #expect(try until >= fake.poll().now + .hours(1), "from \(first) on")
        }
    }

    @Test(arguments: asked, [401, 403, 404, 429, 500])
    func `makes no figure look better or worse`(_ fake: SourceFake, _ status: Int) throws {
        let right = Set(figures(try play(fake, refusing: 0..<0, with: status)))
        #expect(!right.isEmpty || ["glitchtip", "bugsink", "rollbar", "http_json in pages"].contains(fake.name))
        for first in 0..<(try answerCount(fake)) {
            let one = figures(try play(fake, refusing: first...first, with: status))
            let all = figures(try play(fake, refusing: first..., with: status))
            #expect((one + all).filter { !right.contains($0) } == [], "at \(first)")
        }
    }

    /// Each figure with what it is about. Names can be refused, too: apps go by their ids then, and versions by their codes.
    private func figures(_ played: PlayedPoll) -> [String] {
        played.observations.flatMap { seen in
            let release = seen.subject.release.map { $0.split(separator: "(").last?.filter { $0 != ")" } ?? $0 }
            let subject = "\(release ?? "whole") \(seen.subject.environment ?? "-")"
            return seen.metrics.entries.map { entry in
                "\(subject), \(seen.span.from) to \(seen.span.to): \(entry.name) \(entry.value)"
            }
        }
    }
}
