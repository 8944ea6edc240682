/// How a service is reached, besides its address: what can be set for every source and channel alike.
public struct Connection: Hashable, Sendable {
    /// A file of certificates in PEM that alone are trusted; nil for those that the system trusts.
    public var authorities: String?
    /// A file with the certificate that says who asks, in PEM.
    public var certificate: String?
    /// The file with its key; nil where that stands in the certificate's file, or where there is none.
    public var key: String?
    public var proxy: Proxy
    /// Which addresses it may be at; where a proxy is asked, which the proxy may be at.
    public var policy: AddressPolicy

    public enum Proxy: Hashable, Sendable {
        /// Whatever the environment says, which leaves out what is on this machine.
        case environment
        case none
        case at(GuardedText)
    }

    /// Why nothing can be reached with files that can be read.
    public enum Flaw: Hashable, Sendable {
        /// A certificate is cut short or was changed.
        case certificate
        /// The key is cut short or was changed.
        case key
        /// The key is not that of the first certificate.
        case otherKey
    }

    public init(
        authorities: String? = nil, certificate: String? = nil, key: String? = nil,
        proxy: Proxy = .environment, policy: AddressPolicy = .open
    ) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
        self.proxy = proxy
        self.policy = policy
    }

    /// As the system has it.
    public static let usual = Connection()
}
