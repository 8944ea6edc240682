public import PluginKit
public import Runtime
internal import Synchronization
internal import Transport

/// The network through libcurl, which is started with the first request: most commands send none.
public final class CurlWeb: Web {
    private let transport = Mutex<HTTPTransport?>(nil)
    /// For mails: saying goodbye to their servers may take its time, and nothing else should wait for that.
    private let postman = Mutex<HTTPTransport?>(nil)

    public init() {}

    public func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse {
        try await started(transport).perform(request, timeout: timeout)
    }

    public func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer {
        try await started(postman).send(mail, timeout: timeout)
    }

    /// What a connection would stumble over in a file of certificates, and in that of the first one's key.
    @Sendable public static func flaw(inCertificates certificates: [UInt8], key: [UInt8]?) -> Connection.Flaw? {
        Connection.Flaw.found(inCertificates: certificates, key: key)
    }

    /// Nil until the first request has started a thread.
    public var executor: (any TaskExecutor)? { transport.withLock { $0?.executor } }

    /// Ends what is under way and closes every connection; later requests fail. Calling it again does no harm.
    public func close() async {
        await transport.withLock { $0 }?.shutdown()
        await postman.withLock { $0 }?.shutdown()
    }

    private func started(_ transport: borrowing Mutex<HTTPTransport?>) -> HTTPTransport {
        transport.withLock { transport in
            let started = transport ?? HTTPTransport(userAgent: Version.userAgent)
            transport = started
            return started
        }
    }
}
