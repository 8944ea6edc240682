import BotHarness
import Foundation

/// A server that is a program of its own, ended with the test that started it, also when the test dies.
struct ServerProcess {
    let port: UInt16
    let child: Child

    init(port: UInt16, _ command: [String]) throws {
        self.port = port
        child = try Child(Tools.server("until-closed"), command, input: .open)
    }

    /// Waits until the address answers with success.
    func isReady(_ target: String, within patience: Duration = .seconds(60)) async throws {
        _ = try await eventually("\(target) answered: \(child.standardError)", within: patience) {
            guard child.isRunning else { throw TooLate("the server ended: \(child.standardError)") }
            return Loopback.ask(port, "GET", target).map { (200...299).contains($0.status) } == true ? true : nil
        }
    }

    func stop() async throws {
        child.closeInput()
        try await child.ending(within: .seconds(30))
    }
}

extension ServerProcess {
    /// Debian's Prometheus with a config of its own, scraping one address every second.
    ///
    /// - Parameter retention: for how long it keeps samples.
    static func prometheus(
        _ scratch: Scratch, scraping port: UInt16, retention: String = "15d"
    ) async throws -> ServerProcess {
        let own = try Loopback.freePort()
        try scratch.write(
            "prometheus.yml",
            """
            global: {scrape_interval: 1s, scrape_timeout: 1s}
            scrape_configs:
              - job_name: apps
                static_configs: [{targets: ["127.0.0.1:\(port)"]}]

            """)
        let server = try ServerProcess(
            port: own,
            [
                Tools.prometheus, "--config.file=\(scratch.path("prometheus.yml"))",
                "--storage.tsdb.path=\(scratch.path("prometheus-data"))",
                "--storage.tsdb.retention.time=\(retention)", "--web.listen-address=127.0.0.1:\(own)",
                "--log.level=warn",
            ])
        try await server.isReady("/-/ready")
        return server
    }

    /// Debian's VictoriaMetrics, which wants a name and a password of everybody who asks for figures.
    static func victoriaMetrics(_ scratch: Scratch, username: String, password: String) async throws -> ServerProcess {
        let own = try Loopback.freePort()
        let server = try ServerProcess(
            port: own,
            [
                Tools.victoriaMetrics, "-storageDataPath=\(scratch.path("victoria-metrics-data"))",
                "-httpListenAddr=127.0.0.1:\(own)", "-httpAuth.username=\(username)", "-httpAuth.password=\(password)",
                "-loggerLevel=WARN",
            ])
        try await server.isReady("/health")
        return server
    }
}
