/// What sources and channels take that speak to a service over the network, whatever they are.
public enum ConnectionSettings {
    public static let authorities = Setting(
        "ca", .path, unset: "those that the system trusts",
        "A PEM file with the only certificates to trust, such as those of your own certificate authority.")
    public static let certificate = Setting(
        "client_certificate", .path, unset: "none",
        "The client certificate (PEM), for a service that asks for one.")
    public static let key = Setting(
        "client_key", .path, unset: "in the file of client_certificate", "The key (PEM) of client_certificate.")
    public static let proxy = Setting(
        "proxy", .orOff(.text), unset: "the environment's",
        "The proxy to reach it through, such as http://proxy.example.com:3128; off for none, whatever the environment says."
    )

    public static let all: [any SettingDeclaration] = [authorities, certificate, key, proxy]

    /// The schemes of proxies.
    public static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
}
