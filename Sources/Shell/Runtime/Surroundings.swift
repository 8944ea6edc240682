internal import AlertCore
internal import PluginKit

/// What changes around the bot without anybody telling it: people set the wall clock, and the mains may fail.
struct Surroundings {
    /// The difference between the wall clock and the machine's, to notice when somebody sets the former.
    private var wallOffset: Duration
    /// When the power was last looked at, by the machine's clock.
    private var powerLooked: Duration?

    init(_ clock: any Clock) { wallOffset = Surroundings.offset(clock) }

    /// What has changed since the last look.
    ///
    /// - Parameter wasLow: whether the machine was low on power, as far as is known.
    mutating func news(_ ports: Ports, wasLow: Bool) -> [Input] {
        var inputs: [Input] = []
        let offset = Surroundings.offset(ports.clock)
        let step = offset - wallOffset
        if step > Bot.clockStepMin || step < .zero - Bot.clockStepMin {
            inputs.append(.clockStepped(by: step))
            wallOffset = offset
        }
        let uptime = ports.clock.uptime()
        if powerLooked.map({ uptime - $0 >= Bot.powerInterval }) ?? true {
            powerLooked = uptime
            let isLow = ports.host.isLowOnPower()
            if isLow != wasLow { inputs.append(.power(isLow: isLow)) }
        }
        return inputs
    }

    /// How far the wall clock is ahead of the machine's own.
    private static func offset(_ clock: any Clock) -> Duration {
        .milliseconds(clock.now().milliseconds) - clock.uptime()
    }
}
