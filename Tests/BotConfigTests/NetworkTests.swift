import AlertCore
import BotConfig
import PluginKit
import Testing

@Suite struct `Denied addresses in the config` {
    private func config(_ network: String, url: String = "https://feed.example", more: String = "") -> String {
        """
        network: \(network)
        bot: {name: x\(more)}
        sources:
          ios: {plugin: feed, url: "\(url)"}
        channels:
          team: {plugin: page}
        """
    }

    @Test func `without a word nothing is denied`() throws {
        let config = try #require(load(config("{}", url: "http://127.0.0.1:9/")).config)
        #expect(config.plan.sources.first?.connection.policy == .open)
        #expect(config.bot.policy == .open)
    }

    @Test func `every connection has the policy`() throws {
        let config = try #require(load(config("{deny: private, allow: [10.1.0.0/16, \"fd00::1\"]}")).config)
        let policy = AddressPolicy.publicOnly(besides: [
            try AddressBlock(grammar: "10.1.0.0/16"), try AddressBlock(grammar: "fd00::1"),
        ])
        #expect(config.plan.sources.map(\.connection.policy) == [policy])
        #expect(config.plan.channels.map(\.connection.policy) == [policy])
        #expect(config.bot.policy == policy)
    }

    @Test(arguments: [
        ("http://127.0.0.1:9/", "127.0.0.1"), ("http://2130706433/", "127.0.0.1"), ("http://0x7f.1/", "127.0.0.1"),
        ("https://[::ffff:10.0.0.1]/", "10.0.0.1"), ("https://localhost/", "127.0.0.1"),
        ("https://169.254.169.254/latest", "169.254.169.254"), ("https://[fd00:ec2::254]/", "fd00:ec2::254"),
    ])
    func `an address that is written there is an error`(_ url: String, _ address: String) {
        #expect(
            load(config("{deny: private}", url: url)).problems.map(\.line) == [
                "4:28: 'url' leads to \(address), which 'network' denies (add \(address) to 'allow' there if it is intended)"
            ])
        #expect(load(config("{deny: private, allow: \"\(address)\"}", url: url)).problems == [])
    }

    @Test(arguments: [
        Mistake("a word", "{deny: privat}", "1:17: 'deny' is 'privat', expected private -> private"),
        Mistake("a key", "{denny: private}", "1:11: unknown key 'denny' in 'network' -> deny"),
        Mistake(
            "no block", "{deny: private, allow: [10/8]}",
            "1:34: 'allow' holds '10/8', expected an address or a block of them, such as 10.1.0.0/16 or fd00::/8"),
        Mistake(
            "a crooked block", "{deny: private, allow: [10.0.0.1/8]}",
            "1:34: 'allow' holds '10.0.0.1/8', expected a block that begins where it says -> 10.0.0.0/8"),
        Mistake(
            "nothing to allow", "{allow: [10.0.0.0/8]}",
            "1:18: 'allow' has no effect: nothing is denied (add deny: private)"),
    ])
    func `every mistake is reported`(mistake: Mistake) {
        #expect(load(config(mistake.yaml)).problems.map(\.line) == mistake.problems)
    }

    @Test func `the heartbeat and proxies are looked at as well`() {
        let problems = load(
            config("{deny: private}", more: ", heartbeat: \"http://192.168.0.7/ping\"").replacing(
                "\"https://feed.example\"", with: "\"https://feed.example\", proxy: \"socks5h://10.0.0.1:1080\"")
        ).problems.map(\.message)
        #expect(
            problems == [
                "'heartbeat' leads to 192.168.0.7, which 'network' denies",
                "'proxy' leads to 10.0.0.1, which 'network' denies",
            ])
    }
}
