internal import AlertCore
public import PluginKit
public import Runtime

/// Where days of the past are kept from one backtest to the next.
public protocol PastShelf: Sendable {
    /// - Parameter name: letters, digits, `-`, `_` and `.`, with one `/` inside.
    func has(_ name: String) -> Bool
    /// Keeps all of it or nothing, in place of what was there.
    func keep(_ bytes: [UInt8], as name: String) throws
    func contents(of name: String) throws -> [UInt8]
    func remove(_ name: String)
}

extension PastSource {
    /// The part of the shelf that holds what this source recalls, and nothing else.
    fileprivate var folder: String {
        var hash = StableHash()
        for text in [Past.format, type(of: plugin).manifest.name, name, plugin.recallKey, every.grammar] {
            hash.add(text)
        }
        for span in spans { hash.add(span.grammar) }
        let readable = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        return "\(readable.prefix(40))-\(hash.text)"
    }
}

/// A span of the past as sources recall it: fetched day by day onto a shelf, and played from there.
///
/// A day (in UTC) that has long ended stays on the shelf. A younger one may still change, so it is asked for anew each
/// time, and so is one of which the answers were not whole.
public struct Past: Sendable {
    private let from: Moment
    private let to: Moment
    private let now: Moment
    public let days: [TimeSpan]

    /// Part of the names on the shelf: another one where other lines would be recalled of the same days.
    static let format = "1"
    /// How long after its end a day may still change. Phones tell of a crash when the app is started the next time.
    public static let settlingTime = Duration.days(1)
    /// The longest span: each day is a file, and a request or more.
    public static let lengthMax = Duration.days(366)

    /// What was seen after `from` and not after `to`.
    public init(from: Moment, to: Moment, now: Moment) {
        self.from = from
        self.to = min(to, now)
        self.now = now
        var days: [TimeSpan] = []
        var start = Recall.floor(from, to: .days(1))
        while start < self.to, let day = TimeSpan(from: start, to: start + .days(1)) {
            days.append(day)
            start = day.to
        }
        self.days = days
    }

    // MARK: - Fetching

    /// Something that people should know about one source.
    public struct Caution: Hashable, Sendable {
        public let source: String
        public let sentence: String
    }

    /// What has come of fetching.
    public struct Fetched: Sendable {
        /// The sources of which every day is there, in the order in which they were given.
        public fileprivate(set) var sources: [PastSource]
        public fileprivate(set) var failures: [Caution] = []
        public fileprivate(set) var warnings: [Caution] = []
    }

    /// Puts every day of the sources onto the shelf. Sources on one host wait for each other.
    ///
    /// - Parameter progress: called after each day of each source.
    /// - Throws: what the shelf throws, or `CancellationError`.
    public func fetch(
        _ sources: [PastSource], onto shelf: any PastShelf, ports: Ports, redactor: Redactor,
        progress: @escaping @Sendable () -> Void
    ) async throws -> Fetched {
        let hosts = Dictionary(grouping: sources) { $0.plugin.host }
        let tokens = TokenVault()
        return try await withThrowingTaskGroup(of: Fetched.self) { group in
            for sources in hosts.values {
                group.addTask {
                    var fetched = Fetched(sources: [])
                    for source in sources {
                        let recaller = Recaller(source, ports: ports, redactor: redactor, tokens: tokens)
                        try await fetch(source, by: recaller, onto: shelf, &fetched, progress)
                    }
                    return fetched
                }
            }
            var all = Fetched(sources: [])
            for try await fetched in group {
                all.sources += fetched.sources
                all.failures += fetched.failures
                all.warnings += fetched.warnings
            }
            // In the order of the config, whichever host was quickest.
            let order = Dictionary(sources.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
            all.sources.sort { order[$0.name, default: 0] < order[$1.name, default: 0] }
            all.failures.sort { order[$0.source, default: 0] < order[$1.source, default: 0] }
            all.warnings.sort { order[$0.source, default: 0] < order[$1.source, default: 0] }
            return all
        }
    }

    private func fetch(
        _ source: PastSource, by recaller: Recaller, onto shelf: any PastShelf, _ fetched: inout Fetched,
        _ progress: @Sendable () -> Void
    ) async throws {
        var recaller = recaller
        for day in days {
            defer { progress() }
            let (kept, draft) = names(of: day, source)
            if isSettled(day), shelf.has(kept) { continue }
            do {
                let recalled = try await recaller.recall(from: day.from, to: min(day.to, now))
                let bytes = recalled.lines.flatMap { $0.json.bytes + [UInt8(ascii: "\n")] }
                if isSettled(day), recalled.warnings.isEmpty {
                    try shelf.keep(bytes, as: kept)
                    shelf.remove(draft)
                } else {
                    try shelf.keep(bytes, as: draft)
                }
                for warning in recalled.warnings {
                    let caution = Caution(source: source.name, sentence: warning)
                    if !fetched.warnings.contains(caution) { fetched.warnings.append(caution) }
                }
            } catch let failure as PollFailure {
                let date = day.from.description.prefix(10)
                fetched.failures.append(Caution(source: source.name, sentence: "\(date): \(failure)"))
                return
            }
        }
        fetched.sources.append(source)
    }

    private func isSettled(_ day: TimeSpan) -> Bool { day.to + Past.settlingTime <= now }

    private func names(of day: TimeSpan, _ source: PastSource) -> (kept: String, draft: String) {
        let path = "\(source.folder)/\(day.from.description.prefix(10))"
        return ("\(path).jsonl", "\(path).part.jsonl")
    }

    // MARK: - Playing

    /// A day on the shelf that is not as it was put there.
    public struct Damage: Error {
        /// The name on the shelf.
        public let name: String
        /// From 1.
        public let line: Int
    }

    /// Gives what was recalled to `take`, in the order of seen; no more than a day's lines are held at once.
    ///
    /// - Parameter progress: called after each day.
    /// - Returns: a caution for each source of which polls would have failed.
    /// - Throws: `Damage`, or what the shelf throws.
    public func play(
        _ fetched: Fetched, from shelf: any PastShelf, progress: () -> Void = {},
        _ take: (ObservationReader.Batch) -> Void
    ) throws -> [Caution] {
        var failed: [(source: String, count: Int, first: String)] = []
        // A source may see something only a while after it has happened, and so on the next day.
        var waiting: [ObservationLine] = []
        for day in days {
            defer { progress() }
            for source in fetched.sources {
                let (kept, draft) = names(of: day, source)
                let name = isSettled(day) && shelf.has(kept) ? kept : draft
                let lines = try lines(name, shelf.contents(of: name)).filter { from < $0.seen && $0.seen <= to }
                let failures = lines.compactMap { line in line.failure.map { "\(line.seen): \($0.reason)" } }
                if let first = failures.first {
                    let index = failed.firstIndex { $0.source == source.name } ?? failed.count
                    if index == failed.count { failed.append((source.name, 0, first)) }
                    failed[index].count += failures.count
                }
                waiting += lines
            }
            let order = waiting.indices.sorted { (waiting[$0].seen, $0) < (waiting[$1].seen, $1) }
            let due = order.prefix { waiting[$0].seen <= day.to }
            due.map { waiting[$0] }.inBatches.forEach(take)
            waiting = order.dropFirst(due.count).map { waiting[$0] }
        }
        waiting.inBatches.forEach(take)
        return failed.map { source, count, first in
            Caution(
                source: source,
                sentence: "\(count) of its polls would have failed, the first at \(first)")
        }
    }

    private func lines(_ name: String, _ bytes: [UInt8]) throws(Damage) -> [ObservationLine] {
        var lines: [ObservationLine] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            let parsed = line.withUnsafeBufferPointer { try? ObservationLine(parsing: $0) }
            guard let parsed else { throw Damage(name: name, line: index + 1) }
            lines.append(parsed)
        }
        return lines
    }
}
