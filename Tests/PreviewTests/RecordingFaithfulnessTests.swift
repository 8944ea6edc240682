internal import AlertCore
internal import AlertTesting
internal import Journal
internal import JournalTesting
internal import PluginKit
internal import Preview
internal import Runtime
internal import Testing

/// What the bot has recorded, played by the same config, must say what the bot said, to the byte: with polls that take
/// time, failures with their words, late figures, kills in the middle of a line and files that are full.
@Suite struct RecordingFaithfulnessTests {
    /// Small files, so that a world fills many, and room for all of them.
    private static let limits = RecordingLimits(daysMax: 30, bytesMax: 1 << 30, fileBytesMax: 20_000)

    @Test(arguments: 1...200)
    func `a recording played says what the bot said`(seed: UInt64) throws {
        let world = try World(seed: seed)
        let disk = MemoryDisk()
        var recording = Recording(disk, limits: RecordingFaithfulnessTests.limits)
        var faults: [DiskFault] = []
        var bot = Rehearsal(world.plan)
        bot.pollAnswer = { order, now in
            (world.report(of: order.source, at: now), world.latency(of: order.source, at: now))
        }
        bot.tookIn = { source, report, asked, now in
            do throws(DiskFault) {
                try recording.write(report.lines(of: source, asked: asked, arrived: now), at: now)
            } catch { faults.append(error) }
        }
        bot.start()
        for restart in world.restarts {
            bot.advance(to: restart)
            let last = try #require(try Recording.files(in: disk).last)
            disk[last.description] += Array(#"{"source":"ios","app":"sho"#.utf8)
            recording = Recording(disk, limits: RecordingFaithfulnessTests.limits)
            bot.crash()
        }
        let end = Moment.rehearsalStart + world.length
        bot.advance(to: end)

        let played = try play(disk, world, until: end)
        #expect(faults.isEmpty && bot.objections.isEmpty, "seed \(seed)")
        #expect(
            firstDifference(told(bot.decisions), told(played.decisions)) == nil,
            "seed \(seed)")
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
