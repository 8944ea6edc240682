import BotHarness
import Testing

@Suite struct PluginsTests {
    @Test func `every plugin is listed under its kind`() async throws {
        let scratch = try Scratch()
        let list = try await scratch.alertbot("plugins", "list")
        #expect(list.status == 0)
        for kind in ["sources", "detectors", "gates", "channels"] { #expect(list.output.contains(kind + "\n  ")) }
        #expect(list.output.contains("  threshold    Fires when a metric is beyond a limit"))
        let json = try await scratch.alertbot("plugins", "list", "--format", "json").json
        let names = json["plugins"].elements.compactMap { $0["name"].string }
        #expect(Set(names).count == names.count)
        #expect(Set(names).isSuperset(of: ["sentry", "drop", "quiet_hours", "slack"]))
        #expect(json["plugins"][0]["kind"].string == "source")
    }

    @Test func `a description has the options, their defaults and an example`() async throws {
        let scratch = try Scratch()
        let text = try await scratch.alertbot("plugins", "describe", "budget")
        #expect(text.status == 0)
        #expect(text.output.hasPrefix("budget, a gate\n"))
        #expect(text.output.contains("  at_most  rate such as 10 per 1h, required\n      How many messages"))
        #expect(text.output.contains("Options of every gate\n  match  match such as {app: shop-*}"))
        #expect(text.output.contains("  rules:\n    my-budget:\n      plugin: budget\n      channel: team\n"))
        let json = try await scratch.alertbot("plugins", "describe", "threshold", "--format", "json").json
        #expect(json["kind"].string == "detector")
        let window = json["options"].elements.first { $0["name"].string == "window" }
        #expect(window?["type"].string == "duration from 1m to 30d")
        #expect(window?["default"].string == "1h")
        #expect(window?["required"].bool == false)
    }

    @Test func `a plugin that is not there is reported with the nearest`() async throws {
        let scratch = try Scratch()
        let described = try await scratch.alertbot("plugins", "describe", "treshold")
        #expect(described.status == 2)
        #expect(described.errors.contains("there is no plugin 'treshold'"))
        #expect(described.errors.hasSuffix("did you mean threshold?\n"))
    }

    private let page = """
        # console

        ```yaml
        channels:
          term: {plugin: console}
        ```

        """

    @Test func `a folder is held against its plugin`() async throws {
        let scratch = try Scratch()
        for part in ["Sources", "Tests"] {
            try scratch.makeFolder("Console/" + part)
            try scratch.write("Console/\(part)/Some.swift", "")
        }
        try scratch.write("Console/README.md", page)
        let fine = try await scratch.alertbot("plugins", "check", "Console/")
        #expect(fine.status == 0, "\(fine.errors)")
        #expect(fine.output.hasPrefix("✓ channel console: "))
        try scratch.write(
            "Console/README.md", page.replacing("{plugin: console}", with: "{plugin: console, colour: red}"))
        let wrong = try await scratch.alertbot("plugins", "check", "Console")
        #expect(wrong.status == 1)
        #expect(wrong.output == "")
        #expect(wrong.errors.hasPrefix("Console/README.md:5:27: error: unknown key 'colour' in channel 'term'"))
        let json = try await scratch.alertbot("plugins", "check", "Console", "--format", "json")
        #expect(json.status == 1)
        #expect(try json.json["name"].string == "console")
        #expect(try json.json["problems"][0]["line"].number == 5)
        #expect(try json.json["problems"][0]["severity"].string == "error")
    }

    @Test func `what is missing in a folder is reported`() async throws {
        let scratch = try Scratch()
        try scratch.makeFolder("Empty")
        let empty = try await scratch.alertbot("plugins", "check", "Empty")
        #expect(empty.status == 1)
        for words in ["there is no such page", "no Swift file in Sources", "no Swift file in Tests"] {
            #expect(empty.errors.contains(words), "\(empty.errors)")
        }
        try scratch.write("Empty/README.md", "# nothing\n")
        #expect(try await scratch.alertbot("plugins", "check", "Empty").errors.contains("the name of no plugin"))
        let absent = try await scratch.alertbot("plugins", "check", "nowhere")
        #expect(absent.status == 3)
        #expect(absent.errors == "alertbot: nowhere is not a folder\n")
    }

    @Test func `the schema is one JSON document and nothing else`() async throws {
        let scratch = try Scratch()
        let schema = try await scratch.alertbot("schema")
        #expect(schema.status == 0)
        #expect(schema.errors == "")
        let json = try schema.json
        #expect(json["$schema"].string == "https://json-schema.org/draft/2020-12/schema")
        #expect(json["$defs"].names.contains("rule.threshold"))
        #expect(try await scratch.alertbot("schema", "--format", "json").output == schema.output)
    }
}
