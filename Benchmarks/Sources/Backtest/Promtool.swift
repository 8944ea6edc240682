internal import Glibc

/// `promtool test rules` over the same span with two rules of the same kind.
struct Promtool {
    /// It takes a second for every fifty thousand samples, so it is given fewer of them.
    static let series = 10

    private let days: Int64
    private let folder: String

    /// Nil where it is not installed.
    init?(days: Int64) {
        guard Promtool.shell("command -v promtool >/dev/null") == 0 else { return nil }
        self.days = days
        var template = Array("/tmp/alertbot-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let minutes = days * 1440
        let series = (0..<Promtool.series).map { index in
            "      - series: 'crash_free{app=\"app-\(index)\"}'\n        values: '0.997x\(minutes)'"
        }
        let rules = """
            groups:
              - name: crashes
                interval: 1m
                rules:
                  - {alert: Floor, expr: crash_free < 0.99, for: 10m}
                  - {alert: Fall, expr: crash_free < crash_free offset 1d - 0.005}
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

    /// Runs it on one core; gives back the number of samples.
    func run() -> Int {
        let status = Promtool.shell("cd \(folder) && GOMAXPROCS=1 promtool test rules tests.yml >/dev/null")
        precondition(status == 0, "promtool ended with \(status)")
        return Promtool.series * Int(days) * 1440
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
