import BotConfig
import BuiltinPlugins
import PluginKit
import Testing
import TimeZones

/// `network: {deny: private}` and the servers of plugins that do not speak the web's language.
@Suite struct `Denied servers in the config` {
    private func problems(_ server: String, allow: String = "") -> [String] {
        let text = """
            version: 1
            network: {deny: private\(allow)}
            sources:
              demo: {plugin: simulator}
            channels:
              mail: {plugin: email, server: "\(server)", from: a@example.com, to: b@example.com}
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in nil }, file: { _ throws(ConfigSurroundings.Missing) in [] }, credentialsFolder: nil,
            zones: ZoneDatabase())
        return Config.load(Array(text.utf8), folder: "/etc/bot", catalog: .builtin, surroundings: surroundings)
            .problems.filter { $0.level == .error }.map(\.message)
    }

    @Test(arguments: [
        ("10.0.0.25", "10.0.0.25"), ("10.0.0.25:587", "10.0.0.25"), ("smtps://192.168.1.2", "192.168.1.2"),
        ("smtp://[fd00::25]:25/", "fd00::25"), ("localhost", "127.0.0.1"),
    ])
    func `a mail server at a private address is an error`(server: String, address: String) {
        #expect(problems(server) == ["'server' leads to \(address), which 'network' denies"])
        #expect(problems(server, allow: ", allow: \"\(address)\"") == [])
    }

    @Test(arguments: ["smtp.example.com", "smtp.example.com:587", "smtps://1.1.1.1"])
    func `one elsewhere, or one that only a name server knows, is none`(server: String) {
        #expect(problems(server) == [])
    }
}
