internal import AlertCore
internal import Archive
internal import BotConfig
internal import BotHarness
internal import BuiltinPlugins
internal import Commands
internal import MachineTesting
internal import PluginKit
internal import Preview
internal import SourceFakes
internal import SystemPorts
internal import Testing

@Suite struct `A backtest` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `is tried with every source that has a past`() {
        let names = PluginCatalog.builtin.sources.filter { $0 is any HistoricalSource.Type }.map { $0.manifest.name }
        #expect(Set(PastService.all.map(\.plugin)) == Set(names))
    }

    @Test(arguments: PastService.all)
    func `of a source's past finds what was planted there and nothing else`(_ service: PastService) async throws {
        let stage = StagedMachine(at: service.course.now, variables: PastService.variables) {
            request throws(TransportError) in
            service.answer(
                request.url.reveal(), String(decoding: request.wireBody()?.bytes ?? [], as: UTF8.self))
        }
        try scratch.write("config.yaml", service.config(state: scratch.path("state")))
        let config = try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine).config()
        var playback = Playback(config.plan)
        let span = PlayedSpan(
            config, .init(since: "2d", cache: scratch.path("cache")), until: nil, on: stage.machine)
        #expect(try await span.play { playback.feed($0) }, "\(stage.complained)")
        let report = BacktestReport(playback.finish(now: stage.clock.now()), channels: config.channels)
        let said = report.messages.map { "\($0.kind) \($0.severity)" }
        #expect(said == ["opened critical", "resolved critical"], "\(stage.complained)")
        let times = report.messages.map(\.at)
        let course = service.course
        let (from, to) = (try #require(Moment(rfc3339: course.from)), try #require(Moment(rfc3339: course.to)))
        let (late, patience) = (service.lateness, course.window + .minutes(5))
        // The window has to fill with what is wrong, and then with what is right.
        if times.count == 2 {
            #expect((from + late)...(from + late + patience) ~= times[0], "\(times)")
            #expect((to + late)...(to + late + patience) ~= times[1], "\(times)")
        }
        #expect(stage.complained == "")
    }
}
