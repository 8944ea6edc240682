/// The commands in lines of a shell, as far as pages write them: words in quotes or not, pipes, redirections, comments.
struct ShellWords {
    /// Each command with its words, what is redirected left out.
    private(set) var commands: [[String]] = []
    private var words: [String] = []
    private var word: String?
    private var isRedirected = false

    init(_ text: String) {
        var quote: Character?
        var isComment = false
        var characters = text.makeIterator()
        while let character = characters.next() {
            if isComment {
                guard character == "\n" else { continue }
                isComment = false
            }
            switch character {
            case quote: quote = nil
            case _ where quote != nil: word?.append(character)
            case "'", "\"":
                quote = character
                word = word ?? ""
            case "\\":
                // A line that goes on, or a character that means nothing here.
                if let next = characters.next(), next != "\n" { word = (word ?? "") + String(next) }
            case "#" where word == nil: isComment = true
            case " ", "\t": endWord()
            case "<", ">":
                // 2> is no word of its own.
                if word?.allSatisfy(\.isNumber) == true { word = nil }
                endWord()
                isRedirected = true
            case "\n", "|", ";", "(", ")", "&":
                // The & of >&1.
                if character == "&", isRedirected, word == nil { continue }
                endWord()
                endCommand()
            default: word = (word ?? "") + String(character)
            }
        }
        endWord()
        endCommand()
    }

    private mutating func endWord() {
        if let word, !isRedirected { words.append(word) }
        if word != nil { isRedirected = false }
        word = nil
    }

    private mutating func endCommand() {
        isRedirected = false
        if !words.isEmpty { commands.append(words) }
        words = []
    }

    /// The arguments of every call of the bot, also inside of containers.
    var callsOfTheBot: [[String]] {
        commands.compactMap { command in
            let words = command.drop { $0.contains("=") && !$0.hasPrefix("-") }
            guard let program = words.first else { return nil }
            if Self.isBot(program) { return Array(words.dropFirst()) }
            guard ["docker", "kubectl"].contains(program) else { return nil }
            if let dashes = words.firstIndex(of: "--") {
                let inside = words[(dashes + 1)...]
                return inside.first.map(Self.isBot) == true ? Array(inside.dropFirst()) : nil
            }
            // The service, and then the program.
            let pair = zip(words.indices, words.indices.dropFirst()).first {
                words[$0] == "alertbot" && words[$1] == "alertbot"
            }
            return pair.map { Array(words[($0.1 + 1)...]) }
        }
    }

    private static func isBot(_ program: String) -> Bool { program == "alertbot" || program.hasSuffix("/alertbot") }
}
