internal import PluginKit

/// How PagerDuty shows an event: the summary with its severity, and the details as a table below.
enum PagerDutyPicture {
    static func of(_ event: JSON) -> ChatPicture {
        let key = event["dedup_key"]?.string ?? ""
        guard let payload = event["payload"] else {
            let verb = event["event_action"] == "acknowledge" ? "Acknowledges" : "Resolves"
            return ChatPicture(.pagerduty, [.small([Run("\(verb) the alert \(key).")])])
        }
        let severity = payload["severity"]?.string ?? ""
        var blocks: [ChatPicture.Block] = [.heading([Run(payload["summary"]?.string ?? "")])]
        let facts = ["source", "component", "group", "class"].compactMap { name in
            payload[name]?.string.map { [Run(name.capitalized, .bold), Run("\n"), Run($0)] }
        }
        let details = (payload["custom_details"]?.object?.members ?? []).map { member in
            [Run(member.name, .bold), Run("\n"), Run(text(member.value))]
        }
        blocks.append(.fields(facts + details))
        let links = (event["links"]?.array ?? []).map { link in
            [Run(link["text"]?.string ?? "", link: link["href"]?.string)]
        }
        if !links.isEmpty { blocks.append(.paragraph(Array(links.joined(separator: [Run("  ·  ")])))) }
        blocks.append(.small([Run("Severity \(severity) · alert \(key)")]))
        return ChatPicture(.pagerduty, [.bar(.of(Message.Mark(Severity(rawValue: severity) ?? .info)), blocks)])
    }

    private typealias Run = ChatPicture.Run

    private static func text(_ value: JSON) -> String {
        value.string ?? (value.array ?? []).compactMap(\.string).joined(separator: "\n")
    }
}

extension String {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
