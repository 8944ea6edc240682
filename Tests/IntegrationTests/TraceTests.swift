import BotHarness
import Foundation
import Glibc
import Testing

extension IntegrationSuite {
    /// What a preview asks of the system, as `strace` sees it.
    @Suite(.serialized, .timeLimit(.minutes(2))) struct TraceTests {
        private static let canTrace = ["/usr/bin", "/bin", "/usr/local/bin"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + "/strace")
        }

        private func config(_ source: LoopbackServer, _ hook: LoopbackServer) -> String {
            """
            version: 1
            bot: {name: shop-alerts, listen: off, heartbeat: "\(hook.url)/alive"}
            sources:
              stats: {plugin: http_json, url: "\(source.url)", app: shop, map: {users: $.users, crashed_users: $.crashed}}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 5m}
            channels:
              hook: {plugin: webhook, url: "\(hook.url)/hook"}
            """
        }

        @Test(.enabled(if: canTrace, "strace is not installed; scripts/setup-integration installs it"))
        func `a preview beside a running bot sends nothing and writes nothing`() async throws {
            let source = try LoopbackServer { _ in .answer(200, [:], #"{"users": 10000, "crashed": 2}"#) }
            defer { source.stop() }
            let hook = try LoopbackServer { _ in .answer(200) }
            defer { hook.stop() }
            let scratch = try Scratch()
            try scratch.write("config.yaml", config(source, hook))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await source.request("the bot's poll") { _ in true }
            // From now on there is something to say, and the bot polls again only in minutes.
            source.change { _ in .answer(200, [:], #"{"users": 10000, "crashed": 900}"#) }
            let told = hook.requests.count { $0.path == "/hook" }
            for name in scratch.names where name.hasPrefix("state") {
                scratch.chmod(name, name == "state" ? 0o555 : 0o444)
            }

            for format in ["text", "json", "html", "payload"] {
                let log = scratch.path("trace-\(format)")
                // The superuser may write anywhere; without these rights even he is held to the modes of files.
                let bound =
                    geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : ["env"]
                let traced = ["strace", "-f", "-qq", "-s", "256", "-o", log, "-e", "trace=%network,%file"]
                let command = bound + traced + [BotBinary.path, "dry-run", "--format", format]
                let preview = try await run(command[0], Array(command.dropFirst()), folder: scratch.folder)
                #expect(preview.status == 0, "\(preview.errors)")
                #expect(preview.output.contains("91.00%"), "\(format): \(preview.output.prefix(400))")
                let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(SystemCall.init)
                #expect(calls.contains { $0.name == "connect" && $0.text.contains("htons(\(source.port))") })
                #expect(calls.filter { !$0.isHarmless(sourcePort: source.port) }.map(\.text) == [], "\(format)")
            }
            #expect(hook.requests.count { $0.path == "/hook" } == told)
            #expect(bot.isRunning)
        }
    }
}

/// One line of a trace: `1234  openat(AT_FDCWD, "config.yaml", O_RDONLY|O_CLOEXEC) = 3`.
private struct SystemCall {
    let text: Substring
    let name: Substring

    init(_ line: Substring) {
        text = line.drop { $0.isNumber }.drop { $0 == " " }
        name = text.prefix { $0 != "(" && $0 != " " }
    }

    /// Whether it neither changes a file nor speaks to anybody but the source.
    func isHarmless(sourcePort: UInt16) -> Bool {
        switch name {
        case "open", "openat", "openat2":
            let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"].contains { text.contains($0) }
            return !writes || text.contains("\"/dev/null\"")
        case "connect", "sendto", "sendmsg", "sendmmsg":
            // To the one address, or over a connection that is open already. The system's own service for names of
            // hosts and users is asked by the C library before it reads its files.
            let isAddressed = text.contains("sin_port") || text.contains("sin6_port") || text.contains("sun_path")
            return !isAddressed || text.contains("htons(\(sourcePort))") || text.contains("/var/run/nscd/socket")
        case "bind":
            // Netlink: the C library asks the kernel which addresses the machine has.
            return text.contains("AF_NETLINK")
        case "creat", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "link",
            "linkat",
            "symlink", "symlinkat", "mknod", "mknodat", "truncate", "chmod", "fchmodat", "chown", "lchown", "fchownat",
            "utimensat", "utimes", "setxattr", "lsetxattr", "removexattr", "listen", "accept", "accept4":
            return false
        default: return true
        }
    }
}
