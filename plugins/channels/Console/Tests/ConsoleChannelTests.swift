import ConsoleChannel
import PluginKit
import PluginTesting
import Testing

@Suite struct `The console` {
    private func channel() throws -> ConsoleChannel {
        let options = Options(name: "term", position: Position(line: 1, column: 1), values: [:])
        return try ConsoleChannel(
            options: options, context: ChannelContext(name: "term", bot: "shop-alerts", zone: .utc))
    }

    @Test func `nothing printed can steer a terminal`() throws {
        #expect(ChannelConformance(try channel(), audience: .people, bodyBytesMax: 0).violations() == [])
    }

    @Test func `no title of chance steers a terminal`() throws {
        let flaws = RandomMessages.flaws(of: try channel()) { printed in
            let steering = printed.string?.unicodeScalars.first { scalar in
                switch scalar.value {
                case 0x0A: false
                case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
                default: false
                }
            }
            return steering.map { ["U+\(String($0.value, radix: 16)) is printed"] } ?? []
        }
        #expect(flaws == [])
    }

    @Test func `a message is its plain text and an empty line`() throws {
        let posting = Posting(
            id: "d-1", message: SampleMessages.test, possiblyRepeated: true, at: ChannelConformance.now)
        guard case .print(let text) = try channel().post(posting) else {
            Issue.record("nothing was printed")
            return
        }
        let expected = """
            (possibly repeated: the answer to the first try was lost)
            🧪 shop-alerts: this is a test message
            Channel: team
            Why: somebody ran 'alertbot send-test team'; nothing is wrong
            alertbot 1.0.0


            """
        #expect(text == expected)
    }

    @Test func `what is printed twice is read twice`() throws {
        #expect(try !channel().isIdempotent)
        #expect(try channel().pace == .unlimited)
    }
}
