internal import AlertCore
internal import PluginKit

extension [Effect] {
    /// What of it belongs into the log, without secrets.
    ///
    /// - Parameter isWritten: whether the journal could be written; what leaves otherwise is what says that it cannot.
    func notes(_ redactor: Redactor, withDetails: Bool, isWritten: Bool) -> [Note] {
        let leaving = compactMap { effect -> String? in
            guard !isWritten, case .send(let order) = effect, order.mayLeaveUnsafe else { return nil }
            return order.delivery.id
        }
        return compactMap { effect in
            switch effect {
            case .note(let note): Note(note.level, redactor.redact(note.text), note.details)
            case .decided(let record):
                Note(
                    .info, record.logLine(waits: !isWritten && !leaving.contains { $0 == record.delivery }),
                    withDetails ? record.logDetails : [:])
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
    ///
    /// - Parameter waits: whether nothing leaves before the journal can be written.
    func logLine(waits: Bool) -> String {
        let what =
            switch decision {
            case .send: waits ? "send when the journal can be written" : "send"
            case .hold(let until): until.ifKnown.map { "hold until \($0)" } ?? "hold"
            case .drop: "drop"
            }
        return "\(channel): \(what) (\(reason)): \(kind.rawValue) \(message.headline.tamed)"
    }
}
