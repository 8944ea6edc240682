internal import Foundation
internal import Measuring
internal import Programs

// What watching costs when all is well: so many sources at 15 s, each an address of one nginx whose figures are others
// at every answer. Beside alertbot Prometheus scrapes as many targets of the same nginx, in turns.

@main
enum Fleet {
    static func main() {
        do { try measure() } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func measure() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        func value(of name: String) -> String? {
            guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
            let value = arguments[place + 1]
            arguments.removeSubrange(place...place + 1)
            return value
        }
        let seconds = value(of: "--seconds").flatMap { Int($0) } ?? 60
        let binary = value(of: "--alertbot") ?? ""
        let only = value(of: "--only")
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw Trouble("usage: fleet --alertbot PATH [--seconds N] [--only alertbot|prometheus] [COUNT...]")
        }
        let watchers: [any Watcher] = [Alertbot(binary: binary), Prometheus()].filter { only == nil || $0.name == only }
        let table = Table(
            "polls",
            [
                "sources", "program", "polls due", "polls made", "CPU a poll", "CPU-s a minute", "written a poll",
                "resident",
            ], names: 2)
        let counts = arguments.compactMap { Int($0) }
        for count in counts.isEmpty ? [100, 1000, 10_000] : counts {
            for watcher in watchers {
                let row = try withScratch { try measure(watcher, count, seconds: seconds, in: $0) }
                table.add([grouped(Double(count)), watcher.name] + row)
            }
        }
    }

    private static func measure(
        _ watcher: any Watcher, _ count: Int, seconds: Int, in folder: String
    ) throws -> [String] {
        let web = try Web(in: folder)
        defer { web.stop() }
        let child = try watcher.start(count, polling: web.port, in: folder)
        defer { child.stop() }
        // Two rounds, so that what happens only once is over.
        sleep(2 * Watch.every + 5)
        guard child.isRunning else { throw Trouble("\(watcher.name) ended early:\n\(child.lastWords)") }
        let before = (cost: child.cost, polls: try web.requests())
        sleep(UInt32(seconds))
        let after = (cost: child.cost, polls: try web.requests())
        let polls = Double(after.polls - before.polls)
        let cpu = after.cost.cpuSeconds - before.cost.cpuSeconds
        let due = count * seconds / Int(Watch.every)
        return [
            grouped(Double(due)), grouped(polls), String(format: "%.0f µs", cpu / polls * 1e6),
            String(format: "%.2f", cpu * 60 / Double(seconds)),
            grouped(Double(after.cost.writtenBytes - before.cost.writtenBytes) / polls) + " bytes",
            String(format: "%.1f MiB", Double(after.cost.residentBytes) / 1_048_576),
        ]
    }
}

enum Watch {
    /// How often every source is polled, in seconds.
    static let every: UInt32 = 15
}

/// A program that polls so many sources.
protocol Watcher {
    var name: String { get }
    func start(_ count: Int, polling port: UInt16, in folder: String) throws -> Child
}

struct Alertbot: Watcher {
    let name = "alertbot"
    let binary: String

    func start(_ count: Int, polling port: UInt16, in folder: String) throws -> Child {
        let sources = (0..<count).map { index in
            "  s\(index): {plugin: http_json, url: 'http://127.0.0.1:\(port)/json/\(index)', app: app-\(index), "
                + "map: {sessions: $.sessions, crashed_sessions: $.crashed}}"
        }
        let every = Watch.every
        let config = """
            version: 1
            bot: {name: fleet, state: ./state, listen: "off"}
            polling: {every: \(every)s, throttle: \(every)s, slowest: \(every)s, concurrency: 64, per_host: 64}
            sources:
            \(sources.joined(separator: "\n"))
            rules:
              floor: {plugin: threshold, metric: crash_free_sessions, warning: "< 99.5%", window: 5m}
            channels:
              page: {plugin: inbox}
            """
        try config.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
        return try Child(binary, ["run", "--config", folder + "/config.yaml"], in: folder)
    }
}

struct Prometheus: Watcher {
    let name = "prometheus"

    func start(_ count: Int, polling port: UInt16, in folder: String) throws -> Child {
        let targets = (0..<count).map { index in
            #"{"targets":["127.0.0.1:\#(port)"],"labels":{"app":"app-\#(index)","__metrics_path__":"/text/\#(index)"}}"#
        }
        try "[\(targets.joined(separator: ","))]".write(
            toFile: folder + "/targets.json", atomically: true, encoding: .utf8)
        let rule = """
            groups:
              - name: floor
                interval: \(Watch.every)s
                rules: [{alert: Floor, expr: "1 - crashed_sessions / sessions < 0.995", for: 1m}]
            """
        try rule.write(toFile: folder + "/rules.yml", atomically: true, encoding: .utf8)
        let config = """
            global: {scrape_interval: \(Watch.every)s, evaluation_interval: \(Watch.every)s}
            rule_files: [\(folder)/rules.yml]
            scrape_configs:
              - job_name: apps
                file_sd_configs: [{files: [\(folder)/targets.json]}]
            """
        try config.write(toFile: folder + "/prometheus.yml", atomically: true, encoding: .utf8)
        return try Child(
            "/usr/bin/prometheus",
            [
                "--config.file=\(folder)/prometheus.yml", "--storage.tsdb.path=\(folder)/data",
                "--web.listen-address=127.0.0.1:\(try freePort())", "--log.level=error",
            ], in: folder)
    }
}

/// nginx that answers every request with figures of its own.
struct Web {
    let port: UInt16
    private let child: Child
    private let folder: String

    init(in folder: String) throws {
        port = try freePort()
        self.folder = folder
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder)/nginx-\($0);"
        }
        // How many requests a connection has had is another number at every poll.
        let config = """
            daemon off;
            user root;
            worker_processes 1;
            pid \(folder)/nginx.pid;
            error_log \(folder)/nginx-error.log;
            events { worker_connections 20000; }
            http {
                access_log off;
                \(paths.joined(separator: "\n    "))
                keepalive_requests 1000000;
                keepalive_timeout 75s;
                server {
                    listen 127.0.0.1:\(port) backlog=20000;
                    location /json/ { default_type application/json;
                        return 200 '{"sessions": 1$connection_requests, "crashed": 1}'; }
                    location /text/ { default_type text/plain;
                        return 200 'sessions 1$connection_requests\\ncrashed_sessions 1\\n'; }
                    location = /status { stub_status; }
                }
            }
            """
        try config.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        child = try Child(
            "/usr/sbin/nginx", ["-e", folder + "/nginx-error.log", "-c", folder + "/nginx.conf"], in: folder)
        usleep(500_000)
        _ = try requests()
    }

    /// How many have come, these questions among them.
    func requests() throws -> Int {
        let answer = folder + "/status"
        try run("/usr/bin/curl", ["-sf", "-o", answer, "http://127.0.0.1:\(port)/status"], in: folder)
        let text = try String(contentsOfFile: answer, encoding: .utf8)
        // "server accepts handled requests", and below it three numbers.
        let numbers = text.split(separator: "\n").dropFirst(2).first?.split(separator: " ").compactMap { Int($0) } ?? []
        guard numbers.count == 3 else { throw Trouble("nginx does not say how many requests have come: \(text)") }
        return numbers[2]
    }

    func stop() { child.stop() }
}
