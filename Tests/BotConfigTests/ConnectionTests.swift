internal import AlertCore
internal import BotConfig
internal import PluginKit
internal import Testing

@Suite struct `Certificates and proxies` {
    private static let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
    private static let key = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"
    private static let files: [String: String] = [
        "/etc/bot/ca.pem": certificate, "/etc/bot/client.pem": certificate, "/etc/bot/client.key": key,
        "/tls/both.pem": certificate + key, "/etc/bot/der": "0\u{2}",
        "/etc/bot/locked.key": key.replacing("BEGIN PRIVATE", with: "BEGIN ENCRYPTED PRIVATE"),
        "/etc/bot/open.key": key, "/etc/bot/cut.pem": certificate + "cut", "/etc/bot/cut.key": key + "cut",
        "/etc/bot/bob.key": key + "bob", "/tls/cut.pem": certificate + key + "cut",
    ]

    private func load(_ options: String, withholds: Bool = false) -> ConfigResult {
        let surroundings = ConfigSurroundings(
            variable: { $0 == "PROXY" ? "http://bot:s3cr3t@proxy.example:3128" : nil },
            file: { path throws(ConfigSurroundings.Missing) in
                guard let text = Self.files[path] else { throw ConfigSurroundings.Missing("there is no such file") }
                return Array(text.utf8)
            }, credentialsFolder: nil, zones: ZoneDatabase(), withholdsSecrets: withholds,
            isOpenToOthers: { $0 == "/etc/bot/open.key" },
            connectionFlaw: { certificates, key in
                func holds(_ bytes: [UInt8]?, _ word: String) -> Bool {
                    bytes.map { String(decoding: $0, as: UTF8.self).hasSuffix(word) } ?? false
                }
                if holds(certificates, "cut") { return .certificate }
                return holds(key, "cut") ? .key : holds(key, "bob") ? .otherKey : nil
            })
        let yaml = """
            sources:
              ios: {plugin: feed, url: https://feed.example\(options)}
            channels:
              team: {plugin: page\(options)}

            """
        return Config.load(
            Array(yaml.utf8), folder: "/etc/bot", catalog: FakeWorld.catalog, surroundings: surroundings)
    }

    @Test(arguments: [
        ("", Connection()), (", ca: ./ca.pem", Connection(authorities: "/etc/bot/ca.pem")),
        (
            ", client_certificate: client.pem, client_key: client.key",
            Connection(certificate: "/etc/bot/client.pem", key: "/etc/bot/client.key")
        ),
        (", client_certificate: /tls/both.pem", Connection(certificate: "/tls/both.pem")),
        (", proxy: off", Connection(proxy: .none)),
        (", proxy: \"socks5h://127.0.0.1:1080\"", Connection(proxy: .at("socks5h://127.0.0.1:1080"))),
    ])
    func `every source and channel takes them, with paths from the config's folder`(
        options: String, connection: Connection
    ) throws {
        let result = load(options)
        #expect(result.problems.map(\.line) == [])
        let plan = try #require(result.config).plan
        #expect(plan.sources.map(\.connection) == [connection])
        #expect(plan.channels.map(\.connection) == [connection])
    }

    @Test(arguments: [
        (", ca: none.pem", "the file /etc/bot/none.pem of 'ca' cannot be read: there is no such file"),
        (", ca: der", "the file /etc/bot/der of 'ca' is not PEM, expected -----BEGIN CERTIFICATE-----"),
        (", ca: client.key", "the file /etc/bot/client.key of 'ca' holds something else"),
        (", client_key: client.key", "'client_key' is set and 'client_certificate' is not"),
        (", client_certificate: client.pem", "the file /etc/bot/client.pem of 'client_certificate' holds no key"),
        (", client_certificate: client.pem, client_key: ca.pem", "of 'client_key' holds something else"),
        (", client_certificate: client.pem, client_key: locked.key", "needs a passphrase"),
        (", client_certificate: client.pem, client_key: open.key", "everybody on this machine can read the key"),
        (", ca: cut.pem", "a certificate in /etc/bot/cut.pem cannot be read: it is damaged"),
        (", client_certificate: /tls/cut.pem", "a certificate in /tls/cut.pem cannot be read"),
        (
            ", client_certificate: client.pem, client_key: cut.key",
            "the key in /etc/bot/cut.key cannot be read: it is damaged, or in a format that is not supported"
        ),
        (
            ", client_certificate: client.pem, client_key: bob.key",
            "the key in /etc/bot/bob.key does not belong to the first certificate in /etc/bot/client.pem"
        ),
        (", proxy: proxy.example", "'proxy' is 'proxy.example', expected a proxy's address"),
        (", proxy: \"ftp://proxy.example\"", "expected a proxy's address"),
        (", proxy: \"[::1]:3128\"", "'proxy' is '[::1]:3128', expected"),
        (", proxy: \"http//proxy:3128\"", "'proxy' is 'http//proxy:3128', expected"),
        (", proxy: \"http:/proxy:3128\"", "'proxy' is 'http:/proxy:3128', expected"),
        (", proxy: \"proxy:3128/path\"", "'proxy' is 'proxy:3128/path', expected"),
        (", proxy: \"http://proxy:3128 \"", "'proxy' is 'http://proxy:3128"),
    ])
    func `what is wrong with them is said of each`(options: String, words: String) {
        let problems = load(options).problems
        #expect(problems.map(\.position.line) == [2, 4], "\(problems.map(\.line))")
        #expect(problems.allSatisfy { $0.message.contains(words) }, "\(problems.map(\.line))")
        let isWarning = words.hasPrefix("everybody")
        #expect(problems.allSatisfy { ($0.level == .warning) == isWarning })
    }

    @Test(arguments: [
        "proxy.example:3128:bot:s3cr3t", "bot:s3cr3t@proxy.example:3128", "http:bot:s3cr3t@proxy.example",
        "bot:s3cr3t:proxy.example:3128", "htp://proxy.example:3128:bot:s3cr3t",
    ])
    func `a login in what is no proxy's address is not shown`(written: String) {
        let result = load(", proxy: \"\(written)\"")
        let words = "'proxy' is not a proxy's address"
        #expect(result.problems.map(\.message) == [words, words])
        #expect(result.writtenSecrets.map(\.position.line) == [2, 4])
    }

    @Test func `a proxy's address that came out of a secret is no secret of the file`() {
        let result = load(", proxy: \"ftp${env:PROXY}\"")
        #expect(result.problems.map(\.message) == Array(repeating: "'proxy' is not a proxy's address", count: 2))
        #expect(result.writtenSecrets == [])
    }

    @Test(arguments: ["ca", "client_certificate", "client_key"])
    func `whoever writes what a file says for its name does not read it in the answer`(option: String) {
        let certificate = option == "client_key" ? ", client_certificate: client.pem" : ""
        let problems = load("\(certificate), \(option): \"${file:client.key}\"").problems
        #expect(problems.map(\.position.line) == [2, 4])
        let words = "'\(option)' is a certificate or a key itself, expected the name of its file"
        #expect(problems.allSatisfy { $0.message == words }, "\(problems.map(\.line))")
        #expect(problems.allSatisfy { $0.advice == "write \(option): PATH, without ${file:…}" })
    }

    @Test func `a secret that is taken for a file's name is masked`() {
        let problems = load(", ca: \"${env:PROXY}\"").problems
        #expect(problems.count == 2)
        #expect(problems.allSatisfy { $0.message.contains("***' ") == false && $0.message.contains("***") })
        #expect(!problems.contains { $0.line.contains("s3cr3t") }, "\(problems.map(\.line))")
    }

    @Test func `where secrets are not, the files need not be either`() {
        #expect(load(", ca: none.pem, client_certificate: none", withholds: true).problems.map(\.line) == [])
    }

    @Test func `a proxy's password is a secret`() throws {
        let plan = try #require(load(", proxy: \"${env:PROXY}\"").config).plan
        let connection = try #require(plan.sources.first?.connection)
        #expect(!"\(connection)".contains("s3cr3t"))
        guard case .at(let address) = connection.proxy else {
            Issue.record("\(connection)")
            return
        }
        #expect(address.reveal() == "http://bot:s3cr3t@proxy.example:3128")
    }
}
