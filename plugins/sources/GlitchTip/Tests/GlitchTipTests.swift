import GlitchTipSource
import PluginKit
import PluginTesting
import SourceKit
import Testing

@Suite struct `Issues from GlitchTip` {
    @Test func `the source conforms`() throws {
        for values: [String: Option] in [
            [:], ["projects": list("wallet-ios"), "environments": list("production", "beta")],
            ["projects": list("71", "72")],
        ] {
            let conformance = SourceConformance(
                try source(values), poll: poll(), secrets: [token], answer: Server().respond)
            #expect(conformance.violations() == [])
        }
    }

    @Test func `issues hang on their app, with how they stand and no count that says nothing of now`() throws {
        let played = Server().play(try source(), poll(.hours(1), .days(7)))
        let app = try #require(played.observation("wallet-android"))
        #expect(app.metrics.isEmpty)
        #expect(app.subject == Subject(source: "mobile", app: "wallet-android"))
        #expect(app.span == TimeSpan(lasting: .hours(1), until: now))
        #expect(app.issues.map(\.id) == ["WALLET-ANDROID-12", "WALLET-ANDROID-3"])
        #expect(app.issues.map(\.status) == ["unresolved", "resolved"])
        let first = try #require(app.issues.first)
        #expect(first.firstSeen == Moment(rfc3339: "2026-11-20T18:04:11.203Z"))
        #expect(first.lastSeen == Moment(rfc3339: "2026-11-20T23:58:40Z"))
        #expect(first.url == "https://app.glitchtip.com/acme/issues/9101")
        // 1,287 events are those of its whole life, and users are not counted at all: 0 would be a lie.
        #expect(first.events == nil)
        #expect(first.users == nil)
        #expect(played.observation("wallet-ios")?.issues.map(\.status) == ["ignored"])
        #expect(played.report?.warnings == [])
    }

    @Test func `those that happened last are asked for, resolved ones too, and without a span`() throws {
        let played = Server().play(try source(), poll())
        // Sentry's 'project=-1' means a project with that id here, and 'start' means when an issue was first seen.
        #expect(
            played.requests.map(\.url.description) == [
                "https://app.glitchtip.com/api/0/organizations/acme/issues/?sort=-last_seen&limit=100"
            ])
        #expect(played.requests.first?.headers.contains { $0.value.reveal() == "Bearer \(token)" } == true)
        #expect(Server(issues: answer("[]")).play(try source(), poll()).report?.outcome == .noData)
    }

    @Test func `pages are followed to the last, which has no cursor`() throws {
        let played = PlayedPoll(try source(), poll()) { request in
            request.url.description.contains("cursor=cD0yMDI2")
                ? answer(fixture: "issues_page2.json", headers: headers(fixture: "headers_issues_last_page.json"))
                : answer(fixture: "issues_page1.json", headers: headers(fixture: "headers_issues_page1.json"))
        }
        #expect(played.requests.count == 2)
        #expect(played.observation("wallet-ios")?.issues.map(\.id) == ["WALLET-IOS-7", "WALLET-IOS-1"])
    }

    @Test func `projects are asked for by their ids, which are looked up once a day`() throws {
        let source = try source(["projects": list("wallet-ios", "71")])
        let first = Server().play(source, poll())
        #expect(first.urls("projects").count == 1)
        #expect(first.urls("issues").first?.contains("?project=72&project=71&sort=") == true)
        let next = Server().play(source, poll(cursor: first.report?.cursor, at: now + .hours(23)))
        #expect(next.urls("projects").isEmpty)
        #expect(try Server().play(self.numbered(), poll()).urls("projects").isEmpty, "ids need no look at the list")
    }

    private func numbered() throws -> GlitchTipSource { try source(["projects": list("71")]) }

    @Test func `a slug without an id is a failure that says what to do`() throws {
        let wrong = Server().play(try source(["projects": list("walet-ios")]), poll())
        #expect(
            wrong.failure?.description == "the token can see no project 'walet-ios'; did you mean 'wallet-ios'?")
        let hidden = Server(projects: answer(fixture: "error_403.json", status: 403))
            .play(try source(["projects": list("wallet-ios")]), poll())
        #expect(hidden.failure?.reason == .forbidden)
        #expect(hidden.failure?.description.contains("Permission denied") == true)
        #expect(hidden.failure?.description.contains("project:read") == true)
        #expect(hidden.failure?.description.hasSuffix("; or write ids in 'projects'") == true)
    }

    @Test func `a project that was renamed leaves the others alone`() throws {
        let played = Server().play(try source(["projects": list("wallet", "wallet-ios")]), poll())
        #expect(played.urls("issues").first?.contains("?project=72&sort=") == true)
        #expect(played.observation("wallet-ios") != nil)
        #expect(played.report?.missing?.description.hasPrefix("the token can see no project 'wallet'") == true)
    }

    @Test func `each environment has its own issues, and trouble with the second leaves the first`() throws {
        let source = try source(["environments": list("production", "beta")])
        let played = Server().play(source, poll())
        #expect(played.urls("issues").map { $0.contains("environment=beta") } == [false, true])
        #expect(Set(played.observations.map(\.subject.environment)) == ["production", "beta"])
        let half = PlayedPoll(source, poll()) { request in
            request.url.description.contains("beta")
                ? answer(fixture: "error_404.json", status: 404) : Server().respond(to: request)
        }
        #expect(Set(half.observations.map(\.subject.environment)) == ["production"])
        #expect(half.report?.warnings.first?.hasPrefix("issues: the source answered 404: Not Found") == true)
    }

    @Test func `links lead to a server that others can reach, and in front of which nobody put a password`() throws {
        for (address, link) in [
            ("https://x.example/glitch/api/0/", "https://x.example/glitch/acme/issues/9101"),
            ("https://u:p@x.example", nil), ("http://127.0.0.1:8000", nil),
        ] {
            let played = Server().play(try source(["url": option(.text(GuardedText(address)))]), poll())
            #expect(played.observation("wallet-android")?.issues.first?.url == link)
        }
    }

    @Test func `what it cannot give is declared, so that 'check' knows`() throws {
        let source = try source(["projects": list("wallet-ios"), "environments": list("production")])
        #expect(source.metrics == [])
        #expect(source.givesIssues == true)
        #expect(source.configured("release") == [""])
        #expect(source.configured("environment") == ["production"])
        #expect(source.configured("app") == ["wallet-ios"])
        #expect(try self.numbered().configured("app") == nil)
        #expect(source.host == "app.glitchtip.com")
    }

    @Test func `every mistake is reported at once`() {
        do {
            _ = try source([
                "url": option(.text("nowhere")), "organization": option(.text(" ")), "projects": list("a", ""),
                "environments": list("a", "b", "c", "d", "e", "f"),
            ])
            Testing.Issue.record("the options were taken")
        } catch {
            #expect(
                error.problems.map(\.message) == [
                    "'url' is not an address of a server such as https://app.glitchtip.com", "'organization' is empty",
                    "an empty name in 'projects'", "6 environments, but at most 5 can be asked for",
                ])
        }
    }
}

@Suite struct `Where people look at GlitchTip` {
    @Test(arguments: [
        ("https://app.glitchtip.com", "https://app.glitchtip.com/a%2Bb/issues"),
        ("http://glitchtip.local:8000/x/", "http://glitchtip.local:8000/x/a%2Bb/issues"),
        ("https://u:p@x.example", nil), ("http://127.0.0.1:8000", nil),
    ]) func `the organization's issues`(_ url: String, _ page: String?) throws {
        let values = ["url": option(.text(GuardedText(url))), "organization": option(.text("a+b"))]
        #expect(try source(values).dashboard == page)
        let staged = try source(values.merging(["environments": list("production")]) { $1 })
        #expect(staged.dashboard == page.map { $0 + "?environment={environment}" })
    }

    @Test func `secrets stay secret`() throws {
        #expect(try source(["organization": option(.text(GuardedText(Secret("acme"))))]).dashboard == nil)
        #expect(try source(["url": option(.text("https://\(Secret("s3cret")).example"))]).dashboard == nil)
    }
}
