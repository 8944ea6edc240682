internal import Foundation

/// A folder of its own for one test, gone when the test is over.
public final class Scratch: Sendable {
    public let folder: String

    public init() throws {
        let name = "alertbot-test-\(UUID().uuidString.prefix(8).lowercased())"
        folder = NSTemporaryDirectory() + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        // Folders that a test has made read-only would stay.
        for name in names { chmod(name, 0o700) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    public func path(_ name: String) -> String { folder + "/" + name }

    /// Puts the whole file there at once, as a careful writer does.
    public func write(_ name: String, _ text: String) throws {
        let draft = path(".draft-" + name.replacingOccurrences(of: "/", with: "-"))
        try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
        if let slash = name.lastIndex(of: "/") {
            try FileManager.default.createDirectory(
                atPath: path(String(name[..<slash])), withIntermediateDirectories: true)
        }
        guard rename(draft, path(name)) == 0 else { throw TooLate("\(name) could be written") }
    }

    public func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    }

    public func chmod(_ name: String, _ mode: Int) {
        try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    /// Everything in the folder, by its path from there.
    public var names: [String] { (FileManager.default.subpaths(atPath: folder) ?? []).sorted() }

    /// Everything in the folder with its bytes and its time of change.
    public var contents: [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in names {
            let changed = (try? FileManager.default.attributesOfItem(atPath: path(name)))?[.modificationDate] as? Date
            let bytes = FileManager.default.contents(atPath: path(name)).map(Array.init) ?? []
            contents[name] = bytes + "\(changed?.timeIntervalSince1970 ?? 0)".utf8
        }
        return contents
    }
}
