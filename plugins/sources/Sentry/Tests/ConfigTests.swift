import PluginKit
import PluginTesting
import SentrySource
import Testing

@Suite struct `Options of a sentry source` {
    @Test func `an organization and a token are enough`() throws {
        let source = try source()
        #expect(source.host == "sentry.io")
        #expect(source.metrics?.count == 7)
        let request = try #require(Server().play(source, poll(.hours(1))).requests.first)
        #expect(request.url.description == "https://sentry.io/api/0/organizations/acme/projects/")
        #expect(request.headers.map { "\($0.name): \($0.value)" }.contains("Authorization: Bearer ***"))
        #expect(request.headers.contains { $0.value.reveal() == "Bearer \(token)" })
        #expect(!request.allowsPlainHTTP)
    }

    @Test(arguments: [
        ("https://de.sentry.io/", "de.sentry.io", "https://de.sentry.io/api/0/"),
        ("http://Sentry.local:9000", "sentry.local", "http://Sentry.local:9000/api/0/"),
        ("https://x.example/sentry/api/0/", "x.example", "https://x.example/sentry/api/0/"),
        ("https://u:p@x.example", "x.example", "https://u:p@x.example/api/0/"),
        ("https://[::1]:9000", "[::1]", "https://[::1]:9000/api/0/"),
    ]) func `the address may be written in several ways`(_ written: String, _ host: String, _ start: String) throws {
        let source = try source(["url": option(.text(GuardedText(written)))])
        #expect(source.host == host)
        let request = try #require(Server().play(source, poll(.hours(1))).requests.first)
        #expect(request.url.description.hasPrefix(start + "organizations/acme/"))
    }

    @Test(arguments: ["sentry.io", "ftp://sentry.io", "https://", "https://sentry.io?x=1", "https://a b"])
    func `an address that is none is a problem at its place`(_ written: String) {
        #expect(throws: ProblemList.self) { try source(["url": option(.text(GuardedText(written)))]) }
    }

    @Test func `every mistake is reported at once`() {
        let values = [
            "url": option(.text("nowhere")), "token": option(.text(" ")), "projects": list("a", ""),
            "environments": list("a", "b", "c", "d", "e", "f"),
        ]
        do {
            _ = try source(values)
            Testing.Issue.record("the options were taken")
        } catch {
            #expect(
                error.problems.map(\.message) == [
                    "'url' is not an address of a server such as https://sentry.io", "'token' is empty",
                    "an empty name in 'projects'", "6 environments, but at most 5 can be asked for",
                ])
            #expect(error.problems.allSatisfy { $0.position == place })
        }
    }

    @Test(arguments: [
        ("https://sentry.io/organizations/shop/issues/", "shop"), ("https://shop.sentry.io/issues/?project=1", "shop"),
        ("sentry.io/shop", nil), ("My Shop", nil),
    ])
    func `an address is no organization`(_ written: String, _ slug: String?) {
        let problem = #expect(throws: ProblemList.self) {
            try source(["organization": option(.text(GuardedText(written)))])
        }?.problems.first
        #expect(problem?.message == "'organization' is '\(written)', expected a slug such as shop")
        #expect(problem?.suggestion == slug)
    }

    @Test func `insecure allows plain http`() throws {
        let source = try source(["insecure": option(.flag(true))])
        let requests = Server().play(source, poll(.hours(1))).requests
        #expect(requests.allSatisfy { $0.allowsPlainHTTP })
    }
}

@Suite struct `Where people look at Sentry's figures` {
    @Test(arguments: [
        ("https://sentry.io", "https://sentry.io/organizations/acme/projects/{app}/"),
        ("https://de.sentry.io/", "https://sentry.io/organizations/acme/projects/{app}/"),
        ("https://us.sentry.io/api/0/", "https://sentry.io/organizations/acme/projects/{app}/"),
        ("http://Sentry.local:9000", "http://Sentry.local:9000/organizations/acme/projects/{app}/"),
        ("https://x.example/{app}", "https://x.example/%7Bapp%7D/organizations/acme/projects/{app}/"),
        ("https://notsentry.io", "https://notsentry.io/organizations/acme/projects/{app}/"),
        // A login, and what nobody else can open.
        ("https://u:p@x.example", nil), ("http://localhost:9000", nil),
    ]) func `the project's page`(_ url: String, _ page: String?) throws {
        #expect(try source(["url": option(.text(GuardedText(url)))]).dashboard == page)
    }

    @Test func `environments are told apart, names are encoded and secrets stay secret`() throws {
        #expect(
            try source(["organization": option(.text("a+ü")), "environments": list("production")]).dashboard
                == "https://sentry.io/organizations/a%2B%C3%BC/projects/{app}/?environment={environment}")
        #expect(try source(["organization": option(.text(GuardedText(Secret("acme"))))]).dashboard == nil)
        #expect(try source(["url": option(.text("https://\(Secret("s3cret")).example"))]).dashboard == nil)
    }
}
