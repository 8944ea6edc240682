package import Mustache

/// A text with places for what a message has, in Mustache: a plugin's option in which a config says how something is
/// to be written. What a message has is in `MessageView`.
public struct MessageText: Hashable, Sendable {
    private let template: Template

    /// A section in a section in a section multiplies, so there must be an end, which may come somewhat later; no plugin
    /// posts as much.
    static let bytesMax = 1 << 20

    /// - Parameters:
    ///   - position: where the option stands.
    ///   - name: what it is called in sentences: `'body'`.
    /// - Throws: every mistake in it.
    public init(_ text: String, at position: Position, _ name: String) throws(ProblemList) {
        do throws(Template.Mistake) {
            template = try Template(text)
        } catch {
            throw ProblemList(position, "\(name): \(error.message)")
        }
        let problems = template.misfits.map { $0.problem(at: position, in: "\(name): ") }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    /// The text with what the message has in its places; of what would be longer than 1 MiB its beginning.
    ///
    /// - Parameter values: of the message, as `MessageView.values(of:written:)` gives them once for all texts of one request.
    public func text(with values: MessageView.Values) -> String {
        template.beginning(with: values.value, bytesMax: MessageText.bytesMax)
    }
}

extension MessageView {
    /// What a message has, written for the places of texts.
    public struct Values: Sendable {
        fileprivate let value: Value
    }

    /// What a message has, in the language that it is posted in.
    ///
    /// - Parameter written: how each of them is written there, percent-encoded for example.
    public func values(of message: Message, written: (String) -> String) -> Values {
        var view = self
        view.words = message.words
        return Values(value: view.value(of: message).mapped(written))
    }
}

extension Template {
    /// What it asks for and no message has.
    package var misfits: [Misfit] { misfits(in: MessageView.sample, open: MessageView.open) }
}

extension Template.Misfit {
    /// The same for people.
    ///
    /// - Parameter front: what stands in front of the sentence.
    package func problem(at position: Position, in front: String = "") -> Problem {
        let path = name.path.isEmpty ? "." : name.path.joined(separator: ".").clipped(to: 60)
        switch kind {
        case .unknown(let known):
            let near = path.nearest(in: known)
            return Problem(
                position, "\(front)a message has no '\(path)'", suggestion: near,
                advice: near == nil ? "'alertbot template show' names all that it has" : nil)
        case .isOfElements(let list):
            let rest = path.dropFirst(list.count + 1)
            return Problem(
                position, "\(front)'\(list)' is a list, so there is no '\(path)'",
                advice: "write {{#\(list)}}{{\(rest)}}{{/\(list)}}")
        case .isNoText:
            return Problem(
                position, "\(front)'\(path)' is more than a text",
                advice: "write {{#\(path)}}…{{/\(path)}} with what it has in between")
        }
    }
}
