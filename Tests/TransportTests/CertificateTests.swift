import AlertModel
import Glibc
import Testing
import Transport

@Suite(.enabled(if: access("/usr/bin/openssl", X_OK) == 0, "needs the openssl command for a TLS server"))
struct `Certificates` {
    /// A server with a key made on the spot; it ends after so many connections. Its folder has its certificate as `cert`
    /// and as `ca`, and one that somebody else made for himself as `other`.
    private struct Server {
        let pipe: UnsafeMutablePointer<FILE>
        let folder: String
        let port: Int

        init(accepting count: Int) throws {
            let script = """
                make() {
                    /usr/bin/openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
                    -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout "$1" -out "$2" 2>&1
                }
                d=$(mktemp -d) && trap 'rm -r "$d"' EXIT && cd "$d" &&
                make other-key other && make key cert && cp cert ca && echo "FOLDER:$d" &&
                /usr/bin/openssl s_server -accept 127.0.0.1:0 -key key -cert cert -www -naccept \(count) 2>&1 </dev/null
                """
            pipe = try #require(popen(script, "r"))
            var line = [CChar](repeating: 0, count: 1000)
            var said: [Substring: Substring] = [:]
            while said["ACCEPT 127.0.0.1"] == nil, fgets(&line, Int32(line.count), pipe) != nil {
                let text = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
                let words = String(decoding: text, as: UTF8.self).split(separator: ":")
                if words.count == 2 { said[words[0]] = words[1] }
            }
            folder = String(try #require(said["FOLDER"]))
            port = try #require(said["ACCEPT 127.0.0.1"].flatMap { Int($0) })
        }
    }

    @Test func `a certificate that nobody vouches for is refused before anything is sent`() async throws {
        let server = try Server(accepting: 1)
        defer { pclose(server.pipe) }
        let error = try await HTTPTransport.forTests().failure(of: "https://localhost:\(server.port)/\(hidden)")
        error.expect(.tls, mayHaveArrived: false, says: "(self-signed certificate)")
    }

    @Test func `an authority that is taken out of its file is trusted by no connection after that`() async throws {
        let server = try Server(accepting: 2)
        defer { pclose(server.pipe) }
        let transport = HTTPTransport.forTests()
        var request = HTTPRequest(.get, "https://localhost:\(server.port)/")
        request.connection.authorities = "\(server.folder)/ca"
        #expect(try await transport.perform(request, timeout: .seconds(3600)).status == 200)
        #expect(rename("\(server.folder)/other", "\(server.folder)/ca") == 0)
        let error = await #expect(throws: TransportError.self) {
            try await transport.perform(request, timeout: .seconds(3600))
        }
        error?.expect(.tls, mayHaveArrived: false, says: "(self-signed certificate)")
    }
}
