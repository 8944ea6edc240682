internal import PluginKit
internal import YAMLKit

// `include:` puts what other files say of sources, rules, channels and routes beside what the config says of them, so
// that each team can keep its own. To everybody else there is one config: the sections are put together before any of
// them is read, and places say which file they are in.

extension ConfigLoader {
    /// More files are a folder that was not meant; each team of a company with a thousand fits.
    static let includedFilesMax = 1_000

    /// The sections of the config together with those of the files that it includes.
    mutating func including(_ entries: [Entry]) -> [Entry] {
        guard let include = entries.first(where: { $0.key == Vocabulary.include }) else { return entries }
        var merged = entries
        for path in includedPaths(include.value) {
            guard let root = included(path.shown, path.path, at: path.position) else { continue }
            for section in root { merge(section, into: &merged) }
        }
        return merged
    }

    /// Where the files are, in the order of the list; those of one pattern in that of their names. A file that two
    /// patterns name is read once.
    private mutating func includedPaths(_ node: Node) -> [(shown: String, path: String, position: Position)] {
        var paths: [(shown: String, path: String, position: Position)] = []
        for element in node.elements {
            guard let pattern = reader.text(element, Vocabulary.include)?.reveal() else { continue }
            let whole = absolute(pattern)
            var found = [whole]
            if pattern.contains(where: { "*?[".contains($0) }) {
                found = reader.surroundings.files(whole)
                if found.isEmpty {
                    reader.report(
                        Problem(
                            element.position, "'include': no file is called like '\(pattern.tamed.clipped(to: 100))'",
                            advice: "relative paths start at the config's folder", level: .warning))
                }
            }
            for path in found where !paths.contains(where: { $0.path == path }) {
                // As the config itself is called: what is in its folder has no more in front.
                paths.append((path.hasPrefix("./") ? String(path.dropFirst(2)) : path, path, element.position))
            }
        }
        if paths.count > ConfigLoader.includedFilesMax {
            reader.report(
                node.position,
                "'include' names \(paths.count) files, more than the \(ConfigLoader.includedFilesMax) that are read")
        }
        return Array(paths.prefix(ConfigLoader.includedFilesMax))
    }

    /// The sections of one file; none where it cannot be read, or says nothing.
    private mutating func included(_ name: String, _ path: String, at position: Position) -> [Entry]? {
        let bytes: [UInt8]
        do {
            bytes = try reader.surroundings.file(path)
        } catch {
            reader.report(position, "'include': \(name.tamed) cannot be read: \(error.sentence)")
            return nil
        }
        texts[name] = bytes
        let document = YAML.parse(bytes, of: name)
        for problem in document.problems {
            reader.reportBroken(Problem(problem.mark.position, problem.message, advice: problem.advice))
        }
        guard let root = document.root else { return nil }
        let entries = reader.entries(of: root, "an included file")
        return entries.filter { entry in
            switch entry.key {
            case "version":
                readVersion([entry])
                return false
            case _ where Vocabulary.includable.contains(entry.key): return true
            case _ where Vocabulary.top.contains(entry.key):
                reader.report(
                    entry.keyMark.position, "'\(entry.key)' cannot stand in an included file",
                    advice: "it belongs in the config that includes it")
                return false
            default:
                reader.reportUnknown([entry], known: Vocabulary.includable, in: "an included file")
                return false
            }
        }
    }

    /// Adds a section of an included file to the same of the config.
    private mutating func merge(_ section: Entry, into entries: inout [Entry]) {
        guard let index = entries.firstIndex(where: { $0.key == section.key }), !entries[index].value.isNull else {
            entries.removeAll { $0.key == section.key }
            entries.append(section)
            return
        }
        let old = entries[index]
        let kind: Node.Kind
        switch (old.value.kind, section.value.kind) {
        case (.mapping(let known), .mapping(let new)):
            let places = Dictionary(known.map { ($0.key, $0.keyMark) }) { first, _ in first }
            let unique = new.filter { entry in
                guard let place = places[entry.key] else { return true }
                reader.report(
                    entry.keyMark.position,
                    "'\(entry.key.clipped(to: 60))' is already in '\(section.key)', on line \(place.line) of "
                        + (place.file ?? "the config"), advice: "names are unique over all files")
                return false
            }
            kind = .mapping(known + unique)
        // The config itself has the last word: what fits no team's routes goes where it says.
        case (.sequence(let known), .sequence(let new)):
            kind = .sequence(known.filter { $0.mark.file != nil } + new + known.filter { $0.mark.file == nil })
        case (.mapping, _), (.sequence, _):
            if !section.value.isNull {
                reader.report(
                    section.value.position,
                    "'\(section.key)' must be \(old.value.kindName), as in the config, not \(section.value.kindName)")
            }
            return
        // What the config has there is neither, and is reported where it is read.
        case (.scalar, _): return
        }
        entries[index] = Entry(key: old.key, keyMark: old.keyMark, value: Node(kind: kind, mark: old.value.mark))
    }
}
