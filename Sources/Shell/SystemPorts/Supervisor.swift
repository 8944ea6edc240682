internal import Glibc

/// systemd, where it started the program and wants to know how it is.
public struct Supervisor: Sendable {
    private let path: String?

    public init(_ variables: Variables) { path = variables["NOTIFY_SOCKET"] }

    public func ready() { send("READY=1") }

    public func stopping() { send("STOPPING=1") }

    public func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.read(CLOCK_MONOTONIC) / 1000)") }

    private func send(_ state: String) {
        guard let name = path else { return }
        var path = Array(name.utf8)
        guard path.count < Supervisor.pathBytesMax, path.count > 1 else { return }
        // An address that begins with @ lives in the abstract namespace.
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let message = Array(state.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    /// The room for a path in a socket's address.
    private static let pathBytesMax = 108
}
