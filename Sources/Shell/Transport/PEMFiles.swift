public import AlertModel
internal import CCrypto

extension Connection.Flaw {
    /// What a connection would stumble over in files in PEM, as libcrypto reads them; nil where it would not.
    ///
    /// - Parameters:
    ///   - certificates: all that the file holds.
    ///   - key: what is to be the key of the first of them, without a passphrase; nil where it is not needed.
    public static func found(inCertificates certificates: [UInt8], key: [UInt8]?) -> Connection.Flaw? {
        // What libcrypto notes of its trouble belongs to the thread, and somebody else's next call would find it.
        defer { ERR_clear_error() }
        return withText(certificates) { text in
            guard let first = PEM_read_bio_X509(text, nil, { _, _, _, _ in 0 }, nil) else { return .certificate }
            defer { X509_free(first) }
            while let another = PEM_read_bio_X509(text, nil, { _, _, _, _ in 0 }, nil) { X509_free(another) }
            // The end of a file is told in the same way as what is wrong with it.
            guard ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE else { return .certificate }
            return key.flatMap { flaw(ofKey: $0, to: first) }
        }
    }

    private static func flaw(ofKey key: [UInt8], to certificate: OpaquePointer) -> Connection.Flaw? {
        withText(key) { text in
            // Without an answer of ours to the question for a passphrase, libcrypto would ask the terminal.
            guard let key = PEM_read_bio_PrivateKey(text, nil, { _, _, _, _ in 0 }, nil) else { return .key }
            defer { EVP_PKEY_free(key) }
            return X509_check_private_key(certificate, key) == 1 ? nil : .otherKey
        }
    }

    /// What `body` finds in a text; nothing where there is no memory to look at it.
    private static func withText(
        _ bytes: [UInt8], _ body: (OpaquePointer) -> Connection.Flaw?
    ) -> Connection.Flaw? {
        bytes.withUnsafeBytes { bytes in
            guard let count = Int32(exactly: bytes.count), let text = BIO_new_mem_buf(bytes.baseAddress, count) else {
                return nil
            }
            defer { BIO_free(text) }
            return body(text)
        }
    }
}
