internal import BotConfig
internal import PluginKit
internal import SystemPorts

/// Asks people, and says what is wrong with an answer until it is right.
struct Questioner {
    let dialogue: any Dialogue
    let terminal: Terminal
    let machine: Machine
    let folder: String

    /// What somebody says; where nobody does, the line of the question is ended all the same.
    private func answer(isHidden: Bool = false) throws(Failure) -> String? {
        let answer = try dialogue.answer(isHidden: isHidden)
        if answer == nil { try terminal.line("") }
        return answer
    }

    // MARK: - Which, and whether

    /// One of the plugins of a kind, by its name or its number.
    func choice(of kind: PluginKind, _ question: String, among plugins: [PluginDescription]) throws(Failure)
        -> PluginDescription
    {
        let width = plugins.map(\.manifest.name.count).max() ?? 0
        try terminal.line(question)
        for (index, plugin) in plugins.enumerated() {
            let number = (index < 9 ? " " : "") + "\(index + 1)"
            let name = plugin.manifest.name
            try terminal.line(
                "  \(number)  \(name)\(String(repeating: " ", count: width - name.count))  \(plugin.manifest.summary)")
        }
        while true {
            try terminal.text("\(kind.rawValue), by name or number: ")
            guard let answer = try answer()?.trimmed else {
                throw Questioner.nobody("which \(kind.rawValue)", "--\(kind.rawValue) NAME")
            }
            if let number = Int(answer), plugins.indices.contains(number - 1) { return plugins[number - 1] }
            if let plugin = plugins.first(where: { $0.manifest.name == answer.lowercased() }) { return plugin }
            let near = answer.nearest(in: plugins.map(\.manifest.name)).map { "; did you mean \($0)?" } ?? ""
            terminal.error("there is no \(kind.rawValue) '\(answer.quotable)'\(near)")
        }
    }

    /// Whether; where nobody answers, not.
    func isWanted(_ question: String) throws(Failure) -> Bool {
        try terminal.text("\(question) [y/N] ")
        let answer = try answer()?.trimmed.lowercased() ?? ""
        return ["y", "yes"].contains(answer)
    }

    /// What to do after something did not work.
    enum Next { case again, keep, stop }

    /// - Parameter mayKeep: whether what was answered could be written all the same.
    func next(mayKeep: Bool) throws(Failure) -> Next {
        while true {
            try terminal.text(
                mayKeep
                    ? "Answer again, keep the answers as they are, or stop? [again/keep/stop] "
                    : "Answer again, or stop? [again/stop] ")
            switch try answer()?.trimmed.lowercased() {
            case "", "again", "a": return .again
            case "keep", "k": if mayKeep { return .keep }
            case nil, "stop", "s": return .stop
            default: break
            }
        }
    }

    /// That somebody must say something, and nobody is there.
    static func nobody(_ what: String, _ option: String) -> Failure {
        Failure(
            .wrongUsage,
            "there is nobody to ask \(what): run it in a terminal, pipe one answer per line, or pass \(option)")
    }

    // MARK: - Options

    /// Asks for the options of a plugin that a first config needs.
    ///
    /// - Parameters:
    ///   - before: what was answered the last time, which Enter keeps.
    ///   - set: what the command line says.
    ///   - onlyNeeded: whether to ask nothing where the command line says all that must be there.
    func thing(
        _ plugin: PluginDescription, before: DraftThing?, set: [(key: String, value: String)], onlyNeeded: Bool
    ) throws(Failure) -> DraftThing {
        var thing = DraftThing(plugin: plugin)
        for option in plugin.manifest.options {
            // Whoever answers again may change what the command line says, too, as far as there is a question for it.
            if before != nil, option.asking != .never { continue }
            try put(set, option, in: &thing)
        }
        let missing = plugin.manifest.options.filter { $0.asking != .never && thing.values[$0.name] == nil }
        // Where somebody has to answer, be it a pipe, all is asked for that a first config is better with.
        guard !missing.isEmpty, !onlyNeeded || thing.values.isEmpty || missing.contains(where: \.isRequired) else {
            return thing
        }
        try terminal.line("")
        try terminal.line("\(plugin.manifest.name):")
        if !plugin.manifest.access.isEmpty { try terminal.line("  \(plugin.manifest.access)") }
        for option in plugin.manifest.options where thing.values[option.name] == nil && thing.isAsked(option) {
            try ask(option, before, into: &thing)
        }
        return thing
    }

    /// Takes in what the command line sets of an option.
    private func put(
        _ set: [(key: String, value: String)], _ option: OptionSpec, in thing: inout DraftThing
    ) throws(Failure) {
        for (key, value) in set where key.prefix(while: { $0 != "." }) == option.name {
            if option.isSecret, !value.contains("${"), !value.isEmpty {
                throw Failure(
                    .wrongUsage,
                    "'\(key)' is a secret, and everybody on this machine can read a command line: write --set "
                        + "\(key)='${env:NAME}' or '${file:PATH}'")
            }
            try put(value, key, option, in: &thing)
        }
    }

    private func put(_ value: String, _ key: String, _ option: OptionSpec, in thing: inout DraftThing) throws(Failure) {
        do throws(AnswerFlaw) {
            if let dot = key.firstIndex(of: ".") {
                guard case .map(let kind) = option.kind else { throw AnswerFlaw("takes no entries") }
                let entry = String(key[key.index(after: dot)...])
                try Answer.check(value, kind)
                var entries: [DraftValue.DraftEntry] = []
                if case .map(let known)? = thing.values[option.name] { entries = known }
                guard !entries.contains(where: { $0.name == entry }) else { throw Questioner.twice }
                thing.values[option.name] = .map(entries + [DraftValue.DraftEntry(name: entry, value: value)])
            } else {
                let said = try Answer.value(of: value, option)
                switch (thing.values[option.name], said) {
                case (nil, _): thing.values[option.name] = said
                case (.list(let known)?, .list(let more)):
                    thing.values[option.name] = .list(known + more.filter { !known.contains($0) })
                default: throw Questioner.twice
                }
            }
        } catch {
            throw Failure(.wrongUsage, "'\(key)' \(error.sentence)")
        }
    }

    private static let twice = AnswerFlaw("is set twice; keep one")

    /// What leaves out an option where Enter would keep the last answer.
    private static let nothing = "-"

    private func ask(_ option: OptionSpec, _ before: DraftThing?, into thing: inout DraftThing) throws(Failure) {
        let old = before?.values[option.name]
        try terminal.line("")
        try terminal.line("  \(option.help)\(hint(option, thing.plugin, old))")
        while true {
            guard let answer = try reply(to: option) else {
                guard option.isRequired else { return }
                let value = option.isSecret ? "'${env:NAME}'" : "VALUE"
                throw Questioner.nobody(
                    "what '\(option.name)' of \(thing.plugin.manifest.name) is",
                    "--set \(thing.plugin.kind.rawValue).\(option.name)=\(value)")
            }
            if answer.isEmpty, let before, let old {
                thing.values[option.name] = old
                // With a reference to a file goes what the file is to hold.
                for (file, secret) in before.secrets where old == .secret(in: file) { thing.secrets[file] = secret }
                return
            }
            if answer.isEmpty || answer == Questioner.nothing && old != nil, !option.isRequired { return }
            do throws(AnswerFlaw) {
                guard !answer.isEmpty else { throw AnswerFlaw("is required") }
                if option.isSecret,
                    let typed = try Answer.secret(answer, home: machine.variables["HOME"], folder: folder)
                {
                    thing.values[option.name] = .text(typed)
                } else if option.isSecret {
                    let file = "\(DraftConfig.secretsFolder)/\(thing.name)-\(option.name.replacing("_", with: "-"))"
                    thing.values[option.name] = .secret(in: file)
                    thing.secrets[file] = answer
                } else {
                    thing.values[option.name] = try Answer.value(of: answer, option)
                }
                return
            } catch {
                terminal.error("  '\(option.name)' \(error.sentence)")
            }
        }
    }

    /// One line, or for a map one line for each entry; nil where nobody says anything.
    private func reply(to option: OptionSpec) throws(Failure) -> String? {
        try terminal.text("  \(option.name): ")
        let first = try answer(isHidden: option.isSecret)?.trimmed
        guard case .map = option.kind, var lines = first, !lines.isEmpty else { return first }
        while let line = try nextEntry(), !line.isEmpty { lines += "\n" + line }
        return lines
    }

    private func nextEntry() throws(Failure) -> String? {
        try terminal.text("    and: ")
        return try answer()?.trimmed
    }

    /// What helps to answer: how an answer looks, and what Enter means.
    private func hint(_ option: OptionSpec, _ plugin: PluginDescription, _ old: DraftValue?) -> String {
        var hints: [String] = []
        switch option.kind {
        case .list: hints.append("Separate several with commas.")
        case .map: hints.append("One 'name: value' per line, or several with commas; an empty line ends the list.")
        default: break
        }
        if option.isSecret {
            hints.append("What you type is not shown; a file's path, ${env:NAME} or ${credential:NAME} also works.")
        } else if !option.help.contains("such as"), let example = plugin.exampleValue(of: option.name) {
            hints.append("Such as \(example).")
        }
        if let old {
            let kept = option.isSecret ? "the last answer" : old.shown
            hints.append("Enter keeps \(kept)\(option.isRequired ? "." : ", \(Questioner.nothing) leaves it out.")")
        } else if !option.isRequired {
            hints.append("Enter leaves it out.")
        }
        return hints.isEmpty ? "" : " " + hints.joined(separator: " ")
    }
}

extension PluginDescription {
    /// What the plugin's example has for an option; nil where it stands on lines of its own.
    fileprivate func exampleValue(of option: String) -> String? {
        manifest.example.split(separator: "\n").lazy.compactMap { line -> String? in
            guard line.hasPrefix(option + ": ") else { return nil }
            let value = String(line.dropFirst(option.count + 2)).trimmed
            // Of a map its first entry, as it is typed.
            return value.hasPrefix("{") ? String(value.dropFirst().prefix { !",}".contains($0) }) : value
        }.first
    }
}
