internal import AlertCore
internal import PluginKit

/// In which form a running bot writes its log.
public enum LogFormat: String, CaseIterable, Sendable {
    /// A line for people, or for systemd's journal.
    case text
    /// A JSON object on a line, for what collects the logs of containers.
    case json
}

extension LogFormat {
    /// An entry as a JSON object on one line: `time`, `level` and `message`, then what it is about by name.
    ///
    /// What is said over several lines, such as a mistake in the config with its place, stays one message.
    static func line(_ note: Note, at now: Moment) -> String {
        let message = note.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).tamed }
        let members: [(String, JSON)] = [
            ("time", JSON(now)), ("level", .string(note.level.rawValue)),
            ("message", .string(message.joined(separator: "\n"))),
        ]
        let details = note.details.sorted { $0.key < $1.key }.map { ($0.key, JSON.string($0.value.tamed)) }
        return JSON.object(JSONObject(members + details)).text
    }
}
