public import AlertCore
internal import PluginKit

extension [Effect] {
    /// What of it belongs into the log, without secrets.
    func notes(_ redactor: Redactor, withDetails: Bool) -> [Note] {
        compactMap { effect in
            switch effect {
            case .note(let note): Note(note.level, redactor.redact(note.text), note.details)
            case .decided(let record): Note(.info, record.logLine, withDetails ? record.logDetails : [:])
            case .poll, .send, .answered: nil
            }
        }
    }
}

extension DecisionRecord {
    /// What programs that read the log want to know of it.
    var logDetails: [String: String] {
        var details = [
            "channel": channel, "decision": decision.name, "reason": reason.description, "kind": kind.rawValue,
            "severity": severity.rawValue,
        ]
        if let incident { details["incident"] = incident }
        if let delivery { details["delivery"] = delivery }
        if case .hold(let until) = decision, let until = until.ifKnown { details["until"] = until.description }
        return details
    }

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
