internal import AlertModel
internal import CCurl

/// A result code of libcurl, as a cause and a sentence of ours: the one place that translates.
///
/// Whether the request may have arrived is not read from the code: the same code comes before and after sending, so the
/// transfer keeps count of what went out.
struct CurlCode: Hashable, Sendable {
    let number: UInt32

    init(number: UInt32) { self.number = number }
    init(_ code: CURLcode) { number = code.rawValue }

    var cause: TransportError.Cause {
        switch CURLcode(rawValue: number) {
        case CURLE_URL_MALFORMAT: .badAddress
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST: .resolve
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_NO_CONNECTION_AVAILABLE, CURLE_QUIC_CONNECT_ERROR,
            CURLE_PROXY:
            .connect
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            .tls
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_TOO_MANY_REDIRECTS: .redirect
        // libcurl bounds what it holds of a header line, and says "out of memory" at the bound; later releases have
        // their own code for it.
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY, CurlCode.tooLarge: .tooLarge
        case CURLE_HTTP2, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_SEND_FAIL_REWIND, CURLE_AGAIN, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_UNRECOVERABLE_POLL:
            .interrupted
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        // What is left are other protocols' codes, misuse of libcurl, and answers that are not HTTP.
        default: .other
        }
    }

    /// `CURLE_TOO_LARGE`, which headers before 8.6 do not name.
    private static let tooLarge = CURLcode(rawValue: 100)

    /// A sentence for people. `peer` is all that it tells of the address; `detail` replaces libcurl's words.
    ///
    /// - Parameters:
    ///   - language: what the other side should speak.
    ///   - authorities: the file of certificates that alone are trusted; nil for the system's.
    func sentence(
        about peer: String, _ bounds: TransferBounds, isSending: Bool, detail: String?,
        speaking language: String = "HTTP", trusting authorities: String? = nil
    ) -> String {
        let reason = detail ?? String(cString: curl_easy_strerror(CURLcode(rawValue: number)))
        return switch cause {
        case .resolve: "cannot find \(peer) (\(reason)); check the name, and that this machine can resolve it"
        case .connect: "cannot connect to \(peer) (\(reason)); check that it runs and can be reached from here"
        case .tls:
            "no trusted connection to \(peer) (\(reason)); check its certificate and "
                + (authorities == nil ? "the system's store of them" : "the file that 'ca' names")
        case .timeout where isSending: "no complete answer from \(peer) within \(bounds.timeout.asText)"
        case .timeout:
            "no connection to \(peer) within \(min(bounds.connectTimeout, bounds.timeout).asText); "
                + "check that it can be reached from here"
        case .tooLarge: "\(peer) sent a header longer than libcurl takes (\(reason)); check the address"
        case .interrupted: "the connection to \(peer) broke before the answer was complete (\(reason))"
        case .other where CURLcode(rawValue: number) == CURLE_BAD_CONTENT_ENCODING:
            "the answer of \(peer) is not encoded as its Content-Encoding says (\(reason)); check the server, or what stands "
                + "between it and this machine"
        case .badAddress, .refusedScheme, .redirect, .cancelled, .other:
            "\(peer) gave no answer that is \(language) (\(reason)); check the address"
        }
    }
}

extension Duration {
    /// `10 s`, `1.5 s` or `200 ms`.
    var asText: String {
        let milliseconds = wholeMilliseconds
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(inSeconds) s"
    }
}
