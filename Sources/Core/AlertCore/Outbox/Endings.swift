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

    /// Whether there are so many that others may have been let go.
    var isFull: Bool { max(deadCount, entries.count - deadCount) >= keptMax }

    /// Adds one; gives back those that are let go.
    mutating func append(_ entry: Entry) -> [Entry] {
        entries.append(entry)
        if isDead(entry) { deadCount += 1 }
        let (dead, others) = (surplus(of: deadCount), surplus(of: entries.count - deadCount))
        guard dead > 0 || others > 0 else { return [] }
        return letGo(dead: dead, others: others)
    }

    /// Lets go of the oldest ones; what comes after the last of them is not looked at.
    private mutating func letGo(dead: Int, others: Int) -> [Entry] {
        var (gone, kept): ([Entry], [Entry]) = ([], [])
        var (dead, others, end) = (dead, others, 0)
        while end < entries.count, dead > 0 || others > 0 {
            let entry = entries[end]
            end += 1
            switch isDead(entry) {
            case true where dead > 0:
                dead -= 1
                deadCount -= 1
                gone.append(entry)
            case false where others > 0:
                others -= 1
                gone.append(entry)
            default: kept.append(entry)
            }
        }
        entries.replaceSubrange(..<end, with: kept)
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
