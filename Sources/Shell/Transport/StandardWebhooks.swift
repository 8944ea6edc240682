internal import AlertModel
internal import MessageCodes
internal import Text

extension HTTPRequest.Signature {
    /// The headers that sign `body`, the exact bytes that will be sent.
    ///
    /// A secret is `whsec_` and the key in base64; the prefix may be missing. Several, parted by spaces, are for the
    /// time of a change of keys: each signs, and the receiver takes whichever it knows.
    func headers(over body: [UInt8]) throws(TransportError) -> [(name: String, value: String)] {
        switch self {
        case .standardWebhooks(let id, let timestamp, let secret):
            let content = Array("\(id).\(timestamp.unixSeconds).".utf8) + body
            var signatures: [String] = []
            for secret in secret.reveal().split(separator: " ") {
                let encoded = secret.hasPrefix("whsec_") ? secret.dropFirst("whsec_".count) : secret
                guard let key = Base64.decode(encoded), !key.isEmpty, let code = MessageCode.sha256(content, key: key)
                else { throw HTTPRequest.Signature.badSecret }
                signatures.append("v1," + Base64.encode(code))
            }
            guard !signatures.isEmpty else { throw HTTPRequest.Signature.badSecret }
            return [
                ("webhook-id", id), ("webhook-timestamp", String(timestamp.unixSeconds)),
                ("webhook-signature", signatures.joined(separator: " ")),
            ]
        }
    }

    private static let badSecret = TransportError.unsent(
        .badAddress,
        "the secret for signing is not 'whsec_' with a key in base64 after it; copy it again from the receiver")
}
