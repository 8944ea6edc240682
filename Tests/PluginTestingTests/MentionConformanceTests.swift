import PluginKit
import PluginTesting
import Testing

/// A channel that calls people in front of its text, well or badly.
private struct Caller: Channel {
    enum Fault: CaseIterable, Sendable { case callsAlways, callsNever, takesAnybody, isTooLong }

    static let manifest = PluginManifest(name: "caller", summary: "Calls.", options: [Mentions.setting])
    let pace = Pace.unlimited
    let isIdempotent = false
    private let mentions: Mentions
    private let fault: Fault?

    init(options: Options, context: ChannelContext) throws(ProblemList) {
        try self.init(options, nil)
    }

    init(_ options: Options, _ fault: Fault?) throws(ProblemList) {
        mentions = try Mentions(options, forms: "@ana") { fault == .takesAnybody || $0.hasPrefix("@") ? $0 : nil }
        self.fault = fault
    }

    func post(_ posting: Posting) -> ChannelAction {
        let called: [String] =
            switch fault {
            case .callsAlways: mentions.everybody(at: .critical)
            case .callsNever: []
            default: mentions.called(by: posting.message, at: posting.at)
            }
        let headline = posting.message.headline
        let words = fault == .isTooLong ? headline : headline.clipped(to: 50)
        let text = (called + [words]).joined(separator: " ")
        return .request(HTTPRequest(.post, "https://chat.example.com/hook", body: .json(["text": .string(text)])))
    }

    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}

@Suite struct `Channels that call people` {
    private func violations(_ fault: Caller.Fault?) throws -> [String] {
        try MentionConformance(callable: ["@ana", "@ben"], uncallable: ["ana"]) { mention in
            try Caller(Options(["mention": mention]), fault)
        }.violations()
    }

    @Test func `as they must have no faults`() throws {
        #expect(try violations(nil) == [])
    }

    @Test(arguments: Caller.Fault.allCases) private func `otherwise are found out`(_ fault: Caller.Fault) throws {
        #expect(try !violations(fault).isEmpty)
    }
}
