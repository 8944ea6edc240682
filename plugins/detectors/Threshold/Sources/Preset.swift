internal import PluginKit

/// Limits that others have set, by name.
enum Preset: String, CaseIterable, Sendable {
    /// What Google Play calls bad behaviour of an app as a whole.
    case playBadBehaviour = "play-bad-behaviour"
    /// The same for one model of phone, for sources that give figures of each by itself.
    case playBadBehaviourPhone = "play-bad-behaviour-phone"
    /// Play's limit for apps that do not respond, alone.
    case anr

    /// From Play's documentation of Android vitals: user-perceived crash rate 1.09 %, user-perceived ANR rate 0.47 %,
    /// and 8 % of either on one phone model. Play calls a rate bad from that number on.
    var limits: [(metric: Metric, comparison: Comparison)] {
        let (crashes, freezes) = self == .playBadBehaviourPhone ? (0.92, 0.08) : (0.9891, 0.0047)
        let anr = (Metric.anrRate, Comparison(.greaterOrEqual, freezes, isPercentage: true))
        let crash = (Metric.crashFreeUsers, Comparison(.lessOrEqual, crashes, isPercentage: true))
        return self == .anr ? [anr] : [crash, anr]
    }

    /// Play judges the bare figure of 28 days, and gives rates without the counts behind them.
    func options(name: String, at place: Position) -> Options {
        Options(name: name, position: place)
            .setting(ThresholdDetector.window, to: .days(28), at: place)
            .setting(ThresholdDetector.confidence, to: nil, at: place)
            .setting(ThresholdDetector.minVolume, to: 0, at: place)
    }
}
