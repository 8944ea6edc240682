import Chance
import PluginKit
import Testing

@testable import AlertCore

@Suite struct `Long queues` {
    @Test(arguments: SeededRandom.seeds)
    func `whichever messages are replaced, the others wait in their order`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let message = Message(kind: .opened, severity: .warning, at: .earliest, headline: "shop is down")
        // A replay may come to them in another order than that of their numbers.
        var numbers = Array(1...200)
        numbers.swapAt(20, 90)
        var (outbox, waiting) = (Outbox(historyMax: 1000), [Int]())
        for number in numbers {
            let delivery = Delivery(
                id: "d\(number)", channel: "team", number: number, kind: .opened, incident: "i\(number)",
                message: message, queued: .earliest)
            outbox.apply(.delivery(delivery))
            waiting = (waiting + [number]).sorted()
            while random.happens(0.4), let gone = random.pick(waiting) {
                outbox.apply(.done(id: "d\(gone)", .replaced, at: .earliest))
                waiting.removeAll { $0 == gone }
            }
            #expect(Array(outbox.queue("team")) == waiting.map { "d\($0)" })
        }
        #expect(outbox.deliveries.count == waiting.count)
    }
}
