/// A mute that somebody set while the bot runs, beside those of the config: kept in the journal until it has been over for a day.
public struct Mute: Hashable, Sendable {
    /// Of letters and digits; no two mutes that are in force share one.
    public let id: String
    public let match: Match
    public let from: Moment
    /// When it ends; the moment itself is outside.
    public let until: Moment
    public let reason: String?
    /// Who set it, in their own words.
    public let by: String?

    public init(id: String, match: Match, from: Moment, until: Moment, reason: String? = nil, by: String? = nil) {
        self.id = id
        self.match = match
        self.from = from
        self.until = until
        self.reason = reason
        self.by = by
    }

    /// Mutes in force at once: far more than people can keep in mind, little enough to be asked for every notification.
    public static let countMax = 1000
    /// The longest time for which people may mute anything: a year, and its 29 February. A slip in a unit must not be
    /// silence for good; whoever writes a date means it.
    public static let lengthMax = Duration.days(366)
    /// Longest reason kept, in characters; it is a sentence.
    public static let reasonCharactersMax = 500
}

/// Somebody has seen an incident and takes care of it.
public struct Acknowledgement: Hashable, Sendable {
    public private(set) var at: Moment
    /// Who, in their own words.
    public let by: String?
    /// How bad it was at most when somebody took care of it; nil where an earlier version has not written it.
    public private(set) var severity: Severity?
    /// Who came after, in their order.
    public private(set) var also: [Acknowledgement] = []

    public init(at: Moment, by: String? = nil, of severity: Severity? = nil) {
        self.at = at
        self.by = by
        self.severity = severity
    }

    /// Whether an incident that is so bad, and was so bad before, is worse than what somebody takes care of.
    public func isOutdone(by new: Severity, after old: Severity) -> Bool { new > severity ?? old }

    /// Adds somebody; gives back false where that changes nothing: one who is there already, or one too many.
    public mutating func join(_ other: Acknowledgement) -> Bool {
        guard other.by != by, !also.contains(where: { $0.by == other.by }), also.count < Self.alsoMax else {
            return false
        }
        also.append(other)
        severity = [severity, other.severity].compactMap(\.self).max()
        return true
    }

    /// Moves along with a wall clock that was set back: nobody can have come later than now.
    public mutating func setBack(to now: Moment, by step: Duration) {
        // How far it was set back is not known to the minute after a stop.
        if at > now { at = min(at + step, now) }
        for index in also.indices { also[index].setBack(to: now, by: step) }
    }

    /// `ana`, `ana and ben`, `ana, ben and 2 others`; somebody where no name was given.
    public var names: String { Words.english.names(of: self) }

    /// More than any team that answers one alert.
    private static let alsoMax = 31
}

extension Incident {
    /// What a mute of it covers: the same rule about the same thing, this time and the next. Of the bot's own troubles,
    /// the source is what they are about.
    public var likeness: Match {
        let properties: KeyValuePairs<String, String?> = [
            "rule": rule, "source": subject.source, "app": subject.app, "release": subject.release,
            "environment": subject.environment, "issue": key,
        ]
        return Match(
            properties.compactMap { name, value in
                value.map { Match.Condition(property: name, patterns: [.fitting($0)]) }
            })
    }
}

extension Match: JSONWritable {
    /// An object with the patterns of each property, as in the config.
    public func put(into json: inout JSONWriter) {
        json.object { json in
            for condition in conditions { json.member(named: condition.property, condition.patterns.map(\.pattern)) }
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        var conditions: [Condition] = []
        for (property, value) in try reader.members() {
            var patterns: [Glob] = []
            if case .string(let pattern) = value.value {
                patterns = [Glob(pattern)]
            } else {
                for element in try value.elements() { patterns.append(Glob(try element.string())) }
            }
            conditions.append(Condition(property: property, patterns: patterns))
        }
        self.init(conditions)
    }
}

extension Mute: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("match", match)
            json.member("from", from)
            json.member("until", until)
            json.member("reason", reason)
            json.member("by", by)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            id: try reader.member("id").string(), match: try Match(reader.member("match")),
            from: try reader.member("from").moment(), until: try reader.member("until").moment(),
            reason: try reader.optional("reason")?.string(), by: try reader.optional("by")?.string())
    }
}

extension Acknowledgement: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("at", at)
            json.member("by", by)
            json.member("severity", ifAny: severity?.rawValue)
            if !also.isEmpty { json.array("also", also) { $1.put(into: &$0) } }
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            at: try reader.member("at").moment(), by: try reader.optional("by")?.string(),
            of: try reader.optional("severity")?.choice())
        for other in try reader.optional("also")?.elements() ?? [] { _ = join(try Acknowledgement(other)) }
    }
}
