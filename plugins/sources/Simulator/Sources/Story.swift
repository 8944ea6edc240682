internal import PluginKit

/// What happens in the world, in simulated seconds since its start: one app after the other ships a bad release, has it
/// fixed, and is left in peace for a day.
///
/// With `speed: 120` the first bad release ships after 4 real seconds and is fixed after 80; a floor of 99 % crash-free
/// users over `window: 2m` is then broken beyond doubt within 40 seconds of the start, and kept again after some 190.
enum Story {
    static let cycleSeconds = 26.0 * 3600
    static let shipSecond = 8.0 * 60
    static let fixSecond = 160.0 * 60
    /// How long it takes until most run the bad release.
    private static let rolloutSeconds = 3.0 * 60
    /// How long it takes until most run its fix.
    private static let recoverySeconds = 8.0 * 60

    /// One bad release and its fix.
    struct Chapter: Hashable {
        /// From 0.
        let number: Int

        func concerns(app index: Int, of count: Int) -> Bool { number % count == index }
        var shipSecond: Double { Double(number) * Story.cycleSeconds + Story.shipSecond }
        var badRelease: String { "5.\(number + 1).0" }
    }

    /// The chapter at that time and how much of the trouble there is, from 0 to 1.
    static func trouble(at second: Double) -> (chapter: Chapter, share: Double) {
        let number = max(0, (second / cycleSeconds).rounded(.down))
        let inCycle = second - number * cycleSeconds
        let grown = ((inCycle - shipSecond) / rolloutSeconds).clamped(to: 0...1)
        let gone = ((inCycle - fixSecond) / recoverySeconds).clamped(to: 0...1)
        return (Chapter(number: Int(number)), grown - gone)
    }
}

/// How lively the apps are, compared with the mean: by the hour (UTC) and the day of the week.
enum Rhythm {
    /// Monday first.
    private static let days = [0.95, 0.96, 0.98, 1.0, 1.05, 1.1, 0.96]

    static func activity(at unixSeconds: Double) -> Double {
        let days = unixSeconds / 86_400
        let day = days.rounded(.down)
        let hour = (days - day) * 24
        // 1970-01-01 was a Thursday.
        let weekday = (day + 3).truncatingRemainder(dividingBy: 7)
        let evening = 1 + 0.4 * cosine(turns: (hour - 18) / 24) + 0.1 * cosine(turns: (hour - 20) / 12)
        return evening * Rhythm.days[Int(weekday < 0 ? weekday + 7 : weekday)]
    }
}
