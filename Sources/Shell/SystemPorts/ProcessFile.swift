internal import Glibc
internal import PluginKit
public import Runtime

/// What Linux says of this process, in files under `/proc`: proc(5).
public enum ProcessFile {
    /// Nil where the files cannot be read, as in a sandbox without them.
    public static func figures() -> MetricsReport.ProcessFigures? { figures(reading: text) }

    /// - Parameter text: The content of a file. Only the process's own are asked for: a sandbox with `ProcSubset=pid`, as the
    ///   unit's, hides all others, also the one with the time of the boot.
    static func figures(reading text: (String) -> String?) -> MetricsReport.ProcessFigures? {
        guard let own = text("/proc/self/stat") else { return nil }
        let limit = text("/proc/self/limits").flatMap(openFilesMax(in:))
        // One of them is the folder that is being read.
        let files = max(0, FolderNames.visible(in: "/proc/self/fd").count - 1)
        return figures(
            stat: own, bootSeconds: bootSeconds, openFiles: files, openFilesMax: limit,
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

    /// When the machine was booted, since 1970. It is determined once: corrections of the wall clock would move it, and whoever
    /// counts the changes of a start would take each for a restart.
    private static let bootSeconds =
        Double(SystemClock.read(CLOCK_REALTIME) - SystemClock.read(CLOCK_BOOTTIME)) / 1_000_000_000

    /// The soft limit of the line `Max open files` of `/proc/self/limits`; nil for none.
    static func openFilesMax(in text: String) -> Int? {
        let name = "Max open files"
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.dropFirst(name.count).split(separator: " ").first.flatMap { Int($0) }
    }

    private static func text(_ path: String) -> String? {
        (try? WholeFile.read(path, bytesMax: bytesMax)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Each has a few lines.
    private static let bytesMax = 1 << 16
}
