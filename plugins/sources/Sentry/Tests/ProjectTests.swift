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

    @Test func `one that was renamed leaves the others alone, is named and looked for again`() throws {
        let source = try source(["projects": list("wallet-ios", "wallet-android")])
        var server = Server()
        let cursor = server.play(source, poll(.hours(1))).report?.cursor
        server.projects = answer(
            #"[{"id": "4507001", "slug": "wallet-android"}, {"id": "4507002", "slug": "wallet-ios-2"}]"#)
        let played = server.play(source, poll(.hours(1), cursor: cursor, at: now + .hours(25)))
        #expect(played.observation("wallet-android") != nil)
        #expect(played.urls("sessions").allSatisfy { $0.contains("project=4507001&") && !$0.contains("wallet-ios") })
        let report = try #require(played.report)
        let words = "the token can see no project 'wallet-ios'; did you mean 'wallet-ios-2'?"
        #expect(report.warnings == [words])
        #expect(report.missing?.description == words)
        #expect(report.unread == .apps(["wallet-ios"]))
        let next = server.play(source, poll(.hours(1), cursor: report.cursor, at: now + .hours(26)))
        #expect(next.urls("projects").count == 1 && next.report?.warnings == [words])
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

    @Test func `a new id is looked up at once, and one that stays hidden not at every poll`() throws {
        let source = try source()
        var cursor = Server().play(source, poll(.hours(1))).report?.cursor
        var server = Server()
        // So many minutes after the first list: whose sessions there are, the name that they go by, and whether names are
        // asked for.
        for (minutes, id, app, isAsked) in [
            (2, 99, "99", true), (4, 99, "99", false), (16, 99, "99", false),
            // Another is new, whatever is hidden.
            (17, 100, "100", true), (18, 99, "99", false), (31, 100, "100", false), (32, 100, "newer", true),
            (33, 99, "new", false),
        ] as [(Int64, Int, String, Bool)] {
            server.apps = answer(sessions([10, 5, 1, 1], by: #"{"project": \#(id)}"#))
            if minutes > 30 {
                server.projects = answer(
                    #"""
                    [{"id": "99", "slug": "new"}, {"id": "100", "slug": "newer"}, {"id": "4507001", "slug": "a"},
                     {"id": "4507002", "slug": "b"}]
                    """#)
            }
            let played = server.play(source, poll(.hours(1), cursor: cursor, at: now + .minutes(minutes)))
            #expect(played.urls("projects").count == (isAsked ? 1 : 0), "after \(minutes) minutes")
            #expect(played.observation(app) != nil, "after \(minutes) minutes")
            #expect(played.report?.warnings.count == (app == "\(id)" ? 1 : 0), "after \(minutes) minutes")
            cursor = played.report?.cursor
        }
    }

    @Test func `an id that the first list does not have is not asked for again soon`() throws {
        var server = Server()
        server.apps = answer(sessions([10, 5, 1, 1], by: #"{"project": 99}"#))
        let first = server.play(try source(), poll(.hours(1)))
        #expect(first.urls("projects").count == 1)
        let soon = server.play(try source(), poll(.hours(1), cursor: first.report?.cursor, at: now + .minutes(2)))
        #expect(soon.urls("projects").isEmpty)
    }

    @Test func `an id of which nobody could say anything is asked for again with the next poll`() throws {
        let source = try source()
        var server = Server()
        let first = server.play(source, poll(.hours(1)))
        server.apps = answer(sessions([10, 5, 1, 1], by: #"{"project": 99}"#))
        let listed = server.projects
        server.projects = answer("{}", status: 500)
        let failed = server.play(source, poll(.hours(1), cursor: first.report?.cursor, at: now + .minutes(2)))
        #expect(failed.urls("projects").count == 1)
        server.projects = listed
        let next = server.play(source, poll(.hours(1), cursor: failed.report?.cursor, at: now + .minutes(4)))
        #expect(next.urls("projects").count == 1)
    }

    @Test func `a renamed project is one app under its old name until the names are asked for again`() throws {
        let source = try source()
        let cursor = Server().play(source, poll(.hours(1))).report?.cursor
        var server = Server()
        server.projects = answer(#"[{"id": "4507001", "slug": "wallet-two"}]"#)
        server.releases = answer(fixture: "sessions_empty_groups.json")
        server.issues = answer(
            #"""
            [{"id": "1", "shortId": "A-1", "title": "T", "project": {"id": "4507001", "slug": "wallet-two"}},
             {"id": "2", "shortId": "B-1", "title": "T", "project": {"id": "4507009", "slug": "unheard-of"}},
             {"id": "3", "shortId": "C-1", "title": "T", "project": {"id": [], "slug": "odd"}}]
            """#)
        func apps(_ later: Duration) -> [String] {
            let played = server.play(source, poll(.hours(1), cursor: cursor, at: now + later))
            return played.observations.filter { !$0.issues.isEmpty }
                .map { "\($0.subject.app) \($0.metrics["sessions"] ?? 0) \($0.issues.map(\.id))" }
        }
        #expect(
            apps(.hours(1)) == [#"wallet-android 1000.0 ["A-1"]"#, #"odd 0.0 ["C-1"]"#, #"unheard-of 0.0 ["B-1"]"#])
        #expect(apps(.hours(25)).first == #"wallet-two 1000.0 ["A-1"]"#)
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
