import AlertCore
import BotConfig
import BuiltinPlugins
import DropDetector
import Foundation
import PluginKit
import Testing

@Suite struct `Memories of the built-in plugins` {
    private let memories = PluginCatalog.builtin.memories

    @Test func `they are called as they are in the journals of every release`() {
        for name in ["learned", "issue_memory", "launch", "course"] { #expect(memories[name]?.name == name) }
    }

    /// Written by the version before detectors owned their memories.
    @Test func `what an earlier version remembered is read, and written as it was but for what drop learned`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/memories.jsonl")
        let records = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(records.count == 2)
        for record in records {
            let fact = try Fact(JSON(parsing: record), memories)
            // Then the memory of issues alone knew when a subject was first seen.
            let written = try JSON(
                parsing: fact.json.text.replacing(#""first_seen":"2026-11-20T12:30:00Z","#, with: ""))
            #expect(try withoutLearned(written) == withoutLearned(JSON(parsing: record)))
            // What drop learned is written in a newer way, and from then on as it is read.
            #expect(try Fact(JSON(parsing: fact.json.text), memories) == fact)
            if case .figures(.series(_, let series)) = fact { #expect(series.firstSeen != nil) }
        }
    }

    @Test func `a new release begins with what was learned of the others, in a replay, too`() throws {
        let need = DropMemory.Need(metric: "crash_free_sessions", by: 0.005)
        let needs: MemoryNeeds = [MemoryNeed(DropMemory.self, need)]
        var state = State(memories: memories)
        var replayed = State(memories: memories)
        func tell(_ fact: Figures.Fact) throws {
            state.apply(.figures(fact))
            replayed.apply(try Fact(JSON(parsing: Fact.figures(fact).json.text), memories))
        }
        let begin = Moment(milliseconds: 1_795_176_000_000)
        func observed(_ release: String, _ step: Int64) -> Figures.Fact {
            let end = begin + .minutes(5 * step)
            return .observed(
                Observation(
                    subject: Subject(source: "ios", app: "shop", release: release),
                    span: TimeSpan(lasting: .minutes(5), until: end), seen: end,
                    metrics: [.sessions: 1000, .crashedSessions: Double(step % 3)]), keeping: Retention(.hours(1)))
        }
        let (old, new) = (
            Subject(source: "ios", app: "shop", release: "1.0"), Subject(source: "ios", app: "shop", release: "1.1")
        )
        try tell(.learning(old, needs))
        for step in 1...1200 as ClosedRange<Int64> { try tell(observed("1.0", step)) }
        try tell(.learning(new, needs))
        try tell(observed("1.1", 1201))
        let memory = try #require(state.figures.series[new]?.memory(DropMemory.self, need))
        #expect(memory.isReady)
        let usual = try #require(state.figures.series[old]?.memory(DropMemory.self, need)?.usual)
        #expect(abs(try #require(memory.usual) - usual) < 1e-5)
        let isSame = replayed.figures.series == state.figures.series
        #expect(isSame)
    }

    private func withoutLearned(_ record: JSON) throws -> JSON {
        guard case .object(var fact) = record, case .object(var series)? = fact["series"] else { return record }
        series["learned"] = nil
        // There was none yet.
        series["course"] = nil
        fact["series"] = .object(series)
        return .object(fact)
    }
}
