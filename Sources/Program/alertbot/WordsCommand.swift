internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import Commands
internal import PluginKit
internal import SystemPorts

struct WordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "words", abstract: "Shows the phrases of messages, as a start for your own.",
        subcommands: [WordsShow.self])
}

struct WordsShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints every phrase that messages are made of, as YAML.",
        discussion: """
            Without --language these are the words of the config: its language, with the phrases of your own. Save what you \
            want to change beside the config and name the file as 'words:' of 'bot'; 'alertbot check' finds mistakes in it.
            """)

    @OptionGroup var common: AnswerOptions
    @Option(name: .long, help: "The built-in words of a language: en or es.", completion: .list(["en", "es"]))
    var language: String?

    func validate() throws {
        guard let language, Words.Language(rawValue: language) == nil else { return }
        let known = Words.Language.allCases.map(\.rawValue).joined(separator: " or ")
        throw ValidationError("--language is '\(language)', expected \(known)")
    }

    func run() throws {
        let words: Words
        if let language = language.flatMap(Words.Language.init) {
            words = .builtIn(language)
        } else {
            // A config that names a file which is still to be written has an error, and this is where it comes from.
            words = try common.file().result.config?.plan.words ?? .english
        }
        try common.print(["language": .string(words.language.rawValue), "words": words.json], words.yaml)
    }
}
