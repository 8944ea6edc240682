import AlertCore
import AlertTesting
import PluginKit

extension [ChannelPlan] {
    /// Channels of these names that are alike in all else.
    static func named(
        _ names: String..., pace: Pace = .unlimited, isIdempotent: Bool = false
    ) -> [ChannelPlan] {
        names.map { ChannelPlan(name: $0, pace: pace, isIdempotent: isIdempotent) }
    }
}

extension SourcePlan {
    /// A source with round numbers and without jitter.
    static func steady(
        _ name: String = "ios", every: Duration = .minutes(5), throttle: Duration = .minutes(1),
        slowest: Duration = .hours(2), host: String? = nil, slowsWhen: Set<PollReason> = Set(PollReason.slowing)
    ) -> SourcePlan {
        SourcePlan(
            name: name, host: host, every: every, throttle: throttle, slowest: slowest, jitter: 0,
            slowsWhen: slowsWhen)
    }
}

extension Subject {
    /// Apps of one source, whose names stand in the order of their numbers.
    static func apps(_ count: Int) -> [Subject] {
        (0..<count).map { Subject(source: "ios", app: "app-\(String($0).count < 2 ? "0" : "")\($0)") }
    }
}

extension Rehearsal {
    /// Seconds from the start at which attempts were made.
    func seconds(to channel: String = "team") -> [Double] {
        sends.filter { $0.delivery.channel == channel }.map { ($0.at - .rehearsalStart).inSeconds }
    }

    /// How messages ended, the first first.
    var endNames: [String] { state.outbox.history.map(\.end.name) }

    /// A bot whose only channel wants silence for an hour.
    static func silenced(_ plan: Plan = .rehearsed()) -> Rehearsal {
        var bot = Rehearsal(plan)
        let end = bot.now + .hours(1)
        bot.sendAnswer = { _, now in
            (now < end ? .retry(after: end - now, "429") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.info, of: Subject(source: "ios", app: "first"))
        bot.advance(by: .seconds(1))
        return bot
    }
}
