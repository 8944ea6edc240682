import AlertModel
import Chance
import Testing

@Suite struct `Moments` {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-20T22:00:00Z", 1_795_212_000_000),
            ("2026-11-20T23:00:00+01:00", 1_795_212_000_000),
            ("2026-11-20T12:30:00-09:30", 1_795_212_000_000),
            ("2026-11-20T22:00:00-00:00", 1_795_212_000_000),
            ("2026-11-20t22:00:00z", 1_795_212_000_000),
            ("2026-11-20 22:00:00Z", 1_795_212_000_000),
            ("2026-11-20T22:00:00.5Z", 1_795_212_000_500),
            ("2026-11-20T22:00:00.250+00:00", 1_795_212_000_250),
            ("2026-11-20T22:00:00.1239999999999Z", 1_795_212_000_123),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000),
            ("2016-12-31T23:59:60.750Z", 1_483_228_799_750),
            ("2017-01-01T00:59:60+01:00", 1_483_228_799_000),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000),
            ("1969-12-31T23:59:59.999Z", -1),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func `an instant is read from RFC 3339`(text: String, milliseconds: Int64) {
        #expect(Moment(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11-20", "2026-11-20T22:00:00", "2026-11-20T22:00Z", "2026-11-20T22:00:00.Z",
        "2026-11-20T22:00:00.5", "2026-11-20T22:00:61Z", "2026-11-20T22:60:00Z", "2026-11-20T24:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-11-00T00:00:00Z", "0000-01-01T00:00:00Z", "2026-11-20T22:00:00+24:00",
        "2026-11-20T22:00:00+01:60", "2026-11-20T22:00:00+0100", "2026-11-20T22:00:00+01", "2026-11-20T22:00:00ZZ",
        " 2026-11-20T22:00:00Z", "2026-11-20T22:00:00Z ", "2026-11-20T22:00:00 Z", "2026-1-20T22:00:00Z",
        "２０２６-11-20T22:00:00Z", "+026-11-20T22:00:00Z", "2026-11-20T22:00:00−01:00",
        // Instants that no RFC 3339 text in UTC could name again.
        "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    ])
    func `what is no instant is refused`(text: String) {
        #expect(Moment(rfc3339: text) == nil)
    }

    @Test(arguments: SeededRandom.seeds)
    func `what is written is read back`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let moment = Moment(
                milliseconds: Int64.random(
                    in: Moment.earliest.milliseconds...Moment.latest.milliseconds + 999, using: &random))
            guard Moment(rfc3339: moment.description) == moment else {
                Issue.record("\(moment.milliseconds) ms is written as \(moment) (seed \(seed))")
                return
            }
        }
    }

    @Test func `milliseconds are written only where there are any`() {
        #expect(Moment(milliseconds: 0).description == "1970-01-01T00:00:00Z")
        #expect(Moment(milliseconds: 7).description == "1970-01-01T00:00:00.007Z")
        #expect(Moment(milliseconds: -1).description == "1969-12-31T23:59:59.999Z")
    }

    @Test(
        arguments: [
            (0.0, 0), (1.0004, 1000), (1.0006, 1001), (-0.5, -500), (253_402_300_799.0, 253_402_300_799_000),
            (253_402_300_800.0, nil), (-62_135_596_801.0, nil), (.infinity, nil), (-.infinity, nil), (.nan, nil),
            (1e300, nil),
        ] as [(Double, Int64?)])
    func `Unix seconds are believed between the years 1 and 9999`(seconds: Double, milliseconds: Int64?) {
        #expect(Moment(unixSeconds: seconds)?.milliseconds == milliseconds)
    }

    @Test(
        arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2), (.min, -9_223_372_036_854_776)]
            as [(Int64, Int64)])
    func `whole seconds are rounded down`(milliseconds: Int64, seconds: Int64) {
        #expect(Moment(milliseconds: milliseconds).unixSeconds == seconds)
    }

    @Test func `sums stay between the years 1 and 9999`() {
        let moment = Moment(milliseconds: 0)
        #expect(moment + .seconds(2) == Moment(milliseconds: 2000))
        #expect(moment - .milliseconds(1) == Moment(milliseconds: -1))
        #expect(moment + .days(5_000_000) == .latest)
        #expect(moment - .days(5_000_000) == .earliest)
        #expect(moment + .seconds(Int64.max) == .latest)
        #expect(moment - .seconds(Int64.max) == .earliest)
        #expect(Moment.latest - Moment.earliest == .milliseconds(315_537_897_599_000))
    }
}

@Suite struct `Durations` {
    @Test func `milliseconds saturate instead of overflowing`() {
        #expect(Duration.seconds(2).wholeMilliseconds == 2000)
        #expect(Duration.microseconds(1999).wholeMilliseconds == 1)
        #expect(Duration.microseconds(-1999).wholeMilliseconds == -1)
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeMilliseconds == .min)
        // The last second before saturation is where the parts of a second tip the sum over.
        #expect((Duration.seconds(Int64.max / 1000) + .milliseconds(999)).wholeMilliseconds == .max)
    }

    @Test(
        arguments: [
            (.seconds(10), 1.5, .seconds(15)), (.seconds(10), 0, .zero), (.milliseconds(1), 0.4, .zero),
            (.seconds(10), .infinity, .days(3_650_000)), (.seconds(10), 1e300, .days(3_650_000)),
            (.seconds(10), -1e300, .days(-3_650_000)), (.zero, .nan, .days(3_650_000)),
        ] as [(Duration, Double, Duration)])
    func `stretching is bounded by ten thousand years`(duration: Duration, factor: Double, stretched: Duration) {
        #expect(duration.scaled(by: factor) == stretched)
    }
}
