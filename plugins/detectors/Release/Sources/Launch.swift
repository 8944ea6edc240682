public import PluginKit

/// How a release began: its crashes by the time of its first hundred sessions, its first two hundred, and so on.
///
/// Releases that came out on different days can so be compared at the same adoption. Only complete spans that do not
/// overlap are counted: where a source measures rolling spans, a part of its sessions, but of each release in the same
/// way.
///
/// It is kept of every release from its first sessions on, for a rule that is added later could not catch up.
public struct Launch: StandingMemory {
    public static let name = "launch"

    /// What was counted when a number of sessions was first reached.
    public struct Stage: Hashable, Sendable {
        /// The stage of 100 sessions is 0, each further one has twice as many.
        public let level: Int
        public let sessions: Double
        public let crashed: Double
    }

    /// Lowest first; a span that holds many sessions may skip some levels.
    public private(set) var stages: [Stage] = []
    private var sessions = 0.0
    private var crashed = 0.0
    private var countedTo = Moment.earliest

    /// Sessions of the lowest stage: with fewer, hardly anything can be told.
    public static let sessionsMin = 100.0
    /// The last stage is that of 800 million sessions. All of it is at most 2 kB of JSON for each release.
    public static let levelMax = 23

    public init() {}

    public mutating func add(_ observation: Observation) {
        guard observation.subject.release != nil, observation.isComplete, observation.span.from >= countedTo,
            let sessions = observation.metrics[.sessions],
            let crashed = observation.metrics[.crashedSessions]
        else { return }
        countedTo = observation.span.to
        self.sessions += sessions
        self.crashed += crashed
        var level = stages.last.map { $0.level + 1 } ?? 0
        guard level <= Launch.levelMax, self.sessions >= Launch.sessions(at: level) else { return }
        while level < Launch.levelMax, self.sessions >= Launch.sessions(at: level + 1) { level += 1 }
        stages.append(Stage(level: level, sessions: self.sessions, crashed: self.crashed))
    }

    private static func sessions(at level: Int) -> Double { sessionsMin * Double(1 << level) }
}

extension Launch {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            guard countedTo > .earliest else { return }
            json.member("sessions", sessions)
            json.member("crashed", crashed)
            json.member("to", countedTo)
            json.array("stages", stages) { json, stage in
                json.array { json in
                    stage.level.put(into: &json)
                    stage.sessions.put(into: &json)
                    stage.crashed.put(into: &json)
                }
            }
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        guard let to = try reader.optional("to") else { return }
        countedTo = try to.moment()
        sessions = try reader.member("sessions").number()
        crashed = try reader.member("crashed").number()
        for element in try reader.member("stages").elements() {
            let row = try element.elements()
            guard row.count >= 3 else { throw element.mismatch(expected: "a level, sessions and crashed sessions") }
            stages.append(
                Stage(level: try row[0].int(), sessions: try row[1].number(), crashed: try row[2].number()))
        }
    }
}
