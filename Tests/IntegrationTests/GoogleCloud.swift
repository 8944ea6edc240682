import BotHarness
import Foundation
import PluginTesting
import Synchronization

/// Google of the tests: its token server, where PyJWT checks every assertion, and services that take those tokens.
final class GoogleCloud: Sendable {
    /// Tokens are called by their numbers; only those are taken that were given and not revoked.
    private final class Tokens: Sendable {
        let folder: Scratch
        private let revoked = Mutex(0)

        init(_ folder: Scratch) { self.folder = folder }

        var requests: [JSONTree] { folder.lines("requests.jsonl") }
        var given: Int { requests.count { $0["status"].number == 200 } }
        func revoke() {
            let given = given
            revoked.withLock { $0 = given }
        }
        func takes(_ header: String?) -> Bool {
            guard let number = header.flatMap({ Int($0.dropFirst("Bearer t".count)) }), number <= given else {
                return false
            }
            return number > revoked.withLock(\.self)
        }
    }

    static let json = ["Content-Type": "application/json"]

    private let tokens: Tokens
    private let tokenServer: ServerProcess
    private let services: LoopbackServer

    /// - Parameter api: what the services say to whoever has a token.
    init(_ api: @escaping @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Reply) async throws {
        let tokens = Tokens(try Scratch())
        try tokens.folder.write("account.json", SampleServiceAccount.keyFile)
        self.tokens = tokens
        tokenServer = try await ServerProcess.python("google_token.py", tokens.folder)
        services = try LoopbackServer { request in
            do {
                guard tokens.takes(request.header("authorization")) else {
                    return .answer(401, Self.json, try Self.fixture("GooglePlay/TestData/Fixtures/error_401.json"))
                }
                return try api(request)
            } catch {
                return .answer(500, [:], "\(error)")
            }
        }
    }

    deinit { stop() }

    func stop() {
        tokenServer.child.closeInput()
        services.stop()
    }

    /// Where the services are.
    var url: String { services.url }
    /// What the services were asked.
    var requests: [LoopbackServer.Request] { services.requests }
    /// What the token server was asked, as it noted it.
    var tokenRequests: [JSONTree] { tokens.requests }
    /// How many tokens were given.
    var tokensGiven: Int { tokens.given }
    /// From now on the tokens given so far are refused.
    func revokeTokens() { tokens.revoke() }
    /// From now on this is what the token server knows of the account.
    func knowAccount(by keyFile: String) throws { try tokens.folder.write("account.json", keyFile) }

    func request(
        _ what: @autoclosure () -> String, where fits: (LoopbackServer.Request) -> Bool
    ) async throws -> LoopbackServer.Request {
        try await services.request(what(), where: fits)
    }

    /// The account's key file with the address of this token server.
    func keyFile(changing changes: [String: String?] = [:]) -> String {
        let here = ["token_uri": "\"http://127.0.0.1:\(tokenServer.port)/token\""]
        return SampleServiceAccount.keyFile(changing: changes.merging(here) { $1 })
    }

    static func fixture(_ path: String) throws -> String {
        try String(contentsOf: Tools.package.appending(path: "plugins/sources/\(path)"), encoding: .utf8)
    }

    // MARK: Play

    /// An hour of UTC that ended three hours ago, as the API writes it; later ones by `after`.
    private static func hour(after: Int = 0) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 3600).rounded(.down) * 3600)
            .addingTimeInterval(Double(after - 4) * 3600)
        let parts = calendar.dateComponents([.year, .month, .day, .hour], from: start)
        return """
            {"year": \(parts.year ?? 0), "month": \(parts.month ?? 0), "day": \(parts.day ?? 0),
             "hours": \(parts.hour ?? 0), "timeZone": {"id": "UTC"}}
            """
    }

    /// Play with one bad hour of every app.
    static func play(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let (begin, end) = (hour(), hour(after: 1))
        if request.path.hasSuffix("errorIssues:search") { return .answer(200, json, "{}") }
        guard request.path.hasSuffix(":query") else {
            return .answer(
                200, json,
                #"{"name": "x", "freshnessInfo": {"freshnesses": [{"aggregationPeriod": "HOURLY", "latestEndTime": \#(end)}]}}"#
            )
        }
        guard request.path.contains("crashRate"), !request.text.contains("versionCode") else {
            return .answer(200, json, "{}")
        }
        return .answer(
            200, json,
            """
            {"rows": [{"aggregationPeriod": "HOURLY", "startTime": \(begin), "metrics": [
              {"metric": "userPerceivedCrashRate", "decimalValue": {"value": "0.0242"}},
              {"metric": "distinctUsers", "decimalValue": {"value": "41000"}}]}]}
            """)
    }
}
