internal import PluginKit

/// Lines of observations as a file has them, with what a push says anyway left out: whose they are, and when they came.
enum PushedLines {
    /// The clock of whoever pushes may be ahead of ours by this much.
    private static let clockSkewMax = Duration.minutes(5)

    static func report(_ push: Push) throws(PushMistake) -> PollReport {
        var observations: [Observation] = []
        var last: PollOutcome?
        var unread = Unread.nothing
        var number = 0
        var rest = push.body[...]
        // A mark of the byte order, as some editors and tools write it.
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let bytes = rest[..<end]
            rest = end < rest.endIndex ? rest[(end + 1)...] : []
            number += 1
            guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { continue }
            guard number <= Push.linesMax else {
                throw PushMistake(line: number, "found more than \(Push.linesMax) lines, expected fewer in one push")
            }
            for line in try lines(in: bytes, number, push) {
                switch line {
                case .observed(let seen): observations.append(try taken(seen, number, push))
                case .empty(let poll): last = PollOutcome(poll.outcome)
                case .partial(let poll): unread.formUnion(poll.unread)
                }
            }
        }
        // Figures count more than that there were none before or after them.
        guard observations.isEmpty else { return PollReport(.values(observations), unread: unread) }
        if last == nil, unread != .nothing {
            // Whoever says what is missing does not say that the rest is as before.
            (last, unread) = (.unchanged, .anything)
        }
        guard let last else { throw PushMistake("found no line, expected one JSON object a line") }
        return PollReport(last, unread: unread)
    }

    private static func lines(
        in bytes: ArraySlice<UInt8>, _ number: Int, _ push: Push
    ) throws(PushMistake) -> [ObservationLine] {
        guard bytes.count <= ObservationLine.lineBytesMax else {
            throw PushMistake(
                line: number,
                "found \(bytes.count) bytes, expected at most \(ObservationLine.lineBytesMax >> 20) MiB a line")
        }
        var json: JSON
        do throws(JSONSyntaxError) { json = try JSON(parsing: bytes) } catch {
            throw PushMistake(line: number, "column \(error.column): \(error.problem)")
        }
        guard case .object(var object) = json else {
            throw PushMistake(
                line: number, "found \(json.kindName), expected a JSON object with app, from, to and metrics")
        }
        if let slip = slip(in: object) { throw PushMistake(line: number, slip) }
        if object["source"] == nil { object["source"] = .string(push.source) }
        if object["seen"] == nil { object["seen"] = JSON(push.now) }
        json = .object(object)
        do throws(JSONMismatch) { return [try ObservationLine(json)] } catch {
            throw PushMistake(line: number, error.description)
        }
    }

    /// A member that stands twice in one object, or that is nearly one which a line has: whoever pushes is at hand to
    /// correct it.
    private static func slip(in line: JSONObject) -> String? {
        if let name = JSON.object(line).repeatedName {
            return "\(shown(name)) stands twice, and nobody knows which is meant"
        }
        // Of a line with more names that nobody knows than there are known ones, none is a slip.
        for name in line.members.lazy.map(\.name).filter({ !known.contains($0) }).prefix(known.count) {
            if let near = name.nearest(in: known) { return "\(shown(name)) is not known; did you mean \(near)?" }
        }
        return nil
    }

    private static func shown(_ name: String) -> String { "'\(name.tamed.clipped(to: 40))'" }

    private static let known = [
        "source", "app", "release", "environment", "from", "to", "seen", "complete", "metrics", "issues", "labels",
        "failed", "sentence", "retry_at", "outcome", "measured", "apps", "asked",
    ]

    /// As one of this source: whoever pushes need not know what the config calls it.
    private static func taken(_ seen: Observation, _ number: Int, _ push: Push) throws(PushMistake) -> Observation {
        guard seen.seen <= push.now + clockSkewMax else {
            throw PushMistake(
                line: number,
                "$.seen: found \(seen.seen), expected no moment after now (\(push.now)); "
                    + "a clock may be ahead")
        }
        guard seen.span.from < push.now + clockSkewMax else {
            throw PushMistake(line: number, "$.from: found \(seen.span.from), expected a span that has begun")
        }
        if let exaggeration = seen.metrics.exaggeration {
            throw PushMistake(line: number, "$.metrics: \(exaggeration)")
        }
        var observation = seen
        observation.seen = min(seen.seen, push.now)
        observation.subject = Subject(
            source: push.source, app: seen.subject.app, release: seen.subject.release,
            environment: seen.subject.environment)
        return observation
    }
}
