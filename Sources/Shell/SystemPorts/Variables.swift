internal import Glibc

/// The variables of the process's environment.
public struct Variables: Sendable {
    private let lookup: @Sendable (String) -> String?

    /// Those of this process.
    public static let ofProcess = Variables { name in getenv(name).map { String(cString: $0) } }

    private init(_ lookup: @escaping @Sendable (String) -> String?) { self.lookup = lookup }

    public init(_ values: [String: String]) { self.init { values[$0] } }

    /// Nil when it is not set.
    public subscript(name: String) -> String? { lookup(name) }

    /// Who runs the command: as their shell knows them, or, where no shell has set anything, as the system does. Behind sudo
    /// or doas it is who typed the command, and not the user that all of them become.
    public var user: String? {
        for variable in ["SUDO_USER", "DOAS_USER", "USER", "LOGNAME"] {
            if let name = self[variable], !name.isEmpty { return name }
        }
        return getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
    }
}
