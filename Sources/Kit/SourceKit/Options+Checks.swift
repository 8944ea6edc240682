public import PluginKit

// What is wrong with options that many sources have, beyond what the grammar of one option sees.

extension Options {
    /// Texts that must be written and hold nothing.
    public func emptyTexts(_ settings: [RequiredSetting<GuardedText>]) throws(ProblemList) -> [Problem] {
        var problems: [Problem] = []
        for setting in settings where try self[setting].reveal().trimmed.isEmpty {
            problems.append(Problem(position(of: setting), "'\(setting.name)' is empty"))
        }
        return problems
    }

    /// What was meant as the slug of an organization, the word for it in addresses, and is none.
    public func flaws(inSlug setting: RequiredSetting<GuardedText>) throws(ProblemList) -> [Problem] {
        let written = try self[setting]
        let text = written.reveal().trimmed
        guard text.contains(where: { "/ ?#".contains($0) }) else { return [] }
        let words = text.split { "/?#".contains($0) }.map(String.init)
        let slug =
            words.firstIndex(of: "organizations").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
            ?? words.first { $0.hasSuffix(".sentry.io") }.map { String($0.dropLast(".sentry.io".count)) }
        let found = written.hasSecret ? Secret.mask : "'\(text.quotable)'"
        return [
            Problem(
                position(of: setting), "'\(setting.name)' is \(found), expected a slug such as shop",
                suggestion: written.hasSecret ? nil : slug,
                advice: "take it from the addresses of the organization's pages")
        ]
    }

    /// Names of which there are too many, and those that are empty.
    public func flaws(inNames setting: Setting<[String]>, most: Int) -> [Problem] {
        let names = self[setting]
        var problems: [Problem] = []
        if names.count > most {
            problems.append(
                Problem(
                    position(of: setting), "\(names.count) \(setting.name), but at most \(most) can be asked for",
                    advice: "make another source for the rest"))
        }
        for (name, position) in zip(names, positions(in: setting)) where name.trimmed.isEmpty {
            problems.append(Problem(position, "an empty name in '\(setting.name)'"))
        }
        return problems
    }

    /// An address without a host to ask, or with more behind its path.
    ///
    /// - Parameter host: what was made of it.
    public func flaws(
        inAddress setting: any SettingDeclaration, host: String?, example: String
    ) -> [Problem] {
        guard host == nil else { return [] }
        return [Problem(position(of: setting), "'\(setting.name)' is not an address of a server such as \(example)")]
    }
}
