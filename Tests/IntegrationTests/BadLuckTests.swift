import BotHarness
import Foundation
import Glibc
import Testing

extension IntegrationSuite {
    /// What a machine does to a bot: ports taken, folders locked, disks full, signals at the wrong moment.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct BadLuckTests {
        private func config(
            hook: String, listen: String = "off", bot: String = "", rules: String = "", channels: String = ""
        ) -> String {
            """
            version: 1
            bot: {name: shop-alerts, listen: "\(listen)"\(bot)}
            polling: {every: 1s, throttle: 1s, slowest: 1s}
            sources:
              figures: {plugin: file, path: ./figures.jsonl}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
            \(rules)
            channels:
              hook: {plugin: webhook, url: "\(hook)"}
            \(channels)

            """
        }

        private func scratch(_ config: String, crashed: Int = 500) throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write("config.yaml", config)
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: crashed, of: 10_000))
            return scratch
        }

        @Test func `a port that is taken ends the start with 3 and the cause`() async throws {
            let other = try LoopbackServer { _ in .answer(200) }
            defer { other.stop() }
            let scratch = try scratch(config(hook: "http://127.0.0.1:1", listen: "127.0.0.1:\(other.port)"))
            let finished = try await scratch.alertbot("run")
            #expect(finished.status == 3)
            #expect(
                finished.errors.contains("127.0.0.1:\(other.port): another program listens there"), "\(finished.errors)"
            )
            // Nothing is left behind that would keep the next one from starting.
            other.stop()
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0))
        }

        @Test func `a second bot on the same state ends with 3, and the first goes on`() async throws {
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(config(hook: receiver.url), crashed: 0)
            let first = try await scratch.startBot()
            defer { first.send(SIGKILL) }
            let second = try await scratch.alertbot("run")
            #expect(second.status == 3)
            #expect(second.errors.contains("(pid \(first.pid)) holds the lock on"), "\(second.errors)")
            let status = try await scratch.alertbot("status", "--format", "json")
            #expect(try status.json["running"].bool == true)
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 500, of: 10_000))
            _ = try await receiver.request("the alarm") { _ in true }
            first.send(SIGTERM)
            #expect(try await first.ending() == .exited(0))
            #expect(receiver.requests.count == 1)
        }

        @Test(arguments: [(SIGHUP, "the config was reloaded"), (SIGTERM, "stopping"), (SIGINT, "stopping")])
        func `a signal is heeded from the moment the bot says that it watches`(signal: Int32, words: String)
            async throws
        {
            let scratch = try scratch(config(hook: "http://127.0.0.1:1"), crashed: 0)
            for _ in 0..<30 {
                let bot = try Child(BotBinary.path, ["run"], folder: scratch.folder, keeping: scratch)
                defer { bot.send(SIGKILL) }
                // Without any pause between two looks, so that the signal comes as early as it may.
                while bot.isRunning, !bot.standardError.contains(": watching ") { await Task.yield() }
                bot.send(signal)
                try await bot.says(words, within: .seconds(5))
                bot.send(SIGKILL)
                try await bot.ending()
            }
        }

        @Test func `a stop does not wait for a reload that waits for a secret`() async throws {
            let scratch = try scratch(
                config(hook: "http://127.0.0.1:1", bot: ", token: \"${file:token}\""), crashed: 0)
            try #require(mkfifo(scratch.path("token"), 0o600) == 0)
            let writer = try Child("sh", ["-c", "echo s3cret-s3cret-s3cret >token"], folder: scratch.folder)
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            #expect(try await writer.ending() == .exited(0))
            // Its end of the pipe opens when the bot has opened the other, and nothing comes out of it.
            let silent = try Child(
                "sh", ["-c", "exec 3>token; echo open; read -r end"], folder: scratch.folder, input: .open)
            defer { silent.closeInput() }
            bot.send(SIGHUP)
            _ = try await eventually("the bot reads the secret") { silent.standardOutput == "open\n" ? true : nil }
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0))
            #expect(bot.standardError.contains("stopping; another signal stops at once"))
            #expect(
                !bot.standardError.contains("the bot keeps the"), "\(bot.standardError)")
        }

        @Test func `a config that is wrong on SIGHUP never replaces the one that runs`() async throws {
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(config(hook: receiver.url), crashed: 0)
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await eventually("a poll was made") {
                let status = try await scratch.alertbot("status", "--format", "json").json
                return status["subjects"].number == 1 ? true : nil
            }
            try scratch.write("config.yaml", config(hook: receiver.url).replacing("critical:", with: "critcal:"))
            bot.send(SIGHUP)
            try await bot.says("config.yaml:7:56: error: ")
            try await bot.says("the bot keeps the one it has")
            #expect(bot.standardError.contains("did you mean critical?"))
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 500, of: 10_000))
            let message = try await receiver.request("the alarm of the old rule") { _ in true }
            #expect(message.json["data"]["incidents"][0]["rule"].string == "floor")
            #expect(bot.isRunning)
        }

        @Test func `a new rule is picked up on SIGHUP, and incidents live on through it`() async throws {
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(config(hook: receiver.url))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            let first = try await receiver.request("the first alarm") { _ in true }
            let more = "  users: {plugin: threshold, metric: users, warning: \"> 5000\", window: 1m}"
            try scratch.write("config.yaml", config(hook: receiver.url, rules: more))
            bot.send(SIGHUP)
            try await bot.says("the config was reloaded")
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 510, of: 10_000))
            let second = try await receiver.request("the alarm of the new rule") {
                $0.json["data"]["incidents"][0]["rule"].string == "users"
            }
            #expect(second.json["type"].string == "incident.opened")
            // And a rule that is gone ends its incidents.
            try scratch.write(
                "config.yaml", config(hook: receiver.url, rules: more).replacing("  floor:", with: "  ground:"))
            bot.send(SIGHUP)
            let ended = try await receiver.request("the end") { $0.json["type"].string == "incident.closed" }
            #expect(ended.json["data"]["incidents"][0]["id"] == first.json["data"]["incidents"][0]["id"])
        }

        @Test func `SIGTERM lets the delivery in flight end, and it is not sent again`() async throws {
            let receiver = try LoopbackServer { _ in .late(.seconds(2), .answer(200)) }
            defer { receiver.stop() }
            let scratch = try scratch(config(hook: receiver.url))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await receiver.request("the alarm") { _ in true }
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0))
            #expect(receiver.answers.count == 1, "it ended before the answer")
            let history = try await scratch.alertbot("history", "--format", "json").json["history"]
            #expect(history.elements.map { $0["outcome"].string } == ["delivered"])
            let next = try await scratch.startBot()
            defer { next.send(SIGKILL) }
            _ = try await eventually("a poll was made", within: .seconds(40)) {
                let status = try await scratch.alertbot("status", "--format", "json").json
                return status["sources"][0]["state"].string == "unchanged" ? true : nil
            }
            next.send(SIGTERM)
            #expect(try await next.ending() == .exited(0))
            #expect(receiver.requests.count == 1)
        }

        @Test func `beyond its grace it is left in the journal and sent by the next bot with the same id`() async throws
        {
            let receiver = try LoopbackServer { $0.number == 0 ? .silence : .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(config(hook: receiver.url, bot: ", shutdown_grace: 1s"))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            let first = try await receiver.request("the alarm") { _ in true }
            bot.send(SIGTERM)
            let began = ContinuousClock.now
            #expect(try await bot.ending() == .exited(0))
            #expect(ContinuousClock.now - began < .seconds(10))
            let next = try await scratch.startBot()
            defer { next.send(SIGKILL) }
            let second = try await receiver.request("the same again") { $0.number == 1 }
            #expect(second.header("webhook-id") == first.header("webhook-id"))
            #expect(second.body == first.body)
        }

        @Test func `a second signal ends at once, and nothing is lost`() async throws {
            let receiver = try LoopbackServer { $0.number == 0 ? .silence : .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(config(hook: receiver.url))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await receiver.request("the alarm") { _ in true }
            bot.send(SIGTERM)
            try await bot.says("another signal stops at once")
            // The default action is put back right after the line, so one more signal may still be taken kindly.
            let ending = try await eventually("it ended") { () -> Child.Ending? in
                bot.send(SIGTERM)
                return bot.isRunning ? nil : try await bot.ending()
            }
            #expect(ending == .killed(signal: SIGTERM))
            #expect(try await scratch.alertbot("journal", "verify").status == 0)
        }

        @Test func `a channel that is down for a while gets its message when it is back`() async throws {
            let port = try Loopback.freePort()
            let other = try LoopbackServer { _ in .answer(200) }
            defer { other.stop() }
            let more = "  other: {plugin: webhook, url: \"\(other.url)\"}"
            let scratch = try scratch(config(hook: "http://127.0.0.1:\(port)", channels: more))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            try await bot.says("channel hook: delivery ")
            _ = try await other.request("the alarm elsewhere") { _ in true }
            let receiver = try LoopbackServer(port: port) { _ in .answer(200) }
            defer { receiver.stop() }
            let message = try await receiver.request("the alarm", within: .seconds(60)) { _ in true }
            #expect(message.json["type"].string == "incident.opened")
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0))
            #expect(receiver.requests.count == 1)
            #expect(other.requests.count == 1)
        }

        @Test func `a channel that never answers delays no other`() async throws {
            let slow = try LoopbackServer { _ in .silence }
            defer { slow.stop() }
            let quick = try LoopbackServer { _ in .answer(200) }
            defer { quick.stop() }
            let more = "  quick: {plugin: webhook, url: \"\(quick.url)\"}"
            let scratch = try scratch(config(hook: slow.url, bot: ", shutdown_grace: 0s", channels: more))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await slow.request("a try") { _ in true }
            _ = try await quick.request("the alarm") { _ in true }
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 0, of: 10_000))
            _ = try await quick.request("the end") { $0.json["type"].string == "incident.resolved" }
            #expect(slow.requests.count == 1)
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0))
        }

        @Test func `a full disk delays messages until there is room, and loses none`() async throws {
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(config(hook: receiver.url), crashed: 0)
            // What is left of the limit on a file's size stands for what is left of a disk. Without the signal that
            // goes with it, writing fails as on a disk.
            let bot = try Child(
                "bash", ["-c", "trap '' XFSZ; exec \"$0\" run", BotBinary.path], folder: scratch.folder,
                keeping: scratch)
            defer { bot.send(SIGKILL) }
            try await bot.says(": watching ")
            try await limitFileSizes(of: bot.pid, to: "1")
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 500, of: 10_000))
            try await bot.says("the journal cannot be written")
            #expect(receiver.requests.isEmpty)
            try await limitFileSizes(of: bot.pid, to: "unlimited")
            try await bot.says("the journal can be written again", within: .seconds(60))
            _ = try await receiver.request("the alarm") { $0.json["type"].string == "incident.opened" }
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0))
            #expect(receiver.requests.count == 1)
            let verify = try await scratch.alertbot("journal", "verify")
            #expect(verify.status == 0, "\(verify.all)")
        }

        private func limitFileSizes(of pid: pid_t, to bytes: String) async throws {
            let limited = try await run("prlimit", ["--pid", String(pid), "--fsize=\(bytes):unlimited"])
            #expect(limited.status == 0, "\(limited.errors)")
        }

        @Test func `a state folder that goes away under the bot does not end it`() async throws {
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(config(hook: receiver.url), crashed: 0)
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            // A bot that has just started may be writing there, which a removal does not survive every time.
            let state = scratch.path("state")
            _ = try await eventually("the folder has gone") {
                try? FileManager.default.removeItem(atPath: state)
                return FileManager.default.fileExists(atPath: state) ? nil : true
            }
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 500, of: 10_000))
            _ = try await eventually("it told the alarm or why not") {
                !receiver.requests.isEmpty || bot.standardError.contains("journal cannot be written") ? true : nil
            }
            #expect(bot.isRunning)
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0))
        }
    }
}
