internal import AlertCore
internal import AlertTesting
internal import Journal
internal import JournalTesting
internal import Measuring
internal import PluginKit
internal import Runtime

/// A way through the core that is taken so often that its length counts.
enum Path: String, CaseIterable {
    case quiet, open, storm, write, read

    /// What one of its items is.
    var item: String {
        switch self {
        case .quiet: "an app in a poll: new figures, all is well"
        case .open: "an app in a poll: new figures of an open incident"
        case .storm: "an incident: opened, written about, sent, reported as delivered"
        case .write: "a change written to the journal"
        case .read: "a change read from the journal at a start"
        }
    }

    private static let apps = 100
    private static let polls = 10
    private static let troubles = 500
    /// Until spans that slide are let go of as fast as they come.
    private static let pollsBefore = 5

    /// Takes the way, and gives back how many items that was. Nothing but the way itself is counted.
    func take() throws -> Int {
        switch self {
        case .quiet, .open:
            var world = try World(apps: Path.apps)
            for _ in 0..<Path.pollsBefore { world.poll(isBad: self == .open) }
            world.counts = true
            for _ in 0..<Path.polls { world.poll(isBad: self == .open) }
            let messages = self == .open ? Path.apps : 0
            try expect(messages, world.messages, "messages")
            try expect(messages, world.state.incidents.count, "open incidents")
            return Path.apps * Path.polls
        case .storm:
            var world = try World(apps: Path.troubles)
            world.poll(isBad: false)
            world.counts = true
            world.poll(isBad: true)
            try expect(Path.troubles, world.messages, "messages")
            try expect(0, world.state.outbox.deliveries.count, "messages that wait")
            return Path.troubles
        case .write:
            let facts = try Path.facts()
            try expect(facts.count, Int(Path.write(facts, to: MemoryDisk(), counts: true)), "records")
            return changes(facts)
        case .read:
            let facts = try Path.facts()
            let disk = MemoryDisk()
            try Path.write(facts, to: disk, counts: false)
            var times = 0
            let read = try countedByCallgrind(&times) { try State.reading(disk, .none) }
            try expect(Path.apps, read.state.incidents.count, "open incidents")
            try expect(facts.count, Int(read.report.lastSeq), "records")
            return changes(facts)
        }
    }

    /// What a bot writes of quiet polls, of a storm, and of polls while its incidents are open.
    private static func facts() throws -> [Fact] {
        var world = try World(apps: apps)
        world.keepsFacts = true
        for poll in 0..<2 * polls { world.poll(isBad: poll >= polls) }
        return world.facts
    }

    /// One record may tell of many apps.
    private func changes(_ facts: [Fact]) -> Int { facts.reduce(0) { $0 + $1.size } }

    /// Gives back the number of the last record.
    @discardableResult
    private static func write(_ facts: [Fact], to disk: MemoryDisk, counts: Bool) throws -> UInt64 {
        var writer = try JournalWriter.open(disk) { _ in }
        let at = Moment.rehearsalStart.description
        func append() throws {
            for fact in facts { try writer.append(at: at, about: fact.topic) { fact.write(to: &$0) } }
            try writer.commit()
        }
        var times = 0
        if counts { try countedByCallgrind(&times, append) } else { try append() }
        return writer.committedSeq
    }

    /// A way that leads somewhere else has another length for no good reason.
    @discardableResult
    private func expect(_ count: Int, _ found: Int, _ what: String) throws -> Int {
        guard found == count else {
            throw BenchmarkFailure("\(rawValue): there are \(found) \(what), expected \(count)")
        }
        return found
    }
}
