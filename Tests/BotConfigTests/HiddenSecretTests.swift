import BotConfig
import PluginKit
import Testing

/// Secrets that stand where nothing reads them.
@Suite struct `Secrets under keys that nobody reads` {
    /// Every line that would be shown with a problem.
    private func shown(_ yaml: String) -> String {
        let result = load(yaml)
        let lines = ShownLines(yaml.split { $0.isNewline }.map(String.init), hiding: result.writtenSecrets)
        return result.problems.map { $0.text(file: "config.yaml", lines: lines) }.joined(separator: "\n")
    }

    @Test(arguments: [
        "{plugin: feed, url: https://f.example, tokn: s3cr3t}",
        "{plugin: feed, url: https://f.example, Token: 's3cr3t'}",
        "{plugin: feed, url: https://f.example, api_key: s3cr3t}",
        "{plugin: feed, url: https://f.example, hedders: {Authorization: Bearer s3cr3t}}",
        "{plugin: feed, url: https://f.example, token: [s3cr3t]}", "{plugin: fed, token: \"s3cr3t\"}",
        "{plugin: fed, tokn: s3cr3t}", "{token: s3cr3t}", "{plugin: page, token: s3cr3t}",
        "{plugin: [feed], token: s3cr3t}",
        "{plugin: any, token: s3cr3t}", "{plugin: fed, headers: {X-Scope: s3cr3t}}",
        "{plugin: feed, url: https://f.example, token: x, token: s3cr3t}",
        "{plugin: feed, url: https://f.example, token:s3cr3t}", "{plugin: feed, url: https://f.example, token s3cr3t}",
        "{plugin: feed, url: https://f.example, headers: {Authorization:Bearer s3cr3t}}",
        "{plugin: feed, url: https://f.example, hook: https://h.example/s3cr3t}",
        "{plugin: feed, url: https://f.example, links: [https://h.example/s3cr3t]}",
        "{plugin: feed, url: https://f.example, auth: s3cr3t}", "{plugin: feed, url: https://f.example, token=s3cr3t}",
        "{plugin: feed, url: https://f.example, headers: {Authorization Bearer s3cr3t}}",
        "{plugin: feed, url: https://f.example, token s3cr3t: x}",
        "{plugin: feed, url: https://f.example, token:s3cr3t, mirror: \"${env:NONE}\"}",
        "{plugin: feed, url: https://f.example, mirror: ${env:NONE}, token: s3cr3t}",
    ])
    func `are masked on the lines that are shown`(source: String) {
        let shown = shown("sources:\n  ios: \(source)\nchannels:\n  team: {plugin: page}")
        #expect(shown.contains("ios: {"), "\(shown)")
        #expect(!shown.contains("s3cr3t"), "\(shown)")
        #expect(shown.contains("***"), "\(shown)")
    }

    @Test(arguments: [
        "bot: {tokn: s3cr3t}", "token: s3cr3t", "soruces: {a: {plugin: feed, token: s3cr3t}}",
        "plugins: [{token: s3cr3t}]", "bot: {token: [s3cr3t}", "bot:\n  token: \"s3cr3t",
        "bot:\n  token s3cr3t:s3cr3t\n  name: x", "bot:\n  token=s3cr3t\n  name: x",
        "bot:\n  hook:https://h.example/s3cr3t\n  name: x",
        "bot:\n  token:s3cr3t\n  name: x", "bot:\n  token s3cr3t\n  name: x", "bot:\n  token: *s3cr3t\n  name: x",
        "bot:\n  token: #s3cr3t\n  name: x", "bot:\n  token: &s3cr3t\n  name: x", "bot: {token: &s3cr3t , name: x}",
        "bot:\n  token: !s3cr3t x\n  name: x", "bot:\n  token:\u{A0}s3cr3t\n  name: x", "bot: {token:s3cr3t}",
        "bot: token:s3cr3t", "bot: token s3cr3t", "bot:\n  token=s3cr3t", "rules:\n  a: token:s3cr3t",
    ])
    func `are masked in whatever section they stand`(section: String) {
        let shown = shown(section + least)
        #expect(["token", "tokn", "hook"].contains { shown.contains($0) }, "\(shown)")
        #expect(!shown.contains("s3cr3t"), "\(shown)")
    }

    @Test func `are shown where they only name a secret, and so is what is none`() {
        let shown = shown(
            "sources:\n  ios: {plugin: fed, tokn: \"${env:TOKEN}\", projects: [shop]}\nchannels:\n  team: {plugin: page}"
        )
        #expect(shown.contains("tokn: \"${env:TOKEN}\", projects: [shop]"), "\(shown)")
    }
}
