internal import Foundation
internal import Measuring
internal import Programs
internal import Synchronization

/// The whole program: apps polled every second, sixty times as often as usual, under ten rules, while people look at
/// the page, a scraper at the figures, browsers hold streams, and somebody asks for the status.
struct Hours {
    var apps = 200
    var seconds: Int
    /// How many polls an app is bad for before the next one is.
    var pollsPerTrouble = 30
    /// One app of so many is bad at a time. After ten minutes each has been, and the bot remembers of ended incidents, of
    /// their figures and of messages as much as it ever does.
    var appsPerTrouble = 20
    /// After so many one looks at what it has grown to.
    var secondsBetween = 60
    /// How long everybody rests before they come again, in milliseconds.
    var pause: UInt32 = 200

    /// What it has grown to.
    struct Look {
        var ownBytes: Double
        var threads: Double
        var descriptors: Double
    }

    /// Watches it, and gives back what was seen at each look.
    func watch(_ binary: String, in folder: String) throws -> [Look] {
        let polls = Atomic<Int>(0)
        let messages = Atomic<Int>(0)
        let server = try LoopbackServer { request in
            guard !request.isPost else {
                messages.add(1, ordering: .relaxed)
                return LoopbackServer.Reply()
            }
            return LoopbackServer.Reply(answer(polls.add(1, ordering: .relaxed).newValue))
        }
        let port = try freePort()
        try Hours.config(server.port, page: port).write(
            toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
        let bot = try Child(binary, ["run", "--config", folder + "/config.yaml"], in: folder)
        defer { bot.stop() }
        try wait("alertbot was up") {
            guard bot.isRunning else { throw Trouble("it ended early:\n\(bot.lastWords)") }
            return bot.said(": watching ") != nil
        }
        let unit = secondsBetween == 60 ? "minute" : "second"
        say("### The whole program for \(seconds) s: \(apps) apps, ten rules, a poll a second\n")
        let table = Table(
            "program",
            [
                unit, "resident, MiB", "its own, MiB", "threads", "descriptors", "state folder, MiB", "polls",
                "messages", "requests",
                "CPU, s",
            ])
        var looks: [Look] = []
        var requests = 0
        var asked = 0.0
        let start = LoopbackServer.now()
        while true {
            let cost = bot.cost
            let time = looks.count * secondsBetween
            looks.append(
                Look(
                    ownBytes: Double(cost.ownBytes), threads: Double(cost.threads),
                    descriptors: Double(cost.descriptors)))
            table.add([
                "\(secondsBetween == 60 ? time / 60 : time)",
                String(format: "%.1f", Double(cost.residentBytes) / 1_048_576),
                String(format: "%.1f", Double(cost.ownBytes) / 1_048_576), "\(cost.threads)", "\(cost.descriptors)",
                String(format: "%.1f", Double(Hours.bytes(of: folder + "/state")) / 1_048_576),
                "\(polls.load(ordering: .relaxed))", "\(messages.load(ordering: .relaxed))", "\(requests)",
                String(format: "%.1f", cost.cpuSeconds),
            ])
            guard time < seconds else { break }
            while LoopbackServer.now() - start < Double(time + secondsBetween) {
                guard bot.isRunning else { throw Trouble("it ended early:\n\(bot.lastWords)") }
                requests += try Hours.visit(port)
                if LoopbackServer.now() - asked >= Double(pause) / 200 {
                    asked = LoopbackServer.now()
                    try run(binary, ["status", "--config", folder + "/config.yaml"], in: folder)
                }
                usleep(pause * 1000)
            }
        }
        say("")
        return looks
    }

    /// One look at each: the page, the figures, a stream that is cut, and half a request. Gives back how many.
    private static func visit(_ port: UInt16) throws -> Int {
        for path in ["/", "/metrics", "/healthz", "/api/status", "/events", ""] {
            let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard connection >= 0 else { throw Trouble("there is no socket left") }
            defer { close(connection) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            // Nothing is timed: a machine that others keep busy answers late, and only a bot that hangs not at all.
            var patience = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard code == 0 else { throw Trouble("nobody listens on port \(port)") }
            let text = path.isEmpty ? "GET / HT" : "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
            _ = text.utf8CString.withUnsafeBytes { write(connection, $0.baseAddress, $0.count - 1) }
            guard !path.isEmpty else { continue }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            guard read(connection, &buffer, buffer.count) > 12 else { throw Trouble("\(path) was not answered") }
        }
        return 6
    }

    private func answer(_ poll: Int) -> String {
        let rows = (0..<apps).map { app -> String in
            // One after the other goes bad.
            let isBad = (poll / pollsPerTrouble + app) % appsPerTrouble == 0
            let users = 9000 + (poll * 37 + app * 101) % 1000
            return #"{"app":"app-\#(app)","users":\#(users),"crashed":\#(isBad ? 500 : 9 + (poll + app) % 7)}"#
        }
        return #"{"rows":[\#(rows.joined(separator: ","))]}"#
    }

    private static func config(_ source: UInt16, page: UInt16) -> String {
        let rules = (0..<10).map { number in
            "  rule-\(number): {plugin: threshold, metric: crash_free_users, warning: \"< 99.\(number)%\", window: 5m}"
        }
        return """
            version: 1
            bot: {name: soak, state: ./state, listen: "127.0.0.1:\(page)"}
            polling: {every: 1s, throttle: 1s, slowest: 1s}
            sources:
              world:
                plugin: http_json
                url: http://127.0.0.1:\(source)/
                each: $.rows[*]
                span: 5m
                map: {app: $.app, users: $.users, crashed_users: $.crashed}
            rules:
            \(rules.joined(separator: "\n"))
              # Each app is in trouble every ten minutes. Gathered for an hour, that would be no messages, and for longer no rest.
              often: {plugin: flapping, changes: 20, within: 1h}
            channels:
              hook: {plugin: webhook, url: "http://127.0.0.1:\(source)/hook"}

            """
    }

    private static func bytes(of folder: String) -> Int {
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return paths.reduce(0) { sum, path in
            let size = (try? FileManager.default.attributesOfItem(atPath: folder + "/" + path)[.size]) as? Int
            return sum + (size ?? 0)
        }
    }
}
