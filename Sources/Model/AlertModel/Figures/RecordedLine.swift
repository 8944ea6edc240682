/// A line of observations together with when the poll that brought it began and ended.
///
/// What a source says it saw, and when, is one thing; when the bot came to know it is another, and a replay goes by
/// that.
public struct RecordedLine: Hashable, Sendable, JSONWritable {
    public var line: ObservationLine
    /// When the poll began; where a file does not say, when the line was seen.
    public var asked: Moment
    /// When the bot took it in; where a file does not say, when the line was seen.
    public var arrived: Moment

    public init(_ line: ObservationLine, asked: Moment?, arrived: Moment?) {
        self.line = line
        self.asked = asked ?? line.seen
        self.arrived = arrived ?? line.seen
    }

    /// Reads a line of a file.
    public init(parsing line: UnsafeBufferPointer<UInt8>) throws(ObservationLine.Mistake) {
        if let plain = RecordedLine(plain: line) {
            self = plain
            return
        }
        let json = try ObservationLine.Mistake.parsing(line)
        do { self = try RecordedLine(json) } catch {
            throw ObservationLine.Mistake(column: nil, sentence: error.description)
        }
    }

    public init(_ json: JSON) throws(JSONMismatch) {
        let reader = JSONReader(json)
        self.init(
            try ObservationLine(json), asked: try reader.optional("asked")?.moment(),
            arrived: try reader.optional("arrived")?.moment())
    }

    /// Puts the line with what `seen` does not say already.
    public func put(into json: inout JSONWriter) {
        json.object { json in
            line.putMembers(into: &json)
            if asked != line.seen { json.member("asked", asked) }
            if arrived != line.seen { json.member("arrived", arrived) }
        }
    }
}
