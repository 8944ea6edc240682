public import AlertModel
internal import Synchronization

/// What opens the page to whoever is not on this machine, for as long as the bot runs. A reload puts other keys on it while the
/// servers go on: a token that has leaked must not open anything until somebody restarts the bot, and links that are sealed with
/// the new one must hold at once, at the address that they lead to.
public final class KeyRing: Sendable {
    /// Keys that belong together, and are replaced together.
    public struct Keys: Sendable {
        /// The header in which a proxy with a login names who asks; nil: people name themselves.
        let userHeader: String?
        /// What whoever is not on this machine has to know to change anything; nil where only a proxy can vouch for people.
        let token: Secret?
        /// By which a link that was sent in a message vouches for whoever has it; nil where links have none.
        let seal: LinkSeal?
        /// The name, in lower case and without a port, by which people reach the page besides `localhost` and the like: that of
        /// the public URL, which a proxy passes on.
        let publicHost: String?

        public init(
            userHeader: String? = nil, token: Secret? = nil, seal: LinkSeal? = nil, publicHost: String? = nil
        ) {
            // In lower case, as the fields of a request are.
            self.userHeader = userHeader?.lowercased()
            // An empty one would be known to everybody.
            self.token = token.flatMap { $0.reveal().trimmed.isEmpty ? nil : $0 }
            self.seal = seal
            self.publicHost = publicHost?.lowercased()
        }
    }

    private let current: Mutex<Keys>

    public init(_ keys: Keys = Keys()) { current = Mutex(keys) }

    var keys: Keys { current.withLock(\.self) }

    /// From now on only these keys open anything.
    public func replace(with keys: Keys) { current.withLock { $0 = keys } }
}
