import AlertModel
import Chance
import Testing

@testable import JSONPath

/// What a path selects, as the JSON of an array; nil when it selects too much.
private func select(_ path: String, from document: String) throws -> String {
    var budget = SelectionBudget()
    let root = JSONReader(try JSON(parsing: document))
    switch try JSONPath(path).select(from: root, within: &budget) {
    case .nodes(let nodes): return JSON.array(nodes.map(\.value)).text
    case .nothing(let absence): return "nothing: \(absence)"
    }
}

@Suite struct `A JSONPath` {
    private static let store =
        #"{"a":{"b":1,"c":[10,20,30,40]},"k-1":{"x y":2},"n":null,"e":[],"o":{},"☺":"smile","'":"quote","":"none"}"#

    @Test(arguments: [
        (
            "$",
            #"[{"a":{"b":1,"c":[10,20,30,40]},"k-1":{"x y":2},"n":null,"e":[],"o":{},"☺":"smile","'":"quote","":"none"}]"#
        ),
        ("$.a.b", "[1]"),
        ("$['a']['b']", "[1]"),
        (#"$["a"]["b"]"#, "[1]"),
        ("$ .a\t[ 'b' ]", "[1]"),
        ("$['k-1']['x y']", "[2]"),
        ("$.☺", #"["smile"]"#),
        (#"$['\'']"#, #"["quote"]"#),
        (#"$["'"]"#, #"["quote"]"#),
        (#"$['\u263A']"#, #"["smile"]"#),
        (#"$['\u0061'].b"#, "[1]"),
        ("$['']", #"["none"]"#),
        ("$.n", "[null]"),
        ("$.a.c[0]", "[10]"),
        ("$.a.c[-1]", "[40]"),
        ("$.a.c[-4]", "[10]"),
        ("$.a.c[*]", "[10,20,30,40]"),
        ("$.a.c.*", "[10,20,30,40]"),
        ("$.a.*", "[1,[10,20,30,40]]"),
        ("$.a.c[0,2]", "[10,30]"),
        ("$.a.c[0, 0 ,-1]", "[10,10,40]"),
        ("$.a['b','c'][0]", "[10]"),
        ("$.a.c[1:3]", "[20,30]"),
        ("$.a.c[1 : 3 : 1]", "[20,30]"),
        ("$.a.c[:2]", "[10,20]"),
        ("$.a.c[2:]", "[30,40]"),
        ("$.a.c[:]", "[10,20,30,40]"),
        ("$.a.c[::2]", "[10,30]"),
        ("$.a.c[::-1]", "[40,30,20,10]"),
        ("$.a.c[3:1:-1]", "[40,30]"),
        ("$.a.c[-2:]", "[30,40]"),
        ("$.a.c[:-2]", "[10,20]"),
        ("$.a.c[-100:100]", "[10,20,30,40]"),
        ("$.a.c[9007199254740991:-9007199254740991:-9007199254740991]", "[40]"),
        ("$.a.c[::0]", "nothing: missing"),
        ("$.a.c[2:1]", "nothing: missing"),
        ("$..b", "[1]"),
        ("$..[0]", "[10]"),
        ("$..['x y']", "[2]"),
        ("$.a..*", "[1,[10,20,30,40],10,20,30,40]"),
        ("$..[1:3]", "[20,30]"),
        ("$.a.d", "nothing: missing"),
        ("$.a.b.c", "nothing: missing"),
        ("$.a.c['0']", "nothing: missing"),
        ("$.a[0]", "nothing: missing"),
        ("$.a.c[4]", "nothing: missing"),
        ("$.a.c[-5]", "nothing: missing"),
        ("$.o.*", "nothing: missing"),
        ("$.n.x", "nothing: null"),
        ("$.n[*]", "nothing: null"),
        ("$.e[*]", "nothing: empty"),
        ("$.e[-1].x", "nothing: empty"),
        ("$.e[::-1]", "nothing: empty"),
        ("$['n','e'].x", "nothing: null"),
        ("$['n','a'].x", "nothing: missing"),
        ("$..zzz", "nothing: missing"),
    ])
    func `it selects what RFC 9535 says`(_ path: String, _ expected: String) throws {
        #expect(try select(path, from: Self.store) == expected)
    }

    @Test(arguments: [
        ("$[*]", #"[1,{"a":2}]"#, #"[1,{"a":2}]"#), ("$", "5", "[5]"), ("$..*", "[[1],[2]]", "[[1],[2],1,2]"),
        ("$.a", #"{"a":1,"b":2,"a":3}"#, "[3]"), ("$.*", #"{"a":1,"b":2,"a":3}"#, "[2,3]"), ("$[0]", "[[]]", "[[]]"),
        ("$.*.a", #"[{"a":1},{},{"a":2}]"#, "[1,2]"), ("$..a", #"{"a":{"a":1}}"#, #"[{"a":1},1]"#),
        ("$.😀", #"{"😀":1}"#, "[1]"), (#"$['\uD83D\uDE00']"#, #"{"😀":1}"#, "[1]"),
        (#"$['\b\f\n\r\t\/\\']"#, #"{"\b\f\n\r\t/\\":1}"#, "[1]"), ("$", "null", "[null]"),
        ("$.a1_", #"{"a1_":1}"#, "[1]"),
    ])
    func `any document will do`(_ path: String, _ document: String, _ expected: String) throws {
        #expect(try select(path, from: document) == expected)
    }

    @Test(arguments: [
        ("", 1, "expected '$', the start of every path, found the end"),
        ("a.b", 1, "expected '$', the start of every path, found 'a'"),
        (" $", 1, "expected '$', the start of every path, found ' '"),
        ("$.", 3, "expected a name or '*', found the end"),
        ("$a", 2, "expected '.', '[' or the end, found 'a'"),
        ("$.a ", 4, "expected '.', '[' or the end, found ' '"),
        ("$. a", 3, "expected a name or '*', found ' '"),
        ("$.1", 3, "expected a name or '*', found '1'"),
        ("$...a", 4, "expected a name or '*', found '.'"),
        ("$.a..", 6, "expected a name or '*', found the end"),
        ("$.'a'", 3, "expected a name or '*', found '''"),
        ("$.crash-free", 8, "a name with '-' must be in brackets and quotes: ['like-this']"),
        ("$.a.length()", 11, "'length()' cannot follow a path; functions are for filters: [?length(@) == 1]"),
        (
            "$[", 3,
            "expected a name in quotes, an index, a slice such as 0:3, a filter such as ?@.users, or '*', found the end"
        ),
        (
            "$[]", 3,
            "expected a name in quotes, an index, a slice such as 0:3, a filter such as ?@.users, or '*', found ']'"
        ),
        (
            "$[a]", 3,
            "expected a name in quotes, an index, a slice such as 0:3, a filter such as ?@.users, or '*', found 'a'"
        ),
        ("$[0", 4, "expected ',' or ']', found the end"),
        (
            "$[0,]", 5,
            "expected a name in quotes, an index, a slice such as 0:3, a filter such as ?@.users, or '*', found ']'"
        ),
        ("$[01]", 3, "an index must not begin with 0"),
        ("$[-0]", 3, "an index must not begin with -0"),
        ("$[-]", 4, "expected a digit, found ']'"),
        ("$[1.0]", 4, "expected ',' or ']', found '.'"),
        ("$[9007199254740992]", 3, "the index is too large"),
        ("$[99999999999999999999999]", 3, "the index is too large"),
        ("$[1:2:3:4]", 8, "expected ',' or ']', found ':'"),
        ("$['a]", 6, "the name has no closing '"),
        (#"$["a']"#, 7, "the name has no closing \""),
        (#"$['\x']"#, 5, #"unknown escape '\x' in a name"#),
        (#"$['\"']"#, 5, #"unknown escape '\"' in a name"#),
        (#"$['\u12']"#, 8, #"expected four hexadecimal digits after \u, found '''"#),
        (#"$['\uD800']"#, 6, "half a surrogate pair in a name"),
        (#"$['\uDC00']"#, 6, "half a surrogate pair in a name"),
        (#"$['\uD800\u0041']"#, 6, "half a surrogate pair in a name"),
        ("$['a\nb']", 5, "a control character in a name must be escaped"),
        (
            "$[\n\u{7}]", 4,
            "expected a name in quotes, an index, a slice such as 0:3, a filter such as ?@.users, or '*', found 'control character 7'"
        ),
    ])
    func `a mistake is reported with its place`(_ path: String, _ column: Int, _ problem: String) {
        #expect(throws: JSONPathError(column: column, problem: problem)) { try JSONPath(path) }
    }

    @Test func `what a path may look at is bounded`() throws {
        var nested: JSON = .array(Array(repeating: 1, count: 50))
        for _ in 0..<100 { nested = .array([nested]) }
        let wide = JSON.array(Array(repeating: .array(Array(repeating: 1, count: 200)), count: 60))
        for (path, document) in [("$..*..*..*..*", nested), ("$.*.*", wide), ("$..[0]..x", wide)] {
            var budget = SelectionBudget()
            let parsed = try JSONPath(path)
            if path == "$..[0]..x" {
                #expect(throws: Never.self) { _ = try parsed.select(from: JSONReader(document), within: &budget) }
            } else {
                #expect(throws: JSONMismatch.self) {
                    _ = try parsed.select(from: JSONReader(document), within: &budget)
                }
            }
        }
    }

    @Test func `texts made of the marks of paths never trap`() {
        var generator = SeededRandom(printedFor: "texts made of the marks of paths")
        let marks = [
            "$", ".", "..", "[", "]", "'", "\"", "\\", "u", "0", "-1", ":", "*", "?", "@", "(", " ", "a", "é", ",", "|",
        ]
        let root = JSONReader(["a": [1, 2, ["a": .null]], "é": []])
        for _ in 0..<20_000 {
            let text =
                "$"
                + (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                    marks.randomElement(using: &generator) ?? ""
                }.joined()
            guard let path = try? JSONPath(text) else { continue }
            var budget = SelectionBudget()
            guard case .nodes(let nodes)? = try? path.select(from: root, within: &budget) else { continue }
            #expect(nodes.count < SelectionBudget.nodesMax, "\(text)")
            // What is selected can be found again by the path it reports.
            for node in nodes { #expect((try? JSONPath(node.path)) != nil, "\(node.path)") }
        }
    }
}

@Suite struct `What a path may select` {
    @Test(arguments: [
        ("$", true), ("$.a['b'][0]", true), ("$.a[-1]", true), ("$.a[*]", false), ("$.a[0,1]", false),
        ("$.a[0:1]", false), ("$..a", false), ("$.a[?@.b]", false),
    ]) func `is one value at most, or several`(_ path: String, _ isSingular: Bool) throws {
        #expect(try JSONPath(path).isSingular == isSingular)
    }

    @Test(arguments: [
        ("$.r[?@.n > 1].n", "$.r[*].n"), ("$.r[?@.n > 1, 0].n", "$.r[*].n"), ("$.r[0].n", "$.r[0].n"),
        ("$..[?@.n == 1].n", "$..[*].n"), ("$.r[?@.n == 5].n", "$.r[*].n"),
    ]) func `is known without its filters`(_ path: String, _ unfiltered: String) throws {
        let root = JSONReader(try JSON(parsing: #"{"r":[{"n":1},{"n":2},{"n":3}]}"#))
        let filtered = try JSONPath(path)
        func values(_ path: JSONPath) throws -> [JSON] {
            var budget = SelectionBudget()
            guard case .nodes(let nodes) = try path.select(from: root, within: &budget) else { return [] }
            return nodes.map(\.value)
        }
        #expect(try values(filtered.unfiltered) == values(try JSONPath(unfiltered)))
        #expect(filtered.hasFilter == (path != unfiltered))
        #expect(!filtered.unfiltered.hasFilter)
    }
}
