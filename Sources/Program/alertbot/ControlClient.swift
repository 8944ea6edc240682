internal import AlertCore
internal import PluginKit
internal import Transport

/// Asks the running bot through its control socket.
struct ControlClient {
    let stateFolder: String

    static func socketPath(_ stateFolder: String) -> String { stateFolder + "/control.sock" }

    /// The answer, or nil when no bot answers.
    func get(_ path: String) async -> JSON? {
        guard let response = await perform(HTTPRequest(.get, GuardedText("http://localhost\(path)"))),
            response.isSuccess
        else { return nil }
        return try? JSON(parsing: response.body)
    }

    /// What the bot says to a command, or nil when no bot answers.
    func tell(_ command: Command) async throws(Failure) -> CommandAnswer? {
        let request = HTTPRequest(.post, "http://localhost/api/command", body: .json(command.json))
        guard let response = await perform(request) else { return nil }
        guard response.isSuccess, let json = try? JSON(parsing: response.body), let answer = try? CommandAnswer(json)
        else { throw Failure(.impossible, "the running bot did not do it: \(response.excerpt(300).tamed)") }
        return answer
    }

    private func perform(_ request: HTTPRequest) async -> HTTPResponse? {
        let transport = HTTPTransport(userAgent: "alertbot/\(Version.text)")
        let response = try? await transport.perform(
            request, timeout: .seconds(5), unixSocketPath: ControlClient.socketPath(stateFolder))
        await transport.shutdown()
        return response
    }
}
