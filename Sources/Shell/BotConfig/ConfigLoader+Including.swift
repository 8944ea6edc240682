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
        let sections = includedPaths(include.value).flatMap { included($0.path, as: $0.written, at: $0.position) }
        let parts = Dictionary(grouping: sections, by: \.key)
        return Vocabulary.includable.reduce(into: entries) { merged, key in
            guard let parts = parts[key] else { return }
            let own = entries.first { $0.key == key && !$0.value.isNull }
            let whole = key == "routes" ? routes(own, parts) : things(own, parts)
            merged.removeAll { $0.key == key }
            merged.append(whole)
        }
    }

    /// Where the files are, in the order of the list; those of one pattern in that of their names. A file that two
    /// patterns name is read once.
    private mutating func includedPaths(_ node: Node) -> [(path: String, written: GuardedText, position: Position)] {
        var paths: [(path: String, written: GuardedText, position: Position)] = []
        var known: Set<String> = []
        guard !node.isMapping else {
            reader.hide(node)
            reader.reportGap(
                node.position, "'\(Vocabulary.include)' must be a list of files, not \(node.kindName)",
                advice: "write include: [teams/*.yaml]")
            return []
        }
        for element in node.elements {
            guard let written = reader.text(element, Vocabulary.include) else {
                reader.leaveGap(at: element.position)
                continue
            }
            let pattern = written.reveal()
            // Whoever knows it from an editor would miss the files that lie higher or deeper.
            guard !pattern.split(separator: "/").contains("**") else {
                reader.reportGap(
                    element.position,
                    "'include': '\(written.description.tamed.clipped(to: 100))' has '**', which is one folder here and not "
                        + "any number of them",
                    advice: "name each depth, as in include: [teams/*.yaml, teams/*/*.yaml]")
                continue
            }
            var found = [absolute(pattern)]
            if pattern.contains(where: { "*?[".contains($0) }) {
                found = reader.surroundings.files(absolute(pattern, from: folder.asPattern))
                if found.isEmpty {
                    reader.report(
                        Problem(
                            element.position,
                            "'include': no file matches '\(written.description.tamed.clipped(to: 100))'",
                            advice: "relative paths start at the config's folder", level: .warning))
                }
            }
            for path in found where known.insert(path).inserted {
                paths.append((path, written, element.position))
            }
        }
        if paths.count > ConfigLoader.includedFilesMax {
            reader.reportGap(
                node.position,
                "'include' names \(paths.count) files, more than the \(ConfigLoader.includedFilesMax) that are read")
        }
        return Array(paths.prefix(ConfigLoader.includedFilesMax))
    }

    /// The sections of one file; none where it cannot be read, or says nothing.
    private mutating func included(_ path: String, as written: GuardedText, at position: Position) -> [Entry] {
        let name = reader.shownName(of: written, at: path)
        let bytes: [UInt8]
        do {
            bytes = try reader.surroundings.file(path)
        } catch {
            reader.reportGap(
                position, "'include': \(name.tamed) cannot be read: \(error.sentence)",
                advice: "until it can be, names that may stand in it are not checked")
            return []
        }
        reader.texts[name] = bytes
        guard !ConfigLoader.saysNothing(bytes) else {
            reader.report(
                Problem(position, "'include': there is nothing in \(name.tamed)", level: .warning))
            return []
        }
        let document = YAML.parse(bytes, of: name)
        reader.reportBroken(document)
        guard let root = document.root else { return [] }
        let entries = refusingPlugins(reader.entries(of: root, "an included file"))
        return entries.filter { entry in
            switch entry.key {
            case "version":
                readVersion([entry])
                return false
            case _ where Vocabulary.includable.contains(entry.key): return true
            case _ where Vocabulary.top.contains(entry.key):
                reader.hide(entry)
                reader.report(
                    entry.keyMark.position, "'\(entry.key)' is not allowed in an included file",
                    advice: "it belongs in the config that includes it")
                return false
            default:
                leaveGaps(
                    reader.reportUnknown([entry], known: Vocabulary.includable, in: "an included file"), [entry])
                return false
            }
        }
    }

    /// Whether there is nothing but comments in a file: one that is still to be written, or whose things rest for a while.
    private static func saysNothing(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).allSatisfy { line in
            let line = String(line).trimmed
            return line.isEmpty || line.hasPrefix("#") || line == "\u{FEFF}" || line == "---"
        }
    }

    /// A section of named things with those of other files behind the config's own. What takes a name that is taken is
    /// read all the same: whatever is wrong with it is told in one go.
    private mutating func things(_ own: Entry?, _ parts: [Entry]) -> Entry {
        let head = own ?? parts[0]
        var places: [String: Mark] = [:]
        var all: [Entry] = []
        for part in [own].compactMap(\.self) + parts {
            for entry in reader.entries(of: part.value, "'\(part.key)'") {
                if let place = places[entry.key] {
                    let name = reader.shown(name: entry.key, at: entry.keyMark.position)
                    reader.report(
                        entry.keyMark.position,
                        "'\(name.clipped(to: 60))' is already in '\(part.key)', on line \(place.line) of "
                            + (place.file ?? "the config"), advice: "names are unique over all files")
                } else {
                    places[entry.key] = entry.keyMark
                }
                all.append(entry)
            }
        }
        return Entry(key: head.key, keyMark: head.keyMark, value: Node(kind: .mapping(all), mark: head.value.mark))
    }

    /// The routes of other files in front of the config's own, which has the last word: what fits no team's routes goes
    /// where it says.
    private mutating func routes(_ own: Entry?, _ parts: [Entry]) -> Entry {
        let head = own ?? parts[0]
        var all: [Node] = []
        for part in parts + [own].compactMap(\.self) {
            if case .sequence(let routes) = part.value.kind {
                all += routes
            } else if !part.value.isNull {
                reader.hide(part.value)
                reader.report(
                    part.value.position, "'routes' must be a list, not \(part.value.kindName)",
                    advice: "write - to: [CHANNEL]")
            }
        }
        return Entry(key: head.key, keyMark: head.keyMark, value: Node(kind: .sequence(all), mark: head.value.mark))
    }
}
