import BotHarness
import Foundation
import Glibc
import Synchronization
import Testing

extension IntegrationSuite {
    /// Answers as Sentry gives them, over HTTP with its headers: pages, limits, refusals.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct SentryTests {
        private static let organization = "/api/0/organizations/acme/"

        /// What Sentry would say; sessions cover the span that was asked for.
        private static func answer(
            _ request: LoopbackServer.Request, me: String, isKnown: Bool = false
        ) throws -> LoopbackServer.Reply {
            guard isKnown || request.header("authorization") == "Bearer sntryi_s3cret" else {
                return .answer(401, json, try Tools.fixture("sentry/error_401.json"))
            }
            switch request.path {
            case organization + "projects/": return .answer(200, json, try Tools.fixture("sentry/projects.json"))
            case organization + "sessions/":
                guard let from = request.parameter("start"), let to = request.parameter("end") else {
                    return .answer(400, json, try Tools.fixture("sentry/error_400.json"))
                }
                var body = try Tools.fixture("sentry/sessions_by_release.json")
                body.replace(/"start": "[^"]*"/, with: "\"start\": \"\(from)\"")
                body.replace(/"end": "[^"]*"/, with: "\"end\": \"\(to)\"")
                if !request.target.contains("release") { body.replace(/,\s*"release": "[^"]*"/, with: "") }
                return .answer(200, json, body)
            case organization + "issues/":
                let isFirst = request.parameter("cursor") == nil
                let address = "\(me)\(organization)issues/"
                let link =
                    "<\(address)?cursor=0:0:1>; rel=\"previous\"; results=\"\(!isFirst)\"; cursor=\"0:0:1\", "
                    + "<\(address)?cursor=0:3:0>; rel=\"next\"; results=\"\(isFirst)\"; cursor=\"0:3:0\""
                let headers = ["Link": link, "X-Sentry-Rate-Limit-Remaining": "39", "X-Sentry-Rate-Limit-Limit": "40"]
                return .answer(
                    200, json.merging(headers) { $1 }, try Tools.fixture("sentry/issues_page\(isFirst ? 1 : 2).json"))
            default: return .answer(404, json, try Tools.fixture("sentry/error_404.json"))
            }
        }

        private static let json = ["Content-Type": "application/json"]

        private func sentry(
            _ disturb: @escaping @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Reply? = { _ in nil }
        ) throws -> LoopbackServer {
            let address = Mutex("")
            let server = try LoopbackServer { request in
                do {
                    return try disturb(request) ?? SentryTests.answer(request, me: address.withLock(\.self))
                } catch {
                    return .answer(500, [:], "\(error)")
                }
            }
            address.withLock { $0 = server.url }
            return server
        }

        private func scratch(
            _ server: LoopbackServer, hook: String = "http://127.0.0.1:1", organization: String = "acme",
            token: String = "${env:TOKEN}"
        ) throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s, timeout: 5s}
                sources:
                  wallet: {plugin: sentry, url: "\(server.url)", organization: \(organization), token: "\(token)"}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 97%", window: 1h, match: {release: "*"}}
                channels:
                  hook: {plugin: webhook, url: "\(hook)"}

                """)
            return scratch
        }

        private let environment = ["TOKEN": "sntryi_s3cret"]

        @Test func `a preview reads sessions per release and every page of issues`() async throws {
            let server = try sentry()
            defer { server.stop() }
            let preview = try await scratch(server).alertbot("dry-run", "--format", "json", environment: environment)
            #expect(preview.status == 0, "\(preview.errors)")
            let incidents = try preview.json["incidents"].elements
            #expect(incidents.map { $0["release"].string } == ["com.acme.wallet@5.4.0+5401"])
            #expect(incidents.first?["app"].string == "wallet-android")
            #expect(incidents.first?["source"].string == "wallet")
            // 15,120 users of which 94.68915… % without a crash.
            #expect(incidents.first?["evidence"]["denominator"].number == 15_120)
            #expect(incidents.first?["evidence"]["numerator"].number == 14_317)
            let pages = server.requests.filter { $0.path.hasSuffix("/issues/") }
            #expect(pages.map { $0.parameter("cursor") } == [nil, "0:3:0"])
            for request in server.requests {
                #expect(request.method == "GET")
                #expect(request.path.hasSuffix("/"), "a path without its last slash is redirected: \(request.target)")
            }
            #expect(!preview.all.contains("s3cret"))
        }

        @Test func `the next page is asked of the same server, wherever the link leads`() async throws {
            let thief = try LoopbackServer { _ in .answer(200, [:], "[]") }
            defer { thief.stop() }
            let stolen = thief.url
            let server = try sentry { request in
                guard request.path.hasSuffix("/issues/"), request.parameter("cursor") == nil else { return nil }
                let link = "<\(stolen)/?cursor=0:3:0>; rel=\"next\"; results=\"true\"; cursor=\"0:3:0\""
                return .answer(200, ["Link": link], try Tools.fixture("sentry/issues_page1.json"))
            }
            defer { server.stop() }
            let preview = try await scratch(server).alertbot("dry-run", environment: environment)
            #expect(preview.status == 0, "\(preview.errors)")
            #expect(thief.requests.isEmpty)
            #expect(server.requests.contains { $0.parameter("cursor") == "0:3:0" })
        }

        @Test(arguments: [
            ("error_401.json", 401, ["Invalid token", "check 'token'"]),
            ("error_403.json", 403, ["permission", "org:read"]),
            ("error_404.json", 404, ["'organization'"]),
            ("error_429_string.json", 429, ["too frequently"]),
            ("error_400.json", 400, ["would create too many results"]),
        ])
        func `refusals are reported in Sentry's words and with what to do`(
            fixture: String, status: Int, words: [String]
        ) async throws {
            let reset = String(Int(Date().timeIntervalSince1970) + 20)
            let server = try sentry { _ in
                .answer(
                    status, ["Content-Type": "application/json", "X-Sentry-Rate-Limit-Reset": reset],
                    try Tools.fixture("sentry/\(fixture)"))
            }
            defer { server.stop() }
            let preview = try await scratch(server).alertbot("dry-run", "--format", "json", environment: environment)
            #expect(preview.status == 3, "\(preview.all)")
            #expect(preview.output == "")
            for word in words { #expect(preview.errors.contains(word), "\(preview.errors)") }
        }

        @Test func `after a 429 nothing is asked before the limit's reset, then figures are reported`() async throws {
            let reset = Mutex(0)
            let server = try sentry { request in
                guard request.number == 0 else { return nil }
                let until = Int(Date().timeIntervalSince1970) + 4
                reset.withLock { $0 = until }
                return .answer(
                    429, ["X-Sentry-Rate-Limit-Reset": String(until), "X-Sentry-Rate-Limit-Remaining": "0"],
                    try Tools.fixture("sentry/error_429_string.json"))
            }
            defer { server.stop() }
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let bot = try await scratch(server, hook: receiver.url).startBot(environment: environment)
            defer { bot.send(9) }
            _ = try await server.request("a second try") { $0.number == 1 }
            #expect(Date().timeIntervalSince1970 >= Double(reset.withLock(\.self)))
            let message = try await receiver.request("the alarm; the bot said \(bot.standardError)") {
                $0.json["data"]["incidents"][0]["rule"].string == "floor"
            }
            #expect(message.json["data"]["incidents"][0]["release"].string == "com.acme.wallet@5.4.0+5401")
            let text = try #require(message.json["data"]["text"].string)
            #expect(text.contains("5.4.0"))
        }

        @Test func `a token that is replaced in its file is used before anybody is told of a refusal`() async throws {
            let taken = Mutex("sntryi_s3cret")
            let server = try sentry { request in
                guard request.header("authorization") != "Bearer \(taken.withLock(\.self))" else {
                    // Whatever is taken is as good as the one that the fake knows.
                    return try SentryTests.answer(request, me: "", isKnown: true)
                }
                return .answer(401, ["Content-Type": "application/json"], try Tools.fixture("sentry/error_401.json"))
            }
            defer { server.stop() }
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(server, hook: receiver.url, token: "${file:./token}")
            try scratch.write("token", "sntryi_s3cret\n")
            let bot = try await scratch.startBot()
            defer { bot.send(9) }
            _ = try await receiver.request("the alarm; the bot said \(bot.standardError)") { _ in true }
            try scratch.write("token", "sntryi_rotated\n")
            taken.withLock { $0 = "sntryi_rotated" }
            let before = server.requests.count
            _ = try await server.request("a poll with the new token") {
                $0.number >= before && $0.header("authorization") == "Bearer sntryi_rotated"
            }
            _ = try await server.request("the poll after it") {
                $0.number > before + 6 && $0.header("authorization") == "Bearer sntryi_rotated"
            }
            let status = try await scratch.alertbot("status", "--format", "json").json
            #expect(status["sources"][0]["failure"] == .null)
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(bot.standardError.contains("the one in its file now is used"))
            #expect(!bot.standardError.contains("rotated"))
            #expect(receiver.requests.allSatisfy { $0.json["data"]["incidents"][0]["rule"].string == "floor" })
        }

        @Test func `a token refused twice stops the source, which is said once`() async throws {
            let server = try sentry()
            defer { server.stop() }
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(server, hook: receiver.url)
            let bot = try await scratch.startBot(environment: ["TOKEN": "sntryi_old"])
            defer { bot.send(9) }
            let message = try await receiver.request("the trouble") { _ in true }
            #expect(message.json["data"]["incidents"][0]["rule"].string == "source-stopped")
            #expect(message.json["data"]["text"].string?.contains("wallet") == true)
            #expect(server.requests.count == 2)
            let status = try await scratch.alertbot("status", "--format", "json", environment: environment).json
            #expect(status["running"].bool == true)
            #expect(status["sources"][0]["state"].string == "stopped")
            #expect(status["sources"][0]["next_poll"] == .null)
            // The config loaded anew is a new chance; the environment is the old one, so it ends the same way.
            bot.send(SIGHUP)
            _ = try await server.request("a try after the reload") { $0.number == 3 }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(server.requests.count == 4)
            #expect(receiver.requests.count == 1)
        }
    }
}
