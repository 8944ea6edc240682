import Glibc

/// What this process has of the system.
struct Footprint {
    let residentKiB = Footprint.figure("VmRSS")
    let threads = Footprint.figure("Threads")
    let descriptors = Footprint.count("/proc/self/fd")

    private static func figure(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return -1 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix(name + ":") else { continue }
            return Int(text.filter(\.isNumber)) ?? -1
        }
        return -1
    }

    private static func count(_ folder: String) -> Int {
        guard let handle = opendir(folder) else { return -1 }
        defer { closedir(handle) }
        var count = 0
        while readdir(handle) != nil { count += 1 }
        return count
    }
}
