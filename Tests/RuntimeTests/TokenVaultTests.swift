internal import AlertTesting
internal import PluginKit
internal import Runtime
internal import Synchronization
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct TokenVaultTests {
    private let stage = Stage()
    private let clock: ManualClock
    private let vault = TokenVault()
    /// How many tokens were given out; each is called by its number.
    private let given = Counter()

    init() { clock = ManualClock(stage) }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock {
                $0 += 1; return $0
            }
        }
        var value: Int { count.withLock(\.self) }
    }

    private func order(_ key: String = "a", lasts: Duration = .hours(1)) -> TokenOrder {
        TokenOrder(
            key: key, request: { _ in .success(HTTPRequest(.post, "https://tokens.example/\(key)")) },
            read: { result, now in
                switch result {
                case .failed(let error): .failure(PollFailure(error))
                case .answered(let response):
                    if let failure = PollFailure(response, now: now) {
                        .failure(failure)
                    } else {
                        .success(AccessToken(Secret(response.excerpt()), lasts: lasts))
                    }
                }
            })
    }

    private func ports() -> Ports {
        let given = given
        return ports { _, _ throws(TransportError) in .says("token \(given.next())") }
    }

    private func ports(_ answer: @escaping ScriptedWeb.Answer) -> Ports { .staged(stage, clock, answer) }

    private func ask(_ order: TokenOrder, _ ports: Ports? = nil) async throws -> String {
        try await vault.token(for: order, ports ?? self.ports(), timeout: .seconds(20)).get().secret.reveal()
    }

    @Test func `what was signed for a token is masked where the token server repeats it`() async throws {
        let asked = HTTPRequest(
            .post, "https://tokens.example", body: .form([.init("assertion", GuardedText(Secret("eyJ.eyJ.c2ln")))]))
        let order = TokenOrder(key: "a", request: { _ in .success(asked) }, read: order().read)
        let failure = await #expect(throws: PollFailure.self) {
            try await ask(
                order, ports { _, _ throws(TransportError) in .says("no: assertion=eyJ.eyJ.c2ln", status: 400) })
        }
        #expect(failure?.description.hasSuffix("assertion=***") == true, "\(failure?.description ?? "")")
    }

    @Test func `a token is kept for nine tenths of its life`() async throws {
        #expect(try await ask(order()) == "token 1")
        clock.advance(by: .minutes(53))
        #expect(try await ask(order()) == "token 1")
        clock.advance(by: .minutes(1))
        #expect(try await ask(order()) == "token 2")
    }

    @Test func `a wall clock that is set changes nothing`() async throws {
        #expect(try await ask(order()) == "token 1")
        clock.set(by: .days(-3))
        #expect(try await ask(order()) == "token 1")
        clock.set(by: .days(30))
        #expect(try await ask(order()) == "token 1")
    }

    @Test func `what a token is for decides who shares it`() async throws {
        #expect(try await ask(order("a")) == "token 1")
        #expect(try await ask(order("b")) == "token 2")
        #expect(try await ask(order("a")) == "token 1")
    }

    @Test func `one that was refused is replaced, and one that has been is not`() async throws {
        let first = try await vault.token(for: order(), ports(), timeout: .seconds(20)).get()
        #expect(try await ask(order().refusing(first)) == "token 2")
        // Another source that still held the first one gets what is there by now.
        #expect(try await ask(order().refusing(first)) == "token 2")
        #expect(given.value == 2)
    }

    @Test func `one is asked for over the connection of whoever asks`() async throws {
        let seen = Mutex<[Connection]>([])
        let ports = ports { request, _ throws(TransportError) in
            seen.withLock { $0.append(request.connection) }
            return .says("token")
        }
        var proxied = Connection()
        proxied.authorities = "/etc/bot/ca.pem"
        _ = await vault.token(for: order(), ports, timeout: .seconds(20), over: proxied)
        #expect(seen.withLock(\.self) == [proxied])
    }

    @Test func `whoever asks while one is under way waits for it`() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let given = given
        let slow = ports { _, _ throws(TransportError) in
            for await _ in gate { break }
            return .says("token \(given.next())")
        }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await ask(order(), slow) } }
            for _ in 0..<200 { await Task.yield() }
            opening.finish()
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["token 1"])
        #expect(given.value == 1)
    }

    @Test func `a failure is told and not kept`() async throws {
        let failing = ports { _, _ throws(TransportError) in .says("no", status: 503) }
        let result = await vault.token(for: order(), failing, timeout: .seconds(20))
        #expect(throws: PollFailure.self) { try result.get() }
        #expect(try await ask(order()) == "token 1")
    }

    @Test func `many configs later the old ones are forgotten`() async throws {
        for number in 1...200 { #expect(try await ask(order("k\(number)")) == "token \(number)") }
        #expect(try await ask(order("k200")) == "token 200")
        #expect(try await ask(order("k1")) == "token 201")
    }
}
