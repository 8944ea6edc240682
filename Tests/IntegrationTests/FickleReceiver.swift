import BotHarness
import Chance
import Foundation
import Synchronization

extension SeededRandom {
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

/// A receiver that treats some requests badly, and remembers which messages it has taken, whatever it answered.
final class FickleReceiver: Sendable {
    /// What can go wrong with one request.
    enum Fault: String, CaseIterable {
        case serverError = "500"
        case unavailable = "503 with Retry-After"
        case tooMany = "429"
        case hangUpBeforeReading = "hung up before reading"
        case hangUpAfterTaking = "hung up after taking"
        case slow = "slow"
        case garbage = "garbage"

        /// Whether the message is taken all the same.
        var takes: Bool { [.hangUpAfterTaking, .slow, .garbage].contains(self) }
        /// Whether nobody on the other side can know what became of the message.
        var losesAnswer: Bool { [.hangUpBeforeReading, .hangUpAfterTaking, .garbage].contains(self) }

        /// - Parameter well: what it would be answered otherwise.
        func reply(insteadOf well: LoopbackServer.Reply) -> LoopbackServer.Reply {
            switch self {
            case .serverError: .answer(500, [:], "rollup_error")
            case .unavailable: .answer(503, ["Retry-After": "1"])
            case .tooMany: .answer(429, ["Retry-After": "1"], "rate_limited")
            case .hangUpBeforeReading, .hangUpAfterTaking: .hangUp
            case .slow: .late(.milliseconds(300), well)
            case .garbage: .raw(Array("\u{1}\u{2}ok ok ok\r\n\r\n".utf8))
            }
        }
    }

    private struct Memory {
        var chance: SeededRandom
        var isCalm = false
        var taken: [LoopbackServer.Request] = []
        var faults: [Fault: Int] = [:]
        var tries: [KillLedger.Word: Int] = [:]

        mutating func fault(among faults: [Fault], oneIn count: Int) -> Fault? {
            guard !isCalm, chance.oneIn(count), let fault = faults.randomElement(using: &chance) else { return nil }
            self.faults[fault, default: 0] += 1
            return fault
        }
    }

    private let server: LoopbackServer
    private let memory: Mutex<Memory>
    private let words: @Sendable (LoopbackServer.Request) -> [KillLedger.Word]
    private let taking: @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply

    /// Back-off doubles from try to try; a message that was treated badly so often is spared, or the test would wait
    /// for minutes in its end.
    private static let faultsPerMessageMax = 4

    /// - Parameters:
    ///   - words: what a request says, so that a message is known again.
    ///   - taking: what the service does with a request that it takes, and answers.
    init(
        seed: UInt64, words: @escaping @Sendable (LoopbackServer.Request) -> [KillLedger.Word],
        taking: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply = { _ in .answer(200, [:], "ok") }
    ) throws {
        self.words = words
        self.taking = taking
        server = try LoopbackServer { _ in .hangUp }
        memory = Mutex(Memory(chance: SeededRandom(seed: seed)))
        server.slamDoor { [weak self] in
            self?.memory.withLock { $0.fault(among: [.hangUpBeforeReading], oneIn: 24) } != nil
        }
        server.change { [weak self] request in self?.answer(request) ?? .hangUp }
    }

    private func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let words = words(request)
        return memory.withLock { memory in
            let tries = words.map { memory.tries[$0, default: 0] }.max() ?? 0
            for word in words { memory.tries[word, default: 0] += 1 }
            let faults = Fault.allCases.filter { $0 != .hangUpBeforeReading }
            let fault = tries < FickleReceiver.faultsPerMessageMax ? memory.fault(among: faults, oneIn: 4) : nil
            guard fault?.takes ?? true else { return fault?.reply(insteadOf: .hangUp) ?? .hangUp }
            memory.taken.append(request)
            let well = taking(request)
            return fault?.reply(insteadOf: well) ?? .late(.milliseconds(5), well)
        }
    }

    var url: String { server.url }
    /// Every request that came, taken or not.
    var requests: [LoopbackServer.Request] { server.requests }
    var taken: [LoopbackServer.Request] { memory.withLock(\.taken) }
    var faults: [Fault: Int] { memory.withLock(\.faults) }

    /// Takes and answers everything well from now on.
    func calmDown() { memory.withLock { $0.isCalm = true } }
    func stop() { server.stop() }
}
