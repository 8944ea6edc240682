import AlertModel
import Testing
import Transport

/// The secret in every request that is meant to fail: no error may hold it.
let hidden = "s3cr3t"

extension HTTPTransport {
    /// A transport as the tests want it: named, and otherwise with its defaults.
    static func forTests(_ limits: Limits = Limits()) -> HTTPTransport {
        // A machine under load may take minutes from one request of a test to the next.
        var limits = limits
        limits.idleMax = .hours(1)
        return HTTPTransport(userAgent: "alertbot-tests/1", limits: limits)
    }

    /// A GET that must be answered.
    func get(_ url: String) async throws -> HTTPResponse {
        try await perform(HTTPRequest(.get, GuardedText(url)), timeout: .seconds(3600))
    }

    /// The error of a request that must fail, made sure to hold no secret.
    func failure(
        _ method: HTTPRequest.Method = .get,
        of url: String,
        headers: [HTTPRequest.Header] = [],
        body: HTTPRequest.Body? = nil,
        signature: HTTPRequest.Signature? = nil,
        timeout: Duration = .seconds(3600),
        unixSocketPath: String? = nil,
        proxy: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> TransportError {
        let secretHeader = HTTPRequest.Header("Authorization", "Bearer \(Secret(hidden))")
        var request = HTTPRequest(
            method, GuardedText(url), headers: [secretHeader] + headers, body: body, signature: signature)
        if let proxy { request.connection.proxy = .at(GuardedText(proxy)) }
        let error = await #expect(throws: TransportError.self, sourceLocation: location) {
            try await perform(request, timeout: timeout, unixSocketPath: unixSocketPath)
        }
        let found = try #require(error, sourceLocation: location)
        #expect(!found.description.contains(hidden), sourceLocation: location)
        return found
    }
}

extension TransportError {
    func expect(
        _ cause: Cause,
        mayHaveArrived: Bool,
        says text: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(self.cause == cause, sourceLocation: location)
        #expect(self.mayHaveArrived == mayHaveArrived, sourceLocation: location)
        #expect(description.contains(text), sourceLocation: location)
    }
}
