import BotHarness
import Foundation
import Glibc
import Testing

extension IntegrationSuite {
    /// Machines on which a bot has next to nothing: few descriptors, a full disk, one that may only be read; and other people.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct HostileMachineTests {
        /// What takes another user or a file system of one's own.
        static let isRoot = geteuid() == 0
        static let whyRoot: Comment = "It mounts file systems and takes other users, which only root may."

        private func scratch(_ hook: String, listen: String = "off") throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: "\(listen)"}
                polling: {every: 1s, throttle: 1s, slowest: 1s}
                sources:
                  figures: {plugin: file, path: ./figures.jsonl}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
                channels:
                  hook: {plugin: webhook, url: "\(hook)"}

                """)
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 0, of: 10_000))
            return scratch
        }

        private func makeBad(_ scratch: Scratch) throws {
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 500, of: 10_000))
        }

        private func isAlarm(_ request: LoopbackServer.Request) -> Bool {
            request.json["data"]["incidents"][0]["app"].string == "shop"
        }

        // MARK: descriptors

        @Test func `with sixty-four descriptors, and strangers who want all of them, alarms are sent`() async throws {
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let port = try Loopback.freePort()
            let scratch = try scratch(receiver.url, listen: "127.0.0.1:\(port)")
            let bot = try Child(
                "bash", ["-c", "ulimit -n 64; exec \"$0\" run", BotBinary.path], folder: scratch.folder,
                keeping: scratch)
            defer { bot.send(SIGKILL) }
            try await bot.says(": watching ")
            try await bot.says("the system lets the bot open 64 files")
            // Each owes the end of its request, to the page and to the control socket.
            var strangers = (0..<100).compactMap { _ in try? Loopback.open(port) }
            strangers += (0..<100).compactMap { _ in Loopback.open(path: scratch.path("state/control.sock")) }
            defer { for stranger in strangers { close(stranger) } }
            #expect(strangers.count > 100)
            for stranger in strangers { _ = Loopback.send(Array("GET / HTTP/1.1\r\nHost: ".utf8), to: stranger) }
            try makeBad(scratch)
            _ = try await receiver.request("the alarm", where: isAlarm)
            for stranger in strangers { close(stranger) }
            strangers = []
            _ = try await eventually("the page is there again") {
                Loopback.ask(port, "GET", "/healthz")?.status == 200 ? true : nil
            }
            #expect(!bot.standardError.contains("Too many open files"), "\(bot.standardError)")
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0))
            #expect(receiver.requests.count == 1)
        }

        // MARK: file systems

        /// A bot whose state is on a file system of a megabyte that nobody else sees.
        private func startBot(onSmallDisk scratch: Scratch) async throws -> Child {
            try scratch.makeFolder("state")
            let bot = try Child(
                "unshare",
                [
                    "--mount", "--propagation", "private", "bash", "-c",
                    "mount -t tmpfs -o size=1m,mode=0700 tmpfs state && exec \"$0\" run", BotBinary.path,
                ], folder: scratch.folder, keeping: scratch)
            try await bot.says(": watching ")
            // What it writes at its start is not what a test is about.
            let journal = state(of: bot, scratch) + "/journal-00000000000000000001.jsonl"
            _ = try await eventually("the first poll is in the journal") {
                let bytes = FileManager.default.contents(atPath: journal) ?? Data()
                return String(decoding: bytes, as: UTF8.self).contains(#""last_good""#) ? true : nil
            }
            return bot
        }

        /// The state folder as the bot sees it.
        private func state(of bot: Child, _ scratch: Scratch) -> String {
            "/proc/\(bot.pid)/root\(scratch.path("state"))"
        }

        private func endWell(_ bot: Child, _ receiver: LoopbackServer, _ scratch: Scratch) async throws {
            _ = try await receiver.request("the alarm", within: .seconds(60), where: isAlarm)
            // Beyond the end of the bot its file system is gone.
            try scratch.makeFolder("copy")
            let state = state(of: bot, scratch)
            for name in try FileManager.default.contentsOfDirectory(atPath: state) where name.hasSuffix(".jsonl") {
                try FileManager.default.copyItem(atPath: "\(state)/\(name)", toPath: scratch.path("copy/\(name)"))
            }
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0))
            #expect(receiver.requests.count { isAlarm($0) } == 1)
            // What a copy of a journal in use lacks at its end is no damage.
            try scratch.write(
                "config.yaml",
                try String(contentsOfFile: scratch.path("config.yaml"), encoding: .utf8)
                    .replacing("bot: {", with: "bot: {state: ./copy, "))
            let verify = try await scratch.alertbot("journal", "verify", "--format", "json")
            #expect(try verify.json["damaged"].bool == false, "\(verify.all)")
        }

        @Test(.enabled(if: HostileMachineTests.isRoot, HostileMachineTests.whyRoot))
        func `a file system of a megabyte that is full delays messages, and loses none`() async throws {
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(receiver.url)
            let bot = try await startBot(onSmallDisk: scratch)
            defer { bot.send(SIGKILL) }
            let ballast = state(of: bot, scratch) + "/ballast"
            try fill(ballast)
            // The journal's last page has room for one alarm, and what it has room for may leave: so much is new at
            // once that no page takes it.
            let others = (100..<200).map { Figures().line("app-\($0)", crashed: 0, of: 10_000) }.joined()
            try scratch.write("figures.jsonl", others + Figures().line("shop", crashed: 500, of: 10_000))
            try await bot.says("the journal cannot be written")
            #expect(!receiver.requests.contains(where: isAlarm))
            let socket = state(of: bot, scratch) + "/control.sock"
            let status = try await run("curl", ["--silent", "--unix-socket", socket, "http://localhost/api/status"])
            #expect(status.output.contains("\"journal_trouble\": \"no space left on the disk of "), "\(status.all)")
            unlink(ballast)
            try await bot.says("the journal can be written again", within: .seconds(60))
            try await endWell(bot, receiver, scratch)
        }

        /// Writes until there is no room for another byte.
        private func fill(_ path: String) throws {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw TooLate("\(path) could be opened: \(String(cString: strerror(errno)))") }
            defer { close(descriptor) }
            let block = [UInt8](repeating: 0, count: 4096)
            var size = block.count
            while size > 0 {
                if write(descriptor, block, size) < 0 { size /= 2 }
            }
        }

        @Test(.enabled(if: HostileMachineTests.isRoot, HostileMachineTests.whyRoot))
        func `on a file system that may only be read no bot starts, and looking works`() async throws {
            let scratch = try scratch("http://127.0.0.1:1")
            try scratch.makeFolder("state")
            try makeBad(scratch)
            for (command, status) in [("run", Int32(3)), ("dry-run", 0), ("status", 0)] {
                let mounted =
                    "mount -t tmpfs -o size=1m tmpfs state && mount -o remount,ro state && exec \"$0\" \(command)"
                let finished = try await run(
                    "unshare", ["--mount", "--propagation", "private", "bash", "-c", mounted, BotBinary.path],
                    folder: scratch.folder)
                #expect(finished.status == status, "\(finished.all)")
                if command == "run" {
                    #expect(finished.errors.contains("./state/lock: Read-only file system"), "\(finished.errors)")
                }
                if command == "dry-run" { #expect(finished.output.contains("shop"), "\(finished.all)") }
            }
        }

        // MARK: other people

        @Test(.enabled(if: HostileMachineTests.isRoot, HostileMachineTests.whyRoot))
        func `another user of the machine gets no word from the control socket`() async throws {
            let scratch = try scratch("http://127.0.0.1:1")
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            let socket = scratch.path("state/control.sock")
            // Somebody who means well has opened the folder.
            scratch.chmod("state", 0o755)
            let order = [
                "--silent", "--show-error", "--max-time", "5", "--unix-socket", socket, "http://localhost/api/status",
            ]
            let own = try await run("curl", order)
            #expect(own.output.contains("shop-alerts"), "\(own.all)")
            let other = try await run("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", "curl"] + order)
            #expect(other.status == 7, "\(other.all)")
            #expect(other.output.isEmpty)
            // Nor does the journal say anything.
            let reading = try await run(
                "setpriv",
                ["--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", "cat \(scratch.path("state"))/*"])
            #expect(reading.output.isEmpty, "\(reading.all)")
            #expect(bot.isRunning)
        }

        // MARK: servers

        @Test func `a credential does not follow a source or a channel that is sent elsewhere`() async throws {
            let elsewhere = try LoopbackServer { _ in .answer(200, [:], "[]") }
            defer { elsewhere.stop() }
            let server = try LoopbackServer { request in
                .answer(307, ["Location": "\(elsewhere.url)\(request.target)"])
            }
            defer { server.stop() }
            let scratch = try Scratch()
            try scratch.write("token", "s3cr3t")
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s}
                sources:
                  own:
                    plugin: http_json
                    url: "\(server.url)/figures"
                    headers: {Authorization: "Bearer ${file:./token}"}
                    each: $[*]
                    map: {app: $.name, users: $.users}
                  figures: {plugin: file, path: ./figures.jsonl}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
                channels:
                  hook: {plugin: webhook, url: "\(server.url)/hook", headers: {Authorization: "Bearer ${file:./token}"}}

                """)
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 500, of: 10_000))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            for path in ["/figures", "/hook"] {
                let first = try await server.request("a question at \(path)") { $0.path == path }
                #expect(first.header("authorization") == "Bearer s3cr3t")
            }
            try await bot.says("source own: ")
            try await bot.says("channel hook: ")
            #expect(elsewhere.requests.map(\.target) == [])
            #expect(!bot.standardError.contains("s3cr3t"))
        }
    }
}
