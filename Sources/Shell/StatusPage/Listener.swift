import Glibc

/// A listening socket, on TCP or in the file system, with what must be undone when it closes.
struct Listener: Sendable {
    let descriptor: Int32
    /// The port that was given, or chosen for port 0; 0 for a unix socket.
    let port: UInt16
    /// Whether only programs of this machine can connect over TCP, so that a strange `Host` means a page of somebody
    /// else has had its name pointed at us.
    let isLoopback: Bool
    private let file: SocketFile?

    init(_ address: StatusServer.Address) throws(StatusServerError) {
        switch address {
        case .tcp(let host, let port): self = try Listener.tcp(host: host, port: port, address)
        case .unix(let path): self = try Listener.unix(path: path, address)
        }
    }

    private init(descriptor: Int32, port: UInt16, isLoopback: Bool, file: SocketFile?) {
        self.descriptor = descriptor
        self.port = port
        self.isLoopback = isLoopback
        self.file = file
    }

    var hasFile: Bool { file != nil }

    /// Waits until the socket's file is gone, or another stands in its place.
    ///
    /// - Returns: false when the task was cancelled before.
    func untilGone(lookingEvery interval: Duration) async -> Bool {
        while (try? await Task.sleep(for: interval)) != nil {
            if let file, !file.isThere { return true }
        }
        return false
    }

    /// What became of trying to take the next connection.
    enum Accepted {
        case connection(Int32)
        /// Nobody is waiting.
        case nobody
        /// Whoever waited has gone again.
        case gone
        /// The machine or the process has no descriptor or memory left; trying again at once would only burn time.
        case exhausted
    }

    func accept() -> Accepted {
        let descriptor = Glibc.accept(self.descriptor, nil, nil)
        guard descriptor >= 0 else {
            switch errno {
            case EAGAIN, EWOULDBLOCK: return .nobody
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            // The rest of accept(2)'s list are errors of the connection, not of the listening socket.
            default: return .gone
            }
        }
        guard Listener.makeNonBlocking(descriptor) else {
            Glibc.close(descriptor)
            return .gone
        }
        return .connection(descriptor)
    }

    func close() {
        file?.remove()
        Glibc.close(descriptor)
    }

    /// Also closes the socket in programs that the bot starts.
    private static func makeNonBlocking(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 && fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
    }
}

// MARK: TCP

extension Listener {
    private static func tcp(
        host: String,
        port: UInt16,
        _ address: StatusServer.Address
    ) throws(StatusServerError) -> Listener {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let info = found else {
            let cause = String(cString: gai_strerror(code))
            throw .other(address, reason: "'\(host)' is not the address of a machine: \(cause)")
        }
        defer { freeaddrinfo(info) }

        let descriptor = try open(family: info.pointee.ai_family, address)
        do throws(StatusServerError) {
            // Without it, a restart would have to wait until the last connections of the old process have aged out.
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            guard bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 else {
                throw StatusServerError(errno: errno, at: address, doing: "binding")
            }
            try listen(descriptor, address)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        return Listener(
            descriptor: descriptor,
            port: port == 0 ? chosenPort(descriptor) : port,
            isLoopback: isLoopback(info.pointee.ai_addr),
            file: nil
        )
    }

    private static func open(family: Int32, _ address: StatusServer.Address) throws(StatusServerError) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw StatusServerError(errno: errno, at: address, doing: "making a socket") }
        guard makeNonBlocking(descriptor) else {
            let code = errno
            Glibc.close(descriptor)
            throw StatusServerError(errno: code, at: address, doing: "setting up the socket")
        }
        return descriptor
    }

    private static func listen(_ descriptor: Int32, _ address: StatusServer.Address) throws(StatusServerError) {
        guard Glibc.listen(descriptor, SOMAXCONN) == 0 else {
            throw StatusServerError(errno: errno, at: address, doing: "listening")
        }
    }

    private static func chosenPort(_ descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let start = bytes.baseAddress,
                getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return 0 }
            // The port stands behind the family in both sockaddr_in and sockaddr_in6.
            return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// Whether the other end of a connection is on this machine; a connection that cannot tell is taken for a strange one.
    static func isLocalPeer(of descriptor: Int32) -> Bool {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let start = bytes.baseAddress,
                getpeername(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return false }
            return bytes.load(as: sa_family_t.self) == sa_family_t(AF_UNIX) || isLoopback(start)
        }
    }

    private static func isLoopback(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
        isLoopback(UnsafeRawPointer(address))
    }

    private static func isLoopback(_ bytes: UnsafeRawPointer) -> Bool {
        // The family comes first. As a member it would be the other module's that declares `sockaddr` as well.
        switch Int32(bytes.load(as: sa_family_t.self)) {
        case AF_INET:
            return bytes.load(fromByteOffset: 4, as: UInt8.self) == 127
        case AF_INET6:
            let parts = UnsafeRawBufferPointer(start: bytes + 8, count: 16)
            let mapped = parts.prefix(10).allSatisfy { $0 == 0 } && parts[10] == 0xFF && parts[11] == 0xFF
            return mapped ? parts[12] == 127 : parts.dropLast().allSatisfy { $0 == 0 } && parts[15] == 1
        default:
            return false
        }
    }
}

// MARK: Unix sockets

extension Listener {
    private static func unix(path: String, _ address: StatusServer.Address) throws(StatusServerError) -> Listener {
        guard let name = sockaddr_un(path: path) else {
            let found = "the path has \(path.utf8.count) bytes"
            throw .other(address, reason: "\(found), a socket's has 1 to \(sockaddr_un.pathBytesMax) and no zero")
        }
        let descriptor = try open(family: AF_UNIX, address)
        do throws(StatusServerError) {
            if !name.bind(descriptor) {
                guard errno == EADDRINUSE else {
                    throw StatusServerError(errno: errno, at: address, doing: "binding")
                }
                try removeStale(path, name, address)
                guard name.bind(descriptor) else {
                    throw StatusServerError(errno: errno, at: address, doing: "binding")
                }
            }
            // Nobody can connect before listen(2), so no one else has a moment to slip in.
            guard chmod(path, S_IRUSR | S_IWUSR) == 0 else {
                throw StatusServerError(errno: errno, at: address, doing: "closing it to other users")
            }
            try listen(descriptor, address)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        return Listener(descriptor: descriptor, port: 0, isLoopback: false, file: SocketFile(path: path))
    }

    /// Removes the socket that a killed process has left; anything else that stands there stays.
    private static func removeStale(
        _ path: String,
        _ name: sockaddr_un,
        _ address: StatusServer.Address
    ) throws(StatusServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .other(address, reason: "there is a file that is not a socket")
        }
        let probe = try open(family: AF_UNIX, address)
        defer { Glibc.close(probe) }
        // Only a socket that nobody listens on refuses; a full queue answers EAGAIN.
        guard !name.connect(probe), errno == ECONNREFUSED else { throw .addressInUse(address) }
        guard unlink(path) == 0 else {
            throw StatusServerError(errno: errno, at: address, doing: "removing an old socket")
        }
    }
}

/// The file of a unix socket, told from one that another process may have put in its place since.
private struct SocketFile: Sendable {
    let path: String
    private let identity: Identity?

    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            device = status.st_dev
            inode = status.st_ino
        }
    }

    init(path: String) {
        self.path = path
        identity = Identity(path)
    }

    var isThere: Bool { identity != nil && Identity(path) == identity }

    func remove() {
        guard isThere else { return }
        unlink(path)
    }
}

extension sockaddr_un {
    /// What `sun_path` holds besides its closing zero.
    static var pathBytesMax: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    /// Nil when the path is empty, too long or has a zero byte in it.
    init?(path: String) {
        guard (1...sockaddr_un.pathBytesMax).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
        self.init()
        sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: path.utf8) }
    }

    func bind(_ descriptor: Int32) -> Bool {
        withAddress { Glibc.bind(descriptor, $0, $1) == 0 }
    }

    func connect(_ descriptor: Int32) -> Bool {
        withAddress { Glibc.connect(descriptor, $0, $1) == 0 }
    }

    private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: self) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
