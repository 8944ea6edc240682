public import AlertCore
public import PluginKit
internal import Transport

/// Asks the running bot through its control socket.
public struct ControlClient: Sendable {
    public let stateFolder: String

    public init(stateFolder: String) { self.stateFolder = stateFolder }

    public var socketPath: String { stateFolder + "/control.sock" }

    /// The answer, or nil when no bot answers.
    public func get(_ path: String) async -> JSON? {
        guard let response = await perform(HTTPRequest(.get, GuardedText("http://localhost\(path)"))),
            response.isSuccess
        else { return nil }
        return try? JSON(parsing: response.body)
    }

    /// What the bot says to a command, or nil when no bot answers.
    public func order(_ command: Command) async throws(Failure) -> CommandAnswer? { try await order(command.json) }

    /// The same, of what is no command of the core.
    public func order(_ command: JSON) async throws(Failure) -> CommandAnswer? {
        let request = HTTPRequest(.post, "http://localhost/api/command", body: .json(command))
        guard let response = await perform(request) else { return nil }
        guard response.isSuccess, let json = try? JSON(parsing: response.body), let answer = try? CommandAnswer(json)
        else { throw Failure(.impossible, "the running bot did not do it: \(response.excerpt(300).tamed)") }
        return answer
    }

    private func perform(_ request: HTTPRequest) async -> HTTPResponse? {
        let transport = HTTPTransport(userAgent: Version.userAgent)
        let response = try? await transport.perform(request, timeout: .seconds(5), unixSocketPath: socketPath)
        await transport.shutdown()
        return response
    }
}
