import Mustache
import Testing

private let message: Value = .members([
    "app": "shop", "empty": "", "yes": true, "no": false, "release": .flag(false),
    "fields": .list([.members(["label": "Since", "value": "noon"]), .members(["label": "Users", "value": "31"])]),
    "lines": .list(["one", "two"]), "none": .list([]),
    "incident": .members(["app": "inner", "labels": .members(["team": "a&b<c>"])]),
])

private func render(_ text: String) throws -> String {
    try #require(Template(text).rendered(with: message, bytesMax: 1_000))
}

@Suite struct `Templates` {
    @Test(arguments: [
        ("", ""), ("plain { text } }}", "plain { text } }}"), ("{{app}}", "shop"), ("a {{ app }} b", "a shop b"),
        ("{{unknown}}", ""), ("{{release}}", ""), ("{{yes}}", "true"), ("{{lines}}", "one, two"), ("{{incident}}", ""),
        ("{{incident.app}}", "inner"), ("{{incident.labels.team}}", "a&b<c>"), ("{{{incident.labels.team}}}", "a&b<c>"),
        ("{{&incident.labels.team}}", "a&b<c>"), ("{{app.x}}", ""), ("{{incident.none.x}}", ""),
        ("{{#app}}{{.}}!{{/app}}", "shop!"), ("{{#empty}}x{{/empty}}", ""), ("{{^empty}}x{{/empty}}", "x"),
        ("{{#no}}x{{/no}}{{^no}}y{{/no}}", "y"), ("{{#yes}}x{{/yes}}{{^yes}}y{{/yes}}", "x"),
        ("{{#none}}x{{/none}}{{^none}}y{{/none}}", "y"), ("{{#gone}}x{{/gone}}{{^gone}}y{{/gone}}", "y"),
        ("{{#lines}}<{{.}}>{{/lines}}", "<one><two>"),
        ("{{#fields}}{{label}}={{value}};{{/fields}}", "Since=noon;Users=31;"),
        ("{{#incident}}{{app}} {{yes}}{{/incident}}", "inner true"), ("a{{! not this }}b", "ab"),
        ("{{! over\nlines }}b", "b"), ("é{{app}}👩‍👩‍👧", "éshop👩‍👩‍👧"),
        ("{{#incident.labels}}{{team}}{{/incident.labels}}", "a&b<c>"),
    ])
    func `a template is written with the values in their places`(_ text: String, _ expected: String) throws {
        #expect(try render(text) == expected)
    }

    @Test(arguments: [
        ("a\n{{#yes}}\nb\n{{/yes}}\nc", "a\nb\nc"), ("a\r\n  {{#yes}}  \r\nb\r\n{{/yes}}\r\nc", "a\r\nb\r\nc"),
        ("{{#lines}}\n- {{.}}\n{{/lines}}\nend", "- one\n- two\nend"), ("a\n  {{! note }}\nb", "a\nb"),
        ("{{#yes}}\nb\n{{/yes}}", "b\n"), ("a {{#yes}}\nb{{/yes}} c", "a \nb c"), ("{{#yes}} x\n{{/yes}}\n", " x\n"),
        ("  {{app}}\n", "  shop\n"), ("a\n{{#no}}\nb\n{{/no}}\n\nc", "a\n\nc"),
    ])
    func `a section that stands alone on its line takes the line with it`(_ text: String, _ expected: String) throws {
        #expect(try render(text) == expected)
    }

    @Test(arguments: [
        ("a\n {{app", 2, 2, "this tag is never closed; write }} after it"),
        ("{{{app}}", 1, 1, "this tag is never closed; write }}} after it"),
        ("{{#a}}x", 1, 1, "the section 'a' is never closed; write {{/a}}"),
        ("x{{/a}}", 1, 2, "{{/a}} closes nothing that is open"),
        ("{{#a}}\n{{/b}}", 2, 1, "{{/b}} cannot close the section 'a' of line 1"),
        ("{{}}", 1, 1, "an empty tag is not a name; names are made of letters, digits, '_', '-' and '.'"),
        ("{{a b}}", 1, 1, "'a b' is not a name; names are made of letters, digits, '_', '-' and '.'"),
        ("{{a..b}}", 1, 1, "'a..b' is not a name; names are made of letters, digits, '_', '-' and '.'"),
        ("{{>other}}", 1, 1, "{{>…}} inserts another template, which is not supported"),
        ("{{=<% %>=}}", 1, 1, "{{=…}} changes the delimiters, which is not supported"),
        ("é👩‍👩‍👧{{/a}}", 1, 7, "{{/a}} closes nothing that is open"),
    ])
    func `a mistake is named with its place`(_ text: String, _ line: Int, _ column: Int, _ message: String) {
        let mistake = #expect(throws: Template.Mistake.self) { try Template(text) }
        #expect(mistake?.place == Template.Place(line: line, column: column))
        #expect(mistake?.message == message)
    }

    @Test func `sections too deep inside each other are refused, not followed`() throws {
        let deep = { (count: Int) in
            String(repeating: "{{#a}}", count: count) + String(repeating: "{{/a}}", count: count)
        }
        _ = try Template(deep(32))
        #expect(throws: Template.Mistake.self) { try Template(deep(33)) }
        #expect(throws: Template.Mistake.self) { try Template(deep(100_000)) }
    }

    @Test func `what would be too long is not written`() throws {
        let list = Value.members(["a": .list(Array(repeating: "x", count: 100))])
        let template = try Template("{{#a}}{{#a}}{{#a}}{{#a}}{{.}}{{/a}}{{/a}}{{/a}}{{/a}}")
        #expect(template.rendered(with: list, bytesMax: 10_000) == nil)
        #expect(try Template("{{#a}}{{.}}{{/a}}").rendered(with: list, bytesMax: 100)?.count == 100)
        #expect(try Template("{{#a}}{{.}}{{/a}}").rendered(with: list, bytesMax: 99) == nil)
    }

    @Test func `a value cannot make tags`() throws {
        let hostile = Value.members(["title": "{{app}} {{#x}}", "app": "shop"])
        #expect(try Template("{{title}}").rendered(with: hostile, bytesMax: 100) == "{{app}} {{#x}}")
    }
}

@Suite struct `Names of templates` {
    private func misfits(_ text: String) throws -> [String] {
        try Template(text).misfits(in: message, open: ["labels"]).map { misfit in
            let name = misfit.name.path.joined(separator: ".")
            return switch misfit.kind {
            case .unknown(let known): "\(misfit.name.place.line):\(misfit.name.place.column) \(name) of \(known.count)"
            case .isNoText: "\(misfit.name.place.line):\(misfit.name.place.column) \(name) is no text"
            case .isOfElements(let list):
                "\(misfit.name.place.line):\(misfit.name.place.column) \(name): \(list) is a list"
            }
        }
    }

    @Test(arguments: [
        "{{app}} {{incident.app}} {{#fields}}{{label}} {{app}}{{/fields}} {{#lines}}{{.}}{{/lines}} {{lines}}",
        "{{^none}}{{app}}{{/none}} {{labels.anything}} {{#labels.x}}{{app}} {{.}}{{/labels.x}} {{#yes}}{{.}}{{/yes}}",
    ])
    func `names that the sample has are fine`(_ text: String) throws {
        #expect(try misfits(text) == [])
    }

    @Test func `others are named with their places`() throws {
        #expect(try misfits("{{ap}}\n {{#fields}}{{valeu}}{{/fields}}") == ["1:1 ap of 11", "2:13 valeu of 13"])
        #expect(try misfits("{{label}}") == ["1:1 label of 11"])
        #expect(try misfits("{{#gone}}{{label}}{{/gone}}") == ["1:1 gone of 11"])
        #expect(try misfits("{{fields}} {{incident}}") == ["1:1 fields is no text", "1:12 incident is no text"])
        #expect(
            try misfits("{{fields.label}} {{#fields.value}}x{{/fields.value}}")
                == ["1:1 fields.label: fields is a list", "1:18 fields.value: fields is a list"])
        #expect(try misfits("{{#fields}}{{.}}{{/fields}}") == ["1:12  is no text"])
    }
}
