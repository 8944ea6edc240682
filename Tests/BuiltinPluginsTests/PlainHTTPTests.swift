import BotConfig
import BuiltinPlugins
import PluginKit
import PluginTesting
import Testing
import TimeZones

/// Channels that are reached over plain http, without `insecure`.
@Suite struct `Plain http in the config` {
    private func load(_ channel: String) -> ConfigResult {
        let text = """
            version: 1
            sources:
              demo: {plugin: simulator}
            channels:
              team: {plugin: \(channel)}
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" },
            file: { _ throws(ConfigSurroundings.Missing) in [] }, credentialsFolder: nil, zones: ZoneDatabase())
        return Config.load(Array(text.utf8), folder: "/etc/bot", catalog: .builtin, surroundings: surroundings)
    }

    private static let webhook = "webhook, url: http://hooks.example.com/alertbot"

    @Test(arguments: [webhook, webhook + #", secret: "${env:KEY}""#])
    func `is fine where nothing secret travels, such as the key of a signature`(channel: String) throws {
        let result = load(channel)
        #expect(result.problems.filter { $0.level == .error }.map(\.message) == [])
        let team = try #require(result.config?.channels["team"])
        let message = SampleMessages.test
        guard case .request(let request) = team.post(Posting(id: "d", message: message, at: message.at)) else {
            Issue.record("it posts nothing")
            return
        }
        #expect(request.allowsPlainHTTP)
    }

    @Test(arguments: [
        webhook + #", secret: "${env:KEY}", headers: {X-Token: "${env:KEY}"}"#,
        webhook + #", headers: {X-Tenant: shop}"#, #"webhook, url: "http://hooks.example.com/${env:KEY}""#,
        #"ntfy, url: http://ntfy.example.com, topic: "${env:KEY}""#,
    ])
    func `is an error where a secret does`(channel: String) {
        let errors = load(channel).problems.filter { $0.level == .error }
        #expect(errors.map(\.message).contains { $0.contains("is plain http") }, "\(errors)")
    }
}
