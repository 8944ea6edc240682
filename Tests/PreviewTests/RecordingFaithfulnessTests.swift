internal import AlertCore
internal import AlertTesting
internal import Journal
internal import JournalTesting
internal import PluginKit
internal import Preview
internal import Testing

@testable import Runtime

/// What the running bot has recorded, played by the same config, must say what the bot said, to the byte: with polls
/// that take time, failures with their words, late figures, and kills in the middle of a line.
@Suite struct RecordingFaithfulnessTests {
    @Test(arguments: 1...100)
    func `a recording played says what the bot said`(seed: UInt64) throws { try compare(World(seed: seed)) }

    /// Both answers wait while the bot is busy, and it takes them in together.
    @Test(arguments: 1...30)
    func `so it does where answers of two sources come at the same instant`(seed: UInt64) throws {
        try compare(World(seed: seed, sourcesMeet: true))
    }

    private func compare(_ world: World) throws {
        let seed = world.seed
        var bot = LiveBot(world)
        try bot.start()
        for restart in world.restarts {
            bot.advance(to: restart)
            bot.kill()
            let last = try #require(try Recording.files(in: bot.recording).last)
            bot.recording[last.description] += Array(#"{"source":"ios","app":"sho"#.utf8)
            try bot.start()
        }
        let end = Moment.rehearsalStart + world.length
        bot.advance(to: end)
        bot.kill()

        let played = try play(bot.recording, world, until: end)
        let decisions = played.decisions.map { "\($0.at) \($0.logLine(waits: false))" }
        #expect(firstDifference(bot.decided, decisions) == nil, "seed \(seed)")
        let messages = played.decisions.compactMap { record in
            record.delivery.map { "\(record.at) \(record.channel) \($0) \(record.message.json.text)" }
        }
        #expect(firstDifference(bot.posted.sorted(), messages.sorted()) == nil, "seed \(seed)")
    }

    private func play(_ disk: MemoryDisk, _ world: World, until end: Moment) throws -> Preview {
        let files = try Recording.files(in: disk)
        var reader = ObservationReader(
            name: files.first?.description ?? "", sources: Set(world.plan.sources.map(\.name)))
        var playback = Playback(world.plan, until: end)
        for (index, name) in files.enumerated() {
            if index > 0 { reader.goOn(with: name.description) }
            let file = try disk.openToRead(name.description)
            reader.take(try file.read(at: 0, bytesMax: file.bytesCount()))
            while let batch = reader.nextBatch() { playback.feed(batch) }
        }
        reader.finish(isGrowing: true)
        while let batch = reader.nextBatch() { playback.feed(batch) }
        #expect(reader.brokenCount == 0 && reader.lateCount == 0)
        return playback.finish(now: end)
    }
}
