public import Foundation

/// Figures of apps as lines of observations.
public struct Figures: Sendable {
    public var source: String
    /// The end of the span, and when it was seen.
    public var at: Date
    /// How long the span is, in seconds.
    public var length: Double

    public init(source: String = "figures", at: Date = Date(), length: Double = 60) {
        self.source = source
        self.at = at
        self.length = length
    }

    /// One line: `crashed` of `users` users of an app.
    public func line(_ app: String, crashed: Int, of users: Int, more: String = "") -> String {
        #"{"source":"\#(source)","app":"\#(app)","from":"\#((at - length).instant)","to":"\#(at.instant)","#
            + #""seen":"\#(at.instant)","metrics":{"users":\#(users),"crashed_users":\#(crashed)}\#(more)}"# + "\n"
    }
}

extension Figures {
    /// A day of good hours of one app, and a bad minute at its end.
    public static func day(_ app: String, crashed: Int, of users: Int = 10_000) -> String {
        (1...23).reversed().map { hour in
            Figures(at: Date() - Double(hour) * 3600, length: 3600).line(app, crashed: 10 + hour % 5, of: users)
        }.joined() + Figures().line(app, crashed: crashed, of: users)
    }
}

extension Date {
    /// RFC 3339 in UTC, with milliseconds.
    public var instant: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
