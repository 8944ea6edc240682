import AlertCore
import BotConfig
import BotHarness
import BuiltinPlugins
import MachineTesting
import PluginKit
import Preview
import SystemPorts
import Testing

@testable import Commands

@Suite struct RecordedPushTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `what was pushed too long before the rest is left out of a dry run from the recording`() throws {
        let pushed = Shop.config(scratch)
            .replacing("listen: off", with: "listen: 127.0.0.1:0")
            .replacing(
                "plugin: file, path: \(scratch.path("figures.jsonl"))", with: "plugin: push, token: 0123456789abcdef")
        try scratch.write("pushed.yaml", pushed)
        let file = try ConfigFile(scratch.path("pushed.yaml"), .builtin, on: stage.machine)
        try scratch.record([
            "2026-11-19-1": [Shop.line("old", crashed: 500, at: "2026-11-19T09:00:00Z")],
            "2026-11-20-1": [
                Shop.line("early", crashed: 500, at: "2026-11-20T11:45:00Z"),
                Shop.line("late", crashed: 500, at: "2026-11-20T11:55:00Z"),
            ],
        ])
        let run = DryRun(try file.config(), from: State(), faults: nil, on: stage.machine)
        let preview = try run.repeatRecorded(at: stage.clock.now())
        let told = preview.decisions.flatMap { $0.message.incidents.map { $0.subject.app } }
        #expect(Set(told) == ["early", "late"])
        #expect(stage.complained.contains("1 line from before"), "\(stage.complained)")
    }
}
