internal import PluginKit
internal import Runtime

/// What one poll of one source has brought.
struct ProbeFinding {
    let source: String
    let plugin: String
    let report: PollReport
    let exchanges: [HeardRequest]
    let took: Duration
    /// The spans that rules want measured.
    let spans: [Duration]
    /// The metrics that the source says it can give; nil when only its answers tell.
    let declared: Set<Metric>?
    /// Whether others push to it, so that a poll asks nobody.
    let isPushed: Bool

    /// Issues named of each app.
    private static let issuesShown = 5

    var failure: PollFailure? {
        if case .failed(let failure) = report.outcome { failure } else { nil }
    }

    private var observations: [Observation] {
        if case .values(let observations) = report.outcome { observations } else { [] }
    }

    /// What of an observation no rule will ever see it for.
    private static func flaw(of observation: Observation) -> String? {
        observation.flaw ?? observation.metrics.exaggeration
    }

    /// What the source warns of, and what of its answer the bot would leave out, or would not judge.
    private var warnings: [String] {
        let flaws = observations.compactMap(ProbeFinding.flaw)
        let history = [observations.historyRemark].compactMap(\.self)
        guard let first = flaws.first else { return report.warnings + history }
        let what =
            flaws.count == 1
            ? "an implausible observation is left out:"
            : "\(flaws.count) implausible observations are left out, the first:"
        return report.warnings + ["\(what) \(first)"] + history
    }

    // MARK: - In people's words

    func lines(in zone: Zone) -> [String] { [title] + understood(in: zone) + remarks(in: zone) }

    private var title: String {
        // What asks nobody takes no time worth a word.
        let requests =
            exchanges.isEmpty ? "" : "\(Double(exchanges.count).counted("requests")) in \(time); "
        return "source \(source) (\(plugin)): \(requests)rules need spans of \(spansText)"
    }

    private func understood(in zone: Zone) -> [String] {
        switch report.outcome {
        case .failed: return []
        case .noData where isPushed:
            return ["It receives pushes and is not polled: 'alertbot status' shows what has reached the running bot."]
        case .noData: return ["It answered, and nothing happened in the span."]
        case .unchanged: return ["It answered the same as before."]
        case .stale(let measured): return ["Its newest figures are from \(zone.words(measured)), older than allowed."]
        case .values(let observations):
            let byApp = Dictionary(grouping: observations, by: \.subject.app)
            return apps(of: observations).flatMap { lines(about: $0, byApp[$0] ?? [], zone) } + [metricsText]
        }
    }

    private func remarks(in zone: Zone) -> [String] {
        var lines: [String] = []
        if let until = report.wait { lines.append("It is not polled again before \(zone.words(until)).") }
        lines += warnings.map { "warning: \($0.tamed)" }
        // What was pushed the running bot knows, and this poll does not.
        if !isPushed { lines += report.notes.map { "note: \($0.tamed)" } }
        return lines
    }

    private var time: String { took < .seconds(1) ? "\(took.wholeMilliseconds) ms" : took.short }

    private var spansText: String { spans.map(\.short).joined(separator: ", ") }

    private func apps(of observations: [Observation]) -> [String] {
        var known: Set<String> = []
        return observations.map(\.subject.app).filter { known.insert($0).inserted }
    }

    /// An app with its newest figures, and how many there are of the past.
    private func lines(about app: String, _ own: [Observation], _ zone: Zone) -> [String] {
        struct Kind: Hashable {
            let subject: Subject
            let length: String
        }
        struct Stretch: Hashable {
            let subject: Subject
            let span: TimeSpan
            let metrics: Metrics
        }
        var kinds: Set<Kind> = []
        var newest = own.reversed().filter { observation in
            kinds.insert(Kind(subject: observation.subject, length: observation.span.length.short)).inserted
        }
        newest.sort { left, right in
            let (a, b) = (left.subject.release ?? "", right.subject.release ?? "")
            return a != b ? a < b : left.span.length < right.span.length
        }
        var lines = [app.tamed]
        for observation in newest {
            let subject = [observation.subject.release ?? "all releases", observation.subject.environment].compactMap(
                \.self)
            let span = zone.words(from: observation.span.from, to: observation.span.to)
            let filling = observation.isComplete ? "" : ", still filling"
            lines.append(
                "  \(subject.joined(separator: ", ").tamed), \(span) (\(observation.span.length.short)\(filling)): "
                    + figures(of: observation.metrics))
        }
        // A line that stands twice in a file is of one span.
        let known = Set(own.map { Stretch(subject: $0.subject, span: $0.span, metrics: $0.metrics) })
        if known.count > newest.count {
            lines.append("  and \(Double(known.count - newest.count).counted("earlier spans"))")
        }
        // A file holds many polls, and each names the same ones: as the newest has them.
        var named: Set<String> = []
        let issues = own.reversed().flatMap(\.issues).filter { named.insert($0.id).inserted }
        if !issues.isEmpty { lines.append("  \(Double(issues.count).counted("issues")):") }
        lines += issues.prefix(ProbeFinding.issuesShown).map { "    \(words(about: $0))" }
        if issues.count > ProbeFinding.issuesShown {
            lines.append("    and \(issues.count - ProbeFinding.issuesShown) more")
        }
        return lines
    }

    private func figures(of metrics: Metrics) -> String {
        var texts = metrics.entries.map { entry in
            switch entry.metric.unit {
            case .count: entry.value.counted(entry.metric.title)
            case .rate: "\(entry.metric.title) \(entry.value.percent)"
            case .unknown: "\(entry.name.tamed) \(entry.value.plain)"
            }
        }
        // What rules make of the counts.
        for rate in [Metric.crashFreeUsers, .crashFreeSessions] where metrics[rate] == nil {
            if let figure = metrics.figure(rate) { texts.append("\(rate.title) \(figure.value.percent)") }
        }
        return texts.isEmpty ? "no figures" : texts.joined(separator: ", ")
    }

    private func words(about issue: Issue) -> String {
        var details = [issue.status].compactMap(\.self)
        if let events = issue.events { details.append(events.counted("events")) }
        if let users = issue.users { details.append(users.counted("users")) }
        let more = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
        return "\(issue.title.clipped(to: 100))\(more)".tamed
    }

    private var metricsText: String {
        let observations = observations.filter { ProbeFinding.flaw(of: $0) == nil && !$0.isHistory }
        let given = Set(observations.flatMap { $0.metrics.entries.map(\.metric) })
        var all = given
        for rate in [Metric.crashFreeUsers, .crashFreeSessions] where rate.canBeComputed(from: given) {
            all.insert(rate)
        }
        let issues = observations.contains { !$0.issues.isEmpty } ? ["issues"] : []
        let names = (all.map(\.name).sorted() + issues).joined(separator: ", ")
        let missing = (declared ?? []).subtracting(all).map(\.name).sorted().joined(separator: ", ")
        return "Rules can judge: \(names.isEmpty ? "nothing" : names.tamed)"
            + (missing.isEmpty ? "" : "; not in these answers: \(missing)")
    }

    // MARK: - The answers themselves

    /// Each request with what came of it, secrets masked.
    ///
    /// - Parameter areWhole: whether what was sent and the answers themselves are shown, too.
    func answers(_ redactor: Redactor, areWhole: Bool = true) -> [String] {
        exchanges.flatMap { exchange -> [String] in
            var lines = [
                "# \(exchange.request.method.rawValue) \(redactor.redact(exchange.request.url.description).tamed)"
            ]
            if areWhole, let body = exchange.request.body?.shown {
                lines.append("# sent: \(redactor.redact(body.text))")
            }
            switch exchange.result {
            case .failed(let error): return lines + ["# \(redactor.redact(error.description).tamed)"]
            case .answered(let response):
                let type = response.header("Content-Type").map { ", \($0)" } ?? ""
                lines.append("# \(response.status), \(response.body.count) bytes\(type.tamed)")
                guard areWhole else { return lines }
                return lines
                    + ProbeFinding.text(of: response, redactor).split(
                        omittingEmptySubsequences: false, whereSeparator: \.isNewline
                    ).map { String($0).tamed }
            }
        }
    }

    private static func text(of response: HTTPResponse, _ redactor: Redactor) -> String {
        if let json = try? JSON(parsing: response.body) { return redactor.redact(json.masked.prettyText) }
        return redactor.redact(String(decoding: response.body, as: UTF8.self))
    }

    // MARK: - For programs

    /// What came of the poll as lines of a file of observations.
    ///
    /// - Parameter now: when the poll has ended. What is left open belongs to the newest figures, with which it came.
    func observationLines(at now: Moment) -> [ObservationLine] {
        let seen = observations.map(\.seen).max() ?? now
        return report.lines(of: source, asked: seen, arrived: seen).map(\.line)
    }

    /// What such lines do not tell, for people.
    func aside(in zone: Zone, _ redactor: Redactor, isRaw: Bool) -> [String] {
        var lines = [title] + answers(redactor, areWhole: isRaw)
        if observations.isEmpty { lines += understood(in: zone) }
        return lines + remarks(in: zone)
    }
}

extension JSON {
    /// The same without what looks like a credential by its name.
    var masked: JSON {
        switch self {
        case .array(let elements): return .array(elements.map(\.masked))
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { member in
                        guard !member.name.namesCredentialOfAnswer || member.value.string == nil else {
                            return (member.name, .string(Secret.mask))
                        }
                        return (member.name, member.value.masked)
                    }))
        default: return self
        }
    }
}
