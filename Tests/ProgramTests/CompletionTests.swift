import BotHarness
import Testing

/// What the shell is offered when somebody presses Tab. Completion scripts ask the program as these tests do.
@Suite struct CompletionTests {
    private static let config =
        Shop.config.replacing("hooks.example.com", with: "${env:NOT_SET}")
        + "  mates: {plugin: webhook, url: \"https://hooks.example.com/mates\"}\n"

    private func offered(_ argument: String, to words: String..., in scratch: Scratch) async throws -> Finished {
        let command = words.prefix { !$0.hasPrefix("-") }
        return try await run(
            BotBinary.path,
            ["---completion"] + command + ["--", argument, "\(words.count + 1)", "0", "alertbot"] + words + [""],
            folder: scratch.folder)
    }

    @Test(arguments: [
        ("positional@0", ["send-test"], "ops\nmates\n"), ("positional@0", ["template", "show"], "ops\nmates\n"),
        ("--channel", ["dry-run"], "ops\nmates\n"), ("--rule", ["mute"], "floor\n"),
        ("positional@0", ["sources", "probe"], "figures\n"), ("--source", ["mute"], "figures\n"),
    ])
    func `names come from the config, and no secret has to be there`(
        argument: String, command: [String], names: String
    ) async throws {
        let scratch = try Shop.scratch(Self.config)
        let finished = try await run(
            BotBinary.path,
            ["---completion"] + command + ["--", argument, "3", "0", "alertbot"] + command + [""],
            folder: scratch.folder)
        #expect(finished.status == 0)
        #expect(finished.errors == "")
        let all = finished.output.split(separator: "\n").sorted()
        #expect(all == names.split(separator: "\n").sorted())
    }

    @Test func `the config is the one that the line names`() async throws {
        let scratch = try Scratch()
        try scratch.write("other.yaml", Shop.config)
        for words in [["--config", "other.yaml"], ["--config=other.yaml"]] {
            let finished = try await run(
                BotBinary.path,
                ["---completion", "send-test", "--", "positional@0", "4", "0", "alertbot", "send-test"] + words + [""],
                folder: scratch.folder)
            #expect(finished.output == "ops\n")
        }
    }

    @Test func `mutes are offered by their ids`() async throws {
        let scratch = try Shop.scratch()
        let muted = try await scratch.alertbot("mute", "--app", "shop-ios", "--for", "2h", "--format", "json")
        #expect(muted.status == 0, "\(muted.all)")
        let listed = try await scratch.alertbot("mutes", "--format", "json")
        let id = try #require(try listed.json["mutes"].elements.first?["id"].string)
        #expect(try await offered("positional@0", to: "unmute", in: scratch).output == id + "\n")
        #expect(try await offered("positional@0", to: "ack", in: scratch).output.filter { $0 != "\n" } == "")
    }

    @Test(arguments: ["version: 1\nrules: [", nil])
    func `where no config can be read nothing is offered and nothing said`(config: String?) async throws {
        let scratch = try Scratch()
        try scratch.write("config.yaml", config ?? "")
        for (argument, command) in [("positional@0", "send-test"), ("positional@0", "unmute"), ("--app", "why")] {
            let finished = try await offered(argument, to: command, in: scratch)
            #expect(finished.status == 0)
            #expect(finished.all.filter { $0 != "\n" } == "")
        }
    }

    @Test func `bash takes the completions and offers names with them`() async throws {
        let scratch = try Shop.scratch(Self.config)
        let script = """
            set -eu
            PATH=${0%/*}:$PATH
            source <(alertbot --generate-completion-script bash)
            COMP_WORDS=(alertbot send-test m) COMP_CWORD=2 COMP_LINE='alertbot send-test m' COMP_POINT=20 COMPREPLY=()
            set +eu
            _alertbot alertbot m send-test
            echo "${COMPREPLY[@]}"
            """
        let finished = try await run("bash", ["-c", script, BotBinary.path], folder: scratch.folder)
        #expect(finished.output == "mates\n", "\(finished.all)")
    }

    @Test func `an app whose name a shell would run, or a terminal would not show, is offered by no shell`()
        async throws
    {
        let apps = [
            "$(touch pwned)", "`touch pwned`", "it's", "a;b", #"a\\b"#, #"\u202eios"#, #"\u001b[31mred"#,
            #"red\u009b31m"#,
            #"two\nlines"#, #"\u3164"#, "Größe 2.0", "shop-ios",
        ]
        let scratch = try Shop.scratch(
            figures: apps.map { Figures().line($0, crashed: 0, of: 10_000) }.joined())
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        let names = try await eventually("apps were judged") {
            let finished = try await offered("--app", to: "why", in: scratch)
            return finished.output.contains("shop-ios") ? finished.output : nil
        }
        #expect(names == "Größe 2.0\nshop-ios\n")
        let script = """
            PATH=${0%/*}:$PATH
            source <(alertbot --generate-completion-script bash)
            COMP_WORDS=(alertbot why --app '') COMP_CWORD=3 COMP_LINE='alertbot why --app ' COMP_POINT=19 COMPREPLY=()
            _alertbot alertbot '' --app
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let finished = try await run("bash", ["-c", script, BotBinary.path], folder: scratch.folder)
        #expect(finished.output == names, "\(finished.all)")
        #expect(!scratch.names.contains("pwned"))
    }
}
