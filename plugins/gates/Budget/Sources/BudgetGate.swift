public import PluginKit

/// A gate that lets so many messages into a channel in so much time; the rest becomes one digest.
///
/// The window slides: whatever stretch of that length one looks at, no more messages than that were accepted in it, but
/// for those that `except` let pass, and for a digest that they would keep waiting longer than such a stretch.
public struct BudgetGate: Gate {
    public static let manifest = PluginManifest(
        name: "budget",
        summary: "Limits how many messages a channel gets in a period; the rest becomes one digest.",
        example: """
            channel: team
            at_most: 10 per 1h
            except: critical
            """,
        options: [channel, atMost, except])

    static let channel = Setting(
        "channel", .list(.name(of: .channel)), default: [], unset: "every channel, each on its own", "The channels.")
    static let atMost = RequiredSetting("at_most", .rate, "How many messages in how much time, such as 10 per 1h.")
    static let except = Setting("except", .severity, "This severity and above pass; they still count.")

    private let name: String
    private let channels: [String]
    private let rate: Rate
    public let except: Severity?

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        channels = options[Self.channel]
        except = options[Self.except]
        rate = try options[Self.atMost]
        let position = options.position(of: Self.atMost)
        if rate.count > Telling.keptMax {
            throw ProblemList(
                position, "'at_most' allows \(rate.count) messages; at most \(Telling.keptMax) are counted",
                advice: "a budget that large limits nothing; leave it out")
        }
        if rate.per > BudgetGate.windowMax {
            throw ProblemList(
                position, "'at_most' looks back \(rate.per.grammar); at most \(BudgetGate.windowMax.grammar)")
        }
    }

    /// A message that waits for longer than a month is no message.
    private static let windowMax = Duration.days(30)

    public var readsTellings: Bool { true }

    public var gathers: Phrase? {
        Phrase(
            .gateBudget, [.count: .count(Double(rate.count)), .period: .period(rate.per), .gate: .text(name)])
    }

    public func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure? {
        guard channels.isEmpty || channels.contains(notification.channel) else { return nil }
        // The instant at which a message is as old as the window is long is outside it.
        let told = view.told(notification.channel).reversed().prefix { $0.at + rate.per > now }.reversed()
        let (app, reason) = (
            notification.incident.subject.app, Reason.gate(plugin: BudgetGate.manifest.name, name: name)
        )
        let gathering = Gathering(gate: name, style: .digest)
        var opening = opening(for: app, Array(told), view)
        if opening == nil, notification.held?.reason != reason,
            view.gathered(gathering, for: notification.channel) != nil,
            told.count < rate.count - rate.count / 2 || notification.kind == .reminder
                || told.contains(where: { $0.apps.contains(app) })
        {
            // The room is for those who wait already: news goes along with them, or reminders would outrun the digest, the
            // more so where each is due in the very instant in which the last one leaves the window.
            opening = now
        }
        // What passes anyway counts, and must not keep the digest waiting for ever: it leaves when it has waited for as long
        // as the window is.
        if except != nil, let room = opening {
            let own = notification.waits(behind: reason, at: now)
            let last = min(own, view.gathered(gathering, for: notification.channel) ?? own) + rate.per
            // News goes along with it.
            let isHeld = notification.held?.reason == reason
            opening = last > now ? min(room, last) : isHeld ? nil : now
        }
        return opening.map { Closure(until: $0, fate: .gather(gathering), reason: reason) }
    }

    public func account(of notification: Notification, at now: Moment, given view: any GateView) -> String? {
        let channel = notification.channel
        guard channels.isEmpty || channels.contains(channel) else { return nil }
        let told = view.told(channel).filter { $0.at + rate.per > now }
        let left = max(0, rate.count - told.count)
        let hadSome = Set(told.flatMap(\.apps).filter(view.hasFigures))
        let isKept = left > 0 && left <= min(rate.count / 2, view.appCount - hadSome.count)
        return "\(left) of \(rate.count) messages left in \(rate.per.short)"
            + (isKept ? ", kept for apps that have had none" : "")
    }

    /// When there is room for a message about the app; nil when there is now.
    ///
    /// Up to half of the budget is kept for apps that had nothing in this window, one message each, so that a noisy app
    /// does not silence the others.
    private func opening(for app: String, _ told: [Telling], _ view: any GateView) -> Moment? {
        let half = rate.count / 2
        guard told.count >= rate.count - half else { return nil }
        let others = view.appCount - (view.hasFigures(ofApp: app) ? 1 : 0)
        var hadSome: Set<String> = []
        // How many of those are others with figures: counted as they come, for a storm asks about each of its incidents.
        var hadCount = 0
        var opening: Moment?
        // How it will be once the first `gone` of them have left the window: from all gone back to none.
        for gone in stride(from: told.count, through: 0, by: -1) {
            if gone < told.count {
                for name in told[gone].apps where hadSome.insert(name).inserted {
                    if name != app, view.hasFigures(ofApp: name) { hadCount += 1 }
                }
            }
            let hadNone = others - hadCount
            let kept = hadSome.contains(app) ? min(half, max(0, hadNone)) : 0
            guard told.count - gone < rate.count - kept else { continue }
            opening = gone == 0 ? nil : told[gone - 1].at + rate.per
            if gone == 0 { return nil }
        }
        return opening
    }
}
