import AlertModel
import Testing

@testable import JSONPath

/// What a path selects, as the JSON of an array.
private func select(_ path: String, from document: String) throws -> String {
    var budget = SelectionBudget()
    guard
        case .nodes(let nodes) = try JSONPath(path).select(
            from: JSONReader(try JSON(parsing: document)), within: &budget)
    else { return "[]" }
    return JSON.array(nodes.map(\.value)).text
}

@Suite struct `A filter` {
    private static let apps = """
        [{"name":"shop","os":"ios","users":120,"tags":["a","b"],"owner":{"team":"x"}},
        {"name":"wallet","os":"android","users":80,"tags":[],"owner":null},
        {"name":"ops é","users":0,"tags":["a"],"limit":100}]
        """

    @Test(arguments: [
        ("$[?@.os == 'ios'].name", #"["shop"]"#),
        (#"$[? @.os != "ios" ].name"#, #"["wallet","ops é"]"#),
        ("$[?@.os].name", #"["shop","wallet"]"#),
        ("$[?!@.os].name", #"["ops é"]"#),
        ("$[?@.owner].name", #"["shop","wallet"]"#),
        ("$[?@.owner == null].name", #"["wallet"]"#),
        ("$[?@.users >= 80 && @.users < 120].name", #"["wallet"]"#),
        ("$[?@.users == 0 || @.os == 'ios'].name", #"["shop","ops é"]"#),
        ("$[?!(@.users == 0 || @.os == 'ios')].name", #"["wallet"]"#),
        ("$[?@.os == 'ios' || @.users > 0 && @.os == 'x'].name", #"["shop"]"#),
        ("$[?(@.os == 'ios' || @.users > 0) && @.users < 100].name", #"["wallet"]"#),
        ("$[?@.users < $[2].limit].name", #"["wallet","ops é"]"#),
        ("$[?@.tags == ['a']].name", "refused"),
        ("$[?@.tags[*] == 'a'].name", "refused"),
        ("$[?@.tags[?@ == 'b']].name", #"["shop"]"#),
        ("$[?count(@.tags[*]) == 1].name", #"["ops é"]"#),
        ("$[?length(@.tags) > length(@.owner)].name", #"["shop"]"#),
        ("$[?length(@.name) == 5].name", #"["ops é"]"#),
        ("$[?value(@..team) == 'x'].name", #"["shop"]"#),
        ("$[?value(@.tags[*]) == 'a'].name", #"["ops é"]"#),
        ("$[?match(@.name, 'w.*|ops')].name", #"["wallet"]"#),
        ("$[?search(@.name, 'p')].name", #"["shop","ops é"]"#),
        (#"$[?match(@.name, 'ops \\p{Ll}')].name"#, #"["ops é"]"#),
        ("$[?match(@.os, @.os)].name", #"["shop","wallet"]"#),
        ("$[?@.missing == @.other].name", #"["shop","wallet","ops é"]"#),
        ("$[?@.missing <= @.other].users", "[120,80,0]"),
        ("$[?@.missing < 1].users", "[]"),
        ("$[?@.users == 1.2e2].name", #"["shop"]"#),
        ("$[?@.users == -0].name", #"["ops é"]"#),
        ("$[?@.name > 'shop'].name", #"["wallet"]"#),
        ("$[0, ?@.users == 80, ?@.users == 120].users", "[120,80,120]"),
        ("$..[?@ == 'a']", #"["a","a"]"#),
    ])
    func `it selects what RFC 9535 says`(_ path: String, _ expected: String) throws {
        #expect(((try? select(path, from: Self.apps)) ?? "refused") == expected)
    }

    @Test func `names that only look the same are two`() throws {
        let document = #"{"\u00e9": 1, "e\u0301": 2, "list": ["\u00e9", "e\u0301"]}"#
        #expect(try select(#"$['e\u0301']"#, from: document) == "[2]")
        #expect(try select("$.*", from: document) == #"[1,2,["é","é"]]"#)
        #expect(try select(#"$.list[?@ == '\u00e9' && @ != 'e\u0301']"#, from: document) == #"["é"]"#)
    }

    @Test(arguments: [
        (#"{"a":1,"b":[2,{"c":null}]}"#, #"{"b":[2.0,{"c":null}],"a":1.0}"#, true),
        (#"{"a":1}"#, #"{"a":1,"b":1}"#, false), (#"{"a":1,"a":2}"#, #"{"a":2}"#, true), ("[1,2]", "[2,1]", false),
        ("[]", "{}", false), ("0", "false", false), ("9007199254740993", "9007199254740992", false),
    ])
    func `values are compared whole`(_ left: String, _ right: String, _ isSame: Bool) throws {
        let found = try select("$[?@[0] == @[1]]", from: "[[\(left),\(right)]]")
        #expect((found != "[]") == isSame)
    }

    @Test func `what no value passes is empty, not missing`() throws {
        func absence(_ path: String) throws -> Selection.Absence? {
            var budget = SelectionBudget()
            let document = JSONReader(try JSON(parsing: Self.apps))
            guard case .nothing(let absence) = try JSONPath(path).select(from: document, within: &budget) else {
                return nil
            }
            return absence
        }
        #expect(try absence("$[?@.users > 999]") == .empty)
        #expect(try absence("$[?@.users > 999].name") == .empty)
        #expect(try absence("$[0].name[?@ == 1]") == .missing)
        #expect(try absence("$[?@.users > 100].nothing") == .missing)
    }

    @Test(arguments: [
        ("$[?]", 4, "expected '@', '$', a value, a function, '!' or '(', found ']'"),
        ("$[?@.a = 1]", 8, "expected ',' or ']', found '='"),
        ("$[?@.a == ]", 11, "expected '@', '$', a value, a function, '!' or '(', found ']'"),
        ("$[?@.a == ios]", 11, "there is no function 'ios', and texts need quotes"),
        ("$[?lenght(@.a) > 1]", 4, "there is no function 'lenght'; did you mean 'length'?"),
        ("$[?@.a == True]", 11, "there is no function 'True'; did you mean 'true'?"),
        ("$[?length (@.a) > 1]", 10, "expected '(' right after 'length', found ' '"),
        ("$[?1]", 5, "expected a comparison of the value, such as == 1, found ']'"),
        ("$[?length(@.a)]", 15, "expected a comparison of what the function gives, such as > 1, found ']'"),
        ("$[?length(@.*) == 1]", 11, "length() takes one value, such as length(@.name)"),
        ("$[?count(1) == 1]", 10, "count() takes one path, such as count(@.tags[*])"),
        ("$[?match(@.a)]", 13, "match() takes two values, such as match(@.name, 'shop-.*')"),
        (
            "$[?match(@.a, 'x') == true]", 4,
            "match() and search() are true or false by themselves and cannot be compared"
        ),
        (
            "$[?@.* == 1]", 4,
            "a path that may find several values cannot be compared; value(…) or count(…) can"
        ),
        ("$[?(@.a]", 8, "expected '&&', '||' or ')', found ']'"),
        ("$[?!!@.a]", 5, "expected '@', '$', a value, a function, '!' or '(', found '!'"),
        ("$[?@.a == 01]", 11, "a number must not begin with 0"),
        ("$[?@.a == 1.]", 13, "expected a digit, found ']'"),
        ("$[?@.a == 1e999]", 11, "the number is too large"),
        ("$[?@.a == 'x]", 14, "the text has no closing '"),
    ])
    func `a mistake is reported with its place`(_ path: String, _ column: Int, _ problem: String) {
        #expect(throws: JSONPathError(column: column, problem: problem)) { try JSONPath(path) }
    }

    @Test func `nesting is bounded`() {
        for nested in [
            "$" + String(repeating: "[?@", count: 5000), "$[?" + String(repeating: "(", count: 5000),
            "$[?" + String(repeating: "!(", count: 5000), "$[?" + String(repeating: "length(", count: 5000),
        ] {
            let error = #expect(throws: JSONPathError.self) { try JSONPath(nested) }
            #expect(error?.problem == "filters and parentheses nest deeper than 32 levels")
        }
    }

    @Test func `a pattern that is none matches nothing and is doubted`() throws {
        let path = try JSONPath("$[?match(@, 'a{2')]")
        #expect(
            path.doubt?.description
                == "at character 13: no regular expression (RFC 9485): at its character 4: expected '}' after a number of repetitions"
        )
        #expect(try select("$[?match(@, 'a{2')]", from: #"["a{2","aa"]"#) == "[]")
        #expect(try select("$[?!match(@, 'a{2')]", from: #"["aa"]"#) == #"["aa"]"#)
        #expect(
            try JSONPath("$[?search(@, 1)]").doubt?.problem
                == "no regular expression (RFC 9485): expected a text, found a number")
        #expect(try JSONPath("$[?search(@, $.p)]").doubt == nil)
    }

    @Test func `a filter costs a bounded amount of work`() throws {
        let wide = JSON.array(Array(repeating: .array(Array(repeating: "aaaaaaaaaaaaaaaaaaaa", count: 100)), count: 90))
        let deep = (0..<100).reduce(JSON.array([1, 2])) { inner, _ in [inner, 1] }
        let long = JSON.array(Array(repeating: .string(String(repeating: "a", count: 100_000)), count: 50))
        for (path, document) in [
            ("$..[?@..[?@..[?@..*]]]", deep), ("$..[?$ == $]", wide), ("$[*][?count($..*) > 1]", wide),
            ("$[?search(@, '(a|aa|aaa)*b')]", long),
            ("$[?search(@, $[0])]", long), ("$[?match(@, '(a?){500}a{500}')]", long),
        ] {
            var budget = SelectionBudget()
            let root = JSONReader(document)
            let parsed = try JSONPath(path)
            do throws(JSONMismatch) {
                guard case .nothing = try parsed.select(from: root, within: &budget) else {
                    Issue.record("\(path) found something")
                    continue
                }
                // Only a pattern that is too long to be one is over at once.
                #expect(path == "$[?search(@, $[0])]")
            } catch {
                #expect(error.found.hasPrefix("more "), "\(error)")
            }
        }
    }
}
