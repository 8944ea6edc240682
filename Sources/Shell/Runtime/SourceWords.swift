internal import PluginKit

/// What `status`, the page and `why` say of sources and channels in the same words.
public enum SourceWords {
    /// Behind the time of a source's next poll, where that depends on another source.
    public static func waits(for holder: String) -> String {
        ", when \(holder) may be polled again: both share one account"
    }

    /// Of a channel whose messages have arrived without their charts.
    public static func missingCharts(_ count: Int, why: String) -> String {
        "\(count.counted("message")) without a chart, the last: \(why)"
    }

    /// At the end of a list of judgements that is cut.
    public static func more(_ count: Int) -> String { "and \(count) more: 'alertbot why' lists each" }
}
