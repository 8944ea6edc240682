internal import BotConfig
internal import Testing

@Suite struct CapacityTests {
    /// What is said of so many sources at one host, polled so often.
    private func warnings(_ count: Int, every: String, _ polling: String = "") -> [String] {
        let sources = (0..<count).map { "  s\($0): {plugin: feed, url: https://feed.example/\($0)}" }
        let result = load(
            """
            polling: {every: \(every), throttle: 1s\(polling)}
            sources:
            \(sources.joined(separator: "\n"))
            channels:
              team: {plugin: page}
            """)
        #expect(result.config != nil, "\(result.problems.map(\.line))")
        return result.problems.map(\.line)
    }

    @Test func `more polls than the limits let through are warned of, for the host and for all`() {
        #expect(
            warnings(100, every: "1s", ", concurrency: 16") == [
                "1:1: 100 sources poll feed.example 100 times a second, 4 at a time: polls run late unless each is "
                    + "answered within 40 ms (raise 'per_host', or poll less often)",
                "1:1: all sources poll 100 times a second, 16 at a time: polls run late unless each is answered within "
                    + "160 ms (raise 'concurrency', or poll less often)",
            ])
    }

    @Test func `higher limits, or fewer polls, are worth no word`() {
        #expect(warnings(100, every: "1s", ", concurrency: 64, per_host: 64") == [])
        #expect(warnings(100, every: "15s") == [])
        #expect(warnings(1, every: "1s") == [])
    }
}
