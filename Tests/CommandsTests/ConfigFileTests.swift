import AlertCore
import BotConfig
import BotHarness
import BuiltinPlugins
import MachineTesting
import PluginKit
import Runtime
import SystemPorts
import Testing

@testable import Commands

@Suite struct ConfigFileTests {
    private let stage = StagedMachine(variables: ["HOOK": "https://hooks.example.com/bot"])
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private let console = "ops: {plugin: console}"

    @Test func `no name is no file`() {
        #expect(throws: Failure(.wrongUsage, "--config names no file; name one, or leave it out")) {
            try ConfigFile("", .builtin, on: stage.machine)
        }
    }

    @Test func `a config is read with the variables and the files of the machine`() throws {
        let file = try scratch.shop(
            stage.machine, replacing: console, with: #"ops: {plugin: webhook, url: "${env:HOOK}"}"#)
        let config = try file.config()
        #expect(config.plan.channels.map(\.name) == ["ops"])
        #expect(config.setup.plan.sources.map(\.name) == ["figures"])
        #expect(stage.complained == "")
        try scratch.write("hook", "https://hooks.example.com/bot\n")
        let other = try scratch.shop(
            stage.machine, replacing: console,
            with: #"ops: {plugin: webhook, url: "${file:\#(scratch.path("hook"))}"}"#)
        #expect(other.problemTexts.count == 1, "\(other.problemTexts)")
        #expect(other.problemTexts.first?.contains("can be read by other users; run chmod 600") == true)
        try WholeFile.replace(scratch.path("hook"), with: Array("https://hooks.example.com/bot\n".utf8))
        let closed = try scratch.shop(
            stage.machine, replacing: console,
            with: #"ops: {plugin: webhook, url: "${file:\#(scratch.path("hook"))}"}"#)
        #expect(closed.problemTexts.isEmpty, "\(closed.problemTexts)")
        let absent = try scratch.shop(
            stage.machine, replacing: console, with: #"ops: {plugin: webhook, url: "${file:/nowhere/hook}"}"#)
        #expect(absent.problemTexts.first?.contains("No such file or directory") == true, "\(absent.problemTexts)")
    }

    @Test(arguments: [
        ("more: {plugin: threshold, metric: crash_free_users, warning: \"< 99%\", recover: 5%}", nil),
        ("more: {plugin: threshold, metric: crash_free_users, warning: \"< 99%\", recover: 0.5%}", "0.5pp"),
        ("more: {plugin: threshold, metric: crash_free_users, warning: \"< 99%\", confidence: 950}", nil),
        ("more: {plugin: budget, channel: ops, at_most: 5000/d}", nil),
        ("more: {plugin: budget, channel: ops, at_most: 10/d}", "10 per 1d"),
        ("more: {plugin: drop, metric: crash_free_users, by: -1}", nil),
        ("more: {plugin: drop, metric: crash_free_users, by: 1}", "1pp"),
        ("more: {plugin: drop, metric: crash_free_users, critical: \"< 90%\"}", nil),
    ])
    func `nothing is suggested that the rule would refuse`(rule: String, meant: String?) throws {
        let file = try scratch.shop(stage.machine, replacing: "  nights:", with: "  \(rule)\n  nights:")
        let errors = file.result.problems.filter { $0.level == .error }
        #expect(errors.count == 1, "\(file.problemTexts)")
        #expect(errors.first?.suggestion == meant, "\(file.problemTexts)")
    }

    @Test func `mistakes are reported with their lines, and the command ends with a no`() throws {
        let file = try scratch.shop(stage.machine, replacing: "window: 1h", with: "windw: 1h")
        let failure = #expect(throws: Failure.self) { try file.config() }
        #expect(failure == Failure(.no, "\(file.path) has an error"))
        #expect(stage.complained.contains("\(file.path):6:"))
        #expect(stage.complained.contains("^"))
        #expect(stage.complained.contains("did you mean window?"))
        let more = try scratch.shop(stage.machine, replacing: "plugin:", with: "plugn:")
        let failures = #expect(throws: Failure.self) { try more.config() }
        #expect(failures?.sentence.hasSuffix(" errors") == true, "\(failures?.sentence ?? "")")
    }

    @Test func `where nobody is kept from anything, a broken file is one warning`() throws {
        let file = try scratch.shop(stage.machine, replacing: "window: 1h", with: "windw: 1h")
        #expect(try file.journalFolder() == scratch.path("state"))
        #expect(
            stage.complained
                == "alertbot: warning: \(file.path) has 1 error; reading the journal anyway: "
                + "run 'alertbot check'\n")
        // An edit that is not finished.
        let broken = try scratch.shop(stage.machine, replacing: "bot: {", with: "bot: [")
        #expect(try broken.journalFolder() == scratch.path("state"))
        // Where not even the folder can be told, there is nothing to go on with.
        let hopeless = try scratch.shop(stage.machine, replacing: "bot: {", with: "bot: {state: '${env:NOT_SET}', ")
        #expect(throws: Failure.self) { try hopeless.journalFolder() }
    }

    @Test(arguments: ["--config", "--against"])
    func `a file that is not there is named, with the way to name another`(option: String) throws {
        let failure = #expect(throws: Failure.self) {
            try ConfigFile("/nowhere/config.yaml", .builtin, on: stage.machine, namedBy: option)
        }
        #expect(
            failure
                == Failure(
                    .no,
                    "the config /nowhere/config.yaml cannot be read: No such file or directory; "
                        + "name another with \(option) FILE"))
    }

    @Test func `a bot that runs says where the file was, and advises nothing that only a command line could follow`()
        throws
    {
        try scratch.write("etc/other.yaml", "")
        let failure = #expect(throws: Failure.self) {
            try ConfigFile(scratch.path("etc/../gone.yaml"), .builtin, on: stage.machine, namedBy: nil)
        }
        #expect(
            failure?.sentence
                == "the config \(WholeFile.fullPath(scratch.path("etc/..")))/gone.yaml cannot be read: "
                + "No such file or directory; the bot would not start again without it")
    }

    /// As root somebody reads what lies beside the config, and the service gets what its unit names.
    @Test(
        arguments: [
            (nil, false), ("LoadCredential=hook:/etc/alertbot/credentials/hook", false),
            ("LoadCredential = hook", false), ("ImportCredential=*", false), ("TimeoutStopSec=60", true),
            ("LoadCredential=hook:/etc/alertbot/credentials/hook\nLoadCredential=", true),
            ("SetCredential=hook:x\nLoadCredential=", false),
            ("LoadCredential=\nLoadCredential=hook:/etc/alertbot/credentials/hook", false),
            ("#LoadCredential=hook:/etc/alertbot/credentials/hook", true),
            ("LoadCredential=hook2:/etc/alertbot/credentials/hook2", true),
        ] as [(String?, Bool)])
    func `a credential that no line hands to the service is a warning`(line: String?, isWarned: Bool) throws {
        if let line { try scratch.write("units/alertbot.service.d/own.conf", "[Service]\n\(line)\n") }
        let text = Shop.config(scratch).replacing(
            console, with: #"ops: {plugin: webhook, url: "${credential:hook}"}"#)
        for folder in ["etc", "other"] {
            try scratch.write("\(folder)/config.yaml", text)
            try scratch.write("\(folder)/credentials/hook", "https://hooks.example.com/bot\n")
            let service = ServiceUnit(config: scratch.path("etc"), units: scratch.path("units"))
            let file = try ConfigFile(
                scratch.path("\(folder)/config.yaml"), .builtin, on: stage.machine, service: service)
            #expect(file.result.config != nil)
            let warnings = file.problemTexts.filter { $0.contains("does not hand the credential hook to the service") }
            #expect(warnings.count == (isWarned && folder == "etc" ? 1 : 0), "\(file.problemTexts)")
            let handed = StagedMachine(variables: ["CREDENTIALS_DIRECTORY": scratch.path("etc/credentials")])
            let own = try ConfigFile(file.path, .builtin, on: handed.machine, service: service)
            #expect(own.problemTexts == [], "what runs as the service knows what it has")
        }
    }

    @Test(arguments: ["[a]", "a*", "what?", "a\\b"])
    func `included files are found whatever the folder is called`(folder: String) throws {
        try scratch.write("\(folder)/team.yaml", "channels:\n  more: {plugin: console}")
        try scratch.write("\(folder)/config.yaml", "include: [\"*.yaml\"]\n" + Shop.config(scratch))
        let file = try ConfigFile(scratch.path("\(folder)/config.yaml"), .builtin, on: stage.machine)
        #expect(file.problemTexts == [])
        #expect(file.result.config?.plan.channels.map(\.name) == ["ops", "more"])
        var watch = try #require(ConfigWatch(file.reading))
        try scratch.write("\(folder)/other.yaml", "channels:\n  other: {plugin: console}")
        let looks = [watch.look(), watch.look()]
        #expect(looks == [false, true])
    }

    @Test func `the error that may be the cause of others is named where there is room for one`() throws {
        try scratch.write("team.yaml", "channels:\n  more: {plugin: \"console}")
        try scratch.write(
            "config.yaml",
            "include: team.yaml\n"
                + Shop.config(scratch).replacing("window: 1h", with: "windw: 1h"))
        let file = try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine)
        #expect(file.summary == "\(scratch.path("team.yaml")):2: this quote is never closed (and 1 more error)")
    }

    // MARK: what becomes of it while a bot runs

    private func reloaded(since began: BotSettings, _ words: (String, String)) throws -> ReloadedConfig {
        ReloadedConfig(
            .success(try scratch.shop(stage.machine, replacing: words.0, with: words.1)), since: began,
            on: stage.terminal)
    }

    @Test func `a config that is loaded anew replaces the old one, and says what takes a restart`() throws {
        let began = try scratch.shop(stage.machine).config().bot
        let same = try reloaded(since: began, ("window: 1h", "window: 2h"))
        #expect(same.setup != nil)
        #expect(same.notes.map(\.text) == ["the config was reloaded"])
        let moved = try reloaded(since: began, ("listen: off", "listen: 127.0.0.1:8080, shutdown_grace: 1s"))
        #expect(
            moved.notes.map(\.text) == [
                "the config was reloaded",
                "what changed in bot.listen, bot.shutdown_grace needs a restart of the bot",
            ])
        var listening = began
        listening.listen = .on(host: "127.0.0.1", port: 8080)
        let renamed = try reloaded(since: listening, ("name: shop-alerts, ", "name: other, "))
        #expect(
            renamed.notes.last?.text
                == "what changed in bot.listen, bot.name (on the page) needs a restart of the bot")
    }

    @Test func `a config that is wrong never replaces the one that runs`() throws {
        let began = try scratch.shop(stage.machine).config().bot
        let wrong = try reloaded(since: began, ("window: 1h", "windw: 1h"))
        #expect(wrong.setup == nil)
        #expect(wrong.notes.map(\.text) == ["the config has errors; the bot keeps the one it has"])
        #expect(stage.complained.contains("did you mean window?"))
        let gone = ReloadedConfig(.failure(Failure(.no, "it is gone")), since: began, on: stage.terminal)
        #expect(gone.setup == nil)
        #expect(gone.notes.map(\.text) == ["it is gone; the bot keeps the config it has"])
    }

    @Test func `the bot says at its start what it watches and where its page is`() throws {
        let config = try scratch.shop(stage.machine).config()
        #expect(
            RunNotes.greeting(config, port: nil, openFilesMax: 1024).map(\.text)
                == ["shop-alerts: watching 1 source with 1 rule, notifying 1 channel"])
        let open = try scratch.shop(stage.machine, replacing: "listen: off", with: #"listen: "[::1]:0""#).config()
        #expect(
            RunNotes.greeting(open, port: 18080, openFilesMax: nil).map(\.text).last
                == "the page is at http://[::1]:18080/")
    }

    @Test func `a bot that may open few files warns of it at its start`() throws {
        let config = try scratch.shop(stage.machine).config()
        #expect(RunNotes.greeting(config, port: nil, openFilesMax: 256).count == 1)
        let note = try #require(RunNotes.greeting(config, port: nil, openFilesMax: 64).last)
        #expect(note.level == .warning)
        #expect(note.text.hasPrefix("the system lets the bot open 64 files, fewer than 256: "), "\(note.text)")
    }
}
