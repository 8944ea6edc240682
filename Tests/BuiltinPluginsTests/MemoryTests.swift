import AlertCore
import BotConfig
import BuiltinPlugins
import Foundation
import PluginKit
import Testing

@Suite struct `Memories of the built-in plugins` {
    private let memories = PluginCatalog.builtin.memories

    @Test func `they are called as they are in the journals of every release`() {
        #expect(Set(memories.names).isSuperset(of: ["learned", "issue_memory", "launch"]))
    }

    /// Written by the version before detectors owned their memories.
    @Test func `what an earlier version remembered is read, and written as it was`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/memories.jsonl")
        let records = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(records.count == 2)
        for record in records {
            let fact = try Fact(JSON(parsing: record), memories)
            // Then the memory of issues alone knew when a subject was first seen.
            #expect(fact.json.text.replacing(#""first_seen":"2026-11-20T12:30:00Z","#, with: "") == record)
            if case .figures(.series(_, let series)) = fact { #expect(series.firstSeen != nil) }
        }
    }
}
