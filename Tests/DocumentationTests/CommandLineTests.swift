import BotHarness
import Testing

/// A call of the bot that a page shows.
private struct Call: Sendable, CustomStringConvertible {
    let arguments: [String]
    let place: String
    /// Whether it is only spoken of, between backticks, and may leave out what it needs.
    let isMention: Bool

    var description: String { "\(place): alertbot \(arguments.joined(separator: " "))" }
    var line: String { arguments.joined(separator: " ") }

    /// In blocks for shells and between backticks, each once.
    static let all: [Call] = {
        var seen: Set<[String]> = []
        return Page.all.filter { $0.path != "CHANGELOG.md" }.flatMap { page in
            let blocks = page.blocks.filter { ["sh", "console"].contains($0.language) }
            let spans = page.codeSpans.filter { $0.text.hasPrefix("alertbot ") }
            let typed = blocks.flatMap { block in
                ShellWords(block.language == "sh" ? block.text : block.commands).callsOfTheBot.map {
                    Call(arguments: $0, place: "\(page.path):\(block.line)", isMention: false)
                }
            }
            return typed
                + spans.flatMap { text, line in
                    ShellWords(text).callsOfTheBot.map {
                        Call(arguments: $0, place: "\(page.path):\(line)", isMention: true)
                    }
                }
        }.filter { seen.insert($0.arguments).inserted }
    }()

    /// Whether it stands for a call and is none: `alertbot COMMAND`.
    var isForm: Bool { arguments.first.map { $0 == $0.uppercased() && !$0.hasPrefix("-") } ?? true }
}

@Suite struct `Commands on the pages` {
    @Test func `the pages have some`() {
        #expect(Call.all.count > 60)
        #expect(Set(Call.all.compactMap(\.arguments.first)).count > 15)
    }

    /// There is no config where they are called, so nothing happens; what the parser does not know is refused before that.
    @Test(arguments: Call.all.filter { !$0.isForm })
    fileprivate func `the program knows every command and every option`(_ call: Call) async throws {
        let scratch = try Scratch()
        let finished = try await run(
            BotBinary.path, call.arguments, environment: ["ALERTBOT_CONFIG": "none.yaml"], folder: scratch.folder)
        let isIncomplete = call.isMention && finished.errors.firstMatch(of: /^Error: (?:Missing|give|name)\s/) != nil
        #expect(isIncomplete || !finished.errors.contains("\nUsage: "), "\(call): \(finished.errors)")
    }

    /// What is not tried, and why.
    private static let notTried: [(prefix: String, why: String)] = [
        ("run", "starts a bot; IntegrationTests do"),
        ("init", "asks people; InitTests do"),
        ("reload", "asks a running bot; ReloadTests do"),
        ("send-test", "posts to a real service"),
        ("sources probe", "asks a real service"),
        ("mute", "changes the state; StateTests do"), ("unmute", "changes the state; StateTests do"),
        ("ack", "changes the state, and needs an incident's id"),
        ("retry", "changes the state, and needs a delivery's id"),
        ("journal compact", "changes the state; JournalTests do"),
        ("journal repair", "changes the state; JournalTests do"),
        ("backtest --since", "asks real services, or a recording up to now"),
        ("suggest", "the sample is too short to suggest anything by; SuggestTests do"),
        ("plugins check plugins/detectors/Busy", "of a plugin that CONTRIBUTING.md writes; scripts/walk does"),
        ("check --config busy.yaml", "the same"), ("dry-run --config busy.yaml", "the same"),
        ("journal verify --config /tmp/copy", "of a copy that the page makes"),
        ("test shop.test.yaml", "played on its own page"),
    ]

    private static func isTried(_ call: Call) -> Bool {
        // Capitals stand for something: NAME, ID, FILE. And some options are only spoken of.
        let isWhole = !call.arguments.contains { $0.allSatisfy { $0.isUppercase || $0 == "." } }
        guard !call.isForm, isWhole, call.line.firstMatch(of: /(?:--observations|--at)$/) == nil else { return false }
        return !notTried.contains { prefix, _ in
            // A path goes on without a space.
            call.line == prefix || call.line.hasPrefix(prefix + " ")
                || prefix.contains("/") && call.line.hasPrefix(prefix)
        }
    }

    /// With the samples of docs/samples under the names that the pages use.
    @Test(arguments: Call.all.filter(isTried))
    fileprivate func `those that need nobody else end well`(_ call: Call) async throws {
        let scratch = try SampleFolder.make()
        let finished = try await run(BotBinary.path, call.arguments, folder: scratch.folder)
        // Two configs of which one is quieter differ: that is the answer.
        let isAnswered = finished.status == 0 || finished.status == 1 && call.line.contains("--fail-on-difference")
        #expect(isAnswered, "\(call): \(finished.all)")
    }

    @Test func `whatever is not tried is still on a page`() {
        for (prefix, _) in Self.notTried {
            #expect(Call.all.contains { $0.line.hasPrefix(prefix) }, "alertbot \(prefix)")
        }
    }

    @Test func `the README's table has every command, and no other`() async throws {
        let help = try await run(BotBinary.path, ["--help"])
        let listed = help.output.split(separator: "\n").drop { $0 != "SUBCOMMANDS:" }
            .compactMap { $0.firstMatch(of: /^  ([a-z-]+)\s/)?.1 }
        let readme = try Page("README.md").text
        let table = try #require(readme.firstRange(of: "\n## Commands\n"))
        let rows = readme[table.upperBound...].prefix { $0 != "#" }.split(separator: "\n")
            .filter { $0.hasPrefix("| `") }.compactMap { $0.split(separator: "|").first }
        let named = rows.flatMap { $0.matches(of: /`([a-z-]+)/).map(\.1) }
        // Second words stand alone where the first was said: `journal verify`, `show`.
        let parents: Set<Substring> = ["journal", "plugins", "words"]
        for command in listed { #expect(named.contains(command), "\(command) is not in the table") }
        for row in rows {
            let first = try #require(row.firstMatch(of: /`([a-z-]+)/)?.1)
            #expect(listed.contains(first), "there is no command \(first)")
            for other in row.matches(of: /`([a-z-]+)/).map(\.1) where !listed.contains(other) {
                #expect(parents.contains(first) || row.contains("`\(first) \(other)"), "there is no command \(other)")
            }
        }
    }
}

extension Page.Block {
    /// What a reader types in a block of a console: lines after `$ `.
    var commands: String {
        text.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) + "\n" }.joined()
    }
}
