internal import AlertCore
internal import AlertTesting
internal import Foundation
internal import Journal
internal import PluginKit
internal import Runtime
internal import Testing

/// Journals that earlier releases wrote, kept as they were: every later release reads them.
@Suite struct OldJournalTests {
    private func disk(_ release: String) throws -> ShortDisk {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/journal-\(release)")
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[name] = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
        }
        return ShortDisk(files)
    }

    @Test func `a journal of release 0_1 is replayed whole`() throws {
        let disk = try disk("0.1")
        var kinds: Set<String> = []
        try JournalReader(disk).forEach { record in
            kinds.insert(try JSONReader(JSON(parsing: record.payload)).member("kind").string())
        }
        #expect(
            kinds == [
                "channel", "delivery", "delivery_ended", "forgotten", "incident", "incident_ended", "mute",
                "mute_ended",
                "numbering", "observed", "retried", "series", "source",
            ])

        let (state, report) = try State.reading(disk, .none)
        #expect(report.notices == [])
        #expect((report.records, report.lastSeq) == (70, 176))
        #expect(state.schedule.sources.keys.sorted() == ["android", "ios"])
        #expect(state.mutes.inOrder.map(\.reason) == ["release freeze"])
        #expect(state.incidents.count == 2)
        #expect(state.outbox.deliveries.count == 1)
        #expect(state.outbox.history.count == 10)
        #expect(state.figures.series.count == 3)
    }

    @Test func `a bot goes on from a journal of release 0_1 and writes it anew as its own`() throws {
        let disk = try disk("0.1")
        var state = State()
        do {
            var ledger = try Ledger(opening: disk, rebuilding: &state)
            try ledger.compact(state, at: .rehearsalStart)
        }
        let (again, report) = try State.reading(disk.afterPowerCut, .none)
        #expect(again.durable == state.durable)
        #expect(report.notices == [])
        // Each record of a snapshot has the number of the last that it stands for.
        var numbers: Set<UInt64> = []
        try JournalReader(disk.afterPowerCut).forEach { numbers.insert($0.seq) }
        #expect(numbers.count == 1)
    }
}
