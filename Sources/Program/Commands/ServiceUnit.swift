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

    /// The credentials that it gets; nil for another's config, and where nobody can tell.
    func credentials(forConfigIn folder: String) -> Set<String>? {
        guard WholeFile.fullPath(folder) == WholeFile.fullPath(config) else { return nil }
        let own = "\(units)/\(ServiceUnit.name)"
        let dropIns = WholeFile.paths(matching: "\(own.asPattern).d/*.conf")
        guard !dropIns.isEmpty else { return nil }
        // What is loaded, and what stands in the unit itself.
        var loaded: Set<String> = [], set: Set<String> = []
        for path in (WholeFile.isThere(own) ? [own] : []) + dropIns {
            guard let bytes = try? WholeFile.read(path, bytesMax: ServiceUnit.bytesMax) else { return nil }
            for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { String($0).trimmed }
                guard parts.count == 2 else { continue }
                let name = String(parts[1].prefix { $0 != ":" })
                // An empty line takes back what those before it have handed out.
                switch parts[0] {
                case "LoadCredential", "LoadCredentialEncrypted":
                    loaded = name.isEmpty ? [] : loaded.union([name])
                case "SetCredential", "SetCredentialEncrypted": set = name.isEmpty ? [] : set.union([name])
                // Which files a pattern finds cannot be told from here.
                case "ImportCredential": return nil
                default: continue
                }
            }
        }
        return loaded.union(set)
    }
}
