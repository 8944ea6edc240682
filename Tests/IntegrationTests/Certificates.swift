import BotHarness
import Foundation

extension Scratch {
    /// Certificates of authorities of this test's own: `ca.pem`, `other-ca.pem`, and of `alice` and `bob`.
    func makeCertificates() async throws {
        let made = try await run(Tools.server("make-certificates"), [folder])
        guard made.status == 0 else { throw TooLate("certificates were made: \(made.all)") }
    }

    /// The lines of JSON in a file; none while there is no such file.
    func lines(_ name: String) -> [JSONTree] {
        let text = FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").compactMap { try? JSONTree(parsing: String($0)) }
    }
}

extension ServerProcess {
    /// A server in Python that says when it is ready, on a port of its own.
    static func python(_ name: String, _ scratch: Scratch, _ arguments: String...) async throws -> ServerProcess {
        let port = try Loopback.freePort()
        let server = try ServerProcess(
            port: port, [Tools.python, Tools.server(name), scratch.folder, String(port)] + arguments)
        _ = try await eventually("\(name) was ready: \(server.child.standardError)", within: .seconds(60)) {
            guard server.child.isRunning else { throw TooLate("\(name) ended: \(server.child.standardError)") }
            return server.child.standardOutput.isEmpty ? nil : true
        }
        return server
    }
}
