import AlertModel
import Testing

@Suite struct `Readers of JSON` {
    static let tree: JSON = [
        "groups": [["totals": ["sum(session)": 5, "half": 0.5, "name": "x", "none": .null]]], "flag": true,
        "at": "2026-11-20T22:00:00Z", "whole": .double(3), "empty": "",
    ]

    private func group() throws -> JSONReader {
        try #require(try JSONReader(Self.tree).member("groups").elements().first)
    }

    private func mismatch(_ body: () throws(JSONMismatch) -> Void) -> String? {
        do throws(JSONMismatch) {
            try body()
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a path names the way from the root`() throws {
        let totals = try group().member("totals")
        #expect(JSONReader(Self.tree).path == "$")
        #expect(totals.path == "$.groups[0].totals")
        #expect(try totals.member("sum(session)").path == "$.groups[0].totals['sum(session)']")
        #expect(try totals.members().map(\.value.path).last == "$.groups[0].totals.none")
    }

    @Test(arguments: [
        ("plain_1", "$.plain_1"), ("1st", "$['1st']"), ("", "$['']"), ("with space", "$['with space']"),
        ("é", "$['é']"),
        ("it's", #"$['it\'s']"#), (#"back\slash"#, #"$['back\\slash']"#), ("two\nlines\u{202E}", "$['two lines']"),
        (
            String(repeating: "x", count: 100),
            "$['" + String(repeating: "x", count: 30) + "…" + String(repeating: "x", count: 29) + "']"
        ),
    ])
    func `a name in a path is quoted where it must be, and never breaks the line`(name: String, path: String) throws {
        #expect(try JSONReader(.object(JSONObject([(name, 1)]))).member(name).path == path)
    }

    @Test func `values are read by kind`() throws {
        let reader = JSONReader(Self.tree)
        #expect(try reader.member("flag").bool())
        #expect(try reader.member("at").string() == "2026-11-20T22:00:00Z")
        #expect(try reader.member("at").moment() == Moment(milliseconds: 1_795_212_000_000))
        #expect(try reader.member("whole").int() == 3)
        let totals = try group().member("totals")
        #expect(try totals.member("sum(session)").int() == 5)
        #expect(try totals.member("sum(session)").number() == 5)
        #expect(try totals.member("half").count() == 0.5)
        #expect(try totals.optional("none") == nil)
        #expect(try totals.optional("missing") == nil)
        #expect(try totals.member("none").value == .null)
        #expect(try totals.members().map(\.name) == ["sum(session)", "half", "name", "none"])
    }

    @Test func `a value of another kind is reported with its path`() throws {
        let reader = JSONReader(Self.tree)
        let totals = try group().member("totals")
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try reader.elements() } == "$: expected an array, found an object"
        )
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try totals.member("name").number() }
                == #"$.groups[0].totals.name: expected a number, found the string "x""#)
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try totals.member("half").int() }
                == "$.groups[0].totals.half: expected a whole number, found 0.5")
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try totals.member("nope") }
                == "$.groups[0].totals.nope: expected a value, found no such member")
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try totals.member("none").string() }
                == "$.groups[0].totals.none: expected a string, found null")
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try totals.member("half").member("x") }
                == "$.groups[0].totals.half: expected an object, found 0.5")
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try reader.member("flag").optional("x") }
                == "$.flag: expected an object, found true")
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try reader.member("groups").bool() }
                == "$.groups: expected true or false, found an array")
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try reader.member("empty").nonEmptyString() }
                == #"$.empty: expected a string that is not empty, found the string """#)
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try reader.member("empty").moment() }
                == #"$.empty: expected an instant such as "2026-11-20T22:00:00Z", found the string """#)
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try JSONReader(-1).count() }
                == "$: expected a count, 0 or more, found -1")
        #expect(
            mismatch { () throws(JSONMismatch) in _ = try JSONReader(1e300).int() }
                == "$: expected a whole number, found 1e+300")
        #expect(
            mismatch { () throws(JSONMismatch) in let _: Severity = try JSONReader("dire").choice() }
                == #"$: expected one of "info", "warning", "critical", found the string "dire""#)
    }

    @Test func `what was found is quoted on one line and cut`() {
        let found = JSONReader(.string("evil\n\u{202E}" + String(repeating: "y", count: 500))).mismatch(
            expected: "a number"
        ).found
        #expect(
            found == #"the string "evil "# + String(repeating: "y", count: 25) + "…" + String(repeating: "y", count: 29)
                + "\"")
    }
}
