internal import Glibc
public import SystemPorts

/// A terminal of the kernel's, with somebody at it.
public final class Teletype {
    /// The descriptor of a program that is watched.
    public let program: Int32
    private let user: Int32

    /// TIOCSPTLCK and TIOCGPTN.
    private static let (lock, numberOf): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    /// - Parameter columns: how wide it is; 0 for one that does not know.
    public init(columns: UInt16 = 0) throws(Failure) {
        // What `posix_openpt` and its like do, which Swift's Glibc does not show.
        let user = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (isLocked, number) = (Int32(0), Int32(0))
        guard user >= 0, ioctl(user, Teletype.lock, &isLocked) == 0, ioctl(user, Teletype.numberOf, &number) == 0 else {
            throw Failure(.impossible, "the kernel has no terminal left")
        }
        let program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard program >= 0, ioctl(program, UInt(TIOCSWINSZ), &size) == 0 else {
            throw Failure(.impossible, "the kernel's terminal cannot be opened")
        }
        self.program = program
        self.user = user
    }

    deinit {
        close(user)
        close(program)
    }

    /// What is on it since the last time: all that was written before a mark.
    public func read() -> String {
        var mark = UInt8(ascii: "#")
        guard write(program, &mark, 1) == 1 else { return "" }
        var all: [UInt8] = []
        while all.last != mark {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(user, &bytes, bytes.count)
            guard count > 0 else { break }
            all += bytes.prefix(count)
        }
        return String(decoding: all.dropLast(), as: UTF8.self)
    }
}
