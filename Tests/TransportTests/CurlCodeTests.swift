import AlertModel
import Testing

@testable import Transport

@Suite struct `Codes of libcurl` {
    /// All codes of libcurl that mean more than "no usable answer"; every other has the class `.other`.
    private static let classes: [TransportError.Cause: Set<UInt32>] = [
        .badAddress: [3],
        .resolve: [5, 6],
        .connect: [7, 45, 89, 96, 97],
        .tls: [35, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98],
        .timeout: [28],
        .redirect: [47],
        .tooLarge: [27, 63, 100],
        .interrupted: [16, 18, 52, 55, 56, 65, 81, 92, 95, 99],
        .cancelled: [42],
    ]

    @Test(arguments: UInt32(1)...120) func `every code has its class and a sentence`(number: UInt32) {
        let expected = Self.classes.first { $0.value.contains(number) }?.key ?? .other
        let code = CurlCode(number: number)
        #expect(code.cause == expected)
        let bounds = TransferBounds(
            deadline: .now, timeout: .seconds(30), connectTimeout: .milliseconds(2500), idleMax: .seconds(118),
            headerBytesMax: 1, bodyBytesMax: 1)
        for isSending in [false, true] {
            let sentence = code.sentence(about: "host:1", bounds, isSending: isSending, detail: nil)
            #expect(sentence.contains("host:1"))
            #expect(sentence.count > 30)
        }
    }

    @Test func `an answer that is not encoded as it says is no matter of the address`() {
        let bounds = TransferBounds(
            deadline: .now, timeout: .seconds(30), connectTimeout: .milliseconds(2500), idleMax: .seconds(118),
            headerBytesMax: 1, bodyBytesMax: 1)
        let sentence = CurlCode(number: 61).sentence(about: "h", bounds, isSending: true, detail: nil)
        #expect(sentence.hasPrefix("the answer of h is not encoded as its Content-Encoding says ("))
        #expect(sentence.hasSuffix("); check the server, or what stands between it and this machine"))
    }

    @Test func `times are named in the unit that suits them`() {
        let bounds = TransferBounds(
            deadline: .now, timeout: .seconds(30), connectTimeout: .milliseconds(2500), idleMax: .seconds(118),
            headerBytesMax: 1, bodyBytesMax: 1)
        let timeout = CurlCode(number: 28)
        #expect(
            timeout.sentence(about: "h", bounds, isSending: true, detail: nil)
                == "no complete answer from h within 30 s")
        #expect(
            timeout.sentence(about: "h", bounds, isSending: false, detail: nil).hasPrefix(
                "no connection to h within 2.5 s;"))
    }
}
