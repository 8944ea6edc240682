import BotHarness
import Foundation
import Testing

/// Pages that show what commands print are played from top to bottom, each in a folder of its own:
///
/// - A block with a file's name behind its language is put there under that name.
/// - In a block of a `console`, each line after `$ ` is run, and what it prints is compared with the lines below. `…` stands
///   for anything, on a line of its own for any number of lines.
/// - `<!-- test: bot says WORDS -->` runs the bot until its log has the words, `<!-- test: bot stops -->` ends it. From then
///   on times and ids may be others than on the page.
/// - `<!-- test: services -->` starts a Sentry, a Prometheus and two chats on this machine, at `$SERVICES`; `<!-- test: chat hears WORDS -->`
///   waits for a message.
/// - Any other `<!-- test: … -->` is for the shell, to bring about what the page is about.
@Suite struct `What the pages show` {
    @Test(arguments: Page.all.filter { page in page.blocks.contains { $0.language == "console" } })
    func `commands print what stands below them`(_ page: Page) async throws {
        let scratch = try Scratch()
        try await Walk(page: page, scratch: scratch).play()
    }

    /// Whoever looks for what a page shows finds it by these words.
    @Test(arguments: [
        ("a\nb\n", "a\nb\n", true), ("a\n…\n", "a\nb\nc\n", true), ("…\nc\n", "a\nb\nc\n", true),
        ("a … c\n", "a b c\n", true), ("a\n", "a\nb\n", false), ("a\nb\n", "a\n", false), ("…\nb\n", "a\nc\n", false),
        ("a … d\n", "a b c\n", false), ("", "", true), ("", "a\n", false), ("…\n", "", true),
    ])
    func `dots stand for anything, and nothing else does`(shown: String, printed: String, fits: Bool) {
        #expect(Shown(shown, timesVary: false).fits(printed) == fits)
    }

    @Test func `times and ids may be others only where a bot has run`() {
        let shown = "shop-ios: firing since 2026-11-20T22:05:00Z (6lh5tfi385ng3), Fri 20 Nov 23:05 CET\n"
        let printed = "shop-ios: firing since 2027-01-02T10:00:07.250Z (a1b2c3d4e5f6g), Sat 2 Jan 11:00 CET\n"
        #expect(Shown(shown, timesVary: true).fits(printed))
        #expect(!Shown(shown, timesVary: false).fits(printed))
        #expect(!Shown(shown, timesVary: true).fits(printed.replacing("firing", with: "pending")))
        // One id in 120 has no digit.
        #expect(Shown(shown, timesVary: true).fits(printed.replacing("a1b2c3d4e5f6g", with: "buphjkcfimqee")))
    }
}

/// One page being played.
private final class Walk {
    private let page: Page
    private let scratch: Scratch
    private var bot: Child?
    private var services: Child?
    private var environment: [String: String] = [:]
    private var timesVary = false
    /// The page as it should be.
    private var recorded: String

    init(page: Page, scratch: Scratch) {
        self.page = page
        recorded = page.text
        self.scratch = scratch
    }

    func play() async throws {
        for name in ["config.yaml", "chats.yaml", "proposed.yaml", "bad-release.jsonl"] {
            try scratch.write("docs/samples/\(name)", try SampleFolder.sample(name))
        }
        for part in page.parts {
            switch part {
            case .prose: break
            case .block(let block) where block.language == "console":
                for (command, shown) in block.dialogue { try await type(command, shown, line: block.line) }
            case .block(let block):
                if let file = block.file { try scratch.write(file, block.text) }
            case .stage(let words, let line): try await set(words, line: line)
            }
        }
        bot?.send(SIGTERM)
        try await bot?.ending()
        if Walk.isRecording {
            try recorded.write(toFile: "\(Page.root)/\(page.path)", atomically: true, encoding: .utf8)
        }
    }

    /// `RECORD=1` writes what commands print where the page shows something else; look at the difference.
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD"] == "1"

    private func type(_ command: String, _ shown: String, line: Int) async throws {
        let finished = try await shell("{ \(command)\n} 2>&1")
        let place = "\(page.path):\(line): $ \(command)"
        if Walk.isRecording, !Shown(shown, timesVary: timesVary).fits(finished.output) {
            let end = shown.hasSuffix("\n\n") && !finished.output.hasSuffix("\n\n") ? "\n" : ""
            recorded = recorded.replacing(
                "$ \(command)\n\(shown)", with: "$ \(command)\n\(finished.output)\(end)", maxReplacements: 1)
            return
        }
        #expect(
            Shown(shown, timesVary: timesVary).fits(finished.output),
            "\(place)\n--- the page shows\n\(shown)--- it prints\n\(finished.output)")
        // 2 is wrong usage, 126 and more what a shell says of commands that are not there.
        #expect((finished.status ?? 255) < 126 && finished.status != 2, "\(place): \(finished.ending)")
    }

    private func set(_ words: String, line: Int) async throws {
        if words.hasPrefix("bot says ") {
            timesVary = true
            let running = try bot ?? Child(BotBinary.path, ["run"], folder: scratch.folder, keeping: scratch)
            bot = running
            try await running.says(String(words.dropFirst("bot says ".count)))
        } else if words == "bot stops" {
            bot?.send(SIGTERM)
            try await bot?.ending()
            bot = nil
        } else if words == "services" {
            try await startServices()
        } else if words.hasPrefix("chat hears ") {
            let awaited = String(words.dropFirst("chat hears ".count))
            _ = try await eventually("a chat heard \(awaited)") {
                let heard = try? String(contentsOfFile: scratch.path("messages.jsonl"), encoding: .utf8)
                return heard?.contains(awaited) == true ? true : nil
            }
        } else {
            let finished = try await shell(words)
            #expect(finished.status == 0, "\(page.path):\(line): \(finished.all)")
        }
    }

    /// Commands find them at `$SERVICES`.
    private func startServices() async throws {
        timesVary = true
        let script = Page.root + "/scripts/lib/fake_services.py"
        let started = try Child(
            "python3", [script, "0", "messages.jsonl", "0.998"], folder: scratch.folder, keeping: scratch)
        services = started
        let port = try await eventually("the services listen; they said: \(started.standardError)") {
            started.standardOutput.contains("\n") ? started.standardOutput.dropLast() : nil
        }
        environment["SERVICES"] = "http://127.0.0.1:\(port)"
    }

    private func shell(_ text: String) async throws -> Finished {
        let folder = URL(filePath: BotBinary.path).deletingLastPathComponent().path
        let path = folder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        return try await run(
            "bash", ["-euo", "pipefail", "-c", text],
            environment: ["PATH": path, "LC_ALL": "C.UTF-8"].merging(environment) { $1 }, folder: scratch.folder)
    }
}

/// What a page shows below a command.
private struct Shown {
    private let lines: [String]
    private let timesVary: Bool

    init(_ text: String, timesVary: Bool) {
        self.timesVary = timesVary
        lines = Shown.lines(of: text)
    }

    func fits(_ printed: String) -> Bool {
        Shown.fit(lines.map(plain)[...], Shown.lines(of: printed).map(plain)[...])
    }

    private static func lines(of text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func fit(_ shown: ArraySlice<String>, _ printed: ArraySlice<String>) -> Bool {
        guard let first = shown.first else { return printed.isEmpty }
        if first.trimmingCharacters(in: .whitespaces) == "…" {
            return (printed.startIndex...printed.endIndex).contains { fit(shown.dropFirst(), printed[$0...]) }
        }
        guard let line = printed.first, fits(line, first) else { return false }
        return fit(shown.dropFirst(), printed.dropFirst())
    }

    private static func fits(_ line: String, _ shown: String) -> Bool {
        if line == shown { return true }
        let pieces = shown.components(separatedBy: "…")
        guard pieces.count > 1, let first = pieces.first, let last = pieces.last, line.hasPrefix(first) else {
            return false
        }
        var rest = line.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// Without what is another each time a bot runs.
    private func plain(_ line: String) -> String {
        guard timesVary else { return line }
        return line.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/, with: "INSTANT")
            .replacing(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2} \d\d:\d\d [A-Z]{3,4}/, with: "TIME")
            .replacing(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d \d\d:\d\d [A-Z]{3,4}/, with: "TIME")
            .replacing(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d/, with: "DATE")
            .replacing(/\d\d:\d\d – \d\d:\d\d [A-Z]{3,4}/, with: "HOURS")
            .replacing(/\b[0-9a-v]{13}\b/, with: "ID")
    }
}

extension Page.Block {
    /// Each command of a console with what stands below it.
    fileprivate var dialogue: [(command: String, shown: String)] {
        var dialogue: [(String, String)] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("$ ") {
                dialogue.append((String(line.dropFirst(2)), ""))
            } else if let last = dialogue.indices.last {
                dialogue[last].1 += line + "\n"
            }
        }
        return dialogue
    }
}
