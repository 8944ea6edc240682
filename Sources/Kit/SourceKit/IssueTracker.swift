public import PluginKit

/// A source of issues alone. There are no sessions, and what an issue counts is of its whole life, so it gives no metric.
public protocol IssueTracker: Source {}

extension IssueTracker {
    public var metrics: Set<Metric>? { [] }
    public var givesIssues: Bool? { true }
    public var givesLabels: Bool { false }
}
