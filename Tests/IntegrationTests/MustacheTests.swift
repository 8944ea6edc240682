import AlertTesting
import BotHarness
import Chance
import Foundation
import Mustache
import Testing

extension IntegrationSuite {
    /// Templates by chance, written by this reader and by PyPI's chevron.
    @Suite struct MustacheTests {
        private static let data = """
            {"a": "x", "b": "", "no": false, "yes": true, "e": [], "o": {"a": "inner", "p": {"q": "deep"}},
             "l": [{"a": "one"}, {"b": "two"}, {"c": "z"}], "t": ["u", "v"]}
            """

        private static let value: Value = .members([
            "a": "x", "b": "", "no": false, "yes": true, "e": .list([]),
            "o": .members(["a": "inner", "p": .members(["q": "deep"])]),
            "l": .list([.members(["a": "one"]), .members(["b": "two"]), .members(["c": "z"])]), "t": .list(["u", "v"]),
        ])

        /// A template of a few tags between blanks, line ends and words, sections closed. Chevron is at odds with the
        /// specification where a section stands in one of its own name, a tag ends the text, or
        /// tabs stand before a tag.
        private static func template(_ random: inout SeededRandom, inside names: [String] = []) -> String {
            var text = ""
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                text += random.pick(["", " ", "\n", "\n  ", "w", "é{ }", "\r\n"]) ?? ""
                switch Int.random(in: 0...7, using: &random) {
                case 0...2 where names.count < 3:
                    let name =
                        random.pick(
                            ["a", "b", "no", "yes", "e", "o", "l", "t", "o.p", "gone"].filter { !names.contains($0) })
                        ?? ""
                    let mark = random.pick(["#", "#", "^"]) ?? ""
                    text += "{{\(mark)\(name)}}\(template(&random, inside: names + [name])){{/\(name)}}"
                case 3: text += random.pick(["{{! note }}", "{{!a\nb}}"]) ?? ""
                case 4: text += "{{{ \(random.pick(["a", "b", "o.a", "o.p.q", "gone", "o.gone"]) ?? "") }}}"
                default: text += "{{&\(random.pick(["a", "b", "o.a", "o.p.q", "gone"]) ?? "")}}"
                }
            }
            return text
        }

        @Test(arguments: [UInt64(1), .random(in: 2 ... .max)])
        func `are written alike`(_ seed: UInt64) async throws {
            var random = SeededRandom(seed: seed)
            var lines = ""
            for _ in 0..<5_000 {
                let text = "w\n" + Self.template(&random) + "\nw"
                let written = try #require(
                    Template(text).rendered(with: Self.value, bytesMax: 1 << 20), "\(seed): \(text)")
                let line = ["template": text, "written": written]
                lines += String(decoding: try JSONEncoder().encode(line), as: UTF8.self) + "\n"
            }
            let check = """
                import chevron, json, sys
                data = json.loads('''\(Self.data)''')
                for line in sys.stdin:
                    case = json.loads(line)
                    expected = chevron.render(case["template"], data)
                    if expected != case["written"]:
                        sys.exit(f"{case!r}: expected {expected!r}")
                """
            let judged = try await run(Tools.python, ["-c", check], input: .text(lines))
            #expect(judged.status == 0, "seed \(seed): \(judged.all)")
        }
    }
}
