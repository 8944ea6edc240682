public import AlertCore
internal import PluginKit

extension DecisionRecord {
    /// The decision on one line.
    public var logLine: String {
        let what =
            switch decision {
            case .send: "send"
            case .hold(let until): until.ifKnown.map { "hold until \($0)" } ?? "hold"
            case .drop: "drop"
            }
        return "\(channel): \(what) (\(reason)): \(kind.rawValue) \(message.headline.tamed)"
    }
}
