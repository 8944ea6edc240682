import BotHarness
import Testing

@Suite struct UsageTests {
    @Test(arguments: [
        ["check", "--format", "xml"], ["check", "--nope"], ["dry-run", "extra"],
        ["dry-run", "--fault-rate", "soon"], ["dry-run", "--fault-rate", "130%"], ["history", "--limit", "0"],
        ["history", "--limit", "many"], ["send-test"], ["sources", "probe"], ["check", "--color", "blue"],
        ["init", "extra"], ["init", "--format", "xml"],
        ["run", "--seed", "-1"],
    ])
    func `wrong usage ends with 2 and says what is right on standard error`(arguments: [String]) async throws {
        let scratch = try Shop.scratch()
        let finished = try await run(BotBinary.path, arguments, folder: scratch.folder)
        #expect(finished.status == 2)
        #expect(finished.output == "")
        #expect(finished.errors.contains("Usage") || finished.errors.contains("expected"), "\(finished.errors)")
    }

    @Test(arguments: [
        (["chekc"], "unknown command 'chekc'; did you mean 'check'?"),
        (["nope"], "unknown command 'nope'; 'alertbot --help' lists the commands"),
        (["journal", "verfy", "x"], "unknown command 'journal verfy'; did you mean 'journal verify'?"),
        (["journal", "burn"], "unknown command 'journal burn'; 'alertbot journal --help' lists the commands"),
        (["help", "staus"], "unknown command 'staus'; did you mean 'status'?"),
        (["--formt", "json"], "unknown option '--formt'; did you mean 'alertbot COMMAND --format …'?"),
        (["-v"], "unknown option '-v'; options come after a command, as in 'alertbot COMMAND --config …'"),
        (["--vresion"], "unknown option '--vresion'; did you mean '--version'?"),
        (
            ["--config", "config.yaml", "check"],
            "the option '--config' comes before the command; write it after, as in 'alertbot COMMAND --config …'"
        ),
        (
            ["journal", "--format=json", "verify"],
            "the option '--format' comes before the command; write it after, as in 'alertbot journal COMMAND --format …'"
        ),
    ])
    func `a word that is no command is named, with the nearest that is`(words: [String], says: String) async throws {
        let scratch = try Shop.scratch()
        let finished = try await run(BotBinary.path, words, folder: scratch.folder)
        #expect(finished.status == 2)
        #expect(finished.output == "")
        #expect(finished.errors == "alertbot: \(says)\n")
    }

    @Test(arguments: [
        (["mute", "--app", "shop", "--fro", "1h"], "'--fro'"), (["unmute", "--al"], "'--al'. Did you mean '--all'"),
        (["backtest", "--agianst", "other.yaml", "--fail-on-difference"], "Did you mean '--against'"),
    ])
    func `a mistyped option is named before what its lack would mean`(words: [String], says: String) async throws {
        let scratch = try Shop.scratch()
        let finished = try await run(BotBinary.path, words, folder: scratch.folder)
        #expect(finished.status == 2)
        #expect(finished.errors.contains("Error: Unknown option ") && finished.errors.contains(says), "\(finished.all)")
    }

    @Test(arguments: [
        (["dry-run", "--channel", "ops", "--channel", "call"], "--channel"),
        (["check", "--config", "config.yaml", "--config=config.yaml"], "--config"),
        (["mute", "--all", "--for", "1h", "--for", "2h"], "--for"), (["why", "--app", "a", "--app", "b"], "--app"),
    ])
    func `an option that is given twice is refused, for only one would count`(words: [String], option: String)
        async throws
    {
        let scratch = try Shop.scratch()
        let finished = try await run(BotBinary.path, words, folder: scratch.folder)
        #expect(finished.status == 2)
        #expect(finished.output == "")
        #expect(finished.errors == "alertbot: the option '\(option)' is given twice, expected once; keep one\n")
    }

    @Test func `what may be given several times is`() async throws {
        let scratch = try Shop.scratch()
        let words = ["--rule", "floor", "--app", "a", "--app", "b", "--label", "x=1", "--label", "y=2", "--for", "1h"]
        let finished = try await run(BotBinary.path, ["mute"] + words, folder: scratch.folder)
        #expect(finished.status == 0, "\(finished.all)")
        #expect(finished.output.contains("muted "), "\(finished.all)")
    }

    /// The options of a command and those below it that take a list.
    private func lists(of command: JSONTree, _ path: [String] = []) -> [(command: [String], option: String)] {
        var found: [(command: [String], option: String)] = []
        for argument in command["arguments"].elements where argument["isRepeating"].bool == true {
            guard argument["kind"].string == "option", let name = argument["preferredName"]["name"].string else {
                continue
            }
            found.append((path, "--\(name)"))
        }
        for inner in command["subcommands"].elements {
            found += lists(of: inner, path + [inner["commandName"].string ?? ""])
        }
        return found
    }

    @Test func `every option that takes a list may be given several times`() async throws {
        let scratch = try Scratch()
        let help = try await scratch.alertbot("--experimental-dump-help").json
        let found = lists(of: help["command"])
        #expect(found.contains { $0.command == ["mute"] && $0.option == "--app" }, "\(found)")
        for (command, option) in found {
            // The other one shows that this one was taken, and keeps the command from being carried out.
            let words = command + [option, "1", option, "1", "--config", "none.yaml", "--config", "none.yaml"]
            let finished = try await run(BotBinary.path, words, folder: scratch.folder)
            #expect(
                finished.errors == "alertbot: the option '--config' is given twice, expected once; keep one\n",
                "\(option) of \(command)")
        }
    }

    @Test(arguments: [["help", "check"], ["journal", "--help"], ["help", "journal", "verify"], [], ["journal"]])
    func `what asks for help gets it`(words: [String]) async throws {
        let scratch = try Shop.scratch()
        let finished = try await run(BotBinary.path, words, folder: scratch.folder)
        #expect(finished.status == 0, "\(finished.all)")
        #expect(finished.output.hasPrefix("OVERVIEW: "))
    }

    @Test(arguments: [
        ["dry-run", "--now", "tomorrow"], ["dry-run", "--channel", "opps"], ["send-test", "opps"],
        ["sources", "probe", "nowhere"],
    ])
    func `what only the config can tell to be wrong ends with 2 too`(arguments: [String]) async throws {
        let scratch = try Shop.scratch()
        let finished = try await run(BotBinary.path, arguments, folder: scratch.folder)
        #expect(finished.status == 2)
        #expect(finished.output == "")
        if arguments.last == "opps" { #expect(finished.errors.contains("did you mean ops?")) }
    }

    @Test(arguments: ["init", "run", "dry-run", "check", "status", "history", "send-test", "journal", "sources"])
    func `every command explains itself`(command: String) async throws {
        let scratch = try Scratch()
        let all = try await scratch.alertbot("--help")
        #expect(all.status == 0)
        #expect(all.output.contains("\n  \(command) "))
        let help = try await scratch.alertbot(command, "--help")
        #expect(help.status == 0)
        #expect(help.errors == "")
        #expect(help.output.hasPrefix("OVERVIEW: "))
        #expect(help.output.contains("USAGE: alertbot \(command)"))
    }

    private func commands(below path: [String] = [], in scratch: Scratch) async throws -> [[String]] {
        let help = try await run(BotBinary.path, path + ["--help"], folder: scratch.folder).output
        let names = help.split(separator: "\n").drop { $0 != "SUBCOMMANDS:" }
            .compactMap { $0.firstMatch(of: /^  ([a-z-]+)\s/).map { String($0.output.1) } }
        guard !names.isEmpty else { return [path] }
        var all: [[String]] = []
        for name in names { all += try await commands(below: path + [name], in: scratch) }
        return all
    }

    @Test func `every command takes the options that all of them have in common`() async throws {
        let scratch = try Scratch()
        let commands = try await commands(in: scratch)
        #expect(commands.count > 25 && commands.contains(["journal", "verify"]), "\(commands)")
        for command in commands {
            let help = try await run(BotBinary.path, command + ["--help"], folder: scratch.folder).output
            for option in ["--config <file>", "--format <", "--color <color>"] {
                #expect(help.contains(option), "\(option) of \(command)")
            }
        }
    }

    @Test(arguments: [["schema"], ["plugins", "list"], ["plugins", "describe", "slack"]])
    func `a command that needs no config takes the name of one all the same`(command: [String]) async throws {
        let scratch = try Scratch()
        let plain = try await run(BotBinary.path, command, folder: scratch.folder)
        let named = try await run(BotBinary.path, command + ["--config", "none.yaml"], folder: scratch.folder)
        #expect(named.status == 0 && named.errors == "", "\(named.all)")
        #expect(named.output == plain.output)
    }

    @Test(arguments: ["--format", "--log-format"])
    func `the log of a bot is JSON by either name of the option`(option: String) async throws {
        let scratch = try Scratch()
        let finished = try await scratch.alertbot("run", "--config", "none.yaml", option, "json")
        #expect(finished.status == 1)
        #expect(finished.errors.hasPrefix("{\"time\":"), "\(finished.all)")
    }

    @Test func `the version is one line`() async throws {
        let scratch = try Scratch()
        let version = try await scratch.alertbot("--version")
        #expect(version.status == 0)
        #expect(version.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil, "\(version.output)")
    }

    @Test func `colours appear when asked for, and never in a pipe`() async throws {
        let scratch = try Shop.scratch(figures: Shop.line("shop-ios", crashed: 500))
        func preview(_ more: String..., environment: [String: String]) async throws -> String {
            let arguments = ["dry-run", "--observations", "figures.jsonl"] + more
            return try await run(BotBinary.path, arguments, environment: environment, folder: scratch.folder).output
        }
        let plain = try await preview(environment: ["TERM": "xterm"])
        #expect(plain.contains("shop-ios") && !plain.contains("\u{1B}"))
        let painted = try await preview("--color", "always", environment: ["NO_COLOR": "1"])
        #expect(painted.contains("\u{1B}[31m"))
        #expect(painted.replacing(/\u{1B}\[\d+m/, with: "") == plain)
        #expect(try await preview("--color", "never", environment: ["TERM": "xterm"]) == plain)
    }

    @Test(arguments: [
        "schema", "--help", "dry-run --observations figures.jsonl --format json",
        "dry-run --observations figures.jsonl --format html", "backtest --observations figures.jsonl --format html",
        "check",
    ])
    func `an answer that cannot be written is not given`(command: String) async throws {
        let scratch = try Shop.scratch(figures: Shop.line("shop-ios", crashed: 500))
        let finished = try await run(
            "bash", ["-c", "\"$0\" \(command) >/dev/full", BotBinary.path], folder: scratch.folder)
        #expect(finished.status == 3, "\(finished.all)")
        #expect(finished.errors == "alertbot: the output cannot be written: No space left on device\n")
    }

    @Test func `a reader that goes away early is no failure`() async throws {
        let scratch = try Shop.scratch(figures: Shop.line("shop-ios", crashed: 500))
        let script = "set -o pipefail; \"$0\" dry-run --format json | head -c 10 >/dev/null; echo ${PIPESTATUS[0]}"
        let finished = try await run("bash", ["-c", script, BotBinary.path], folder: scratch.folder)
        #expect(finished.output == "0\n", "\(finished.errors)")
    }
}
