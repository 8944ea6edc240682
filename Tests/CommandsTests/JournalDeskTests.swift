import AlertCore
import BotConfig
import BotHarness
import BuiltinPlugins
import Journal
import MachineTesting
import Pictures
import PluginKit
import Runtime
import SystemPorts
import Testing

@testable import Commands

@Suite struct JournalDeskTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch
    private var folder: String { scratch.path("state") }

    init() throws { scratch = try Scratch() }

    private func desk(_ format: TextOrJSON = .text) -> JournalDesk { JournalDesk(folder, format, on: stage.terminal) }

    /// A journal in which somebody has muted something so many times.
    private func write(_ mutes: Int) throws {
        var state = State()
        var ledger = try Ledger(opening: FolderDisk(folder), rebuilding: &state)
        let plan = try scratch.shop(stage.machine).config().plan
        for _ in 0..<mutes {
            _ = try ledger.obey(
                .mute(.all, until: .after(.hours(2)), reason: nil, by: "ada"), plan, &state, at: stage.clock.now())
            stage.clock.advance(by: .minutes(1))
        }
    }

    private var segment: String { "state/journal-00000000000000000001.jsonl" }

    private func damage() throws {
        let text = String(decoding: try WholeFile.read(scratch.path(segment), bytesMax: 1 << 20), as: UTF8.self)
        var lines = text.split(separator: "\n").map(String.init)
        lines[1] = lines[1].replacing("ada", with: "eve")
        try scratch.write(segment, lines.joined(separator: "\n") + "\n")
    }

    @Test func `a sound journal is said to be sound, and shown record by record`() throws {
        try write(3)
        try desk().verify(.none)
        #expect(stage.said.hasPrefix("\(folder): 3 records, "))
        #expect(stage.said.hasSuffix(" bytes, last number 3: sound\n"))
        try desk().show()
        let lines = stage.said.split(separator: "\n").dropFirst()
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("1 2026-11-20T12:00:00Z {") == true)
        try desk(.json).show()
        let last = try #require(stage.said.split(separator: "\n").last)
        #expect(try JSON(parsing: String(last))["seq"] == 3)
        #expect(stage.complained == "")
    }

    @Test func `what a name does to a terminal is shown by neither form, and JSON keeps it`() throws {
        let record = "{\"app\":\"a\u{9B}31m\u{202E}red\u{7F}\"}"
        do {
            var writer = try JournalWriter.open(FolderDisk(folder)) { _ in }
            _ = try writer.append(Array(record.utf8), at: stage.clock.now().description)
            try writer.commit()
        }
        try desk().show()
        try desk(.json).show()
        let lines = stage.said.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 && lines.allSatisfy { $0 == $0.tamed }, "\(lines)")
        let json = try JSON(parsing: try #require(lines.last))
        #expect(json["record"]?["app"] == "a\u{9B}31m\u{202E}red\u{7F}")
    }

    @Test func `a journal that is not there yet is not said to be sound`() throws {
        try desk().verify(.none)
        #expect(stage.said == "\(folder): there is no journal yet\n")
    }

    @Test func `while a bot runs, its journal is not compacted from outside`() throws {
        try write(1)
        var state = State()
        let ledger = try Ledger(opening: FolderDisk(folder), rebuilding: &state)
        let failure = #expect(throws: Failure.self) { try desk().compact(at: stage.clock.now(), .none) }
        #expect(failure?.status == .impossible)
        #expect(
            failure?.sentence.hasSuffix(
                " is running in \(folder) and compacts its journal by itself; stop it first to compact it now") == true,
            "\(failure?.sentence ?? "")")
        _ = ledger
    }

    @Test func `damage is reported on standard error and makes the answer no`() throws {
        try write(3)
        try damage()
        #expect(throws: Failure(.no)) { try desk().verify(.none) }
        #expect(stage.said.hasSuffix(": damaged\n"))
        #expect(stage.complained.contains("journal-00000000000000000001.jsonl:2"))
        #expect(throws: Failure(.no)) { try desk().show() }
        #expect(stage.said.split(separator: "\n").count == 3, "the line that is damaged is not shown")
        let json = StagedMachine()
        #expect(throws: Failure(.no)) { try JournalDesk(folder, .json, on: json.terminal).verify(.none) }
        #expect(try JSON(parsing: json.said)["damaged"] == true)
    }

    @Test func `a record of a later version is not said to be sound, for no bot starts with it`() throws {
        try write(2)
        do {
            var writer = try JournalWriter.open(FolderDisk(folder)) { _ in }
            _ = try writer.append(Array(#"{"kind":"dream"}"#.utf8), at: stage.clock.now().description)
            try writer.commit()
        }
        #expect(throws: Failure(.no)) { try desk().verify(.none) }
        #expect(stage.said.hasSuffix(": not understood\n"))
        #expect(stage.complained.contains("is intact but was not understood"), "\(stage.complained)")
    }

    @Test func `what this release does not understand is left out of a repaired journal, and counted`() throws {
        try write(2)
        do {
            var writer = try JournalWriter.open(FolderDisk(folder)) { _ in }
            _ = try writer.append(Array(#"{"kind":"dream"}"#.utf8), at: stage.clock.now().description)
            try writer.commit()
        }
        try desk().repair(to: nil, at: stage.clock.now(), .none)
        #expect(
            stage.said.hasPrefix(
                "\(folder).repaired: 2 records saved; lost: 1 record that this release does not understand\n"),
            "\(stage.said)")
        #expect(
            stage.complained.hasPrefix("1 record that this release does not understand is left out, first record 3: "),
            "\(stage.complained)")
        try JournalDesk(folder + ".repaired", .text, on: stage.terminal).verify(.none)
        let json = StagedMachine()
        try JournalDesk(folder, .json, on: json.terminal).repair(to: scratch.path("copy"), at: stage.clock.now(), .none)
        #expect(try JSON(parsing: json.said)["left_out"] == 1)
    }

    @Test(arguments: [true, false])
    func `where there is no journal there is nothing to repair, and nothing is made`(isFolder: Bool) throws {
        if isFolder { try scratch.write("state/observations/2026-11-20-1.jsonl", "recorded\n") }
        let before = scratch.names
        let failure = #expect(throws: Failure.self) { try desk().repair(to: nil, at: stage.clock.now(), .none) }
        #expect(failure?.status == .impossible)
        #expect(failure?.sentence.hasPrefix("there is no journal in \(folder), ") == true, "\(failure?.sentence ?? "")")
        #expect(stage.said == "" && scratch.names == before)
    }

    @Test func `a damaged journal is copied into a sound one`() throws {
        try write(3)
        try damage()
        try desk().repair(to: nil, at: stage.clock.now(), .none)
        #expect(stage.said.hasPrefix("\(folder).repaired: 2 records saved; lost: 1 damaged line\nTo use it: "))
        try JournalDesk(folder + ".repaired", .text, on: stage.terminal).verify(.none)
        #expect(stage.said.hasSuffix(": sound\n"))
        let occupied = #expect(throws: Failure.self) {
            try desk().repair(to: folder + ".repaired", at: stage.clock.now(), .none)
        }
        #expect(occupied?.status == .impossible)
        try scratch.write("full/keep", "keep")
        let full = #expect(throws: Failure.self) {
            try desk().repair(to: scratch.path("full"), at: stage.clock.now(), .none)
        }
        #expect(
            full?.sentence.hasSuffix(
                "full is not empty, and would become the state folder; name an empty folder, or one that does not exist yet"
            ) == true)
        try desk(.json).repair(to: scratch.path("copy"), at: stage.clock.now(), .none)
        #expect(stage.said.contains("\"saved\": 2"))
    }

    /// What a lost record said of figures, no answer that is as before would say again.
    @Test(arguments: [false, true])
    func `a bot that starts with a repaired copy takes in whole what its sources answer next`(isDamaged: Bool) throws {
        let plan = try scratch.shop(stage.machine).config().plan
        let name = try #require(plan.sources.first).name
        let now = stage.clock.now()
        do {
            var state = State()
            let seen = Observation(
                subject: Subject(source: name, app: "payments"), span: TimeSpan(lasting: .hours(1), until: now),
                seen: now, metrics: ["users": 1000, "crashed_users": 1])
            let validator = SourceRecord.Validator(etag: "an-etag", lastModified: nil)
            let polled = Input.polled(source: name, PollReport(.values([seen])), validators: ["address": validator])
            _ = Core(plan: plan).step(&state, [.started, polled], at: now)
            var fresh = State()
            var ledger = try Ledger(opening: FolderDisk(folder), rebuilding: &fresh)
            try ledger.compact(state, at: now)
        }
        let snapshot = try #require(scratch.names.first { $0.hasPrefix("state/snapshot-") })
        if isDamaged {
            let text = String(decoding: try WholeFile.read(scratch.path(snapshot), bytesMax: 1 << 20), as: UTF8.self)
            try #require(text.contains("payments"))
            try scratch.write(snapshot, text.replacing("payments", with: "peyments"))
        }
        try desk().repair(to: scratch.path("copy"), at: stage.clock.now(), .none)
        let (state, report) = try State.reading(FolderDisk(scratch.path("copy")), .none)
        #expect(report.loss == nil)
        // Where its record went with the figures, nothing is left that an answer could be as before to.
        let source = state.schedule.sources[name]
        #expect(isDamaged || source != nil)
        #expect((source?.isAnew ?? isDamaged) == isDamaged)
        #expect((source?.validators.isEmpty ?? true) == isDamaged)
    }

    @Test func `a journal is replaced by a snapshot, unless there is nothing in it or a bot holds it`() throws {
        try desk().compact(at: stage.clock.now(), .none)
        #expect(stage.said == "\(folder): 0 records, 0 bytes, are now 0 records, 0 bytes\n")
        try write(3)
        try desk().compact(at: stage.clock.now(), .none)
        #expect(stage.said.contains("\n\(folder): 3 records, "))
        #expect(scratch.names.contains { $0.hasPrefix("state/snapshot-") })
        let json = StagedMachine()
        try JournalDesk(folder, .json, on: json.terminal).compact(at: stage.clock.now(), .none)
        #expect(try JSON(parsing: json.said)["after"]?["records"] != nil)
        var state = State()
        let ledger = try Ledger(opening: FolderDisk(folder), rebuilding: &state)
        let held = #expect(throws: Failure.self) { try desk().compact(at: stage.clock.now(), .none) }
        #expect(held?.status == .impossible)
        _ = consume ledger
    }

    @Test func `a reader that takes nothing ends the command`() throws {
        try write(1)
        let full = try StagedMachine.full()
        let failure = #expect(throws: Failure.self) { try JournalDesk(folder, .text, on: full).show() }
        #expect(failure?.sentence == "the output cannot be written: No space left on device")
    }
}

@Suite struct TestMessageTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func message(
        _ stage: StagedMachine, to channel: String = "ops", _ plugin: String = "console", _ format: TextOrJSON = .text
    ) throws -> TestMessage {
        let file = try scratch.shop(stage.machine, replacing: "{plugin: console}", with: "{plugin: \(plugin)}")
        return try TestMessage(to: channel, file.config(), "config.yaml", format, on: stage.machine)
    }

    private let webhook = #"webhook, url: "https://hooks.example.com/bot""#

    @Test func `a message that says that nothing is wrong is sent, and so is what came of it`() async throws {
        let stage = StagedMachine { _ throws(TransportError) in HTTPResponse(status: 204) }
        try await message(stage, webhook).send()
        #expect(stage.web.asked == ["https://hooks.example.com/bot"])
        #expect(stage.said == "delivered to ops\n")
        try await message(stage).send()
        #expect(stage.said.contains("🧪 shop-alerts: this is a test message"))
        #expect(stage.said.hasSuffix("delivered to ops\n"))
    }

    @Test(arguments: ["webhook, url: \"https://hooks.example.com/bot\"", "console", "inbox"])
    func `it is a test by its kind, opens nothing and belongs to nothing`(_ plugin: String) async throws {
        let stage = StagedMachine { _ throws(TransportError) in HTTPResponse(status: 204) }
        let delivery = try message(stage, plugin).delivery(at: stage.machine.clock.now())
        #expect(delivery.kind == .test && delivery.message.kind == .test)
        #expect(delivery.incident == nil && delivery.message.incidents.isEmpty)
        #expect(Posting(delivery, at: delivery.queued).thread == nil)
    }

    @Test func `a message that does not arrive is reported with its reason`() async throws {
        let stage = StagedMachine()
        await #expect(throws: Failure(.impossible)) { try await message(stage, webhook).send() }
        #expect(stage.said == "")
        #expect(stage.complained.hasPrefix("not delivered to ops: "))
        #expect(stage.complained.contains("nobody answers"))
    }

    @Test(arguments: TextOrJSON.allCases)
    func `of a message that may have arrived nobody says that it did not`(format: TextOrJSON) async throws {
        let stage = StagedMachine { _ throws(TransportError) in
            throw TransportError(.interrupted, mayHaveArrived: true, "the connection broke")
        }
        await #expect(throws: Failure(.impossible)) { try await message(stage, webhook, format).send() }
        let sentence = "it is unknown whether it arrived at ops: the connection broke"
        switch format {
        case .text: #expect(stage.complained.hasPrefix(sentence))
        case .json:
            let json = try JSON(parsing: stage.said)
            #expect(json["delivered"] == JSON.null && json["sentence"] == .string(sentence))
        }
    }

    @Test(arguments: TextOrJSON.allCases)
    func `how long a channel asks to wait is said`(format: TextOrJSON) async throws {
        let stage = StagedMachine { _ throws(TransportError) in
            HTTPResponse(status: 429, headers: [("Retry-After", "40")], body: Array("slow down".utf8))
        }
        await #expect(throws: Failure(.impossible)) { try await message(stage, webhook, format).send() }
        let told = format == .json ? stage.said : stage.complained
        #expect(told.contains("not delivered to ops: answered 429: slow down; try again in 40 s"), "\(told)")
    }

    @Test(arguments: [1, 3], [true, false])
    func `a channel that asks to wait is sent nothing, and one that only fails is tried`(
        failures: Int, isAsked: Bool
    ) async throws {
        let stage = StagedMachine { _ throws(TransportError) in HTTPResponse(status: 204) }
        var record = ChannelRecord()
        record.failures = failures
        record.pausedUntil = stage.clock.now() + .seconds(120)
        if isAsked { record.askedUntil = stage.clock.now() + .seconds(90) }
        record.lastError = "answered 429: slow down"
        do {
            var writer = try JournalWriter.open(FolderDisk(scratch.path("state"))) { _ in }
            let fact = Fact.outbox(.channel(name: "ops", record))
            _ = try writer.append(fact.bytes, at: stage.clock.now().description)
            try writer.commit()
        }
        let message = try message(stage, webhook)
        // The bot also pauses by itself, and then somebody wants to know whether the channel works again.
        if isAsked {
            await #expect(throws: Failure(.impossible)) { try await message.send(heeding: MemoryKinds.none) }
            #expect(stage.web.asked == [])
            #expect(
                stage.complained.hasPrefix(
                    "nothing was sent to ops, which asks to wait until Fri 20 Nov 13:01 CET, 1 min 30 s from now: "
                        + "answered 429: slow down; try again then; if it has a new address or credential, a running bot"
                ),
                "\(stage.complained)")
            stage.clock.advance(by: .seconds(90))
        }
        try await message.send(heeding: MemoryKinds.none)
        #expect(stage.said == "delivered to ops\n")
    }

    @Test(arguments: [
        #"telegram, token: "12345:tg-s3cr3t-token", chat: "-1001""#,
        #"mattermost, webhook: "https://chat.example.com/hooks/s3cr3t-of-a-hook""#,
        #"google_chat, webhook: "https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=s3cr3t-of-the-space""#,
        #"mattermost, webhook: "http://127.0.0.1:8065/hooks/s3cr3t-of-a-hook""#,
        // Words, which are no secrets elsewhere.
        #"mattermost, webhook: "http://127.0.0.1:8065/hooks/s3cr3t.of.the.hook""#, "ntfy, topic: s3cr3t",
        #"webhook, url: "https://hooks.example.com/bot", headers: {Authorization: Bearer s3cr3t}"#,
    ])
    func `a secret in the config does not come back in what a service answers`(_ plugin: String) async throws {
        let stage = StagedMachine { request throws(TransportError) in
            let path = request.url.reveal().split(separator: "/", maxSplits: 2).last ?? ""
            let headers = request.headers.map { $0.value.reveal() }
            let body = String(decoding: (request.wireBody()?.bytes ?? []).prefix(30), as: UTF8.self)
            return HTTPResponse(status: 404, body: Array("Cannot POST /\(path) \(headers) \(body)".utf8))
        }
        await #expect(throws: Failure(.impossible)) { try await message(stage, plugin).send() }
        #expect(stage.complained.contains("***") && !stage.complained.contains("s3cr3t"), "\(stage.complained)")
    }

    @Test func `standard output holds the JSON and nothing else`() async throws {
        let stage = StagedMachine()
        try await message(stage, "console", .json).send()
        let json = try JSON(parsing: stage.said)
        #expect(json["channel"] == "ops" && json["delivered"] == true)
        #expect(stage.complained.contains("this is a test message"))
    }

    @Test func `a channel that keeps its messages says so, and one that is none is wrong usage`() async throws {
        let stage = StagedMachine()
        try await message(stage, "inbox").send()
        #expect(
            stage.said == "ops keeps its messages in the running bot and shows them on its page; "
                + "nothing had to be sent\n")
        let failure = #expect(throws: Failure.self) { _ = try message(stage, to: "opps") }
        #expect(
            failure
                == Failure(.wrongUsage, "there is no channel 'opps' in config.yaml; known: ops; did you mean ops?"))
    }

    fileprivate func message(_ stage: StagedMachine, _ plugin: String, _ format: TextOrJSON = .text) throws
        -> TestMessage
    {
        try message(stage, to: "ops", plugin, format)
    }
}

@Suite struct PluginFolderTests {
    private let stage = StagedMachine()
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func folder() throws -> PluginFolder { try PluginFolder(scratch.path("Console") + "/", catalog: .builtin) }

    private func write(_ page: String?) throws {
        for part in ["Sources", "Tests"] {
            try scratch.makeFolder("Console/" + part)
            try scratch.write("Console/\(part)/Some.swift", "")
        }
        if let page { try scratch.write("Console/README.md", page) }
    }

    private func page(_ channel: String = "{plugin: console}") -> String {
        "# console\n\n```yaml\nchannels:\n  term: \(channel)\n```\n"
    }

    @Test func `a folder that agrees with its plugin is fine`() throws {
        try write(page())
        let folder = try folder()
        #expect(folder.isFine)
        try folder.print(.none, on: stage.terminal)
        #expect(stage.said.hasPrefix("✓ channel console: its page, "))
        #expect(folder.json["name"] == "console")
    }

    @Test func `an example that the reader does not take is shown with its place`() throws {
        try write(page("{plugin: console, colour: red}"))
        let folder = try folder()
        #expect(!folder.isFine)
        try folder.print(.none, on: stage.terminal)
        #expect(stage.said == "")
        #expect(
            stage.complained.hasPrefix("\(scratch.path("Console/README.md")):5:27: error: unknown key 'colour'"),
            "\(stage.complained)")
        #expect(folder.json["problems"]?.array?.first?["line"] == 5)
    }

    @Test func `what a folder lacks is reported`() throws {
        try scratch.makeFolder("Console")
        try folder().print(.none, on: stage.terminal)
        for words in ["there is no such page", "no Swift file in Sources", "no Swift file in Tests"] {
            #expect(stage.complained.contains(words), "\(stage.complained)")
        }
        try write("# nothing\n")
        try folder().print(.none, on: stage.terminal)
        #expect(stage.complained.contains("its title is the name of no plugin; known: "))
        let failure = #expect(throws: Failure.self) { try PluginFolder("nowhere", catalog: .builtin) }
        #expect(failure == Failure(.impossible, "nowhere is not a folder"))
    }
}
