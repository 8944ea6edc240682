public import PluginKit

/// One page of a list.
public struct Page<Item: Sendable>: Sendable {
    public let items: [Item]
    /// What leads to the next page: a token, a cursor or an address; nil on the last one.
    public let next: String?
    /// Those that make no sense.
    public let left: LeftOut
    /// Why no further page may be asked for now; nil where one may.
    public let stop: PollFailure?

    public init(_ items: [Item], next: String?, leaving left: LeftOut = LeftOut(), stop: PollFailure? = nil) {
        self.items = items
        self.left = left
        self.stop = stop
        // An empty token is how some say that there is none.
        self.next = next.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// A list read page by page, as far as it could be.
public struct Listing<Item: Sendable>: Sendable {
    public private(set) var items: [Item] = []
    /// Those of all pages that make no sense.
    public private(set) var left = LeftOut()
    /// How many pages were read.
    public private(set) var pageCount = 0
    /// Whether there are more pages than are read.
    public private(set) var isCut = false
    /// Why nothing may be asked for after the page that was read last, also where no further page is wanted.
    public private(set) var stop: PollFailure?
    /// Why it ends where it does, if it should not.
    public private(set) var failure: PollFailure?

    /// Asks for one page: the first for nil.
    public typealias Ask<Report: Sendable> =
        @Sendable (
            _ next: String?, _ then: @escaping @Sendable (Result<Page<Item>, PollFailure>) -> Conversation<Report>
        ) -> Conversation<Report>

    /// Reads a list from its first page on, and goes on with what it held.
    ///
    /// - Parameter pagesMax: a list that never ends is left after these.
    public static func read<Report>(
        pagesMax: Int, _ ask: @escaping Ask<Report>,
        then: @escaping @Sendable (Listing) -> Conversation<Report>
    ) -> Conversation<Report> {
        Listing().read(nil, seen: [], pagesMax, ask, then)
    }

    private func read<Report>(
        _ next: String?, seen: Set<String>, _ pagesLeft: Int, _ ask: @escaping Ask<Report>,
        _ then: @escaping @Sendable (Listing) -> Conversation<Report>
    ) -> Conversation<Report> {
        ask(next) { result in
            var (listing, seen) = (self, seen)
            switch result {
            case .failure(let failure):
                listing.failure = failure
                return then(listing)
            case .success(let page):
                listing.items += page.items
                listing.left.add(page.left)
                listing.pageCount += 1
                listing.stop = page.stop
                guard let next = page.next else { return then(listing) }
                // Pages that lead back to one that was read would be read for ever.
                guard pagesLeft > 1, seen.insert(next).inserted else {
                    listing.isCut = true
                    return then(listing)
                }
                if let stop = page.stop {
                    listing.failure = stop
                    return then(listing)
                }
                return listing.read(next, seen: seen, pagesLeft - 1, ask, then)
            }
        }
    }
}
