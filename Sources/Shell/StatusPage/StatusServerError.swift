import Glibc

/// Why the status page cannot be served, in a sentence that says what to do.
public enum StatusServerError: Error, Hashable, CustomStringConvertible {
    /// Another program listens there.
    case addressInUse(StatusServer.Address)
    /// This user may not listen there.
    case permissionDenied(StatusServer.Address)
    /// Anything else; the reason says what was found.
    case other(StatusServer.Address, reason: String)

    init(errno code: Int32, at address: StatusServer.Address, doing: String) {
        switch code {
        case EADDRINUSE: self = .addressInUse(address)
        case EACCES, EPERM: self = .permissionDenied(address)
        default: self = .other(address, reason: "\(doing): \(String(cString: strerror(code)))")
        }
    }

    public var description: String {
        switch self {
        case .addressInUse(.tcp(let host, let port)):
            "\(StatusServer.Address.tcp(host: host, port: port)): another program listens there; stop it or choose "
                + "another address in 'bot.listen'"
        case .addressInUse(.unix(let path)):
            "\(path): another alertbot answers there; stop it or give this one a folder of its own in 'bot.state'"
        case .permissionDenied(.tcp(let host, let port)):
            "\(StatusServer.Address.tcp(host: host, port: port)): this user may not listen there; choose a port from "
                + "1024 up in 'bot.listen'"
        case .permissionDenied(.unix(let path)):
            "\(path): this user may not make a socket there; make its folder writable or choose another one in "
                + "'bot.state'"
        case .other(let address, let reason):
            "\(address): cannot listen there (\(reason)); fix that or choose another place in "
                + (address.isUnix ? "'bot.state'" : "'bot.listen'")
        }
    }
}
