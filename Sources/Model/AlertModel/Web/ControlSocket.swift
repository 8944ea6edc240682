/// The socket in the bot's state folder through which commands reach it.
public enum ControlSocket {
    /// The longest path of a socket: `sun_path` has 108 bytes, one of them for the end.
    public static let pathBytesMax = 107

    public static func path(in stateFolder: String) -> String { stateFolder + "/control.sock" }
}
