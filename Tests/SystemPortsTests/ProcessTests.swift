import PluginKit
import Runtime
import Testing

@testable import SystemPorts

@Suite struct ProcessTests {
    /// As proc(5) lists the fields, 1 to 24.
    private func stat(name: String) -> String {
        "4242 (\(name)) S 1 4242 4242 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 4 0 1234 99999999 300 18446744073709551615"
    }

    @Test(arguments: ["alertbot", "a b", "odd) name (x", ""])
    func `the fields are counted from behind the name, which may hold anything`(name: String) {
        let figures = ProcessFile.figures(
            stat: stat(name: name), bootSeconds: 1000, openFiles: 7, openFilesMax: 64, ticksPerSecond: 100,
            pageBytes: 4096)
        #expect(
            figures
                == MetricsReport.ProcessFigures(
                    cpuSeconds: 3, residentBytes: 300 * 4096, openFiles: 7, openFilesMax: 64, startSeconds: 1012.34))
    }

    @Test(arguments: ["", "4242", "4242 (x) S 1 2", "4242 (x) S a b c d e f g h i j k l m n o p q r s t u v w"])
    func `what is not what the kernel writes is no figure`(stat: String) {
        #expect(
            ProcessFile.figures(
                stat: stat, bootSeconds: 0, openFiles: 0, openFilesMax: nil, ticksPerSecond: 100, pageBytes: 4096)
                == nil)
    }

    @Test func `the limit is read from its line`() {
        let limits = """
            Limit                     Soft Limit           Hard Limit           Units
            Max processes             95898                95898                processes
            Max open files            1024                 524288               files
            """
        #expect(ProcessFile.openFilesMax(in: limits) == 1024)
        #expect(ProcessFile.openFilesMax(in: "Max open files            unlimited  unlimited  files") == nil)
    }

    @Test func `this process has figures`() throws {
        let figures = try #require(ProcessFile.figures())
        #expect(figures.residentBytes > 1 << 20)
        #expect(figures.openFiles >= 3)
        let now = Double(SystemClock().now().milliseconds) / 1000
        #expect((now - 86_400...now + 1).contains(figures.startSeconds))
        #expect(ProcessFile.figures()?.startSeconds == figures.startSeconds)
    }

    @Test func `a sandbox that hides all but the process itself hides no figure`() throws {
        let figures = try #require(
            ProcessFile.figures { path in
                switch path {
                case "/proc/self/stat": stat(name: "alertbot")
                case "/proc/self/limits": "Max open files            64                   64                   files"
                default: nil
                }
            })
        #expect(figures.cpuSeconds > 0 && figures.residentBytes > 0 && figures.openFilesMax == 64)
        #expect(figures.startSeconds > 0)
    }

    @Test func `code that has run is given back, and runs again`() throws {
        let before = try #require(residentFileBytes())
        ProcessMemory.giveCodeBack()
        let after = try #require(residentFileBytes())
        // Other tests run beside this one and take their own back at once; of a hundred megabytes most is of none of them.
        #expect(after < before / 2, "\(before) bytes before, \(after) after")
        #expect([3, 1, 2].sorted().map(String.init).joined(separator: ", ") == "1, 2, 3")
    }

    /// What this process has mapped of files and in memory, in bytes: proc(5), `RssFile`.
    private func residentFileBytes() -> Int? {
        guard let status = try? WholeFile.read("/proc/self/status", bytesMax: 1 << 16) else { return nil }
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("RssFile:") }
        return line?.split(separator: " ").dropFirst().first?.split(separator: "\t").last.flatMap { Int($0) }.map {
            $0 << 10
        }
    }
}
