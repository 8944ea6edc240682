/// What a record is about, so that a replay can give out only what still counts.
///
/// A key names one thing that changes: a source, an incident, a message. Whoever writes a record knows its topic;
/// whoever replays it needs to know nothing else about it.
public enum Topic: Hashable, Sendable {
    /// Nothing that comes later overtakes it.
    case always
    /// All that counts of the key from then on: what was recorded of it before is overtaken.
    case whole(of: String)
    /// All that counts of this part of the key, until the next whole.
    case part(String, of: String)
    /// What was recorded of these keys before does not count any more.
    case end(of: [String])
}
