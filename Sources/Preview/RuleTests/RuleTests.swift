// RuleTests reads tests of rules from YAML and runs them: observations in, messages expected. It plays them through a
// preview, so what a test sees is what the bot would do; it opens no file but by a port and prints nothing.

public import PluginKit
internal import Preview
internal import YAMLKit

/// A file of rule tests as written.
public struct RuleTestDocument: Sendable {
    /// The config that the tests are of, as the file names it; nil where it names none.
    public let configPath: String?
    /// Where it does.
    public let configPosition: Position?
    /// What is wrong with the YAML itself.
    public let brokenness: [Problem]
    let root: Node?

    public init(_ bytes: [UInt8]) {
        let document = YAML.parse(bytes)
        root = document.root
        brokenness = document.problems.map { Problem($0.mark.position, $0.message, advice: $0.advice) }
        let config = document.root?.mapping.first { $0.key == "config" }?.value
        configPath = config?.scalar
        configPosition = config?.position
    }
}

/// What came of reading the tests of a file: the tests, unless there is an error among the problems.
public struct RuleTestReading: Sendable {
    public let tests: [RuleTest]
    /// In the order of the file.
    public let problems: [Problem]
}

/// A test of rules: what is seen, and what must be said of it.
public struct RuleTest: Sendable {
    public let name: String
    public let position: Position
    /// In the order of arrival.
    let batches: [ObservationReader.Batch]
    /// Where virtual time ends; nil for the last batch or the last expectation, whichever is later.
    let end: Moment?
    let expectations: [Expectation]
}

/// A decision that a test expects. What it leaves out may be anything.
struct Expectation: Sendable {
    let position: Position
    let at: Moment
    var decision: String?
    var kind: Notification.Kind?
    var severity: Severity?
    var channel: String?
    var rule: String?
    var app: String?
    var release: String?
    var environment: String?
    var reason: String?
    /// Words that the message contains.
    var text: String?
}

extension Mark {
    var position: Position { Position(line: line, column: column) }
}

extension Node {
    var position: Position { mark.position }

    var mapping: [Entry] {
        if case .mapping(let entries) = kind { entries } else { [] }
    }

    /// The text of a single value; nil for anything else and for nothing.
    var scalar: String? {
        if case .scalar(let text, _) = kind, !isNull { text } else { nil }
    }

    var isEmptyList: Bool {
        if case .sequence(let nodes) = kind { nodes.isEmpty } else { false }
    }

    var kindName: String {
        switch kind {
        case .scalar: isNull ? "nothing" : "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
