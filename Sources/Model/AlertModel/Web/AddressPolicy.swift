/// Addresses that begin alike: `10.0.0.0/8`, `fd00::/8`, or a single one.
public struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    private let address: IPAddress
    private let length: Int

    /// Reads a block as people write it (CIDR).
    public init(grammar text: String) throws(GrammarError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        // Short forms would mean other things here than elsewhere: 10/8 is 0.0.0.10 to some.
        guard (1...2).contains(parts.count), let address = IPAddress(parts[0]),
            parts[0].contains(":") || parts[0].split(separator: ".").count == 4
        else { throw AddressBlock.error }
        let bits = address.bytes.count * 8
        var length = bits
        if parts.count == 2 {
            guard parts[1].isDigits, let number = Int(parts[1]), number <= bits else { throw AddressBlock.error }
            length = number
        }
        let start = AddressBlock.start(of: address, length)
        guard start == address else {
            throw GrammarError(
                expected: "a block that begins where it says", suggestion: "\(start)/\(length)")
        }
        self.address = address
        self.length = length
    }

    /// - Parameter text: a block that a test has read.
    fileprivate init(_ text: StaticString) {
        guard let block = try? AddressBlock(grammar: "\(text)") else {
            preconditionFailure("'\(text)' is written here and is a block")
        }
        self = block
    }

    private static let error = GrammarError(expected: "an address or a block of them, such as 10.1.0.0/16 or fd00::/8")

    private static func start(of address: IPAddress, _ length: Int) -> IPAddress {
        let bytes = address.bytes.enumerated().map { index, byte in
            byte & ~UInt8(truncatingIfNeeded: 0xFF >> min(max(length - index * 8, 0), 8))
        }
        return IPAddress(bytes: bytes) ?? address
    }

    public func contains(_ other: IPAddress) -> Bool {
        other.bytes.count == address.bytes.count && AddressBlock.start(of: other, length) == address
    }

    public var description: String { length == address.bytes.count * 8 ? "\(address)" : "\(address)/\(length)" }

    /// What IANA's registries of special-purpose addresses (RFC 6890) keep out of the internet, multicast, and where
    /// clouds answer questions about a machine's own rights.
    fileprivate static let privates: [AddressBlock] = [
        // This network; private use; shared with a carrier, Alibaba's metadata among them; loopback.
        AddressBlock("0.0.0.0/8"), AddressBlock("10.0.0.0/8"), AddressBlock("100.64.0.0/10"),
        AddressBlock("127.0.0.0/8"),
        // Link-local, the metadata of most clouds among them; private use; protocol assignments, Oracle's metadata.
        AddressBlock("169.254.0.0/16"), AddressBlock("172.16.0.0/12"), AddressBlock("192.0.0.0/24"),
        // Documentation; private use; benchmarks; documentation; multicast; reserved, and broadcast.
        AddressBlock("192.0.2.0/24"), AddressBlock("192.168.0.0/16"), AddressBlock("198.18.0.0/15"),
        AddressBlock("198.51.100.0/24"), AddressBlock("203.0.113.0/24"), AddressBlock("224.0.0.0/4"),
        AddressBlock("240.0.0.0/4"),
        // Azure's metadata has an address of the internet.
        AddressBlock("168.63.129.16"),
        // Unspecified; loopback; NAT64 of a network's own; discard; Teredo, benchmarks and the like; documentation.
        AddressBlock("::"), AddressBlock("::1"), AddressBlock("64:ff9b:1::/48"), AddressBlock("100::/64"),
        AddressBlock("2001::/23"), AddressBlock("2001:db8::/32"), AddressBlock("3fff::/20"),
        // Unique local, Amazon's metadata among them; link-local; site-local of old; multicast.
        AddressBlock("fc00::/7"), AddressBlock("fe80::/10"), AddressBlock("fec0::/10"), AddressBlock("ff00::/8"),
    ]
}

/// Which addresses may be connected to.
public struct AddressPolicy: Hashable, Sendable {
    private let deniesPrivate: Bool
    private let allowed: [AddressBlock]

    private init(deniesPrivate: Bool, allowed: [AddressBlock]) {
        self.deniesPrivate = deniesPrivate
        self.allowed = allowed
    }

    /// All of them.
    public static let open = AddressPolicy(deniesPrivate: false, allowed: [])

    /// Those of the internet, and blocks that are named.
    public static func publicOnly(besides allowed: [AddressBlock] = []) -> AddressPolicy {
        AddressPolicy(deniesPrivate: true, allowed: allowed)
    }

    public var isOpen: Bool { !deniesPrivate }

    public func admits(_ address: IPAddress) -> Bool {
        guard deniesPrivate, !allowed.contains(where: { $0.contains(address) }) else { return true }
        guard !AddressBlock.privates.contains(where: { $0.contains(address) }) else { return false }
        return address.within.map(admits) ?? true
    }
}
