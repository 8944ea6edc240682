import AlertModel
import Testing

@testable import StatusPage

/// Does everything and takes it down.
private actor Obedient: BotControl {
    private(set) var told: [JSON] = []

    func obey(_ command: JSON) throws -> JSON {
        told.append(command)
        if command["id"] == "gone" { return ["done": false, "sentence": "there is no such thing"] }
        if command["id"] == "full" { return ["done": false, "sentence": "no room", "unsaved": true] }
        if command["id"] == "late" { return ["done": false, "sentence": "stopping", "unavailable": true] }
        return ["done": true, "sentence": "done", "details": [:]]
    }
}

@Suite struct `The interface for programs` {
    private let control = Obedient()
    private let view = FakeBot()
    private static let json = ("Content-Type", "application/json")

    private func ask(
        _ method: String, _ target: String, _ body: String = "", _ headers: [(String, String)] = [json],
        isLocal: Bool = true, userHeader: String? = nil, password: Secret? = nil
    ) async throws -> (status: Int, json: JSON, headers: [String: String]) {
        var request = try #require(
            Request(
                method: method, target: "/api/v1/" + target,
                fields: headers.map { Request.Field(name: $0.0, value: $0.1) }))
        request.body = Array(body.utf8)
        request.isLocal = isLocal
        let desk = APIDesk(
            view: view, control: control,
            gatekeeper: Gatekeeper(
                KeyRing(.init(userHeader: userHeader, token: password, publicHost: "alerts.example.com"))),
            limits: Limits())
        let response = await desk.answer(request)
        #expect(response.contentType == "application/json")
        let headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { first, _ in first }
        return (response.status.rawValue, try JSON(parsing: response.body), headers)
    }

    @Test(arguments: [
        ("status", #"{"name":"shop-alerts"}"#), ("incidents", #"[{"id":"3f9a"}]"#), ("mutes", #"[{"id":"a1b2c3"}]"#),
        ("history", #"{"limit":100}"#), ("history?limit=7&failed=true", #"{"failed":7}"#),
        ("why", #"[{"app":null,"rule":null}]"#), ("why?app=shop-%2A&rule=floor", #"[{"app":"shop-*","rule":"floor"}]"#),
    ]) func `what is asked for is answered`(target: String, text: String) async throws {
        for method in ["GET", "HEAD"] {
            let answer = try await ask(method, target, "", [])
            #expect(answer.status == 200)
            #expect(answer.json == (try JSON(parsing: Array(text.utf8))))
        }
    }

    @Test(arguments: [
        ("history?limit=0", "limit: found '0', expected a whole number from 1 to 1000."),
        ("history?limit=x%00", "limit: found 'x%00', expected a whole number from 1 to 1000."),
        ("history?failed=1", "failed: found '1', expected true or false."),
        ("why?app=", "app: expected a name or a pattern of 1 to 200 characters."),
        ("history?dead=true", "'dead' is not known; known: limit, failed."),
        ("history?limit=7&Failed=true", "'Failed' is not known; known: limit, failed; did you mean failed?"),
        ("why?application=x", "'application' is not known; known: app, rule."),
        ("status?app=shop", "'app' is not known; nothing is expected here."),
        ("openapi.json?v=2", "'v' is not known; nothing is expected here."),
        ("why?app=shop&app=zz", "'app' stands twice in the query; nobody knows which is meant."),
        ("history?limit=7&failed=true&limit=7", "'limit' stands twice in the query; nobody knows which is meant."),
    ]) func `a wrong parameter is named`(target: String, sentence: String) async throws {
        let answer = try await ask("GET", target, "", [])
        #expect(answer.status == 400)
        #expect(answer.json == ["done": false, "sentence": .string(sentence)])
    }

    @Test(arguments: [
        (
            "POST", "mutes", #"{"match":{"app":["shop-*"]},"for_seconds":60,"reason":"fix","by":"ana"}"#,
            #"{"command":"mute","match":{"app":["shop-*"]},"for_ms":60000,"reason":"fix","by":"ana"}"#
        ),
        (
            "POST", "mutes", #"{"all":true,"for_seconds":60,"reason":" ","by":""}"#,
            #"{"command":"mute","match":{},"for_ms":60000,"by":null}"#
        ),
        (
            "POST", "mutes", #"{"all":true,"match":{},"for_seconds":60.0}"#,
            #"{"command":"mute","match":{},"for_ms":60000,"by":null}"#
        ),
        (
            "POST", "mutes", #"{"all":true,"until":"2026-11-23T10:00:00Z"}"#,
            #"{"command":"mute","match":{},"until":"2026-11-23T10:00:00Z","by":null}"#
        ),
        (
            "POST", "mutes", #"{"all":true,"until":"2026-12-24 09:00"}"#,
            #"{"command":"mute","match":{},"until":"2026-12-24T09:00:00Z","by":null}"#
        ),
        (
            "POST", "mutes", #"{"match":{"app":"x","labels":{"team":["a","b"]}},"for_seconds":1}"#,
            #"{"command":"mute","match":{"app":"x","team":["a","b"]},"for_ms":1000,"by":null}"#
        ),
        ("DELETE", "mutes/a1b2c3", "", #"{"command":"unmute","id":"a1b2c3"}"#),
        (
            "POST", "incidents/3f9a/acknowledge", #"{"by":"ana"}"#,
            #"{"command":"ack","incidents":["3f9a"],"by":"ana"}"#
        ),
        ("POST", "incidents/3f9a/acknowledge", "", #"{"command":"ack","incidents":["3f9a"],"by":null}"#),
        ("POST", "deliveries/d-2_x/retry", "{}", #"{"command":"retry","id":"d-2_x"}"#),
        ("POST", "reload", "{}", #"{"command":"reload"}"#),
    ]) func `what is to be done becomes the command that the control socket takes`(
        method: String, target: String, body: String, command: String
    ) async throws {
        let answer = try await ask(method, target, body)
        #expect(answer.status == 200)
        #expect(await control.told == [try JSON(parsing: Array(command.utf8))])
    }

    @Test func `what cannot be done is a conflict, with the reason`() async throws {
        let answer = try await ask("DELETE", "mutes/gone")
        #expect(answer.status == 409)
        #expect(answer.json["sentence"] == "there is no such thing")
    }

    @Test func `what cannot be done now may be asked for again`() async throws {
        let answer = try await ask("DELETE", "mutes/late")
        #expect(answer.status == 503)
        #expect(answer.json["sentence"] == "stopping")
        // It holds: whoever asked again would do it twice.
        let unsaved = try await ask("DELETE", "mutes/full")
        #expect(unsaved.status == 409)
        #expect(unsaved.json["unsaved"] == true)
    }

    @Test(arguments: [
        ("{\n\"all\":tru}", "The body is not JSON: line 2, column 7: expected 'true', found 't'."),
        ("[]", "The body is not a JSON object."), ("7", "The body is not a JSON object."),
        ("{}", #"match: expected what to mute, such as {"app": ["shop-*"]}, or "all": true in its place."#),
        (#"{"match":{"app":"x"},"all":true,"for_seconds":1}"#, "all: expected false, or no match beside it."),
        (#"{"match":{"app":"x"},"all":"yes","for_seconds":1}"#, "all: expected true or false."),
        (#"{"match":{"app":"x"},"all":null,"for_seconds":1}"#, "all: expected true or false."),
        (#"{"match":[],"for_seconds":1}"#, #"match: expected an object such as {"app": ["shop-*"]}."#),
        (#"{"all":true}"#, "Expected 'for_seconds' or 'until', and one of them only."),
        (#"{"all":true,"for_seconds":0}"#, "for_seconds: expected a whole number from 1 to 31536000."),
        (#"{"all":true,"for_seconds":9e99}"#, "for_seconds: expected a whole number from 1 to 31536000."),
        (#"{"all":true,"for_seconds":1,"by":7}"#, "by: expected a name of at most 80 characters."),
        (
            #"{"match":{"app":[]},"for_seconds":1}"#, "match: 'app': expected a pattern, or a list of patterns."
        ),
        (#"{"match":{"app":""},"for_seconds":1}"#, "match: 'app': expected a pattern, or a list of patterns."),
        (
            #"{"match":{"severity":"bad"},"for_seconds":1}"#, "match: 'severity': expected info, warning or critical."
        ),
        (#"{"all":true,"for_seconds":1,"reason":7}"#, "reason: expected a text of at most 500 characters."),
        (
            #"{"all":true,"for":"2h"}"#,
            "'for' is not known; known: match, all, for_seconds, until, reason, by."
        ),
        (
            #"{"match":{"apps":["x"]},"for_seconds":1}"#,
            "match: 'apps' is not known; known: source, app, release, environment, rule, severity, issue, and labels, "
                + #"such as {"labels": {"team": ["checkout"]}}; did you mean app?"#
        ),
        (
            #"{"match":{"labels":["x"]},"for_seconds":1}"#,
            #"match: 'labels': expected an object such as {"team": ["checkout"]}."#
        ),
        (
            #"{"match":{"labels":{"app":"x"}},"for_seconds":1}"#,
            "match: 'app' is not a label; it stands beside 'labels'."
        ),
        (
            #"{"match":{"labels":{"team":[]}},"for_seconds":1}"#,
            "match: 'team': expected a pattern, or a list of patterns."
        ),
        (
            #"{"match":{"app":"x","app":"y"},"for_seconds":1}"#,
            "'app' stands twice in one object; nobody knows which is meant."
        ),
    ]) func `a mute that makes no sense is refused with what was expected`(body: String, sentence: String) async throws
    {
        let answer = try await ask("POST", "mutes", body)
        #expect(answer.status == 400)
        #expect(answer.json["sentence"]?.string == sentence)
        #expect(await control.told.isEmpty)
    }

    @Test func `an end that is more than a year away cannot be done now`() async throws {
        let answer = try await ask("POST", "mutes", #"{"all":true,"until":"2027-11-22T00:00:00Z"}"#)
        #expect(answer.status == 409)
        #expect(answer.json["sentence"]?.string == "until: Mon 22 Nov 2027 00:00 UTC is more than a year away.")
        #expect(await control.told.isEmpty)
    }

    @Test func `pages of other sites change nothing, and forms of no site do`() async throws {
        for headers in [
            [Self.json, ("Origin", "https://evil.example")], [Self.json, ("Origin", "null")],
            [Self.json, ("Sec-Fetch-Site", "cross-site")],
            [Self.json, ("Origin", "http://localhost"), ("Sec-Fetch-Site", "same-site")],
        ] {
            #expect(try await ask("POST", "reload", "{}", headers).status == 403)
        }
        for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"] {
            #expect(try await ask("POST", "reload", "{}", [("Content-Type", type)]).status == 415)
        }
        #expect(try await ask("POST", "reload", "{}", []).status == 415)
        #expect(await control.told.isEmpty)
        #expect(try await ask("POST", "reload", "{}", [Self.json, ("Origin", "http://localhost:8480")]).status == 200)
    }

    @Test func `from elsewhere it takes the token, or a proxy's word`() async throws {
        #expect(try await ask("POST", "reload", "{}", isLocal: false).status == 403, "there is no token to know")
        let token = Secret("t0p-s3cret")
        let none = try await ask("POST", "reload", "{}", isLocal: false, password: token)
        #expect(none.status == 401)
        #expect(none.headers["WWW-Authenticate"] == "Bearer")
        func with(_ value: String) async throws -> Int {
            try await ask(
                "POST", "reload", "{}", [Self.json, ("Authorization", value)], isLocal: false, password: token
            ).status
        }
        #expect(try await with("Bearer guess") == 401)
        #expect(try await with("Bearer t0p-s3cret") == 200)
        let named = try await ask(
            "POST", "incidents/3f9a/acknowledge", #"{"by":"somebody else"}"#, [Self.json, ("X-Forwarded-User", "ana")],
            isLocal: false, userHeader: "X-Forwarded-User")
        #expect(named.status == 200)
        #expect(await control.told.last?["by"] == "ana")
    }

    @Test(arguments: [
        ("incidents/3f/acknowledge", "{}", 409), ("incidents/3f9a/acknowledge", #"{"bye":"ana"}"#, 400),
        ("deliveries/d-2/retry", #"{"by":"ana"}"#, 400), ("reload", #"{"a":1}"#, 400),
    ]) func `a part of an id, and members that nobody asked for, do nothing`(
        target: String, body: String, status: Int
    ) async throws {
        #expect(try await ask("POST", target, body).status == status)
        #expect(await control.told.isEmpty)
    }

    @Test func `too long a body is said in JSON, after who may not send any`() async throws {
        var request = try #require(
            Request(
                method: "POST", target: "/api/v1/mutes",
                fields: [Request.Field(name: "Content-Type", value: "application/json")]))
        request.bytesTaken = 65_536
        let desk = APIDesk(
            view: FakeBot(), control: control,
            gatekeeper: Gatekeeper(KeyRing(.init(token: Secret("t0p")))), limits: Limits())
        let local = await desk.answer(request)
        #expect(local.status == .contentTooLarge && local.contentType == "application/json")
        #expect(try JSON(parsing: local.body)["sentence"] == "The body has more than 65536 bytes.")
        request.isLocal = false
        #expect(await desk.answer(request).status == .unauthorized)
    }

    @Test(arguments: [
        ("POST", "status", "GET"), ("PUT", "mutes", "GET, POST"), ("GET", "mutes/a1", "DELETE"),
        ("GET", "reload", "POST"), ("PATCH", "incidents/3f9a/acknowledge", "POST"),
    ]) func `another method is told which there are`(method: String, target: String, allowed: String) async throws {
        let answer = try await ask(method, target)
        #expect(answer.status == 405)
        #expect(answer.headers["Allow"] == allowed)
    }

    @Test func `an incident is found without a list of all`() async throws {
        #expect(try await ask("POST", "incidents/3f9a/acknowledge").status == 200)
        #expect(await view.listed == 0)
        // What is not found may be a slip.
        #expect(try await ask("POST", "incidents/3f9/acknowledge").status == 409)
        #expect(await view.listed == 1)
    }

    @Test(arguments: ["", "x", "status/", "incidents/3f9a", "incidents//acknowledge/x", "mutes/a/b", "mutes/../x"])
    func `what is not there is not found`(target: String) async throws {
        #expect(try await ask("GET", target).status == 404)
    }

    @Test(arguments: ["mutes/%41", "mutes/A1", "mutes/" + String(repeating: "a", count: 41), "mutes/"])
    func `what is no id is refused`(target: String) async throws {
        #expect(try await ask("DELETE", target).status == 400)
    }

    @Test func `the document names what there is, and nothing else`() async throws {
        let document = try await ask("GET", "openapi.json").json
        let paths = try #require(document["paths"]?.object).members
        for path in paths where path.name != "/observations" {
            let target = APIDesk.prefix + path.name.dropFirst().replacing("{id}", with: "a1")
            let methods = (path.value.object?.members.map(\.name) ?? []).map { $0.uppercased() }
            let calls = APIDesk.calls(target)
            #expect(calls.map(\.method) == methods, "\(path.name)")
            for call in calls {
                let operation = path.value[call.method.lowercased()]
                let written = (operation?["parameters"]?.array ?? []).filter { $0["in"] == "query" }
                #expect(written.compactMap { $0["name"]?.string } == call.parameters, "\(path.name)")
                #expect(operation?["responses"]?["400"] != nil, "\(path.name) refuses names that it does not know")
            }
        }
        #expect(PushDesk.path == "/api/v1/observations")
        #expect(paths.count == 11)
    }
}
