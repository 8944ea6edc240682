import BotHarness
import Foundation
import Synchronization
import Testing

extension IntegrationSuite {
    @Suite(.serialized, .homeserver, .timeLimit(.minutes(5))) struct MatrixTests {
        private func homeserver() throws -> Homeserver { try #require(Homeserver.current) }

        private func config(_ address: String, room: String, more: String = "", report: String = "") -> String {
            """
            version: 1
            bot: {name: shop-alerts, listen: off\(report)}
            polling: {every: 1s, throttle: 1s, slowest: 1s}
            sources:
              figures: {plugin: file, path: ./figures.jsonl}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
            channels:
              room: {plugin: matrix, homeserver: "\(address)", room: "\(room)", token: "${env:MATRIX_TOKEN}"}
            \(more)
            """
        }

        private func bad(_ apps: String..., more: String = "") -> String {
            apps.map { Figures().line($0, crashed: 500, of: 10_000, more: more) }.joined()
        }

        /// Messages about an app; others of the suite write into the room too.
        private func messages(about app: String) throws -> [JSONTree] {
            try events(about: app).filter { $0["content"]["m.relates_to"]["rel_type"].string != "m.replace" }
        }

        private func events(about app: String) throws -> [JSONTree] {
            try homeserver().messages().filter { $0["content"]["body"].string?.contains(app) == true }
        }

        /// Passes on to the homeserver what a test lets through, so that it can see and disturb. The first request of a
        /// bot asks about the room, so its first message is request 1.
        private func proxy(
            to port: UInt16,
            _ disturb: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply? = { _ in nil }
        ) throws -> LoopbackServer {
            try LoopbackServer { request in
                let names = ["Authorization", "Content-Type"]
                let headers = names.compactMap { name in request.header(name).map { (name, $0) } }
                let answer = Loopback.ask(
                    port, request.method, request.target, headers: Dictionary(headers) { $1 }, body: request.text)
                // The homeserver has it in any case; what the bot learns of that is another matter.
                if let reply = disturb(request) { return reply }
                guard let answer else { return .hangUp }
                let kept = ["Content-Type", "Retry-After"].compactMap { name in answer.header(name).map { (name, $0) } }
                return .answer(answer.status, Dictionary(kept) { $1 }, answer.text)
            }
        }

        @Test func `people read the message, with hostile titles made harmless and nobody mentioned`() async throws {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            let title = "<b onclick=x>@room</b> & </script> [a](http://b) \\u202e @person:test.local"
            let issue =
                #","issues":[{"id":"S-1","title":"\#(title)","events":40,"url":"https://sentry.io/i/1?a=1&b=2"}]"#
            try scratch.write("figures.jsonl", bad("harmless", more: issue))
            try scratch.write("config.yaml", config("http://127.0.0.1:\(homeserver.port)/", room: homeserver.room))
            let environment = ["MATRIX_TOKEN": homeserver.botToken]
            let preview = try await scratch.alertbot("dry-run", "--format", "json", environment: environment)
            let planned = try preview.json["notifications"][0]["request"]["body"]

            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let event = try await eventually("the message was in the room") { try messages(about: "harmless").first }
            let content = event["content"]
            #expect(content["msgtype"].string == "m.text")
            #expect(content["m.mentions"] == .object([:]))
            #expect(content["format"].string == "org.matrix.custom.html")
            let body = try #require(content["body"].string)
            #expect(body.hasPrefix("🔴 harmless: crash-free users 95.00%"))
            #expect(body.hasPrefix(try #require(planned["body"].string?.split(separator: "\n").first)))
            let html = try #require(content["formatted_body"].string)
            #expect(!html.contains("<b onclick") && !html.contains("</script>"))
            #expect(html.contains("&lt;b onclick=x&gt;"), "\(html)")
            #expect(html.contains(#"href="https://sentry.io/i/1?a=1&amp;b=2""#), "\(html)")
            #expect(!body.contains("\u{202E}") && !html.contains("\u{202E}"))

            // The resolution follows into the same room.
            try scratch.write("figures.jsonl", Figures().line("harmless", crashed: 0, of: 10_000))
            _ = try await eventually("the end was told too") {
                try messages(about: "harmless").contains { $0["content"]["body"].string?.hasPrefix("✅") == true }
                    ? true : nil
            }
            #expect(try messages(about: "harmless").count == 2)
            // The end stands in the thread of the beginning, which says by now that it is over.
            let end = try #require(try messages(about: "harmless").last)
            #expect(end["content"]["m.relates_to"]["event_id"].string == event["event_id"].string)
            let edit = try await eventually("the opening message was edited") {
                try events(about: "harmless").first { $0["content"]["m.relates_to"]["rel_type"].string == "m.replace" }
            }
            #expect(edit["content"]["m.relates_to"]["event_id"].string == event["event_id"].string)
            #expect(edit["content"]["m.new_content"]["body"].string?.hasPrefix("✅ harmless") == true)
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
        }

        @Test func `a test message arrives, and its receipt is the event`() async throws {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            try scratch.write("figures.jsonl", "")
            try scratch.write("config.yaml", config("http://127.0.0.1:\(homeserver.port)", room: homeserver.room))
            let sent = try await scratch.alertbot(
                "send-test", "room", environment: ["MATRIX_TOKEN": homeserver.botToken])
            #expect(sent.status == 0, "\(sent.all)")
            let event = try #require(try messages(about: "this is a test message").last)
            #expect(sent.output == "delivered to room as \(event["event_id"].string ?? "?")\n")
        }

        @Test func `an answer that gets lost makes the bot ask again, and the room one message`() async throws {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            let between = try proxy(to: homeserver.port) { $0.number == 1 ? .hangUp : nil }
            defer { between.stop() }
            try scratch.write("figures.jsonl", bad("once-only"))
            try scratch.write("config.yaml", config(between.url, room: homeserver.room))
            let bot = try await scratch.startBot(environment: ["MATRIX_TOKEN": homeserver.botToken])
            defer { bot.send(9) }
            let again = try await between.request("a second try") { $0.method == "PUT" && $0.number > 1 }
            #expect(again.method == "PUT")
            #expect(again.target == between.requests.first { $0.method == "PUT" }?.target)
            #expect(again.body == between.requests.first { $0.method == "PUT" }?.body)
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(try messages(about: "once-only").count == 1)
            let history = try await scratch.alertbot(
                "history", "--format", "json", environment: ["MATRIX_TOKEN": homeserver.botToken]
            ).json["history"]
            #expect(history.elements.map { $0["outcome"].string } == ["delivered"])
            #expect(history[0]["attempts"].number == 2)
        }

        @Test func `killed while the answer is on its way, the next bot asks again, and the room has one message`()
            async throws
        {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            let between = try proxy(to: homeserver.port) { $0.number == 1 ? .silence : nil }
            defer { between.stop() }
            try scratch.write("figures.jsonl", bad("killed-once"))
            try scratch.write("config.yaml", config(between.url, room: homeserver.room))
            let environment = ["MATRIX_TOKEN": homeserver.botToken]
            let first = try await scratch.startBot(environment: environment)
            defer { first.send(9) }
            _ = try await eventually("the homeserver had it") { try messages(about: "killed-once").first }
            first.send(9)
            try await first.ending()
            let second = try await scratch.startBot(environment: environment)
            defer { second.send(9) }
            let again = try await between.request("a second try") { $0.method == "PUT" && $0.number > 1 }
            #expect(again.target == between.requests.first { $0.method == "PUT" }?.target)
            _ = try await eventually("the delivery had ended") {
                let history = try await scratch.alertbot("history", "--format", "json", environment: environment)
                return try history.json["history"].elements.isEmpty ? nil : true
            }
            #expect(try messages(about: "killed-once").count == 1)
        }

        @Test func `a room that the bot may not write to gives a dead letter, and report_to hears of it`() async throws
        {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            try scratch.write("figures.jsonl", bad("unheard"))
            let more = """
                  ops: {plugin: webhook, url: "\(receiver.url)"}
                routes:
                  - to: [room]

                """
            try scratch.write(
                "config.yaml",
                config(
                    "http://127.0.0.1:\(homeserver.port)", room: homeserver.closedRoom, more: more,
                    report: ", report_to: ops"))
            let environment = ["MATRIX_TOKEN": homeserver.botToken]
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let trouble = try await receiver.request("the trouble") { _ in true }
            let incident = trouble.json["data"]["incidents"][0]
            #expect(incident["app"].string == "alertbot")
            #expect(incident["rule"].string == "channel-failing")
            #expect(incident["severity"].string == "critical")
            let text = try #require(trouble.json["data"]["text"].string)
            #expect(text.contains("room") && text.contains("M_FORBIDDEN"), "\(text)")
            let dead = try await scratch.alertbot("history", "--dead", "--format", "json", environment: environment)
            #expect(try dead.json["history"][0]["channel"].string == "room")
            #expect(try dead.json["history"][0]["outcome"].string == "dead")
            #expect(try dead.json["history"][0]["attempts"].number == 1)
            #expect(try messages(about: "unheard").isEmpty)
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(receiver.requests.count == 1)
        }

        @Test func `an encrypted room is refused with a sentence, before anything is said in it`() async throws {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            try scratch.write("figures.jsonl", bad("in-the-open"))
            try scratch.write(
                "config.yaml", config("http://127.0.0.1:\(homeserver.port)", room: homeserver.encryptedRoom))
            let environment = ["MATRIX_TOKEN": homeserver.botToken]
            let sent = try await scratch.alertbot("send-test", "room", environment: environment)
            #expect(sent.status == 3)
            #expect(
                sent.errors.contains("the room is encrypted (m.megolm.v1.aes-sha2), and this bot cannot encrypt"),
                "\(sent.errors)")
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let dead = try await eventually("the message was a failed delivery") {
                let dead = try await scratch.alertbot(
                    "history", "--dead", "--format", "json", environment: environment)
                return try dead.json["history"].elements.first
            }
            #expect(dead["attempts"].number == 1)
            #expect(try homeserver.messages(in: homeserver.encryptedRoom).isEmpty)
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
        }

        @Test func `a chart is a picture in the thread of its message, and people get its bytes`() async throws {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            let text = config("http://127.0.0.1:\(homeserver.port)", room: homeserver.room)
            try scratch.write("config.yaml", text.replacing("token: \"$", with: "chart: true, token: \"$"))
            try scratch.write("figures.jsonl", Figures.day("pictured", crashed: 500))
            let bot = try await scratch.startBot(environment: ["MATRIX_TOKEN": homeserver.botToken])
            defer { bot.send(9) }
            let message = try await eventually("the message was in the room") { try messages(about: "pictured").first }
            let picture = try await eventually("its picture was in the room: \(bot.standardError)") {
                try homeserver.messages().first {
                    $0["content"]["m.relates_to"]["event_id"].string == message["event_id"].string
                }
            }
            let content = picture["content"]
            #expect(content["msgtype"].string == "m.image")
            #expect(content["info"]["w"].number == 960)
            #expect(content["body"].string?.hasPrefix("Crash-free users, last day: between ") == true)
            let media = try homeserver.media(try #require(content["url"].string))
            #expect(media.header("content-type") == "image/png")
            #expect(media.header("content-length").flatMap(Double.init) == content["info"]["size"].number)
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
        }

        @Test func `a homeserver that takes no picture still has the message, once`() async throws {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            let uploads = Mutex(0)
            let between = try proxy(to: homeserver.port) { request in
                guard request.target.contains("/media/") else { return nil }
                uploads.withLock { $0 += 1 }
                return .answer(413, [:], #"{"errcode":"M_TOO_LARGE","error":"Upload is too large"}"#)
            }
            defer { between.stop() }
            let text = config(between.url, room: homeserver.room)
            try scratch.write("config.yaml", text.replacing("token: \"$", with: "chart: true, token: \"$"))
            try scratch.write("figures.jsonl", Figures.day("unpictured", crashed: 500))
            let environment = ["MATRIX_TOKEN": homeserver.botToken]
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            _ = try await eventually("the log said so") {
                bot.standardError.contains("channel room: the chart of a message did not arrive: answered 413")
                    ? true : nil
            }
            #expect(try messages(about: "unpictured").count == 1)
            #expect(uploads.withLock(\.self) == 1)
            let history = try await scratch.alertbot("history", "--format", "json", environment: environment)
            #expect(try history.json["history"].elements.map { $0["outcome"].string } == ["delivered"])
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
        }

        @Test func `a wrong token is a dead letter at once, and is never shown`() async throws {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            try scratch.write("figures.jsonl", "")
            try scratch.write("config.yaml", config("http://127.0.0.1:\(homeserver.port)", room: homeserver.room))
            let sent = try await scratch.alertbot(
                "send-test", "room", environment: ["MATRIX_TOKEN": "syt_wrong_s3cret"])
            #expect(sent.status == 3)
            #expect(sent.errors.contains("M_UNKNOWN_TOKEN"), "\(sent.errors)")
            #expect(!sent.all.contains("syt_wrong_s3cret"))
        }

        @Test func `when the homeserver says wait, the bot waits that long, and everything arrives in order`()
            async throws
        {
            let homeserver = try homeserver()
            let scratch = try Scratch()
            let between = try proxy(to: homeserver.port)
            defer { between.stop() }
            let apps = (1...6).map { "limited-\($0)" }
            try scratch.write("figures.jsonl", apps.map { bad($0) }.joined())
            try scratch.write("config.yaml", config(between.url, room: homeserver.room))
            try homeserver.limit(perSecond: 1, burst: 2)
            defer { try? homeserver.limit(perSecond: 0, burst: 0) }
            let bot = try await scratch.startBot(environment: ["MATRIX_TOKEN": homeserver.botToken])
            defer { bot.send(9) }
            let all = try await eventually("all six were in the room", within: .seconds(90)) {
                let found = try messages(about: "limited-")
                return found.count >= 6 ? found : nil
            }
            #expect(all.count == 6)
            let told = apps.filter { app in all.contains { $0["content"]["body"].string?.contains(app) == true } }
            #expect(told == apps)
            #expect(bot.standardError.contains("M_LIMIT_EXCEEDED"), "\(bot.standardError)")
            let refusals = between.answers.enumerated().filter { $0.element.status == 429 }
            #expect(!refusals.isEmpty)
            for (index, refusal) in refusals where index + 1 < between.requests.count {
                let wait = try #require(refusal.json["retry_after_ms"].number)
                let waited = between.requests[index + 1].at - refusal.at
                #expect(waited >= .milliseconds(wait), "asked again after \(waited), told \(wait) ms")
            }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
        }
    }
}
