internal import Glibc
internal import PluginKit

/// `promtool test rules` over the same span with two rules of the same kind.
struct Promtool {
    /// What it is given of each app.
    enum Input: String {
        /// The rate, ready to be compared.
        case rates = "a rate"
        /// What observations are made of: users and crashed users.
        case counts = "two counts"
    }

    /// It is much slower, so it is given fewer of them.
    static let apps = 10

    private let days: Int64
    private let folder: String

    /// Nil where it is not installed.
    init?(days: Int64, _ input: Input) {
        guard Promtool.shell("command -v promtool >/dev/null") == 0 else { return nil }
        self.days = days
        var template = Array("/tmp/alertbot-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let minutes = days * 1440
        let values = input == .rates ? [("crash_free", 0.997)] : [("users", 20_000), ("crashed_users", 60)]
        let series = (0..<Promtool.apps).flatMap { app in
            values.map { name, value in
                "      - {series: '\(name){app=\"app-\(app)\"}', values: '\(value)x\(minutes)'}"
            }
        }
        let rate = input == .rates ? "crash_free" : "(1 - crashed_users / users)"
        let before = input == .rates ? "crash_free offset 1d" : "(1 - crashed_users offset 1d / users offset 1d)"
        let rules = """
            groups:
              - name: crashes
                interval: 1m
                rules:
                  - {alert: Floor, expr: \(rate) < 0.99, for: 10m}
                  - {alert: Fall, expr: \(rate) < \(before) - 0.005}
            """
        let tests = """
            rule_files: [rules.yml]
            evaluation_interval: 1m
            tests:
              - interval: 1m
                input_series:
            \(series.joined(separator: "\n"))
                alert_rule_test:
                  - {eval_time: \(minutes)m, alertname: Floor, exp_alerts: []}
            """
        Promtool.write(rules, to: folder + "/rules.yml")
        Promtool.write(tests, to: folder + "/tests.yml")
    }

    /// Runs it on one core; gives back the number of looks at an app.
    func run() -> Int {
        let status = Promtool.shell("cd \(folder) && GOMAXPROCS=1 promtool test rules tests.yml >/dev/null")
        precondition(status == 0, "promtool ended with \(status)")
        return Promtool.apps * Int(days) * 1440
    }

    private static func shell(_ command: String) -> Int32 { (system(command) >> 8) & 0xFF }

    private static func write(_ text: String, to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        defer { close(descriptor) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}
