internal import PluginKit

/// How far the table of crashes has come, as far as what stands in it tells.
///
/// It has rows where something went wrong and no others, so one that is late or has stopped looks like an app that
/// crashes no more. What tells them apart is how much was written there before, errors that were handled among it: where
/// much more would have come with the sessions since, it is the table that is silent.
struct CrashTable: Hashable, Sendable {
    /// When the newest event of any kind was.
    let newest: Moment
    /// The hours and the minutes in which there was any. Events themselves are no measure: they come in clumps, and a
    /// bad hour with thousands says nothing of the next.
    let hours: Double
    let minutes: Double
    /// The hours with sessions until the newest event.
    let sessionHours: Double
    /// Sessions until the newest event, and since.
    let before: Double
    let since: Double

    /// With so many hours to be expected, one app in a hundred and fifty has none by chance.
    private static let hoursMax = 5.0
    /// The same of minutes, as devices report some crashes only hours later.
    private static let minutesMax = 20.0

    /// Whether more is missing than chance can explain.
    var isBehind: Bool {
        guard before > 0 else { return false }
        let share = since / before
        if hours * share >= CrashTable.hoursMax { return true }
        // What filled half of the hours is no passing trouble, so minutes of silence say something.
        return hours * 2 >= sessionHours && minutes * share >= CrashTable.minutesMax
    }
}
