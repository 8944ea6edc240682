import AlertModel
import Testing

/// Every way in which services say when to come back, and what is no such word.
@Suite("Told waits") struct ToldWaitTests {
    static let now = Moment(milliseconds: 1_795_219_200_000)  // 2026-11-21T00:00:00Z

    private func wait(_ headers: [(String, String)], _ body: String, status: Int) -> Duration? {
        HTTPResponse(status: status, headers: headers, body: Array(body.utf8)).toldWait(now: ToldWaitTests.now)
    }

    private static let sayings: [([(String, String)], String, Duration)] = [
        // Retry-After: seconds, parts of seconds, and the three forms of an HTTP date.
        ([("Retry-After", "120")], "", .seconds(120)),
        ([("retry-after", " 1.5 ")], "", .milliseconds(1500)),
        ([("Retry-After", "Sat, 21 Nov 2026 00:05:00 GMT")], "", .seconds(300)),
        ([("Retry-After", "Saturday, 21-Nov-26 00:05:00 GMT")], "", .seconds(300)),
        ([("Retry-After", "Sat Nov 21 00:05:00 2026")], "", .seconds(300)),
        // JSON in seconds, in milliseconds, elsewhere, as a numeral.
        ([], #"{"retry_after":7}"#, .seconds(7)),
        ([], #"{"retry_after":0.25,"global":false}"#, .milliseconds(250)),
        ([], #"{"retry_after":"7"}"#, .seconds(7)),
        ([], #"{"retry_after_ms":4210}"#, .milliseconds(4210)),
        ([], #"{"retry-after":28.75}"#, .milliseconds(28_750)),
        ([], #"{"ok":false,"parameters":{"retry_after":5}}"#, .seconds(5)),
        // Discord's headers, and others of that family.
        ([("X-RateLimit-Reset-After", "64.5")], "", .milliseconds(64_500)),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset-After", "2")], "", .seconds(2)),
        ([("X-RateLimit-Reset", "1795219264.5")], "", .milliseconds(64_500)),
        ([("X-RateLimit-Reset", "1795219264500")], "", .milliseconds(64_500)),
        ([("X-Ratelimit-Reset", "3")], "", .seconds(3)),
        ([("X-RateLimit-Reset", "1795219900"), ("X-RateLimit-Reset-After", "64.5")], "", .milliseconds(64_500)),
        ([("X-RateLimit-Period-In-Sec", "60")], "", .seconds(60)),
        // The IETF's drafts, the newer ones first; what is left of another limit does not matter.
        ([("RateLimit", #""default";r=0;t=30"#)], "", .seconds(30)),
        ([("RateLimit", #""burst";r=0;t=5, "user";pk=:dXNlcg==:;r=0;t=3600, "day";r=9;t=80000"#)], "", .hours(1)),
        ([("RateLimit", "limit=100, remaining=0, reset=50")], "", .seconds(50)),
        ([("RateLimit-Limit", "100"), ("RateLimit-Remaining", "0"), ("RateLimit-Reset", "50")], "", .seconds(50)),
        ([("X-Rate-Limit-Remaining", "0"), ("X-Rate-Limit-Reset", "1795219264")], "", .seconds(64)),
        // Global or not: the longest of all that is said.
        (
            [("Retry-After", "65"), ("X-RateLimit-Global", "true"), ("X-RateLimit-Scope", "global")],
            #"{"message":"You are being rate limited.","retry_after":64.57,"global":true}"#, .seconds(65)
        ),
        ([("Retry-After", "5")], #"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":4210}"#, .seconds(5)),
        ([("Retry-After", "5")], #"{"retry_after_ms":65000}"#, .seconds(65)),
        ([("Retry-After", "5"), ("X-RateLimit-Reset-After", "9")], #"{"retry_after":1}"#, .seconds(9)),
        // Nonsense beside sense does not count.
        ([("Retry-After", "soon")], #"{"retry_after":7}"#, .seconds(7)),
        ([("Retry-After", "7")], #"{"retry_after":"#, .seconds(7)),
        ([("X-RateLimit-Reset-After", "x"), ("X-RateLimit-Reset", "1795219207")], "", .seconds(7)),
        // An instant where seconds are meant, as some services write it.
        ([("Retry-After", "1795219264")], "", .seconds(64)),
        // Thirty days are the end of what is believed.
        ([("Retry-After", "2592000")], "", .days(30)),
    ]

    @Test(arguments: [429, 503], sayings.indices)
    func `every form is kept to exactly`(status: Int, index: Int) {
        let (headers, body, wanted) = ToldWaitTests.sayings[index]
        #expect(wait(headers, body, status: status) == wanted, "\(headers) \(body)")
    }

    private static let nonsense: [([(String, String)], String)] = [
        ([("Retry-After", "2592001")], ""), ([("Retry-After", "99999999999999999999")], ""),
        ([], #"{"retry_after":1e300}"#), ([("X-RateLimit-Reset", "1e30")], ""),
        ([], ""), ([], "{}"), ([], "[7]"), ([], "retry_after: 7"), ([], #"{"retry_after":null}"#),
        ([], #"{"retry_after":true}"#), ([], #"{"retry_after":-1}"#), ([], #"{"retry_after":0}"#),
        ([], #"{"retry_after":"soon"}"#), ([], #"{"retry_after":"nan"}"#), ([], #"{"retry_after":"inf"}"#),
        ([], #"{"retry_after_ms":[]}"#), ([], #"{"parameters":7}"#),
        ([("Retry-After", "-3")], ""), ([("Retry-After", "0")], ""), ([("Retry-After", "7 s")], ""),
        ([("Retry-After", "Fri, 20 Nov 2026 23:59:00 GMT")], ""),
        ([("Retry-After", "Sat, 21 Nov 2026 00:05:00 +0100")], ""),
        ([("X-RateLimit-Reset-After", "-1")], ""), ([("X-RateLimit-Reset-After", "")], ""),
        // Discord's own example of the header lies in the past.
        ([("X-RateLimit-Reset", "1470173023.123")], ""), ([("X-RateLimit-Reset", "1470173023123")], ""),
        ([("X-RateLimit-Reset", "nan")], ""), ([("X-RateLimit-Period-In-Sec", "a minute")], ""),
        // Something is left of the limit, so it is not what this refusal is about.
        ([("X-RateLimit-Remaining", "4"), ("X-RateLimit-Reset-After", "0.5")], ""),
        ([("X-RateLimit-Global", "true"), ("X-RateLimit-Scope", "global")], ""),
        ([("RateLimit", #""default";r=4;t=30"#)], ""), ([("RateLimit", "remaining=4, reset=30")], ""),
        ([("RateLimit", ";;,=,==;r=;t=x;r=0")], ""), ([("RateLimit", String(repeating: "t=3,", count: 300))], ""),
        ([("RateLimit", #""default";r=0;t=-1"#)], ""), ([("RateLimit", "0")], ""),
    ]

    @Test(arguments: [429, 503], nonsense.indices)
    func `nonsense is no word at all`(status: Int, index: Int) {
        let (headers, body) = ToldWaitTests.nonsense[index]
        #expect(wait(headers, body, status: status) == nil, "\(headers) \(body)")
    }

    @Test func `the headers of a rate limit mean nothing where the answer is about something else`() {
        let headers = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset-After", "30")]
        #expect(wait(headers, "", status: 502) == nil)
        #expect(wait(headers + [("Retry-After", "2")], "", status: 502) == .seconds(2))
    }

    @Test(arguments: [
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1795219264")], Duration.seconds(64)),
        ([("RateLimit-Remaining", "0"), ("RateLimit-Reset", "7")], .seconds(7)),
        ([("RateLimit", #""minute";r=0;t=50, "day";r=900;t=80000"#)], .seconds(50)),
        // Longer than any window: the refusal that may follow says so again.
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset-After", "80000")], .hours(1)),
        ([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "1795219264")], nil),
        ([("X-RateLimit-Remaining", "0")], nil), ([("X-RateLimit-Reset", "1795219264")], nil),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1470173023")], nil),
        ([("X-RateLimit-Period-In-Sec", "60")], nil), ([], nil),
    ])
    func `an answer that was the last of its limit asks for a wait`(headers: [(String, String)], wanted: Duration?) {
        let answer = HTTPResponse(status: 200, headers: headers, body: [])
        #expect(answer.spentLimitWait(now: ToldWaitTests.now) == wanted)
    }

    @Test func `a page of any size is not read`() {
        let page = #"{"retry_after":7,"more":""# + String(repeating: "x", count: 70_000) + #""}"#
        #expect(wait([], page, status: 429) == nil)
    }
}
