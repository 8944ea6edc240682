internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Commands
internal import PluginKit
internal import Runtime
internal import SystemPorts

/// What the shell offers where a command wants a name: what stands in the config that the command would read, and what the
/// bot knows. It asks for no secret and says nothing of a config that is wrong: whoever presses Tab wants names or nothing.
enum Names {
    static let ofChannels = CompletionKind.custom { words, _, _ in
        config(words)?.result.config?.plan.channels.map(\.name) ?? []
    }
    static let ofSources = CompletionKind.custom { words, _, _ in
        config(words)?.result.config?.plan.sources.map(\.name) ?? []
    }
    static let ofRules = CompletionKind.custom { words, _, _ in
        config(words)?.result.config?.rulePlaces.keys.sorted() ?? []
    }
    static let ofApps = CompletionKind.custom { words, _, _ async in
        await known(words, "rules", "app")
    }
    static let ofIncidents = CompletionKind.custom { words, _, _ async in
        await known(words, "incidents", "id")
    }
    static let ofMutes = CompletionKind.custom { words, _, _ async in
        // Those of the config end when it says so.
        await known(words, "mutes", "id") { $0["origin"]?.string == "command" }
    }
    static let ofFailedDeliveries = CompletionKind.custom { words, _, _ in
        guard let folder = config(words)?.result.stateFolder,
            let (state, _) = try? State.inJournal(folder, PluginCatalog.builtin.memories)
        else { return [] }
        return distinct(StatusReport.history(state, limit: State.historyMaxUsual, deadOnly: true), "id")
    }
    static let ofSourcePlugins = CompletionKind.list(PluginCatalog.builtin.sources.map { $0.manifest.name })
    static let ofChannelPlugins = CompletionKind.list(PluginCatalog.builtin.channels.map { $0.manifest.name })
    static let ofPlugins = CompletionKind.custom { _, _, _ in
        PluginCatalog.builtin.descriptions.map(\.manifest.name).sorted()
    }

    /// The config that the command line names, or the one of the usual place.
    private static func config(_ words: [String]) -> ConfigFile? {
        var path: String?
        for (index, word) in words.enumerated() {
            if word == "--config", index + 1 < words.count { path = words[index + 1] }
            if word.hasPrefix("--config=") { path = String(word.dropFirst("--config=".count)) }
        }
        return try? ConfigFile(
            path ?? ConfigFile.usualPlace(on: machine), .builtin, on: machine, withholdsSecrets: true)
    }

    /// What the bot knows, running or not.
    private static func known(
        _ words: [String], _ list: String, _ key: String, where isWanted: (JSON) -> Bool = { _ in true }
    ) async -> [String] {
        guard let file = config(words), file.result.config != nil,
            let status = try? await BotContact(file, on: machine).status()
        else { return [] }
        return distinct(.array((status[list]?.array ?? []).filter(isWanted)), key)
    }

    private static func distinct(_ list: JSON, _ key: String) -> [String] {
        Set((list.array ?? []).compactMap { $0[key]?.string }).filter(isPlain).sorted()
    }

    /// Whether the shell takes the name for nothing but text, and a terminal shows all of it: apps are named by sources, and
    /// bash runs `$(…)` in what it is offered. Whoever needs another name types it.
    private static func isPlain(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            return "._-+@:/, ".unicodeScalars.contains(scalar) || properties.numericType == .decimal
                || (properties.isAlphabetic || properties.generalCategory == .nonspacingMark)
                    && !properties.isDefaultIgnorableCodePoint
        }
    }
}
