import AlertModel
import Synchronization
import Testing

@testable import Transport

@Suite(.timeLimit(.minutes(30))) struct `Signatures` {
    private static let secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    private static let secretBefore = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="

    /// Checked against another implementation of Standard Webhooks.
    private static let signed: [(id: String, seconds: Int64, body: String, new: String, old: String)] = [
        (
            "msg_1", 1_795_219_200, #"{"a":1}"#, "sGvtjWcZa4Ri5fY7bCZ2CeA6MJ6bbp8FNs2tC0Os0tw=",
            "HtdU3Ph5NFRB7gDXBLAbpR9lbGYoSX3mQU5XL7F+1hc="
        ),
        (
            "msg_2", 1_795_219_200, "", "3XlCMR0YpN/5GEVjv44AdcPLO58pXG1plcs6hm0Tvnc=",
            "3FefTGnKujvMa2dUY/HDwI+VtTALYZEfHTcIBAXmqjQ="
        ),
        (
            "msg_3", 1_795_219_201, #"{"title":"Übersicht — \u2028 😀"}"#,
            "DpqS/YW1/o3CUgN71yDIV4WMMeDh61uhahxNBXXvcjc=",
            "khNq+Wgctvv9vN8d8z+LAxQhuPJJItLSUNg9O9Kvbjo="
        ),
        (
            "msg_4", 1, "line1\nline2\n", "n/4KGu0t+3+ujqnFnistU0JK6IntLK+Sfy0laOn+uI0=",
            "1zkZvEbLBtTgFQbffKPOZHFmOLyJlGvFam5MZHlMdJE="
        ),
    ]

    @Test(arguments: signed) func `the bytes that go out are signed`(
        id: String,
        seconds: Int64,
        body: String,
        new: String,
        old: String
    ) async throws {
        let seen = Mutex<[ReceivedRequest]>([])
        let server = try LoopbackServer.answering { request in
            seen.withLock { $0.append(request) }
            return answer()
        }
        let transport = HTTPTransport.forTests()
        let secrets = ["\(Signatures.secret)", "\(Signatures.secret)  \(Signatures.secretBefore) "]
        for secret in secrets {
            let request = HTTPRequest(
                .post,
                GuardedText(server.url()),
                headers: [.init("Webhook-ID", "forged")],
                body: .text(GuardedText(body), contentType: "application/json"),
                signature: .standardWebhooks(
                    id: id, timestamp: Moment(milliseconds: seconds * 1000 + 999), secret: GuardedText(Secret(secret))))
            _ = try await transport.perform(request, timeout: .seconds(3600))
        }
        let received = seen.withLock { $0 }
        #expect(received.map { String(decoding: $0.body, as: UTF8.self) } == [body, body])
        #expect(received.map { $0.header("webhook-id") } == [id, id])
        #expect(received.map { $0.header("webhook-timestamp") } == ["\(seconds)", "\(seconds)"])
        #expect(received.map { $0.header("webhook-signature") } == ["v1,\(new)", "v1,\(new) v1,\(old)"])
        #expect(received.allSatisfy { $0.headers.filter { $0.name.lowercased() == "webhook-id" }.count == 1 })
    }

    @Test func `a key without its prefix or its padding is the same key`() throws {
        let plain = try signature(secret: Signatures.secret)
        #expect(try signature(secret: String(Signatures.secret.dropFirst(6))) == plain)
        #expect(try signature(secret: String(Signatures.secret.dropLast(1))) == plain)
    }

    @Test(arguments: [
        "", " ", "whsec_", "whsec_=", "whsec_A", "whsec_AAA*", "whsec_AA=A", "whsec_AAAA=", "whsec_ä",
        "whsec_AAAA whsec_?",
    ])
    func `a secret that is not base64 is an error`(secret: String) throws {
        let error = #expect(throws: TransportError.self) { try signature(secret: secret) }
        error?.expect(.badAddress, mayHaveArrived: false, says: "not 'whsec_' with a key in base64")
    }

    private func signature(secret: String) throws -> String? {
        try HTTPRequest.Signature.standardWebhooks(
            id: "x",
            timestamp: Moment(milliseconds: 0),
            secret: GuardedText(Secret(secret))
        ).headers(over: []).last?.value
    }
}
