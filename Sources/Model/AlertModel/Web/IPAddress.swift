internal import Glibc

/// An address of the Internet Protocol, of version 4 or 6.
///
/// An IPv4 address that is written as an IPv6 one (`::ffff:127.0.0.1`) is the IPv4 address: the system connects to that.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four of them or sixteen, as they go over the wire.
    public let bytes: [UInt8]

    /// Nil for any other number of bytes.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = bytes.starts(with: IPAddress.mapped) ? Array(bytes.suffix(4)) : bytes
        default: return nil
        }
    }

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Reads an address in any form that a system takes for one: `10.0.0.1`, `::1`, `[::1]`, `2130706433`, `0x7f.1`.
    public init?(_ text: String) {
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        // The part of the machine that an address is valid in says nothing of where it leads.
        let plain = String(inner.prefix { $0 != "%" })
        // inet_aton would read what stands behind a space.
        guard !plain.isEmpty, plain.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var six = in6_addr()
        if inet_pton(AF_INET6, plain, &six) == 1 {
            self.init(bytes: withUnsafeBytes(of: six) { Array($0) })
            return
        }
        var four = in_addr()
        guard inet_aton(plain, &four) != 0 else { return nil }
        self.init(bytes: withUnsafeBytes(of: four.s_addr) { Array($0) })
    }

    /// The host of an address on the web, where it is an address and no name; `localhost` is one by definition.
    public init?(host: String) {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        self.init(name == "localhost" || name.hasSuffix(".localhost") ? "127.0.0.1" : name)
    }

    public var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        var six = in6_addr()
        withUnsafeMutableBytes(of: &six) { $0.copyBytes(from: bytes) }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let start = buffer.baseAddress, inet_ntop(AF_INET6, &six, start, socklen_t(buffer.count)) != nil
            else {
                return "?"
            }
            return String(cString: start)
        }
    }

    /// The IPv4 address to which a translator or a tunnel on the way leads: NAT64 (RFC 6052), 6to4 (RFC 3056) and the
    /// compatible addresses of old (RFC 4291).
    var within: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)) {
            return IPAddress(bytes: bytes.suffix(4))
        }
        if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes: bytes[2..<6]) }
        if bytes.starts(with: [UInt8](repeating: 0, count: 12)) { return IPAddress(bytes: bytes.suffix(4)) }
        return nil
    }
}
