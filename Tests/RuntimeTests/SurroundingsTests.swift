internal import AlertCore
internal import PluginKit
internal import Synchronization
internal import Testing

@testable import Runtime

@Suite struct SurroundingsTests {
    private let clock: ManualClock
    private let ports: Ports
    private var surroundings: Surroundings

    /// A machine that is low on power from the second look on.
    private final class Laptop: Host {
        private let looks = Mutex(0)

        func isLowOnPower() -> Bool {
            looks.withLock { looks in
                looks += 1
                return looks > 1
            }
        }
        func print(_ text: String, within limit: Duration) -> Printing { .done }
        func log(_ notes: [Note]) {}
        var logsDetails: Bool { false }
    }

    init() {
        let stage = Stage()
        clock = ManualClock(stage)
        var ports = Ports.staged(stage, clock) { _, _ throws(TransportError) in .says(".") }
        ports.host = Laptop()
        self.ports = ports
        surroundings = Surroundings(clock)
    }

    private mutating func news(wasLow: Bool = false) -> [Input] { surroundings.news(ports, wasLow: wasLow) }

    @Test mutating func `a clock that was set is told of once, and by how much`() {
        clock.advance(by: .seconds(50))
        #expect(news().steps == [])
        clock.set(by: .seconds(2))
        #expect(news().steps == [])
        // It counts from when it was last told of, or a clock could be set bit by bit.
        clock.set(by: .milliseconds(1))
        #expect(news().steps == [.milliseconds(2001)])
        #expect(news().steps == [])
        clock.set(by: .hours(-1))
        #expect(news().steps == [.hours(-1)])
    }

    @Test mutating func `the power is looked at once a minute, and told of where it is otherwise than known`() {
        #expect(news().powers == [])
        clock.advance(by: .seconds(59))
        #expect(news().powers == [])
        clock.advance(by: .seconds(1))
        #expect(news().powers == [true])
        clock.advance(by: .minutes(1))
        #expect(news(wasLow: true).powers == [])
    }
}

extension [Input] {
    fileprivate var steps: [Duration] { compactMap { if case .clockStepped(let step) = $0 { step } else { nil } } }
    fileprivate var powers: [Bool] { compactMap { if case .power(let isLow) = $0 { isLow } else { nil } } }
}
