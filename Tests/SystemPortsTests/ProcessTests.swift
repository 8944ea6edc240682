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

    @Test func `the limit and the start are read from their lines`() {
        let limits = """
            Limit                     Soft Limit           Hard Limit           Units
            Max processes             95898                95898                processes
            Max open files            1024                 524288               files
            """
        #expect(ProcessFile.openFilesMax(in: limits) == 1024)
        #expect(ProcessFile.openFilesMax(in: "Max open files            unlimited  unlimited  files") == nil)
        #expect(ProcessFile.bootSeconds(in: "cpu 1 2\nbtime 1795000000\nprocesses 1\n") == 1_795_000_000)
        #expect(ProcessFile.bootSeconds(in: "cpu 1 2\n") == nil)
    }

    @Test func `this process has figures`() throws {
        let figures = try #require(ProcessFile.figures())
        #expect(figures.residentBytes > 1 << 20)
        #expect(figures.openFiles >= 3)
        #expect(figures.startSeconds > 1_600_000_000)
    }
}
