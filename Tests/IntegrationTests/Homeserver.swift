import BotHarness
import Foundation
import Testing

/// A real homeserver for one suite: it takes seconds to start, so the tests of the suite share it.
final class Homeserver: Sendable {
    @TaskLocal static var current: Homeserver?

    let port: UInt16
    let room: String
    /// The bot has not joined it.
    let closedRoom: String
    /// Both have joined it.
    let encryptedRoom: String
    let botToken: String
    private let botID: String
    private let personToken: String
    private let adminToken: String
    private let child: Child

    init(_ scratch: Scratch) async throws {
        let port = try Loopback.freePort()
        let child = try Child(
            Tools.python, [Tools.server("synapse.py"), scratch.path("synapse"), String(port)], input: .open)
        let facts = try await eventually("the homeserver was ready: \(child.standardError)", within: .seconds(150)) {
            guard child.isRunning else { throw TooLate("the homeserver ended: \(child.standardError)") }
            return try? JSONTree(parsing: child.standardOutput)
        }
        self.port = port
        self.child = child
        room = facts["room"].string ?? ""
        closedRoom = facts["closed_room"].string ?? ""
        encryptedRoom = facts["encrypted_room"].string ?? ""
        botToken = facts["bot"]["token"].string ?? ""
        botID = facts["bot"]["id"].string ?? ""
        personToken = facts["person"]["token"].string ?? ""
        adminToken = facts["admin"]["token"].string ?? ""
    }

    func stop() async throws {
        child.closeInput()
        try await child.ending(within: .seconds(60))
    }

    /// What the bot has written into the room, oldest first, as the person sees it.
    func messages(in room: String? = nil) throws -> [JSONTree] {
        let room = room ?? self.room
        let target = "/_matrix/client/v3/rooms/\(Homeserver.encoded(room))/messages?dir=b&limit=100"
        guard let answer = Loopback.ask(port, "GET", target, headers: ["Authorization": "Bearer \(personToken)"]),
            answer.status == 200
        else { throw TooLate("the room could be read") }
        let events = answer.json["chunk"].elements
        return events.filter { $0["type"].string == "m.room.message" && $0["sender"].string == botID }.reversed()
    }

    /// What the person gets of what somebody has uploaded, `mxc://SERVER/ID`.
    func media(_ uri: String) throws -> Loopback.Answer {
        let target = "/_matrix/client/v1/media/download/\(uri.dropFirst("mxc://".count))"
        guard let answer = Loopback.ask(port, "GET", target, headers: ["Authorization": "Bearer \(personToken)"]),
            answer.status == 200
        else { throw TooLate("\(uri) could be read") }
        return answer
    }

    /// Lets the bot's account send so many messages a second, after a first burst; 0 and 0 for as many as it likes.
    func limit(perSecond: Int, burst: Int) throws {
        let answer = Loopback.ask(
            port, "POST", "/_synapse/admin/v1/users/\(Homeserver.encoded(botID))/override_ratelimit",
            headers: ["Authorization": "Bearer \(adminToken)", "Content-Type": "application/json"],
            body: #"{"messages_per_second": \#(perSecond), "burst_count": \#(burst)}"#)
        guard answer?.status == 200 else { throw TooLate("the rate could be limited: \(answer?.text ?? "")") }
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}

/// Starts the homeserver before the first test of a suite and stops it after the last.
struct HomeserverTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let homeserver = try await Homeserver(scratch)
        do {
            try await Homeserver.$current.withValue(homeserver, operation: body)
        } catch {
            try? await homeserver.stop()
            throw error
        }
        try await homeserver.stop()
    }
}

extension Trait where Self == HomeserverTrait {
    static var homeserver: HomeserverTrait { HomeserverTrait() }
}
