/// Apps of which a poll could not tell whether they are still there: their part of the answer failed, is late, or was cut off.
///
/// An app that an answer does not name has no sessions any more, unless the answer could not name it.
public enum Unread: Hashable, Sendable {
    /// The answer is whole.
    case nothing
    case apps(Set<String>)
    /// Nobody knows which.
    case anything

    public func contains(_ app: String) -> Bool {
        switch self {
        case .nothing: false
        case .apps(let apps): apps.contains(app)
        case .anything: true
        }
    }

    public mutating func formUnion(_ other: Unread) {
        switch other {
        case .nothing: break
        case .apps(let apps): for app in apps { add(app) }
        case .anything: self = other
        }
    }

    /// Adds an app; nil is one whose name is not known.
    public mutating func add(_ app: String?) {
        guard let app else { return self = .anything }
        switch self {
        case .anything: break
        case .nothing: self = .apps([app])
        case .apps(var apps):
            // Else each of thousands would copy all before it.
            self = .nothing
            apps.insert(app)
            self = .apps(apps)
        }
    }
}

/// What is to be said of an answer beside its figures: which apps it could not tell of, and why.
public struct PartialPoll: Hashable, Sendable {
    public var source: String
    public var unread: Unread
    /// Why a part of it could not be had; nil where that is no failure, or an earlier version has not written it.
    public var failure: EmptyPoll.Failure?
    public var seen: Moment

    public init(source: String, _ unread: Unread, failure: EmptyPoll.Failure? = nil, seen: Moment) {
        self.source = source
        self.unread = unread
        self.failure = failure
        self.seen = seen
    }

    /// Nil where the line tells something else.
    init?(_ line: JSONReader, source: String, seen: Moment) throws(JSONMismatch) {
        guard try line.optional("outcome")?.value.string == PartialPoll.word else { return nil }
        var unread = Unread.anything
        if let apps = try line.optional("apps") {
            unread = .nothing
            for app in try apps.elements() { unread.add(try app.nonEmptyString()) }
        }
        self.init(source: source, unread, failure: try EmptyPoll.Failure(line), seen: seen)
    }

    func putMembers(into json: inout JSONWriter) {
        json.member("source", source)
        json.member("outcome", PartialPoll.word)
        switch unread {
        case .nothing: json.member("apps", [String]())
        case .apps(let apps): json.member("apps", apps.sorted())
        case .anything: break
        }
        failure?.putMembers(into: &json)
        json.member("seen", seen)
    }

    private static let word = "partial"
}
