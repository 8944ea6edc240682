import YAMLKit

/// A document as one line per finding: the tree with its marks first, then the problems.
///
/// Plain scalars stand bare and others in quotes; every value and key has `@line:column` behind it.
func render(_ yaml: String, limits: YAML.Limits = .init()) -> [String] {
    render(YAML.parse(Array(yaml.utf8), limits: limits))
}

func render(_ document: YAML.Document) -> [String] {
    [document.root.map(render) ?? "nothing"] + document.problems.map(render)
}

/// The problems alone.
func problems(_ yaml: String, limits: YAML.Limits = .init()) -> [String] {
    YAML.parse(Array(yaml.utf8), limits: limits).problems.map(render)
}

func render(_ problem: YAMLProblem) -> String {
    "\(render(problem.mark)) \(problem.message)" + (problem.advice.map { "; \($0)" } ?? "")
}

private func render(_ mark: Mark) -> String {
    "\(mark.line):\(mark.column)"
}

func render(_ node: Node) -> String {
    let text =
        switch node.kind {
        case .scalar(let text, .plain): text
        case .scalar(let text, .quoted): "'\(text)'"
        case .sequence(let items): "[\(items.map(render).joined(separator: ", "))]"
        case .mapping(let entries): "{\(entries.map(render).joined(separator: ", "))}"
        }
    return "\(text)@\(render(node.mark))"
}

private func render(_ entry: Entry) -> String {
    "\(entry.key)@\(render(entry.keyMark)): \(render(entry.value))"
}
