/// What the program calls itself.
public enum Version {
    public static let text = "0.1.0"
    /// As it introduces itself to servers.
    public static let userAgent = "alertbot/\(text)"
}
