import Testing
import YAMLKit

@Suite struct `Problems say where and what` {
    @Test(arguments: [
        ("a: 1\nb: 2\na: 3", ["3:1 duplicate key 'a', first on line 1; keep one"]),
        ("{a: 1, 'a': 2}", ["1:8 duplicate key 'a', first on line 1; keep one"]),
        (
            "a: 1\na: 2\na: 3",
            ["2:1 duplicate key 'a', first on line 1; keep one", "3:1 duplicate key 'a', first on line 1; keep one"]
        ),
        (
            "a:\n  b: 1\n  b: {c: 1, c: 2}",
            ["3:3 duplicate key 'b', first on line 2; keep one", "3:13 duplicate key 'c', first on line 3; keep one"]
        ), ("é: {👩‍👧: 1, b: 2, b: 3}", ["1:19 duplicate key 'b', first on line 1; keep one"]),
        (
            "\u{A0}a: 1\n\u{A0}a: 2",
            [
                "2:1 duplicate key '\u{A0}a', first on line 1; it has a no-break space in it (U+00A0), which YAML takes for a letter; write a plain one"
            ]
        ),
        ("https://a.example: 1\nhttps://a.example: 2", ["2:1 duplicate key, first on line 1; keep one"]),
        ("a.example/b: 1\na.example/b: 2", ["2:1 duplicate key, first on line 1; keep one"]),
        ("? [a]\n: b\nc: 1", ["1:3 a key has to be text, not a list or a mapping"]),
        ("{{a: 1}: 2}", ["1:2 a key has to be text, not a list or a mapping"]),
        (
            "~: 1\n'': 2\n? \n: 3",
            [
                "1:1 a key is missing here; put it in quotes if it is intended as text",
                "2:1 a key is missing here; write one before the ':'",
                "3:2 a key is missing here; write one before the ':'",
            ]
        ),
        (
            "a: !foo 1\nb: !!set {c: 1}\nd: ! x",
            [
                "1:4 this value has a tag, and tags are not used here; "
                    + "remove it, or put the value in quotes if it starts with '!'",
                "2:4 this value has a tag, and tags are not used here; "
                    + "remove it, or put the value in quotes if it starts with '!'",
                "3:4 this value has a tag, and tags are not used here; "
                    + "remove it, or put the value in quotes if it starts with '!'",
            ]
        ),
        (
            "a: !!map 1\nb: !!str []",
            [
                "1:4 the tag '!!map' does not fit this value; remove it",
                "2:4 the tag '!!str' does not fit this value; remove it",
            ]
        ), ("a: 1\n---\nb: 2", ["2:1 a second document starts here; remove it, or keep it in a file of its own"]),
        ("a: 1\n---\n", ["2:1 a second document starts here; remove it, or keep it in a file of its own"]),
    ])
    func `a mistake of meaning leaves the tree and lets reading go on`(yaml: String, expected: [String]) {
        let document = YAML.parse(Array(yaml.utf8))
        #expect(document.problems.map(render) == expected)
        #expect(document.root != nil)
    }

    @Test func `of duplicate keys the first is kept`() {
        #expect(render("a: 1\na: 2").first == "{a@1:1: 1@1:4}@1:1")
    }

    @Test(arguments: [
        ("", "1:1 the document is empty"),
        (" \n# only a note\n", "1:1 the document is empty"),
        ("\u{FEFF}", "1:1 the document is empty"),
        ("# note\n---\n", "2:1 the document is empty"),
        ("a:\n\tb: 1", "2:1 a tab is used for indentation; use spaces"),
        ("a: 1\n\tb: 1", "2:1 a tab is used for indentation; use spaces"),
        ("a:\n  - x\n  \t- y", "3:3 a tab is used for indentation; use spaces"),
        ("a: |\n\tx", "2:1 a tab is used for indentation; use spaces"),
        ("a: @x", "1:4 a value cannot start with '@'; put the value in quotes"),
        ("é: [👩‍👧, %x]", "1:10 a value cannot start with '%'; put the value in quotes"),
        (
            "é: 👩‍👧: c",
            "1:7 a ':' is not allowed here; "
                + "put the value in quotes if the ':' belongs to it, or check the indentation of this line"
        ),
        (
            "a: 1\n  b: 2",
            "2:4 a ':' is not allowed here; "
                + "put the value in quotes if the ':' belongs to it, or check the indentation of this line"
        ),
        (
            "rules:\n  floor:\n    plugin:threshold\n    # one\n    metric: x",
            "3:11 this ':' has no space after it; put one there, or put the value in quotes"
        ),
        (
            "rules:\n  floor:\n    plugin:\u{A0}threshold\n    metric: x",
            "3:11 this ':' has no plain space after it; it has a no-break space in it (U+00A0), which YAML takes for a letter; write a plain one"
        ),
        (
            "rules:\n  floor:\n    plugin threshold # note\n    metric: x",
            "3:5 a ':' is missing after this key"
        ),
        ("a:\n  b: c\n  path:obs.jsonl\n", "3:7 'path:' has no space after it; write 'path: …'"),
        (
            "a:\n  b: c\n  path:obs.jsonl\n  d: e\nf: g",
            "3:7 'path:' has no space after it; write 'path: …'"
        ),
        (
            "a:\n  b: c\n  path:obs.jsonl\nf: g",
            "3:7 'path:' has no space after it; write 'path: …'"
        ),
        (
            "a:\n  plugin:email # as in: docs\n  to: x",
            "2:9 this ':' has no space after it; put one there, or put the value in quotes"
        ),
        ("a: {to:[x]}", "1:7 this ':' has no space after it; put one there, or put the value in quotes"),
        ("a:\n  to: x\n  token=x\n  b: x", "3:3 'token' has no ':' after it; write 'token: …'"),
        ("a:\n  b: x\n  word; 1h\n  c: d", "3:3 'word' has no ':' after it; write 'word: …'"),
        ("a:\n  b: x\n  word： 1h\n  c: d", "3:3 'word' has no ':' after it; write 'word: …'"),
        // What may be the value of the key above it is not quoted.
        ("a:\n  b:\n  word of words\n  c: d", "3:3 a ':' is missing after this key"),
        ("a:\n  b:\n  word:words\n  c: d", "3:3 a ':' is missing after this key"),
        ("a:\n  b: x\n  d29yZA==\n  c: d", "3:3 a ':' is missing after this key"),
        ("a:\n  b:\n    word of words\n    c: d", "3:5 a ':' is missing after this key"),
        ("a:\n  b:\n    word=word\n    c: d", "3:5 a ':' is missing after this key"),
        ("a:\n  b:\n    word;word\n    c: d", "3:5 a ':' is missing after this key"),
        ("a:\n  b:\n    word：word\n    c: d", "3:5 a ':' is missing after this key"),
        (
            "a:\n  b:\n    word:word\n    c: d",
            "3:9 this ':' has no space after it; put one there, or put the value in quotes"
        ),
        ("a:\n  b:\n    many words\n    word of words\n    c: d", "4:5 a ':' is missing after this key"),
        ("a:\n  b: many\n    word of words\n    c: d", "3:5 a ':' is missing after this key"),
        ("a:\n  b\n    c: d", "2:3 a ':' is missing after this key"),
        ("a:\n  b:\n    c\n      d: e", "3:5 a ':' is missing after this key"),
        // Three deep it may as well be the value of the key above it.
        (
            "a:\n  b:\n    c:\n      word\n        d: e",
            "4:7 a ':' is missing after this key; if it is a value, check the indentation of the line below"
        ),
        ("a:\n  b:\n    - x\n  word:y\n  c: d", "4:7 'word:' has no space after it; write 'word: …'"),
        // An element of a list is one without a colon, and what stands too deep is the line below it.
        (
            "a:\n  - b\n      c: d",
            "3:8 a ':' is not allowed here; "
                + "put the value in quotes if the ':' belongs to it, or check the indentation of this line"
        ),
        (
            "a:\n  b: x\n\u{A0} c: d\n  e: f",
            "3:1 this line begins with what only looks like a space; it has a no-break space in it (U+00A0), which YAML takes for a letter; write a plain one"
        ),
        (
            "a:\n  b: x\n  \u{200B}c: d\n    e: f",
            "3:3 this line begins with what only looks like a space; it has an invisible character in it (U+200B); remove it"
        ),
        // A text of several lines may begin so.
        (
            "a:\n  b: |\n    c\n    \u{A0}d\n   e: f",
            "5:4 a key is expected here, at the indentation of the others; "
                + "align it with its neighbours; the mapping around it starts on line 2"
        ),
        (
            "a: \"x\nb: \"y z\"",
            "1:4 this quote is closed only on line 2, where more text follows; close it where its value ends"
        ),
        (
            "a:\n  b: 'x\n  c: d\n  e: '> 5%'",
            "2:6 this quote is closed only on line 4, where more text follows; close it where its value ends"
        ),
        (
            "a: [\"x, y]\nb: \"z\"",
            "1:5 this quote is closed only on line 2, where more text follows; close it where its value ends"
        ),
        ("a:\n  b: x\n  pass word:x\n  to: x", "3:3 'pass' has no ':' after it; write 'pass: …'"),
        ("- a:b\n  c: d", "1:4 'a:' has no space after it; write 'a: …'"),
        (
            "- my shop\n- other: \"a\" b",
            "2:14 there is more text after the value; "
                + "put the whole value in one pair of quotes; inside single quotes an apostrophe is written ''"
        ),
        (
            "- https://a.example\n- x: y: z",
            "2:7 a ':' is not allowed here; "
                + "put the value in quotes if the ':' belongs to it, or check the indentation of this line"
        ),
        (
            "a:\n  https://a.example\n  x: y",
            "3:4 a ':' is not allowed here; "
                + "put the value in quotes if the ':' belongs to it, or check the indentation of this line"
        ),
        ("a: - b", "1:4 a list cannot start here; start it on the next line, or use [ and ]"),
        ("a: 1\nbcd\ne: 2", "2:1 a ':' is missing after this key"),
        ("a: 1\nb: \"x\nc: 2\n", "2:4 this quote is never closed"),
        ("a: 'x\n---\nb: c'", "1:4 this quote is never closed"),
        ("a:\n  [1, 2\nb: 3", "3:2 ',' or ']' is expected here; check the list opened at line 2, column 3"),
        ("a: {b: 1\nc: 2", "2:2 ',' or '}' is expected here; check the mapping opened at line 1, column 4"),
        (
            "a:\n  b: 1\n c: 2",
            "3:2 a key is expected here, at the indentation of the others; "
                + "align it with its neighbours; the mapping around it starts on line 1"
        ), ("- 1\nb: 2", "2:1 '-' is expected here, as in the list that starts on line 1"),
        (
            "a: 'it's'",
            "1:8 there is more text after the value; "
                + "put the whole value in one pair of quotes; inside single quotes an apostrophe is written ''"
        ), ("a: [b,,c]", "1:7 a value is expected here, not ','"),
        ("[a]]", "1:4 the document has ended before this; check the indentation and brackets"),
        (#"a: "\q""#, "1:5 this escape means nothing in double quotes; double the backslash, or use single quotes"),
        (#"a: "\uD800""#, "1:7 this escape means nothing in double quotes; double the backslash, or use single quotes"),
        (#"a: "\xZZ""#, "1:7 this escape means nothing in double quotes; double the backslash, or use single quotes"),
        (
            "a: * b",
            "1:4 the name of an alias is made of letters, digits, '-' and '_'; "
                + "put the value in quotes if it starts with '*' or '&'"
        ),
        (
            "a: &! b",
            "1:4 the name of an anchor is made of letters, digits, '-' and '_'; "
                + "put the value in quotes if it starts with '*' or '&'"
        ), ("a: !x!y z", "1:4 tags are not used here; put the value in quotes if it starts with '!'"),
        ("%TAG ! tag:x,1:\n---\na: 1", "1:1 tags are not used here, so '%TAG' is not either; remove the line"),
        ("%YAML 9.9\n---\na: 1", "1:1 this is not YAML: found incompatible YAML document"),
        (
            "a: {b: ${env:X}}", "1:9 a '{' is not allowed here; put a value with ${…} in quotes between brackets"
        ), ("a: [é ${env:X}]", "1:8 a '{' is not allowed here; put a value with ${…} in quotes between brackets"),
        (
            "a: > 1%",
            "1:4 a text on the lines below starts here, so nothing may follow on this one; "
                + "put the value in quotes if it starts with '>' or '|'"
        ),
        (
            "a: >= 1%",
            "1:4 a text on the lines below starts here, so nothing may follow on this one; "
                + "put the value in quotes if it starts with '>' or '|'"
        ),
        ("a: |0\n  b", "1:5 this is not YAML: found an indentation indicator equal to 0 while scanning a block scalar"),
    ])
    func `a document that breaks off gives one problem and no tree`(yaml: String, problem: String) {
        #expect(render(yaml) == ["nothing", problem])
    }

    @Test(arguments: [
        ("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> theirs\n", 1), ("a:\n<<<<<<< HEAD\n  b: 1\n=======\n  b: 2\n", 2),
        ("a: 1\n=======\nb: 2\n>>>>>>> theirs", 2), ("a: 1\n>>>>>>> theirs\nb: 2", 2),
    ])
    func `a merge conflict is called one`(yaml: String, line: Int) {
        #expect(
            problems(yaml) == [
                "\(line):1 a merge conflict is left here; keep one of its sides, and remove the lines that begin with "
                    + "<<<<<<<, ======= and >>>>>>>"
            ])
    }

    @Test func `a line under a title is no merge conflict`() {
        #expect(!problems("a: 'x\n=======\n  y'\nb: @").contains { $0.contains("merge conflict") })
    }

    @Test func `problems before a syntax error are kept`() {
        #expect(
            render("a: 1\na: 2\nb: @") == [
                "nothing", "2:1 duplicate key 'a', first on line 1; keep one",
                "3:4 a value cannot start with '@'; put the value in quotes",
            ])
    }

    @Test func `between braces a missing space leaves out its key alone`() {
        #expect(
            render("a: {b:c, d: e}") == [
                "{a@1:1: {b@1:5: @1:5, d@1:10: e@1:13}@1:4}@1:1", "1:5 'b:' has no space after it; write 'b: …'",
            ])
        #expect(problems("a: {\"b:c\": , https://d.example: , e: f:g}") == [])
    }

    @Test func `a long or hostile name is shortened and made harmless in a message`() {
        let name = String(repeating: "x", count: 100)
        #expect(
            problems("\(name): 1\n\(name): 2")
                == ["2:1 duplicate key '\(String(repeating: "x", count: 60))…', first on line 1; keep one"]
        )
        #expect(
            problems(#"{"\e[2J": 1, "\e[2J": 2}"#) == [#"1:14 duplicate key '\u{1B}[2J', first on line 1; keep one"#])
    }

    @Test func `marks are ordered as the text is read`() {
        let marks = [Mark(line: 2, column: 1), Mark(line: 1, column: 9), Mark(line: 1, column: 2)]
        #expect(marks.sorted().map { "\($0.line):\($0.column)" } == ["1:2", "1:9", "2:1"])
    }
}
