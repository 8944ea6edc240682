import AlertModel
import Testing

@Suite struct `HTTP dates` {
    static let now = Moment(milliseconds: 1_795_212_000_000)  // 2026-11-20T22:00:00Z

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
        ("Wed Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"),
        ("Fri, 20 Nov 2026 22:05:00 GMT", "2026-11-20T22:05:00Z"),
        ("Fri, 20 nov 2026 22:05:00 gmt", "2026-11-20T22:05:00Z"),
        ("Fri, 20 Nov 2026 22:05:00 UTC", "2026-11-20T22:05:00Z"),
        ("Sat, 31 Dec 2016 23:59:60 GMT", "2016-12-31T23:59:59Z"),
        // Two digits are the nearest year that is not more than fifty ahead.
        ("Friday, 20-Nov-76 22:05:00 GMT", "2076-11-20T22:05:00Z"),
        ("Saturday, 20-Nov-77 22:05:00 GMT", "1977-11-20T22:05:00Z"),
        ("Friday, 20-Nov-26 22:05:00 GMT", "2026-11-20T22:05:00Z"),
    ])
    func `all three forms are read`(text: String, instant: String) {
        #expect(Moment(httpDate: text, now: Self.now) == Moment(rfc3339: instant))
    }

    @Test func `two digits look across the end of a century`() {
        let newYear = "Friday, 01-Jan-00 00:00:10 GMT"
        #expect(
            Moment(httpDate: newYear, now: Moment(rfc3339: "2099-12-31T23:59:50Z") ?? Self.now)
                == Moment(rfc3339: "2100-01-01T00:00:10Z"))
        #expect(
            Moment(
                httpDate: "Thursday, 31-Dec-99 23:59:50 GMT", now: Moment(rfc3339: "2100-01-01T00:00:00Z") ?? Self.now)
                == Moment(rfc3339: "2099-12-31T23:59:50Z"))
    }

    @Test(arguments: [
        "", "now", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08:49:99 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, xx Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT GMT",
        // An instant of another zone read as GMT would be hours wrong.
        "Sun, 06 Nov 1994 08:49:37 +0200", "Sun, 06 Nov 1994 08:49:37 -0800", "Sun, 06 Nov 1994 08:49:37 PST",
    ])
    func `what is no date is refused`(text: String) {
        #expect(Moment(httpDate: text, now: Self.now) == nil)
    }

    @Test(
        arguments: [
            ("120", .seconds(120)), (" 120 ", .seconds(120)), ("1.5", .milliseconds(1500)),
            ("0.0001", .milliseconds(1)),
            ("0.25", .milliseconds(250)), ("1e3", .seconds(1000)),
            ("1795213860", .seconds(1860)), ("99999999999999999999", nil),
            ("Fri, 20 Nov 2026 22:00:30 GMT", .seconds(30)), ("Friday, 20-Nov-26 22:00:30 GMT", .seconds(30)),
            ("Fri Nov 20 22:00:30 2026", .seconds(30)), ("Fri, 31 Dec 9999 23:59:59 GMT", nil),
            ("0", nil), ("-5", nil), ("nan", nil), ("inf", nil), ("1e999", nil), ("", nil), ("soon", nil), ("5 s", nil),
            ("5, 10", nil), ("Fri, 20 Nov 2026 21:59:59 GMT", nil), ("Fri, 20 Nov 2026 22:00:00 GMT", nil),
        ] as [(String, Duration?)])
    func `Retry-After is read as seconds or a date, and never as nonsense`(value: String, wait: Duration?) {
        let response = HTTPResponse(status: 429, headers: [("Content-Type", "text/plain"), ("retry-after", value)])
        #expect(response.retryAfter(now: Self.now) == wait)
    }

    @Test func `no header is no wait`() {
        #expect(HTTPResponse(status: 503).retryAfter(now: Self.now) == nil)
    }
}
