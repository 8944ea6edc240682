import Testing
import YAMLKit

@Suite struct `Trees and their marks` {
    @Test(arguments: [
        ("a: 1", "{a@1:1: 1@1:4}@1:1"),
        ("a:", "{a@1:1: @1:3}@1:1"),
        ("---\n# note\na: 1\n...\n", "{a@3:1: 1@3:4}@3:1"),
        ("'a': \"1\"", "{a@1:1: '1'@1:6}@1:1"),
        ("- x\n-\n- - y", "[x@1:3, @2:2, [y@3:5]@3:3]@1:1"),
        ("a:\n- x\nb:\n  - y", "{a@1:1: [x@2:3]@2:1, b@3:1: [y@4:5]@4:3}@1:1"),
        ("a: [x, {b: 2}, 'z',\n  w]", "{a@1:1: [x@1:5, {b@1:9: 2@1:12}@1:8, 'z'@1:16, w@2:3]@1:4}@1:1"),
        ("[a: 1]", "[{a@1:2: 1@1:5}@1:2]@1:1"),
        ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", "{a@1:1: 'x\ny\n'@1:4, b@4:1: 'x y'@4:4}@1:1"),
        ("a: x\n  y\nb: z", "{a@1:1: x y@1:4, b@3:1: z@3:4}@1:1"),
        ("a: 1\r\nb: 2\r\n", "{a@1:1: 1@1:4, b@2:1: 2@2:4}@1:1"),
        ("a: 1\rb: 2", "{a@1:1: 1@1:4, b@2:1: 2@2:4}@1:1"),
        ("é: {👩‍👧: x, b: y}", "{é@1:1: {👩‍👧@1:5: x@1:10, b@1:13: y@1:16}@1:4}@1:1"),
        ("\u{FEFF}a: 1", "{a@1:1: 1@1:4}@1:1"),
        ("? a\n: b", "{a@1:3: b@2:3}@1:1"),
        ("5: yes", "{5@1:1: yes@1:4}@1:1"),
        (#"a: "\u00e9\x41\n""#, "{a@1:1: 'éA\n'@1:4}@1:1"),
        ("%YAML 1.2\n---\na: 1", "{a@3:1: 1@3:4}@3:1"),
        ("~", "~@1:1"),
        ("a: &x 1", "{a@1:1: 1@1:4}@1:1"),
    ])
    func `a sound document becomes a tree without problems`(yaml: String, tree: String) {
        #expect(render(yaml) == [tree])
    }

    @Test(arguments: [
        ("[a]", 1), ("[x\n  y]", 2), ("[\"x\n\n  y\"]", 3), ("[\"x\n\"]", 2), ("- |\n  x\n  y\n", 3),
        ("- >-\n  x\n  y", 3), ("- x\n- y", 1), ("-\n  x", 2), ("-\n\n- x", 1),
    ])
    func `a scalar knows its last line`(yaml: String, line: Int) {
        guard case .sequence(let nodes)? = YAML.parse(Array(yaml.utf8)).root?.kind else {
            Issue.record("no list")
            return
        }
        #expect(nodes.first?.lastLine == line)
        guard case .sequence(let named)? = YAML.parse(Array(yaml.utf8), of: "a.yaml").root?.kind else { return }
        #expect(named.first?.lastLine == line)
    }

    @Test(arguments: [
        ("~", true), ("null", true), ("Null", true), ("NULL", true), ("", true), ("!!null x", false),
        ("'~'", false), ("\"null\"", false), ("''", false), ("nil", false), ("0", false), ("[]", false), ("{}", false),
        ("!!str ~", false), ("!!null '~'", true), ("|\n  null", false),
    ])
    func `null is told from text that looks like it`(value: String, isNull: Bool) throws {
        let root = try #require(YAML.parse(Array("a: \(value)".utf8)).root)
        guard case .mapping(let entries) = root.kind else {
            Issue.record("the root is no mapping")
            return
        }
        #expect(entries.map(\.value.isNull) == [isNull])
    }

    @Test(arguments: [
        ("!!str 5", "'5'@1:1"), ("!!int '5'", "5@1:1"), ("!!float 1", "1@1:1"), ("!!bool \"on\"", "on@1:1"),
        ("!!null ''", "nothing"), ("!!map {}", "{}@1:1"), ("!!seq []", "[]@1:1"),
        ("!<tag:yaml.org,2002:str> x", "'x'@1:1"),
    ])
    func `a core tag decides how a scalar is to be read`(yaml: String, tree: String) {
        #expect(render(yaml).first == tree)
    }
}

@Suite struct `Anchors, aliases and merge keys` {
    @Test(arguments: [
        ("a: &x {b: 1}\nc: *x", "{a@1:1: {b@1:8: 1@1:11}@1:4, c@2:1: {b@1:8: 1@1:11}@2:4}@1:1"),
        ("- &x y\n- *x", "[y@1:3, y@2:3]@1:1"),
        ("- &k y\n- *k : 1", "[y@1:3, {y@2:3: 1@2:8}@2:3]@1:1"),
        ("[&x 1, *x, &x 2, *x]", "[1@1:2, 1@1:8, 2@1:12, 2@1:18]@1:1"),
        ("&x [&x 1, *x]", "[1@1:5, 1@1:11]@1:1"),
        ("- &x [&x 1]\n- *x", "[[1@1:7]@1:3, 1@2:3]@1:1"),
    ])
    func `an alias repeats what its anchor names, under its own mark`(yaml: String, tree: String) {
        #expect(render(yaml) == [tree])
    }

    @Test(arguments: [
        ("- &x {a: 1}\n- <<: *x\n  b: 2", "{a@1:7: 1@1:10, b@3:3: 2@3:6}@2:3"),
        ("- &x {a: 1, b: 1}\n- b: 2\n  <<: *x", "{b@2:3: 2@2:6, a@1:7: 1@1:10}@2:3"),
        ("- &x {a: 1, b: 1}\n- <<: *x\n  b: 2", "{a@1:7: 1@1:10, b@3:3: 2@3:6}@2:3"),
        (
            "- [&x {a: 1}, &y {a: 2, b: 2}]\n- <<: [*x, *y]",
            "{a@1:8: 1@1:11, b@1:25: 2@1:28}@2:3"
        ),
        ("- &x {a: 1}\n- &y {<<: *x, b: 2}\n- <<: *y", "{a@1:7: 1@1:10, b@2:15: 2@2:18}@3:3"),
        ("- <<: {a: 1}", "{a@1:8: 1@1:11}@1:3"),
        ("- <<: []", "{}@1:3"),
        ("- '<<': 1", "{<<@1:3: 1@1:9}@1:3"),
    ])
    func `a merge key fills in what the mapping leaves open`(yaml: String, lastItem: String) throws {
        let document = YAML.parse(Array(yaml.utf8))
        guard case .sequence(let items) = try #require(document.root).kind, let last = items.last else {
            Issue.record("the root is no sequence")
            return
        }
        #expect(render(last) == lastItem)
        #expect(document.problems == [])
    }

    /// Whoever hides what nobody reads has to know of it.
    @Test(arguments: [
        ("a: 1\na: 2", ["a@2:1", "2@2:4"]), ("~: x\nb: 1", ["~@1:1", "x@1:4"]), ("<<: x\na: 1", ["x@1:5"]),
        ("<<: [1, {a: 1}]", ["1@1:6"]), ("{a:1\n b, c: 2}", ["a:1 b@1:2"]),
        ("- {<<: {a: 1, b: 1}, a: 2}", ["{a@1:9: 1@1:12}@1:9"]),
        ("<<: {a: 1}\n<<: {b: 2}", ["{b@2:6: 2@2:9}@2:6"]),
        // It stands in the tree where it is written.
        ("- &x {a: 1, b: 1}\n- {<<: *x, a: 2}", [String]()), ("- &x {a: 1}\n- {<<: [*x, *x]}", [String]()),
    ])
    func `what is left out is handed over`(yaml: String, nodes: [String]) {
        #expect(YAML.parse(Array(yaml.utf8)).leftOut.map { render($0) } == nodes)
        #expect(YAML.parse(Array(yaml.utf8), of: "a.yaml").leftOut.allSatisfy { $0.mark.file == "a.yaml" })
    }

    @Test(arguments: [
        (
            "a: *x", "{a@1:1: @1:4}@1:1",
            [
                "1:4 no anchor has this name; put the value in quotes if it starts with '*'; an anchor is written with '&' before the value, above its first use"
            ]
        ),
        (
            "a: *x\nb: &x 1", "{a@1:1: @1:4, b@2:1: 1@2:4}@1:1",
            [
                "1:4 no anchor has this name; put the value in quotes if it starts with '*'; an anchor is written with '&' before the value, above its first use"
            ]
        ),
        (
            "a: &x\n  b: [*x]", "{a@1:1: {b@2:3: [@2:7]@2:6}@1:4}@1:1",
            ["2:7 the alias 'x' stands inside the value it names, which starts at line 1, column 4"]
        ),
        (
            "<<: 1\na: 2", "{a@2:1: 2@2:4}@1:1",
            [
                "1:5 '<<' merges mappings, but this is not one; "
                    + "name one as in '<<: *name', or several as in '<<: [*first, *second]'"
            ]
        ),
        (
            "<<: [{a: 1}, 2]", "{a@1:7: 1@1:10}@1:1",
            ["1:14 '<<' merges mappings, but this is not one"]
        ),
        (
            "<<: {a: 1}\n<<: {b: 2}", "{a@1:6: 1@1:9}@1:1",
            [
                "2:1 duplicate key '<<', first on line 1; "
                    + "merge several mappings with one list, as in '<<: [*first, *second]'"
            ]
        ),
        (
            "<<: *x", "{}@1:1",
            [
                "1:5 no anchor has this name; put the value in quotes if it starts with '*'; an anchor is written with '&' before the value, above its first use"
            ]
        ),
    ])
    func `a wrong alias or merge is one problem and reading goes on`(yaml: String, tree: String, problems: [String]) {
        #expect(render(yaml) == [tree] + problems)
    }
}
