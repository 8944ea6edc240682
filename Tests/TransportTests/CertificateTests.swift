import AlertModel
import Glibc
import Testing
import Transport

@Suite struct `Certificates` {
    private static let openssl = "/usr/bin/openssl"

    @Test(.enabled(if: access(openssl, X_OK) == 0, "needs the openssl command for a TLS server"))
    func `a certificate that nobody vouches for is refused before anything is sent`() async throws {
        // A server with a key made on the spot; it says where it listens, and ends after one connection.
        let script = """
            d=$(mktemp -d) && trap 'rm -r "$d"' EXIT && cd "$d" &&
            \(Self.openssl) req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
            -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key -out cert 2>&1 &&
            \(Self.openssl) s_server -accept 127.0.0.1:0 -key key -cert cert -www -naccept 1 2>&1 </dev/null
            """
        let pipe = try #require(popen(script, "r"))
        defer { pclose(pipe) }
        var line = [CChar](repeating: 0, count: 1000)
        var port: Int?
        while port == nil, fgets(&line, Int32(line.count), pipe) != nil {
            let text = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
            let words = String(decoding: text, as: UTF8.self).split(separator: ":")
            if words.first == "ACCEPT 127.0.0.1" { port = words.last.flatMap { Int($0) } }
        }
        let error = try await HTTPTransport.forTests().failure(of: "https://localhost:\(try #require(port))/\(hidden)")
        error.expect(.tls, mayHaveArrived: false, says: "(self-signed certificate)")
    }
}
