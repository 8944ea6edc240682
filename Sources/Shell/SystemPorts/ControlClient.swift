public import AlertCore
public import PluginKit
internal import Transport

/// Asks the running bot through its control socket.
public struct ControlClient: Sendable {
    public let stateFolder: String

    public init(stateFolder: String) { self.stateFolder = stateFolder }

    public var socketPath: String { ControlSocket.path(in: stateFolder) }

    /// How long the answer to a question may take: the bot has it in memory.
    private static let questionTime = Duration.seconds(5)

    /// How long an order may take. Each waits for the disk, and a reload for whoever writes to the pipes that its secrets come
    /// out of, up to `WholeFile.pipePatience` for each. The bot's side ends a connection after 30 seconds; whoever gives up
    /// before it does not learn that.
    private static let orderTime = Duration.seconds(35)

    /// The answer, or nil when no bot answers.
    public func get(_ path: String) async -> JSON? {
        let request = HTTPRequest(.get, GuardedText("http://localhost\(path)"))
        guard let response = try? await perform(request, within: ControlClient.questionTime), response.isSuccess
        else { return nil }
        return try? JSON(parsing: response.body)
    }

    /// What the bot says to a command, or nil when no bot answers.
    ///
    /// - Throws: where the bot refuses it, or has heard it and does not say what came of it.
    public func order(_ command: JSON) async throws(Failure) -> CommandAnswer? {
        let response: HTTPResponse
        do throws(TransportError) {
            response = try await perform(ControlClient.request(command), within: ControlClient.orderTime)
        } catch {
            // A bot that was told is not one that does not run: whoever repeats a mute has two.
            guard !error.mayHaveArrived else { throw Failure(unanswered: error) }
            return nil
        }
        return try ControlClient.answer(in: response)
    }

    /// What the bot says to a question that is put like a command, or nil when no bot answers.
    public func ask(_ question: JSON) async throws(Failure) -> CommandAnswer? {
        let request = ControlClient.request(question)
        guard let response = try? await perform(request, within: ControlClient.questionTime) else { return nil }
        return try ControlClient.answer(in: response)
    }

    private static func request(_ command: JSON) -> HTTPRequest {
        HTTPRequest(.post, "http://localhost/api/command", body: .json(command))
    }

    private static func answer(in response: HTTPResponse) throws(Failure) -> CommandAnswer {
        guard response.isSuccess, let json = try? JSON(parsing: response.body), let answer = try? CommandAnswer(json)
        else { throw Failure(.impossible, "the running bot did not do it: \(response.excerpt(300).tamed)") }
        return answer
    }

    private func perform(_ request: HTTPRequest, within time: Duration) async throws(TransportError) -> HTTPResponse {
        let transport = HTTPTransport(userAgent: Version.userAgent)
        do throws(TransportError) {
            let response = try await transport.perform(request, timeout: time, unixSocketPath: socketPath)
            await transport.shutdown()
            return response
        } catch {
            await transport.shutdown()
            throw error
        }
    }
}

extension Failure {
    /// That a bot was told something, and nobody knows what came of it.
    fileprivate init(unanswered error: TransportError) {
        self.init(
            .impossible,
            "the bot got the command, but \(error.description.tamed); it may have done it, or may still do it: look at "
                + "'alertbot mutes' and 'alertbot status' before you try again")
    }
}
