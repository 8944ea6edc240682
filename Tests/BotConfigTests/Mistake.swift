internal import Testing

/// A config with a mistake, and all that is to be said of it, in the order of the file.
struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let yaml: String
    let problems: [String]

    init(_ name: String, _ yaml: String, _ problems: String...) {
        self.name = name
        self.yaml = yaml
        self.problems = problems
    }

    var testDescription: String { name }
}
