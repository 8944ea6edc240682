internal import PluginKit
internal import Transport

/// Asks the running bot through its control socket.
struct ControlClient {
    let stateFolder: String

    static func socketPath(_ stateFolder: String) -> String { stateFolder + "/control.sock" }

    /// The answer, or nil when no bot answers.
    func get(_ path: String) async -> JSON? {
        let transport = HTTPTransport(userAgent: "alertbot/\(Version.text)")
        defer { Task { await transport.shutdown() } }
        let request = HTTPRequest(.get, GuardedText("http://localhost\(path)"))
        guard
            let response = try? await transport.perform(
                request, timeout: .seconds(5), unixSocketPath: ControlClient.socketPath(stateFolder)),
            response.isSuccess
        else { return nil }
        return try? JSON(parsing: response.body)
    }
}
