internal import BotConfig
internal import PluginKit
internal import SystemPorts

/// The bot's service on this machine, as far as the files of its unit say which credentials systemd hands to it.
///
/// Whoever runs a command as root finds a credential beside the config. The service gets it only if a line of its unit names
/// it; without it, it ends and stays down.
public struct ServiceUnit: Sendable {
    /// As docs/guide/install.md sets it up.
    public static let installed = ServiceUnit(config: "/etc/alertbot", units: "/etc/systemd/system")

    /// The folder of the config that it runs with.
    private let config: String
    /// The folder with what this machine adds to its units.
    private let units: String

    init(config: String, units: String) {
        self.config = config
        self.units = units
    }

    private static let name = "alertbot.service"
    private static let bytesMax = 1 << 20
    /// Lines `KEY=NAME:…`, of which each hands out one.
    private static let keys: Set<String> = [
        "LoadCredential", "LoadCredentialEncrypted", "SetCredential", "SetCredentialEncrypted",
    ]
    /// Lines `KEY=PATTERN`: which files these find cannot be told from here.
    private static let keyOfPatterns = "ImportCredential"

    /// The credentials that it gets; nil for another's config, and where nobody can tell.
    func credentials(forConfigIn folder: String) -> Set<String>? {
        guard WholeFile.fullPath(folder) == WholeFile.fullPath(config) else { return nil }
        let own = "\(units)/\(ServiceUnit.name)"
        let dropIns = WholeFile.paths(matching: "\(own.asPattern).d/*.conf")
        guard !dropIns.isEmpty else { return nil }
        var names: Set<String> = []
        for path in (WholeFile.isThere(own) ? [own] : []) + dropIns {
            guard let bytes = try? WholeFile.read(path, bytesMax: ServiceUnit.bytesMax) else { return nil }
            for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
                let parts = line.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
                guard parts.count == 2 else { continue }
                if parts[0] == ServiceUnit.keyOfPatterns { return nil }
                if ServiceUnit.keys.contains(parts[0]) { names.insert(String(parts[1].prefix { $0 != ":" })) }
            }
        }
        return names
    }
}
