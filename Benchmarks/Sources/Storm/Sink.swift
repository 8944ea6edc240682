internal import Foundation
internal import Programs

/// nginx that takes every message, and writes down when it came and what it was.
struct Sink {
    let port: UInt16
    private let child: Child
    private let log: String

    init(in folder: String) throws {
        port = try freePort()
        log = folder + "/access.log"
        let config = """
            daemon off;
            user root;
            worker_processes 1;
            worker_rlimit_nofile 40000;
            pid \(folder)/nginx.pid;
            error_log \(folder)/nginx-error.log;
            events { worker_connections 20000; }
            http {
                log_format arrival '$msec $status $http_webhook_id';
                access_log \(log) arrival buffer=64k flush=100ms;
                client_body_temp_path \(folder)/nginx-body;
                proxy_temp_path \(folder)/nginx-proxy;
                fastcgi_temp_path \(folder)/nginx-fastcgi;
                uwsgi_temp_path \(folder)/nginx-uwsgi;
                scgi_temp_path \(folder)/nginx-scgi;
                client_body_buffer_size 64k;
                keepalive_requests 1000000;
                keepalive_timeout 60s;
                server {
                    listen 127.0.0.1:\(port) backlog=20000;
                    location / { return 200; }
                }
            }
            """
        try config.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        child = try Child(
            "/usr/sbin/nginx", ["-e", folder + "/nginx-error.log", "-c", folder + "/nginx.conf"], in: folder)
        let log = log
        try wait("nginx was up") { FileManager.default.fileExists(atPath: log) }
        usleep(200_000)
    }

    /// What has come by now.
    struct Arrivals {
        var count = 0
        /// Messages that came with an id that no other had.
        var distinct = 0
        /// Seconds since 1970.
        var first = 0.0
        var last = 0.0
    }

    func arrivals() throws -> Arrivals {
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: " ")
        }
        let times = lines.compactMap { $0.first.flatMap { Double($0) } }
        return Arrivals(
            count: lines.count { $0.count > 1 && $0[1] == "200" }, distinct: Set(lines.compactMap(\.last)).count,
            first: times.min() ?? 0, last: times.max() ?? 0)
    }

    /// Waits until that many messages have come. It only counts the lines of what the log has grown by: both cores are
    /// the contestant's and the sink's, and with every line read again each time the bare loop came to a fifth less.
    func awaitArrivals(_ count: Int, whileRuns child: Child) throws {
        guard let log = FileHandle(forReadingAtPath: log) else { throw Trouble("\(log) cannot be read") }
        defer { try? log.close() }
        var lines = 0
        try wait("\(count) messages had come") {
            guard child.isRunning else { throw Trouble("it ended early:\n\(child.lastWords)") }
            let more = try log.readToEnd() ?? Data()
            lines += more.withUnsafeBytes { bytes in bytes.count { $0 == UInt8(ascii: "\n") } }
            return lines >= count
        }
    }

    func stop() { child.stop() }
}
