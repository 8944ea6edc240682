import BotHarness
import Testing

/// What the commands say of a state that an earlier bot has left, and that none of them changes it.
@Suite struct StateTests {
    private let config = Shop.config.replacing(
        #"ops: {plugin: webhook, url: "https://hooks.example.com/bot"}"#, with: "ops: {plugin: console}")

    /// A folder in which a bot has run and said one thing.
    private func lived() async throws -> Scratch {
        let scratch = try Shop.scratch(config, figures: Figures().line("shop-ios", crashed: 500, of: 10_000))
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        _ = try await eventually("something was said") { bot.standardOutput.contains("shop-ios") ? true : nil }
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
        return scratch
    }

    @Test func `a bot that has run and stopped is remembered`() async throws {
        let scratch = try await lived()
        let status = try await scratch.alertbot("status")
        #expect(status.status == 0)
        #expect(status.output.hasPrefix("shop-alerts  not running"))
        #expect(status.output.contains("critical shop-ios: firing for "))

        let json = try await scratch.alertbot("status", "--format", "json").json
        #expect(json["running"].bool == false)
        #expect(json["incidents"][0]["app"].string == "shop-ios")
        #expect(json["sources"][0]["name"].string == "figures")

        let history = try await scratch.alertbot("history", "--format", "json").json["history"]
        #expect(history.elements.count == 1)
        #expect(history[0]["channel"].string == "ops")
        #expect(history[0]["outcome"].string == "delivered")
        #expect(history[0]["kind"].string == "opened")
        let text = try await scratch.alertbot("history")
        // With the id that 'retry' takes.
        let id = try #require(history[0]["id"].string)
        #expect(text.output.contains(" ops opened delivered  \(id)\n  🔴 shop-ios"), "\(text.output)")
        // What stands around a message is in the language of the config, as the message is.
        try scratch.write("config.yaml", config.replacing("listen: off", with: "listen: off\n  language: es"))
        let spanish = try await scratch.alertbot("history").output
        #expect(spanish.contains("Por qué: ") && !spanish.contains("Why: "), "\(spanish)")
        try scratch.write("config.yaml", config)
        let dead = try await scratch.alertbot("history", "--dead")
        #expect(dead.output == "No failed deliveries.\n")
    }

    @Test func `what waits for its channel is in a preview, where nothing else would be sent`() async throws {
        let config = Shop.config.replacing("https://hooks.example.com/bot", with: "http://127.0.0.1:9/bot")
        let scratch = try Shop.scratch(config, figures: Figures().line("shop-ios", crashed: 500, of: 10_000))
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        _ = try await eventually("it was tried") { bot.standardError.contains("next try in") ? true : nil }
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
        let text = try await scratch.alertbot("dry-run").output
        #expect(text.contains("\nWaiting from before\n") || text.hasPrefix("Waiting from before\n"), "\(text)")
        #expect(!text.contains("Nothing would be sent"))
        #expect(text.contains("0 sent, 0 held, 0 dropped, 1 waiting from before"))
        let page = try await scratch.alertbot("dry-run", "--format", "html").output
        #expect(page.contains("<h2>Waiting from before</h2>") && page.contains("The exact request"))
        #expect(!page.contains("Nothing would be sent"))
        let queued = try await scratch.alertbot("dry-run", "--format", "json").json["queued_before"]
        #expect(queued[0]["request"]["url"].string == "http://127.0.0.1:9/bot")
        #expect(queued[0]["text"].string?.contains("shop-ios") == true)
    }

    @Test func `its journal is sound, and shown a record a line`() async throws {
        let scratch = try await lived()
        let verify = try await scratch.alertbot("journal", "verify")
        #expect(verify.status == 0)
        #expect(verify.output.hasSuffix(": sound\n"))
        let json = try await scratch.alertbot("journal", "verify", "--format", "json").json
        #expect(json["damaged"].bool == false)
        let count = try #require(json["records"].number)
        #expect(count > 3)

        let show = try await scratch.alertbot("journal", "show", "--format", "json")
        let records = try show.output.split(separator: "\n").map { try JSONTree(parsing: String($0)) }
        #expect(Double(records.count) == count)
        let numbers = records.compactMap { $0["seq"].number }
        #expect(numbers == numbers.sorted() && Set(numbers).count == records.count)
        #expect(records.last?["seq"] == json["last_seq"])
    }

    @Test func `damage is found, named and not fixed behind one's back`() async throws {
        let scratch = try await lived()
        let name = try #require(scratch.names.filter { $0.hasPrefix("state/") && $0.contains("journal") }.first)
        let journal = try await scratch.alertbot("journal", "show")
        #expect(journal.status == 0)
        // One letter of a record in the middle.
        let hurt = try await run(
            "sed", ["-i", "3s/shop/shap/;4s/shop/shap/;3s/source/sourke/", name], folder: scratch.folder)
        #expect(hurt.status == 0)
        let before = scratch.contents
        let verify = try await scratch.alertbot("journal", "verify")
        #expect(verify.status == 1, "\(verify.all)")
        #expect(verify.errors.contains(name.dropFirst("state/".count)), "\(verify.errors)")
        #expect(verify.output.hasSuffix(": damaged\n"))
        #expect(try await scratch.alertbot("journal", "show").status == 1)
        #expect(scratch.contents == before)
    }

    @Test func `a preview on a read-only folder works, and leaves every byte as it was`() async throws {
        let scratch = try await lived()
        for name in scratch.names + ["."] {
            scratch.chmod(name, name.hasSuffix("state") || name == "." ? 0o555 : 0o444)
        }
        let before = scratch.contents
        for arguments in [["dry-run"], ["dry-run", "--observations", "figures.jsonl", "--format", "json"]] {
            let preview = try await scratch.boundAlertbot(arguments)
            #expect(preview.status == 0, "\(preview.errors)")
        }
        for arguments in [["status"], ["history"], ["journal", "verify"], ["journal", "show"], ["check"]] {
            #expect(try await scratch.boundAlertbot(arguments).status == 0)
        }
        #expect(scratch.contents == before)
        scratch.chmod(".", 0o755)
    }

    @Test func `a preview goes on from the state: what was said is not said again`() async throws {
        let scratch = try await lived()
        try scratch.write("more.jsonl", Figures().line("shop-ios", crashed: 600, of: 10_000))
        let preview = try await scratch.alertbot("dry-run", "--observations", "more.jsonl", "--format", "json")
        #expect(preview.status == 0)
        #expect(try preview.notifications == [])
    }

    @Test func `where no bot has ever run there is nothing, which is fine`() async throws {
        let scratch = try Shop.scratch()
        let status = try await scratch.alertbot("status")
        #expect(status.status == 0)
        #expect(status.output.contains("Incidents\n  none\n"))
        #expect(try await scratch.alertbot("history").output == "Nothing has been sent yet.\n")
        #expect(try await scratch.alertbot("journal", "verify").status == 0)
        #expect(try await scratch.alertbot("journal", "show").output == "")
        #expect(!scratch.names.contains("state"))
    }

    @Test func `a test message goes to channels that need no server`() async throws {
        let config = Shop.config + "  out: {plugin: console}\n  page: {plugin: inbox}\n"
        let scratch = try Shop.scratch(config)
        let out = try await scratch.alertbot("send-test", "out")
        #expect(out.status == 0)
        #expect(out.output.contains("🧪 shop-alerts: this is a test message"))
        #expect(out.output.hasSuffix("delivered to out\n"))
        let page = try await scratch.alertbot("send-test", "page", "--format", "json")
        #expect(page.status == 0)
        #expect(try page.json["delivered"].bool == true)
        #expect(!scratch.names.contains("state"))
    }

    @Test func `with json even a channel that prints leaves standard output to it`() async throws {
        let scratch = try Shop.scratch(Shop.config + "  out: {plugin: console}\n")
        let out = try await scratch.alertbot("send-test", "out", "--format", "json")
        #expect(out.status == 0)
        #expect(try out.json["delivered"].bool == true, "\(out.output)")
        #expect(out.errors.contains("shop-alerts: this is a test message"))
    }

    @Test func `a state that is no folder is reported by name`() async throws {
        let scratch = try Shop.scratch()
        try scratch.write("state", "not a folder\n")
        for arguments in [["run"], ["status"], ["dry-run"], ["journal", "verify"]] {
            let finished = try await run(BotBinary.path, arguments, folder: scratch.folder)
            #expect(finished.status == 3, "\(arguments): \(finished.all)")
            #expect(finished.errors.contains("state"), "\(finished.errors)")
        }
    }

    @Test func `a state folder that may not be written is reported by name, and nothing starts`() async throws {
        let scratch = try Shop.scratch()
        try scratch.makeFolder("state")
        scratch.chmod("state", 0o555)
        let finished = try await scratch.boundAlertbot(["run"])
        #expect(finished.status == 3)
        #expect(finished.errors.contains("cannot write to ./state"), "\(finished.errors)")
        #expect(!finished.errors.contains("watching"))
        scratch.chmod("state", 0o755)
    }
}
