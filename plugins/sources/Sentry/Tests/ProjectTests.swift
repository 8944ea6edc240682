import PluginKit
import PluginTesting
import Testing

@Suite struct `Projects of Sentry` {
    @Test func `names are asked for once a day`() throws {
        let source = try source()
        let first = Server().play(source, poll(.hours(1)))
        #expect(first.urls("projects").count == 1)
        let cursor = first.report?.cursor
        #expect(Server().play(source, poll(.hours(1), cursor: cursor, at: now + .hours(23))).urls("projects").isEmpty)
        #expect(
            Server().play(source, poll(.hours(1), cursor: cursor, at: now + .hours(25))).urls("projects").count == 1)
    }

    @Test func `the names of another organization are not read`() throws {
        let cursor = Server().play(try source(), poll(.hours(1))).report?.cursor
        let other = try source(["organization": option(.text("other"))])
        #expect(Server().play(other, poll(.hours(1), cursor: cursor)).urls("projects").count == 1)
    }

    @Test func `slugs are sent as ids`() throws {
        let played = Server().play(try source(["projects": list("wallet-ios", "4507001")]), poll(.hours(1)))
        #expect(!played.urls("sessions").isEmpty && !played.urls("issues").isEmpty)
        for url in played.urls("sessions") + played.urls("issues") {
            #expect(url.contains("project=4507002&project=4507001&"))
        }
    }

    @Test func `a project that nobody sees fails with a guess`() throws {
        let failure = try #require(Server().play(try source(["projects": list("walet-ios")]), poll(.hours(1))).failure)
        #expect(failure.reason == .notFound)
        #expect(failure.description == "the token can see no project 'walet-ios'; did you mean 'wallet-ios'?")
    }

    @Test func `without a session ever are named, so that they do not look like a quiet night`() throws {
        var server = Server()
        server.projects = answer(
            #"""
            [{"id": "4507001", "slug": "wallet-android", "hasSessions": false},
             {"id": "4507002", "slug": "wallet-ios", "hasSessions": false},
             {"id": "4507003", "slug": "old-server"}, {"id": "4507004", "slug": "web", "hasSessions": false}]
            """#)
        func note(_ names: String) -> [String] {
            [
                "release health is not instrumented in \(names): no session ever came from there, so rules about sessions "
                    + "and users have nothing to judge"
            ]
        }
        // What has sessions by now has them, whatever is said of it.
        let all = server.play(try source(), poll(.hours(1)))
        #expect(all.observation("wallet-android") != nil)
        #expect(all.report?.notes == note("web"))
        server.apps = answer(fixture: "sessions_empty_groups.json")
        server.releases = server.apps
        #expect(server.play(try source(), poll(.hours(1))).report?.notes == note("wallet-android, wallet-ios, web"))
        let one = server.play(try source(["projects": list("wallet-ios", "4507003")]), poll(.hours(1)))
        #expect(one.report?.notes == note("wallet-ios"))
        // Once a day is enough.
        let later = server.play(try source(), poll(.hours(1), cursor: one.report?.cursor, at: now + .minutes(5)))
        #expect(later.report?.notes == [])
    }

    @Test func `a new id is looked up, but not at every poll`() throws {
        let source = try source()
        let cursor = Server().play(source, poll(.hours(1))).report?.cursor
        var server = Server()
        server.apps = answer(sessions([10, 5, 1, 1], by: #"{"project": 99}"#))
        let soon = server.play(source, poll(.hours(1), cursor: cursor, at: now + .minutes(14)))
        #expect(soon.urls("projects").isEmpty)
        #expect(soon.observation("99") != nil)
        #expect(soon.report?.warnings.count == 1)
        server.projects = answer(#"[{"id": "99", "slug": "new"}, {"id": "4507001", "slug": "wallet-android"}]"#)
        let later = server.play(source, poll(.hours(1), cursor: cursor, at: now + .minutes(20)))
        #expect(later.urls("projects").count == 1)
        #expect(later.observation("new") != nil)
    }

    @Test func `a token that may not list projects still gives figures`() throws {
        var server = Server()
        server.projects = answer(fixture: "error_403.json", status: 403)
        server.releases = answer(fixture: "sessions_empty_groups.json")
        let one = server.play(try source(["projects": list("wallet-android")]), poll(.hours(1)))
        #expect(one.observation("wallet-android")?.metrics["sessions"] == 1000)
        #expect(one.urls("sessions").first?.contains("project=wallet-android&") ?? false)
        #expect(one.report?.warnings.count == 1)
        #expect(one.report?.cursor?["projects"] == [:])
        let all = server.play(try source(), poll(.hours(1)))
        #expect(all.observation("4507001") != nil)
    }

    @Test func `old names serve while the list cannot be had`() throws {
        let source = try source()
        let cursor = Server().play(source, poll(.hours(1))).report?.cursor
        var server = Server()
        server.projects = answer("<html>", status: 502)
        let played = server.play(source, poll(.hours(1), cursor: cursor, at: now + .days(2)))
        #expect(played.observation("wallet-android") != nil)
        #expect(played.report?.cursor == cursor, "so that the list is asked for again")
    }
}
