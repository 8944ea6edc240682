internal import Synchronization
internal import Testing

@testable import Runtime

@Suite(.timeLimit(.minutes(5))) struct WatchersTests {
    @Test func `whoever is slow hears once of several turns, and then the end`() async {
        var watchers = Watchers()
        let (first, second) = (watchers.add { _ in }, watchers.add { _ in })
        watchers.ring()
        watchers.ring()
        watchers.end()
        for bell in [first, second] {
            var rings = 0
            for await _ in bell { rings += 1 }
            #expect(rings == 1)
        }
    }

    @Test func `whoever leaves is told of by number at once, and who stays at the end`() async {
        var watchers = Watchers()
        let left = Mutex<[Int]>([])
        let staying = watchers.add { id in left.withLock { $0.append(id) } }
        let leaving = watchers.add { id in left.withLock { $0.append(id) } }
        let listening = Task { for await _ in leaving {} }
        listening.cancel()
        await listening.value
        let gone = left.withLock(\.self)
        #expect(gone.count == 1)
        for id in gone { watchers.drop(id) }
        watchers.end()
        for await _ in staying {}
        #expect(Set(left.withLock(\.self)).count == 2)
    }
}
