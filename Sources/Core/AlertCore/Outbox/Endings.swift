/// What has ended, oldest first. So many dead letters are remembered, and so many others: a storm of messages that
/// arrive must not push out the one that can still be tried again.
struct Endings<Entry: Sendable>: Sendable {
    private(set) var entries: [Entry] = []
    private var deadCount = 0
    private let keptMax: Int
    private let isDead: @Sendable (Entry) -> Bool

    /// - Parameter keptMax: How many dead ones, and how many others, are remembered; sometimes a tenth more.
    init(keptMax: Int, isDead: @escaping @Sendable (Entry) -> Bool) {
        self.keptMax = keptMax
        self.isDead = isDead
    }

    /// Adds one; gives back those that are let go.
    mutating func append(_ entry: Entry) -> [Entry] {
        entries.append(entry)
        if isDead(entry) { deadCount += 1 }
        var surplus = (dead: surplus(of: deadCount), others: surplus(of: entries.count - deadCount))
        guard surplus.dead > 0 || surplus.others > 0 else { return [] }
        var gone: [Entry] = []
        entries.removeAll { entry in
            let isGone: Bool
            if isDead(entry) {
                isGone = surplus.dead > 0
                surplus.dead -= isGone ? 1 : 0
                deadCount -= isGone ? 1 : 0
            } else {
                isGone = surplus.others > 0
                surplus.others -= isGone ? 1 : 0
            }
            if isGone { gone.append(entry) }
            return isGone
        }
        return gone
    }

    /// Takes out those that are meant.
    mutating func remove(where isMeant: (Entry) -> Bool) -> [Entry] {
        var gone: [Entry] = []
        entries.removeAll { entry in
            guard isMeant(entry) else { return false }
            if isDead(entry) { deadCount -= 1 }
            gone.append(entry)
            return true
        }
        return gone
    }

    /// Letting go of one at a time would move all the others each time.
    private func surplus(of count: Int) -> Int { count > keptMax + keptMax / 10 ? count - keptMax : 0 }
}
