internal import ArgumentParser
internal import PluginKit

/// A slip where the name of a command is expected, which the parser knows nothing better of than that it did not expect
/// it: `alertbot chekc`, or an option before its command; and an option that is given twice, which it takes.
enum CommandSlip {
    /// What is wrong and what was probably meant; nil where every word up to the command itself is as it should be.
    ///
    /// - Parameter words: those of the command line after the program's name.
    static func sentence(_ words: some Sequence<String>) -> String? {
        var inner = Alertbot.configuration.subcommands
        var path: [String] = []
        for word in words {
            if inner.isEmpty { return nil }
            if word == "help", path.isEmpty { continue }
            guard let next = inner.first(where: { $0.configuration.commandName == word }) else {
                return sentence(word, after: path, inner.compactMap { $0.configuration.commandName })
            }
            inner = next.configuration.subcommands
            path.append(word)
        }
        return nil
    }

    /// That an option is given twice: the parser takes the last, and whoever asked for two channels would see one and not know
    /// it. Nil where none is.
    ///
    /// - Parameter words: those of the command line after the program's name.
    static func repetition(_ words: some Sequence<String>) -> String? {
        var (command, given): (String?, Set<String>) = (nil, [])
        for word in words {
            if word == "--" { return nil }
            command = command ?? word
            guard word.hasPrefix("--") else { continue }
            let option = String(word.prefix { $0 != "=" })
            guard !given.insert(option).inserted, !(lists[command ?? ""] ?? []).contains(option) else { continue }
            return "the option '\(option)' is given twice, expected once; keep one"
        }
        return nil
    }

    /// The options that may be given several times, by their command.
    private static let lists: [String: Set<String>] = [
        "init": ["--set"],
        "mute": ["--app", "--source", "--rule", "--release", "--environment", "--severity", "--issue", "--label"],
    ]

    /// What the program itself understands.
    private static let own = ["--help", "-h", "--version"]
    /// What every command understands, and many people write first.
    private static let common = ["--config", "--format", "--color"]

    private static func sentence(_ word: String, after path: [String], _ commands: [String]) -> String? {
        let place = (["alertbot"] + path).joined(separator: " ")
        let shown = word.quotable
        guard word.hasPrefix("-") else {
            let prefix = path.map { $0 + " " }.joined()
            let near = word.nearest(in: commands).map { "did you mean '\(prefix)\($0)'?" }
            return "unknown command '\(prefix)\(shown)'; " + (near ?? "'\(place) --help' lists the commands")
        }
        let option = String(shown.prefix { $0 != "=" })
        if own.contains(option) { return nil }
        func behind(_ option: String) -> String { "'\(place) COMMAND \(option) …'" }
        if common.contains(option) {
            return "the option '\(option)' comes before the command; write it after, as in \(behind(option))"
        }
        let near = option.hasPrefix("--") ? option.nearest(in: own + common) : nil
        let guess = near.map { common.contains($0) ? "did you mean \(behind($0))?" : "did you mean '\($0)'?" }
        return "unknown option '\(option)'; " + (guess ?? "options come after a command, as in \(behind("--config"))")
    }
}
