/// How often a user crashes who crashes at all: how many crashed sessions there are for how many crashed users.
struct LoopSize: Hashable, Sendable {
    private(set) var sessions: Double
    private(set) var users: Double

    /// That there are one and a half sessions is as sure as ten users make it.
    static let usual = LoopSize(sessions: 15, users: 10)
    /// What is left when the next span comes: a month's worth of five minutes.
    private static let fade = 1 - 1.0 / 8640

    /// The crashed sessions of one crashed user.
    var each: Double { max(1, sessions / users) }

    /// Takes in the crashed sessions of so many crashed users.
    mutating func learn(_ sessions: Double, of users: Double) {
        self.sessions = self.sessions * LoopSize.fade + sessions
        self.users = self.users * LoopSize.fade + users
    }
}
