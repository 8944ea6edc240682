import PluginKit

@testable import NtfyChannel

/// What is wrong with a message by ntfy's rules, as far as they are written down.
@Sendable func ntfyFlaws(_ payload: JSON) -> [String] {
    var flaws: [String] = []
    let message = payload["message"]?.string ?? ""
    if !(1...NtfyLimits.messageMax).contains(message.utf8.count) {
        flaws.append("\(message.utf8.count) bytes of message")
    }
    if let title = payload["title"]?.string, !(1...NtfyLimits.titleMax).contains(title.utf8.count) {
        flaws.append("\(title.utf8.count) bytes of title")
    }
    if (payload["priority"]?.number).map({ !(1...5).contains($0) }) ?? true { flaws.append("no priority of ntfy's") }
    let topic = payload["topic"]?.string ?? ""
    if topic.isEmpty { flaws.append("no topic") }
    let sequence = payload["sequence_id"]?.string ?? ""
    if !(1...64).contains(sequence.utf8.count) { flaws.append("no sequence_id") }
    let actions = payload["actions"]?.array ?? []
    if actions.count > NtfyLimits.actionsMax { flaws.append("\(actions.count) actions") }
    let addresses = actions.map { $0["url"]?.string } + (payload["click"].map { [$0.string] } ?? [])
    for address in addresses where address?.lowercased().hasPrefix("http") != true {
        flaws.append("a link that leads nowhere: \(address ?? "")")
    }
    for action in actions where action["action"] != "view" || action["label"]?.string?.isEmpty ?? true {
        flaws.append("an action that shows nothing")
    }
    // Telephones make links of addresses; those of issues are ours, the last on their line.
    for line in message.split(separator: "\n") {
        for (index, word) in line.split(separator: " ").enumerated() where word.contains("://") {
            if index == 0 || !word.lowercased().hasPrefix("http") {
                flaws.append("a live link in '\(line.prefix(80))'")
            }
        }
    }
    return flaws
}
