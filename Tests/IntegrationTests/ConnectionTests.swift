import BotHarness
import Foundation
import Testing

extension IntegrationSuite {
    /// Certificates and proxies, with a web server that has TLS, and a proxy, both on loopback.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct ConnectionTests {
        private func scratch(clientAuthority: String? = nil) async throws -> (Scratch, ServerProcess) {
            let scratch = try Scratch()
            try await scratch.makeCertificates()
            try scratch.write("answer.json", #"[{"app": "shop", "users": 10000, "crashed_users": 100}]"#)
            let server =
                if let clientAuthority {
                    try await ServerProcess.python("https.py", scratch, clientAuthority)
                } else {
                    try await ServerProcess.python("https.py", scratch)
                }
            return (scratch, server)
        }

        private func write(
            _ scratch: Scratch, _ server: ServerProcess, host: String = "localhost", _ options: String
        ) throws {
            let more = options.isEmpty ? "" : ", " + options
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                sources:
                  web: {plugin: http_json, url: "https://\(host):\(server.port)/figures",
                        each: "$[*]", map: {app: $.app, users: $.users, crashed_users: $.crashed_users}\(more)}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%"}
                channels:
                  team: {plugin: webhook, url: "https://\(host):\(server.port)/hook"\(more)}

                """)
        }

        private func poll(_ scratch: Scratch, _ environment: [String: String] = [:]) async throws -> Finished {
            try await scratch.alertbot("dry-run", environment: environment)
        }

        private func send(_ scratch: Scratch, _ environment: [String: String] = [:]) async throws -> Finished {
            try await scratch.alertbot("send-test", "team", environment: environment)
        }

        @Test func `a server of one's own authority is refused without it, and accepted with it`() async throws {
            let (scratch, server) = try await scratch()
            for (options, words) in [
                ("", "system's store"), ("ca: ./other-ca.pem", "the file that 'ca' names"),
            ] {
                try write(scratch, server, options)
                for refused in [try await poll(scratch), try await send(scratch)] {
                    #expect(refused.status == 3)
                    #expect(
                        refused.errors.contains("no trusted connection to localhost:\(server.port)"), "\(refused.all)")
                    #expect(refused.errors.contains(words), "\(refused.all)")
                }
            }
            #expect(scratch.lines("requests.jsonl").isEmpty)
            try write(scratch, server, "ca: ./ca.pem")
            for accepted in [try await poll(scratch), try await send(scratch)] {
                #expect(accepted.status == 0, "\(accepted.all)")
            }
            #expect(scratch.lines("requests.jsonl").map { $0["path"].string } == ["/figures", "/hook"])
            try await server.stop()
        }

        @Test(arguments: [
            "client_certificate: ./alice.pem, client_key: ./alice.key", "client_certificate: ./alice-both.pem",
        ])
        func `a server that asks for a certificate gets it`(options: String) async throws {
            let (scratch, server) = try await scratch(clientAuthority: "ca.pem")
            try write(scratch, server, "ca: ./ca.pem")
            let unknown = try await poll(scratch)
            #expect(unknown.status == 3)
            #expect(unknown.errors.contains("asks for a client certificate"), "\(unknown.all)")
            #expect(try await send(scratch).status == 3)
            #expect(scratch.lines("requests.jsonl").isEmpty)
            try write(scratch, server, "ca: ./ca.pem, \(options)")
            for accepted in [try await poll(scratch), try await send(scratch)] {
                #expect(accepted.status == 0, "\(accepted.all)")
            }
            #expect(scratch.lines("requests.jsonl").map { $0["who"][0].string } == ["alice", "alice"])
            try await server.stop()
        }

        @Test func `a certificate that the server refuses is named, and nothing counts as sent`() async throws {
            let (scratch, server) = try await scratch(clientAuthority: "other-ca.pem")
            try write(scratch, server, "ca: ./ca.pem, client_certificate: ./alice.pem, client_key: ./alice.key")
            for refused in [try await poll(scratch), try await send(scratch)] {
                #expect(refused.status == 3)
                #expect(refused.errors.contains("refuses the client certificate (unknown ca)"), "\(refused.all)")
            }
            #expect(scratch.lines("requests.jsonl").isEmpty)
            try await server.stop()
        }

        @Test func `a connection is used again, but never with somebody else's certificate`() async throws {
            let (scratch, server) = try await scratch(clientAuthority: "ca.pem")
            func channel(_ name: String, _ who: String) -> String {
                "  \(name): {plugin: webhook, url: \"https://localhost:\(server.port)/\(who)/\(name)\", ca: ./ca.pem, "
                    + "client_certificate: ./\(who).pem, client_key: ./\(who).key}\n"
            }
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 100, of: 10_000))
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s}
                sources:
                  figures: {plugin: file, path: ./figures.jsonl}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 97%", window: 1m}
                channels:
                \(channel("one", "alice"))\(channel("two", "bob"))\(channel("three", "alice"))\(channel("four", "bob"))
                """)
            let bot = try await scratch.startBot()
            defer { bot.send(9) }
            for (count, crashed) in [(4, nil), (8, 900), (12, 0)] {
                if let crashed {
                    try scratch.write("figures.jsonl", Figures().line("shop", crashed: crashed, of: 10_000))
                }
                _ = try await eventually("\(count) requests: \(bot.standardError)") {
                    scratch.lines("requests.jsonl").count >= count ? true : nil
                }
            }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            let requests = scratch.lines("requests.jsonl")
            for request in requests {
                let who = try #require(request["who"][0].string)
                #expect(request["path"].string?.hasPrefix("/\(who)/") == true, "\(request)")
            }
            // Fewer connections than requests: they are shared, by those who may.
            #expect(Set(requests.map { $0["connection"].number }).count < requests.count)
            try await server.stop()
        }

        @Test func `a proxy of the config is asked, and one of the environment where none is named`() async throws {
            let (scratch, server) = try await scratch()
            let proxy = try await ServerProcess.python("proxy.py", scratch)
            let address = "http://127.0.0.1:\(proxy.port)"
            func tunnels(
                _ host: String, _ options: String, _ environment: [String: String] = [:]
            ) async throws -> [String?] {
                let before = scratch.lines("tunnels.jsonl").count
                try write(scratch, server, host: host, "ca: ./ca.pem\(options)")
                for accepted in [try await poll(scratch, environment), try await send(scratch, environment)] {
                    #expect(accepted.status == 0, "\(options) \(environment): \(accepted.all)")
                }
                return scratch.lines("tunnels.jsonl").dropFirst(before).map { $0["target"].string }
            }
            let there = "service.localhost:\(server.port)"
            let loopback = "localhost:\(server.port)"
            let proxied = ["https_proxy": address]
            #expect(try await tunnels("service.localhost", "") == [])
            // What the config names is asked for anything, this machine included.
            #expect(try await tunnels("localhost", ", proxy: \"\(address)\"") == [loopback, loopback])
            #expect(
                try await tunnels("service.localhost", ", proxy: \"\(address)\"", ["no_proxy": "*"]) == [there, there])
            #expect(try await tunnels("service.localhost", "", proxied) == [there, there])
            #expect(try await tunnels("service.localhost", ", proxy: off", proxied) == [])
            #expect(
                try await tunnels("service.localhost", "", proxied.merging(["no_proxy": ".localhost"]) { $1 }) == [])
            // The environment's is for others than this machine.
            #expect(try await tunnels("localhost", "", proxied) == [])
            // It carries what it cannot read.
            #expect(scratch.lines("tunnels.jsonl").allSatisfy { $0["method"].string == "CONNECT" })
            try await proxy.stop()
            try await server.stop()
        }

        @Test func `check says what is wrong with the files`() async throws {
            let (scratch, server) = try await scratch()
            try scratch.write("der", "\u{30}\u{2}")
            for name in ["ca.pem", "alice.key"] {
                let whole = try String(contentsOfFile: scratch.path(name), encoding: .utf8)
                try scratch.write(name.replacing(/^\w+/, with: "cut"), String(whole.prefix(whole.count / 2)))
            }
            scratch.chmod("cut.key", 0o600)
            for (options, words) in [
                ("ca: ./none.pem", "none.pem of 'ca' cannot be read"), ("ca: ./der", "der of 'ca' is not PEM"),
                ("ca: ./alice.key", "alice.key of 'ca' holds something else"),
                ("client_key: ./alice.key", "'client_key' is set and 'client_certificate' is not"),
                ("client_certificate: ./alice.pem", "holds no key"),
                ("client_certificate: ./alice.pem, client_key: ./bob.pem", "expected -----BEGIN PRIVATE KEY-----"),
                (
                    "client_certificate: ./alice.pem, client_key: ./bob.key",
                    "bob.key does not belong to the first certificate in"
                ),
                ("client_certificate: ./alice.pem, client_key: ./cut.key", "the key in"),
                ("ca: ./cut.pem", "cut.pem cannot be read: it is damaged"),
                ("proxy: proxy.example.com", "expected a proxy's address"),
            ] {
                try write(scratch, server, options)
                let check = try await scratch.alertbot("check")
                #expect(check.status == 1, "\(options)")
                #expect(check.errors.contains(words), "\(options): \(check.errors)")
            }
            scratch.chmod("alice.key", 0o644)
            try write(scratch, server, "client_certificate: ./alice.pem, client_key: ./alice.key")
            let open = try await scratch.alertbot("check")
            #expect(open.status == 0)
            #expect(open.errors.contains("everybody on this machine can read the key in"), "\(open.errors)")
            scratch.chmod("alice.key", 0o600)
            #expect(try await scratch.alertbot("check").errors == "")
            try await server.stop()
        }
    }
}
