internal import Mustache

/// A text with places for what a message has, in Mustache: a plugin's option in which a config says how something is
/// to be written. What a message has is in `MessageView`.
public struct MessageText: Hashable, Sendable {
    private let template: Template

    /// A section in a section in a section multiplies, so there must be an end; no plugin posts as much.
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
        let problems = template.misfits(in: MessageView.sample, open: MessageView.open).map { misfit in
            let path = misfit.name.path.joined(separator: ".")
            let known: [String] = if case .unknown(let known) = misfit.kind { known } else { [] }
            return Problem(
                position,
                known.isEmpty
                    ? "\(name): '\(path)' is more than a text" : "\(name): a message has no '\(path.clipped(to: 60))'",
                suggestion: path.nearest(in: known),
                advice: path.nearest(in: known) == nil ? "docs/guide/templates.md has all that it has" : nil)
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    /// The text with what the message has in its places.
    ///
    /// - Parameter written: how each of them is written there, percent-encoded for example.
    /// - Returns: nil where it would be longer than 1 MiB.
    public func text(
        of message: Message, _ view: MessageView, written: @escaping (String) -> String = { $0 }
    ) -> String? {
        template.rendered(with: view.value(of: message).mapped(written), bytesMax: MessageText.bytesMax)
    }
}
