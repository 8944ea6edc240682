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
        case .anything: self = .anything
        }
    }

    /// Adds an app; nil is one whose name is not known.
    public mutating func add(_ app: String?) {
        switch (self, app) {
        case (.anything, _): break
        case (_, nil): self = .anything
        case (.nothing, let app?): self = .apps([app])
        case (.apps(let apps), let app?): self = .apps(apps.union([app]))
        }
    }
}
