import PluginKit
import SourceKit
import Testing

@Suite struct `Lists in pages` {
    /// Reads a list of numbers whose pages a test gives by what leads to them: `""` for the first.
    ///
    /// - Returns: the items, whether they were cut, and the failure; how many pages were asked for.
    private func read(
        pagesMax: Int = 5, _ pages: [String: Result<Page<Int>, PollFailure>]
    ) -> (found: String, asked: Int) {
        var step: PollStep = Listing<Int>.read(
            pagesMax: pagesMax,
            { next, then in
                .fetch(HTTPRequest(.get, "https://x.example/")) { _ in
                    then(pages[next ?? ""] ?? .failure(PollFailure(.notFound, "no page \(next ?? "")")))
                }
            },
            then: { listing in
                let end = listing.failure?.description ?? (listing.isCut ? "cut" : "whole")
                return .finish(PollReport(.noData, warnings: ["\(listing.items) \(end)"]))
            })
        var asked = 0
        while case .fetch(_, let then) = step {
            asked += 1
            step = then(.answered(HTTPResponse(status: 200)))
        }
        guard case .finish(let report) = step else { return ("not finished", asked) }
        return (report.warnings.joined(), asked)
    }

    @Test func `are read until one names no next`() {
        let pages: [String: Result<Page<Int>, PollFailure>] = [
            "": .success(Page([1, 2], next: "a")), "a": .success(Page([3], next: "b")),
            "b": .success(Page([], next: "")),
        ]
        #expect(read(pages) == ("[1, 2, 3] whole", 3))
        #expect(read(pagesMax: 2, pages) == ("[1, 2, 3] cut", 2))
        #expect(read(["": .success(Page([7], next: nil))]) == ("[7] whole", 1))
    }

    @Test func `keep what they held before trouble`() {
        #expect(read(["": .success(Page([1], next: "gone"))]) == ("[1] no page gone", 2))
        #expect(read([:]) == ("[] no page ", 1))
    }

    @Test func `after which nothing more may be asked for keep what they held`() {
        let spent = PollFailure(.rateLimited, "no more requests")
        #expect(read(["": .success(Page([1, 2], next: "a", stop: spent))]) == ("[1, 2] no more requests", 1))
        // Where no further page is wanted nothing is missing.
        #expect(read(pagesMax: 1, ["": .success(Page([1], next: "a", stop: spent))]) == ("[1] cut", 1))
        #expect(read(["": .success(Page([1], next: nil, stop: spent))]) == ("[1] whole", 1))
    }

    @Test func `that lead in a circle are left`() {
        let circle: [String: Result<Page<Int>, PollFailure>] = [
            "": .success(Page([1], next: "a")), "a": .success(Page([2], next: "b")),
            "b": .success(Page([3], next: "a")),
        ]
        #expect(read(pagesMax: 100, circle) == ("[1, 2, 3] cut", 3))
    }

    @Test func `links in headers are told apart`() {
        let response = HTTPResponse(
            status: 200,
            headers: [
                ("link", "<https://x.example/?cursor=x,y>; rel=\"previous\"; results=\"true\", </b?c=1>; Rel=next"),
                ("Link", "<https://x.example/3>;rel=\"last\""), ("Links", "<https://x.example/4>"),
            ])
        #expect(response.links.map(\.address) == ["https://x.example/?cursor=x,y", "/b?c=1", "https://x.example/3"])
        #expect(response.links.map(\.relations) == [["previous"], ["next"], ["last"]])
        #expect(response.links.first?.parameters["results"] == "true")
        let several = HTTPResponse(status: 200, headers: [("Link", "</5>; rel=\"Last  NEXT\", </6>")])
        #expect(several.links.map(\.relations) == [["last", "next"], []])
        // As GlitchTip writes it.
        let set = HTTPResponse(
            status: 200, headers: [("Link", #"{'</7>; rel="next"; results="true"; cursor="cD0x"'}"#)])
        #expect(set.links.map(\.parameters) == [["rel": "next", "results": "true", "cursor": "cD0x"]])
        for odd in ["", "<", ">", "<>", "<a", "a>b<c", "<a>;", "<a>;;;=\"", "<a>;x=\"1,2;3", "<a>,<b>"] {
            let links = HTTPResponse(status: 200, headers: [("Link", odd)]).links
            #expect(links.count <= 2)
        }
    }
}

@Suite struct `Figures as vendors write them` {
    private func read<Value>(
        _ text: String, _ read: (JSONReader) throws(JSONMismatch) -> Value
    ) -> Result<Value, JSONMismatch>? {
        guard let json = try? JSON(parsing: text) else { return nil }
        do throws(JSONMismatch) {
            return .success(try read(JSONReader(json)))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [
        (#"{"value": "0.0109"}"#, 0.0109), (#"{"value": ""}"#, 0), ("{}", 0), (#"{"value": null}"#, 0),
        (#"{"value": "1.09E-2"}"#, 0.0109), (#"{"value": "65000"}"#, 65000), (#"{"value": "-3"}"#, -3),
    ]) func `decimals`(_ text: String, _ expected: Double) throws {
        let found = try #require(read(text) { reader throws(JSONMismatch) in try reader.decimal() })
        #expect(try found.get() == expected)
    }

    @Test(arguments: [
        (#"{"value": 0.5}"#, "$.value: expected a string, found 0.5"), ("7", "$: expected an object, found 7"),
        (#"{"value": "NaN"}"#, "$.value: expected a decimal number, found the string \"NaN\""),
        (#"{"value": "0x10"}"#, "expected a decimal number"), (#"{"value": "1e999"}"#, "expected a decimal number"),
        (#"{"value": "1,5"}"#, "expected a decimal number"), (#"{"value": "-"}"#, "expected a decimal number"),
    ]) func `decimals that are none`(_ text: String, _ words: String) throws {
        let found = try #require(read(text) { reader throws(JSONMismatch) in try reader.decimal() })
        #expect(throws: JSONMismatch.self) { try found.get() }
        if case .failure(let mismatch) = found { #expect("\(mismatch)".contains(words), "\(mismatch)") }
    }

    @Test(arguments: [
        (#""41875""#, 41875.0), ("41875", 41875), (#""0""#, 0), (#""""#, nil), (#""-1""#, nil), ("-1", nil),
        (#""1e3""#, nil), (#""9999999999999999""#, nil), (#""٣""#, nil), ("null", nil),
    ]) func `counts in digits`(_ text: String, _ expected: Double?) throws {
        let found = try #require(read(text) { reader throws(JSONMismatch) in try reader.writtenCount() })
        #expect((try? found.get()) == expected)
    }

    @Test func `shares`() throws {
        let percent = read("99.5") { reader throws(JSONMismatch) in try reader.percentage() }
        #expect(try percent?.get() == 0.995)
        for text in ["100.1", "-1", #""99""#] {
            let found = try #require(read(text) { reader throws(JSONMismatch) in try reader.percentage() })
            #expect(throws: JSONMismatch.self) { try found.get() }
        }
        for text in ["1.01", "-0.1"] {
            let found = try #require(read(text) { reader throws(JSONMismatch) in try reader.fraction() })
            #expect(throws: JSONMismatch.self) { try found.get() }
        }
    }

    @Test func `what a share leaves is counted back`() {
        // As services write them: the quotient of two counts, in as many digits as a double has, or in a few.
        for (all, crashed) in [(41_156.0, 1046.0), (3, 1), (7, 0), (7, 7), (9_999_999, 3_333_333)] {
            #expect(all.without(share: (all - crashed) / all) == crashed)
        }
        #expect(41_875.0.without(share: 0.975) == 1047)
        #expect(0.0.without(share: 0.5) == 0)
    }

    @Test func `only links of the web are links`() throws {
        for (text, expected) in [
            (#""https://x.example/1""#, "https://x.example/1"), (#""javascript:alert(1)""#, nil), (#""""#, nil),
        ] {
            let found = try #require(read(text) { reader throws(JSONMismatch) in try reader.webLink() })
            #expect(try found.get() == expected)
        }
    }
}
