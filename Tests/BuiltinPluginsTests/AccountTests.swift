import AlertCore
import BotConfig
import BuiltinPlugins
import PluginKit
import PluginTesting
import Testing
import TimeZones

@Suite struct `Accounts of sources` {
    /// Sources with the credential in each place where it may stand.
    private static let entries = [
        "{plugin: sentry, organization: acme, token: \"${env:A}\"}",
        "{plugin: glitchtip, organization: acme, url: https://glitchtip.example.com, token: \"${env:A}\"}",
        "{plugin: bugsink, url: https://bugsink.example.com, token: \"${env:A}\"}",
        "{plugin: bugsnag, token: \"${env:A}\"}", "{plugin: rollbar, app: wallet, token: \"${env:A}\"}",
        "{plugin: datadog, app: wallet, application: abc, api_key: \"${env:A}\", application_key: \"${env:A}\"}",
        "{plugin: google_play, key: \"${file:A.json}\", apps: [com.acme.wallet]}",
        "{plugin: crashlytics, key: \"${file:A.json}\", apps: {wallet: \"1:123456789012:android:abcdef0123456789\"}}",
        "{plugin: prometheus, url: https://p.example.com, token: \"${env:A}\", metrics: {sessions: s}}",
        "{plugin: prometheus, url: https://p.example.com, parameters: {key: \"${env:A}\"}, metrics: {sessions: s}}",
        "{plugin: http_json, url: https://h.example.com, headers: {X-Key: \"${env:A}\"}, map: {app: $.a, users: $.u}}",
        "{plugin: http_json, url: \"https://h.example.com/?key=${env:A}\", map: {app: $.a, users: $.u}}",
        "{plugin: http_json, url: https://h.example.com, method: POST, body: 'key=${env:A}', map: {app: $.a, users: $.u}}",
    ]

    private static func load(_ entries: String...) -> ConfigResult {
        let sources = entries.enumerated().map { "  s\($0.offset): \($0.element)\n" }.joined()
        let surroundings = ConfigSurroundings(
            variable: { "s3cret-of-\($0)" },
            file: { path throws(ConfigSurroundings.Missing) in
                let name = path.hasSuffix("A.json") ? "a" : "b"
                let email = "\"\(name)@acme.iam.gserviceaccount.com\""
                return Array(SampleServiceAccount.keyFile(changing: ["client_email": email]).utf8)
            }, credentialsFolder: nil, zones: ZoneDatabase())
        return Config.load(
            Array("sources:\n\(sources)channels: {team: {plugin: console}}\n".utf8), folder: "/", catalog: .builtin,
            surroundings: surroundings)
    }

    @Test func `are tried with every source that asks a service`() {
        let asking = PluginCatalog.builtin.descriptions.filter { $0.kind == .source && $0.manifest.isConnected }
        let tried = Set(Self.entries.compactMap { $0.split(separator: " ").dropFirst().first?.dropLast() })
        #expect(Set(asking.map { Substring($0.manifest.name) }) == tried)
    }

    @Test(arguments: entries)
    func `are the same for the same credential at the same host, and tell nothing of it`(entry: String) throws {
        let other = entry.replacing("env:A", with: "env:B").replacing("A.json", with: "B.json")
        let result = Self.load(entry, entry, other)
        let accounts = try #require(result.config, "\(result.problems.map(\.message))").plan.sources.map(\.account)
        #expect(accounts[0] != nil)
        #expect(accounts[0] == accounts[1])
        #expect(accounts[0] != accounts[2])
        #expect(!accounts.contains { $0?.contains("s3cret") ?? false })
    }

    @Test func `are the same with one token, whatever secret place it is used for`() throws {
        let place = { (name: String) in
            "{plugin: http_json, url: \"https://h.example.com/${env:\(name)}\", headers: {X: \"${env:T}\"}, map: {app: $.a, users: $.u}}"
        }
        let accounts = try #require(Self.load(place("A"), place("B")).config).plan.sources.map(\.account)
        #expect(accounts[0] != nil)
        #expect(accounts[0] == accounts[1])
    }

    @Test(arguments: [
        "{plugin: prometheus, url: https://p.example.com, token: \"${env:A}\", metrics: {sessions: s}}",
        "{plugin: http_json, url: https://h.example.com, headers: {X-Key: \"${env:A}\"}, map: {app: $.a, users: $.u}}",
        "{plugin: http_json, url: https://h.example.com, headers: {Authorization: \"Bearer ${env:A}\"}, map: {app: $.a, users: $.u}}",
    ])
    func `are the same whether the credential is named or written out`(entry: String) throws {
        let written = entry.replacing("${env:A}", with: "s3cret-of-A")
        let accounts = try #require(Self.load(entry, written).config).plan.sources.map(\.account)
        #expect(accounts[0] != nil)
        #expect(accounts[0] == accounts[1])
    }

    @Test func `are none where there is no credential`() throws {
        let open = "{plugin: http_json, url: https://h.example.com, headers: {X: y}, map: {app: $.a, users: $.u}}"
        #expect(try #require(Self.load(open).config).plan.sources.map(\.account) == [nil])
    }
}
