import PluginKit

@testable import PagerDutyChannel

// What PagerDuty takes beside `PagerDutyLimits`: a bot's name, ids and the shares of a message stay far below it.
private let keyMax = 255
let eventBytesMax = 524_288

/// What is wrong with an event by PagerDuty's rules, as far as they are written down.
@Sendable func pagerDutyFlaws(_ event: JSON) -> [String] {
    var flaws: [String] = []
    func check(_ text: String?, _ name: String, _ limit: Int) {
        let count = text?.unicodeScalars.count ?? 0
        if !(1...limit).contains(count) { flaws.append("\(name) has \(count) characters") }
    }
    check(event["dedup_key"]?.string, "dedup_key", keyMax)
    if event["routing_key"]?.string?.utf8.count != 32 { flaws.append("no routing_key") }
    switch event["event_action"]?.string {
    case "resolve", "acknowledge": if event["payload"] != nil { flaws.append("a payload that nobody reads") }
    case "trigger":
        let payload = event["payload"]
        check(payload?["summary"]?.string, "summary", PagerDutyLimits.summaryMax)
        check(payload?["source"]?.string, "source", PagerDutyLimits.nameMax)
        for name in ["component", "group", "class"] where payload?[name] != nil {
            check(payload?[name]?.string, name, PagerDutyLimits.nameMax)
        }
        if !["critical", "error", "warning", "info"].contains(payload?["severity"]?.string) {
            flaws.append("no severity of PagerDuty's")
        }
        if (payload?["timestamp"]?.string).flatMap({ Moment(rfc3339: $0) }) == nil { flaws.append("no timestamp") }
    default: flaws.append("no action of PagerDuty's")
    }
    for link in event["links"]?.array ?? [] {
        if link["href"]?.string?.lowercased().hasPrefix("http") != true { flaws.append("a link that leads nowhere") }
        if link["text"]?.string?.isEmpty ?? true { flaws.append("a link without a text") }
    }
    return flaws
}
