// Incidents and their evidence as JSON: the shape that webhooks, previews and the status page show, and that the
// journal keeps. Reading takes back exactly what was written.

extension Evidence: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            putMembers(into: &json)
            json.member("phrase", ifAny: phrase)
        }
    }

    fileprivate func putMembers(into json: inout JSONWriter) {
        json.member("metric", ifAny: metric)
        json.member("value", ifAny: figure?.value)
        json.member("numerator", ifAny: figure?.share?.hits)
        json.member("denominator", ifAny: figure?.share?.total)
        json.member("limit", ifAny: limit?.description)
        json.member("confidence", ifAny: confidence)
        json.member("bound", ifAny: bound)
        json.member("from", ifAny: span?.from)
        json.member("to", ifAny: span?.to)
        json.member("issue", ifAny: issue)
        if !otherIssues.isEmpty { json.member("other_issues", otherIssues) }
        switch reference {
        case .usual(let value): json.member("usual", value)
        case .olderRelease(let value): json.member("older_release", value)
        case nil: break
        }
        json.member("sentence", sentence)
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            metric: try reader.optional("metric")?.string(), confidence: try reader.optional("confidence")?.number(),
            bound: try reader.optional("bound")?.number(), sentence: try reader.member("sentence").string())
        if let usual = try reader.optional("usual")?.number() {
            reference = .usual(usual)
        } else if let older = try reader.optional("older_release")?.number() {
            reference = .olderRelease(older)
        }
        if let value = try reader.optional("value")?.number() {
            var share: Share?
            if let hits = try reader.optional("numerator")?.number(),
                let total = try reader.optional("denominator")?.number()
            {
                share = Share(hits: hits, of: total)
            }
            figure = Figure(value: value, share: share)
        }
        if let written = try reader.optional("limit") {
            do {
                limit = try Comparison(grammar: try written.string())
            } catch is GrammarError {
                throw written.mismatch(expected: "a comparison such as \"< 99.5%\"")
            } catch {
                throw written.mismatch(expected: "a comparison")
            }
        }
        if let from = try reader.optional("from")?.moment(), let to = try reader.optional("to")?.moment() {
            span = TimeSpan(from: from, to: to)
        }
        if let written = try reader.optional("issue") { issue = try Issue(written) }
        for written in try reader.optional("other_issues")?.elements() ?? [] { otherIssues.append(try Issue(written)) }
        if let written = try reader.optional("phrase") { phrase = try Phrase.read(written) }
    }
}

/// Evidence as others are shown it. The phrase that it is translated by is the bot's own: its shape follows the words.
public struct ShownEvidence: JSONWritable {
    private let evidence: Evidence

    public init(_ evidence: Evidence) { self.evidence = evidence }

    public func put(into json: inout JSONWriter) { json.object { evidence.putMembers(into: &$0) } }
}

extension Subject: JSONWritable {
    /// Puts the members of an object that says whom it is about.
    public func putMembers(into json: inout JSONWriter) {
        json.member("source", source)
        json.member("app", app)
        json.member("release", release)
        json.member("environment", environment)
    }

    public func put(into json: inout JSONWriter) { json.object { putMembers(into: &$0) } }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            source: try reader.member("source").string(), app: try reader.member("app").string(),
            release: try reader.optional("release")?.string(),
            environment: try reader.optional("environment")?.string())
    }
}

extension IncidentSummary: JSONWritable {
    public func put(into json: inout JSONWriter) { json.object { putMembers(into: &$0) } }

    fileprivate func putMembers(into json: inout JSONWriter) {
        json.member("id", id)
        json.member("rule", rule)
        subject.putMembers(into: &json)
        json.member("key", ifAny: key)
        json.member("severity", severity.rawValue)
        json.member("state", state.rawValue)
        json.member("since", since)
        json.member("until", until)
        json.member("evidence", ShownEvidence(evidence))
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            id: try reader.member("id").string(), rule: try reader.member("rule").string(),
            subject: try Subject(reader), key: try reader.optional("key")?.string(),
            severity: try reader.member("severity").choice(),
            state: try reader.member("state").choice(), since: try reader.member("since").moment(),
            until: try reader.optional("until")?.moment(), evidence: try Evidence(reader.member("evidence")))
    }
}

/// What the journal keeps alike of an incident and of what a message says of it: what goes without saying is not said.
protocol KeptIncident {
    var id: String { get }
    var rule: String { get }
    var subject: Subject { get }
    var key: String? { get }
    var severity: Severity { get }
    var state: Incident.State { get }
    var since: Moment { get }
    var until: Moment? { get }
    var evidence: Evidence { get }
}

extension KeptIncident {
    func putKeptMembers(into json: inout JSONWriter) {
        json.member("id", id)
        json.member("rule", rule)
        json.member("source", subject.source)
        json.member("app", subject.app)
        json.member("release", ifAny: subject.release)
        json.member("environment", ifAny: subject.environment)
        json.member("key", ifAny: key)
        json.member("severity", severity.rawValue)
        json.member("state", state.rawValue)
        json.member("since", since)
        json.member("until", ifAny: until)
        json.member("evidence", evidence)
    }
}

extension IncidentSummary: KeptIncident {}

/// For the journal alone.
extension Incident: KeptIncident, JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            putKeptMembers(into: &json)
            if !isAtItsWorst { json.member("worst", worst) }
            if worstSeverity != severity { json.member("worst_severity", worstSeverity.rawValue) }
            if isUncertain { json.member("uncertain", true) }
            json.member("better_since", ifAny: betterSince)
            json.member("ends_from", ifAny: endsFrom)
            json.member("acknowledged", ifAny: acknowledgement)
            json.member("unattended", ifAny: unattendedSince)
            if !worsened.isEmpty {
                json.object("worsened") { json in
                    for level in Severity.allCases {
                        if let moment = worsened[level] { json.member(named: level.rawValue, moment) }
                    }
                }
            }
            if !labels.isEmpty { json.member("labels", labels) }
            if !standings.isEmpty { json.member("standings", standings) }
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(try IncidentSummary(reader))
        if let written = try reader.optional("worst") { worst = try Evidence(written) }
        worstSeverity = try reader.optional("worst_severity")?.choice() ?? severity
        isUncertain = try reader.optional("uncertain")?.bool() ?? false
        betterSince = try reader.optional("better_since")?.moment()
        endsFrom = try reader.optional("ends_from")?.moment()
        acknowledgement = try reader.optional("acknowledged").map(Acknowledgement.init)
        unattendedSince = try reader.optional("unattended")?.moment()
        for (name, value) in try reader.optional("worsened")?.members() ?? [] {
            if let level = Severity(rawValue: name) { worsened[level] = try value.moment() }
        }
        for (name, value) in try reader.optional("labels")?.members() ?? [] { labels[name] = try value.string() }
        for (channel, value) in try reader.optional("standings")?.members() ?? [] {
            standings[channel] = try Standing(value)
        }
    }
}

extension Standing: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("announced", ifAny: announced?.rawValue)
            json.member("heard", ifAny: heard?.rawValue)
            json.member("dropped", ifAny: dropped?.rawValue)
            json.member("dropped_by", ifAny: droppedBy?.description)
            json.member("undelivered", ifAny: undelivered?.rawValue)
            json.member("first_said", ifAny: firstSaid)
            json.member("last_said", ifAny: lastSaid)
            if reminders > 0 { json.member("reminders", reminders) }
            json.member("said", ifAny: said)
            json.member("alarmed", ifAny: alarmed)
            json.member("corrected", ifAny: corrected)
            if hasHeardEnd { json.member("heard_end", true) }
            json.member("hold", ifAny: hold)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            announced: try reader.optional("announced")?.choice(), heard: try reader.optional("heard")?.choice(),
            dropped: try reader.optional("dropped")?.choice(),
            // Versions before did not keep it; nothing hangs on it.
            droppedBy: Reason(try reader.optional("dropped_by")?.string() ?? ""),
            undelivered: try reader.optional("undelivered")?.choice(),
            firstSaid: try reader.optional("first_said")?.moment(),
            lastSaid: try reader.optional("last_said")?.moment(),
            reminders: try reader.optional("reminders")?.int() ?? 0,
            said: try reader.optional("said").map { said throws(JSONMismatch) in try Said(said) },
            alarmed: try reader.optional("alarmed").map { said throws(JSONMismatch) in try Said(said) },
            corrected: try reader.optional("corrected")?.moment(),
            hasHeardEnd: try reader.optional("heard_end")?.bool() ?? false,
            hold: try reader.optional("hold").map(Hold.read))
    }
}

extension Hold: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("kind", kind.rawValue)
            json.member("severity", severity.rawValue)
            json.member("reason", reason.description)
            json.member("since", since)
            json.member("until", until)
            json.member("look_again", checkAgain)
            json.member("summarizes", summarizes)
            json.member("for_summary", isForSummary)
            if countsFor > 0 { json.member("counts_for", countsFor) }
            if !earlier.isEmpty { json.member("earlier", earlier.map(\.description)) }
            if let gathering {
                json.object("gathering") { json in
                    json.member("gate", gathering.gate)
                    json.member("key", gathering.key)
                    json.member("style", gathering.style.rawValue)
                }
            }
        }
    }

    fileprivate static func read(_ reader: JSONReader) throws(JSONMismatch) -> Hold {
        let written = try reader.member("reason")
        guard let reason = Reason(try written.string()) else { throw written.mismatch(expected: "a reason") }
        let until = try reader.member("until").moment()
        var hold = Hold(
            kind: try reader.member("kind").choice(), severity: try reader.member("severity").choice(), reason: reason,
            // Records of versions that did not keep it: what is held for long has waited long enough.
            since: try reader.optional("since")?.moment() ?? .earliest, until: until,
            checkAgain: try reader.member("look_again").moment(),
            summarizes: try reader.member("summarizes").bool(), isForSummary: try reader.member("for_summary").bool())
        hold.countsFor = try reader.optional("counts_for")?.int() ?? 0
        for earlier in try reader.optional("earlier")?.elements() ?? [] {
            guard let reason = Reason(try earlier.string()) else { throw earlier.mismatch(expected: "a reason") }
            hold.earlier.append(reason)
        }
        if let gathering = try reader.optional("gathering") {
            hold.gathering = Gathering(
                gate: try gathering.member("gate").string(), key: try gathering.member("key").string(),
                style: try gathering.member("style").choice())
        }
        return hold
    }
}

extension JSONReader {
    /// One of the words of a closed list.
    public func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(JSONMismatch) -> Choice {
        guard let choice = Choice(rawValue: try string()) else {
            let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw mismatch(expected: "one of \(words)")
        }
        return choice
    }
}

extension Optional {
    /// `map` that keeps the type of the error.
    fileprivate func map<Result, Failure: Error>(
        _ change: (Wrapped) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        if let self { try change(self) } else { nil }
    }
}
