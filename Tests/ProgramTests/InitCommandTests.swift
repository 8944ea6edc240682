import BotHarness
import Glibc
import Testing

@Suite struct `The first config, from the built program` {
    @Test func `answers that are piped make a config that the bot takes`() async throws {
        let scratch = try Scratch()
        let written = try await scratch.alertbot(
            "init", input: "simulator\ndiscord\nhttps://discord.com/api/webhooks/1/x\nn\n")
        #expect(written.status == 0, "\(written.all)")
        #expect(written.errors == "")
        #expect(written.output.contains("Wrote config.yaml, and secrets/discord-webhook, which only you can read."))
        #expect(scratch.names == ["config.yaml", "secrets", "secrets/discord-webhook"])
        let check = try await scratch.alertbot("check")
        #expect(check.status == 0, "\(check.all)")
        #expect(check.errors == "")
        let preview = try await scratch.alertbot("dry-run")
        #expect(preview.status == 0, "\(preview.all)")
    }

    @Test func `a config of another name is named in what comes next`() async throws {
        let scratch = try Scratch()
        let written = try await scratch.alertbot(
            "init", "--config", "a.yaml", "--source", "simulator", "--channel", "inbox", "--untried")
        #expect(written.output.contains("'alertbot check --config a.yaml' validates it"), "\(written.all)")
        #expect(scratch.names.first == "a.yaml")
    }

    @Test func `without anybody to ask it ends with 2, says how else to answer, and leaves nothing`() async throws {
        let scratch = try Scratch()
        for arguments in [[], ["--source", "sentry"], ["--source", "sentry", "--channel", "slack"]] {
            let finished = try await run(BotBinary.path, ["init"] + arguments, folder: scratch.folder)
            #expect(finished.status == 2)
            #expect(finished.errors.contains("there is nobody to ask "), "\(finished.errors)")
            #expect(finished.errors.contains("or pass --"), "\(finished.errors)")
            #expect(scratch.names == [])
        }
    }

    @Test func `with --format json standard output has what was written and nothing else`() async throws {
        let scratch = try Scratch()
        let written = try await scratch.alertbot(
            "init", "--source", "simulator", "--channel", "console", "--format", "json")
        #expect(written.status == 0, "\(written.all)")
        #expect(try written.json["config"].string == "config.yaml")
        #expect(written.errors.contains("Polling simulator once"))
    }

    /// Answers up to a moment, and what is asked then.
    @Test(
        arguments: [
            ("", "source, by name or number: "), ("push\n", "  token: "),
            ("push\ns3cret-s3cret\n", "channel, by name or number: "),
        ])
    func `whoever is killed at a question has written nothing`(_ answers: String, _ question: String) async throws {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let scratch = try Scratch()
            let bot = try Child(BotBinary.path, ["init"], folder: scratch.folder, input: .open)
            bot.type(answers)
            _ = try await eventually("it asks '\(question)'; it said: \(bot.standardOutput)") {
                bot.standardOutput.hasSuffix(question) ? true : nil
            }
            bot.send(signal)
            #expect(try await bot.ending() == .killed(signal: signal))
            #expect(scratch.names == [])
        }
    }

    @Test func `a disk that has room for the secret and not for the config gets neither`() async throws {
        let scratch = try Scratch()
        // 512 bytes a file, and a mistake instead of the end for who wants more.
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" init"
        let finished = try await run(
            "sh", ["-c", script, BotBinary.path], folder: scratch.folder,
            input: .text("push\ns3cret-s3cret\nconsole\nn\n"))
        #expect(finished.status == 3)
        #expect(
            finished.errors == "alertbot: config.yaml cannot be written: File too large; nothing was written\n",
            "\(finished.all)")
        #expect(scratch.names == [])
    }
}
