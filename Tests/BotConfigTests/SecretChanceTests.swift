import BotConfig
import Chance
import PluginKit
import Testing

@Suite struct `Secrets in configs of chance` {
    private static let configsMax = 400

    @Test func `are in no problem, neither as text nor as JSON`() {
        var writer = SecretWriter(random: SeededRandom(printedFor: "secrets in configs"))
        for _ in 0..<Self.configsMax {
            let isIncluded = writer.random.happens(0.2)
            let own = writer.config()
            let main = isIncluded ? "include: [/etc/bot/team.yaml]" + least : own
            var surroundings = FakeWorld.surroundings()
            let known = surroundings.file
            surroundings.withholdsSecrets = writer.random.happens(0.2)
            surroundings.file = { path throws(ConfigSurroundings.Missing) in
                if path == "/etc/bot/team.yaml" { return Array(own.utf8) }
                return try known(path)
            }
            let result = Config.load(
                Array(main.utf8), folder: "/etc/bot", catalog: FakeWorld.catalog, surroundings: surroundings)
            for problem in result.problems {
                let file = problem.position.file
                let text = file == nil ? main : own
                let lines = ShownLines(
                    text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init),
                    hiding: result.writtenSecrets.filter { $0.position.file == file })
                let told = problem.text(file: "config.yaml", lines: lines) + problem.json(file: "config.yaml").text
                #expect(!SecretWriter.isTold(in: told), "\(told)\n\(text)")
            }
        }
    }

    /// Otherwise the test above proves nothing.
    @Test func `would be found`() {
        var writer = SecretWriter(random: SeededRandom(seed: 1))
        let secrets = (0..<50).map { _ in writer.secret() }
        #expect(secrets.allSatisfy { SecretWriter.isTold(in: $0) }, "\(secrets)")
        #expect(!SecretWriter.isTold(in: least))
    }
}

/// Writes configs with secrets, most of them with mistakes, as people make them.
private struct SecretWriter {
    var random: SeededRandom

    /// No word of any sentence has four of these in a row.
    private static let letters = Array("zqxjvk")

    static func isTold(in text: String) -> Bool { text.contains(/[zqxjvk]{4}/) }

    /// What stands for a word of a secret in what follows.
    private static let word: Character = "W"

    /// What secrets look like; all but a few mean something in YAML. A text that is written as a key with its value is none: it
    /// counts as a key. Nor is a name between `${` and `}`.
    private static let shapes = [
        "W", "W W W", "W:W", "W#W", "W #W", "-W", "@W", "%W", "&W W", "*W", "!W", "{W}", "[W, W]", "\"W", "'W W",
        "W\"W\"", "|W", ">W", "? W", "- W", "W, W", "W=W", "${env:TOKEN}W", "W${env:TOKEN}", "W/W", "`W`",
        "https://h.example/W/W", "W\tW", "limit W W", "url W", "\u{202E}W", "W\u{200B}W", "é W", "W:\u{A0}W", "W；W",
        "W\\qW", "W]", "W}",
    ]

    private static let keys = [
        "token", "mirror", "pasword", "passphrase", "tokn", "auth", "webhook", "secret", "key", "X-Api-Key",
    ]

    mutating func config() -> String {
        var sections = [
            ["bot:", "    name: x"], ["sources:", "  ios:", "    plugin: feed", "    url: https://feed.example"],
            ["rules:", "  floor:", "    plugin: limit", "    metric: users", "    limit: \"< 50\""],
            ["channels:", "  team:", "    plugin: page"], ["routes:", "  - to: [team]"],
        ]
        let section = random.pick([0, 1, 1, 2, 3]) ?? 1
        let isThing = section > 0 && random.happens(0.3)
        let place = isThing ? 1 : sections[section].count - random.below(2)
        let option = isThing ? thing() : option()
        sections[section].insert(contentsOf: option, at: place)
        var lines = sections.flatMap { $0 }
        let first = sections[..<section].map(\.count).reduce(place, +)
        for _ in 0..<(random.pick([0, 1, 1, 2, 2]) ?? 1) { mutate(&lines, near: first - 1...first + option.count) }
        return lines.joined(separator: random.happens(0.2) ? "\r\n" : "\n") + "\n"
    }

    mutating func secret() -> String {
        let shape = random.pick(Self.shapes) ?? "W"
        return shape.map { $0 == Self.word ? word() : String($0) }.joined()
    }

    private mutating func word() -> String { String((0..<7).map { _ in random.pick(Self.letters) ?? "z" }) }

    /// An option of a thing with a secret in it, line by line.
    private mutating func option() -> [String] {
        let key = random.pick(Self.keys) ?? "token"
        let (secret, more) = (self.secret(), word())
        let forms = [
            ["\(key): \(secret)"], ["\(key): \(secret)", "  \(more) \(more)"], ["\(key): \"\(secret)\""],
            ["\(key): \"\(secret)", "  \(more)\""], ["\(key): '\(secret)'"], ["\(key): |", "  \(secret)", "  \(more)"],
            ["\(key): >-", "  \(secret)", "  \(more)"], ["\(key):", "  \(secret)"], ["\(key):", "  \"\(secret)\""],
            ["more: {\(key): \(secret), size: 3}"],
            ["headers: {", "  \(key): \(secret), b: c,", "  \(key): \"\(secret)\", d: e}"],
            ["\(key):", "- \(secret)", "- \(more)"], ["\(key): [\(secret), \(more)]"], ["\(key): &a \(secret)"],
            ["\(key): !!str \(secret)"], ["\(key): # \(more)", "  \(secret)"], ["\(key): \"${env:TOKEN}\" # \(more)"],
            ["<<: {\(key): \(secret)}"], ["headers:", "  \(key): \(secret)"],
        ]
        return (random.pick(forms) ?? []).map { "    " + $0 }
    }

    /// A thing between braces, with a mistyped key behind the secret so that its last line is shown.
    private mutating func thing() -> [String] {
        let (key, secret, more) = (random.pick(Self.keys) ?? "token", word(), word())
        let known = "\(key): \"${env:TOKEN}\""
        let forms = [
            ["\(key)", "\(secret)"], ["\(key): \(more), \(key):", "\(secret)"], ["\(key):\(more)", "\(secret)"],
            ["\(key): \(more)", "\(secret)"], ["\(key): \"\(more)", "\(secret)\""], ["~: \(more)", "\(secret)"],
            ["[a]:", "\(secret)"], ["? [a, ", "\(more)] : \(secret)"], ["<<: \(more)", "\(secret)"],
            ["\(known),", "<<: {\(key): \(secret), nme: x}"], ["<<: [{\(known)}, {\(key): \(secret), nme: x}]"],
            ["\(known),", "<<: {}, <<: {\(key):", "\(secret)}"], ["\(key): [\(more),", "\(secret)]"],
        ]
        let plugin = random.pick(["feed", "feed", "fed", "page", "limit"]) ?? "feed"
        var lines = (random.pick(forms) ?? forms[0]).map { "      " + $0 }
        lines[lines.count - 1] += ", nme: x}"
        return ["  z: {plugin: \(plugin),"] + lines
    }

    /// Makes a mistake on one of the lines there.
    private mutating func mutate(_ lines: inout [String], near range: ClosedRange<Int>) {
        let index = min(lines.count - 1, max(0, range.lowerBound + random.below(range.count)))
        let line = lines[index]
        let cut = line.index(line.startIndex, offsetBy: random.below(line.count + 1))
        let (head, tail) = (String(line[..<cut]), String(line[cut...]))
        let bare = String(line.drop { $0 == " " })
        let hasNext = index + 1 < lines.count
        switch random.below(18) {
        case 0: lines[index] = line.replacing(":", with: "", maxReplacements: 1)
        case 1: lines[index] = line.replacing(": ", with: ":", maxReplacements: 1)
        case 2: lines[index] = "\t\(bare)"
        case 3: lines[index] = String(repeating: " ", count: 1 + random.below(3)) + line
        case 4: if line.hasPrefix("    ") { lines[index] = String(line.dropFirst(1 + random.below(3))) }
        case 5: lines[index] = bare
        case 6:
            if hasNext {
                let next = lines.remove(at: index + 1).drop { $0 == " " }
                lines[index] = "\(line) \(next)"
            }
        case 7: lines[index] = head
        case 8...10:
            let sign = random.pick(["\"", "'", "[", "]", "{", "}", ", "]) ?? ""
            lines[index] = "\(head)\(sign)\(tail)"
        case 11: lines.insert(line, at: index)
        case 12: if hasNext { lines.swapAt(index, index + 1) }
        case 13: lines[index] = line.replacing(":", with: "::", maxReplacements: 1)
        case 14: lines.insert(random.pick(["", "    # note"]) ?? "", at: index)
        case 15:
            let others = ["    visible", "  x", "foo bar", "    name: y z: q", " - a", "    \"q\" r"]
            lines.insert(random.pick(others) ?? "", at: index)
        case 16: lines[index] = line.replacing(" ", with: "\u{A0}", maxReplacements: 1)
        default: lines[index] = "- " + line
        }
    }
}
