/// What sources and channels take that speak to a service over the network, whatever they are.
public enum ConnectionSettings {
    public static let authorities = Setting(
        "ca", .path, unset: "those that the system trusts",
        "A file of certificates (PEM) to trust, and no others: of a certificate authority of your own.")
    public static let certificate = Setting(
        "client_certificate", .path, unset: "none",
        "The certificate (PEM) to show to a service that wants to see one.")
    public static let key = Setting(
        "client_key", .path, unset: "in the file of client_certificate", "The key (PEM) of client_certificate.")
    public static let proxy = Setting(
        "proxy", .orOff(.text), unset: "the environment's",
        "The proxy to reach it by, such as http://proxy.example.com:3128; off for none, whatever the environment says.")

    public static let all: [any SettingDeclaration] = [authorities, certificate, key, proxy]

    /// The schemes of proxies.
    public static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
}
