import PluginKit
import PluginTesting
import Testing

@testable import HTTPJSONSource

/// A source with a section `paging`, whose `pages` is a number.
private func paged(
    _ paging: [String: String], pages: Int? = nil, size: Int? = nil, keep: Bool = false, texts: [String: String] = [:],
    map: KeyValuePairs<String, String> = ["app": "$.a", "users": "$.n"], issues: KeyValuePairs<String, String>? = nil,
    headers: KeyValuePairs<String, String>? = nil
) throws -> HTTPJSONSource {
    var values = paging.mapValues { Option(.text(GuardedText($0)), at: place) }
    if let pages { values["pages"] = Option(.integer(pages), at: place) }
    if let size { values["size"] = Option(.integer(size), at: place) }
    if keep { values["keep"] = Option(.flag(true), at: place) }
    var maps = ["map": map]
    maps["headers"] = headers
    maps["issues"] = issues
    var all = texts
    if all["each"] == nil { all["each"] = "$.rows[*]" }
    let section = Option(.section(Options(name: "paging", position: place, values: values)), at: place)
    return try HTTPJSONSource(options: options(all, maps: maps, adding: ["paging": section]), context: context)
}

/// Answers by what the address ends with.
private func play(
    _ source: HTTPJSONSource, cursor: JSON? = nil, _ answers: [String: String], links: [String: String] = [:]
) -> (report: PollReport?, asked: [String]) {
    let played = PlayedPoll(source, poll(cursor: cursor)) { request in
        let url = request.url.reveal()
        guard let key = answers.keys.filter({ url.hasSuffix($0) }).max(by: { $0.count < $1.count }),
            let body = answers[key]
        else { return json("{}", status: 404) }
        var headers = [("Content-Type", "application/json")]
        if let link = links[key] { headers.append(("Link", link)) }
        return .answered(HTTPResponse(status: 200, headers: headers, body: Array(body.utf8)))
    }
    return (played.report, played.requests.map { String($0.url.reveal().dropFirst("https://stats.example.com".count)) })
}

@Suite struct `An answer in pages` {
    private static let one = #"{"rows":[{"a":"x","n":1}],"next":"two"}"#
    private static let two = #"{"rows":[{"a":"y","n":2}],"next":null}"#

    @Test func `a cursor is added to the address until there is none`() throws {
        let source = try paged(["by": "cursor", "path": "$.next", "parameter": "after"])
        let played = play(source, ["stability.json": Self.one, "after=two": Self.two])
        #expect(played.report?.summary == "x users=1\ny users=2")
        #expect(played.report?.warnings == [])
        #expect(played.asked == ["/stability.json", "/stability.json?after=two"])
    }

    @Test func `a cursor may stand in the body`() throws {
        let source = try paged(
            ["by": "cursor", "path": "$.next"],
            texts: ["method": "POST", "body": #"{"query":"{ apps }","after":"{cursor}"}"#])
        var bodies: [String] = []
        let played = PlayedPoll(source, poll()) { request in
            bodies.append(String(decoding: request.wireBody()?.bytes ?? [], as: UTF8.self))
            return json(bodies.count == 1 ? #"{"rows":[{"a":"x","n":1}],"next":"q\"2"}"# : Self.two)
        }
        #expect(played.report?.summary == "x users=1\ny users=2")
        #expect(bodies == [#"{"query":"{ apps }","after":""}"#, #"{"query":"{ apps }","after":"q\"2"}"#])
    }

    @Test func `a link is followed, from the header or from the answer`() throws {
        let header = try paged(["by": "link"])
        let link = #"<https://stats.example.com/stability.json?page=2>; rel="next"; results="true""#
        let last = #"<https://stats.example.com/stability.json?page=3>; rel="next"; results="false""#
        let played = play(
            header, ["stability.json": Self.one, "page=2": Self.two], links: ["stability.json": link, "page=2": last])
        #expect(played.report?.summary == "x users=1\ny users=2")
        let body = try paged(["by": "link", "path": "$.next"])
        for (next, asked) in [
            ("/v2/rest?p=2", "/v2/rest?p=2"), ("?p=2", "/stability.json?p=2"),
            ("https://stats.example.com/other?p=2", "/other?p=2"), ("stability.json?p=2", "/stability.json?p=2"),
            ("//stats.example.com/other?p=2", "/other?p=2"), ("https://stats.example.com:443/other?p=2", "/other?p=2"),
            ("HTTPS://Stats.Example.com/other?p=2", "/other?p=2"),
        ] {
            let played = play(body, ["stability.json": Self.one.replacing("two", with: next), "p=2": Self.two])
            #expect(played.asked == ["/stability.json", asked])
            #expect(played.report?.summary == "x users=1\ny users=2")
        }
    }

    @Test(arguments: [
        (
            "https://evil.example.com/x",
            "refused: the next page lies at https://evil.example.com, another address than that of the first, and is not asked for"
        ),
        (
            "http://stats.example.com/x",
            "refused: the next page lies at http://stats.example.com, another address than that of the first, and is not asked for"
        ),
        (
            "https://stats.example.com:8443/x",
            "refused: the next page lies at https://stats.example.com, another address than that of the first, and is not asked for"
        ),
        (
            "//evil.example.com/x",
            "refused: the next page lies at https://evil.example.com, another address than that of the first, and is not asked for"
        ),
        ("mailto:page2", "bad_answer: the link of the next page is 'mailto:page2', expected an address"),
        ("/a b", "bad_answer: the link of the next page holds white space or control characters"),
    ])
    func `a credential goes nowhere else`(_ next: String, _ expected: String) throws {
        let source = try paged(["by": "link", "path": "$.next"], headers: ["Authorization": "Bearer x"])
        let played = play(source, ["stability.json": Self.one.replacing("two", with: next)])
        #expect(played.asked == ["/stability.json"])
        #expect(played.report?.summary == expected)
    }

    /// The examples of the standard, but for those with a scheme or a host.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), (";x", "/b/c/;x"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("..", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("..g", "/b/c/..g"),
        ("./g/.", "/b/c/g/"), ("g/../h", "/b/c/h"), ("g;x=1/../y", "/b/c/y"), ("g?y/../x", "/b/c/g?y/../x"),
    ])
    func `a link that is not whole is resolved as RFC 3986 has it`(_ link: String, _ place: String) throws {
        #expect(try Paging.address(link, from: "https://a/b/c/d;p?q#t").reveal() == "https://a\(place)")
        #expect(try Paging.address("g", from: "https://a?q").reveal() == "https://a/g")
    }

    @Test func `an offset grows by the rows there were`() throws {
        let source = try paged(["by": "offset", "parameter": "skip"], size: 2)
        let full = #"{"rows":[{"a":"x","n":1},{"a":"y","n":2}]}"#
        let played = play(source, ["skip=0": full, "skip=2": #"{"rows":[{"a":"z","n":3}]}"#])
        #expect(played.asked == ["/stability.json?skip=0", "/stability.json?skip=2"])
        #expect(played.report?.summary == "x users=1\ny users=2\nz users=3")
    }

    @Test func `pages are counted until one is empty, or says that it is the last`() throws {
        let source = try paged(["by": "page", "parameter": "page"], texts: ["each": "$.rows[*] | empty no_data"])
        let played = play(source, ["page=1": Self.one, "page=2": #"{"rows":[]}"#])
        #expect(played.asked == ["/stability.json?page=1", "/stability.json?page=2"])
        #expect(played.report?.summary == "x users=1")
        let telling = try paged(["by": "page", "parameter": "page", "first": "0", "path": "$.more"])
        let two = play(
            telling,
            [
                "page=0": #"{"rows":[{"a":"x","n":1}],"more":true}"#,
                "page=1": #"{"rows":[{"a":"y","n":2}],"more":false}"#,
            ])
        #expect(two.asked == ["/stability.json?page=0", "/stability.json?page=1"])
    }

    @Test func `204 is a page without rows, and the last`() throws {
        let source = try paged(["by": "page", "parameter": "page"])
        let played = PlayedPoll(source, poll()) { request in
            request.url.reveal().hasSuffix("page=1") ? json(Self.one) : json("", status: 204)
        }
        #expect(played.requests.count == 2)
        #expect(played.report?.summary == "x users=1")
    }

    /// Pages by offset or number, of which a filter lets only some rows pass.
    private static func page(_ users: Int..., more: Bool? = nil) -> String {
        let rows = users.enumerated().map { #"{"a":"\#($1)-\#($0)","n":\#($1)}"# }.joined(separator: ",")
        return #"{"rows":[\#(rows)]\#(more.map { #","more":\#($0)"# } ?? "")}"#
    }

    private static let filter = ["each": "$.rows[?@.n > 1] | empty no_data"]

    @Test func `a filter ends no page and moves no offset`() throws {
        let source = try paged(["by": "offset", "parameter": "skip"], size: 3, texts: Self.filter)
        let played = play(
            source, ["skip=0": Self.page(1, 2, 1), "skip=3": Self.page(1, 1, 1), "skip=6": Self.page(3, 1)])
        #expect(
            played.asked == ["/stability.json?skip=0", "/stability.json?skip=3", "/stability.json?skip=6"])
        #expect(played.report?.summary == "2-1 users=2\n3-0 users=3")
        #expect(played.report?.warnings == [])
    }

    @Test func `an offset grows by the size of a page where that is known, whatever rows are made of it`() throws {
        let source = try paged(
            ["by": "offset", "parameter": "skip"], size: 2, texts: ["each": "$.rows[*].r[*] | empty no_data"])
        let full = #"{"rows":[{"r":[{"a":"x","n":1},{"a":"y","n":2}]},{"r":[{"a":"z","n":3}]}]}"#
        let played = play(source, ["skip=0": full, "skip=2": #"{"rows":[]}"#])
        #expect(played.asked == ["/stability.json?skip=0", "/stability.json?skip=2"])
        #expect(played.report?.summary == "x users=1\ny users=2\nz users=3")
    }

    @Test func `an answer that says whether there are more is believed, whatever passes the filter`() throws {
        let source = try paged(["by": "page", "parameter": "page", "path": "$.more"], texts: Self.filter)
        let played = play(
            source,
            [
                "page=1": Self.page(1, 1, more: true), "page=2": Self.page(more: true),
                "page=3": Self.page(2, more: false),
            ])
        #expect(played.asked == ["/stability.json?page=1", "/stability.json?page=2", "/stability.json?page=3"])
        #expect(played.report?.summary == "2-0 users=2")
        // Also where a page is full.
        let sized = try paged(["by": "page", "parameter": "page", "path": "$.more"], size: 1)
        #expect(play(sized, ["page=1": Self.page(2, more: false)]).asked == ["/stability.json?page=1"])
    }

    @Test func `a server that gives less than a full page and says that there is more is asked where it ended`() throws
    {
        let source = try paged(["by": "offset", "parameter": "skip", "path": "$.more"], size: 3)
        let played = play(
            source, ["skip=0": Self.page(1, 2, more: true), "skip=2": Self.page(3, more: false)])
        #expect(played.asked == ["/stability.json?skip=0", "/stability.json?skip=2"])
        #expect(played.report?.summary == "1-0 users=1\n2-1 users=2\n3-0 users=3")
    }

    @Test(arguments: ["offset", "page"]) func `a list of issues is counted by its issues`(_ way: String) throws {
        let source = try paged(
            ["by": way, "parameter": "p"], texts: ["each": "$", "app": "shop"], map: [:],
            issues: ["each": "$.rows[*] | empty no_data", "id": "$.id"])
        let (first, second, third) = way == "offset" ? (0, 2, 3) : (1, 2, 3)
        let played = play(
            source,
            [
                "p=\(first)": #"{"rows":[{"id":"a"},{"id":"b"}]}"#, "p=\(second)": #"{"rows":[{"id":"c"}]}"#,
                "p=\(third)": #"{"rows":[]}"#,
            ])
        #expect(played.asked == [first, second, third].map { "/stability.json?p=\($0)" })
        #expect(played.report?.warnings == [])
        guard case .values(let observations)? = played.report?.outcome else {
            Issue.record("\(played.report?.summary ?? "nothing")")
            return
        }
        #expect(observations.map { $0.issues.map(\.id) } == [["a", "b", "c"]])
    }

    @Test(
        arguments: [
            ("offset", "$.rows[?@.n > 1]", nil, "each"), ("page", "$", "$.rows[?@.open == true]", "issues.each"),
        ] as [(String, String, String?, String)])
    func `a filter that hides how long a page is needs to be told it`(
        _ way: String, _ each: String, _ issues: String?, _ place: String
    ) throws {
        func make(_ more: [String: String] = [:], size: Int? = nil) throws -> HTTPJSONSource {
            try paged(
                ["by": way, "parameter": "p"].merging(more) { $1 }, size: size, texts: ["each": each, "app": "shop"],
                map: issues == nil ? ["users": "$.n"] : [:], issues: issues.map { ["each": $0, "id": "$.id"] })
        }
        let error = #expect(throws: ProblemList.self) { try make() }
        #expect(
            error?.problems.map { $0.message + ($0.advice.map { "; \($0)" } ?? "") } == [
                "the filter in '\(place)' hides how many items a page has, and paging by \(way) goes by that; write "
                    + "paging.size, the items of a full page, or paging.path, to where the answer says whether there are more"
            ])
        _ = try make(size: 10)
        _ = try make(["path": "$.more"])
        // Links and cursors say themselves where they end.
        _ = try paged(["by": "link"], texts: ["each": each, "app": "shop"], map: ["users": "$.n"])
    }

    @Test func `pages are bounded, and that is said`() throws {
        let source = try paged(["by": "cursor", "path": "$.n", "parameter": "c"], pages: 3)
        var count = 0
        let played = PlayedPoll(source, poll()) { _ in
            count += 1
            return json(#"{"rows":[{"a":"x\#(count)","n":1}],"n":\#(count)}"#)
        }
        #expect(played.requests.count == 3)
        #expect(played.report?.unread == .anything)
        #expect(
            played.report?.warnings == [
                "there are more pages than the 3 that are read ('paging.pages'); the rest is not counted"
            ])
        let circle = try paged(["by": "cursor", "path": "$.next", "parameter": "c"])
        let round = play(circle, ["json": Self.one, "c=two": Self.two.replacing("null", with: #""two""#)])
        #expect(round.asked.count == 2)
        #expect(round.report?.unread == .anything)
        #expect(round.report?.warnings == ["page 2 leads back to one before it; nothing is read beyond it"])
    }

    @Test func `spans that have more pages than one poll may ask for leave the shorter ones`() throws {
        let source = try paged(
            ["by": "page", "parameter": "page", "path": "$.more"], pages: 100,
            texts: ["url": "https://stats.example.com/q?from={from}"])
        let asked = Poll(source: "own-dashboard", now: now, cursor: nil, spans: [.hours(1), .days(30)])
        var count = 0
        let played = PlayedPoll(source, asked, stepsMax: 300) { request in
            count += 1
            let isLonger = !request.url.reveal().contains("from=2026-11-20")
            return json(#"{"rows":[{"a":"x\#(count)","n":1}],"more":\#(isLonger || count < 90)}"#)
        }
        #expect(played.requests.count == 180)
        let report = try #require(played.report)
        #expect(report.summary.split(separator: "\n").count == 90)
        #expect(
            report.missing?.description
                == "the span of 30d: more than 180 requests are too many for one poll; lower 'paging.pages'")
    }

    @Test func `a feed that names its last cursor once more has ended, with rows on that page and without`() throws {
        let source = try paged(
            ["by": "cursor", "path": "$.next", "parameter": "c"], pages: 2, keep: true,
            texts: ["each": "$.rows[*] | empty no_data"])
        let first = play(source, ["json": Self.one, "c=two": Self.two.replacing("null", with: #""two""#)])
        #expect(first.report?.summary == "x users=1\ny users=2")
        let cursor = try #require(first.report?.cursor)
        let next = play(source, cursor: cursor, ["c=two": #"{"rows":[],"next":"two"}"#])
        #expect(next.report?.outcome == .noData)
        #expect(next.asked == ["/stability.json?c=two"])
        #expect(next.report?.cursor?["next"]?.string == "two")
        for report in [first.report, next.report] {
            #expect(report?.warnings == [])
            #expect(report?.unread == .nothing)
        }
    }

    @Test func `what is wrong on a page is named with its number`() throws {
        let source = try paged(["by": "cursor", "path": "$.next", "parameter": "c"])
        let bad = #"{"rows":[{"a":"y","n":-2},{"a":"z","n":2},{"a":"v","n":3}]}"#
        let played = play(source, ["json": Self.one, "c=two": bad])
        #expect(played.report?.warnings.first?.contains("page 2, $.rows[0]") == true)
        let missing = play(source, ["json": Self.one])
        #expect(missing.report?.summary == "not_found: page 2: the source answered 404: {} (check 'url')")
        let odd = play(source, ["json": Self.one.replacing(#""two""#, with: "{}")])
        #expect(
            odd.report?.summary
                == "bad_answer: the answer is not what was expected: $.next: expected the next page's cursor, of at most 4096 bytes, found an object"
        )
        let last = Self.one.replacing(#""two""#, with: "null")
        let again = play(source, ["json": Self.one, "c=two": last])
        #expect(again.report?.warnings == [], "pages that overlap say the same twice")
        let same = play(source, ["json": Self.one, "c=two": last.replacing(#""n":1"#, with: #""n":7"#)])
        #expect(same.report?.summary.contains("the same as in $.rows[0]") == true)
    }

    @Test func `a feed goes on where the last poll ended`() throws {
        let source = try paged(["by": "cursor", "path": "$.next", "parameter": "c"], pages: 2, keep: true)
        let first = play(source, ["json": Self.one, "c=two": Self.two.replacing("null", with: #""three""#)])
        #expect(first.report?.warnings == [])
        let cursor = try #require(first.report?.cursor)
        #expect(cursor["next"] == "three")
        let second = play(
            source, cursor: cursor,
            ["c=three": #"{"rows":[{"a":"z","n":3}],"next":"four"}"#, "c=four": #"{"rows":[]}"#])
        #expect(second.asked == ["/stability.json?c=three", "/stability.json?c=four"])
        #expect(second.report?.summary == "z users=3")
        // Nothing new: it stays where it is. A failure takes nothing away either.
        let last = try #require(second.report?.cursor)
        let idle = play(source, cursor: last, ["c=four": #"{"rows":[]}"#])
        #expect(idle.report?.cursor?["next"] == "four")
        let failed = play(source, cursor: last, ["c=four": "<html></html>"])
        #expect(failed.report?.cursor == nil)
    }

    @Test(arguments: [400, 404, 410, 422, 403, 500])
    func `a feed whose place has expired is read from its beginning, and that is said`(_ status: Int) throws {
        let source = try paged(["by": "cursor", "path": "$.next", "parameter": "c"], pages: 2, keep: true)
        let cursor = try #require(play(source, ["json": Self.one, "c=two": Self.two]).report?.cursor)
        #expect(cursor["next"] == "two")
        var asked = 0
        let played = PlayedPoll(source, poll(cursor: cursor)) { request in
            asked += 1
            return request.url.description.contains("c=two")
                ? json("{}", status: status) : json(#"{"rows":[{"a":"z","n":3}]}"#)
        }
        guard ![403, 500].contains(status) else {
            #expect(asked == 1)
            #expect(played.failure != nil && played.report?.cursor == nil)
            return
        }
        #expect(asked == 2)
        #expect(played.report?.summary == "z users=3")
        #expect(
            played.report?.warnings.first?.hasPrefix("the source answered \(status) to the cursor that was kept")
                == true)
        // Nothing to go on from: the next begins there, too.
        #expect(played.report?.cursor?["next"] == nil)
    }

    @Test func `a service that refuses the beginning as well is asked no third time`() throws {
        let source = try paged(["by": "cursor", "path": "$.next", "parameter": "c"], pages: 2, keep: true)
        let cursor = try #require(play(source, ["json": Self.one, "c=two": Self.two]).report?.cursor)
        let played = PlayedPoll(source, poll(cursor: cursor)) { _ in json("{}", status: 404) }
        #expect(played.requests.count == 2)
        #expect(played.failure?.reason == .notFound)
    }

    @Test func `issues of several pages are those of one app`() throws {
        let section = Option(
            .section(
                Options(
                    name: "paging", position: place,
                    values: [
                        "by": Option(.text("cursor"), at: place), "path": Option(.text("$.next"), at: place),
                        "parameter": Option(.text("c"), at: place),
                    ])),
            at: place)
        let source = try HTTPJSONSource(
            options: options(
                ["app": "shop"], maps: ["issues": ["each": "$.rows[*] | empty no_data", "id": "$.id"]],
                adding: ["paging": section]),
            context: context)
        let played = play(
            source, ["json": #"{"rows":[{"id":"1"}],"next":"b"}"#, "c=b": #"{"rows":[{"id":"2"},{"id":"3"}]}"#])
        guard case .values(let observations)? = played.report?.outcome else {
            Issue.record("\(played.report?.summary ?? "nothing")")
            return
        }
        #expect(observations.map { $0.issues.map(\.id) } == [["1", "2", "3"]])
    }

    @Test(arguments: [
        (["by": "cursor", "parameter": "c"], "a cursor needs 'path', where it stands"),
        (
            ["by": "cursor", "path": "$.n"],
            "nothing in the request carries the cursor of the next page; write parameter: NAME, or {cursor} into the address or the body"
        ),
        (["by": "link", "parameter": "c"], "a link is a whole address: there is no 'parameter'"),
        (["by": "page", "parameter": "p", "first": "x"], "'first' is 'x', expected a whole number"),
        (
            ["by": "cursor", "path": "$.[", "parameter": "c"],
            "'path' is not a JSONPath: at character 3: expected a name or '*', found '['"
        ),
    ])
    func `a mistake is reported`(_ paging: [String: String], _ expected: String) {
        let error = #expect(throws: ProblemList.self) { try paged(paging) }
        let found = error?.problems.map { $0.message + ($0.advice.map { "; \($0)" } ?? "") }
        #expect(found == [expected])
    }

    @Test func `placeholders of pages need a section`() {
        let error = #expect(throws: ProblemList.self) {
            try source(["url": "https://stats.example.com/?p={page}", "app": "a"], map: ["users": "$.n"])
        }
        #expect(error?.problems.map(\.message) == ["{page} is filled in by 'paging', which is missing"])
    }

    @Test func `it conforms to what every source must do`() throws {
        let source = try paged(["by": "cursor", "path": "$.next", "parameter": "after"])
        let conformance = SourceConformance(source, poll: poll(), secrets: []) { request in
            json(request.url.reveal().hasSuffix("after=two") ? Self.two : Self.one)
        }
        #expect(conformance.violations() == [])
    }
}
