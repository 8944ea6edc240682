import AlertCore
import BotConfig
import BuiltinPlugins
import Foundation
import PluginKit
import Testing

@Suite struct `Memories of the built-in plugins` {
    private let memories = PluginCatalog.builtin.memories

    @Test func `they are called as they are in the journals of every release`() {
        #expect(memories.names == ["learned", "issue_memory", "launch"])
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

    private func withoutLearned(_ record: JSON) throws -> JSON {
        guard case .object(var fact) = record, case .object(var series)? = fact["series"] else { return record }
        series["learned"] = nil
        fact["series"] = .object(series)
        return .object(fact)
    }
}
