internal import PluginKit

extension PluginManifest {
    /// What is wrong with what a plugin says of itself, whatever its kind.
    ///
    /// - Parameter reserved: the keys that every plugin of its kind has.
    func flaws(reserved: [String], kind: String) -> [String] {
        var found: [String] = []
        if !name.isKey { found.append("the manifest's name '\(name)' is not of small letters and '_'") }
        let names = options.map(\.name)
        if Set(names).count != names.count { found.append("the manifest declares an option twice") }
        for key in reserved where names.contains(key) {
            found.append("the manifest declares '\(key)', which every \(kind) has")
        }
        for (what, sentence) in [("summary", summary)] + options.map({ ($0.name, $0.help) }) {
            if !sentence.hasSuffix(".") || sentence.count < 2 || sentence != sentence.tamed {
                found.append("the manifest's text on '\(what)' is not a sentence: '\(sentence)'")
            }
        }
        for option in options {
            if !option.name.isKey { found.append("the option '\(option.name)' is not of small letters and '_'") }
            if let flaw = option.defaultFlaw { found.append("the default of '\(option.name)' \(flaw)") }
        }
        return found
    }
}

extension OptionSpec {
    /// Whether the default is a value that the declaration itself takes, and means the same when it is written out.
    fileprivate var defaultFlaw: String? {
        guard let writtenDefault, let defaultValue else { return nil }
        do {
            guard let read = try kind.read(writtenDefault) else { return nil }
            return read.bare == defaultValue.bare
                ? nil : "is shown as \(writtenDefault), which is read as another value"
        } catch {
            return "is \(writtenDefault), which its own declaration refuses: expected \(error.expected)"
        }
    }
}

extension OptionKind {
    /// The value that a text of a config stands for; nil where that takes a reader of YAML.
    func read(_ written: String) throws(GrammarError) -> Option.Value? {
        switch self {
        case .orOff(let inner): return written == "off" ? .off : try inner.read(written)
        case .list(let inner, _):
            let isInBrackets = written.hasPrefix("[") && written.hasSuffix("]")
            let parts = isInBrackets ? written.dropFirst().dropLast().split(separator: ",") : [written[...]]
            var elements: [Option] = []
            for part in parts {
                guard let value = try inner.read(String(part).trimmed) else { return nil }
                elements.append(Option(value, at: WrittenOptions.place))
            }
            return .list(elements)
        case .map, .section, .match: return nil
        default:
            let isQuoted = written.hasPrefix("\"")
            return try value(GuardedText(isQuoted ? (try? JSON(parsing: written))?.string ?? written : written))
        }
    }
}

extension Option.Value {
    /// The value without the places at which it stands.
    var bare: String {
        switch self {
        case .list(let elements): "\(elements.map(\.value.bare))"
        // A set has no order.
        case .days(let days): days.grammar
        default: "\(self)"
        }
    }
}

extension String {
    /// Whether it can stand before a colon in a config, and looks like all the others there.
    fileprivate var isKey: Bool {
        !isEmpty
            && utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// What is wrong with it as a line that people read; nil when nothing is.
    func lineFlaw(charactersMax: Int) -> String? {
        if trimmed.isEmpty { return "is empty" }
        if self != tamed { return "has control characters in it: \(String(reflecting: self.clipped(to: 80)))" }
        if count > charactersMax || utf8.count > 64 * charactersMax {
            return "has \(count) characters, more than \(charactersMax): \(clipped(to: 60))"
        }
        return nil
    }
}

extension [String] {
    /// Each sentence once, where it came first.
    var once: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
