internal import PluginKit
internal import YAMLKit

/// The state of one reading: problems found so far, secrets seen, and the ways to read a value.
struct ConfigReader {
    let secrets: SecretReading
    let surroundings: ConfigSurroundings
    let catalog: PluginCatalog
    private(set) var problems: [Problem] = []
    /// Where they are: a config may have thousands, and each is told once.
    private var problemsAt: [Position: [Int]] = [:]
    private(set) var errorPlaces: Set<Position> = []
    var secretsRead = SecretsRead()
    var blemishes = Blemishes()
    /// What options are called whose values are secrets, in any plugin.
    private(set) lazy var secretNames = Vocabulary.secretNames(catalog)
    /// Which words are of the config: what has an alias is asked about again and again.
    var known: [String: Bool] = [:]
    /// What is suggested in place of single values, as it would be read.
    private var suggestions: [(name: String, option: Option)] = []
    /// Which of these stand at a place.
    private var suggestedAt: [Position: [Int]] = [:]
    /// What the things of the files are called.
    private(set) var names: Set<String> = []

    init(secrets: SecretReading, surroundings: ConfigSurroundings, catalog: PluginCatalog) {
        self.secrets = secrets
        self.surroundings = surroundings
        self.catalog = catalog
    }

    /// The config's own file.
    var text: [UInt8] = []
    /// The other files that were read, by the names that places have for them.
    var texts: [String: [UInt8]] = [:]
    private var lines: [String?: [Substring]] = [:]
    /// What those files are called whose names are made of secrets, by their paths.
    private var guardedNames: [String: String] = [:]
    /// Calendars that have been read, nil for one with faults: many rules may share one.
    var calendars: [String: EventCalendar?] = [:]

    /// Where sources and channels may be.
    var policy = AddressPolicy.open
    /// Who is on call, by the names of rotations; nil where they stand elsewhere, and are taken on trust.
    var rotations: [String: Rotation]?
    /// Those that something names.
    var namedRotations: Set<String> = []
    /// Those that could not be read.
    var brokenRotations: Set<String> = []

    /// One that has read nothing yet.
    var afresh: ConfigReader {
        var reader = ConfigReader(secrets: secrets, surroundings: surroundings, catalog: catalog)
        reader.policy = policy
        return reader
    }

    /// What a file has that an option names; nil where it cannot be read, or has more than it may, which is reported.
    ///
    /// - Parameters:
    ///   - name: what places call it.
    ///   - advice: where there is one to start from.
    mutating func bytes(
        ofFile path: String, called name: String, _ option: String, at position: Position, most bytesMax: Int,
        advice: String
    ) -> [UInt8]? {
        let bytes: [UInt8]
        do {
            bytes = try surroundings.file(path)
        } catch {
            // Where secrets are not, the files beside them need not be either.
            report(
                Problem(
                    position, "'\(option)': \(name.tamed) cannot be read: \(error.sentence)", advice: advice,
                    level: surroundings.withholdsSecrets ? .warning : .error))
            return nil
        }
        guard bytes.count <= bytesMax else {
            report(position, "'\(option)': \(name.tamed) is larger than \(bytesMax >> 10) KiB")
            return nil
        }
        return bytes
    }

    /// What places call a file that the config names. As with the config itself, what is in its folder has no more in
    /// front; and where a secret is part of the name, it is shown as it was written.
    mutating func shownName(of written: GuardedText, at path: String) -> String {
        guard written.hasSecret else { return path.withoutDotSlash }
        if let known = guardedNames[path] { return known }
        var shown = written.description
        // What a plain end stands for, such as `*.yaml`, tells nothing of the folder before it.
        if case .plain(let end)? = written.pieces.last, let slash = end.lastIndex(of: "/"),
            let file = path.split(separator: "/").last
        {
            let file = written.pieces.reduce(String(file)) { file, piece in
                guard case .secret(let secret) = piece, case let value = secret.reveal(), !value.isEmpty else {
                    return file
                }
                return file.split(separator: value, omittingEmptySubsequences: false).joined(separator: Secret.mask)
            }
            shown = shown.dropLast(end[slash...].count) + "/" + file
        }
        var (name, number) = (shown, 1)
        while guardedNames.values.contains(name) {
            number += 1
            name = "\(shown) #\(number)"
        }
        guardedNames[path] = name
        return name
    }

    /// Remembers a problem, once.
    ///
    /// - Parameter quotesAsides: whether it may quote what a text says below its first line.
    mutating func report(_ problem: Problem, quotesAsides: Bool = false) {
        // Where the YAML itself is wrong, what it seems to say is not worth a word.
        var problem = problem.masking(secretsRead.masksNear(quotesAsides ? nil : problem.position)).tamed
        problem = Problem(
            problem.position, problem.message, suggestion: writable(problem.suggestion, at: problem.position),
            advice: problem.advice, level: problem.level)
        guard !blemishes[.broken].contains(problem.position), !blemishes[.withheld].contains(problem.position),
            problemsAt[problem.position]?.contains(where: { problems[$0] == problem }) != true
        else { return }
        problemsAt[problem.position, default: []].append(problems.count)
        problems.append(problem)
        if problem.level == .error { errorPlaces.insert(problem.position) }
    }

    func hasProblem(at position: Position) -> Bool { problemsAt[position] != nil }

    func hasError(at position: Position) -> Bool { errorPlaces.contains(position) }

    /// What is suggested, as it has to be written there; nil where it has a mask in it.
    private mutating func writable(_ suggestion: String?, at position: Position) -> String? {
        guard let suggestion, !suggestion.contains(Secret.mask) else { return nil }
        // With one of these YAML begins something else, unless there are quotes around the value.
        guard let first = suggestion.first, "|>@%&*!".contains(first) else { return suggestion }
        let line = line(of: Mark(file: position.file, line: position.line, column: position.column))
        let sign = line.unicodeScalars.dropFirst(max(0, position.column - 1)).first
        return sign == "\"" || sign == "'" ? suggestion : "\"\(suggestion)\""
    }

    /// Remembers what is suggested there, for whoever can tell whether it would be refused, too.
    mutating func noteSuggestion(_ value: Option.Value, for name: String, at position: Position) {
        suggestedAt[position, default: []].append(suggestions.count)
        suggestions.append((name, Option(value, at: position)))
    }

    /// What is suggested at any of these places, in the order in which it was.
    func suggested(at places: Set<Position>) -> [(name: String, option: Option)] {
        guard !suggestions.isEmpty else { return [] }
        return places.flatMap { suggestedAt[$0] ?? [] }.sorted().map { suggestions[$0] }
    }

    /// Takes back what is suggested there.
    mutating func withdrawSuggestion(at position: Position) {
        for index in problemsAt[position] ?? [] {
            let problem = problems[index]
            problems[index] = Problem(position, problem.message, advice: problem.advice, level: problem.level)
        }
    }

    /// Remembers what is wrong with the YAML of a file, and hides what is on its lines.
    ///
    /// - Parameter mayHoldNames: whether names of things may stand in what is left out for it.
    mutating func reportBroken(_ document: YAML.Document, mayHoldNames: Bool = true) {
        for section in document.root?.mapping ?? [] where Vocabulary.naming.contains(section.key) {
            names.formUnion(section.value.mapping.map(\.key).filter(ConfigLoader.isName))
        }
        for flaw in document.problems { reportBroken(flaw, mayHoldNames) }
        hide(linesOf: document.problems)
        // What is on those lines is hidden by what can be told of it.
        let lines = Set(document.problems.map(\.mark.line))
        for node in document.leftOut { hide(node, besides: lines) }
    }

    private mutating func reportBroken(_ flaw: YAMLProblem, _ mayHoldNames: Bool) {
        let (position, shown) = (flaw.mark.position, flaw.naming(mayName(flaw)))
        report(Problem(position, shown.message, advice: shown.advice))
        blemishes.note(.broken, at: position)
        guard mayHoldNames, let depth = flaw.depthOfLoss, depth < ConfigReader.depthInThing else { return }
        // Of a section that stands twice, the word that stands there.
        let word = String(line(of: flaw.mark).prefix { $0.isLetter })
        if position.column == 1, Vocabulary.top.contains(word), !Vocabulary.naming.contains(word) { return }
        leaveGap(at: position)
    }

    /// What is wrong within a named thing takes away no name: it stands in a section, and that in the file.
    private static let depthInThing = 3

    /// Remembers a problem for which a part of the files is not read.
    mutating func reportGap(_ position: Position, _ message: String, advice: String? = nil) {
        report(position, message, advice: advice)
        leaveGap(at: position)
    }

    mutating func report(_ position: Position, _ message: String, _ suggestion: String? = nil, advice: String? = nil) {
        report(Problem(position, message, suggestion: suggestion, advice: advice))
    }

    /// The entries of a mapping; anything else is a problem and gives none. Null counts as an empty mapping.
    mutating func entries(of node: Node, _ what: String) -> [Entry] {
        switch node.kind {
        case .mapping(let entries): return entries
        case .scalar where node.isNull: return []
        default:
            // The name of a thing, or a word of the config, is seen.
            let isWord = if case .scalar(let text, _) = node.kind { knows(text) } else { false }
            if !isWord { hide(node) }
            let slip = node.missingSpace.map { knows($0.key) ? $0.named : $0.unnamed }
            report(
                node.position,
                slip?.message ?? "\(what) must be a mapping of names to values, not \(node.kindName)",
                advice: slip?.advice)
            return []
        }
    }

    /// Reports every entry whose key is not among the known ones, with the nearest of them.
    ///
    /// - Parameter options: those of the known ones of which values may be lists.
    /// - Returns: the keys that were probably meant.
    @discardableResult
    mutating func reportUnknown(
        _ entries: [Entry], known: [String], in what: String, options: [OptionSpec] = []
    ) -> Set<String> {
        var meant: Set<String> = []
        let written = Set(entries.map(\.key))
        // What is there already was not meant: beside `api_key`, `app_key` is another.
        lazy var free = known.filter { !written.contains($0) }
        var unread: Entry?
        for (index, entry) in entries.enumerated() {
            let before = unread
            unread = known.contains(entry.key) && !secretNames.contains(entry.key) ? nil : entry
            guard !known.contains(entry.key) else { continue }
            let list = cutList(entries, at: index, known, options)
            let near =
                list?.isCertain == true
                ? nil
                : entry.key.nearest(in: free) ?? Vocabulary.whole(of: entry.key, among: free)
                    ?? Vocabulary.address(for: entry.key, among: free)
            if let near { meant.insert(near) }
            hide(entry, meaning: near)
            // What is merged into several things stands in one place.
            guard blemishes.note(.unknown, at: entry.keyMark.position) else { continue }
            if let near {
                report(
                    entry.keyMark.position, "unknown key '\(entry.key.clipped(to: 60))' in \(what)", near,
                    advice: entry.key.adviceOnSpace)
            } else if list?.isCertain != true, let home = Vocabulary.home(of: entry.key, besides: what, catalog) {
                report(
                    entry.keyMark.position, "'\(entry.key)' does not belong in \(what)", advice: "it belongs in \(home)"
                )
            } else {
                let names = known.sorted().joined(separator: ", ")
                report(
                    entry.keyMark.position,
                    "unknown key '\(shown(entry, behind: before))' in \(what); known are \(names)",
                    advice: list?.advice ?? entry.key.adviceOnSpace)
            }
            reportMissingSecrets(in: entry.value)
        }
        return meant
    }

    /// Reports the secrets that cannot be read where nothing reads them: once the key is right, they are missing.
    private mutating func reportMissingSecrets(in node: Node) {
        switch node.kind {
        case .scalar(let text, _):
            guard text.isReference, case .failure(let failures) = secrets.read(text) else { return }
            for failure in failures.all {
                report(node.position, failure.sentence, failure.suggestion, advice: failure.advice)
            }
        case .mapping(let entries): for entry in entries { reportMissingSecrets(in: entry.value) }
        case .sequence(let nodes): for node in nodes { reportMissingSecrets(in: node) }
        }
    }

    /// The text of a scalar with its secrets in place; a problem and nil otherwise.
    mutating func text(_ node: Node, _ name: String, standingIn: Bool = false) -> GuardedText? {
        guard case .scalar(let written, _) = node.kind else {
            hide(node)
            report(node.position, "'\(name)' must be a single value, not \(node.kindName)")
            return nil
        }
        guard !node.isNull, !written.isEmpty else {
            report(node.position, "'\(name)' is empty", advice: adviceOnRest(behind: node))
            return nil
        }
        hideLines(below: node, written)
        switch secrets.read(written) {
        case .failure(let failures):
            for failure in failures.all {
                report(node.position, failure.sentence, failure.suggestion, advice: failure.advice)
            }
            guard standingIn else { return nil }
            withhold(node)
            return failures.text
        case .success(let text):
            if surroundings.withholdsSecrets, text.hasSecret {
                withhold(node)
                return text
            }
            secretsRead.remember(text)
            if text.hasSecret { secretsRead.noteMarks(of: text, secrets.references(in: written)) }
            for path in secrets.openFiles(in: written) {
                report(
                    Problem(
                        node.position, "the secret file \(path) can be read by other users",
                        advice: "run chmod 600 on it, and chown to the bot's user", level: .warning))
            }
            for name in secrets.keptBack(in: written) {
                let path = "\(surroundings.credentialsFolder ?? "")/\(name)"
                report(
                    Problem(
                        node.position,
                        "systemd does not hand the credential \(name) to the service, which would not start",
                        advice:
                            "add LoadCredential=\(name):\(path) to its drop-in, then run systemctl daemon-reload and "
                            + "restart it",
                        level: .warning))
            }
            if text.hasSpaceAtSecret {
                report(
                    Problem(
                        node.position, "the secret in '\(name)' begins or ends with a space, which nobody sees",
                        advice: "take it out of the variable, file or credential, unless it is part of the secret",
                        level: .warning))
            }
            guard !text.reveal().contains("\0") else {
                report(node.position, "'\(name)' contains a NUL character")
                return nil
            }
            return text
        }
    }

    /// The line of its file on which a mark stands, without the mark of the file's encoding; empty where there is none.
    mutating func line(of mark: Mark) -> Substring {
        let read = { (text: [UInt8]) in
            String(decoding: text, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }
        }
        let lines = lines[mark.file] ?? read(mark.file.map { texts[$0] ?? [] } ?? text)
        self.lines[mark.file] = lines
        return lines.indices.contains(mark.line - 1) ? lines[mark.line - 1].drop { $0 == "\u{FEFF}" } : ""
    }

    /// Reports a secret that stands in the file itself.
    mutating func reportWritten(_ name: String, at position: Position) {
        report(
            Problem(
                position,
                "the secret in '\(name)' is written in the file itself, where everyone who can read the file sees it",
                advice: "use ${env:NAME}, ${file:PATH} or ${credential:NAME}", level: .warning))
    }

    /// What a value says, for people: masked where any of it came out of a secret.
    func shown(_ node: Node, _ text: String) -> String {
        if case .scalar(let written, _) = node.kind, written.contains("${") { return Secret.mask }
        return text.clipped(to: 60)
    }
}

extension Mark {
    var position: Position { Position(file: file, line: line, column: column) }
}

extension Node {
    var position: Position { mark.position }

    var kindName: String {
        switch kind {
        case .scalar: isNull ? "nothing" : "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
