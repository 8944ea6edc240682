extension RecordedLine {
    /// Reads a line straight from its bytes, where it is written plainly; nil where the general reader has to look at
    /// it. A test holds the two to the same answers.
    init?(plain bytes: UnsafeBufferPointer<UInt8>) {
        var scanner = PlainJSON(bytes)
        guard let found = scanner.found(), scanner.isAtEnd else { return nil }
        self.init(.observed(found.observation), asked: found.asked, arrived: found.arrived)
    }
}

extension PlainJSON {
    /// What has been found of a line so far; a member that comes twice is not plain.
    private struct Found {
        var source, app, release, environment: String?
        var from, to, seen, asked, arrived: Moment?
        var isComplete: Bool?
        var metrics: Metrics?
        var issues: [Issue]?
        var labels: [String: String]?
    }

    /// An observation that makes sense.
    package mutating func observation() -> Observation? { found()?.observation }

    fileprivate mutating func found() -> (observation: Observation, asked: Moment?, arrived: Moment?)? {
        var found = Found()
        let isPlain = members { scanner, name in
            switch name.count {
            case 2 where name.reads("to"): scanner.set(&found.to) { $0.moment() }
            case 3 where name.reads("app"): scanner.set(&found.app) { $0.text() }
            case 4 where name.reads("from"): scanner.set(&found.from) { $0.moment() }
            case 4 where name.reads("seen"): scanner.set(&found.seen) { $0.moment() }
            case 5 where name.reads("asked"): scanner.set(&found.asked) { $0.moment() }
            case 6 where name.reads("source"): scanner.set(&found.source) { $0.text() }
            case 6 where name.reads("issues"): scanner.set(&found.issues) { $0.issues() }
            case 6 where name.reads("labels"): scanner.set(&found.labels) { $0.labels() }
            case 7 where name.reads("metrics"): scanner.set(&found.metrics) { $0.metrics() }
            case 7 where name.reads("release"): scanner.set(&found.release) { $0.text() }
            case 7 where name.reads("arrived"): scanner.set(&found.arrived) { $0.moment() }
            case 8 where name.reads("complete"): scanner.set(&found.isComplete) { $0.flag() }
            case 11 where name.reads("environment"): scanner.set(&found.environment) { $0.text() }
            default: false
            }
        }
        guard isPlain, let source = found.source, !source.isEmpty, let app = found.app,
            !app.isEmpty, let from = found.from, let to = found.to, let span = TimeSpan(from: from, to: to),
            let seen = found.seen, let metrics = found.metrics
        else { return nil }
        let observation = Observation(
            subject: Subject(source: source, app: app, release: found.release, environment: found.environment),
            span: span, seen: seen, isComplete: found.isComplete ?? true, metrics: metrics,
            issues: found.issues ?? [], labels: found.labels ?? [:])
        guard observation.flaw == nil else { return nil }
        return (observation, found.asked, found.arrived)
    }

    private mutating func metrics() -> Metrics? {
        var metrics = Metrics(reserving: PlainJSON.metricsUsual)
        let isPlain = members { scanner, name in
            guard metrics.entries.count < Metrics.kindsMax, let value = scanner.number() else { return false }
            metrics[name.metric] = value
            return true
        }
        return isPlain ? metrics : nil
    }

    /// Users and sessions, each with those that crashed.
    private static let metricsUsual = 4

    mutating func labels() -> [String: String]? {
        var labels: [String: String] = [:]
        let isPlain = members { scanner, name in
            guard let value = scanner.text() else { return false }
            return labels.updateValue(value, forKey: name.string) == nil
        }
        return isPlain ? labels : nil
    }

    private mutating func issues() -> [Issue]? {
        guard take("[") else { return nil }
        var issues: [Issue] = []
        if take("]") { return issues }
        repeat {
            guard let issue = issue() else { return nil }
            if issues.count < Issue.countMax { issues.append(issue) }
        } while take(",")
        return take("]") ? issues : nil
    }

    private mutating func issue() -> Issue? {
        var id, title, release, status, url: String?
        var events, users: Double?
        var firstSeen, lastSeen, returned: Moment?
        let isPlain = members { scanner, name in
            switch name.count {
            case 2 where name.reads("id"): scanner.set(&id) { $0.text() }
            case 3 where name.reads("url"): scanner.set(&url) { $0.text() }
            case 5 where name.reads("title"): scanner.set(&title) { $0.text() }
            case 5 where name.reads("users"): scanner.set(&users) { $0.number() }
            case 6 where name.reads("events"): scanner.set(&events) { $0.number() }
            case 6 where name.reads("status"): scanner.set(&status) { $0.text() }
            case 7 where name.reads("release"): scanner.set(&release) { $0.text() }
            case 8 where name.reads("returned"): scanner.set(&returned) { $0.moment() }
            case 9 where name.reads("last_seen"): scanner.set(&lastSeen) { $0.moment() }
            case 10 where name.reads("first_seen"): scanner.set(&firstSeen) { $0.moment() }
            default: false
            }
        }
        guard isPlain, let id, !id.isEmpty else { return nil }
        return Issue(
            id: id, title: title?.clipped(to: Issue.titleCharactersMax) ?? "", events: events, users: users,
            firstSeen: firstSeen, lastSeen: lastSeen, returned: returned, release: release, status: status, url: url)
    }
}
