internal import Glibc
internal import PluginKit
public import Runtime

/// What Linux says of this process, in files under `/proc`: proc(5).
public enum ProcessFile {
    /// Nil where the files cannot be read, as in a sandbox without them.
    public static func figures() -> MetricsReport.ProcessFigures? {
        guard let own = text("/proc/self/stat"), let boot = bootSeconds(in: text("/proc/stat") ?? "") else {
            return nil
        }
        let limit = text("/proc/self/limits").flatMap(openFilesMax(in:))
        // One of them is the folder that is being read.
        let files = max(0, FolderNames.visible(in: "/proc/self/fd").count - 1)
        return figures(
            stat: own, bootSeconds: boot, openFiles: files, openFilesMax: limit,
            ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))), pageBytes: Int(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// - Parameter stat: The content of `/proc/self/stat`; its second field, the program's name in parentheses, may hold
    ///   anything, spaces and parentheses too.
    static func figures(
        stat: String, bootSeconds: Double, openFiles: Int, openFilesMax: Int?, ticksPerSecond: Double, pageBytes: Int
    ) -> MetricsReport.ProcessFigures? {
        guard let name = stat.lastIndex(of: ")") else { return nil }
        // Counted from the third field on.
        let fields = stat[stat.index(after: name)...].split(separator: " ")
        func number(_ field: Int) -> Double? {
            fields.indices.contains(field - 3) ? Double(fields[field - 3]) : nil
        }
        guard let user = number(14), let system = number(15), let start = number(22), let pages = number(24) else {
            return nil
        }
        return MetricsReport.ProcessFigures(
            cpuSeconds: (user + system) / ticksPerSecond, residentBytes: Int(pages) * pageBytes, openFiles: openFiles,
            openFilesMax: openFilesMax, startSeconds: bootSeconds + start / ticksPerSecond)
    }

    /// The line `btime` of `/proc/stat`, since 1970.
    static func bootSeconds(in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }

    /// The soft limit of the line `Max open files` of `/proc/self/limits`; nil for none.
    static func openFilesMax(in text: String) -> Int? {
        let name = "Max open files"
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.dropFirst(name.count).split(separator: " ").first.flatMap { Int($0) }
    }

    private static func text(_ path: String) -> String? {
        (try? WholeFile.read(path, bytesMax: bytesMax)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// `/proc/stat` has a line for every processor and one with every interrupt.
    private static let bytesMax = 1 << 20
}
