internal import Mustache
public import PluginKit

/// A message in a team's own words: a text in Mustache whose parts stand behind marks of their own.
///
///     [headline]
///     {{mark}} {{incident.app}} is crashing: {{incident.figure}}
///     [fields]
///     {{#fields}}
///     {{label}}: {{value}}
///     {{/fields}}
///     [body]
///     {{reason}}
///
/// A part that is not there stays as it is built in. Without any mark, the first line is the headline and the rest is the
/// body. Links stay in any case: with them people acknowledge and mute. So do the top issues, which channels link, unless
/// the body has words for them. What a value may be is in `MessageView`.
public struct MessageTemplate: Hashable, Sendable {
    enum Part: String, CaseIterable {
        case headline, fields, body
    }

    /// The file, as people know it.
    public let name: String
    let parts: [Part: Template]
    /// Where each part begins: at its mark.
    private let places: [Part: Int]
    private let isWhole: Bool

    /// Why a template gave no message.
    public struct Failure: Error, Hashable, Sendable {
        /// One phrase, without a full stop.
        public let sentence: String
    }

    /// The most that a part may have as text, in bytes: more than any chat shows.
    static let partBytesMax = 64 << 10

    /// - Throws: every mistake in it, with its place.
    public init(_ text: String, name: String) throws(ProblemList) {
        self.name = name
        var problems: [Problem] = []
        func report(_ place: Template.Place, _ message: String, suggestion: String? = nil, advice: String? = nil) {
            problems.append(
                Problem(
                    Position(file: name, line: place.line, column: place.column), message, suggestion: suggestion,
                    advice: advice))
        }
        let (chunks, isWhole) = MessageTemplate.chunks(of: text) { line, word in
            let near = word.nearest(in: Part.allCases.map(\.rawValue))
            report(
                Template.Place(line: line, column: 1), "there is no part '\(word.clipped(to: 60))'",
                suggestion: near.map { "[\($0)]" },
                advice: near == nil ? "the parts are \(Part.allCases.map(\.rawValue).listed)" : nil)
        }
        var parts: [Part: Template] = [:]
        var places: [Part: Int] = [:]
        for chunk in chunks {
            do throws(Template.Mistake) {
                let template = try Template(chunk.text, line: chunk.line)
                problems += template.misfits.map { misfit in
                    let place = misfit.name.place
                    return misfit.problem(at: Position(file: name, line: place.line, column: place.column))
                }
                if let part = chunk.part {
                    if parts[part] != nil {
                        report(Template.Place(line: chunk.line - 1, column: 1), "[\(part.rawValue)] is there twice")
                    }
                    parts[part] = template
                    places[part] = chunk.line - 1
                } else if template.rendered(with: MessageView.sample, bytesMax: MessageTemplate.partBytesMax)
                    .map({ $0.contains { !$0.isWhitespace } }) ?? true
                {
                    report(
                        Template.Place(line: chunk.line, column: 1), "this comes before the first part",
                        advice: "write [headline] above it")
                }
            } catch {
                report(error.place, error.message)
            }
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
        self.parts = parts
        self.places = places
        self.isWhole = isWhole
    }

    /// Where a part begins; without marks all of them begin with the file.
    func position(of part: Part) -> Position {
        Position(file: name, line: max(places[part] ?? 1, 1), column: 1)
    }

    private struct Chunk {
        /// Nil for what stands before the first mark.
        let part: Part?
        let text: String
        let line: Int
    }

    /// The text cut where a mark stands alone on its line.
    private static func chunks(of text: String, unknown: (_ line: Int, _ word: String) -> Void) -> ([Chunk], Bool) {
        let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        let marks = lines.enumerated().compactMap { index, line in mark(String(line)).map { (index, $0) } }
        guard !marks.isEmpty else {
            return ([Chunk(part: .body, text: lines.joined(separator: "\n"), line: 1)], true)
        }
        var chunks: [Chunk] = []
        func add(_ part: Part?, _ range: Range<Int>) {
            let own = lines[range].joined(separator: "\n") + (range.upperBound < lines.count ? "\n" : "")
            chunks.append(Chunk(part: part, text: own, line: range.lowerBound + 1))
        }
        add(nil, 0..<marks[0].0)
        for (number, (index, word)) in marks.enumerated() {
            let end = number + 1 < marks.count ? marks[number + 1].0 : lines.count
            guard let part = Part(rawValue: word) else {
                unknown(index + 1, word)
                continue
            }
            add(part, (index + 1)..<end)
        }
        return (chunks, false)
    }

    /// The word of a line such as `[body]`.
    private static func mark(_ line: String) -> String? {
        let line = line.trimmed
        guard line.hasPrefix("["), line.hasSuffix("]") else { return nil }
        let word = line.dropFirst().dropLast()
        return !word.isEmpty && word.allSatisfy({ $0.isASCII && $0.isLetter }) ? String(word) : nil
    }

    /// The message in the template's words.
    ///
    /// - Throws: `Failure` where what it gives is no message.
    public func dress(_ message: Message, _ view: MessageView) throws(Failure) -> Message {
        var dressed = message
        let value = view.value(of: message)
        func lines(_ part: Part) throws(Failure) -> [String]? {
            guard let template = parts[part] else { return nil }
            guard let text = template.rendered(with: value, bytesMax: MessageTemplate.partBytesMax) else {
                throw Failure(sentence: "its \(part.rawValue) has more than \(MessageTemplate.partBytesMax >> 10) KiB")
            }
            return text.split(separator: "\n").map { String($0).trimmed }.filter { !$0.isEmpty }
        }
        var body = try lines(.body)
        var headline = try lines(.headline)?.joined(separator: " ")
        if isWhole {
            headline = body?.first ?? ""
            body = Array((body ?? []).dropFirst())
            dressed.fields = []
        }
        if let headline {
            guard !headline.isEmpty else { throw Failure(sentence: "its headline is empty") }
            dressed.headline = headline
        }
        if let fields = try lines(.fields) {
            dressed.fields = []
            for line in fields {
                guard let end = line.firstRange(of: ": ") else {
                    // What has no value, in this message, is left out.
                    if line.hasSuffix(":") { continue }
                    throw Failure(
                        sentence: "its field '\(line.tamed.clipped(to: 80))' is not of the form 'Label: value'")
                }
                dressed.fields.append(
                    Message.Field(String(line[..<end.lowerBound]), String(line[end.upperBound...]).trimmed))
            }
        }
        if let body {
            dressed.body = body
            dressed.sparkline = nil
            dressed.lines = []
            dressed.linesLeftOut = 0
            dressed.reason = ""
            if isWhole || parts[.body]?.names.contains(where: { $0.path.first == "issues" }) == true {
                dressed.issues = []
            }
        }
        return dressed
    }
}
