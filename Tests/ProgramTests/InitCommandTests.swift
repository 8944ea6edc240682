import BotHarness
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

    @Test func `without anybody to ask it ends with 2, says how else to answer, and leaves nothing`() async throws {
        let scratch = try Scratch()
        for arguments in [[], ["--source", "sentry"], ["--source", "sentry", "--channel", "slack"]] {
            let finished = try await run(BotBinary.path, ["init"] + arguments, folder: scratch.folder)
            #expect(finished.status == 2)
            #expect(finished.errors.contains("nobody is there to say "), "\(finished.errors)")
            #expect(finished.errors.contains("give it with --"), "\(finished.errors)")
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
}
