import AlertCore
import BotConfig
import BuiltinPlugins
import PluginKit
import Testing
import TimeZones

/// Whether another address of a webhook leads to another chat, by what the address itself says.
@Suite struct `Chats that addresses name` {
    private func home(_ plugin: String, _ address: String) throws -> UInt64? {
        let text = """
            sources: {demo: {plugin: simulator}}
            channels: {team: {plugin: \(plugin), webhook: "${env:HOOK}"}}
            """
        let surroundings = ConfigSurroundings(
            variable: { $0 == "HOOK" ? address : nil }, file: { _ throws(ConfigSurroundings.Missing) in [] },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(text.utf8), folder: "/etc/bot", catalog: .builtin, surroundings: surroundings)
        return try #require(result.config, "\(result.problems.map(\.message))").plan.channels[0].home?.hash
    }

    @Test(arguments: [
        (
            "google_chat", "https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t",
            "https://chat.googleapis.com/v1/spaces/B/messages?key=k&token=t"
        ),
        (
            "discord", "https://discord.com/api/webhooks/1/x?thread_id=5",
            "https://discord.com/api/webhooks/1/x?thread_id=6"
        ),
        ("discord", "https://discord.com/api/webhooks/1/x", "https://discord.com/api/webhooks/1/x?thread_id=5"),
    ])
    func `another space or thread is another chat`(plugin: String, old: String, new: String) throws {
        #expect(try home(plugin, old) != home(plugin, new))
    }

    @Test(arguments: [
        (
            "google_chat", "https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t",
            "https://chat.googleapis.com/v1/spaces/A/messages?key=l&token=u"
        ),
        (
            "discord", "https://discord.com/api/webhooks/1/x?thread_id=5",
            "https://discord.com/api/webhooks/2/y?thread_id=5"
        ),
        ("discord", "https://discord.com/api/webhooks/1/x", "https://discord.com/api/webhooks/2/y"),
        ("slack", "https://hooks.slack.com/services/T0/B1/x", "https://hooks.slack.com/services/T0/B2/y"),
    ])
    func `another webhook alone is none`(plugin: String, old: String, new: String) throws {
        let before = try #require(try home(plugin, old))
        #expect(try home(plugin, new) == before)
    }
}
