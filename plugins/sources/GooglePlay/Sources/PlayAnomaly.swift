internal import PluginKit
internal import SourceKit

/// What Play itself finds unusual of one app: always a change for the worse.
enum PlayAnomaly {
    /// Those that are not over, or ended lately.
    private static let span = Duration.days(2)

    static func call(of app: String, at now: Moment) -> GoogleService.Call {
        let since = Recall.floor(now - span, to: .hours(1))
        return GoogleService.Call(
            "anomalies of \(app)", get: "/v1beta1/apps/\(app.percentEncoded)/anomalies",
            [("filter", "activeBetween(\"\(since)\", UNBOUNDED)"), ("pageSize", "100")])
    }

    /// Anomalies as issues, so that `new_issue` can tell of each once.
    static func issues(in body: JSONReader, _ names: VersionNames) throws(JSONMismatch) -> [Issue] {
        var issues: [Issue] = []
        for element in try body.optional("anomalies")?.elements() ?? [] { issues.append(try issue(element, names)) }
        return issues
    }

    private static func issue(_ reader: JSONReader, _ names: VersionNames) throws(JSONMismatch) -> Issue {
        let name = try reader.member("name")
        guard let id = try name.string().split(separator: "/").last else {
            throw name.mismatch(expected: "a name such as \"apps/com.shop/anomalies/7f3a\"")
        }
        let metric = try reader.member("metric")
        let kind = try metric.member("metric").nonEmptyString()
        let figure = try metric.optional("decimalValue")
        let value = try figure?.decimal()
        let rate = titles[kind]
        if let value, let figure, rate != nil, !(0...1).contains(value) {
            throw figure.mismatch(expected: "for '\(kind)' a fraction from 0 to 1")
        }
        var release: String?
        var places: [String] = []
        for dimension in try reader.optional("dimensions")?.elements() ?? [] {
            let what = try dimension.member("dimension").string()
            let number = try dimension.optional("int64Value")
            let written = if let number { number } else { try dimension.optional("stringValue") }
            guard let value = try written?.string(), !value.isEmpty else { continue }
            if what == "versionCode" { release = names[value] } else { places.append("\(what) \(value)") }
        }
        if let release { places.insert("version \(release)", at: 0) }
        let words =
            "Play reports an unusual \(rate ?? kind)"
            + (value.map { ": \(rate == nil ? $0.plain : $0.percent)" } ?? "")
            + (places.isEmpty ? "" : " (\(places.joined(separator: ", ")))")
        return Issue(id: "anomaly-\(id)", title: words.clipped(to: Issue.titleCharactersMax), release: release)
    }

    private static let titles = [
        "crashRate": "crash rate", "userPerceivedCrashRate": "user-perceived crash rate",
        "anrRate": "ANR rate", "userPerceivedAnrRate": "user-perceived ANR rate",
        "userPerceivedLmkRate": "user-perceived rate of low-memory kills",
    ]
}
